"""Average precision: the plug-in S / R and its corrections.

With probabilities p (or labels) by rank k: S = sum of p_k (1 + sum above of p) / k, R = sum of p. S is linear in each
single p_i with slope s_i = (1 + sum above) / k_i + sum below of p_j / k_j. The divisor is R, at least 1: where
fewer than one relevant document is expected, most often there is none and the score is 0, else it is 1 / rank.
docs/theory/assisted.md, sections *The plug-in*, *First order* and *Second order*.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poolwise.estimate.joint_errors import joint_errors
from poolwise.estimate.layout import Array, Whole
from poolwise.estimate.model import TopicState
from poolwise.estimate.targets import Target, Terms

__all__ = ["precision_terms"]


def precision_terms(state: TopicState, target: Target, runs: Sequence[int], with_slope: bool) -> Terms:
    """Plug-in value, u and B of average precision for every run on one topic."""
    layout, p = state.model.layout, state.exceed[:, 0]
    listed = layout.listed[layout.part(state.topic)]
    everywhere = np.zeros(layout.size(state.topic))
    everywhere[listed] = p
    sums, slopes = layout.pool.core.precision_slopes(state.topic, runs, target.depth, everywhere)
    total, slope = np.asarray(sums), layout.columns(state.topic, slopes)
    relevant = float(p.sum())
    counted = slope[:, state.counted]
    return Terms(
        total / max(relevant, 1.0),
        _first(state, target, runs, total, counted, relevant),
        _bend(state, target, runs, total, counted, relevant),
        _expected(state, total, slope, relevant),
        _expected_bend(state, target, runs, total, slope, relevant),
        _effects(state, total, slope, relevant) if with_slope else (),
    )


def _effects(state: TopicState, total: Array, slope: Array, relevant: float) -> tuple[Array, ...]:
    """dA/dp_j = s_j / R - S / R^2, carried on to the effects of the model's one stage."""
    pull = state.pulls[0][0]
    if relevant < 1.0:
        return (slope @ pull,)
    return (slope @ pull / relevant - np.outer(total, pull.sum(axis=0)) / relevant**2,)


def _first(
    state: TopicState, target: Target, runs: Sequence[int], total: Array, slope: Array, relevant: float
) -> Array:
    """u_i = e_i [A(y_i = 1) - A(y_i = 0)], with i not judged otherwise."""
    label = state.exceed[state.counted, 0]
    bracket = _bracket(total[:, None] - label * slope, relevant - label, slope)
    chosen, exceed = state.refits
    if len(chosen):
        sums, slopes = _variants(state, target, runs, exceed[0])
        bracket[:, chosen] = _bracket(sums, exceed[0].sum(axis=0), slopes)
    return bracket * state.own_residuals[:, 0]


def _bracket(total: Array, relevant: Array, slope: Array) -> Array:
    """By how much A grows when a document counted as non-relevant becomes relevant."""
    return (total + slope) / (relevant + 1.0) - total / np.maximum(relevant, 1.0)


def _expected(state: TopicState, total: Array, slope: Array, relevant: float) -> Array:
    """Sum over all documents of (1 - pi) / pi times the model's mean of residual^2, times bracket^2.

    A document's bracket is a s + b S with a and b the same for all runs, so the sum takes three products.
    """
    p = state.exceed[:, 0]
    without = np.maximum(relevant - p, 0.0)
    before = 1.0 / np.maximum(without, 1.0)
    b = 1.0 / (without + 1.0) - before
    a = 1.0 / (without + 1.0) - p * b
    weight = state.speaks_for * state.predicted[:, 0] * (1.0 - state.predicted[:, 0])
    return slope**2 @ (weight * a * a) + 2.0 * total * (slope @ (weight * a * b)) + total**2 * (weight @ (b * b))


