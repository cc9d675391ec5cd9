"""The figure of a comparison: who beats whom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolwise.basics.closeness import best_first
from poolwise.show.figures import WIDEST, run_intervals
from poolwise.show.parts import Figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.comparisons.comparison import Comparison

MOST_RUNS = 100  # of more runs, the best are drawn


def comparison_figure(comparison: Comparison, most: int = MOST_RUNS) -> Figure:
    """Differences as a heat map, best run first, of so many runs at most; pairs that do not differ stay blank."""
    most = min(most, MOST_RUNS)
    order = np.array(best_first(comparison.means))
    size, shown_runs = len(comparison.runs), order[:most]
    names = [comparison.runs[index] for index in shown_runs]
    differences = np.full((size, size), np.nan)
    differences[comparison.first, comparison.second] = comparison.difference
    differences[comparison.second, comparison.first] = -comparison.difference
    place = np.ix_(shown_runs, shown_runs)
    differences, p = differences[place], comparison.matrix()[place]
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
