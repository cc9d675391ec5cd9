"""The mean of a number over all items, known for those that were drawn and predicted for all.

The difference estimator of survey sampling, known with predictions from machine learning as prediction-powered
inference (Angelopoulos et al. 2023): the mean of predictions over all items, plus the mean error of the predictions
over the drawn ones. Predictions count by slopes that make the error smallest (Angelopoulos, Duchi and Zrnic 2023,
PPI++. Cochran 1977, chapter 7), and by a weight between 0 and 1 that says whether slopes learned without an item help
with that item.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from poolwise.basics.numbers import student_quantile
from poolwise.sampling.variance import TINY, Sample, from_mean, rounded, skewness_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

if TYPE_CHECKING:
    Interval = Callable[..., tuple[float, float]]


def interval_of_mean(
    sampled: SampledMean, level: float, more: float = 0.0, scale: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Student's t, corrected for the skewness of the labels (Hall 1992). `more` variance has no skewness.

    Where all labels are the same, `scale`, the lowest and highest value there can be, says how far others may be off.
    """
    sampled = _with_pseudo_labels(_cautious(sampled))
    whole = sampled.variance + more
    if whole <= 0:
        return _of_equals(sampled, level, scale)
    error = math.sqrt(whole)
    skewness = sampled.skewness * (sampled.variance / whole) ** 1.5
    quantile = float(student_quantile(sampled.freedom, (1 + level) / 2))
    return sampled.value - error * _skewness_corrected(quantile, skewness), sampled.value - error * _skewness_corrected(
        -quantile, skewness
    )


def _cautious(sampled: SampledMean) -> SampledMean:
    """A variance in which labels of a single value with the largest weights vary as all labels do.

    Ten labels of a stratum that holds nine items of ten may be the same by chance. Their own variance would be 0, and
    the interval that of the other strata.
    """
    least = sampled.spread * sampled.homogeneous_weight
    if not 0 < sampled.variance < least:
        return sampled
    return replace(
        sampled, variance=least, skewness=0.0, freedom=max(sampled.freedom, sampled.homogeneous_labels - 1.0)
    )


def _with_pseudo_labels(sampled: SampledMean) -> SampledMean:
    """The variance of a difference with two pseudo-labels, one in favour of each system.

    Where k of n items do, a sample that met few of these shows a small variance, which goes with the share k / n. The
    share is taken as (k + 2) / (n + 2), as Agresti and Min (2005) do with differences of shares.
    """
    if sampled.tied <= 0.0 or sampled.variance <= 0.0:
        return sampled
    apart = sampled.labelled * (1.0 - sampled.tied)
    more = (1.0 + PSEUDO_LABELS / apart) / (1.0 + PSEUDO_LABELS / sampled.labelled)
    return replace(sampled, variance=sampled.variance * more)


def _skewness_corrected(quantile: float, skewness: float) -> float:
    """Quantile of a skewed t from that of Student's t: Hall's cubic transformation, inverted.

    >>> _skewness_corrected(2.0, 0.0), round(_skewness_corrected(2.0, 0.3), 3), round(_skewness_corrected(-2.0, 0.3), 3)
    (2.0, 1.659, -2.725)
    """
    if abs(skewness) < 1e-6:
        return quantile
    return 3 / skewness * (float(np.cbrt(1 + skewness * (quantile - skewness / 6))) - 1)