def _expected_bend(
    state: TopicState, target: Target, runs: Sequence[int], total: Array, slope: Array, relevant: float
) -> Array:
    """Half the sum over pairs of unjudged documents of their errors' covariance times the second derivative of A.

    That is 1 / (R max(k_i, k_j)) - (s_i + s_j) / R^2 + 2 S / R^3. The first part is a sum over ranks k of 1 / k times
    how much the covariance of all pairs within the rank grows there.
    """
    if not state.model.features.predicted:
        return np.zeros(len(runs))
    errors, divisor = joint_errors(state), max(relevant, 1.0)
    factor, layout = errors.factors[0][0], state.model.layout
    own, row = np.einsum("nm,nm->n", factor, factor), errors.row_sums(0, 0, 0)
    reciprocal = 1.0 / np.arange(1.0, min(target.depth, len(target.discounts)) + 1.0)
    near = layout.columns(state.topic, layout.pool.core.rank_weights(state.topic, list(runs), reciprocal))
    first = np.array([_by_rank(factor, own, places) for places in near]) / divisor
    return np.asarray(0.5 * (first - 2.0 * (slope @ row) / divisor**2 + 2.0 * total / divisor**3 * row.sum()))


def _by_rank(factor: Array, own: Array, reciprocal: Array) -> float:
    """Sum over pairs of retrieved documents of their covariance / the larger rank."""
    retrieved = np.flatnonzero(reciprocal)
    order = retrieved[np.argsort(-reciprocal[retrieved], kind="stable")]
    within = (np.cumsum(factor[order], axis=0) ** 2).sum(axis=1)
    return float(reciprocal[order] @ (np.diff(within, prepend=0.0) - own[order]))


def _variants(state: TopicState, target: Target, runs: Sequence[int], p: Array) -> tuple[Array, Array]:
    layout = state.model.layout
    listed = layout.listed[layout.part(state.topic)]
    everywhere = np.zeros((layout.size(state.topic), p.shape[1]))
    everywhere[listed] = p
    left_out = listed[state.counted[state.refits[0]]]
    sums, slopes = layout.pool.core.precision_variants(state.topic, runs, target.depth, everywhere, left_out.tolist())
    return np.asarray(sums), np.asarray(slopes)


def _bend(state: TopicState, target: Target, runs: Sequence[int], total: Array, slope: Array, relevant: float) -> Array:
    """B_i = sum over j of P_ij H_ij, H_ij = A(1, 1) - A(1, 0) - A(0, 1) + A(0, 0), neither i nor j judged otherwise.

    With y their labels, R' = R - y_i - y_j and S_ij = 1 / max(rank_i, rank_j) where both are retrieved (else 0), what S
    is without both is S - y_i s_i - y_j s_j + y_i y_j S_ij, and H_ij is linear in S_ij, s_i, s_j and S.
    """
    layout, counted = state.model.layout, state.counted
    place = np.full(layout.size(state.topic), -1, dtype=np.int32)
    place[layout.listed[layout.part(state.topic)][counted]] = np.arange(len(counted))
    relevant_ones = np.flatnonzero(state.exceed[counted, 0] > 0.5)
    both, with_one, none = _pair_factors(relevant)
    pairs = state.pair_weights
    apart = np.array([0.0, 1.0, 2.0])
    near = _scaled(pairs, relevant_ones, both - apart * with_one + np.array([0.0, 0.0, 1.0]) * none)
    sums = layout.pool.core.pair_sums(state.topic, runs, target.depth, near, place)
    # How s_j enters H_ij: with_one - y_j none. That of s_i is its mirror image.
    other = _scaled(pairs, relevant_ones, with_one)
    curved = _scaled(pairs, relevant_ones, none)
    other[:, relevant_ones] -= curved[:, relevant_ones]
    return np.asarray(sums) + slope * other.sum(axis=0) + slope @ other.T + np.outer(total, curved.sum(axis=1))


def _scaled(pairs: Array, relevant: Whole, factors: Array) -> Array:
    """Each P_ij times the factor for how many of i and j are relevant; few documents are."""
    scaled = pairs * factors[0]
    scaled[relevant] = pairs[relevant] * factors[1]
    scaled[:, relevant] = pairs[:, relevant] * factors[1]
    scaled[np.ix_(relevant, relevant)] = pairs[np.ix_(relevant, relevant)] * factors[2]
    return scaled


def _pair_factors(relevant: float) -> tuple[Array, Array, Array]:
    """1 / (R' + 2), that less 1 / (R' + 1), and the second difference of 1 / R, divisors at least 1.

    Each for 0, 1 and 2 relevant documents in the pair, R' being without them.
    """
    rest = np.maximum(relevant - np.array([0.0, 1.0, 2.0]), 0.0)
    two, one, zero = 1.0 / (rest + 2.0), 1.0 / (rest + 1.0), 1.0 / np.maximum(rest, 1.0)
    return two, two - one, two - 2.0 * one + zero
