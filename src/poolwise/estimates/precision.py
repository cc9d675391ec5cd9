"""Average precision: the plug-in and its corrections.

With labels or probabilities p by rank k, S = sum of p_k (1 + sum above of p) / k and R = sum of p, and AP is S / R. R
is in part unknown: to the c documents that are known to be relevant comes a number N of others, taken as Poisson's with
the expected number as its mean. S has three parts: of known relevant documents alone, with one uncertain document, and
with two. In these R is c + N, c + 1 + N and c + 2 + N, and the plug-in is each part times the mean of 1 / R. Its
derivative by a probability is then exactly what it gains when that document becomes known to be relevant. Poisson's
number varies too much where single probabilities are large, which is taken back to second order. The sums down
rankings, and all that is made of them run by run, are the core's (`precision_terms.hpp`).
docs/theory/assisted.md, sections *The plug-in*, *First order* and *Second order*.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import TopicState
from poolwise.estimates.model_errors import joint_errors, within_strata
from poolwise.estimates.ordered_sums import products
from poolwise.estimates.targets import NO_PAIRS, Target, Terms, of_pairs

__all__ = ["precision_terms"]


def precision_terms(
    state: TopicState, target: Target, runs: Sequence[int], with_slope: bool, pairs: Whole = NO_PAIRS
) -> Terms:
    """Plug-in value, u and B of average precision for every run on one topic."""
    p, predicted = state.exceed[:, 0], state.predicted[:, 0]
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
        state.places,
        np.ascontiguousarray(state.own_residuals[:, 0]),
        state.pair_weights,
        columns,
        state.listed(errors),
        state.listed(without[0]),
        state.numbers(chosen),
        len(pairs) > 0,
    )
    value, first, bend, expected, expected_bend, slopes, *rest = (np.asarray(part) for part in found)
    between = _between(pairs, weight, *rest)
    by_effects = (state.with_topic(slopes[:, :shared], state.model.stages[0]),) if with_slope else ()
    unseen = _unseen_bend(state, target, runs, errors)
    return Terms(value, first, bend, expected, between, expected_bend, unseen, by_effects, slopes[:, shared:])


def _unseen_bend(state: TopicState, target: Target, runs: Sequence[int], errors: Array) -> Array | None:
    """What is expected of pairs that no pair of labels speaks for: the same sums, nothing else being asked of them."""
    alone = within_strata(state, errors)
    if alone is None:
        return None
    p, nothing = state.exceed[:, 0], np.zeros(0)
    loose, size = np.where(state.classes < 0, p, 0.0), state.model.layout.size(state.topic)
    known, others, shared = (state.listed(part) for part in (p - loose, loose, alone))
    places, no_columns = np.full(size, -1, dtype=np.int32), np.zeros((size, 0))
    found = state.model.layout.pool.core.precision_terms(
        state.topic, runs, target.depth, known, others, np.zeros(size), places, nothing, np.zeros((0, 0)), no_columns,
        shared, no_columns, [], False,
    )  # fmt: skip
    return np.asarray(found[4])


def _between(pairs: Whole, weight: Array, parts: Array, mixed: Array, rest: Array, each: Array) -> Array:
    """What the model expects of squared differences of pairs of runs.

    A(1) - A(0) of a document has a part from its slopes (`each`, runs x documents), which is 0 where a run does not
    retrieve it, and one from the three `parts` of S, of which only products with themselves (`rest`) are needed.
    """
    if not len(pairs):
        return np.zeros(0)
    found, place = np.unique(pairs, return_inverse=True)
    each, parts = each[found], parts[found]
    both = products(mixed[found], parts.T)
    every = products(each * weight, each.T) + both + both.T + products(products(parts, rest), parts.T)
    return of_pairs(every, place.reshape(-1, 2))
