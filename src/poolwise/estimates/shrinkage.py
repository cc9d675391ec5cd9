"""Shrinkage over runs: estimates are shrunken towards a regression line on their plug-in values.

The plug-in of a run is biased but steady, its estimate unbiased but noisy. Over many runs a straight line from one to
the other holds well; each run's distance from the line is shrunk by how much of it is noise. docs/theory/assisted.md,
section *The interval*, paragraph *Pooled over runs*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from poolwise import _core
from poolwise.estimates.combine import Combined
from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import Stage
from poolwise.estimates.standard_errors import steadier_df
from poolwise.sampling.variance import Variance, quantile, variance_from, variance_of

__all__ = ["LEAST_RUNS", "ShrunkEstimates", "shrink_runs"]

LEAST_RUNS = 10  # a line through fewer runs is no better known than their own estimates
FARTHEST = 0.5  # standard errors that a run's estimate may move; fitted: benchmarks/calibrate.py
# tau^2 at least, as a share of the mean noise: runs on the line by chance are not tied to it; fitted:
# benchmarks/calibrate.py
LEAST_DISTANCE = 0.1


@dataclass(frozen=True)
class ShrinkageLine:
    """Regression line of estimates on plug-in values, with the shares of error (r x n) of both."""

    estimates: Array
    plug_ins: Array
    slope: float
    centred: Array  # r: plug-in means less their mean

    def noise(self) -> Array:
        """Sum of squares (r) of the residuals' shares of error."""
        return self._sums(np.zeros(len(self.centred)), np.ones(len(self.centred)))[0]

    def variance(self, rest_share: Array) -> Variance:
        """Variance of the line together with a part of the rest."""
        return variance_from(*self._sums(np.ones(len(rest_share)), rest_share))

    def shares(self, rest_share: Array) -> Array:
        """Shares of error (r x n) of the line with a part of the residuals."""
        moved = self.slope * self.plug_ins
        apart = self.estimates - moved
        along = apart.mean(axis=0) + np.outer(self.centred, self.centred @ apart / (self.centred @ self.centred))
        return along + moved + rest_share[:, None] * (apart - along)

    def _sums(self, on_line: Array, rest_share: Array) -> tuple[Array, Array]:
        """Sums of squares and fourth powers; nothing of runs x documents is kept, which is larger than the cache."""
        found = _core.pooled_sums(self.estimates, self.plug_ins, self.centred, self.slope, on_line, rest_share)
        second, fourth = (np.asarray(part) for part in found)
        return second, fourth


@dataclass(frozen=True)
class ShrunkEstimates:
    """Shrunken estimates of all runs, with shares of error and variances."""

    values: Array
    line: ShrinkageLine
    rest_share: Array  # r: of the rest
    left: Array  # r: (1 - lambda)^2 tau^2
    stopped: Array  # r: whether the limit on moving held a run back
    alone: Variance  # of the estimates before pooling
    growth: Array  # r: by how much tempering changed the variance of the estimates before pooling
    seen: Variance  # of the shares

    rows: Whole  # r: of the line

    def in_order(self, rows: Whole) -> ShrunkEstimates:
        """The same runs in another order, the line staying as it is."""
        alone, seen = (Variance(each.value[rows], each.df[rows]) for each in (self.alone, self.seen))
        rest_share, left, stopped = self.rest_share[rows], self.left[rows], self.stopped[rows]
        return ShrunkEstimates(
            self.values[rows], self.line, rest_share, left, stopped, alone, self.growth[rows], seen, rows
        )

    @cached_property
    def shares(self) -> Array:
        """r x n."""
        return self.line.shares(self.rest_share[np.argsort(self.rows)])[self.rows]

    def half_width(self, level: float) -> Array:
        """Half the width of each run's interval."""
        variance = self.seen.value * self.growth + self.left
        width = quantile(steadier_df(self.seen.df), level) * np.sqrt(variance)
        error = np.sqrt(np.maximum(variance, self.alone.value))
        return np.where(self.stopped, quantile(self.alone.df, level) * error, width)

    def half_width_apart(self, a: Whole, b: Whole, seen: Variance, alone: Variance, level: float) -> Array:
        """The same of differences of runs a and b; `seen` and `alone` are variances of these before pooling.

        Where no judged document tells two runs apart, their own interval is all there is.
        """
        both = variance_of(self.shares[a] - self.shares[b])
        variance = both.value * _growth(alone, seen) + self.left[a] + self.left[b]
        width = quantile(steadier_df(both.df), level) * np.sqrt(variance)
        by_themselves = self.stopped[a] | self.stopped[b] | (seen.value <= 0.0)
        return np.where(by_themselves, np.maximum(width, alone.half_width(level)), width)


