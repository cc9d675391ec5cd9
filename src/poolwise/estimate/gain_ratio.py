"""Measures that are a weighted sum over the ranking divided by an ideal: nDCG, recall, and precision (divisor 1).

With z_dg the probability that document d has class g or more and steps of gain b_g = gain_g - gain_(g-1):
DCG = sum over d of discount_d sum over g of b_g z_dg, and I = sum over g of b_g times the mean of D(C_g), where C_g is
the number of documents of class g or more, in part unknown, and D the cumulative discount. docs/theory/assisted.md,
sections *The plug-in* (the mean of D), *First order* and *Second order*.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from poolwise import _core
from poolwise.estimate.layout import Array, Whole
from poolwise.estimate.model import TopicState
from poolwise.estimate.targets import NO_PAIRS, Target, Terms, of_pairs

__all__ = ["Counts", "ratio_terms", "worths_along", "worths_with_more"]

FEWEST, MOST = -1, 3  # certain documents more, of which the divisor is asked
A_FEW = np.arange(FEWEST, MOST + 1, dtype=np.int64)
NO_MORE = np.zeros(1, dtype=np.int64)


class Counts(NamedTuple):
    """Of documents of class g or more (... x G): how many are known, how many others are expected, and the sum of the
    squared probabilities of these.
    """

    certain: Array
    loose: Array
    squares: Array

    @classmethod
    def of(cls, state: TopicState) -> Counts:
        """Those of a topic."""
        known, others = state.exceed[state.classes >= 0], state.exceed[state.classes < 0]
        return cls(known.sum(axis=0), others.sum(axis=0), (others**2).sum(axis=0))


class Ideal:
    """The divisor: the mean of I over how many documents of class g or more there may be.

    Of `certain` documents the labels are known; the number of the others is Poisson's with mean `loose` (both ... x G).
    Since D is concave, the ideal of the mean number would be too large. Poisson's law lets a document be counted twice;
    that is taken back to second order, with `squares` the sum of squared probabilities. Where there may be no document
    worth anything, the mean is over the cases in which there is one: the score is 0 in the others.
    """

    def __init__(self, target: Target, counts: Counts) -> None:
        self.steps = np.diff(target.gains)
        self.certain, self.loose, self.squares = counts
        self.worths: Any = None if target.ideal is None else _mean_worths(target.ideal, counts)

    @property
    def nothing(self) -> Whole:
        """No document more."""
        return np.zeros(len(self.steps), dtype=int)

    def divisor(self, more: Whole) -> Array:
        """What DCG is divided by, with `more` (... x G) certain documents more."""
        if self.worths is None:
            return np.ones(np.broadcast_shapes(more.shape, self.certain.shape)[:-1])
        return self._divided(self._worth(more), more, self.loose[..., 0], self.squares[..., 0])

    @cached_property
    def exchanged(self) -> Array:
        """(G + 1) x (G + 1): the divisor when a judged document of class a (row) has class b (column) instead."""
        classes = _classes(len(self.steps))
        return self.divisor(classes - classes[:, None])

    def divisor_without(self, chances: Array, more: Whole) -> Array:
        """The same with one uncertain document less, of which `chances` (... x G) are those of class g or more."""
        if self.worths is None:
            return np.ones(chances.shape[:-1])
        none, one, two = (self._worth(more + number) for number in range(3))
        mean = none - chances * (one - none) + chances**2 * (two - 2.0 * one + none)
        loose, squares = self.loose[..., 0] - chances[..., 0], self.squares[..., 0] - chances[..., 0] ** 2
        return self._divided(mean, more, np.maximum(loose, 0.0), np.maximum(squares, 0.0))

    def growth(self) -> Array:
        """The change of I by one more document of class g or more, for each g: its derivative by `loose`."""
        if self.worths is None:
            return np.zeros(self.steps.shape)
        return np.asarray((self._worth(self.nothing + 1) - self._worth(self.nothing)) * self.steps)

    def bend(self) -> Array:
        """The second difference of I, for each g."""
        if self.worths is None:
            return np.zeros(self.steps.shape)
        none, one, two = (self._worth(self.nothing + number) for number in range(3))
        return np.asarray((two - 2.0 * one + none) * self.steps)

    def slope(self) -> Array:
        """The derivative of the divisor by `loose`, for each g.

        Where nothing is certain the divisor is I / s, s being the chance that there is any document worth something;
        loose_1 then moves s too, and I / s loses I (1 - s) / s^2.
        """
        growth = self.growth()
        if self.worths is None or self.certain[0] > 0:
            return growth
        some = float(_any(self.loose[0], self.squares[0]))
        slope = growth / some
        slope[0] -= float(self._worth(self.nothing) @ self.steps) * (1.0 - some) / some**2
        return slope

    def _worth(self, more: Whole) -> Array:
        return np.asarray(self.worths[..., np.arange(len(self.steps)), more - FEWEST])

    def _divided(self, worth: Array, more: Whole, loose: Array, squares: Array) -> Array:
        some = np.where(self.certain[..., 0] + more[..., 0] > 0, 1.0, _any(loose, squares))
        divisor = worth @ self.steps / some
        return np.where(divisor > 0.0, divisor, np.inf)


def _any(loose: Array, squares: Array) -> Array:
    """The chance that there is any document, none being certain: 1 - exp(-loose), less those that count twice."""
    return np.asarray(1.0 - np.exp(-np.maximum(loose, 1e-9)) * np.maximum(1.0 - 0.5 * squares, 0.0))


def _mean_worths(table: Array, counts: Counts, more: Whole = A_FEW) -> Array:
    """... x G x 5: the mean of D over the uncertain number, with FEWEST to MOST certain documents more."""
    certain, loose, squares = np.broadcast_arrays(*counts)
    means = _core.mean_worths(
        table,
        np.ascontiguousarray(certain, dtype=np.int64),
        np.ascontiguousarray(loose),
        np.ascontiguousarray(squares),
        more,
    )
    return np.asarray(means).reshape(*loose.shape, len(more))


def worths_with_more(target: Target, counts: Counts, most: int) -> tuple[float, Array | None]:
    """The divisor as it stands; and G x (most + 1): the mean of D with 0, 1, ..., `most` certain documents more.

    Without an ideal the divisor is 1 and there is no such table.
    """
    if target.ideal is None:
        return 1.0, None
    grades = target.grades  # there may be a step more than these, which adds nothing as things stand
    ideal = Ideal(target, Counts(*(each[:grades] for each in counts)))
    divisor = float(ideal.divisor(ideal.nothing))
    more = counts._replace(certain=counts.certain + np.arange(most + 1)[:, None])
    return divisor, np.ascontiguousarray(_mean_worths(target.ideal, more, NO_MORE)[..., 0].T)


def worths_along(ideal: Array, counts: Counts, most: Array, points: int) -> tuple[Array, Array]:
    """G x points: the mean of D with 0 to `most` (G) uncertain documents more; and the chance that there is any."""
    more = counts.loose + most * np.linspace(0.0, 1.0, points)[:, None]
    worth = _mean_worths(ideal, counts._replace(loose=more), NO_MORE)[..., 0]
    some = np.ones(points) if counts.certain[0] > 0 else _any(more[:, 0], counts.squares[0])
    return np.ascontiguousarray(worth.T), some


class Discounts(NamedTuple):
    """Discounts of a topic's documents in r runs; with a cut-off most weigh nothing in any run and are left out."""

    used: Whole  # places of the documents that weigh anything
    near: Array  # r x used
    counted: Array  # r x n: those of judged documents that speak for others


