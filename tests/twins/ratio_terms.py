"""The terms of a sum of gain x discount divided by an ideal, under uncertain labels: class by class, pair by pair.

Written from docs/theory/assisted.md, sections *The plug-in*, *First order* and *Second order*. `discounts` are a run's
of all pooled documents, 0 where it does not retrieve one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from tests.twins import assisted

Array = np.typing.NDArray[Any]


class Ideal(NamedTuple):
    """The divisor. Of documents of class g or more (G each) some are certain, some more expected, with squares."""

    target: Any
    certain: Array
    loose: Array
    squares: Array

    @classmethod
    def of(cls, state: Any, target: Any) -> Ideal:
        """As a topic stands."""
        known, others = state.tail_chance[state.classes >= 0], state.tail_chance[state.classes < 0]
        return cls(target, known.sum(axis=0), others.sum(axis=0), (others**2).sum(axis=0))

    @property
    def steps(self) -> Array:
        """Of gain."""
        return np.diff(self.target.gains)

    def worths(self, more: Sequence[int]) -> Array:
        """G: of the best documents together, with so many more certain ones."""
        table = tuple(np.diff(self.target.ideal).tolist())
        numbers = zip(self.certain, more, self.loose, self.squares, strict=True)
        return np.array([mean_worth(table, round(known) + extra, *rest) for known, extra, *rest in numbers])

    def divisor(self, more: Sequence[int] | None = None) -> float:
        """With more certain documents."""
        more = [0] * len(self.steps) if more is None else more
        return 1.0 if self.target.ideal is None else self._divided(self.worths(more), more)

    def _divided(self, worths: Array, more: Sequence[int]) -> float:
        ideal = float(worths @ self.steps)
        some = assisted.chance_of_any(round(self.certain[0]) + more[0], max(self.loose[0], 1e-9), self.squares[0])
        return ideal / some if ideal > 0 else math.inf

    def divisor_without(self, chances: Array, more: Sequence[int]) -> float:
        """With one uncertain document less, to second order in its chances."""
        if self.target.ideal is None:
            return 1.0
        none, one, two = (self.worths([own + extra for own in more]) for extra in range(3))
        mean = none - chances * (one - none) + chances**2 * (two - 2.0 * one + none)
        loose, squares = np.maximum(self.loose - chances, 0.0), np.maximum(self.squares - chances**2, 0.0)
        return self._replace(loose=loose, squares=squares)._divided(mean, more)

    def growth(self) -> Array:
        """G: by one more document."""
        if self.target.ideal is None:
            return self.steps * 0.0
        return (self.worths([1] * len(self.steps)) - self.worths([0] * len(self.steps))) * self.steps

    def curvature(self) -> Array:
        """G: the second difference."""
        if self.target.ideal is None:
            return self.steps * 0.0
        none, one, two = (self.worths([extra] * len(self.steps)) for extra in range(3))
        return (two - 2.0 * one + none) * self.steps

    def slope(self) -> Array:
        """G: the derivative of the divisor by `loose`."""
        growth = self.growth()
        if self.target.ideal is None or self.certain[0] > 0:
            return growth
        some = assisted.chance_of_any(0, max(self.loose[0], 1e-9), self.squares[0])
        slope = growth / some
        slope[0] -= float(self.worths([0] * len(self.steps)) @ self.steps) * (1.0 - some) / some**2
        return slope


@cache
def mean_worth(table: tuple[float, ...], certain: int, loose: float, squares: float) -> float:
    """Of the best documents, the first of which are worth what the table says; beyond its end the last goes on."""
    return assisted.mean_ideal(certain, loose, squares, lambda rank: table[min(rank, len(table)) - 1])


def classes(grades: int, number: int) -> list[int]:
    """Whether a class is 1 or more, ..., G or more."""
    return [int(grade < number) for grade in range(grades)]


def gained(state: Any, target: Any, discounts: Array) -> float:
    """DCG."""
    return float(discounts @ state.tail_chance @ np.diff(target.gains))


def value(state: Any, target: Any, discounts: Array) -> float:
    """The plug-in."""
    return gained(state, target, discounts) / Ideal.of(state, target).divisor()


def first(state: Any, target: Any, discounts: Array) -> Array:
    """n: u, each class of each document tried."""
    chosen, without = state.refits
    found = np.zeros(len(state.counted))
    for place, document in enumerate(state.counted.tolist()):
        ideal, tail_chance = Ideal.of(state, target), state.tail_chance.copy()
        own = classes(target.grades, state.classes[document])
        if place in chosen:
            tail_chance = without[:, :, chosen.tolist().index(place)].T.copy()
            unknown = tail_chance[state.classes < 0]
            ideal = ideal._replace(loose=unknown.sum(axis=0), squares=(unknown**2).sum(axis=0))
        tail_chance[document] = 0.0
        total = discounts @ tail_chance @ np.diff(target.gains)
        values = [
            (total + discounts[document] * target.gains[number])
            / ideal.divisor([new - old for new, old in zip(classes(target.grades, number), own, strict=True)])
            for number in range(target.grades + 1)
        ]
        found[place] = state.own_residuals[place] @ np.diff(values)
    return found


def curvature(state: Any, target: Any, discounts: Array) -> Array:
    """n: B, second derivatives of DCG / I times products of residuals."""
    ideal = Ideal.of(state, target)
    best, found = ideal.divisor(), np.zeros(len(state.counted))
    if target.ideal is None or best == math.inf:
        return found
    growth, curve, total = ideal.growth(), ideal.curvature(), gained(state, target, discounts)
    for i, one in enumerate(state.counted.tolist()):
        for j, other in enumerate(state.counted.tolist()):
            for g in range(target.grades):
                for h in range(target.grades):
                    linear = discounts[one] * ideal.steps[g] * growth[h] + discounts[other] * ideal.steps[h] * growth[g]
                    square = total * (2 * growth[g] * growth[h] / best**3 - (g == h) * curve[g] / best**2)
                    found[i] += state.pair_products[g][h][i, j] * (square - linear / best**2)
    return found


def moved(state: Any, target: Any, discounts: Array) -> Array:
    """N x classes: A(class) of each document, less what is predicted of it."""
    ideal, total = Ideal.of(state, target), gained(state, target, discounts)
    found = np.zeros((len(state.classes), target.grades + 1))
    for document, label in enumerate(state.classes.tolist()):
        rest = total - discounts[document] * float(state.tail_chance[document] @ ideal.steps)
        for number in range(target.grades + 1):
            new = classes(target.grades, number)
            if label < 0:
                divisor = ideal.divisor_without(state.tail_chance[document], new)
            else:
                divisor = ideal.divisor([a - b for a, b in zip(new, classes(target.grades, label), strict=True)])
            found[document, number] = (rest + discounts[document] * target.gains[number]) / divisor
    return found - (found * chances(state)).sum(axis=1)[:, None]


def chances(state: Any) -> Array:
    """N x classes: as the model predicts them."""
    edge = np.ones((len(state.predicted), 1))
    return np.hstack([edge, state.predicted]) - np.hstack([state.predicted, 0.0 * edge])


def expected(state: Any, target: Any, one: Array, other: Array | None = None) -> float:
    """What the model expects of the squares of u, of a run or of a difference."""
    errors = moved(state, target, one) - (0.0 if other is None else moved(state, target, other))
    return float((state.speaks_for[:, None] * chances(state) * errors**2).sum())


def slopes(state: Any, target: Any, discounts: Array, stage: int) -> Array:
    """Shared effects of a stage: the value's derivatives by chances of classes, and of these by effects."""
    ideal, total = Ideal.of(state, target), gained(state, target, discounts)
    best, slope, curve = ideal.divisor(), ideal.slope(), ideal.curvature()
    columns = state.model.features.shared[state.model.layout.part(state.topic)]
    found = np.zeros(columns.shape[1])
    for document in np.flatnonzero(state.classes < 0).tolist():
        for g in range(stage, target.grades):
            chance = state.tail_chance[document, g]
            by_chance = discounts[document] * ideal.steps[g] / best - total * (slope[g] - chance * curve[g]) / best**2
            found += by_chance * chance * (1.0 - state.chances[document, stage]) * columns[document]
    return found