def shrink_runs(combined: Combined) -> ShrunkEstimates | None:
    """Shrunken estimates of a measure. Computed in the order of the pool, so that the wanted order does not matter.

    None where there are too few runs or all have the same plug-in.
    """
    order = np.argsort(combined.runs)
    if (order == np.arange(len(order))).all():
        return _pool(combined)
    found = _pool(combined.of_runs(order))
    return None if found is None else found.in_order(np.argsort(order))


def _pool(combined: Combined) -> ShrunkEstimates | None:
    """Shrunken estimates of a measure. None with too few runs, or equal plug-in values.

    With x the plug-in means, y the estimates and H the hat matrix of the regression of y on x (slope b), the line is
    H y and the rest e = (I - H) y. Errors of x move the line too: shares of error a_x and a_y (r x n) give the line
    H (a_y - b a_x) + b a_x and the rest (I - H) (a_y - b a_x), of which the sum of squares is the noise in e. What e
    holds besides noise is tau^2 = sum(e^2 - noise) / (r - 2), and of each e the share lambda = tau^2 / (tau^2 + noise)
    is kept (empirical Bayes). A true distance from the line loses 1 - lambda of itself: (1 - lambda)^2 tau^2 is left.
    """
    x, y = combined.plug_in.mean(axis=1), combined.values
    if len(y) < LEAST_RUNS or np.ptp(x) < 1e-9:
        return None
    a_x = _plug_in_shares(combined)
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    line = y.mean() + slope * centred
    rest = y - line
    of_both = ShrinkageLine(combined.shares, a_x, slope, centred)
    noise = of_both.noise()
    distance = max(float((rest**2 - noise).sum()) / (len(y) - 2), LEAST_DISTANCE * float(noise.mean()))
    rest_share = np.divide(distance, distance + noise, out=np.ones(len(y)), where=distance + noise > 0)
    return _limited(combined, line + rest_share * rest, of_both, rest_share, (1.0 - rest_share) ** 2 * distance)


def _limited(combined: Combined, values: Array, line: ShrinkageLine, rest_share: Array, left: Array) -> ShrunkEstimates:
    """Shrunken estimates with moves limited to half a standard error, because a run may differ from all others."""
    alone = combined.variance
    limit = FARTHEST * alone.standard_error
    move = values - combined.values
    stopped = np.abs(move) > limit
    pooled = combined.values + np.clip(move, -limit, limit)
    growth, seen = _growth(alone, combined.seen), line.variance(rest_share)
    return ShrunkEstimates(pooled, line, rest_share, left, stopped, alone, growth, seen, np.arange(len(values)))


def _growth(alone: Variance, seen: Variance) -> Array:
    """By how much tempering changed variances."""
    return np.divide(alone.value, seen.value, out=np.ones(len(seen.value)), where=seen.value > 0.0)


def _plug_in_shares(combined: Combined) -> Array:
    """How each judged document moved the plug-in means: by its own label, and through the fitted effects."""
    layout = combined.model.layout
    inclusion = layout.inclusion[combined.counted]
    moved = combined.shares - combined.curvature_shares
    moved *= inclusion
    scale = np.sqrt(1.0 - inclusion) / layout.topics
    for number, stage in enumerate(combined.model.stages):
        slopes = np.stack([topic[number] for topic in combined.slopes])  # T x r x (shared + k)
        first = len(stage.fit.shared)
        effect = stage.fit.arrow.solve(slopes[:, :, :first].sum(axis=0).T, slopes[:, :, first:].swapaxes(1, 2))
        _add_moves(combined, stage, *effect, scale, moved)
    return moved


def _add_moves(combined: Combined, stage: Stage, shared: Array, by_topic: Array, scale: Array, moved: Array) -> None:
    """Add x_i' H^-1 (slope of the run's value) times the residual of i with i left out, to first order (r x n)."""
    features, layout = combined.model.features, combined.model.layout
    keep = np.isin(stage.rows, combined.counted, assume_unique=True)
    rows = stage.rows[keep]
    indices = np.searchsorted(combined.counted, rows)
    pull = (stage.residual / (1.0 - stage.leverage))[keep] * scale[indices]
    bounds, columns = np.searchsorted(rows, layout.bounds), list(features.topic_in_shared[: by_topic.shape[1]])
    for topic, (begin, end) in enumerate(pairwise(bounds)):
        effects = shared.copy()
        effects[columns] += by_topic[topic]
        along = effects.T @ features.shared[rows[begin:end]].T
        along *= pull[begin:end]
        moved[:, _as_slice(indices[begin:end])] += along


def _as_slice(indices: Whole) -> slice | Whole:
    """Ascending places, as a slice if they follow one another: that is faster than one by one."""
    if len(indices) and indices[-1] - indices[0] == len(indices) - 1:
        return slice(int(indices[0]), int(indices[-1]) + 1)
    return indices
