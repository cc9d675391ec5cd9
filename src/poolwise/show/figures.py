"""Figures that studies draw: curves with bands, points for runs, a matrix of numbers."""

from __future__ import annotations

import math

from poolwise.basics.extras import load
from poolwise.show.parts import Figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

LINE = 22  # pixels of a line of text, in which figures say their height


def plotly_figure(figure: Figure) -> Any:
    """A figure as one of plotly, which a notebook draws and which can be changed further."""
    layout = {"title": {"text": figure.title}, "template": "plotly_white", **figure.layout}
    if figure.height:
        layout["height"] = LINE * figure.height
    return load("plotly.graph_objects", "report").Figure(data=list(figure.data), layout=layout)


if TYPE_CHECKING:
    Values = Sequence[float] | NDArray[np.float64]
# Okabe and Ito's colours, told apart by colour-blind readers, in an order that also prints; then again, dashed.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c510a")
DASHES = ("solid", "dash", "dot", "dashdot")
# Below the figure, where it never meets the axis title, however narrow the page is.
LEGEND = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"}
MOST_LINES = 8  # colours that can be told apart
LINE_POINTS = 300  # of a line without markers: about what a screen can show
PANELS_ACROSS = 3
WIDEST = 66.0  # lines of text that a wide window shows; narrower ones move figures sideways
NAMES_ON_A_PHONE = 24
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down")


def curves(
    title: str,
    lines: Mapping[str, tuple[Values, Values]],
    x: str,
    y: str,
    *,
    bands: Mapping[str, tuple[Values, Values]] | None = None,
    note: str = "",
    markers: bool = True,
    level: float | None = None,
    within: tuple[float, float] | None = None,
    **axes: Mapping[str, Any],
) -> Figure:
    """Lines by name (x values, y values), with bands (low, high) where given, and a dotted level.

    Bands stay within the values that are possible. Many lines get a panel each, in front of all the others.
    """
    if bands and within:
        bands = {name: (_within(low, within), _within(high, within)) for name, (low, high) in bands.items()}
    if len(lines) > MOST_LINES:
        return _panels(title, lines, x, y, note, level, axes)
    data: list[dict[str, Any]] = []
    for index, (name, (xs, ys)) in enumerate(lines.items()):
        style = line_style(index)
        if bands and name in bands:
            data.append(_band(name, xs, *bands[name], colour=style["color"]))
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers" if markers else "lines",
                "name": name,
                "legendgroup": name,
                "x": _plain(xs),
                "y": _plain(ys),
                "line": style,
                "marker": {"symbol": SYMBOLS[index % len(SYMBOLS)], "size": 7},
                "hovertemplate": f"{name}<br>{x} %{{x}}<br>{y} %{{y:.4f}}<extra></extra>",
            }
        )
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": x}, **axes.get("xaxis", {})},
        "yaxis": {"title": {"text": y}, **axes.get("yaxis", {})},
        "legend": LEGEND,
    }
    if level is not None:
        layout["shapes"] = [_dotted(level)]
    return Figure(title, data, layout, note)


def thinned(values: Values) -> tuple[list[int], list[Any]]:
    """A long line of sorted values by their number from 1 on, at as many places, spread evenly, as a page can show.

    >>> places, kept = thinned(range(1000))
    >>> len(places), places[:3], kept[:3], places[-1], kept[-1]
    (300, [1, 4, 8], [0, 3, 7], 1000, 999)
    >>> thinned([0.5, 0.25])
    ([1, 2], [0.5, 0.25])
    """
    last, most = len(values) - 1, min(len(values), LINE_POINTS)
    places = [round(last * step / max(1, most - 1)) for step in range(most)]
    listed = _plain(values)
    return [index + 1 for index in places], [listed[index] for index in places]


def _dotted(level: float, y: str = "y") -> dict[str, Any]:
    """A level, from the left end of an axis to the right."""
    line = {"dash": "dot", "color": "#888888", "width": 1}
    place = {"xref": f"x{y[1:]} domain", "yref": y, "x0": 0, "x1": 1, "y0": level, "y1": level}
    return {"type": "line", **place, "line": line}


def _within(values: Values, ends: tuple[float, float]) -> list[float]:
    return [min(max(float(value), ends[0]), ends[1]) for value in values]


