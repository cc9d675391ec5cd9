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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poolwise import _core
from poolwise.estimate.joint_errors import JointErrors, joint_errors
from poolwise.estimate.layout import Array, Whole
from poolwise.estimate.model import TopicState
from poolwise.estimate.targets import NO_PAIRS, Target, Terms, of_pairs

__all__ = ["mean_reciprocals", "precision_terms"]

FEWEST, MOST = -2, 5  # known relevant documents more, for which the mean of 1 / R is asked


class Sums(NamedTuple):
    """What the core finds down the rankings of one topic.

    S grows with the label of each document by two slopes, which known relevant documents and uncertain ones make:
    near is 1 / k and the sum over known ones of 1 / the larger rank, far the sum over uncertain ones of p / that rank.
    """

    parts: Array  # 3 x r: S of known relevant documents alone, with one uncertain document, with two
    near: Array  # r x n: of judged documents that speak for others
    far: Array  # r x n
    twice: Array  # 2 x r: near and far with the squares of p, summed over all documents
    shared: Array  # 2 x r: the same with the sums of covariances
    bracket_squares: Array  # r: of what a bracket has of the slopes, weighted
    bracket_parts: Array  # r x 3: of that with what it has of the parts of S
    brackets: Array  # r x listed documents: what a bracket has of the slopes, where pairs of runs are asked for
    carried: Array  # r x shared: dA/dp_j as far as the slopes go, with the columns of j
    joint: Array  # r: covariances of pairs of unjudged documents / the larger rank
    refitted: tuple[Array, Array, Array]  # r x m: the second and third part of S, and far, fitted without a document