def interval_of_share(sampled: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """Wilson's (1927) interval of a share, for the effective number of labels of the variance.

    Where all labels are the same the variance is 0, and the number of labels itself counts. Of labels that weigh unlike
    it is that of as many equal ones.
    """
    share = min(max(sampled.value, 0.0), 1.0)
    if sampled.labelled == sampled.items and more <= 0:
        return sampled.value, sampled.value
    open_part = 1 - sampled.labelled / sampled.items if more <= 0 else 1.0
    labels = min(sampled.labelled / max(open_part, 1e-9), 1 / max(sampled.homogeneous_weight, 1e-9))
    if sampled.variance + more > 0 and 0 < share < 1:
        sampled = _cautious(replace(sampled, spread=share * (1 - share)))
        labels = share * (1 - share) / (sampled.variance + more)
    square = float(student_quantile(max(sampled.freedom, 1.0), (1 + level) / 2)) ** 2 / labels
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    low, high = min(middle - half, share), max(middle + half, share)  # at shares of 0 and 1 but for rounding
    return max(low, 0.0), min(high, 1.0)


def interval_of_difference(sampled: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
    """Interval of a difference of two shares on the same items, with pseudo-labels (Agresti and Min 2005)."""
    if sampled.labelled == sampled.items and more <= 0:
        return sampled.value, sampled.value
    sampled = _cautious(sampled)
    labels = min(float(sampled.labelled), 1 / max(sampled.homogeneous_weight, 1e-9))
    shrunk = labels / (labels + 2)
    open_part = 1 - sampled.labelled / sampled.items if more <= 0 else 1.0
    error = math.sqrt((sampled.variance + more) * shrunk**2 + open_part / (labels + 2) ** 2)
    half = float(student_quantile(sampled.freedom, (1 + level) / 2)) * error
    return max(sampled.value * shrunk - half, -1.0), min(sampled.value * shrunk + half, 1.0)


def _of_equals(sampled: SampledMean, level: float, scale: tuple[float, float] | None) -> tuple[float, float]:
    """Interval of equal labels: a point if all items are labelled, else Wilson's share of items at an end of the scale.

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
    """Number of labels for an interval of this kind and width, with the same design.

    None where all is labelled, where that would not give the width, as `more` variance stays, or where there is no
    interval now, so that nothing tells how wide others will be.
    """
    if sampled.labelled >= sampled.items or math.isnan(kind(sampled, level, more)[0]):
        return None
    # Of n labels of N items the variance is proportional to 1 / n - 1 / N, whatever the strata, if rates stay alike.
    per_label = sampled.variance / (1 / sampled.labelled - 1 / sampled.items)

    def reached(labels: int) -> bool:
        variance = max(per_label * (1 / labels - 1 / sampled.items), 0.0)
        low, high = kind(with_labels(sampled, labels, variance), level, more)
        return high - low <= width

    return least_number(reached, 2, sampled.items)


def with_labels(sampled: SampledMean, labels: int, variance: float) -> SampledMean:
    """Forecast of the mean with this number of labels: variance, skewness and degrees of freedom change."""
    now, then = (1 / number - 1 / sampled.items for number in (sampled.labelled, labels))
    return replace(
        sampled,
        variance=variance,
        homogeneous_weight=sampled.homogeneous_weight * max(then, 0.0) / now if now > 0 else 0.0,
        skewness=sampled.skewness * math.sqrt(sampled.labelled / labels),
        freedom=max(sampled.freedom + labels - sampled.labelled, 1.0),
        labelled=labels,
    )


def least_number(reached: Callable[[int], bool], least: int, most: int) -> int | None:
    """The least sufficient number from `least` to `most`, by bisection. None if `most` is not sufficient.

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
    """An interval clipped to possible values. NaN stays.

    >>> cut((-0.6, 5.1), -4, 4), cut((1.0, 2.0), -4, 4)
    ((-0.6, 4), (1.0, 2.0))
    """
    low, high = interval
    return min(max(low, least), most) if low == low else low, max(min(high, most), least) if high == high else high


PSEUDO_LABELS = 2.0  # labels; one for either system (Agresti and Min 2005)
MOST_LEVERAGE = 0.9  # of a label in slopes: beyond it errors left out are those of a near division by 0


@dataclass(frozen=True, eq=False)
class SampledItems:
    """Items of which some are labelled, one row per item.

    `value` is NaN where an item was not labelled. Labelled items are a random draw of each cell, at `rate` where rates
    differ within cells (else NaN: so many of so many). `predictions` has a column per predictor.
    """

    value: Floats
    cell: NDArray[np.int64]
    rate: Floats
    predictions: Floats

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which items have a value."""
        return ~np.isnan(self.value)

    def unpredicted(self) -> SampledItems:
        """The same without predictions."""
        return replace(self, predictions=self.predictions[:, :0])


@dataclass(frozen=True, eq=False)
class SampledMean:
    """An estimate, its variance over draws, and the contributions of labelled items.

    `shares` are the parts whose squares sum to `variance`. `freedom` is the degrees of freedom of that sum. `skewness`
    is that of the estimate. `spread` is the variance of the value over items. `weight` says how far predictions count.
    `homogeneous_weight` is what so many labels (`homogeneous_labels`) of one value that each weigh more than any of
    another value would add to the variance, per unit of spread: among them nothing varies, and that may be chance.
    `tied` is the share of labelled items on which two systems do not differ, if all are labelled for both.
    """

    value: float
    variance: float
    shares: Floats
    freedom: float
    skewness: float
    spread: float
    items: int
    labelled: int
    weight: float
    slopes: Floats
    homogeneous_weight: float = 0.0
    homogeneous_labels: int = 0
    tied: float = 0.0


class WeighedLabels:
    """Labels and predictions of labelled items, with weights and deviations within cells.

    `emphasis` says how much each counts against the others, beyond what their rates say. Weights sum to 1. Those of
    `plain` are without emphasis. `error` is the error of each label against the mean of the others of its cell.
    """

    def __init__(self, drawn: SampledItems, emphasis: Floats | float = 1.0) -> None:
        self.drawn, self.chosen = drawn, drawn.labelled
        self.cells = labelled_cells(drawn.cell, self.chosen)
        self.sample = self._sample(emphasis)
        self.plain = self._sample(1.0) if np.ndim(emphasis) else self.sample
        self.weights = self.sample.weight
        self.scores, self.known = drawn.value[self.chosen], drawn.predictions[self.chosen]
        self.centred, self.inner = self.sample.centred(self.scores), self.sample.centred(self.known)
        self.error = self.sample.errors(self.scores)

    def _sample(self, emphasis: Floats | float) -> Sample:
        sample = Sample.of_cells(self.cells, self.chosen, self.drawn.rate, emphasis)
        return replace(sample, weight=sample.weight / len(self.cells))

    def left_out(self, slopes: Floats, leverage: Floats) -> Floats:
        """Leave-one-out errors: slopes and means are fitted without the item.

        Beside its share of its cell leverage takes no more than the rest of what an item leaves to others.
        """
        alone = 1 - self.sample.part
        rest = np.maximum(alone - leverage, np.minimum(1 - MOST_LEVERAGE, np.maximum(alone, TINY) / 2))
        return rounded(self.centred - self.inner @ slopes, self.size(slopes)) / rest

    def size(self, slopes: Floats) -> float:
        """Magnitude of the numbers from which errors are computed, for rounding."""
        largest = np.abs(self.known).max(axis=0, initial=0.0)
        return float(np.abs(self.scores).max(initial=0.0) + largest @ np.abs(slopes))

    def value(self, slopes: Floats) -> float:
        """The mean, with predictions by these slopes."""
        moved = (self.drawn.predictions.mean(axis=0) - self.weights @ self.known) @ slopes
        return float(self.weights @ self.scores + moved)

    def homogeneous_weight(self, values: Floats, predicted: Floats) -> tuple[float, int]:
        """Sum of w^2 (1 - rate) of the labels that weigh more than any of another value, and their number.

        The sum counts by the share of the spread over all labels that predictions leave open.

        >>> value = np.array([1.0, 0.0, 0.0, 0.0, np.nan, np.nan, np.nan, np.nan])
        >>> cell, nothing = np.array([0, 0, 1, 1, 1, 1, 1, 1]), np.full(8, np.nan)
        >>> labels = WeighedLabels(SampledItems(value, cell, nothing, np.zeros((8, 0))))
        >>> weight, number = labels.homogeneous_weight(labels.scores, np.zeros(4))  # two: three items of eight each
        >>> round(weight, 4), number
        (0.1875, 2)
        """
        weights = self.plain.weight
        heavy = self.plain.heavier(values != values[np.argmax(weights)])
        spread, left = (float(weights @ from_mean(each, weights) ** 2) for each in (values, values - predicted))
        # Predictions that explain labels leave less to vary among those that seem equal.
        known = min(left / spread, 1.0) if spread > 0 else 1.0
        return known * float(np.sum(self.plain.scale[heavy] ** 2)), int(heavy.sum())


def slopes_of(inner: Floats, centred: Floats) -> tuple[Floats, Floats]:
    """Slopes that make the sum of squares least, and the leverage of each row in them."""
    inverse = np.linalg.pinv(inner.T @ inner, rcond=1e-10, hermitian=True)
    return inverse @ (inner.T @ centred), np.einsum("ij,jk,ik->i", inner, inverse, inner)


def prediction_weight(plain: Floats, explained: Floats) -> float:
    """Weight of predictions that minimises the sum of squares of plain - weight x explained."""
    size = float(explained @ explained)
    return float(np.clip(plain @ explained / size, 0, 1)) if size > 0 else 0.0


def sampled_mean(drawn: SampledItems) -> SampledMean:
    """Estimate the mean over all items. With no predictions it is the plain mean of the labelled ones, cell by cell.

    >>> value = np.array([1.0, 0.0, 1.0, np.nan, np.nan, np.nan])
    >>> known = np.array([[1.0], [0.0], [1.0], [0.0], [0.0], [0.0]])
    >>> zeros = np.zeros(6, dtype=np.int64)
    >>> nothing = np.full(6, np.nan)
    >>> mean = sampled_mean(SampledItems(value, zeros, nothing, known[:, :0]))
    >>> round(mean.value, 4), round(mean.variance * 3, 4)  # half of the sample's variance: half of all was drawn
    (0.6667, 0.1667)
    >>> round(sampled_mean(SampledItems(value, zeros, nothing, known)).value, 4)
    0.3333
    """
    labels = WeighedLabels(drawn)
    sample, scores = labels.sample, labels.scores
    slopes, leverage = slopes_of(sample.scale[:, None] * labels.inner, sample.scale * labels.centred)
    explained = labels.error - labels.left_out(slopes, leverage)
    weight = prediction_weight(sample.scale * labels.error, sample.scale * explained)
    shares = sample.shares(labels.error - weight * explained)
    # Where nothing varies in any cell there are no degrees of freedom to add up; Wilson's interval needs some.
    found, number = sample.variance(shares), len(scores)
    df = float(found.df) if found.value > 0 else number - 1.0
    return SampledMean(
        labels.value(weight * slopes), float(found.value), shares, max(df - weight * len(slopes), 1.0),
        skewness_of(shares),
        float(labels.weights @ from_mean(scores, labels.weights) ** 2 * number / max(number - 1, 1)),
        len(drawn.value), number, weight, weight * slopes,
        *labels.homogeneous_weight(scores, weight * labels.known @ slopes),
    )  # fmt: skip


def labelled_cells(cell: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbered cells. A cell without a label joins the previous one, or the first with a label.

    >>> labelled_cells(np.array([4, 4, 6, 7, 7, 8]), np.array([1, 0, 0, 1, 0, 0], dtype=bool)).tolist()
    [0, 0, 0, 1, 1, 1]
    >>> labelled_cells(np.array([4, 4, 6, 7, 7, 8]), np.array([0, 0, 0, 1, 0, 0], dtype=bool)).tolist()
    [0, 0, 0, 0, 0, 0]
    """
    numbers, cells = np.unique(cell, return_inverse=True)
    labelled = np.bincount(cells[chosen], minlength=len(numbers)) > 0
    return np.asarray(np.maximum(np.cumsum(labelled) - 1, 0)[cells])
