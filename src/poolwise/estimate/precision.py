"""Average precision: the plug-in and its corrections.

With labels or probabilities p by rank k, S = sum of p_k (1 + sum above of p) / k and R = sum of p, and AP is S / R. R
is in part unknown: to the c documents that are known to be relevant comes a number N of others, taken as Poisson's with
the expected number as its mean. S has three parts: of known relevant documents alone, with one uncertain document, and
with two. In these R is c + N, c + 1 + N and c + 2 + N, and the plug-in is each part times the mean of 1 / R. Its
derivative by a probability is then exactly what it gains when that document becomes known to be relevant. Poisson's
number varies too much where single probabilities are large, which is taken back to second order (`_own`).
docs/theory/assisted.md, sections *The plug-in*, *First order* and *Second order*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from poolwise.estimate.joint_errors import joint_errors
from poolwise.estimate.layout import Array, Whole
from poolwise.estimate.model import TopicState
from poolwise.estimate.targets import NO_PAIRS, Target, Terms, of_pairs

__all__ = ["mean_reciprocals", "precision_terms"]

FEWEST, MOST = -2, 5  # known relevant documents more, for which the mean of 1 / R is asked


class Sums(NamedTuple):
    """S of all runs on one topic, and how it grows with the label of each document: by known ones and by uncertain."""

    parts: Array  # 3 x r: of known relevant documents alone, with one uncertain document, with two
    by_known: Array  # r x N: 1 / k and the sum over known relevant documents of 1 / the larger rank
    by_loose: Array  # r x N: the sum over uncertain documents of p / the larger rank


def precision_terms(
    state: TopicState, target: Target, runs: Sequence[int], with_slope: bool, pairs: Whole = NO_PAIRS
) -> Terms:
    """Plug-in value, u and B of average precision for every run on one topic."""
    loose = np.where(state.classes < 0, state.exceed[:, 0], 0.0)
    sums = _sums(state, target, runs, loose)
    mean = Mean(round(float(state.exceed[state.classes >= 0, 0].sum())), loose.sum())
    return Terms(
        mean.of(0) @ sums.parts - _own(sums, mean, loose**2),
        _first(state, target, runs, sums, mean),
        _bend(state, target, runs, sums, mean),
        *_expected(state, sums, mean, pairs),
        _expected_bend(state, target, runs, sums, mean),
        _effects(state, sums, mean) if with_slope else (),
    )


class Mean:
    """The mean of 1 / R, with some known relevant documents more or fewer, and its differences."""

    def __init__(self, known: int, loose: Array) -> None:
        self.known, self.table = known, mean_reciprocals(known + np.arange(FEWEST, MOST + 1), loose)

    def at(self, more: int) -> Array:
        """With `more` known relevant documents than there are."""
        return self.table[..., more - FEWEST]

    def of(self, more: int) -> Array:
        """The same for the three parts of S."""
        return self.table[..., more - FEWEST : more - FEWEST + 3]

    def step(self, more: int) -> Array:
        """What one known relevant document more changes."""
        return self.at(more + 1) - self.at(more)

    def steps(self, more: int) -> Array:
        """The same for the three parts of S."""
        return self.of(more + 1) - self.of(more)

    def bend(self, more: int) -> Array:
        """Second differences for the three parts of S."""
        return self.of(more + 2) - 2.0 * self.of(more + 1) + self.of(more)


def mean_reciprocals(known: Whole, loose: Array) -> Array:
    """... x known: the mean of 1 / (known + N), N Poisson's with mean `loose` (...); 0 where `known` is below 1."""
    most = float(np.max(loose, initial=0.0))
    number = np.arange(int(most + 8.0 * np.sqrt(most)) + 12)
    mean = np.asarray(loose)[..., None]
    chance = np.exp(xlogy(number, mean) - mean - gammaln(number + 1.0))
    return np.asarray(chance @ (1.0 / np.maximum(known + number[:, None], 1.0))) * (known > 0)


def _sums(state: TopicState, target: Target, runs: Sequence[int], loose: Array) -> Sums:
    """The same over all pooled documents; S is bilinear in known and uncertain labels."""
    layout, core = state.model.layout, state.model.layout.pool.core
    listed = layout.listed[layout.part(state.topic)]
    everywhere = np.zeros(layout.size(state.topic))
    everywhere[listed] = state.exceed[:, 0]
    total, slopes = core.precision_slopes(state.topic, runs, target.depth, everywhere)
    everywhere[listed] -= loose
    known, by_known = core.precision_slopes(state.topic, runs, target.depth, everywhere)
    near = layout.columns(state.topic, by_known)
    one = near @ loose
    parts = np.stack([np.asarray(known), one, np.asarray(total) - np.asarray(known) - one])
    return Sums(parts, near, layout.columns(state.topic, slopes) - near)


