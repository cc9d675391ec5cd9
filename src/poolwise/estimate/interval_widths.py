"""How wide the intervals of estimates are, and nothing else: for plans, which try samples that do not exist yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from poolwise.estimate.combine import Combined, combine
from poolwise.estimate.differences import farthest_apart, variance_of_pairs
from poolwise.estimate.ends import difference_ends, score_ends
from poolwise.estimate.features import Features
from poolwise.estimate.layout import Array, Layout
from poolwise.estimate.notes import undetermined
from poolwise.estimate.outside import Outside, Reach
from poolwise.estimate.targets import target_of
from poolwise.judge.judgments import Judgments
from poolwise.one_thread import one_thread_products
from poolwise.pool.pool import Pool
from poolwise.score.measure import Measure
from poolwise.threads import thread_count

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
