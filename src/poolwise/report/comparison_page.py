"""The page of a comparison: who beats whom, and how sure that is."""

from __future__ import annotations

import numpy as np

from poolwise.show.page import Figure, Page, Table, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.compare import Comparison

PAIRS_NOTE = (
    "Difference is the mean of run a minus that of run b; low and high bound it. Effect is the difference in standard "
    "deviations over topics, p error the standard error of p that resampling leaves."
)
MOST_LABELS = 60  # more runs than this and axis labels no longer fit; hovering still names them


def comparison_page(found: Comparison, command: str = "") -> Page:
    """Make the page: the conclusion, runs with their groups, the matrix of pairs, every pair."""
    pairs = {name: values for name, values in found.columns().items() if name != "measure"}
    parts: list[Table | Figure] = [
        Table("Runs", found.overview(), _groups_note(found)),
        *([_matrix(found)] if found.significant.any() else []),
        Table("Pairs", pairs, PAIRS_NOTE),
    ]
    methods = [found.method, *([f"Command: {command}"] if command else [])]
    return Page(f"Comparison by {found.measure}", [found.conclusion], parts, methods, found.warnings)


def comparisons_page(found: Sequence[Comparison], command: str = "") -> Page:
    """One page of several measures, a section per measure."""
    return together("Comparison of runs", {each.measure: comparison_page(each, command) for each in found})


def _groups_note(found: Comparison) -> str:
    if found.baselines:
        return f"Compared with {', '.join(found.baselines)}."
    return "Runs that share a letter cannot be told apart."


def _matrix(found: Comparison) -> Figure:
    """Differences as a heat map, best run first; pairs that do not differ stay blank."""
    order = np.argsort(-found.means, kind="stable")
    names = [found.runs[index] for index in order]
    size = len(names)
    differences, p = np.full((size, size), np.nan), found.matrix()[np.ix_(order, order)]
    place = np.argsort(order)
    differences[place[found.first], place[found.second]] = found.difference
    differences[place[found.second], place[found.first]] = -found.difference
    shown = np.where(p < found.alpha, differences, np.nan)
    largest = float(np.nanmax(np.abs(shown))) if np.isfinite(shown).any() else 1.0
    text = [[_words(names[i], names[j], differences[i, j], p[i, j]) for j in range(size)] for i in range(size)]
    data = {
        "type": "heatmap",
        "x": names,
        "y": names,
        "z": [[None if np.isnan(value) else float(value) for value in row] for row in shown],
        "text": text,
        "hovertemplate": "%{text}<extra></extra>",
        "zmin": -largest,
        "zmax": largest,
        "colorscale": [[0, "#b2432f"], [0.5, "#f3efe6"], [1, "#2f6db2"]],
        "colorbar": {"title": {"text": "difference"}},
        "hoverongaps": False,
    }
    labels = size <= MOST_LABELS
    axis = {"showticklabels": labels, "type": "category"}
    layout = {"xaxis": {**axis, "tickangle": -60}, "yaxis": {**axis, "autorange": "reversed"}}
    note = "Row minus column where they differ significantly; blank where they do not. Best run first."
    height = max(26.0, 8.0 + 1.1 * size) if labels else 44.0
    return Figure("Who beats whom", [data], layout, note, height)


def _words(first: str, second: str, difference: float, p: float) -> str:
    if np.isnan(p):
        return f"{first} and {second}: not compared"
    return f"{first} - {second}: {difference:+.4f}, corrected p {p:.2g}"
