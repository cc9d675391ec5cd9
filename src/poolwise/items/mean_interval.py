"""Intervals of means over items: for skewed values, for shares, and when all labels are the same."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.items.sampled_mean import SampledMean

__all__ = ["interval_of_difference", "interval_of_mean", "interval_of_share", "labels_for"]


def interval_of_mean(found: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """Student's t, bent by the skewness of the labels as Hall (1992) bends it; `more` variance has no skewness."""
    whole = found.variance + more
    if whole <= 0:
        return _nothing(found)
    error = math.sqrt(whole)
    skewness = float(np.sum(found.shares**3)) / whole**1.5
    quantile = float(stdtrit(found.freedom, (1 + level) / 2))
    return found.value - error * _bent(quantile, skewness), found.value - error * _bent(-quantile, skewness)


def _bent(quantile: float, skewness: float) -> float:
    """Where a skewed t has the quantile of a plain one: Hall's cubic, solved for t.

    >>> _bent(2.0, 0.0), round(_bent(2.0, 0.3), 3), round(_bent(-2.0, 0.3), 3)
    (2.0, 1.659, -2.725)
    """
    if abs(skewness) < 1e-6:
        return quantile
    return 3 / skewness * (float(np.cbrt(1 + skewness * (quantile - skewness / 6))) - 1)


def interval_of_share(found: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """Wilson's (1927) interval of a share, for as many labels as would give the variance there is.

    Where all labels are the same the variance is 0, and the number of labels itself counts.
    """
    share = min(max(found.value, 0.0), 1.0)
    if found.labelled == found.items and more <= 0:
        return found.value, found.value
    open_part = 1 - found.labelled / found.items if more <= 0 else 1.0
    labels = found.labelled / max(open_part, 1e-9)
    if found.variance + more > 0 and 0 < share < 1:
        labels = share * (1 - share) / (found.variance + more)
    square = float(stdtrit(max(found.freedom, 1.0), (1 + level) / 2)) ** 2 / labels
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def interval_of_difference(found: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """A difference of two shares on the same items, as if one more label spoke for either (Agresti and Min 2005)."""
    if found.labelled == found.items and more <= 0:
        return found.value, found.value
    labels = found.labelled
    shrunk = labels / (labels + 2)
    open_part = 1 - labels / found.items if more <= 0 else 1.0
    error = math.sqrt((found.variance + more) * shrunk**2 + open_part / (labels + 2) ** 2)
    half = float(stdtrit(found.freedom, (1 + level) / 2)) * error
    return max(found.value * shrunk - half, -1.0), min(found.value * shrunk + half, 1.0)


def _nothing(found: SampledMean) -> tuple[float, float]:
    """Nothing varies: sure if all is labelled, else nobody knows."""
    known = found.labelled == found.items
    return (found.value, found.value) if known else (math.nan, math.nan)


def labels_for(found: SampledMean, width: float, level: float) -> int | None:
    """How many labels in all give an interval of this width, drawn as these were; None where nothing varies."""
    if found.variance <= 0 or found.labelled >= found.items:
        return None
    per_label = found.variance / (1 / found.labelled - 1 / found.items)
    needed = float(found.items)
    for _ in range(20):  # the quantile depends on the number
        half = width / 2 / float(stdtrit(max(needed - 1, 1.0), (1 + level) / 2))
        needed = 1 / (half**2 / per_label + 1 / found.items)
    return min(math.ceil(needed - 1e-9), found.items)
