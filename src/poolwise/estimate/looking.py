"""One look at estimates while judging goes on: the band that holds at every look, and the widths to expect.

docs/theory/looking.md says why and when this is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from poolwise.estimate.ahead import Ahead, Step, WidthForecast
from poolwise.estimate.combine import Combined
from poolwise.estimate.differences import Differences, farthest_apart
from poolwise.estimate.ends import difference_ends, score_ends
from poolwise.estimate.layout import Array, Layout
from poolwise.estimate.looks import quantile_for
from poolwise.estimate.notes import undetermined
from poolwise.estimate.outside import Outside, Reach
from poolwise.estimate.seen_looks import Look, Looks, Seen
from poolwise.estimate.standard_errors import Variance, quantile, steadier_df

__all__ = ["Looked", "look"]

AT_ONCE = 256  # rows


@dataclass(frozen=True)
class Looked:
    """What a look gives: bands of runs (runs x measures) and of pairs, widths to expect, and the looks so far."""

    looks: Looks
    runs: tuple[Array, Array]
    pairs: tuple[Array, Array] | None
    forecast: WidthForecast
    beyond: bool  # whether more is judged than was planned
    unseen: int = 0  # topics that still wait for first labels


@dataclass(frozen=True)
class _Rows:
    """Estimates of one kind and measure, and their variances at the steps ahead."""

    names: Sequence[tuple[str, str, str]]  # run, other run or nothing, measure
    value: Array
    variance: Variance
    reach: Reach
    ahead: Sequence[Variance]
    short: Array  # by how much the variance is below what the model expects, 0 where it is not
    to_ends: Callable[[Array, Array, Reach], tuple[Array, Array]]

    @property
    def keys(self) -> list[str]:
        return [f"{measure} {a}" + (f" - {b}" if b else "") for a, b, measure in self.names]

    def ends(self, half: Array) -> tuple[Array, Array]:
        return self.to_ends(self.value, half, self.reach)

    def width(self, variance: Variance, level: float) -> Array:
        low, high = self.ends(quantile(variance.df, level) * variance.standard_error)
        return high - low

    @property
    def taus(self) -> Array:
        """Information now as a share of that at the end; nothing is left to learn where there is no variance."""
        now, end = self.variance.value, self.ahead[-1].value
        return np.minimum(np.divide(end, now, out=np.ones(len(now)), where=now > 0), 1.0)


def look(
    layout: Layout,
    combined: Sequence[Combined],
    outside: Outside,
    runs: Sequence[str],
    differences: Differences | None,
    looks: Looks,
    level: float,
) -> Looked:
    """Look once more."""
    alpha = looks.at(level)
    ahead = Ahead.of(layout, outside.judgments, looks.end, looks.to_come)
    alone = [_of_runs(one, runs, ahead) for one in combined]
    if ahead.unseen:
        return _too_early(looks, ahead, alone, differences)
    paired = [] if differences is None else list(_of_pairs(combined, outside, differences, ahead))
    seen: dict[str, Seen] = {}
    bands = [_band(rows, looks, ahead.planned, alpha, seen) for rows in alone]
    pair_bands = [_band(rows, looks, ahead.planned, alpha, seen) for rows in paired]
    low, high = (np.stack([band[end] for band in bands], axis=1) for end in range(2))
    return Looked(
        looks.add(Look(ahead.judged, ahead.planned, seen), level),
        (low, high),
        (_joined(pair_bands, 0), _joined(pair_bands, 1)) if pair_bands else None,
        _forecast([*alone, *paired], ahead, level),
        bool(looks.seen) and ahead.beyond,
    )


def _too_early(looks: Looks, ahead: Ahead, alone: Sequence[_Rows], differences: Differences | None) -> Looked:
    """Topics without a label that will have some: intervals do not cover yet, so this is no look."""
    none = np.full((len(alone[0].value), len(alone)), np.nan)
    of_pairs = None if differences is None else np.full(len(differences.run_a), np.nan)
    empty = WidthForecast((), (), (), (), (), np.zeros(0))
    return Looked(looks, (none, none), None if of_pairs is None else (of_pairs, of_pairs), empty, False, ahead.unseen)


def _of_runs(one: Combined, runs: Sequence[str], ahead: Ahead) -> _Rows:
    """Scores of runs; the model's tempering of the variance (`tempered`) is taken to stay what it is."""
    own, seen = one.variance, one.seen
    growth = np.divide(own.value, seen.value, out=np.ones(len(own.value)), where=seen.value > 0)
    first = one.shares - one.bend_shares
    later = [step.variance(first, one.bend_shares) for step in ahead.steps]
    known = Variance(np.where(undetermined(one), np.nan, own.value), own.df)
    return _Rows(
        [(run, "", str(one.target.measure)) for run in runs],
        one.values,
        known,
        one.reach,
        [Variance(each.value * growth, steadier_df(each.df)) for each in later],
        _short(one, one.expected, first),
        partial(score_ends, bounds=one.target.bounds, share=one.target.is_share),
    )


