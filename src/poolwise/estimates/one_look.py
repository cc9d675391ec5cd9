"""Interim look at estimates during judging: sequential band, and forecast widths.

docs/theory/looking.md says why and when this is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from poolwise.basics.words import counted
from poolwise.errors import InputError
from poolwise.estimates.combine import Combined
from poolwise.estimates.differences import Differences, difference_ends, farthest_apart, score_ends
from poolwise.estimates.interim_looks import Look, Looks, Seen
from poolwise.estimates.layout import Array, Layout, squares
from poolwise.estimates.notes import undetermined
from poolwise.estimates.sequential_band import quantile_for
from poolwise.estimates.standard_errors import steadier_df
from poolwise.estimates.unpooled import ScoreRange, UnpooledDocuments
from poolwise.estimates.width_forecast import PlannedStep, PlannedSteps, WidthForecast
from poolwise.sampling.variance import Variance, quantile

__all__ = ["Looked", "look"]

AT_ONCE = 256  # rows
SHOWN = 3  # estimates that a note names


@dataclass(frozen=True)
class Looked:
    """The result of a look: bands of runs (runs x measures) and of pairs, widths to expect, and the looks so far."""

    looks: Looks
    runs: tuple[Array, Array]
    pairs: tuple[Array, Array] | None
    forecast: WidthForecast
    notes: tuple[str, ...] = ()  # what to know of the band: why there is none, or another end than was asked for


@dataclass(frozen=True)
class _EstimateRows:
    """Estimates of one kind and measure, and their variances at the steps ahead."""

    names: Sequence[tuple[str, str, str]]  # run, other run or nothing, measure
    value: Array
    variance: Variance
    reach: ScoreRange
    ahead: Sequence[Variance]
    short: Array  # by how much the variance is below what the model expects, 0 where it is not
    to_ends: Callable[[Array, Array, ScoreRange], tuple[Array, Array]]

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
        """Information fractions of the present look, 1 without variance."""
        now, end = self.variance.value, self.ahead[-1].value
        return np.minimum(np.divide(end, now, out=np.ones(len(now)), where=now > 0), 1.0)


def look(
    layout: Layout,
    combined: Sequence[Combined],
    outside: UnpooledDocuments,
    runs: Sequence[str],
    differences: Differences | None,
    looks: Looks,
    level: float,
) -> Looked:
    """Estimates of one more interim look."""
    alpha = looks.at(level)
    ahead = PlannedSteps.of(layout, outside.judgments, looks.end, looks.to_come)
    _refuse(looks, ahead)
    alone = [_of_runs(each, runs, ahead) for each in combined]
    if ahead.unseen:
        return _too_early(looks, ahead, alone, differences)
    paired = [] if differences is None else list(_of_pairs(combined, outside, differences, ahead))
    seen: dict[str, Seen] = {}
    bands = [_band(rows, looks, ahead, alpha, seen) for rows in alone]
    pair_bands = [_band(rows, looks, ahead, alpha, seen) for rows in paired]
    low, high = (np.stack([band[end] for band in bands], axis=1) for end in range(2))
    return Looked(
        looks.add(Look(ahead.judged, ahead.planned, seen), level),
        (low, high),
        (_joined(pair_bands, 0), _joined(pair_bands, 1)) if pair_bands else None,
        _forecast([*alone, *paired], ahead, level),
        (*_other_end(ahead), *_no_band(looks, ahead, seen)),
    )


def _refuse(looks: Looks, ahead: PlannedSteps) -> None:
    """Refuse looks with fewer labels than before, or more than planned."""
    if looks.seen and ahead.judged < (last := looks.seen[-1].labels):
        raise InputError(
            f"{counted(ahead.judged, 'label')}, but there were {last} at the last look, and bands hold for looks at "
            "more and more labels; give the newer labels, or estimate without looks"
        )
    if ahead.judged > ahead.most:
        raise InputError(
            f"{counted(ahead.judged, 'label')}, more than the {ahead.most} at which looks end; give a later end "
            "(--end, looks.until)"
        )


def _other_end(ahead: PlannedSteps) -> list[str]:
    """A note that labels end before the number that was asked for."""
    if ahead.planned >= ahead.asked:
        return []
    why = "the pool has no more" if ahead.whole else "nothing was drawn from the strata of all other documents"
    return [f"judging ends at {ahead.planned} labels, not at {ahead.asked}: {why}; band and widths are for that end"]


def _no_band(looks: Looks, ahead: PlannedSteps, seen: dict[str, Seen]) -> list[str]:
    """Note on estimates with an interval but without a band."""
    without = {key: row for key, row in seen.items() if not np.isfinite(row.factor) and row.standard_error > 0}
    done = {key: labels for key in without if (labels := looks.spent(key)) is not None}
    early = [100 * row.tau for key, row in without.items() if key not in done]
    notes = []
    if done:
        notes.append(
            f"no band any more for {_some(list(done))}: all of the error was spent at the look of "
            f"{max(done.values())} labels, the planned end then; estimate without looks, at a number of labels fixed "
            "before"
        )
    if early and ahead.whole:
        notes.append(
            "no band: looks end with the whole pool judged, where no error is left, so that every look before is too "
            "early; give an earlier end"
        )
    elif early:
        low, high = f"{min(early):.2g}", f"{max(early):.2g}"
        notes.append(
            f"no band yet for {_some([key for key in without if key not in done])}: this look has "
            f"{low if low == high else f'{low} to {high}'} % of the information at the end, too little to spend error "
            "on; there will be one with more labels"
        )
    return notes


def _some(keys: Sequence[str]) -> str:
    return ", ".join(keys[:SHOWN]) + (f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else "")


def _too_early(
    looks: Looks, ahead: PlannedSteps, alone: Sequence[_EstimateRows], differences: Differences | None
) -> Looked:
    """The result before all topics have a label: intervals do not cover yet, and no look is recorded."""
    none = np.full((len(alone[0].value), len(alone)), np.nan)
    of_pairs = None if differences is None else np.full(len(differences.run_a), np.nan)
    empty = WidthForecast((), (), (), (), (), np.zeros(0))
    sentence = f"{counted(ahead.unseen, 'topic')} still without first labels; until then there is no band"
    return Looked(looks, (none, none), None if of_pairs is None else (of_pairs, of_pairs), empty, (sentence,))


def _of_runs(combined: Combined, runs: Sequence[str], ahead: PlannedSteps) -> _EstimateRows:
    """Scores of runs; the model's tempering of the variance (`tempered`) is taken to stay what it is."""
    variance, seen = combined.variance, combined.seen
    growth = np.divide(variance.value, seen.value, out=np.ones(len(variance.value)), where=seen.value > 0)
    first = combined.shares - combined.curvature_shares
    later = [step.variance(first, combined.curvature_shares) for step in ahead.steps]
    known = Variance(np.where(undetermined(combined), np.nan, variance.value), variance.df)
    return _EstimateRows(
        [(run, "", str(combined.target.measure)) for run in runs],
        combined.values,
        known,
        combined.reach,
        [Variance(each.value * growth, steadier_df(each.df)) for each in later],
        _short(combined, combined.expected, first),
        partial(score_ends, bounds=combined.target.bounds, share=combined.target.is_share),
    )


