"""Tables, figures and page of comparisons, the same in a terminal, in papers and from Python."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

import numpy as np

from poolwise.basics.numbers import best_first
from poolwise.comparisons.conclusion import BETTER, TIERS_NOTE, UNCLEAR, WORSE, floor_words, in_a_row
from poolwise.comparisons.significance_tests import TESTS
from poolwise.show.column_words import Words
from poolwise.show.figures import WIDEST, run_intervals
from poolwise.show.page import Page, how_made, together
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.comparisons.comparison import Comparison


def comparison_table(comparison: Comparison, letters: bool = False, digits: int = 4) -> Table:
    """The runs from best to worst, with their groups, or with what they differ from the baselines by."""
    return _against(comparison, digits) if comparison.baselines else _ranking(comparison, letters, digits)


def _ranking(comparison: Comparison, letters: bool, digits: int) -> Table:
    names = {"better_than": "better than", "worse_than": "worse than"}
    columns = {names.get(name, name): values for name, values in comparison.overview(letters).items()}
    return Table(f"Runs by {comparison.measure}", columns, digits=digits, best=(comparison.measure,))


def _against(comparison: Comparison, digits: int) -> Table:
    """Every run with its difference from each baseline, the interval, the effect size and the corrected p."""
    mean = dict(zip(comparison.runs, comparison.means.tolist(), strict=True))
    rows: list[tuple[Any, ...]] = [(run, mean[run], "", None, "", None, None) for run in comparison.baselines]
    pairs = zip(
        comparison.run_a,
        comparison.run_b,
        comparison.difference,
        comparison.low,
        comparison.high,
        comparison.effect,
        comparison.p_corrected,
        strict=True,
    )
    for a, b, difference, low, high, effect, p in pairs:
        run, baseline, sign = (a, b, 1) if b in comparison.baselines else (b, a, -1)
        ends = " to ".join(f"{end:+.{digits}f}" for end in sorted((sign * low, sign * high)))
        rows.append((run, mean[run], baseline, float(sign * difference), ends, float(sign * effect), float(p)))
    rows.sort(key=lambda row: -row[1])
    interval = f"{100 - 100 * comparison.alpha:g} % interval"
    names = ("run", comparison.measure, "baseline", "difference", interval, "effect size", "corrected p")
    columns = {name: [row[index] for row in rows] for index, name in enumerate(names)}
    if TESTS[comparison.test].of_estimates:  # what sampling adds to the spread over topics makes effects look smaller
        del columns["effect size"]
    heads = {"corrected p": Words("corrected p", chance=True)}
    best = (comparison.measure,)
    return Table(f"Runs by {comparison.measure}", columns, digits=digits, best=best, heads=heads)


MOST_RUNS_DRAWN = 100  # of more runs, the best are drawn


def comparison_figure(comparison: Comparison, most: int = MOST_RUNS_DRAWN) -> Figure:
    """Differences as a heat map, best run first, of so many runs at most; pairs that do not differ stay blank."""
    most = min(most, MOST_RUNS_DRAWN)
    order = np.array(best_first(comparison.means))
    size, shown_runs = len(comparison.runs), order[:most]
    names = [comparison.runs[index] for index in shown_runs]
    differences = np.full((size, size), np.nan)
    differences[comparison.first, comparison.second] = comparison.difference
    differences[comparison.second, comparison.first] = -comparison.difference
    block = np.ix_(shown_runs, shown_runs)
    differences, p = differences[block], comparison.matrix()[block]
    # Cells without a number are left blank.
    shown, p = (np.where(p < comparison.alpha, values, np.nan) for values in (differences, p))
    largest = float(np.nanmax(np.abs(shown))) if np.isfinite(shown).any() else 1.0
    data = {
        "type": "heatmap",
        "x": names,
        "y": names,
        "z": _numbers(shown, 4),
        "customdata": _numbers(p, 2),
        "hovertemplate": "%{y} - %{x}: %{z:+.4f}, corrected p %{customdata:.2g}<extra></extra>",
        "zmin": -largest,
        "zmax": largest,
        "colorscale": [[0, "#b2432f"], [0.5, "#f3efe6"], [1, "#2f6db2"]],
        "colorbar": {"title": {"text": "difference"}},
        "hoverongaps": False,
    }
    axis = {"type": "category", "showgrid": False, "dtick": 1, "tickfont": {"size": 13 if len(names) <= 40 else 9}}
    layout = {"xaxis": {**axis, "tickangle": -60}, "yaxis": {**axis, "autorange": "reversed"}}
    note = "Row minus column where they differ significantly; blank where they do not. Best run first"
    note += f"; the best {most} of {size} runs." if size > most else "."
    each = 1.1 if len(names) <= 40 else 0.75
    height, width = max(26.0, 8.0 + each * len(names)), min(WIDEST, 7.0 + each * len(names))
    return Figure("Who beats whom", [data], layout, note, height, width)


def baseline_figure(comparison: Comparison, baseline: str) -> Figure:
    """How far every other run is from a baseline, with intervals, best run first."""
    base = list(comparison.runs).index(baseline)
    rows = np.flatnonzero((comparison.first == base) | (comparison.second == base))
    sign = np.where(comparison.second[rows] == base, 1.0, -1.0)  # the other run less the baseline
    low, high = np.sort(np.stack([sign * comparison.low[rows], sign * comparison.high[rows]]), axis=0)
    others = np.where(comparison.second[rows] == base, comparison.first[rows], comparison.second[rows])
    order = best_first(comparison.means[others])
    values = (sign * comparison.difference[rows])[order].tolist(), low[order].tolist(), high[order].tolist()
    level = f"{100 * (1 - comparison.alpha):g} %"
    note = f"Mean {comparison.measure} of each run less that of {baseline}, with {level} intervals."
    runs = [comparison.runs[run] for run in others[order]]
    figure = run_intervals(f"Differences from {baseline}", runs, values, "difference", note=note)
    line = {"dash": "dot", "color": "#888888", "width": 1}
    zero = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": 0, "y1": 0, "line": line}
    return replace(figure, layout={**figure.layout, "shapes": [zero]})


def _numbers(values: Any, digits: int) -> list[list[float | None]]:
    """Numbers with the significant digits that hovering shows; None where there is none."""
    return [[None if np.isnan(value) else float(f"{value:.{digits}g}") for value in row] for row in values]


PAIRS_NOTE = (
    "The surest difference first. A - B is the mean of run A minus that of run B, with the ends of its interval."
)
# What a page shows of each measure, and of all its measures together, so that it can be opened; files hold the rest
MOST_PAIRS, PAIRS_OF_ALL = 500, 2_000
MOST_RUNS, RUNS_OF_ALL = 1_000, 10_000  # rows of tables of runs
CELLS_OF_ALL = 30_000  # of maps of who beats whom
MOST_NAMES = 5  # runs that a sentence names
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
    """Figures of differences from baselines, or of significant differences, for the runs that fit."""
    if comparison.baselines:
        return [baseline_figure(comparison, baseline) for baseline in comparison.baselines[:MOST_NAMES]]
    return [comparison_figure(comparison, isqrt(cells))] if comparison.significant.any() else []


def comparisons_page(comparisons: Sequence[Comparison], command: str = "") -> Page:
    """One page of several measures, a section per measure."""
    pages = {each.measure: comparison_page(each, command, len(comparisons)) for each in comparisons}
    page = together("Comparison of runs", pages)
    return page if len(comparisons) == 1 else replace(page, summary=_advice_of_all(comparisons))


def _advice_of_all(comparisons: Sequence[Comparison]) -> list[str]:
    """The best run by all measures together. Empty for comparisons with baselines."""
    if any(comparison.baselines for comparison in comparisons):
        return []
    means = {each.measure: dict(zip(each.runs, each.means.tolist(), strict=True)) for each in comparisons}
    best = {measure: max(values, key=values.__getitem__) for measure, values in means.items()}
    tied = {each.measure: {each.runs[run] for run in np.flatnonzero(_tied_with_best(each))} for each in comparisons}
    both = set.intersection(*tied.values())
    measures = "both measures" if len(comparisons) == 2 else f"all {len(comparisons)} measures"
    if len(set(best.values())) == 1:
        return [_highest_by_all(comparisons[0].runs[int(np.argmax(comparisons[0].means))], measures, tied)]
    (measure, run), *others = best.items()
    first_words = f"By {measure} {run} has the highest mean"
    sentences = [f"{', '.join([first_words, *(f'by {measure} {run}' for measure, run in others)])}."]
    if not both:
        return [*sentences, f"No run may be the best by {measures}: which to use depends on the measure."]
    first = means[comparisons[0].measure]
    names = _some(sorted(both, key=lambda run: -first[run]))
    return [*sentences, f"{'Only ' if len(both) == 1 else ''}{names} may be the best by {measures}."]


def _highest_by_all(run: str, measures: str, tied: Mapping[str, set[str]]) -> str:
    """The run with the highest mean by all measures, and the measures by which it is significantly the best."""
    sure = [measure for measure, runs in tied.items() if runs == {run}]
    unsure = [measure for measure in tied if measure not in sure]
    if not unsure:
        return f"Use {run}: it has the highest mean by {measures} and is better than every other run by each."
    if not sure:
        return f"{run} has the highest mean by {measures}, but by none of them is it significantly the best."
    return f"{run} has the highest mean by {measures}: significantly so by {in_a_row(sure)}, not by {in_a_row(unsure)}."


def _advice(comparison: Comparison) -> list[str]:
    """The best run in words. Empty for a single pair, whose conclusion has it."""
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
    """Table of the runs from best to worst, with letters, or with tiers if there are many groups."""
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
    """Each run compared with each of the first baselines in a word, best run first."""
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
    """Table of the pairs by p value, without columns that are empty for all of them."""
    order = np.lexsort((-np.abs(comparison.difference), comparison.p_corrected))[:most]
    columns = replace(comparison, **{name: getattr(comparison, name)[order] for name in OF_PAIRS}).columns()
    silent = [name for name in ("asl", "p_error", "could_be_undone") if not np.nan_to_num(columns[name]).any()]
    shown = {name: values for name, values in columns.items() if name not in (*silent, "measure")}
    cut = _cut_note("surest", most, comparison.first.size, "pairs")
    return Table("Pairs", shown, " ".join(filter(None, [PAIRS_NOTE + cut, floor_words(comparison)])))


def _cut_note(which: str, most: int, length: int, rows: str) -> str:
    """Note on the file with the rest of a table."""
    if length <= most:
        return ""
    return f" Shown are the {which} {most} of {length} {rows}; `-o FILE.csv` in place of this page writes all pairs."
