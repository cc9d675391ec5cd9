"""Intervals of means over items: for skewed values, for shares, and when all labels are the same."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.items.sampled_mean import SampledMean

__all__ = ["interval_of_difference", "interval_of_mean", "interval_of_share", "labels_for"]


def interval_of_mean(sampled: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """Student's t, bent by the skewness of the labels as Hall (1992) bends it; `more` variance has no skewness."""
    whole = sampled.variance + more
    if whole <= 0:
        return _nothing(sampled)
    error = math.sqrt(whole)
    skewness = float(np.sum(sampled.shares**3)) / whole**1.5
    quantile = float(stdtrit(sampled.freedom, (1 + level) / 2))
    return sampled.value - error * _bent(quantile, skewness), sampled.value - error * _bent(-quantile, skewness)


def _bent(quantile: float, skewness: float) -> float:
    """Where a skewed t has the quantile of a plain one: Hall's cubic, solved for t.

    >>> _bent(2.0, 0.0), round(_bent(2.0, 0.3), 3), round(_bent(-2.0, 0.3), 3)
    (2.0, 1.659, -2.725)
    """
    if abs(skewness) < 1e-6:
        return quantile
    return 3 / skewness * (float(np.cbrt(1 + skewness * (quantile - skewness / 6))) - 1)


def interval_of_share(sampled: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """Wilson's (1927) interval of a share, for as many labels as would give the variance there is.

    Where all labels are the same the variance is 0, and the number of labels itself counts.
    """
    share = min(max(sampled.value, 0.0), 1.0)
    if sampled.labelled == sampled.items and more <= 0:
        return sampled.value, sampled.value
    open_part = 1 - sampled.labelled / sampled.items if more <= 0 else 1.0
    labels = sampled.labelled / max(open_part, 1e-9)
    if sampled.variance + more > 0 and 0 < share < 1:
        labels = share * (1 - share) / (sampled.variance + more)
    square = float(stdtrit(max(sampled.freedom, 1.0), (1 + level) / 2)) ** 2 / labels
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def interval_of_difference(sampled: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """A difference of two shares on the same items, as if one more label spoke for either (Agresti and Min 2005)."""
    if sampled.labelled == sampled.items and more <= 0:
        return sampled.value, sampled.value
    labels = sampled.labelled
    shrunk = labels / (labels + 2)
    open_part = 1 - labels / sampled.items if more <= 0 else 1.0
    error = math.sqrt((sampled.variance + more) * shrunk**2 + open_part / (labels + 2) ** 2)
    half = float(stdtrit(sampled.freedom, (1 + level) / 2)) * error
    return max(sampled.value * shrunk - half, -1.0), min(sampled.value * shrunk + half, 1.0)


def _nothing(sampled: SampledMean) -> tuple[float, float]:
    """Nothing varies: sure if all is labelled, else nobody knows."""
    known = sampled.labelled == sampled.items
    return (sampled.value, sampled.value) if known else (math.nan, math.nan)


def labels_for(sampled: SampledMean, width: float, level: float) -> int | None:
    """How many labels in all give an interval of this width, drawn as these were; None where nothing varies."""
    if sampled.variance <= 0 or sampled.labelled >= sampled.items:
        return None
    per_label = sampled.variance / (1 / sampled.labelled - 1 / sampled.items)
    needed = float(sampled.items)
    for _ in range(20):  # the quantile depends on the number
        half = width / 2 / float(stdtrit(max(needed - 1, 1.0), (1 + level) / 2))
        needed = 1 / (half**2 / per_label + 1 / sampled.items)
    return min(math.ceil(needed - 1e-9), sampled.items)
