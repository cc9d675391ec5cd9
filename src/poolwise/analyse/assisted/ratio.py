"""Measures that are a weighted sum over the ranking divided by an ideal: nDCG, recall, and precision (divisor 1).

With z_dg the probability that document d has class g or more and steps of gain b_g = gain_g - gain_(g-1):
DCG = sum over d of discount_d sum over g of b_g z_dg, and I = sum over g of b_g D(C_g), where C_g is the sum of z_dg
over all documents and D the cumulative discount, interpolated between whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

from poolwise.analyse.assisted.layout import Array, Whole
from poolwise.analyse.assisted.relevance import TopicState
from poolwise.analyse.assisted.targets import Target
from poolwise.analyse.assisted.terms import Terms

__all__ = ["ratio_terms"]


class Ideal:
    """The divisor as a function of the expected numbers of documents of class g or more (last axis)."""

    def __init__(self, target: Target) -> None:
        self.steps = numpy.diff(target.gains)
        self.table: Any = target.ideal
        self.places = numpy.arange(0 if target.ideal is None else len(target.ideal))

    def value(self, counts: Array) -> Array:
        """I."""
        if self.table is None:
            return numpy.ones(counts.shape[:-1])
        return numpy.asarray(self._worth(counts) @ self.steps)

    def divisor(self, counts: Array) -> Array:
        """What DCG is divided by: I, or where less than one document is expected, I of one such document.

        There most often no document is worth anything and the score is 0.
        """
        if self.table is None:
            return numpy.ones(counts.shape[:-1])
        least = numpy.maximum(counts[..., 0], 1e-9)
        found = self.value(counts) / numpy.minimum(least, 1.0)
        return numpy.where(found > 0.0, found, numpy.inf)

    def growth(self, counts: Array) -> Array:
        """The change of I by one more document of class g or more, for each g."""
        if self.table is None:
            return numpy.zeros(counts.shape)
        return (self._worth(counts + 1.0) - self._worth(counts)) * self.steps

    def bend(self, counts: Array) -> Array:
        """The second difference of I, for each g; counts of at least 1."""
        if self.table is None:
            return numpy.zeros(counts.shape)
        at = numpy.maximum(counts, 1.0)
        return (self._worth(at + 1.0) - 2.0 * self._worth(at) + self._worth(at - 1.0)) * self.steps

    def _worth(self, counts: Array) -> Array:
        return numpy.asarray(numpy.interp(counts, self.places, self.table))


class Discounts(NamedTuple):
    """Discounts of a topic's documents in r runs; with a cut-off most weigh nothing in any run and are left out."""

    used: Whole  # places of the documents that weigh anything
    near: Array  # r x used
    counted: Array  # r x n: those of judged documents that speak for others


def ratio_terms(state: TopicState, target: Target, runs: Sequence[int], with_slope: bool) -> Terms:
    """Plug-in value, u and B for every run on one topic."""
    ideal, layout = Ideal(target), state.model.layout
    table = target.discounts[: target.depth]
    everywhere = layout.columns(state.topic, layout.pool.core.rank_weights(state.topic, runs, table))
    used = numpy.flatnonzero(everywhere.any(axis=0))
    weights = Discounts(used, everywhere[:, used], everywhere[:, state.counted])
    total = weights.near @ (state.exceed[used] @ ideal.steps)
    counts = state.exceed.sum(axis=0)
    return Terms(
        total / ideal.divisor(counts),
        _first(state, target, ideal, weights, total, counts),
        _bend(state, ideal, weights.counted, total, counts),
        _expected(state, target, ideal, weights, total, counts),
        _effects(state, ideal, weights, total, counts) if with_slope else (),
    )


def _effects(state: TopicState, ideal: Ideal, weights: Discounts, total: Array, counts: Array) -> tuple[Array, ...]:
    """dA/dz_jg = b_g discount_j / I - DCG I_g' / I^2, carried on to the effects of each stage."""
    divisor = float(ideal.divisor(counts))
    growth = ideal.growth(counts) * (counts[0] >= 1.0)
    found = []
    for number, pulls in enumerate(state.pulls):
        gain = sum(step * pull[weights.used] for step, pull in zip(ideal.steps[number:], pulls, strict=True))
        grow = sum(step * pull.sum(axis=0) for step, pull in zip(growth[number:], pulls, strict=True))
        found.append(weights.near @ gain / divisor - numpy.outer(total, grow) / divisor**2)
    return tuple(found)


