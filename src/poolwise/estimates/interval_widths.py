"""How wide the intervals of estimates are, and nothing else: for plans, which try samples that do not exist yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from poolwise.basics.one_thread import one_thread_products
from poolwise.basics.threads import thread_count
from poolwise.estimates.combine import Combined, combine
from poolwise.estimates.differences import farthest_apart, variance_of_pairs
from poolwise.estimates.ends import difference_ends, score_ends
from poolwise.estimates.features import Features
from poolwise.estimates.layout import Array, Layout
from poolwise.estimates.notes import undetermined
from poolwise.estimates.outside import Outside, Reach
from poolwise.estimates.targets import target_of
from poolwise.measures.measure import Measure
from poolwise.pool.judgments import Judgments
from poolwise.pool.pool import Pool

__all__ = ["interval_widths"]

STILL = Reach.none(1)


def interval_widths(
    pool: Pool,
    measure: Measure,
    judgments: Judgments,
    pairs: list[tuple[int, int]],
    level: float,
    features: Features,
    threads: int | None = None,
) -> tuple[Array, Array]:
    """Widths of all runs and of some differences, as `estimate` gives them without documents outside the pool.

    NaN where there is no interval.
    """
    layout, runs = Layout.of(pool, judgments).spoken_for(features.spoken), list(range(len(pool.runs)))
    target = target_of(measure, layout)
    outside = Outside(judgments, runs, pairs, [target], "nonrelevant")
    with one_thread_products():
        (one,) = combine(layout, features, [target], runs, False, thread_count(threads), outside)
    return _of_runs(one, level), _of_pairs(one, pairs, level)


def _of_runs(one: Combined, level: float) -> Array:
    half = np.where(undetermined(one), np.nan, one.variance.half_width(level))
    low, high = score_ends(one.values, half, STILL, one.target.bounds, one.target.is_share)
    return np.asarray(high - low)


def _of_pairs(one: Combined, pairs: list[tuple[int, int]], level: float) -> Array:
    if not pairs:
        return np.zeros(0)
    places: Any = np.array(pairs)
    half = variance_of_pairs(one, places, slice(None)).half_width(level)
    values = one.values[places[:, 0]] - one.values[places[:, 1]]
    low, high = difference_ends(values, half, STILL, farthest_apart(one.target))
    return np.asarray(high - low)
