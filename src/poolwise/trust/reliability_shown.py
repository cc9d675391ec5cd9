"""The figure of a reliability analysis: Phi and E rho^2 against the number of topics."""

from __future__ import annotations

from dataclasses import replace

from poolwise.show.figures import LEGEND
from poolwise.show.page import Page, how_made, together
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
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


COEFFICIENTS = (
    "E rho^2 says how well these topics rank the systems, Phi how well they tell how high each of them scores: the "
    "share of what means differ by that is due to the systems and not to the topics, from 0 to 1. 0.95 is a usual aim."
)


def reliability_page(reliability: Reliability, command: str = "") -> Page:
    """Make the page: what today's topics are worth, the curve, the components."""
    parts = reliability.components
    whole = sum(parts) or 1.0
    components: dict[str, list[Any]] = {
        "source": ["systems", "topics", "interaction"],
        "variance": list(parts),
        "share": [value / whole for value in parts],
    }
    curve = reliability.curve()
    tables: list[Table | Figure] = [
        reliability_figure(reliability),
        Table("Variance components", components, "A good measure has much of its variance between systems.", 6),
        Table("Reliability at numbers of topics", curve.columns(), digits=3),
    ]
    method = f"{reliability.method[0].upper()}{reliability.method[1:]}"
    methods = [
        f"{method}; {reliability.runs} systems, {reliability.topics} topics, "
        f"level {reliability.level}, seed {reliability.seed}.",
        "Phi and E rho^2 are coefficients of generalizability theory (Kanoulas, Aslam, CIKM 2009).",
        *how_made(command),
    ]
    summary = [COEFFICIENTS, reliability.in_words()]
    return Page(f"Reliability of {reliability.measure}", summary, tables, methods, reliability.warnings)


def reliabilities_page(reliabilities: Sequence[Reliability], command: str = "") -> Page:
    """One page of several measures, a section per measure."""
    pages = {each.measure: reliability_page(each, command) for each in reliabilities}
    if len(pages) == 1:
        return together("", pages)
    sections = {name: replace(page, summary=page.summary[1:]) for name, page in pages.items()}
    summary = [COEFFICIENTS, *(f"{each.measure}: {each.in_words()}" for each in reliabilities)]
    return replace(together("Reliability of measures", sections), summary=summary)
