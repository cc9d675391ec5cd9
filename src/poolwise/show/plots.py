"""Figures as plotly's own, for notebooks."""

from __future__ import annotations

from poolwise.basics.extras import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.show.parts import Figure

LINE = 22  # pixels of a line of text, in which figures say their height


def plotly_figure(figure: Figure) -> Any:
    """A figure as one of plotly, which a notebook draws and which can be changed further."""
    layout = {"title": {"text": figure.title}, "template": "plotly_white", **figure.layout}
    if figure.height:
        layout["height"] = LINE * figure.height
    return load("plotly.graph_objects", "report").Figure(data=list(figure.data), layout=layout)