def _of_pairs(
    combined: Sequence[Combined], outside: UnpooledDocuments, differences: Differences, ahead: PlannedSteps
) -> Iterator[_EstimateRows]:
    pairs = np.array(outside.pairs).reshape(-1, 2)
    for number, of_measure in enumerate(combined):
        part = slice(number * len(pairs), (number + 1) * len(pairs))
        names = list(zip(differences.run_a[part], differences.run_b[part], differences.measure[part], strict=True))
        variance = Variance(differences.standard_error[part] ** 2, differences.df[part])
        later = [_later(of_measure, pairs, step) for step in (ahead.now, *ahead.steps)]
        ends = partial(difference_ends, most=farthest_apart(of_measure.target))
        short = np.concatenate(
            [_short(of_measure, of_measure.between[rows], first) for rows, first in _firsts(of_measure, pairs)]
        )
        yield _EstimateRows(
            names, differences.difference[part], variance, of_measure.pair_reach, _grown(later, variance), short, ends
        )


def _firsts(combined: Combined, pairs: Array) -> Iterator[tuple[slice, Array]]:
    """First-order shares of differences, some pairs at a time."""
    for begin in range(0, len(pairs), AT_ONCE):
        rows = slice(begin, begin + AT_ONCE)
        a, b = pairs[rows].T
        yield (
            rows,
            (combined.shares[a] - combined.curvature_shares[a]) - (combined.shares[b] - combined.curvature_shares[b]),
        )


def _short(combined: Combined, expected: Array, first: Array) -> Array:
    """Excess of the model's expectation over the sum of squares of first-order shares (rows x n).

    Where topics were drawn, that is part of the variance in so far as they are all topics.
    """
    return combined.model.layout.share_of_topics * np.maximum(expected - squares(first), 0.0)


def _grown(later: Sequence[Variance], now: Variance) -> list[Variance]:
    """Forecast variances, starting with the present one. The effect of shrinking is assumed constant."""
    seen = later[0].value
    growth = np.divide(now.value, seen, out=np.ones(len(seen)), where=seen > 0)
    return [Variance(each.value * growth, steadier_df(each.df)) for each in later[1:]]


def _later(combined: Combined, pairs: Array, step: PlannedStep) -> Variance:
    parts = []
    for begin in range(0, len(pairs), AT_ONCE):
        a, b = pairs[begin : begin + AT_ONCE].T
        curvature = combined.curvature_shares[a] - combined.curvature_shares[b]
        variance = step.variance(combined.shares[a] - combined.shares[b] - curvature, curvature)
        parts.append((variance.value, variance.df))
    return Variance(_joined(parts, 0), _joined(parts, 1))


def _band(
    rows: _EstimateRows, looks: Looks, ahead: PlannedSteps, alpha: float, seen: dict[str, Seen]
) -> tuple[Array, Array]:
    """Limits of the band, NaN if there is none. The look is recorded, and a repeated look gives the same band.

    Of many looks a truth is left out at one whose standard error happens to be small. So from the second look on the
    band takes the larger of two variances, what the sample shows and what the model expects, which hardly moves.
    """
    errors, steady = rows.variance.standard_error, np.sqrt(rows.variance.value + rows.short)
    half = np.full(len(errors), np.nan)
    for index, (key, tau, error) in enumerate(zip(rows.keys, rows.taus.tolist(), errors.tolist(), strict=True)):
        if error != error:  # no interval, hence nothing that was seen
            continue
        known = looks.recall(key, ahead.judged, error)
        seen[key] = looks.see(key, tau, error, ahead.planned, alpha) if known is None else looks.seen[known].rows[key]
        reach = quantile_for(seen[key].factor, float(rows.variance.df[index])) if error > 0 else 0.0
        again = any(key in look.rows for look in looks.seen[:known])
        half[index] = reach * (steady[index] if again else error) if np.isfinite(reach) else np.nan
    return rows.ends(half)


def _forecast(every: Sequence[_EstimateRows], ahead: PlannedSteps, level: float) -> WidthForecast:
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
