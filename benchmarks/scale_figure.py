"""The figure of how time and memory grow with a log, as SVG of our own."""

from __future__ import annotations

from math import log10
from typing import Any

COLOURS = {"poolwise, Parquet": "#1b6ca8", "poolwise, text.gz": "#d1603d"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 280, 220, 60, 40, 110


def figure(results: list[dict[str, Any]]) -> str:
    """Two panels over rows, on logarithmic axes: processor seconds, and peak memory."""
    parts = [
        panel(results, 0, "processor seconds", lambda way: way["core_seconds"]),
        panel(results, WIDTH + GAP, "peak memory, MB", lambda way: way["memory"] / 1e6),
    ]
    for row, (name, colour) in enumerate(COLOURS.items()):
        x = LEFT + row * 200
        parts.append(f'<rect x="{x}" y="8" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="18">{name}</text>')
    parts.append(f'<text x="{LEFT + 400}" y="18">circle: 1 run, square: 4 runs</text>')
    size = f"{2 * WIDTH + GAP + LEFT + 20} {HEIGHT + TOP + 50}"
    style = 'font-family="sans-serif" font-size="12" fill="#333"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" {style}>\n' + "\n".join(parts) + "\n</svg>\n"


def panel(results: list[dict[str, Any]], offset: int, title: str, value: Any) -> str:
    """One quantity over the number of rows."""
    rows = [result["rows"] for result in results]
    found = [value(result["ways"][name]) for result in results for name in COLOURS]
    x_axis, y_axis = axis(min(rows), max(rows)), axis(min(found), max(found))
    across = lambda number: offset + LEFT + WIDTH * part(number, x_axis)  # noqa: E731
    up = lambda number: TOP + HEIGHT - HEIGHT * part(number, y_axis)  # noqa: E731
    parts = [f'<text x="{offset + LEFT}" y="{TOP - 6}" font-weight="bold">{title}</text>']
    for tick in ticks(x_axis):
        x = across(tick)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{TOP + HEIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{short(tick)}</text>')
    for tick in ticks(y_axis):
        y = up(tick)
        parts.append(
            f'<line x1="{offset + LEFT}" x2="{offset + LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{offset + LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{short(tick)}</text>')
    middle = offset + LEFT + WIDTH / 2
    parts.append(f'<text x="{middle}" y="{TOP + HEIGHT + 38}" text-anchor="middle">rows</text>')
    for name, colour in COLOURS.items():
        points = sorted((r["rows"], value(r["ways"][name])) for r in results if r["runs"] == 1)
        line = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="4" fill="{colour}"/>' for x, y in points]
        for result in results:
            if result["runs"] > 1:
                x, y = across(result["rows"]), up(value(result["ways"][name]))
                parts.append(f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>')
    return "\n".join(parts)


def axis(low: float, high: float) -> tuple[float, float]:
    """Ends of an axis, in powers of ten, with some room."""
    return log10(low) - 0.15, log10(high) + 0.15


def part(number: float, ends: tuple[float, float]) -> float:
    return (log10(number) - ends[0]) / (ends[1] - ends[0])


def ticks(ends: tuple[float, float]) -> list[float]:
    """1, 2 and 5 times powers of ten."""
    every = [digit * 10.0**power for power in range(-3, 12) for digit in (1, 2, 5)]
    return [tick for tick in every if ends[0] <= log10(tick) <= ends[1]]


def short(number: float) -> str:
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= unit:
            return f"{number / unit:g}{name}"
    return f"{number:g}"
