"""Measures that are a weighted sum over the ranking divided by an ideal: nDCG, recall, and precision (divisor 1).

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
from poolwise.estimates.joint_ratio import expected_ratio_bend
from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import TopicState
from poolwise.estimates.model_errors import within_strata
from poolwise.estimates.ordered_sums import products
from poolwise.estimates.targets import NO_PAIRS, Target, Terms, of_pairs

__all__ = ["Counts", "divisor_of", "ratio_terms", "worths_along", "worths_with_more"]


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
    found, rest = state.model.layout.pool.core.gain_terms(
        state.topic,
        runs,
        table,
        target.gains,
        target.ideal,
        state.listed(state.exceed),
        state.listed(state.chances),
        state.listed(state.classes).astype(np.int32),
        state.listed(state.predicted),
        state.listed(state.speaks_for),
        state.places,
        state.own_residuals,
        state.pair_products,
        columns,
        state.listed_grades(without),
        state.numbers(chosen),
    )
    value, first, bend, expected, slopes, total, mixed, squares = (np.asarray(part) for part in found)
    between = _between(state, table, runs, squares, mixed, total, rest, pairs)
    stages = zip(slopes[:, :, :shared], state.model.stages, strict=True)
    by_effects = tuple(state.with_topic(own, stage) for own, stage in stages) if with_slope else ()
    bends = _expected_bends(state, target, runs, total)
    return Terms(value, first, bend, expected, between, *bends, by_effects, slopes[0, :, shared:])


def _expected_bends(
    state: TopicState, target: Target, runs: Sequence[int], total: Array
) -> tuple[Array | None, Array | None]:
    """Of all pairs, and of those that no pair of labels speaks for."""
    if target.ideal is None:
        return None, None
    counts = Counts.of(state)
    about = state, target, runs, total, divisor_of(target, counts), worths_with_more(target.ideal, counts, 2)
    alone = [within_strata(state, errors) for errors in state.errors]
    unseen = [errors for errors in alone if errors is not None]
    return expected_ratio_bend(*about, state.errors), expected_ratio_bend(*about, unseen) if unseen else None


def _between(
    state: TopicState,
    table: Array,
    runs: Sequence[int],
    squares: Array,
    mixed: Array,
    total: Array,
    rest: float,
    pairs: Whole,
) -> Array:
    """What the model expects of squared differences of pairs of runs.

    A document's label moves a run by a discount + b DCG with a and b the same for all runs. `squares` (documents) are
    of a, `mixed` (runs) sums of a b discount, `rest` is the sum of b^2, all weighted.
    """
    if not len(pairs):
        return np.zeros(0)
    found, place = np.unique(pairs, return_inverse=True)
    weights = state.model.layout.pool.core.used_weights(state.topic, [runs[run] for run in found], table)
    used, near = (np.asarray(part) for part in weights)
    linear = np.outer(mixed[found], total[found])
    both = products(near * squares[used], near.T) + linear + linear.T
    both += rest * np.outer(total[found], total[found])
    return of_pairs(both, place.reshape(-1, 2))


def _mean_worths(table: Array, counts: Counts) -> Array:
    """... x G: the mean of D over the uncertain number."""
    nothing = np.zeros(np.broadcast_shapes(*(np.shape(each) for each in counts)))
    certain, loose, squares = (nothing + each for each in counts)
    return np.asarray(_core.mean_worths(table, certain.astype(np.int64), loose, squares)).reshape(nothing.shape)


def _any(loose: Array, squares: Array) -> Array:
    """The chance that there is any document, none being certain: 1 - exp(-loose), less those that count twice."""
    return np.asarray(1.0 - np.exp(-np.maximum(loose, 1e-9)) * np.maximum(1.0 - 0.5 * squares, 0.0))


def divisor_of(target: Target, counts: Counts) -> float:
    """What DCG is divided by: the mean ideal where there is any document worth something; 1 without an ideal."""
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
