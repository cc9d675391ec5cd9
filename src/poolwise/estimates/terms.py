"""Expected second order of measures that are divided by an ideal: nDCG and recall.

Effects of the model are uncertain, and what they get wrong they get wrong for all documents of a topic. With
covariances of z_ig, the error of document i in "class g or more", and the second derivative of A = DCG / I by z_ig and
z_jh, the mean of half the sum over pairs of unjudged documents is known without a label. docs/theory/assisted.md,
section *Second order*, paragraph *A mixture*.

With steps of gain b_g, first and second differences c_g and k_g of the mean of D (one document of class g or more in
addition, and two), and discounts d of a run, that derivative is

    -(d_i b_g b_h c_h + d_j b_h b_g c_g) / I^2 + 2 DCG b_g c_g b_h c_h / I^3 - [g = h] DCG b_g k_g / I^2.

Errors of z_ig are sums over stages l <= g of z_ig (1 - chance_il) times the error of the linear predictor, and stages
err independently, so that sums over pairs are products of sums, less those of a document with itself.

With labels or probabilities p by rank k, S = sum of p_k (1 + sum above of p) / k and R = sum of p, and AP is S / R. R
is in part unknown: to the c documents that are known to be relevant comes a number N of others, taken as Poisson's with
the expected number as its mean. S has three parts: of known relevant documents alone, with one uncertain document, and
with two. In these R is c + N, c + 1 + N and c + 2 + N, and the plug-in is each part times the mean of 1 / R. Its
derivative by a probability is then exactly what it gains when that document becomes known to be relevant. Poisson's
number varies too much where single probabilities are large, which is taken back to second order. The sums down
rankings, and all that is made of them run by run, are the core's (`precision_terms.hpp`).
docs/theory/assisted.md, sections *The plug-in*, *First order* and *Second order*.

With z_dg the probability that document d has class g or more and steps of gain b_g = gain_g - gain_(g-1):
DCG = sum over d of discount_d sum over g of b_g z_dg, and I = sum over g of b_g times the mean of D(C_g), where C_g is
the number of documents of class g or more, in part unknown, and D the cumulative discount. What is made of these
document by document and run by run is the core's (`gain_terms.hpp`). docs/theory/assisted.md, sections *The plug-in*
(the mean of D), *First order* and *Second order*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from poolwise import _core
from poolwise.estimates.layout import Array, Whole, products
from poolwise.estimates.model import TopicState
from poolwise.estimates.model_errors import joint_errors, within_strata
from poolwise.estimates.targets import NO_PAIRS, Target, Terms, of_pairs


def expected_ratio_curvature(
    state: TopicState,
    target: Target,
    runs: Sequence[int],
    total: Array,
    ideal: float,
    more: Array,
    errors_of_stages: Sequence[Array],
) -> Array:
    """r: half the expected sum over pairs.

    `total` is DCG (r), `more` the mean of D with 0, 1 and 2 documents more (G x 3); products of rows of a stage's
    errors (N x any) are covariances of linear predictors.
    """
    steps = np.diff(target.gains)
    first, second = more[:, 1] - more[:, 0], more[:, 2] - 2.0 * more[:, 1] + more[:, 0]
    if not (np.isfinite(ideal) and (first.any() or second.any())):
        return np.zeros(len(runs))
    # The ideal is a mean over the cases in which there is any document worth something.
    first, second = (ideal / float(more[:, 0] @ steps) * part for part in (first, second))
    loose = np.where(state.classes[:, None] < 0, state.tail_chance, 0.0)
    used, near = _discounts(state, target, runs)
    cross, square, curve = np.zeros(len(runs)), 0.0, 0.0
    for stage, errors in enumerate(errors_of_stages):
        moved = loose[:, stage:] * (1.0 - state.chances[:, [stage]])  # N x classes from this stage's on
        gain, best = moved @ steps[stage:], moved @ (steps * first)[stage:]
        lengths = np.einsum("ip,ip->i", errors, errors)
        sums = best @ errors
        cross += products(near, (gain * (errors @ sums - best * lengths))[used])
        square += float(sums @ sums) - float(best**2 @ lengths)
        each = moved.T @ errors  # classes x shared
        curve += float((steps * second)[stage:] @ ((each**2).sum(axis=1) - (moved**2).T @ lengths))
    return -cross / ideal**2 + total * square / ideal**3 - 0.5 * total * curve / ideal**2


def _discounts(state: TopicState, target: Target, runs: Sequence[int]) -> tuple[Array, Array]:
    """Documents that count in any run, as places among the pooled ones, and their discounts (r x these)."""
    layout, table = state.model.layout, np.ascontiguousarray(target.discounts[: target.depth])
    used, near = (np.asarray(part) for part in layout.pool.core.used_weights(state.topic, list(runs), table))
    pooled_index = np.full(layout.size(state.topic), -1)
    listed = layout.listed[layout.part(state.topic)]
    pooled_index[listed] = np.arange(len(listed))
    pooled = pooled_index[used] >= 0
    return pooled_index[used[pooled]], near[:, pooled]


def precision_terms(
    state: TopicState, target: Target, runs: Sequence[int], with_slope: bool, pairs: Whole = NO_PAIRS
) -> Terms:
    """Plug-in value, u and B of average precision for every run on one topic."""
    p, predicted = state.tail_chance[:, 0], state.predicted[:, 0]
    loose = np.where(state.classes < 0, p, 0.0)
    weight = state.listed(state.speaks_for * predicted * (1.0 - predicted))
    chosen, without = state.refits
    errors, (columns, shared) = joint_errors(state), state.columns(with_slope)
    found = state.model.layout.pool.core.precision_terms(
        state.topic,
        runs,
        target.depth,
        state.listed(p - loose),
        state.listed(loose),
        weight,
        state.counted_index,
        np.ascontiguousarray(state.own_residuals[:, 0]),
        state.pair_weights,
        columns,
        state.listed(errors),
        state.listed(without[0]),
        state.numbers(chosen),
        len(pairs) > 0,
    )
    value, first, curvature, expected, expected_curvature, slopes, *rest = (np.asarray(part) for part in found)
    between = _between(pairs, weight, *rest)
    by_effects = (state.with_topic(slopes[:, :shared], state.model.stages[0]),) if with_slope else ()
    unseen = _unseen_curvature(state, target, runs, errors)
    return Terms(value, first, curvature, expected, between, expected_curvature, unseen, by_effects, slopes[:, shared:])


def _unseen_curvature(state: TopicState, target: Target, runs: Sequence[int], errors: Array) -> Array | None:
    """Expected sums over pairs that no pair of labels speaks for; nothing else is computed of them."""
    alone = within_strata(state, errors)
    if alone is None:
        return None
    p, nothing = state.tail_chance[:, 0], np.zeros(0)
    loose, size = np.where(state.classes < 0, p, 0.0), state.model.layout.size(state.topic)
    known, others, shared = (state.listed(part) for part in (p - loose, loose, alone))
    no_index, no_columns = np.full(size, -1, dtype=np.int32), np.zeros((size, 0))
    found = state.model.layout.pool.core.precision_terms(
        state.topic, runs, target.depth, known, others, np.zeros(size), no_index, nothing, np.zeros((0, 0)), no_columns,
        shared, no_columns, [], False,
    )  # fmt: skip
    return np.asarray(found[4])


def _between(pairs: Whole, weight: Array, parts: Array, mixed: Array, rest: Array, each: Array) -> Array:
    """Squared differences of pairs of runs as the model expects them.

    A(1) - A(0) of a document has a part from its slopes (`each`, runs x documents), which is 0 where a run does not
    retrieve it, and one from the three `parts` of S, of which only products with themselves (`rest`) are needed.
    """
    if not len(pairs):
        return np.zeros(0)
    found, position = np.unique(pairs, return_inverse=True)
    each, parts = each[found], parts[found]
    both = products(mixed[found], parts.T)
    every = products(each * weight, each.T) + both + both.T + products(products(parts, rest), parts.T)
    return of_pairs(every, position.reshape(-1, 2))


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
        return cls(*state.counts)


def ratio_terms(
    state: TopicState, target: Target, runs: Sequence[int], with_slope: bool, pairs: Whole = NO_PAIRS
) -> Terms:
    """Plug-in value, u and B for every run on one topic."""
    table = np.ascontiguousarray(target.discounts[: target.depth])
    columns, shared = state.columns(with_slope)
    chosen, without = state.refits
    *found, rest = state.model.layout.pool.core.gain_terms(
        state.topic,
        runs,
        table,
        target.gains,
        target.ideal,
        state.listed(state.tail_chance),
        state.listed(state.chances),
        state.listed(state.classes).astype(np.int32),
        state.listed(state.predicted),
        state.listed(state.speaks_for),
        state.counted_index,
        state.own_residuals,
        state.pair_products,
        columns,
        state.listed_grades(without),
        state.numbers(chosen),
    )
    value, first, curvature, expected, slopes, total, mixed, squares = (np.asarray(part) for part in found)
    between = _between_pairs(state, table, runs, squares, mixed, total, rest, pairs)
    stages = zip(slopes[:, :, :shared], state.model.stages, strict=True)
    by_effects = tuple(state.with_topic(slope, stage) for slope, stage in stages) if with_slope else ()
    curvatures = _expected_curvatures(state, target, runs, total)
    return Terms(value, first, curvature, expected, between, *curvatures, by_effects, slopes[0, :, shared:])


def _expected_curvatures(
    state: TopicState, target: Target, runs: Sequence[int], total: Array
) -> tuple[Array | None, Array | None]:
    """Of all pairs, and of those that no pair of labels speaks for."""
    if target.ideal is None:
        return None, None
    counts = Counts.of(state)
    about = state, target, runs, total, divisor_of(target, counts), worths_with_more(target.ideal, counts, 2)
    alone = [within_strata(state, errors) for errors in state.errors]
    unseen = [errors for errors in alone if errors is not None]
    return expected_ratio_curvature(*about, state.errors), expected_ratio_curvature(*about, unseen) if unseen else None


def _between_pairs(
    state: TopicState,
    table: Array,
    runs: Sequence[int],
    squares: Array,
    mixed: Array,
    total: Array,
    rest: float,
    pairs: Whole,
) -> Array:
    """Squared differences of pairs of runs as the model expects them.

    A document's label moves a run by a discount + b DCG with a and b the same for all runs. `squares` (documents) are
    of a, `mixed` (runs) sums of a b discount, `rest` is the sum of b^2, all weighted.
    """
    if not len(pairs):
        return np.zeros(0)
    found, position = np.unique(pairs, return_inverse=True)
    weights = state.model.layout.pool.core.used_weights(state.topic, [runs[run] for run in found], table)
    used, near = (np.asarray(part) for part in weights)
    linear = np.outer(mixed[found], total[found])
    both = products(near * squares[used], near.T) + linear + linear.T
    both += rest * np.outer(total[found], total[found])
    return of_pairs(both, position.reshape(-1, 2))


def _mean_worths(table: Array, counts: Counts) -> Array:
    """... x G: the mean of D over the uncertain number."""
    nothing = np.zeros(np.broadcast_shapes(*(np.shape(each) for each in counts)))
    certain, loose, squares = (nothing + each for each in counts)
    return np.asarray(_core.mean_worths(table, certain.astype(np.int64), loose, squares)).reshape(nothing.shape)


def _any(loose: Array, squares: Array) -> Array:
    """Probability of at least one relevant document without a certain one: 1 - exp(-loose), corrected."""
    return np.asarray(1.0 - np.exp(-np.maximum(loose, 1e-9)) * np.maximum(1.0 - 0.5 * squares, 0.0))


def divisor_of(target: Target, counts: Counts) -> float:
    """The divisor of DCG: the mean ideal where any document is worth something; 1 without an ideal."""
    if target.ideal is None:
        return 1.0
    ideal = float(_mean_worths(target.ideal, counts) @ np.diff(target.gains))
    some = 1.0 if counts.certain[0] > 0 else float(_any(counts.loose[0], counts.squares[0]))
    return ideal / some if ideal > 0.0 else np.inf


def worths_with_more(ideal: Array, counts: Counts, most: int) -> Array:
    """G x (most + 1): the mean of D with 0, 1, ..., `most` certain documents more."""
    more = counts._replace(certain=counts.certain + np.arange(most + 1)[:, None])
    return np.ascontiguousarray(_mean_worths(ideal, more).T)


def worths_along(ideal: Array, counts: Counts, most: Array, points: int) -> tuple[Array, Array]:
    """G x points: the mean of D with 0 to `most` (G) uncertain documents more; and the chance that there is any."""
    more = counts.loose + most * np.linspace(0.0, 1.0, points)[:, None]
    worth = _mean_worths(ideal, counts._replace(loose=more))
    some = np.ones(points) if counts.certain[0] > 0 else _any(more[:, 0], counts.squares[0])
    return np.ascontiguousarray(worth.T), some
