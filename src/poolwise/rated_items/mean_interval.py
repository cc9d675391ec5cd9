"""Intervals of means over items: for skewed values, for shares, and when all labels are the same."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from poolwise.basics.distributions import student_quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from poolwise.rated_items.sampled_mean import SampledMean

    Interval = Callable[..., tuple[float, float]]

__all__ = [
    "cut", "interval_of_difference", "interval_of_mean", "interval_of_share", "labels_for", "least_number",
    "with_labels",
]  # fmt: skip


def interval_of_mean(
    sampled: SampledMean, level: float, more: float = 0.0, scale: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Student's t, bent by the skewness of the labels as Hall (1992) bends it; `more` variance has no skewness.

    Where all labels are the same, `scale`, the lowest and highest value there can be, says how far others may be off.
    """
    sampled = _cautious(sampled)
    whole = sampled.variance + more
    if whole <= 0:
        return _of_equals(sampled, level, scale)
    error = math.sqrt(whole)
    skewness = sampled.skewness * (sampled.variance / whole) ** 1.5
    quantile = float(student_quantile(sampled.freedom, (1 + level) / 2))
    return sampled.value - error * _bent(quantile, skewness), sampled.value - error * _bent(-quantile, skewness)


def _cautious(sampled: SampledMean) -> SampledMean:
    """Labels of one value that weigh more than any of another are taken to vary as all labels do.

    Ten labels of a stratum that holds nine items of ten may be the same by chance; their own variance would be 0, and
    the interval that of the other strata.
    """
    least = sampled.spread * sampled.unmixed
    if not 0 < sampled.variance < least:
        return sampled
    return replace(sampled, variance=least, skewness=0.0, freedom=max(sampled.freedom, sampled.alike - 1.0))


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

    Where all labels are the same the variance is 0, and the number of labels itself counts; of labels that weigh unlike
    it is that of as many equal ones.
    """
    share = min(max(sampled.value, 0.0), 1.0)
    if sampled.labelled == sampled.items and more <= 0:
        return sampled.value, sampled.value
    open_part = 1 - sampled.labelled / sampled.items if more <= 0 else 1.0
    labels = min(sampled.labelled / max(open_part, 1e-9), 1 / max(sampled.unmixed, 1e-9))
    if sampled.variance + more > 0 and 0 < share < 1:
        sampled = _cautious(replace(sampled, spread=share * (1 - share)))
        labels = share * (1 - share) / (sampled.variance + more)
    square = float(student_quantile(max(sampled.freedom, 1.0), (1 + level) / 2)) ** 2 / labels
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    low, high = min(middle - half, share), max(middle + half, share)  # at shares of 0 and 1 but for rounding
    return max(low, 0.0), min(high, 1.0)


def interval_of_difference(sampled: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """A difference of two shares on the same items, as if one more label spoke for either (Agresti and Min 2005)."""
    if sampled.labelled == sampled.items and more <= 0:
        return sampled.value, sampled.value
    sampled = _cautious(sampled)
    labels = min(float(sampled.labelled), 1 / max(sampled.unmixed, 1e-9))
    shrunk = labels / (labels + 2)
    open_part = 1 - sampled.labelled / sampled.items if more <= 0 else 1.0
    error = math.sqrt((sampled.variance + more) * shrunk**2 + open_part / (labels + 2) ** 2)
    half = float(student_quantile(sampled.freedom, (1 + level) / 2)) * error
    return max(sampled.value * shrunk - half, -1.0), min(sampled.value * shrunk + half, 1.0)


def _of_equals(sampled: SampledMean, level: float, scale: tuple[float, float] | None) -> tuple[float, float]:
    """Nothing varies: sure if all is labelled; else so many items may be at an end of the scale as Wilson's allows.

    Without a scale, or where labels are the same within strata only, nobody knows.
    """
    if sampled.labelled == sampled.items:
        return sampled.value, sampled.value
    if scale is None or sampled.spread > 0:
        return math.nan, math.nan
    others = 1 - interval_of_share(replace(sampled, value=1.0), level)[0]
    least, most = scale
    return sampled.value - others * (sampled.value - least), sampled.value + others * (most - sampled.value)


def labels_for(sampled: SampledMean, kind: Interval, width: float, level: float, more: float = 0.0) -> int | None:
    """How many labels in all give an interval of this kind and width, drawn as these were.

    None where all is labelled, where that would not give the width, as `more` variance stays, or where there is no
    interval now, so that nothing tells how wide others will be.
    """
    if sampled.labelled >= sampled.items or math.isnan(kind(sampled, level, more)[0]):
        return None
    per_label = sampled.variance / (1 / sampled.labelled - 1 / sampled.items)

    def reached(labels: int) -> bool:
        variance = max(per_label * (1 / labels - 1 / sampled.items), 0.0)
        low, high = kind(with_labels(sampled, labels, variance), level, more)
        return high - low <= width

    return least_number(reached, 2, sampled.items)


def with_labels(sampled: SampledMean, labels: int, variance: float) -> SampledMean:
    """What so many labels would give: another variance, less skewness, more degrees of freedom."""
    now, then = (1 / number - 1 / sampled.items for number in (sampled.labelled, labels))
    return replace(
        sampled,
        variance=variance,
        unmixed=sampled.unmixed * max(then, 0.0) / now if now > 0 else 0.0,
        skewness=sampled.skewness * math.sqrt(sampled.labelled / labels),
        freedom=max(sampled.freedom + labels - sampled.labelled, 1.0),
        labelled=labels,
    )


def least_number(reached: Callable[[int], bool], least: int, most: int) -> int | None:
    """The first number from `least` to `most` that is enough, if all above it are; None if the last is not.

    >>> least_number(lambda number: number**2 > 50, 1, 100)
    8
    """
    if most < least or not reached(most):
        return None
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if reached(middle) else (middle + 1, most)
    return least


def cut(interval: tuple[float, float], least: float, most: float) -> tuple[float, float]:
    """An interval cut to what is possible; what is not known stays so.

    >>> cut((-0.6, 5.1), -4, 4), cut((1.0, 2.0), -4, 4)
    ((-0.6, 4), (1.0, 2.0))
    """
    low, high = interval
    return min(max(low, least), most) if low == low else low, max(min(high, most), least) if high == high else high