def _own(sums: Sums, mean: Mean, squares: Array) -> Array:
    """Half the sum of p^2 times the second derivative of A by p, over unjudged documents.

    Poisson's law lets a document be relevant twice, with chance p^2 / 2; it can be once or not at all.
    """
    one = mean.step(1) * (sums.by_known @ squares) + mean.step(2) * (sums.by_loose @ squares)
    return np.asarray(one + 0.5 * squares.sum() * (mean.bend(0) @ sums.parts))


def _effects(state: TopicState, sums: Sums, mean: Mean) -> tuple[Array, ...]:
    """dA/dp_j of unjudged documents, carried on to the effects of the model's one stage."""
    pull = state.pulls[0][0]
    twice = pull * np.where(state.classes < 0, state.exceed[:, 0], 0.0)[:, None]  # of `_own`
    rest = np.outer(mean.steps(0) @ sums.parts, pull.sum(axis=0))
    rest -= np.outer(mean.bend(0) @ sums.parts, twice.sum(axis=0))
    rest -= 2.0 * (mean.step(1) * (sums.by_known @ twice) + mean.step(2) * (sums.by_loose @ twice))
    return (mean.at(1) * (sums.by_known @ pull) + mean.at(2) * (sums.by_loose @ pull) + rest,)


def _first(state: TopicState, target: Target, runs: Sequence[int], sums: Sums, mean: Mean) -> Array:
    """u_i = e_i [A(y_i = 1) - A(y_i = 0)], with i not judged otherwise."""
    counted = state.counted
    label = state.exceed[counted, 0]
    near, far = sums.by_known[:, counted], sums.by_loose[:, counted]
    bracket = np.empty(near.shape)
    for y in (0, 1):
        own = np.flatnonzero(label == y)
        bracket[:, own] = _gained(mean, -y, y, near[:, own], far[:, own], sums.parts[:, :, None])
    if len(state.refits[0]):
        _refitted(state, target, runs, sums, mean, bracket)
    return bracket * state.own_residuals[:, 0]


def _gained(mean: Mean, more: int, label: float, near: Array, far: Array, parts: Array) -> Array:
    """A(1) - A(0) of documents with this label, which is still in the parts of S."""
    steps = mean.steps(more)
    rest = parts[0] * steps[..., 0] + parts[1] * steps[..., 1] + parts[2] * steps[..., 2]
    return near * (mean.at(more + 1) - label * steps[..., 0]) + far * (mean.at(more + 2) - label * steps[..., 1]) + rest


def _refitted(state: TopicState, target: Target, runs: Sequence[int], sums: Sums, mean: Mean, bracket: Array) -> None:
    """The same where the model was fitted anew without the document."""
    chosen, exceed = state.refits
    counted = state.counted[chosen]
    totals, slopes = _variants(state, target, runs, exceed[0])
    label, near = state.exceed[counted, 0], sums.by_known[:, counted]
    loose = np.where((state.classes < 0)[:, None], exceed[0], 0.0)
    far = slopes - near
    known = sums.parts[0][:, None] - label * near
    one = sums.by_known @ loose - label * far
    parts = np.stack([known, one, totals - known - one])
    for y in (0, 1):
        own = np.flatnonzero(label == y)
        anew = Mean(mean.known - y, loose[:, own].sum(axis=0))
        bracket[:, chosen[own]] = _gained(anew, 0, 0.0, near[:, own], far[:, own], parts[:, :, own])


def _expected(state: TopicState, sums: Sums, mean: Mean, pairs: Whole) -> tuple[Array, Array]:
    """Sum over all documents of (1 - pi) / pi times the model's mean of residual^2, times bracket^2.

    Of runs, and of differences of pairs.
    """
    by_known, by_loose, rest = _brackets(state, mean)
    bracket = sums.by_known * by_known + sums.by_loose * by_loose + sums.parts.T @ rest
    weight = state.speaks_for * state.predicted[:, 0] * (1.0 - state.predicted[:, 0])
    found, place = np.unique(pairs, return_inverse=True)
    products = (bracket[found] * weight) @ bracket[found].T
    return np.asarray(bracket**2 @ weight), of_pairs(products, place.reshape(-1, 2))


