"""Curves and points of a figure as a small SVG file, with no plotting library."""

from __future__ import annotations

import math
from html import escape

from poolwise.show.parts import Figure

WIDTH, HEIGHT, LEFT, TOP, RIGHT = 400, 320, 52, 12, 14  # narrow, so that words can be read two abreast and on a phone
MARGIN = 0.03  # of an axis, beyond the outermost points
LINE = 18  # height of a line of the legend
DASHES = {"dash": "7 4", "dot": "2 3", "dashdot": "7 3 2 3"}


def svg(figure: Figure) -> str:
    """The figure on white, at most a few tens of kilobytes."""
    lines = [trace for trace in figure.data if trace.get("fill") != "toself"]
    bands = [trace for trace in figure.data if trace.get("fill") == "toself"]
    entries = _legend(lines)
    bottom = 46 + LINE * (1 + max((row for *_, row in entries), default=0))
    across, up = _axes(figure, [*lines, *bands], bottom)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12" fill="#222"><title>{escape(figure.title)}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *_grid(across, up, bottom),
        *(_shape(shape, across, up) for shape in figure.layout.get("shapes", ())),
        *(_band(trace, across, up) for trace in bands),
        *(_trace(trace, across, up) for trace in lines),
        *_labels(figure, bottom),
    ]
    for x, name, colour, row in entries:
        y = HEIGHT - bottom + 52 + LINE * row
        parts.append(f'<rect x="{x}" y="{y - 9}" width="14" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{x + 19}" y="{y - 3}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Axis:
    """From values to places."""

    def __init__(self, settings, values, start: float, end: float) -> None:
        self.log = settings.get("type") == "log"
        self.low, self.high = self._wider(min(values), max(values))
        self.start, self.end = start, end
        self.ticks = [t for t in settings.get("tickvals", self._nice()) if self.low <= t <= self.high]

    def __call__(self, value: float) -> float:
        low, high = self._scaled(self.low), self._scaled(self.high)
        return round(self.start + (self._scaled(value) - low) / (high - low) * (self.end - self.start), 1)

    def _wider(self, low: float, high: float) -> tuple[float, float]:
        """A little more than the values reach, but for an end at 0."""
        if high == low:
            return low, low + 1
        if self.log:
            more = (high / low) ** MARGIN
            return low / more, high * more
        more = MARGIN * (high - low)
        return (low - more if low else low), high + more

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def _nice(self) -> list[float]:
        if self.log:
            return [step * 10**power for power in range(-2, 6) for step in (1, 2, 5)]
        rough = (self.high - self.low) / 6
        unit = 10 ** math.floor(math.log10(rough))
        step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough)
        first = math.ceil(self.low / step)
        return [round(step * n, 10) for n in range(first, first + 9)]


def _axes(figure: Figure, lines, bottom: float) -> tuple[_Axis, _Axis]:
    xs = [x for trace in lines for x in trace["x"] if x is not None]
    ys = [y for trace in lines for y in _reached(trace)]
    across = _Axis(figure.layout["xaxis"], xs, LEFT, WIDTH - RIGHT)
    return across, _Axis(figure.layout["yaxis"], ys, HEIGHT - bottom, TOP)


def _reached(trace) -> list[float]:
    """Values with the ends of their intervals."""
    zeros = [0.0] * len(trace["y"])
    bars = trace.get("error_y", {"array": zeros, "arrayminus": zeros})
    rows = zip(trace["y"], bars["arrayminus"], bars["array"], strict=True)
    return [end for y, below, above in rows if y is not None for end in (y - (below or 0.0), y + (above or 0.0))]


def _grid(across: _Axis, up: _Axis, bottom: float) -> list[str]:
    floor = HEIGHT - bottom
    parts = []
    for tick in across.ticks:
        x = across(tick)
        parts.append(f'<path d="M{x} {TOP}V{floor}" stroke="#ddd"/>')
        parts.append(f'<text x="{x}" y="{floor + 15}" text-anchor="middle">{tick:g}</text>')
    for tick in up.ticks:
        y = up(tick)
        parts.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 5}" y="{y + 4}" text-anchor="end">{tick:g}</text>')
    return parts


def _shape(shape, across: _Axis, up: _Axis) -> str:
    if shape["y0"] == shape["y1"]:  # a level, from side to side
        if not up.low <= shape["y0"] <= up.high:
            return ""
        ends: tuple[float, ...] = (LEFT, up(shape["y0"]), WIDTH - RIGHT, up(shape["y1"]))
    else:
        low, high = max(shape["x0"], across.low, up.low), min(shape["x1"], across.high, up.high)
        ends = across(low), up(low), across(high), up(high)
    return f'<path d="M{ends[0]} {ends[1]}L{ends[2]} {ends[3]}" stroke="#888" stroke-dasharray="2 3"/>'


def _trace(trace, across: _Axis, up: _Axis) -> str:
    points = [(across(x), up(y)) for x, y in zip(trace["x"], trace["y"], strict=True) if y is not None]
    colour = _colour(trace)
    drawn = []
    if "lines" in trace["mode"]:
        dash = DASHES.get(trace["line"].get("dash", "solid"))
        path = "L".join(f"{x} {y}" for x, y in points)
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        drawn.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"{extra}/>')
    if "error_y" in trace:
        drawn.append(_bars(trace, across, up, colour))
    if "markers" in trace["mode"]:
        drawn += [f'<circle cx="{x}" cy="{y}" r="2.6" fill="{colour}"/>' for x, y in points]
    return "".join(drawn)


def _band(trace, across: _Axis, up: _Axis) -> str:
    """What lies between two curves, so faint that lines above it can be told apart."""
    points = [(x, y) for x, y in zip(trace["x"], trace["y"], strict=True) if y is not None]
    path = "L".join(f"{across(x)} {up(y)}" for x, y in points)
    return f'<path d="M{path}Z" fill="{trace["fillcolor"]}" fill-opacity="0.15"/>' if points else ""


def _bars(trace, across: _Axis, up: _Axis, colour: str) -> str:
    """Intervals as upright lines, cut at the ends of the axis."""
    ends = trace["error_y"]
    rows = zip(trace["x"], trace["y"], ends["arrayminus"], ends["array"], strict=True)
    lines = [
        f"M{across(x)} {up(max(y - below, up.low))}V{up(min(y + above, up.high))}"
        for x, y, below, above in rows
        if None not in (y, below, above)
    ]
    return f'<path d="{"".join(lines)}" stroke="{colour}" stroke-opacity="0.45"/>'


def _colour(trace) -> str:
    return trace.get("line", trace["marker"])["color"]


def _legend(lines) -> list[tuple[int, str, str, int]]:
    entries, x, row = [], LEFT, 0
    for trace in lines:
        width = 34 + 7 * len(trace["name"])
        if x + width > WIDTH - RIGHT:
            x, row = LEFT, row + 1
        entries.append((x, trace["name"], _colour(trace), row))
        x += width
    return entries


def _labels(figure: Figure, bottom: float) -> list[str]:
    across, up = (figure.layout[axis]["title"]["text"] for axis in ("xaxis", "yaxis"))
    middle, centre = (TOP + HEIGHT - bottom) / 2, (LEFT + WIDTH - RIGHT) / 2
    return [
        f'<text x="{centre}" y="{HEIGHT - bottom + 32}" text-anchor="middle">{escape(across)}</text>',
        f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{escape(up)}</text>',
    ]