def precision_terms(
    state: TopicState, target: Target, runs: Sequence[int], with_slope: bool, pairs: Whole = NO_PAIRS
) -> Terms:
    """Plug-in value, u and B of average precision for every run on one topic."""
    loose = np.where(state.classes < 0, state.exceed[:, 0], 0.0)
    mean = Mean(round(float(state.exceed[state.classes >= 0, 0].sum())), loose.sum())
    errors, brackets = joint_errors(state), _brackets(state, mean)
    together = errors.row_sums()
    sums = _sums(state, target, runs, _asked(state, mean, brackets, together), errors, with_slope, len(pairs) > 0)
    return Terms(
        mean.of(0) @ sums.parts - _own(sums, mean, sums.twice, float(loose @ loose)),
        _first(state, sums, mean),
        _bend(state, target, runs, sums, mean),
        *_expected(state, sums, brackets, pairs),
        mean.at(2) * sums.joint + _own(sums, mean, sums.shared, float(together.sum())),
        _effects(state, sums, mean, loose) if with_slope else (),
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
    means = np.ascontiguousarray(loose, dtype=float).reshape(-1)
    numbers = np.ascontiguousarray(np.broadcast_to(known, (len(means), len(known))), dtype=np.int64)
    return np.asarray(_core.mean_reciprocals(means, numbers)).reshape(*np.shape(loose), len(known))


def _asked(state: TopicState, mean: Mean, brackets: Brackets, together: Array) -> Array:
    """N x 12: what the core asks of documents, in its order."""
    unjudged, p = state.classes < 0, state.exceed[:, 0]
    loose = np.where(unjudged, p, 0.0)
    asked = np.empty((len(p), 12))
    asked[:, 0], asked[:, 1], asked[:, 2], asked[:, 3] = p - loose, loose, loose**2, together
    asked[:, 4], asked[:, 5], asked[:, 6] = brackets.by_near, brackets.by_far, brackets.weight
    asked[:, 7:10] = (brackets.weight * brackets.rest).T
    for s in (1, 2):  # what is relevant twice is taken back, as in `_own`
        asked[:, 9 + s] = unjudged * (mean.at(s) - 2.0 * mean.step(s) * loose)
    return asked


def _sums(
    state: TopicState,
    target: Target,
    runs: Sequence[int],
    asked: Array,
    errors: JointErrors,
    with_slope: bool,
    of_each: bool,
) -> Sums:
    """Walk down all rankings once."""
    layout, (chosen, exceed) = state.model.layout, state.refits
    found, carried, joint, near, far, each, *refitted = (
        np.asarray(part)
        for part in layout.pool.core.precision_sums(
            state.topic,
            runs,
            target.depth,
            layout.spread(state.topic, asked),
            layout.spread(state.topic, state.pulls[0][0] if with_slope else np.empty((len(asked), 0))),
            layout.spread(state.topic, errors.factor),
            _places(state),
            len(state.counted),
            of_each,
            layout.spread(state.topic, np.where((state.classes < 0)[:, None], exceed[0], 0.0)),
            layout.listed[layout.part(state.topic)][state.counted[chosen]].tolist(),
        )
    )
    found = found.T
    return Sums(
        found[:3],
        near,
        far,
        found[3:5],
        found[5:7],
        found[7],
        found[8:].T,
        each,
        carried,
        joint,
        (refitted[0], refitted[1], refitted[2]),
    )


def _places(state: TopicState) -> Whole:
    """Of each listed document: its number among `counted`, or -1."""
    layout = state.model.layout
    place = np.full(layout.size(state.topic), -1, dtype=np.int32)
    place[layout.listed[layout.part(state.topic)][state.counted]] = np.arange(len(state.counted))
    return place


def _own(sums: Sums, mean: Mean, slopes: Array, total: float) -> Array:
    """Half the sum of squares, say p^2, times the second derivative of A by p, over unjudged documents.

    Poisson's law lets a document be relevant twice, with chance p^2 / 2; it can be once or not at all. `slopes` (2 x r)
    are the sums of squares with near and far, `total` is their sum.
    """
    one = mean.step(1) * slopes[0] + mean.step(2) * slopes[1]
    return np.asarray(one + 0.5 * total * (mean.bend(0) @ sums.parts))


def _effects(state: TopicState, sums: Sums, mean: Mean, loose: Array) -> tuple[Array, ...]:
    """dA/dp_j of unjudged documents, carried on to the effects of the model's one stage."""
    once, twice = np.vstack([np.ones(len(loose)), loose]) @ state.pulls[0][0]
    rest = np.outer(mean.steps(0) @ sums.parts, once) - np.outer(mean.bend(0) @ sums.parts, twice)
    return (state.with_topic(sums.carried + rest, state.model.stages[0]),)


def _first(state: TopicState, sums: Sums, mean: Mean) -> Array:
    """u_i = e_i [A(y_i = 1) - A(y_i = 0)], with i not judged otherwise."""
    label = state.exceed[state.counted, 0].astype(int)
    # A(1) - A(0) of documents with this label, which is still in the parts of S
    near, far = (np.array([mean.at(s - y) - y * mean.steps(-y)[s - 1] for y in (0, 1)]) for s in (1, 2))
    rest = np.array([mean.steps(-y) for y in (0, 1)])
    bracket = sums.near * near[label] + sums.far * far[label] + sums.parts.T @ rest[label].T
    if len(state.refits[0]):
        _refitted(state, sums, mean, bracket)
    return bracket * state.own_residuals[:, 0]


def _refitted(state: TopicState, sums: Sums, mean: Mean, bracket: Array) -> None:
    """The same where the model was fitted anew without the document."""
    chosen, exceed = state.refits
    label, (one, two, far), near = state.exceed[state.counted[chosen], 0], sums.refitted, sums.near[:, chosen]
    known, one = sums.parts[0][:, None] - label * near, one - label * far
    expected = exceed[0, state.classes < 0].sum(axis=0)
    for y in (0, 1):
        own = np.flatnonzero(label == y)
        anew = Mean(mean.known - y, expected[own])
        steps = anew.steps(0)
        rest = known[:, own] * steps[:, 0] + one[:, own] * steps[:, 1] + two[:, own] * steps[:, 2]
        bracket[:, chosen[own]] = near[:, own] * anew.at(1) + far[:, own] * anew.at(2) + rest


class Brackets(NamedTuple):
    """How A(1) - A(0) of each document is made of its two slopes and the three parts of S."""

    by_near: Array  # N
    by_far: Array  # N
    rest: Array  # 3 x N
    weight: Array  # N: (1 - pi) / pi times the model's mean of residual^2


def _brackets(state: TopicState, mean: Mean) -> Brackets:
    """An unjudged document is first taken out of the uncertain ones: the mean of 1 / R with that much less is, to first
    order, what it is with p known relevant documents less.
    """
    p, unjudged = state.exceed[:, 0], state.classes < 0
    at, step = np.array([[mean.at(more), mean.step(more)] for more in range(4)]).T
    # the mean of 1 / R without the document, and with 1, 2, 3 known relevant ones more
    table = at[:, None] - np.outer(step, np.where(unjudged, p, 0.0))
    table[:, ~unjudged & (p == 1)] = np.array([mean.at(more - 1) for more in range(4)])[:, None]
    rest = np.diff(table, axis=0)
    lost = np.where(unjudged, rest[1:], rest[:2]) * p  # the document's own part of S goes with it
    weight = state.speaks_for * state.predicted[:, 0] * (1.0 - state.predicted[:, 0])
    return Brackets(table[1] - lost[0], table[2] - lost[1], rest, weight)


def _expected(state: TopicState, sums: Sums, brackets: Brackets, pairs: Whole) -> tuple[Array, Array]:
    """Sum over all documents of (1 - pi) / pi times the model's mean of residual^2, times bracket^2.

    Of runs, and of differences of pairs. A bracket has a part from the slopes, which is 0 where a run does not retrieve
    the document, and one from the parts of S, of which only three products with themselves are needed.
    """
    rest = (brackets.rest * brackets.weight) @ brackets.rest.T
    linear = np.einsum("rp,pr->r", sums.bracket_parts, sums.parts)
    of_runs = sums.bracket_squares + 2.0 * linear + np.einsum("pr,pq,qr->r", sums.parts, rest, sums.parts)
    found, place = np.unique(pairs, return_inverse=True)
    parts, each = sums.parts[:, found], sums.brackets[found]
    mixed = sums.bracket_parts[found] @ parts
    weight = state.model.layout.spread(state.topic, brackets.weight)[: each.shape[1]]
    products = (each * weight) @ each.T + mixed + mixed.T + parts.T @ rest @ parts
    return np.asarray(of_runs), of_pairs(products, place.reshape(-1, 2))


def _bend(state: TopicState, target: Target, runs: Sequence[int], sums: Sums, mean: Mean) -> Array:
    """B_i = sum over j of P_ij H_ij, H_ij = A(1, 1) - A(1, 0) - A(0, 1) + A(0, 0), neither i nor j judged otherwise.

    H_ij depends on how many of the two are relevant, t: c' = c - t documents are without them.
    """
    label = (state.exceed[state.counted, 0] > 0.5).astype(int)
    relevant, pairs = np.flatnonzero(label), state.pair_weights
    curved = np.array([mean.bend(-t) for t in range(3)])
    # S_ij = 1 / the larger rank enters H_ij through S with both, and through what S and the slopes are without the
    # other's label.
    both = np.array([mean.at(2 - t) - t * mean.step(1 - t) + (t == 2) * curved[t, 0] for t in range(3)])
    found = np.asarray(
        state.model.layout.pool.core.pair_sums(
            state.topic, runs, target.depth, _scaled(pairs, relevant, both), _places(state)
        )
    )
    # What the slopes of j have in H_ij, by whether i (row) and j (column) are relevant, and the sums over i of P_ij.
    of_near, of_far = (
        np.array([[mean.step(more - i - j) - j * curved[i + j, more - 1] for j in (0, 1)] for i in (0, 1)])[:, label]
        for more in (1, 2)
    )
    with_relevant = pairs[:, relevant].sum(axis=1)
    others = np.vstack([pairs.sum(axis=1) - with_relevant, with_relevant])
    found = found + sums.near * (of_near * others).sum(axis=0) + sums.far * (of_far * others).sum(axis=0)
    along = (sums.near * of_near[0] + sums.far * of_far[0]) @ pairs
    along[:, relevant] = (sums.near * of_near[1] + sums.far * of_far[1]) @ pairs[:, relevant]
    rest = curved[label].T * others[0] + curved[label + 1].T * others[1]
    return np.asarray(found + along + sums.parts.T @ rest)


def _scaled(pairs: Array, relevant: Whole, factors: Array) -> Array:
    """Each P_ij times the factor for how many of i and j are relevant; few documents are."""
    scaled = pairs * factors[0]
    scaled[relevant] = pairs[relevant] * factors[1]
    scaled[:, relevant] = pairs[:, relevant] * factors[1]
    scaled[np.ix_(relevant, relevant)] = pairs[np.ix_(relevant, relevant)] * factors[2]
    return scaled
