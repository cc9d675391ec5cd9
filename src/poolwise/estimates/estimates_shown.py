"""The page of estimates from sampled labels: each run with its interval, and the score by all labels if known."""

from __future__ import annotations

import numpy as np

from poolwise.show.figures import run_intervals
from poolwise.show.page import Page, how_made
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.estimates.differences import Differences
    from poolwise.estimates.estimates import Estimate
    from poolwise.scores.scores import Scores

BAND = (
    "Estimates were looked at while judging went on: the band, which holds at every look, is the interval to publish. "
    "The interval beside it holds for one look, at the end."
)
MOST_PAIRS = 4  # differences that the summary spells out
STEADIED = "Ranked by the values steadied by all runs; intervals beside the measure are best for a run by itself."


def estimates_page(estimate: Estimate, complete: Scores | None = None, command: str = "") -> Page:
    """Make the page: estimates of every measure, best first; `complete` are scores by all labels, if there are."""
    level = level_of(estimate)
    parts: list[Table | Figure] = []
    summary = [] if estimate.differences is None else _pairs_in_words(estimate.differences)
    for measure in estimate.measures:
        runs, columns = estimate_columns(estimate, measure)
        truth = None
        if complete is not None:
            by_run = dict(zip(complete.runs, complete.means()[:, complete.measures.index(measure)], strict=True))
            truth = np.array([by_run[run] for run in runs])
            columns["all labels"] = truth.tolist()
            summary.append(_held(measure, columns, truth))
        elif estimate.differences is None:
            summary.append(first_words(measure, columns))
        values = (columns[measure], columns["low"], columns["high"])
        note = STEADIED if "steadied" in columns else ""
        parts += [
            run_intervals(f"{measure} of every run", runs, values, measure, truth, f"Bars are {level} intervals."),
            Table(f"By {measure}", columns, note),
        ]
    if estimate.differences is not None:
        note = f"A - B is the mean of run A minus that of run B. {estimate.apart_from_values()}".rstrip()
        pairs = {name: cells for name, cells in estimate.differences.columns().items() if name != "note" or any(cells)}
        parts.insert(0, Table("Differences", pairs, note))
    if estimate.band_low is not None:
        summary.append(BAND)
    methods = [method_words(estimate), *filter(None, [estimate.relative_to()]), *how_made(command)]
    return Page("Estimates from sampled labels", summary, parts, methods, estimate.warnings)


def method_words(estimate: Estimate) -> str:
    """How estimates are made."""
    return (
        f"Assisted estimates with {level_of(estimate)} intervals: a model of relevance on the "
        "runs' ranks, corrected by the sampled labels."
    )


def level_of(estimate: Estimate) -> str:
    """The level of the intervals."""
    return f"{100 * estimate.settings.get('level', 0.95):g} %"


def estimate_columns(estimate: Estimate, measure: str) -> tuple[list[str], dict[str, list[Any]]]:
    """Runs from best to worst and what is known of each."""
    column, runs = estimate.measures.index(measure), estimate.order(measure)
    order = [estimate.runs.index(run) for run in runs]
    tables = {measure: estimate.means(), "low": estimate.mean_low(), "high": estimate.mean_high()}
    if estimate.steadied is not None and estimate.steadied_low is not None and estimate.steadied_high is not None:
        tables["steadied"] = estimate.steadied
        tables |= {"steadied_low": estimate.steadied_low, "steadied_high": estimate.steadied_high}
    if estimate.outside.any():
        tables["outside"] = estimate.outside
    if estimate.band_low is not None and estimate.band_high is not None:
        tables |= {"band_low": estimate.band_low, "band_high": estimate.band_high}
    return runs, {"run": runs, **{name: np.asarray(table)[order, column].tolist() for name, table in tables.items()}}


def _held(measure: str, columns: dict[str, list[Any]], truth: Any) -> str:
    """Number of intervals that cover the scores by all labels."""
    low, high = np.array(columns["low"]), np.array(columns["high"])
    held = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    return (
        f"{measure}: {held.sum()} of {len(truth)} intervals hold the score by all labels; their mean width is "
        f"{np.mean(high - low):.3f}."
    )


def first_words(measure: str, columns: dict[str, list[Any]], hint: bool = True) -> str:
    """The leading run, if its lead is significant, in words.

    `hint` adds how to ask for differences.
    """
    runs, values, low, high = (columns[name] for name in ("run", measure, "low", "high"))
    ahead = f"{runs[0]} has the highest estimate ({values[0]:.4f}, {low[0]:.4f} to {high[0]:.4f})"
    if len(runs) == 1:
        return f"{measure} of {runs[0]} is estimated as {values[0]:.4f} ({low[0]:.4f} to {high[0]:.4f})."
    if low[0] != low[0]:
        return f"By {measure}, {runs[0]} has the highest estimate ({values[0]:.4f}), without an interval: not settled."
    others = sum(not end < low[0] for end in high[1:])  # also those without an interval
    if not others:
        return f"By {measure}, {ahead}, and the intervals of all others lie below it."
    more = f" Differences have intervals of their own, often narrower: `--difference {runs[0]} all`." if hint else ""
    reach = "the interval of 1 other run reaches" if others == 1 else f"the intervals of {others} other runs reach"
    return f"By {measure}, {ahead}, but which run is best is not settled: {reach} as high.{more}"


def _pairs_in_words(pairs: Differences) -> list[str]:
    """The differences in words, each if they are few."""
    rows = list(zip(pairs.run_a, pairs.run_b, pairs.measure, *map(list, (pairs.difference, pairs.low, pairs.high)),
                    strict=True))  # fmt: skip
    if len(rows) <= MOST_PAIRS:
        return [_pair(*row) for row in rows]
    settled = sum(low > 0 or high < 0 for *_, low, high in rows)
    return [f"Of {len(rows)} differences {settled} are settled: their intervals do not hold 0."]


def _pair(a: str, b: str, measure: str, difference: float, low: float, high: float) -> str:
    if low > 0 or high < 0:
        better, worse = (a, b) if low > 0 else (b, a)
        ends = sorted((abs(low), abs(high)))
        return (
            f"By {measure}, {better} is better than {worse} by {abs(difference):.4f} ({ends[0]:.4f} to {ends[1]:.4f})."
        )
    interval = "no interval" if low != low else f"{low:+.4f} to {high:+.4f}"
    return f"By {measure}, it is not settled whether {a} or {b} is better: {difference:+.4f} ({interval})."