def _panels(
    title: str,
    lines: Mapping[str, tuple[Values, Values]],
    x: str,
    y: str,
    note: str,
    level: float | None,
    axes: Mapping[str, Mapping[str, Any]],
) -> Figure:
    """A panel per line, with all the others faint behind it, on the same axes."""
    rows = math.ceil(len(lines) / PANELS_ACROSS)
    xs, ys = _together(lines)
    others = {"x": xs, "y": ys, "line": {"color": "#d8dee6", "width": 1}, "hoverinfo": "skip", "meta": "behind"}
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"showlegend": False, "annotations": [], "shapes": []}
    for index, (name, (own_xs, own_ys)) in enumerate(lines.items()):
        row, column = divmod(index, PANELS_ACROSS)
        number = "" if index == 0 else str(index + 1)  # plotly's names of axes: x, x2, x3
        left, top, lowest = column / PANELS_ACROSS, 1 - row / rows, index + PANELS_ACROSS >= len(lines)
        across, down = [left + 0.02, left + 1 / PANELS_ACROSS - 0.02], [top - 0.85 / rows, top - 0.12 / rows]
        same = [{"matches": axis} if number else {} for axis in "xy"]
        below = {"title": {"text": x if lowest else ""}, "showticklabels": lowest}
        layout[f"xaxis{number}"] = {
            **axes.get("xaxis", {}),
            **below,
            "anchor": f"y{number}",
            "domain": across,
            **same[0],
        }
        beside = {"showticklabels": column == 0, "anchor": f"x{number}", "domain": down}
        layout[f"yaxis{number}"] = {**axes.get("yaxis", {}), **beside, **same[1]}
        own = {"name": name, "x": _plain(own_xs), "y": _plain(own_ys), "marker": {"size": 5}}
        hover = f"{name}<br>{x} %{{x}}<br>{y} %{{y:.4f}}<extra></extra>"
        on = {"type": "scatter", "xaxis": f"x{number}", "yaxis": f"y{number}"}
        data.append({**on, **others, "mode": "lines"})
        data.append({**on, **own, "mode": "lines+markers", "line": {"color": COLOURS[0]}, "hovertemplate": hover})
        at = {"xref": "paper", "yref": "paper", "x": across[0], "y": down[1], "xanchor": "left", "yanchor": "bottom"}
        layout["annotations"].append({**at, "text": name, "showarrow": False, "font": {"size": 11}})
        layout["shapes"] += [] if level is None else [_dotted(level, f"y{number}")]
    caption = f"{note} Upwards: {y}. Grey: all the others.".strip()
    return Figure(title, data, layout, caption, height=6 + 10 * rows, width=PANELS_ACROSS * 12)


def _together(lines: Mapping[str, tuple[Values, Values]]) -> tuple[list[Any], list[Any]]:
    """All lines as one, with gaps between them."""
    xs: list[Any] = []
    ys: list[Any] = []
    for own_xs, own_ys in lines.values():
        xs += [*_plain(own_xs), None]
        ys += [*_plain(own_ys), None]
    return xs, ys


def run_points(
    title: str,
    groups: Mapping[str, tuple[Values, Values]],
    runs: Sequence[str],
    x: str,
    y: str,
    *,
    note: str = "",
    errors: Mapping[str, tuple[Values, Values]] | None = None,
    diagonal: bool = True,
) -> Figure:
    """One point a run and group; the dotted diagonal is where both axes agree; `errors` reach from low to high."""
    data: list[dict[str, Any]] = []
    for index, (name, (xs, ys)) in enumerate(groups.items()):
        trace = {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "meta": "runs",
            "x": _plain(xs),
            "y": _plain(ys),
            "text": list(runs),
            "marker": {
                "color": COLOURS[index % len(COLOURS)],
                "symbol": SYMBOLS[index % len(SYMBOLS)],
                "size": max(6, 10 - 2 * index),
            },  # where points coincide, both are seen
            "hovertemplate": f"%{{text}}<br>{x} %{{x:.4f}}<br>{y} %{{y:.4f}}<extra>{name}</extra>",
        }
        if errors and name in errors:
            above = [end - value for end, value in zip(errors[name][1], ys, strict=True)]
            below = [value - end for end, value in zip(errors[name][0], ys, strict=True)]
            trace["error_y"] = {
                "type": "data", "symmetric": False, "array": _plain(above), "arrayminus": _plain(below), "thickness": 1,
                "width": 0,
            }  # fmt: skip
        data.append(trace)
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": x}},
        "yaxis": {"title": {"text": y}},
        "legend": LEGEND,
        "showlegend": len(groups) > 1,
    }
    if diagonal:
        values = [v for xs, ys in groups.values() for v in (*_plain(xs), *_plain(ys)) if v is not None]
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        line = {"dash": "dot", "color": "#888888", "width": 1}
        layout["shapes"] = [{"type": "line", "x0": low, "x1": high, "y0": low, "y1": high, "line": line}]
    return Figure(title, data, layout, note)