def _of_pairs(
    combined: Sequence[Combined], outside: Outside, differences: Differences, ahead: Ahead
) -> Iterator[_Rows]:
    pairs = np.array(outside.pairs).reshape(-1, 2)
    for number, one in enumerate(combined):
        part = slice(number * len(pairs), (number + 1) * len(pairs))
        names = list(zip(differences.run_a[part], differences.run_b[part], differences.measure[part], strict=True))
        variance = Variance(differences.standard_error[part] ** 2, differences.df[part])
        later = [_later(one, pairs, step) for step in (ahead.now, *ahead.steps)]
        ends = partial(difference_ends, most=farthest_apart(one.target))
        short = np.concatenate([_short(one, one.between[rows], first) for rows, first in _firsts(one, pairs)])
        yield _Rows(names, differences.difference[part], variance, one.pair_reach, _grown(later, variance), short, ends)


def _firsts(one: Combined, pairs: Array) -> Iterator[tuple[slice, Array]]:
    """First-order shares of differences, some pairs at a time."""
    for begin in range(0, len(pairs), AT_ONCE):
        rows = slice(begin, begin + AT_ONCE)
        a, b = pairs[rows].T
        yield rows, (one.shares[a] - one.bend_shares[a]) - (one.shares[b] - one.bend_shares[b])


def _short(one: Combined, expected: Array, first: Array) -> Array:
    """By how much squares of first-order shares (rows x n) fall short of what the model expects of their sum.

    Where topics were drawn, that is part of the variance in so far as they are all topics.
    """
    return one.model.layout.share_of_topics * np.maximum(expected - np.einsum("rn,rn->r", first, first), 0.0)


def _grown(later: Sequence[Variance], now: Variance) -> list[Variance]:
    """Variances ahead, the first being the one now as the sample shows it: tempering is taken to stay what it is."""
    seen = later[0].value
    growth = np.divide(now.value, seen, out=np.ones(len(seen)), where=seen > 0)
    return [Variance(each.value * growth, steadier_df(each.df)) for each in later[1:]]


def _later(one: Combined, pairs: Array, step: Step) -> Variance:
    parts = []
    for begin in range(0, len(pairs), AT_ONCE):
        a, b = pairs[begin : begin + AT_ONCE].T
        bend = one.bend_shares[a] - one.bend_shares[b]
        variance = step.variance(one.shares[a] - one.shares[b] - bend, bend)
        parts.append((variance.value, variance.df))
    return Variance(_joined(parts, 0), _joined(parts, 1))


def _band(rows: _Rows, looks: Looks, end: int, alpha: float, seen: dict[str, Seen]) -> tuple[Array, Array]:
    """Ends of the band, NaN where there is none yet; what was seen is added.

    Of many looks a truth is left out at one whose standard error happens to be small. So from the second look on the
    band takes the larger of two variances, what the sample shows and what the model expects, which hardly moves.
    """
    errors, steady = rows.variance.standard_error, np.sqrt(rows.variance.value + rows.short)
    half = np.full(len(errors), np.nan)
    for place, (key, tau, error) in enumerate(zip(rows.keys, rows.taus.tolist(), errors.tolist(), strict=True)):
        if error != error:  # no interval, hence nothing that was seen
            continue
        seen[key] = looks.see(key, tau, error, end, alpha)
        reach = quantile_for(seen[key].factor, float(rows.variance.df[place])) if error > 0 else 0.0
        again = any(key in look.rows for look in looks.seen)
        half[place] = reach * (steady[place] if again else error) if np.isfinite(reach) else np.nan
    return rows.ends(half)


def _forecast(every: Sequence[_Rows], ahead: Ahead, level: float) -> WidthForecast:
    """Widths now, at the steps and at the end, one row after the other."""
    names: list[tuple[str, str, str]] = []
    widths = []
    moments = [(0, False), *((step.labels, step.end) for step in ahead.steps)]
    for rows in every:
        names += [name for name in rows.names for _ in moments]
        widths.append(np.stack([rows.width(each, level) for each in (rows.variance, *rows.ahead)], axis=1).ravel())
    run_a, run_b, measure = zip(*names, strict=True)
    times = len(names) // len(moments)
    labels, ends = zip(*moments * times, strict=True)
    return WidthForecast(run_a, run_b, measure, labels, ends, np.concatenate(widths))


def _joined(parts: Sequence[tuple[Array, Array]], column: int) -> Array:
    return np.concatenate([part[column] for part in parts])
