"""The page of a reliability analysis: Phi and E rho^2 against the number of topics."""

from __future__ import annotations

from poolwise.show.page import Figure, Page, Table, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.reliability.generalizability import Curve, Reliability

COLOURS = {"phi": "#2f6db2", "rho2": "#c0702a"}
NAMES = {"phi": "Phi", "rho2": "E rho^2"}


def reliability_page(found: Reliability, command: str = "") -> Page:
    """Make the page: what today's topics are worth, the curve, the components."""
    parts = found.components
    whole = sum(parts) or 1.0
    components: dict[str, list[Any]] = {
        "source": ["systems", "topics", "interaction"],
        "variance": list(parts),
        "share": [value / whole for value in parts],
    }
    curve = found.curve()
    tables: list[Table | Figure] = [
        _figure(found, curve),
        Table("Variance components", components, "A good measure has much of its variance between systems.", 6),
        Table("Reliability at numbers of topics", curve.columns(), digits=3),
    ]
    methods = [
        f"{found.method}; {found.runs} systems, {found.topics} topics, level {found.level}, seed {found.seed}.",
        "Phi speaks of absolute scores, E rho^2 of the ranking of systems (generalizability theory, [K09]).",
        *([f"Command: {command}"] if command else []),
    ]
    return Page(f"Reliability of {found.measure}", [found.in_words()], tables, methods, found.warnings)


def reliabilities_page(found: Sequence[Reliability], command: str = "") -> Page:
    """One page of several measures, a section per measure."""
    return together("Reliability of measures", {each.measure: reliability_page(each, command) for each in found})


def _figure(found: Reliability, curve: Curve) -> Figure:
    columns = curve.columns()
    topics = columns["topics"]
    data: list[dict[str, Any]] = []
    for name, colour in COLOURS.items():
        band = {"x": topics + topics[::-1], "y": columns[f"{name}_high"] + columns[f"{name}_low"][::-1]}
        style = {"fill": "toself", "fillcolor": colour, "opacity": 0.18, "line": {"width": 0}, "mode": "lines"}
        data.append({"type": "scatter", "hoverinfo": "skip", "showlegend": False, **band, **style})
        hover = {"hovertemplate": "%{x} topics: %{y:.3f}<extra>" + NAMES[name] + "</extra>"}
        line = {"mode": "lines+markers", "name": NAMES[name], "line": {"color": colour}}
        data.append({"type": "scatter", "x": topics, "y": columns[name], **line, **hover})
    mark = {"type": "line", "line": {"dash": "dot", "color": "#888888"}}
    shapes = [
        {**mark, "x0": found.topics, "x1": found.topics, "y0": 0, "y1": 1, "yref": "paper"},
        {**mark, "x0": 0, "x1": 1, "xref": "paper", "y0": 0.95, "y1": 0.95},
    ]
    layout = {
        "shapes": shapes,
        "xaxis": {"title": {"text": "number of topics"}, "type": "log", "tickvals": [5, 10, 20, 50, 100, 200, 500]},
        "yaxis": {"title": {"text": "reliability"}, "range": [0, 1.02]},
    }
    note = "The dotted lines mark today's number of topics and the usual goal of 0.95; bands are intervals."
    return Figure("Reliability against the number of topics", data, layout, note)