def _brackets(state: TopicState, mean: Mean) -> tuple[Array, Array, Array]:
    """How A(1) - A(0) of each document is made of its two slopes and the three parts of S (N, N, 3 x N).

    An unjudged document is first taken out of the uncertain ones: the mean of 1 / R with that much less is, to first
    order, what it is with p known relevant documents less.
    """
    p, unjudged = state.exceed[:, 0], state.classes < 0
    table = np.empty((4, len(p)))  # the mean of 1 / R without the document, and with 1, 2, 3 known relevant ones more
    for y in (0, 1):
        table[:, ~unjudged & (p == y)] = np.array([mean.at(more - y) for more in range(4)])[:, None]
    steps = np.array([mean.step(more) for more in range(4)])
    table[:, unjudged] = np.array([mean.at(more) for more in range(4)])[:, None] - np.outer(steps, p[unjudged])
    rest = np.diff(table, axis=0)
    lost = np.where(unjudged, rest[1:], rest[:2]) * p  # the document's own part of S goes with it
    return table[1] - lost[0], table[2] - lost[1], rest


def _expected_bend(state: TopicState, target: Target, runs: Sequence[int], sums: Sums, mean: Mean) -> Array:
    """Half the sum over pairs of unjudged documents of their errors' covariance times the second derivative of A."""
    errors, layout = joint_errors(state), state.model.layout
    factor = np.zeros((layout.size(state.topic), errors.factor.shape[1]))
    factor[layout.listed[layout.part(state.topic)]] = errors.factor
    both = np.asarray(layout.pool.core.joint_sums(state.topic, runs, target.depth, factor))
    return np.asarray(mean.at(2) * both) + _own(sums, mean, errors.row_sums())


def _variants(state: TopicState, target: Target, runs: Sequence[int], p: Array) -> tuple[Array, Array]:
    layout = state.model.layout
    listed = layout.listed[layout.part(state.topic)]
    everywhere = np.zeros((layout.size(state.topic), p.shape[1]))
    everywhere[listed] = p
    left_out = listed[state.counted[state.refits[0]]]
    sums, slopes = layout.pool.core.precision_variants(state.topic, runs, target.depth, everywhere, left_out.tolist())
    return np.asarray(sums), np.asarray(slopes)


def _bend(state: TopicState, target: Target, runs: Sequence[int], sums: Sums, mean: Mean) -> Array:
    """B_i = sum over j of P_ij H_ij, H_ij = A(1, 1) - A(1, 0) - A(0, 1) + A(0, 0), neither i nor j judged otherwise."""
    layout, counted = state.model.layout, state.counted
    place = np.full(layout.size(state.topic), -1, dtype=np.int32)
    place[layout.listed[layout.part(state.topic)][counted]] = np.arange(len(counted))
    relevant = np.flatnonzero(state.exceed[counted, 0] > 0.5)
    pairs = state.pair_weights

    def scaled(factor: Callable[[int], Array]) -> Array:  # by how many of the two are relevant
        return _scaled(pairs, relevant, np.array([factor(number) for number in range(3)]))

    # With t of the two relevant and c' = c - t, S_ij = 1 / the larger rank enters H_ij through S with both, and through
    # what S and the slopes are without the other's label.
    both = scaled(lambda t: mean.at(2 - t) - t * mean.step(1 - t) + (t == 2) * mean.bend(-t)[0])
    found = np.asarray(layout.pool.core.pair_sums(state.topic, runs, target.depth, both, place))
    curved = [scaled(lambda t, part=part: mean.bend(-t)[part]) for part in range(3)]  # type: ignore[misc]
    for number, slope in enumerate((sums.by_known[:, counted], sums.by_loose[:, counted])):
        other = scaled(lambda t, more=number + 1: mean.step(more - t))  # type: ignore[misc]  # the slope of j in H_ij
        other[:, relevant] -= curved[number][:, relevant]
        found = found + slope * other.sum(axis=0) + slope @ other.T
    return found + sums.parts.T @ np.array([curve.sum(axis=1) for curve in curved])


def _scaled(pairs: Array, relevant: Whole, factors: Array) -> Array:
    """Each P_ij times the factor for how many of i and j are relevant; few documents are."""
    scaled = pairs * factors[0]
    scaled[relevant] = pairs[relevant] * factors[1]
    scaled[:, relevant] = pairs[:, relevant] * factors[1]
    scaled[np.ix_(relevant, relevant)] = pairs[np.ix_(relevant, relevant)] * factors[2]
    return scaled
