"""The mean difference of two systems over all items, from items labelled for both, for one of them, or for the other.

Either system's mean is that of `sampled_mean`; slopes of predictions are common to both and make the variance of the
difference least. What an item does to the difference is what it does to the one mean less what it does to the other, so
that the sum of squares over items holds the covariance of those labelled for both. Where all are, it is the mean of the
items' own differences, to the last digit.

Items labelled for both tell more of a difference the more the two systems have in common: items labelled for one only
then count less, by weights that make the variance least (Cochran 1977, chapter 12, for means of matched parts).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolwise.items.mean_interval import least_number, with_labels
from poolwise.items.sampled_mean import (
    MOST_LEVERAGE,
    SampledMean,
    cell_means,
    draw_weights,
    freedom_of,
    labelled_rates,
    merged,
    skewness_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.arrays import Floats
    from poolwise.items.mean_interval import Interval
    from poolwise.items.sampled_mean import Drawn

__all__ = ["TRUSTED", "Moments", "SampledDifference", "sampled_difference"]

TRUSTED = 10  # items labelled for both, of which a covariance is half trusted
LEAST_WEIGHT = 0.02  # of an item labelled for one system, against one labelled for both


@dataclass(frozen=True)
class Moments:
    """What predictions leave open of the scores: mean squares of the first and second system, and mean products."""

    first: float
    second: float
    shared: float

    @property
    def of_difference(self) -> float:
        """The mean square of the difference."""
        return self.first + self.second - 2 * self.shared

    def variance(self, both: int, only_first: int, only_second: int, items: int) -> float:
        """The variance of a difference with so many labels, items labelled for one system weighed as they should be.

        >>> Moments(1.0, 1.0, 0.5).variance(10, 0, 0, 10**9), Moments(1.0, 1.0, 0.5).variance(0, 10, 10, 10**9)
        (0.1, 0.2)
        """
        p, q = self.on_both(both, only_first, only_second)
        apart = sum(
            (1 - part) ** 2 * square / count
            for part, square, count in ((p, self.first, only_first), (q, self.second, only_second))
            if count
        )
        paired = (p * p * self.first + q * q * self.second - 2 * p * q * self.shared) / both if both else 0.0
        return round(max(apart + paired - self.of_difference / items, 0.0), 15)

    def on_both(self, both: int, only_first: int, only_second: int) -> tuple[float, float]:
        """Which part of either mean is told by items labelled for both: the parts that make the variance least."""
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
    """The difference as a mean, and what labels of any number would make of it; `both` items have two labels.

    `moments` are what slopes for these labels leave open, `apart` what slopes for items that are not shared do.
    """

    mean: SampledMean
    moments: Moments
    apart: Moments
    labels: tuple[int, int]
    both: int

    def with_labels(self, both: int, only: tuple[int, int], moments: Moments | None = None) -> SampledMean:
        """What the difference would be with so many labels."""
        first, second = (max(both + alone, 1) for alone in only)
        variance = (moments or self.moments).variance(both, *only, self.mean.items)
        return with_labels(self.mean, round(2 / (1 / first + 1 / second)), variance)

    def labels_for(
        self, kind: Interval, width: float, level: float, more: float = 0.0
    ) -> tuple[int | None, int | None]:
        """How many labels of each system in all give this width: all on the same items, and drawn independently."""
        items = self.mean.items

        def paired(labels: int) -> bool:
            low, high = kind(self.with_labels(labels, (0, 0)), level, more)
            return high - low <= width

        def apart(labels: int) -> bool:
            both = round(labels**2 / items)  # items that two draws happen to share
            low, high = kind(self.with_labels(both, (labels - both, labels - both), self.apart), level, more)
            return high - low <= width

        return least_number(paired, 2, items), least_number(apart, 2, items)


def sampled_difference(first: Drawn, second: Drawn) -> SampledDifference:
    """Estimate the mean of the first less that of the second, over the same items in the same order.

    >>> from poolwise.items.sampled_mean import Drawn
    >>> zeros, nothing, none = np.zeros(4, dtype=np.int64), np.full(4, np.nan), np.zeros((4, 0))
    >>> new = Drawn(np.array([3.0, 2.0, np.nan, np.nan]), zeros, nothing, none)
    >>> old = Drawn(np.array([np.nan, 1.0, 2.0, np.nan]), zeros, nothing, none)
    >>> sampled_difference(new, old).mean.value
    1.0
    """
    shared = first.labelled & second.labelled
    both, only = int(shared.sum()), [int((each.labelled & ~shared).sum()) for each in (first, second)]
    found = _Joint(first, second, shared, (1.0, 1.0))
    parts = found.moments(_trust(both)).on_both(both, *only)
    weights = [
        both * (1 - part) / (part * alone) if alone and both and part else 1.0
        for part, alone in zip(parts, only, strict=True)
    ]
    if any(abs(weight - 1) > 1e-9 for weight in weights):
        found = _Joint(first, second, shared, (max(weights[0], LEAST_WEIGHT), max(weights[1], LEAST_WEIGHT)))
    labels = only[0] + both, only[1] + both
    apart = _Joint(first, second, shared, (1.0, 1.0), crossed=False)
    moments = [each.moments(_trust(both) if any(only) else 1.0) for each in (found, apart)]
    return SampledDifference(found.mean(labels), moments[0], moments[1], labels, both)


def _trust(both: int) -> float:
    return both**2 / (both**2 + TRUSTED**2)


class _Side:
    """One system's labels: how they are weighed, and what is left of scores and predictions in their cells."""

    def __init__(self, drawn: Drawn, shared: NDArray[np.bool_], alone: float) -> None:
        self.drawn, self.chosen = drawn, drawn.labelled
        self.cells = merged(drawn.cell, self.chosen)
        cells = self.cells[self.chosen]
        self.rates = labelled_rates(drawn.rate, self.cells, self.chosen)
        self.drawn_weights = draw_weights(self.rates, self.cells, self.chosen)
        emphasis = np.where(shared[self.chosen], 1.0, alone)
        self.weights = draw_weights(self.rates / emphasis, self.cells, self.chosen)
        self.own = self.weights / np.bincount(cells, self.weights)[cells]
        y, known = drawn.value[self.chosen], drawn.predictions[self.chosen]
        self.centred = y - cell_means(y, self.own, cells)
        self.inner = known - cell_means(known, self.own, cells)
        counts = np.bincount(cells)[cells]
        self.factor = np.sqrt((counts - 1) / counts)
        self.plain = self.centred / np.maximum(1 - self.own, 1 - MOST_LEVERAGE)
        self.opens = self.weights * np.sqrt(1 - self.rates)

    def full(self, values: Floats) -> Floats:
        """Values of the labelled items, 0 for the others."""
        spread = np.zeros((len(self.chosen), *values.shape[1:]))
        spread[self.chosen] = values
        return spread

    def assisted(self, slopes: Floats, leverage: Floats) -> Floats:
        """Errors by slopes and means learned without the item."""
        left = 1 - self.own - leverage[self.chosen]
        return np.asarray((self.centred - self.inner @ slopes) / np.maximum(left, 1 - MOST_LEVERAGE))

    def value(self, slopes: Floats) -> float:
        """The mean, with predictions by these slopes."""
        known = self.drawn.predictions
        moved = (known.mean(axis=0) - self.weights @ known[self.chosen]) @ slopes
        return float(self.weights @ self.drawn.value[self.chosen] + moved)

    def off(self) -> Floats:
        """How far scores are from their mean."""
        y = self.drawn.value[self.chosen]
        return np.asarray(y - self.drawn_weights @ y)


