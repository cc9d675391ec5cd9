"""The mean difference of two systems over all items, from items labelled for both, for one of them, or for the other.

Either system's mean is that of `sampled_mean`. Slopes of predictions are common to both and make the variance of the
difference least. What an item does to the difference is what it does to the one mean less what it does to the other, so
that the sum of squares over items holds the covariance of those labelled for both. Where all are, it is the mean of the
items' own differences, to the last digit.

Items labelled for both tell more of a difference the more the two systems have in common: items labelled for one only
then count less, by weights that make the variance least (Cochran 1977, chapter 12, for means of matched parts).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poolwise.rated_items.sampled_mean import (
    SampledMean,
    WeighedLabels,
    least_number,
    prediction_weight,
    slopes_of,
    with_labels,
)
from poolwise.sampling.variance import by_cells, from_mean, rounded, skewness_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Bools, Floats, Whole
    from poolwise.rated_items.sampled_mean import Interval, SampledItems

__all__ = ["Moments", "SampledDifference", "sampled_difference"]

LEAST_SHARED = 4  # items labelled for both: Fisher's z has the variance 1 / (n - 3)
# Share of the skewness that counts: differences of similar systems have little, and few labels show it by chance mostly
# (benchmarks/item_coverage.py).
SKEWNESS_COUNTED = 0.5
ALMOST = 1 - 1e-12  # the largest correlation whose z is a number
LEAST_WEIGHT = 0.001  # weight of an item labelled for one system against one labelled for both, so that none is 0


@dataclass(frozen=True)
class Moments:
    """Scores less predictions, over all items: mean squares of the first and second system, and mean products."""

    first: float
    second: float
    shared: float

    @property
    def of_difference(self) -> float:
        """The mean square of the difference."""
        return self.first + self.second - 2 * self.shared

    def variance(self, both: int, only_first: int, only_second: int, items: int) -> float:
        """Variance of a difference with these numbers of labels, with optimal weights.

        >>> moments = Moments(1.0, 1.0, 0.5)
        >>> round(moments.variance(10, 0, 0, 10**9), 6), round(moments.variance(0, 10, 10, 10**9), 6)
        (0.1, 0.2)
        """
        p, q = self.on_both(both, only_first, only_second)
        apart = sum(
            (1 - part) ** 2 * square / count
            for part, square, count in ((p, self.first, only_first), (q, self.second, only_second))
            if count
        )
        paired = (p * p * self.first + q * q * self.second - 2 * p * q * self.shared) / both if both else 0.0
        return max(apart + paired - self.of_difference / items, 0.0)

    def on_both(self, both: int, only_first: int, only_second: int) -> tuple[float, float]:
        """Optimal weights of items with both labels in the mean of each system."""
        counts = (only_first, only_second)
        equal = [both / (both + only) if both + only else 0.0 for only in counts]
        squares = (self.first, self.second)
        if not both or not any(counts) or min(squares) <= 0:
            return equal[0], equal[1]
        # The variance is quadratic in the two parts; a system without other labels has all of it on both.
        matrix, right = np.eye(2), np.ones(2)
        for row, (only, square) in enumerate(zip(counts, squares, strict=True)):
            if only:
                matrix[row, row], matrix[row, 1 - row] = square / both + square / only, -self.shared / both
                right[row] = square / only
        p, q = np.clip(np.linalg.solve(matrix, right), equal, 1.0).tolist()
        return p, q


@dataclass(frozen=True, eq=False)
class SampledDifference:
    """A difference as a mean, with forecasts for any number of labels. `both` items have two labels.

    `moments` are what predictions leave open by slopes for these labels.
    """

    sides: tuple[SampledItems, SampledItems]
    mean: SampledMean
    moments: Moments
    labels: tuple[int, int]
    both: int

    @property
    def all_paired(self) -> bool:
        """Whether all labelled items have both labels."""
        return self.labels == (self.both, self.both)

    @property
    def tells_pairs(self) -> bool:
        """Whether the correlation of the systems can be estimated."""
        return self.all_paired or self.both >= LEAST_SHARED

    @cached_property
    def apart(self) -> Moments:
        """Mean squares and products for labels on different items."""
        shared = self.sides[0].labelled & self.sides[1].labelled
        return _Joint(*self.sides, shared, (1.0, 1.0), crossed=False).moments(exact=self.all_paired)

    def with_labels(self, both: int, only: tuple[int, int], moments: Moments | None = None) -> SampledMean:
        """Forecast of the difference with these numbers of labels."""
        first, second = (max(both + alone, 1) for alone in only)
        variance = (moments or self.moments).variance(both, *only, self.mean.items)
        if self.mean.variance == 0 and moments is None:
            variance = 0.0
        mean = replace(self.mean, tied=0.0) if any(only) else self.mean
        return with_labels(mean, round(2 / (1 / first + 1 / second)), variance)

    def labels_for(
        self, kind: Interval, width: float, level: float, more: float = 0.0
    ) -> tuple[int | None, int | None]:
        """Labels of each system for this width: on the same items, and drawn independently.

        The first is None where too few items have both labels to tell: pairs would be taken for as good as others.
        Both are where there is no interval now: nothing tells how wide others will be.
        """
        items = self.mean.items
        if math.isnan(kind(self.mean, level, more)[0]):
            return None, None

        def paired(labels: int) -> bool:
            low, high = kind(self.with_labels(labels, (0, 0)), level, more)
            return high - low <= width

        def apart(labels: int) -> bool:
            both = round(labels**2 / items)  # items that two draws happen to share
            low, high = kind(self.with_labels(both, (labels - both, labels - both), self.apart), level, more)
            return high - low <= width

        return least_number(paired, 2, items) if self.tells_pairs else None, least_number(apart, 2, items)


def sampled_difference(first: SampledItems, second: SampledItems) -> SampledDifference:
    """Estimate the mean of the first less that of the second, over the same items in the same order.

    >>> from poolwise.rated_items.sampled_mean import SampledItems
    >>> zeros, nothing, none = np.zeros(4, dtype=np.int64), np.full(4, np.nan), np.zeros((4, 0))
    >>> new = SampledItems(np.array([3.0, 2.0, np.nan, np.nan]), zeros, nothing, none)
    >>> old = SampledItems(np.array([np.nan, 1.0, 2.0, np.nan]), zeros, nothing, none)
    >>> sampled_difference(new, old).mean.value
    1.0
    """
    shared = first.labelled & second.labelled
    both, only = int(shared.sum()), [int((each.labelled & ~shared).sum()) for each in (first, second)]
    found = _Joint(first, second, shared, (1.0, 1.0))
    parts = found.moments(exact=False).on_both(both, *only)
    weights = [
        both * (1 - part) / (part * alone) if alone and both and part else 1.0
        for part, alone in zip(parts, only, strict=True)
    ]
    # The best weights follow from moments that are estimated with equal weights, so errors are computed twice.
    if any(abs(weight - 1) > 1e-9 for weight in weights):
        found = _Joint(first, second, shared, (max(weights[0], LEAST_WEIGHT), max(weights[1], LEAST_WEIGHT)))
    labels = only[0] + both, only[1] + both
    return SampledDifference((first, second), found.mean(labels), found.moments(exact=not any(only)), labels, both)


def _moved(correlation: float, both: int, errors: float) -> float:
    """A correlation moved by standard errors on Fisher's scale, not below 0.

    >>> round(_moved(0.5, 19, -1), 3), _moved(0.1, 19, -1), _moved(0.5, 3, -1), _moved(0.5, 3, 1)
    (0.291, 0.0, 0.0, 1.0)
    """
    if both < LEAST_SHARED:
        return 1.0 if errors > 0 else 0.0
    far, error = math.atanh(min(max(correlation, -ALMOST), ALMOST)), errors / math.sqrt(both - 3)
    return math.tanh(far + error if errors > 0 else math.copysign(max(abs(far) + error, 0.0), far))


class _SystemLabels(WeighedLabels):
    """Labels of one system. Items without a label of the other system have the relative weight `alone`."""

    def __init__(self, drawn: SampledItems, shared: Bools, alone: float) -> None:
        super().__init__(drawn, np.where(shared[drawn.labelled], 1.0, alone))

    def full(self, values: NDArray[Any]) -> Floats:
        """Values of the labelled items, 0 for the others."""
        spread = np.zeros((len(self.chosen), *values.shape[1:]))
        spread[self.chosen] = values
        return spread

    def off(self) -> Floats:
        """The distance of scores from their mean."""
        return from_mean(self.scores, self.plain.weight)


class _Joint:
    """Both systems with slopes and weights of predictions, for the difference, or as if no item were shared."""

    def __init__(
        self,
        first: SampledItems,
        second: SampledItems,
        shared: Bools,
        alone: tuple[float, float],
        crossed: bool = True,
    ) -> None:
        self.shared = shared
        self.first, self.second = _SystemLabels(first, shared, alone[0]), _SystemLabels(second, shared, alone[1])
        joined = self._less if crossed else self._stacked
        inner = joined(*(side.sample.scale[:, None] * side.inner for side in self._sides))
        self.slopes, leverage = slopes_of(inner, joined(*(side.sample.scale * side.centred for side in self._sides)))
        leverages = leverage[: len(shared)], leverage[-len(shared) :]  # the same where crossed
        explained = [
            side.error - side.left_out(self.slopes, each[side.chosen])
            for side, each in zip(self._sides, leverages, strict=True)
        ]
        self.weight = prediction_weight(
            joined(*(side.sample.scale * side.error for side in self._sides)),
            joined(*(side.sample.scale * each for side, each in zip(self._sides, explained, strict=True))),
        )
        self.errors = [
            side.sample.factor * (side.error - self.weight * each)
            for side, each in zip(self._sides, explained, strict=True)
        ]

    @property
    def _sides(self) -> tuple[_SystemLabels, _SystemLabels]:
        return self.first, self.second

    def _less(self, first: Floats, second: Floats) -> Floats:
        return self.first.full(first) - self.second.full(second)

    def _stacked(self, first: Floats, second: Floats) -> Floats:
        return np.concatenate([self.first.full(first), self.second.full(second)])

    def _correlation(self, values: list[Floats]) -> float:
        """Correlation over items labelled for both, of values centred at their means."""
        sides = [
            (side.full(side.plain.weight * np.sqrt(1 - side.plain.open)), side.full(each))
            for side, each in zip(self._sides, values, strict=True)
        ]
        weights = np.sqrt(sides[0][0] * sides[1][0])
        first, second = (weights * each for _, each in sides)
        size = math.sqrt(float(first @ first) * float(second @ second))
        return float(first @ second) / size if size > 0 else 0.0

    def _known(self) -> tuple[float, float, float]:
        """Finite population correction: squares, and their correlation."""
        first, second = (
            float(np.sum(side.plain.weight**2 * (1 - side.plain.open) * errors**2))
            for side, errors in zip(self._sides, self.errors, strict=True)
        )
        return first, second, self._correlation(self.errors)

    def moments(self, exact: bool) -> Moments:
        """Mean squares and products. If some items have one label, the correlation is a lower confidence limit."""
        items = len(self.shared)
        first, second, common = self._known()
        common = common if exact else _moved(common, int(self.shared.sum()), -1)
        return Moments(items * first, items * second, items * common * math.sqrt(first * second))

    def mean(self, labels: tuple[int, int]) -> SampledMean:
        """The difference with its variance. `labelled` is the effective number of labels of both systems."""
        both, items = int(self.shared.sum()), len(self.shared)
        slopes = self.weight * self.slopes
        shares = self._less(*(side.weights * errors for side, errors in zip(self._sides, self.errors, strict=True)))
        shares = rounded(shares, sum(float(side.weights.max()) * side.size(slopes) for side in self._sides))
        whole = float(shares @ shares)
        first, second, common = self._known()
        exact = labels == (both, both)
        # A correlation of few pairs is moved against us: up here, as it lessens what is known, down in moments.
        if not exact:  # the more the systems have in common, the less of the difference is known by items labelled
            common = _moved(common, both, 1)
        variance = max(whole - (first + second - 2 * common * math.sqrt(first * second)), 0.0)
        if labels == (items, items) or whole == 0:
            variance = 0.0
        there = self.first.chosen | self.second.chosen
        by_group = by_cells(shares[there], self._groups()[there])
        freedom = (float(by_group.df) if by_group.value > 0 else int(there.sum()) - 1.0) - self.weight * len(slopes)
        return SampledMean(
            self.first.value(slopes) - self.second.value(slopes), variance,
            shares[there] * math.sqrt(variance / whole) if whole > 0 else shares[there], max(freedom, 1.0),
            SKEWNESS_COUNTED * skewness_of(shares), self._spread(exact),
            items, round(2 / (1 / labels[0] + 1 / labels[1])),
            self.weight, slopes, *self._homogeneous_weight(exact),
            float(np.mean(self.first.scores == self.second.scores)) if exact else 0.0,
        )  # fmt: skip

    def _homogeneous_weight(self, exact: bool) -> tuple[float, int]:
        """As for a mean: of differences of pairs if all labels are in pairs, else the average of the two systems."""
        slopes = self.weight * self.slopes
        if exact:
            predicted = (self.first.known - self.second.known) @ slopes
            return self.first.homogeneous_weight(self.first.scores - self.second.scores, predicted)
        parts = [side.homogeneous_weight(side.scores, side.known @ slopes) for side in self._sides]
        return sum(part for part, _ in parts) / 2, max(alike for _, alike in parts)

    def _groups(self) -> Whole:
        """Groups of a cell with separate variances: items labelled for both, for the first, for the second."""
        kind = np.where(self.shared, 0, np.where(self.first.chosen, 1, 2))
        groups = [side.full(side.sample.group) for side in self._sides]
        return np.where(kind == 2, groups[1], groups[0]).astype(np.int64) * 3 + kind

    def _spread(self, exact: bool) -> float:
        """The variance of the difference over items."""
        off = [side.off() for side in self._sides]
        largest = sum(float(np.abs(side.scores).max(initial=0.0)) for side in self._sides)
        if exact and not rounded(self._less(*off), largest).any():
            return 0.0
        first, second = (
            float(side.plain.weight @ each**2) * len(each) / max(len(each) - 1, 1)
            for side, each in zip(self._sides, off, strict=True)
        )
        common = self._correlation(off)
        common = common if exact else _moved(common, int(self.shared.sum()), -1)
        return max(first + second - 2 * common * math.sqrt(first * second), 0.0)