def run_intervals(
    title: str,
    runs: Sequence[str],
    values: tuple[Sequence[float], Sequence[float], Sequence[float]],
    what: str,
    truth: Values | None = None,
    note: str = "Bars are intervals.",
    names: tuple[str, str] = ("estimate", "all labels"),
) -> Figure:
    """Runs from left to right with value, low and high end; crosses mark what is known besides; `names` name both."""
    value, low, high = values
    bars = {
        "type": "data",
        "symmetric": False,
        "array": _plain([end - middle for end, middle in zip(high, value, strict=True)]),
        "arrayminus": _plain([middle - end for end, middle in zip(low, value, strict=True)]),
        "thickness": 1.5,
        "width": 3,
    }
    point = {"type": "scatter", "mode": "markers", "meta": "runs", "x": list(runs), "text": list(runs)}
    hover = "%{text}<br>%{y:.4f}<extra></extra>"
    marker = {"color": COLOURS[0], "size": 8}
    data = [{**point, "name": names[0], "y": _plain(value), "error_y": bars, "marker": marker, "hovertemplate": hover}]
    if truth is not None:
        cross = {"color": COLOURS[1], "symbol": "x", "size": 8}
        data.append({**point, "name": names[1], "y": _plain(truth), "marker": cross, "hovertemplate": hover})
    layout = {
        "xaxis": {"type": "category", "tickangle": -60},
        "yaxis": {"title": {"text": what}},
        "legend": LEGEND,
        "showlegend": truth is not None,
    }
    return Figure(title, data, layout, note, width=width_of_names(len(runs)))


def width_of_names(number: int) -> float:
    """How wide a figure must be for the names of runs, topics or systems below it, in lines of text; 0: any width.

    >>> width_of_names(12), width_of_names(40), width_of_names(129)
    (0.0, 38.0, 66.0)
    """
    return 0.0 if number <= NAMES_ON_A_PHONE else min(WIDEST, 6.0 + 0.8 * number)


def matrix(title: str, names: Sequence[str], values: Sequence[Values], what: str, note: str = "") -> Figure:
    """Numbers of every pair of names, as colours with the numbers written in them."""
    rows = [_plain(row) for row in values]
    data = {
        "type": "heatmap",
        "x": list(names),
        "y": list(names),
        "z": rows,
        "text": [["" if value is None else f"{value:.2f}" for value in row] for row in rows],
        "texttemplate": "%{text}" if len(names) <= 16 else "",
        "colorscale": [[0, "#f3efe6"], [1, "#2f6db2"]],
        "colorbar": {"title": {"text": what}},
        "hovertemplate": f"%{{y}} and %{{x}}<br>{what} %{{z:.4f}}<extra></extra>",
    }
    axis = {"type": "category"}
    layout = {"xaxis": {**axis, "tickangle": -60}, "yaxis": {**axis, "autorange": "reversed"}}
    return Figure(title, [data], layout, note, width=min(WIDEST, 5.0 + 2.4 * len(names)))


def stacked(title: str, names: Sequence[str], parts: Mapping[str, Values], y: str, note: str = "") -> Figure:
    """A bar for every name, stacked from parts."""
    data = [
        {
            "type": "bar",
            "name": part,
            "x": list(names),
            "y": _plain(values),
            "marker": {"color": COLOURS[index % len(COLOURS)]},
            "hovertemplate": f"%{{x}}<br>{part} %{{y:.2f}}<extra></extra>",
        }
        for index, (part, values) in enumerate(parts.items())
    ]
    layout = {
        "barmode": "stack",
        "xaxis": {"type": "category"},
        "yaxis": {"title": {"text": y}},
        "legend": LEGEND,
    }
    return Figure(title, data, layout, note)


def log_percent() -> dict[str, Any]:
    """An axis for shares of the labels, in percent."""
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def log_numbers(most: float) -> dict[str, Any]:
    """An axis for numbers from 1 on.

    >>> log_numbers(20)["ticktext"]
    ['1', '2', '5', '10', '20']
    """
    ticks = [step * 10**power for power in range(6) for step in (1, 2, 5) if step * 10**power <= most]
    return {"type": "log", "tickvals": ticks, "ticktext": [str(tick) for tick in ticks]}


def line_style(index: int) -> dict[str, Any]:
    """Colour and dash of the line at a place."""
    return {"color": COLOURS[index % len(COLOURS)], "dash": DASHES[index // len(COLOURS) % len(DASHES)]}


def _band(name: str, xs: Values, low: Values, high: Values, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "legendgroup": name,
        "showlegend": False,
        "hoverinfo": "skip",
        "x": _plain(xs) + _plain(xs)[::-1],
        "y": _plain(high) + _plain(low)[::-1],
        "fill": "toself",
        "fillcolor": colour,
        "opacity": 0.1,
        "line": {"width": 0, "color": colour},
    }


def _plain(values: Any) -> list[Any]:
    """Numbers as Python's own; None where there is none."""
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    return [None if isinstance(value, float) and not math.isfinite(value) else value for value in listed]