def _discounts(state: TopicState, target: Target, runs: Sequence[int]) -> Discounts:
    layout = state.model.layout
    found = layout.pool.core.used_weights(state.topic, runs, np.ascontiguousarray(target.discounts[: target.depth]))
    documents, near = (np.asarray(part) for part in found)
    listed = layout.listed[layout.part(state.topic)]
    if len(listed) < layout.size(state.topic):  # some are outside the pool
        pooled = np.isin(documents, listed, assume_unique=True)
        documents, near = np.searchsorted(listed, documents[pooled]), np.ascontiguousarray(near[:, pooled])
    counted = np.zeros((len(runs), len(state.counted)))
    at = np.flatnonzero(np.isin(state.counted, documents, assume_unique=True))
    counted[:, at] = near[:, np.searchsorted(documents, state.counted[at])]
    return Discounts(documents, near, counted)


def ratio_terms(
    state: TopicState, target: Target, runs: Sequence[int], with_slope: bool, pairs: Whole = NO_PAIRS
) -> Terms:
    """Plug-in value, u and B for every run on one topic."""
    weights = _discounts(state, target, runs)
    ideal = Ideal(target, Counts.of(state))
    total = weights.near @ (state.exceed[weights.used] @ ideal.steps)
    return Terms(
        total / ideal.divisor(ideal.nothing),
        _first(state, target, ideal, weights, total),
        _bend(state, ideal, weights.counted, total),
        *_expected(state, target, ideal, weights, total, pairs),
        None,
        _effects(state, ideal, weights, total) if with_slope else (),
    )


def _effects(state: TopicState, ideal: Ideal, weights: Discounts, total: Array) -> tuple[Array, ...]:
    """dA/dz_jg = b_g discount_j / I - DCG I_jg' / I^2, carried on to the effects of each stage.

    I_jg' is the slope of I, less z_jg times its bend for what j counts twice.
    """
    divisor, slope, bend = float(ideal.divisor(ideal.nothing)), ideal.slope(), ideal.bend()
    slopes = slope - np.where(state.classes[:, None] < 0, state.exceed, 0.0) * bend
    by_stage = []
    for number, pulls in enumerate(state.pulls):
        gain = sum(step * pull[weights.used] for step, pull in zip(ideal.steps[number:], pulls, strict=True))
        grow = sum(slope @ pull for slope, pull in zip(slopes.T[number:], pulls, strict=True))
        slope_of = weights.near @ gain / divisor - np.outer(total, grow) / divisor**2
        by_stage.append(state.with_topic(slope_of, state.model.stages[number]))
    return tuple(by_stage)