class _Joint:
    """Both sides, with slopes and their weight: for the difference, or, not crossed, as if no item were shared."""

    def __init__(
        self,
        first: Drawn,
        second: Drawn,
        shared: NDArray[np.bool_],
        alone: tuple[float, float],
        crossed: bool = True,
    ) -> None:
        self.shared = shared
        self.one, self.other = _Side(first, shared, alone[0]), _Side(second, shared, alone[1])
        joined = self._less if crossed else self._stacked
        inner = joined(*(side.opens[:, None] * side.inner for side in self._sides))
        inverse = np.linalg.pinv(inner.T @ inner, rcond=1e-10, hermitian=True)
        self.slopes = inverse @ (inner.T @ joined(*(side.opens * side.centred for side in self._sides)))
        leverage = np.einsum("ij,jk,ik->i", inner, inverse, inner)
        leverages = leverage[: len(shared)], leverage[-len(shared) :]  # the same where crossed
        assisted = [side.assisted(self.slopes, each) for side, each in zip(self._sides, leverages, strict=True)]
        plain = joined(*(side.opens * side.plain for side in self._sides))
        explained = plain - joined(*(side.opens * errors for side, errors in zip(self._sides, assisted, strict=True)))
        size = float(explained @ explained)
        self.weight = float(np.clip(plain @ explained / size, 0, 1)) if size > 0 else 0.0
        self.errors = [
            side.factor * (side.plain - self.weight * (side.plain - errors))
            for side, errors in zip(self._sides, assisted, strict=True)
        ]

    @property
    def _sides(self) -> tuple[_Side, _Side]:
        return self.one, self.other

    def _less(self, first: Floats, second: Floats) -> Floats:
        return self.one.full(first) - self.other.full(second)

    def _stacked(self, first: Floats, second: Floats) -> Floats:
        return np.concatenate([self.one.full(first), self.other.full(second)])

    def _product(self, values: list[Floats], scaled: bool) -> float:
        """The mean product of what both have, over items labelled for both; scaled to a part of the variance."""
        if not self.shared.any():
            return 0.0
        first, second = (
            {"weight": side.full(side.drawn_weights), "rate": side.full(side.rates), "value": side.full(each)}
            for side, each in zip(self._sides, values, strict=True)
        )
        weights = np.sqrt(first["weight"] * second["weight"])[self.shared]
        products = (first["value"] * second["value"])[self.shared]
        scale = weights * np.sqrt(first["rate"] * second["rate"])[self.shared] if scaled else 1.0
        return float(np.sum(weights * scale * products) / weights.sum())

    def _known(self) -> tuple[float, float, float]:
        """What is no longer open as items are labelled, of a population of so many: squares and products."""
        squares = [
            float(np.sum(side.drawn_weights**2 * side.rates * errors**2))
            for side, errors in zip(self._sides, self.errors, strict=True)
        ]
        most = math.sqrt(squares[0] * squares[1])
        return squares[0], squares[1], float(np.clip(self._product(self.errors, scaled=True), -most, most))

    def moments(self, trust: float) -> Moments:
        """Mean squares and products; a covariance of few items counts for less."""
        items = len(self.shared)
        first, second, product = self._known()
        return Moments(items * first, items * second, items * trust * product)

    def mean(self, labels: tuple[int, int]) -> SampledMean:
        """The difference with its variance; `labelled` is as many as labels of both systems are worth."""
        both, items = int(self.shared.sum()), len(self.shared)
        shares = self._less(*(side.weights * errors for side, errors in zip(self._sides, self.errors, strict=True)))
        whole = float(shares @ shares)
        first, second, product = self._known()
        trust = 1.0 if labels == (both, both) else _trust(both)
        # Where few items tell how much the systems have in common, as much as can be: then least is known.
        product = trust * product + (1 - trust) * math.sqrt(first * second)
        variance = max(whole - (first + second - 2 * product), 0.0)
        if labels == (items, items):
            variance = 0.0
        there = self.one.chosen | self.other.chosen
        slopes = self.weight * self.slopes
        freedom = freedom_of(shares[there], self._groups()[there]) - self.weight * len(slopes)
        return SampledMean(
            self.one.value(slopes) - self.other.value(slopes), variance,
            shares[there] * math.sqrt(variance / whole) if whole > 0 else shares[there], max(freedom, 1.0),
            skewness_of(shares), self._spread(trust), items, round(2 / (1 / labels[0] + 1 / labels[1])), self.weight,
            slopes,
        )  # fmt: skip

    def _groups(self) -> NDArray[np.int64]:
        """Items of a cell labelled for both, for the first only, for the second only: each varies in its own way."""
        kind = np.where(self.shared, 0, np.where(self.one.chosen, 1, 2))
        return np.asarray(np.where(kind == 2, self.other.cells, self.one.cells) * 3 + kind, dtype=np.int64)

    def _spread(self, trust: float) -> float:
        """The variance of the difference over items; what few items say of a covariance counts for less."""
        off = [side.off() for side in self._sides]
        squares = sum(
            float(side.drawn_weights @ each**2) * len(each) / max(len(each) - 1, 1)
            for side, each in zip(self._sides, off, strict=True)
        )
        both = int(self.shared.sum())
        return max(squares - 2 * trust * self._product(off, scaled=False) * both / max(both - 1, 1), 0.0)
