"""The figure of a reliability analysis: Phi and E rho^2 against the number of topics."""

from __future__ import annotations

from poolwise.show.figures import LEGEND
from poolwise.show.parts import Figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.trust.reliability import Reliability

COLOURS = {"phi": "#2f6db2", "rho2": "#c0702a"}
NAMES = {"phi": "Phi", "rho2": "E ρ²"}


def reliability_figure(reliability: Reliability) -> Figure:
    """Both curves with their bands, today's number of topics and the usual goal."""
    columns = reliability.curve().columns()
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
        {**mark, "x0": reliability.topics, "x1": reliability.topics, "y0": 0, "y1": 1, "yref": "paper"},
        {**mark, "x0": 0, "x1": 1, "xref": "paper", "y0": 0.95, "y1": 0.95},
    ]
    layout = {
        "shapes": shapes,
        "legend": LEGEND,
        "xaxis": {"title": {"text": "number of topics"}, "type": "log", "tickvals": [5, 10, 20, 50, 100, 200, 500]},
        "yaxis": {"title": {"text": "reliability"}, "range": [0, 1.02]},
    }
    note = "The dotted lines mark today's number of topics and the usual goal of 0.95; bands are intervals."
    return Figure("Reliability against the number of topics", data, layout, note)
