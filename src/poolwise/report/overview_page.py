"""The overview of a scored campaign: how runs rank, how much of them is judged."""

from __future__ import annotations

from poolwise.show.figures import run_intervals
from poolwise.show.page import Figure, Page, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.audit import Audit
    from poolwise.score.scores import Scores


def overview(scores: Scores, audit: Audit, title: str, methods: Sequence[str]) -> Page:
    """Make the page: the best runs in words, all scores as a table and a figure, the audit as a table."""
    means = scores.means()
    first = scores.measures[0]
    order = sorted(range(len(scores.runs)), key=lambda run: -means[run, 0])
    best = scores.runs[order[0]]
    columns: dict[str, list[Any]] = {"run": [scores.runs[run] for run in order]}
    columns |= {m: [float(means[run, c]) for run in order] for c, m in enumerate(scores.measures)}
    if scores.interval is not None:
        columns[f"{first} low"] = scores.mean_low()[order, 0].tolist()
        columns[f"{first} high"] = scores.mean_high()[order, 0].tolist()
    summary = [
        f"{len(scores.runs)} runs were scored on {len(scores.topics)} topics. By {first}, {best} comes first "
        f"({means[order[0], 0]:.4f}) and {scores.runs[order[-1]]} last ({means[order[-1], 0]:.4f}).",
        f"Of a run's top ten documents at least {100 * min(audit.judged_share[10]):.0f} % are judged, of its top 100 "
        f"between {100 * min(audit.judged_share[100]):.0f} and {100 * max(audit.judged_share[100]):.0f} %.",
    ]
    parts: list[Table | Figure] = [
        Table("Scores", columns, "Means over topics. Click a heading to sort."),
        _figure(columns, first),
        Table("Judged share and depth", audit.columns(), "What each run retrieved and how much of it is judged.", 3),
    ]
    return Page(title, summary, parts, methods, [*audit.findings])


def _figure(columns: Mapping[str, Sequence[Any]], measure: str) -> Figure:
    title, runs = f"Runs by {measure}", list(columns["run"])
    if f"{measure} low" in columns:
        ends = (columns[f"{measure} low"], columns[f"{measure} high"])
        return run_intervals(title, runs, (columns[measure], *ends), f"mean {measure}")
    data = {"type": "bar", "x": runs, "y": list(columns[measure]), "hovertemplate": "%{x}<br>%{y:.4f}<extra></extra>"}
    layout = {"yaxis": {"title": {"text": f"mean {measure}"}, "rangemode": "tozero"}, "xaxis": {"tickangle": -60}}
    return Figure(title, [data], layout, "Hover to see a run's name and score.")