def _classes(grades: int) -> Whole:
    """(grades + 1) x grades: whether class c is g or more."""
    return (np.arange(1, grades + 1) <= np.arange(grades + 1)[:, None]).astype(int)


def _first(state: TopicState, target: Target, ideal: Ideal, weights: Discounts, total: Array) -> Array:
    """u_i = sum over g of the residual of class g or more times what that class adds, i not judged otherwise."""
    counted, discounts, classes = state.counted, weights.counted, _classes(target.grades)
    labelled = state.classes[counted]
    without = total[:, None] - discounts * target.gains[labelled]
    first = _moved(target, discounts, without, ideal.exchanged[labelled], state.own_residuals)
    chosen, exceed = state.refits
    if len(chosen):
        unknown = exceed[:, state.classes < 0]
        loose, squares = unknown.sum(axis=1).T, (unknown**2).sum(axis=1).T
        anew = Ideal(target, Counts(ideal.certain - classes[labelled[chosen]], loose, squares))
        divisors = np.stack([anew.divisor(one) for one in classes], axis=1)
        totals = weights.near @ np.tensordot(ideal.steps, exceed[:, weights.used], 1)
        first[:, chosen] = _moved(target, discounts[:, chosen], totals, divisors, state.own_residuals[chosen])
    return first


def _moved(target: Target, discounts: Array, total: Array, divisors: Array, residuals: Array) -> Array:
    """Sum over g of residual_g [A(class g) - A(class g - 1)]; total is without the document."""
    before = total / divisors[:, 0]
    moved = np.zeros(total.shape)
    for grade in range(1, target.grades + 1):
        after = (total + target.gains[grade] * discounts) / divisors[:, grade]
        moved += residuals[:, grade - 1] * (after - before)
        before = after
    return moved


def _expected(
    state: TopicState, target: Target, ideal: Ideal, weights: Discounts, total: Array, pairs: Whole
) -> tuple[Array, Array]:
    """Sum over all documents of (1 - pi) / pi times the model's mean of (A(class) - its prediction)^2.

    Of runs, and of differences of pairs.

    A(class c) - A(class 0) is a_c discount + b_c DCG with a and b the same for all runs; so are the differences of
    these from their predicted means, and the sum takes three products.
    """
    expected_gain = state.exceed @ ideal.steps
    inverse = 1.0 / _divisors(state, target, ideal)
    b = inverse - inverse[:, :1]
    a = target.gains * inverse - expected_gain[:, None] * b
    chances = _class_chances(state.predicted)
    a, b = a - (chances * a).sum(axis=1)[:, None], b - (chances * b).sum(axis=1)[:, None]
    weight = state.speaks_for[:, None] * chances
    rest = float((weight * b * b).sum())
    near, a, b = weight[weights.used], a[weights.used], b[weights.used]
    squares, mixed = (near * a * a).sum(axis=1), weights.near @ (near * a * b).sum(axis=1)
    found, place = np.unique(pairs, return_inverse=True)
    linear = np.outer(mixed[found], total[found])
    products = (weights.near[found] * squares) @ weights.near[found].T + linear + linear.T
    products += rest * np.outer(total[found], total[found])
    of_runs = weights.near**2 @ squares + 2.0 * total * mixed + rest * total**2
    return np.asarray(of_runs), of_pairs(products, place.reshape(-1, 2))


def _divisors(state: TopicState, target: Target, ideal: Ideal) -> Array:
    """N x (grades + 1): the divisor when a document has class 0, 1, ..., all others as they are."""
    classes, divisors = _classes(target.grades), np.empty((len(state.classes), target.grades + 1))
    judged = state.classes >= 0
    divisors[judged] = ideal.exchanged[state.classes[judged]]
    for grade, more in enumerate(classes):
        divisors[~judged, grade] = ideal.divisor_without(state.exceed[~judged], more)
    return divisors


def _class_chances(exceed: Array) -> Array:
    """Probabilities of classes 0, 1, ... from those of class g or more."""
    edge = np.ones((len(exceed), 1))
    return np.hstack([edge, exceed]) - np.hstack([exceed, 0.0 * edge])


def _bend(state: TopicState, ideal: Ideal, discounts: Array, total: Array) -> Array:
    """B_i: second derivatives of DCG / I times the residuals of pairs."""
    best = float(ideal.divisor(ideal.nothing))
    if ideal.worths is None or best == np.inf:
        return np.zeros(discounts.shape)
    growth, bend = ideal.growth(), ideal.bend()
    products, sums = state.pair_products, state.pair_sums
    used = np.flatnonzero(discounts.any(axis=0))
    grades = range(len(ideal.steps))
    mixed = sum(ideal.steps[g] * growth[h] * products[g][h][used] for g in grades for h in grades)
    row = sum(ideal.steps[g] * growth[h] * sums[g][h] for g in grades for h in grades)
    square = sum(growth[g] * growth[h] * sums[g][h] for g in grades for h in grades)
    curve = sum(bend[g] * sums[g][g] for g in grades)
    linear = discounts * row + discounts[:, used] @ mixed
    return -linear / best**2 + np.outer(total, 2.0 * square / best**3 - curve / best**2)
