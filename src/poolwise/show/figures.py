"""Figures of pages: curves with bands, points of runs, a matrix of numbers, stacked bars."""

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

LINE = 22  # pixels of a line of text, the unit of heights: 16 px type at the line height of page.css, 1.4


def plotly_figure(figure: Figure) -> Any:
    """The figure as a plotly figure, for notebooks and further changes."""
    layout = {"title": {"text": figure.title}, "template": "plotly_white", **figure.layout}
    if figure.height:
        layout["height"] = LINE * figure.height
    return load("plotly.graph_objects", "report").Figure(data=list(figure.data), layout=layout)


if TYPE_CHECKING:
    Values = Sequence[float] | NDArray[np.float64]
# Okabe and Ito's colours, distinct for colour-blind readers, ordered by contrast in grey; further lines are dashed.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c510a")
DASHES = ("solid", "dash", "dot", "dashdot")
# Below the figure, where it cannot overlap the axis title on a narrow page.
LEGEND = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"}
MOST_LINES = 8  # lines of one panel: as many as there are colours
LINE_POINTS = 300  # points of a line without markers; a panel is 300 to 900 pixels wide
PANELS_ACROSS = 3  # panels in a row: fewer waste a wide window, more leave no room for tick labels
WIDEST = 66.0  # lines of text (22 px): a window of 1,450 pixels; narrower windows scroll wider figures
NAMES_ON_A_PHONE = 24  # names along an axis, turned by 60 degrees, that fit a screen of 360 pixels
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
    """Lines by name (x values, y values), with optional bands (low, high) and a dotted level.

    Bands are clipped to the possible values. With many lines each gets a panel, in front of all other lines in grey.
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
    """Ranks and values of a long sorted line, thinned evenly to the points that a page can show.

    >>> ranks, values = thinned(range(1000))
    >>> len(ranks), ranks[:3], values[:3], ranks[-1], values[-1]
    (300, [1, 4, 8], [0, 3, 7], 1000, 999)
    >>> thinned([0.5, 0.25])
    ([1, 2], [0.5, 0.25])
    """
    last, most = len(values) - 1, min(len(values), LINE_POINTS)
    chosen = [round(last * step / max(1, most - 1)) for step in range(most)]
    listed = _plain(values)
    return [index + 1 for index in chosen], [listed[index] for index in chosen]


def _dotted(level: float, y: str = "y") -> dict[str, Any]:
    """A dotted horizontal line across the panel."""
    line = {"dash": "dot", "color": "#888888", "width": 1}
    ends = {"xref": f"x{y[1:]} domain", "yref": y, "x0": 0, "x1": 1, "y0": level, "y1": level}
    return {"type": "line", **ends, "line": line}


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
    """A panel per line on common axes, with all other lines in grey behind it."""
    rows = math.ceil(len(lines) / PANELS_ACROSS)
    xs, ys = _together(lines)
    others = {"x": xs, "y": ys, "line": {"color": "#d8dee6", "width": 1}, "hoverinfo": "skip", "meta": "behind"}
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"showlegend": False, "annotations": [], "shapes": []}
    for index, (name, (line_xs, line_ys)) in enumerate(lines.items()):
        row, column = divmod(index, PANELS_ACROSS)
        # Axes are shared by `matches`, so that zooming one panel zooms all.
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
        line = {"name": name, "x": _plain(line_xs), "y": _plain(line_ys), "marker": {"size": 5}}
        hover = f"{name}<br>{x} %{{x}}<br>{y} %{{y:.4f}}<extra></extra>"
        on = {"type": "scatter", "xaxis": f"x{number}", "yaxis": f"y{number}"}
        data.append({**on, **others, "mode": "lines"})
        data.append({**on, **line, "mode": "lines+markers", "line": {"color": COLOURS[0]}, "hovertemplate": hover})
        at = {"xref": "paper", "yref": "paper", "x": across[0], "y": down[1], "xanchor": "left", "yanchor": "bottom"}
        layout["annotations"].append({**at, "text": name, "showarrow": False, "font": {"size": 11}})
        layout["shapes"] += [] if level is None else [_dotted(level, f"y{number}")]
    caption = f"{note} Upwards: {y}. Grey: all the others.".strip()
    return Figure(title, data, layout, caption, height=6 + 10 * rows, width=PANELS_ACROSS * 12)


def _together(lines: Mapping[str, tuple[Values, Values]]) -> tuple[list[Any], list[Any]]:
    """All lines as one, with a gap after each: one trace draws faster than many."""
    xs: list[Any] = []
    ys: list[Any] = []
    for line_xs, line_ys in lines.values():
        xs += [*_plain(line_xs), None]
        ys += [*_plain(line_ys), None]
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
    """A point for each run and group, with a dotted diagonal x = y and optional error bars (`errors`: low, high)."""
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
            },  # later groups are smaller, so that coinciding points stay visible
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
    """Runs with value and interval (low, high). Crosses mark the truth, if known. `names` are for the legend."""
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
    """Least width, in lines of text, of a figure with names along its axis. 0 if any width is enough.

    >>> width_of_names(12), width_of_names(40), width_of_names(129)
    (0.0, 38.0, 66.0)
    """
    # 0.8 lines a name, 6 for the vertical axis; beyond WIDEST plotly leaves out names.
    return 0.0 if number <= NAMES_ON_A_PHONE else min(WIDEST, 6.0 + 0.8 * number)


def matrix(title: str, names: Sequence[str], values: Sequence[Values], what: str, note: str = "") -> Figure:
    """Heat map of a square table, with the numbers in its cells if there is room."""
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
    """Logarithmic axis for shares of the labels, in percent."""
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def log_numbers(most: float) -> dict[str, Any]:
    """Logarithmic axis for counts.

    >>> log_numbers(20)["ticktext"]
    ['1', '2', '5', '10', '20']
    """
    # 1, 2, 5 a decade: plotly's labels of logarithmic axes leave out the decade.
    ticks = [step * 10**power for power in range(6) for step in (1, 2, 5) if step * 10**power <= most]
    return {"type": "log", "tickvals": ticks, "ticktext": [str(tick) for tick in ticks]}


def line_style(index: int) -> dict[str, Any]:
    """Colour and dash of the line with this index."""
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
    """Numbers as Python numbers. None for NaN and infinities, which JSON lacks."""
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    return [None if isinstance(value, float) and not math.isfinite(value) else value for value in listed]
