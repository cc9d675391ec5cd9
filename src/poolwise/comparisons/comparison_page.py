"""The page of a comparison: which run to use, who beats whom, and how sure that is."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

import numpy as np

from poolwise.basics.closeness import best_first
from poolwise.comparisons.comparison_plot import baseline_figure, comparison_figure
from poolwise.comparisons.conclusion import BETTER, UNCLEAR, WORSE, floor_words, in_a_row
from poolwise.comparisons.tiers import TIERS_NOTE
from poolwise.show.column_words import Words
from poolwise.show.origin import how_made
from poolwise.show.page import Page, together
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.comparisons.comparison import Comparison

PAIRS_NOTE = (
    "The surest difference first. A - B is the mean of run A minus that of run B, with the ends of its interval."
)
# What a page shows of each measure, and of all its measures together, so that it can be opened; files hold the rest
MOST_PAIRS, PAIRS_OF_ALL = 500, 2_000
MOST_RUNS, RUNS_OF_ALL = 1_000, 10_000
CELLS_OF_ALL = 30_000  # of maps of who beats whom
MOST_NAMES = 5
# What a comparison holds of every pair
OF_PAIRS = (
    "first", "second", "difference", "p", "p_corrected", "low", "high", "effect", "asl", "p_error", "could_be_undone",
)  # fmt: skip
LETTERS = Words("group", "Runs that share a letter cannot be told apart")


def comparison_page(comparison: Comparison, command: str = "", measures: int = 1) -> Page:
    """Make the page: which run to use, runs with their groups, the matrix of pairs, the surest pairs.

    It is one of so many measures that share a page.
    """
    parts: list[Table | Figure] = [
        _runs(comparison, min(MOST_RUNS, RUNS_OF_ALL // measures)),
        *_figures(comparison, CELLS_OF_ALL // measures),
        _pairs(comparison, min(MOST_PAIRS, PAIRS_OF_ALL // measures)),
    ]
    return Page(
        f"Comparison by {comparison.measure}",
        [*_advice(comparison), comparison.conclusion],
        parts,
        [comparison.method, *how_made(command)],
        comparison.warnings,
    )


def _figures(comparison: Comparison, cells: int) -> list[Figure]:
    """Differences from the baselines, or who beats whom if anybody does, of as many runs as these cells are for."""
    if comparison.baselines:
        return [baseline_figure(comparison, baseline) for baseline in comparison.baselines[:MOST_NAMES]]
    return [comparison_figure(comparison, isqrt(cells))] if comparison.significant.any() else []


def comparisons_page(comparisons: Sequence[Comparison], command: str = "") -> Page:
    """One page of several measures, a section per measure."""
    pages = {each.measure: comparison_page(each, command, len(comparisons)) for each in comparisons}
    page = together("Comparison of runs", pages)
    return page if len(comparisons) == 1 else replace(page, summary=_advice_of_all(comparisons))


def _advice_of_all(comparisons: Sequence[Comparison]) -> list[str]:
    """Which run to use by all measures together, before each by itself; nothing where runs were held against others."""
    if any(comparison.baselines for comparison in comparisons):
        return []
    means = {each.measure: dict(zip(each.runs, each.means.tolist(), strict=True)) for each in comparisons}
    best = {measure: max(values, key=values.__getitem__) for measure, values in means.items()}
    sets = {each.measure: {each.runs[run] for run in np.flatnonzero(_tied_with_best(each))} for each in comparisons}
    both = set.intersection(*sets.values())
    measures = "both measures" if len(comparisons) == 2 else f"all {len(comparisons)} measures"
    if len(set(best.values())) == 1:
        return [_highest_by_all(comparisons[0].runs[int(np.argmax(comparisons[0].means))], measures, sets)]
    (measure, run), *others = best.items()
    first_words = f"By {measure} {run} has the highest mean"
    said = [f"{', '.join([first_words, *(f'by {measure} {run}' for measure, run in others)])}."]
    if not both:
        return [*said, f"No run may be the best by {measures}: which to use depends on the measure."]
    first = means[comparisons[0].measure]
    names = _some(sorted(both, key=lambda run: -first[run]))
    return [*said, f"{'Only ' if len(both) == 1 else ''}{names} may be the best by {measures}."]


def _highest_by_all(run: str, measures: str, tied: Mapping[str, set[str]]) -> str:
    """The run that is the highest by all measures, and by which of them it is surely the best."""
    sure = [measure for measure, runs in tied.items() if runs == {run}]
    unsure = [measure for measure in tied if measure not in sure]
    if not unsure:
        return f"Use {run}: it has the highest mean by {measures} and is better than every other run by each."
    if not sure:
        return f"{run} has the highest mean by {measures}, but by none of them is it significantly the best."
    return f"{run} has the highest mean by {measures}: significantly so by {in_a_row(sure)}, not by {in_a_row(unsure)}."


def _advice(comparison: Comparison) -> list[str]:
    """Which run to use, before all else; a single pair says it itself."""
    if len(comparison.first) == 1 or comparison.baselines:
        return []
    best = int(np.argmax(comparison.means))
    order = np.array(best_first(comparison.means))
    tied = [comparison.runs[run] for run in order[_tied_with_best(comparison)[order]] if run != best]
    first = f"{comparison.runs[best]} has the highest mean {comparison.measure} ({comparison.means[best]:.4f})"
    if not tied:
        return [f"Use {comparison.runs[best]}: it {first.partition(' ')[2]} and is better than every other run."]
    open_ = " or only as long as unjudged documents count as non-relevant" if comparison.could_be_undone.any() else ""
    these = "either" if len(tied) == 1 else "any of these"
    return [f"{first}, but {_some(tied)} cannot be told apart from it{open_}: {these} may be the best."]


def _some(names: Sequence[str]) -> str:
    """Names in a row, the first few of many."""
    more = len(names) - MOST_NAMES
    return in_a_row([*names[:MOST_NAMES], f"{more} more"] if more > 0 else names)


def _tied_with_best(comparison: Comparison) -> Any:
    """Whether each run is the best or cannot be told apart from it, whatever unjudged documents are."""
    best = int(np.argmax(comparison.means))
    tied = np.ones(len(comparison.runs), dtype=np.bool_)
    settled = comparison.significant & ~comparison.could_be_undone
    of_best = settled & ((comparison.first == best) | (comparison.second == best))
    tied[np.where(comparison.first == best, comparison.second, comparison.first)[of_best]] = False
    return tied


def _runs(comparison: Comparison, most: int) -> Table:
    """The runs from best to worst; of many groups, tiers and who may be the best stand in place of letters."""
    columns = comparison.overview()
    if comparison.baselines:
        columns = {name: columns[name] for name in ("run", comparison.measure)} | _beside(comparison)
    elif comparison.in_tiers:
        tied = dict(zip(comparison.runs, _tied_with_best(comparison).tolist(), strict=True))
        may_be = [tied[run] for run in columns["run"]]
        if may_be != [tier == 1 for tier in columns["tier"]]:
            columns["may_be_best"] = may_be
    note = _groups_note(comparison) + _cut_note("best", most, len(comparison.runs), "runs")
    return Table("Runs", {name: values[:most] for name, values in columns.items()}, note, heads={"group": LETTERS})


def _beside(comparison: Comparison) -> dict[str, list[str]]:
    """What each run is beside each of the first baselines, in a word, best run first."""
    wins, order = comparison.wins(), best_first(comparison.means)
    columns = {}
    for baseline in comparison.baselines[:MOST_NAMES]:
        base = list(comparison.runs).index(baseline)
        words = np.where(wins[:, base], BETTER, np.where(wins[base], WORSE, UNCLEAR)).tolist()
        columns[f"beside {baseline}"] = [
            "baseline" if comparison.runs[run] in comparison.baselines else words[run] for run in order
        ]
    return columns


def _groups_note(comparison: Comparison) -> str:
    if comparison.baselines:
        more = len(comparison.baselines) > MOST_NAMES
        first = f" Beside the first {MOST_NAMES} of them here, beside all below." if more else ""
        return f"Compared with {', '.join(comparison.baselines)}: significantly better, worse, or neither.{first}"
    if comparison.in_tiers:
        return TIERS_NOTE
    return "Runs that share a letter cannot be told apart."


def _pairs(comparison: Comparison, most: int) -> Table:
    """The pairs, the surest difference first; columns that say nothing of these pairs are left out."""
    order = np.lexsort((-np.abs(comparison.difference), comparison.p_corrected))[:most]
    columns = replace(comparison, **{name: getattr(comparison, name)[order] for name in OF_PAIRS}).columns()
    silent = [name for name in ("asl", "p_error", "could_be_undone") if not np.nan_to_num(columns[name]).any()]
    shown = {name: values for name, values in columns.items() if name not in (*silent, "measure")}
    cut = _cut_note("surest", most, comparison.first.size, "pairs")
    return Table("Pairs", shown, " ".join(filter(None, [PAIRS_NOTE + cut, floor_words(comparison)])))


def _cut_note(which: str, most: int, length: int, what: str) -> str:
    """Where the rest of a table is."""
    if length <= most:
        return ""
    return f" Shown are the {which} {most} of {length} {what}; `-o FILE.csv` in place of this page writes all pairs."
