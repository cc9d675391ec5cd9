"""Pooling over runs: estimates drawn towards the line that links plug-in values and estimates of all runs.

The plug-in of a run is biased but steady, its estimate unbiased but noisy. Over many runs a straight line from one to
the other holds well; each run's distance from the line is shrunk by how much of it is noise. docs/theory/assisted.md,
section *The interval*, paragraph *Pooled over runs*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poolwise.estimate.combine import Combined
from poolwise.estimate.layout import Array, Whole
from poolwise.estimate.model import Stage
from poolwise.estimate.standard_errors import Variance, quantile, steadier_df, variance_of

__all__ = ["LEAST_RUNS", "Pooled", "pool_runs"]

LEAST_RUNS = 10
FARTHEST = 0.5  # in standard errors: how far a run's estimate may move
AT_ONCE = 256  # documents
LEAST_DISTANCE = 0.1  # tau^2 as a share of the mean noise: runs that lie on the line by chance are still let off it


@dataclass(frozen=True)
class Pooled:
    """Pooled estimates of all runs, their shares of error, and the variance that shrinking leaves."""

    values: Array
    shares: Array  # r x n
    left: Array  # r: (1 - lambda)^2 tau^2
    stopped: Array  # r: whether the limit on moving held a run back
    alone: Variance  # of the estimates before pooling
    growth: Array  # r: by how much tempering changed the variance of the estimates before pooling

    def half_width(self, level: float) -> Array:
        """Half the width of each run's interval."""
        seen = variance_of(self.shares)
        variance = seen.value * self.growth + self.left
        width = quantile(steadier_df(seen.df), level) * np.sqrt(variance)
        error = np.sqrt(np.maximum(variance, self.alone.value))
        return np.where(self.stopped, quantile(self.alone.df, level) * error, width)


def pool_runs(combined: Combined) -> Pooled | None:
    """Pool the estimates of one measure, or None where there are too few runs or all have the same plug-in.

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
    noise = np.zeros(len(y))
    for _, _, a_rest in _lines_and_rests(combined.shares, a_x, slope, centred):
        noise += np.einsum("rn,rn->r", a_rest, a_rest)
    distance = max(float((rest**2 - noise).sum()) / (len(y) - 2), LEAST_DISTANCE * float(noise.mean()))
    kept = np.divide(distance, distance + noise, out=np.ones(len(y)), where=distance + noise > 0)
    for part, a_line, a_rest in _lines_and_rests(combined.shares, a_x, slope, centred):
        a_x[:, part] = a_line + kept[:, None] * a_rest  # nobody else needs those of the plug-in
    return _limited(combined, line + kept * rest, a_x, (1.0 - kept) ** 2 * distance)


def _lines_and_rests(a_y: Array, a_x: Array, slope: float, centred: Array) -> Iterator[tuple[slice, Array, Array]]:
    """Which documents, and the shares of error of the line and of the rest in them (r x some).

    H is 1 / r + c c' / c'c, c being the centred plug-in means. Documents go by the hundred, so that they stay in the
    cache; shares of all of them are larger than it, and are made twice rather than kept.
    """
    means = np.vstack([np.full(len(centred), 1.0 / len(centred)), centred / (centred @ centred)])
    columns = np.column_stack([np.ones(len(centred)), centred])
    for begin in range(0, a_y.shape[1], AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        moved = slope * a_x[:, part]
        apart = a_y[:, part] - moved
        along = columns @ (means @ apart)
        apart -= along
        along += moved
        yield part, along, apart


def _limited(combined: Combined, values: Array, a: Array, left: Array) -> Pooled:
    """No run moves by more than half its standard error: a run unlike all others must not be drawn to their line."""
    alone = combined.variance
    limit = FARTHEST * alone.standard_error
    move = values - combined.values
    stopped = np.abs(move) > limit
    seen = combined.seen.value
    growth = np.divide(alone.value, seen, out=np.ones(len(seen)), where=seen > 0.0)
    return Pooled(combined.values + np.clip(move, -limit, limit), a, left, stopped, alone, growth)


def _plug_in_shares(combined: Combined) -> Array:
    """How each judged document moved the plug-in means: by its own label, and through the fitted effects."""
    layout = combined.model.layout
    inclusion = layout.inclusion[combined.counted]
    moved = combined.shares - combined.bend_shares
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
    places = np.searchsorted(combined.counted, rows)
    pull = (stage.residual / (1.0 - stage.leverage))[keep] * scale[places]
    bounds, k = np.searchsorted(rows, layout.bounds), by_topic.shape[1]
    for topic, (begin, end) in enumerate(pairwise(bounds)):
        own = rows[begin:end]
        along = shared.T @ features.shared[own].T + by_topic[topic].T @ features.topic[own, :k].T
        along *= pull[begin:end]
        moved[:, _as_slice(places[begin:end])] += along


def _as_slice(places: Whole) -> slice | Whole:
    """Ascending places, as a slice if they follow one another: that is faster than one by one."""
    if len(places) and places[-1] - places[0] == len(places) - 1:
        return slice(int(places[0]), int(places[-1]) + 1)
    return places