def _first(state: TopicState, target: Target, ideal: Ideal, weights: Discounts, total: Array, counts: Array) -> Array:
    """u_i = sum over g of the residual of class g or more times what that class adds, i not judged otherwise."""
    counted = state.counted
    discounts = weights.counted
    without = counts - state.exceed[counted]
    gain = target.gains[state.classes[counted]]
    first = _moved(target, ideal, discounts, total[:, None] - discounts * gain, without, state.own_residuals)
    chosen, exceed = state.refits
    if len(chosen):
        totals = weights.near @ numpy.tensordot(ideal.steps, exceed[:, weights.used], 1)
        first[:, chosen] = _moved(
            target, ideal, discounts[:, chosen], totals, exceed.sum(axis=1).T, state.own_residuals[chosen]
        )
    return first


def _moved(target: Target, ideal: Ideal, discounts: Array, total: Array, counts: Array, residuals: Array) -> Array:
    """Sum over g of residual_g [A(class g) - A(class g - 1)]; total and counts are without the document."""
    before = total / ideal.divisor(counts)
    moved = numpy.zeros(total.shape)
    for grade, divisor in enumerate(_divisors(ideal, counts, target.grades)[1:], 1):
        after = (total + target.gains[grade] * discounts) / divisor
        moved += residuals[:, grade - 1] * (after - before)
        before = after
    return moved


def _divisors(ideal: Ideal, counts: Array, grades: int) -> list[Array]:
    """The divisor when a document that `counts` leave out has class 0, 1, ..., grades."""
    return [ideal.divisor(counts + (numpy.arange(1, grades + 1) <= grade)) for grade in range(grades + 1)]


def _expected(
    state: TopicState, target: Target, ideal: Ideal, weights: Discounts, total: Array, counts: Array
) -> Array:
    """Sum over all documents of (1 - pi) / pi times the model's mean of (A(class) - its prediction)^2.

    A(class c) - A(class 0) is a_c discount + b_c DCG with a and b the same for all runs; so are the differences of
    these from their predicted means, and the sum takes three products.
    """
    expected_gain = state.exceed @ ideal.steps
    inverse = 1.0 / numpy.stack(_divisors(ideal, numpy.maximum(counts - state.exceed, 0.0), target.grades), axis=1)
    b = inverse - inverse[:, :1]
    a = target.gains * inverse - expected_gain[:, None] * b
    chances = _class_chances(state.predicted)
    a, b = a - (chances * a).sum(axis=1)[:, None], b - (chances * b).sum(axis=1)[:, None]
    weight = state.speaks_for[:, None] * chances
    rest = total**2 * float((weight * b * b).sum())
    near, a, b = weight[weights.used], a[weights.used], b[weights.used]
    squares, mixed = (near * a * a).sum(axis=1), (near * a * b).sum(axis=1)
    return weights.near**2 @ squares + 2.0 * total * (weights.near @ mixed) + rest


def _class_chances(exceed: Array) -> Array:
    """Probabilities of classes 0, 1, ... from those of class g or more."""
    edge = numpy.ones((len(exceed), 1))
    return numpy.hstack([edge, exceed]) - numpy.hstack([exceed, 0.0 * edge])


def _bend(state: TopicState, ideal: Ideal, discounts: Array, total: Array, counts: Array) -> Array:
    """B_i: second derivatives of DCG / I times the residuals of pairs, at least one relevant document supposed."""
    if ideal.table is None:
        return numpy.zeros(discounts.shape)
    least = counts.copy()
    least[0] = max(least[0], 1.0)
    best = float(ideal.value(least))
    if best <= 0:
        return numpy.zeros(discounts.shape)
    growth, bend = ideal.growth(least), ideal.bend(counts)
    products, sums = state.pair_products, state.pair_sums
    used = numpy.flatnonzero(discounts.any(axis=0))
    grades = range(len(ideal.steps))
    mixed = sum(ideal.steps[g] * growth[h] * products[g][h][used] for g in grades for h in grades)
    row = sum(ideal.steps[g] * growth[h] * sums[g][h] for g in grades for h in grades)
    square = sum(growth[g] * growth[h] * sums[g][h] for g in grades for h in grades)
    curve = sum(bend[g] * sums[g][g] for g in grades)
    linear = discounts * row + discounts[:, used] @ mixed
    return -linear / best**2 + numpy.outer(total, 2.0 * square / best**3 - curve / best**2)
