"""The figure of the architecture page, drawn from the order of rooms that `make lint` enforces.

    python docs/generate.py        writes docs/images/flow.svg

Layers of the import-linter contract, from the last to the first, follow one another as words in a text; rooms of one
layer stand above one another. What each room's noun is, and what it does, is said here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any

ROOT = Path(__file__).parent.parent
ROOMS = {
    "read": ("Source", "open, word faults"),
    "show": ("Table, Figure", "formats, pages"),
    "pool": ("Pool", "join once"),
    "judge": ("Judgments", "labels, samples"),
    "score": ("Measure, Scores", "declare, compute"),
    "estimate": ("Estimate", "few labels"),
    "plan": ("Plan", "what to judge"),
    "compare": ("Comparison", "tests of pairs"),
    "agree": ("Agreement", "of rankings, labels"),
    "reliability": ("Reliability", "enough topics?"),
    "weights": ("Optimum", "gains, discounts"),
    "items": ("ItemEstimate", "a number per item"),
    "audit": ("Audit", "look first"),
    "holes": ("Holes", "nobody judged these"),
    "campaign": ("Campaign", "what users hold"),
    "effects": ("ModelEffect", "labels move runs"),
    "compat": ("drop-ins", "others' interfaces"),
    "simulate": ("Simulated", "known truth"),
    "study": ("Study", "experiments"),
    "report": ("Page", "pages of results"),
    "assess": ("Judging", "labels by people"),
    "cli": ("commands", "the only printer"),
}
CORE = (
    "lines, names, text, reading",
    "pool, storing, sampling",
    "kernels, scoring, bounds",
    "pairs, assisted, parallel",
)
SMALL = ("ir_measures_name",)  # a function of its own; no room
SERVED = ("read", "pool", "judge", "score")  # rooms of the first band that call the core
NOTES = (
    "In: TREC text, compressed or not, Parquet, dicts, frames, objects of other tools.",
    "Out: terminal, CSV, JSON, Parquet, LaTeX, HTML, frames.",
    "Arrows are the flow of data; imports point the other way only.",
    "Dashed lines lead to rooms that call the core, as estimate and compare do.",
)
ACROSS = 5  # rooms side by side: a page of the site shows the figure in its own size
WIDTH, HEIGHT, GAP, TOP = 120, 58, 14, 100
LINE, BETWEEN = 17, 34  # the height of a line of notes, and the room between bands
Band = list[list[str]]  # columns of rooms that stand above one another
STYLE = """
    text { font: 13px sans-serif; fill: #1d2733; text-anchor: middle; }
    .room { font-weight: bold; font-size: 15px; }
    .noun { font-family: monospace; font-size: 11.5px; fill: #0b5c73; }
    .small { font-size: 11.5px; fill: #4a5763; }
    .box { fill: #eef4f7; stroke: #4f7f92; stroke-width: 1.5; }
    .user { fill: #fdf3e1; stroke: #c08a2d; stroke-width: 1.5; }
    .core { fill: #e7e9f4; stroke: #5a629c; stroke-width: 1.5; }
    .flow { stroke: #4f7f92; stroke-width: 2; fill: none; marker-end: url(#tip); }
    .calls { stroke: #5a629c; stroke-width: 1.5; stroke-dasharray: 4 3; fill: none; }"""


def contract(kind: str) -> dict[str, Any]:
    """The import-linter contract of a kind."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return next(each for each in project["tool"]["importlinter"]["contracts"] if each["type"] == kind)


def layers() -> list[list[str]]:
    """Rooms from the first to the last, those of one layer together."""
    found = [[room.strip() for room in layer.split("|")] for layer in reversed(contract("layers")["layers"])]
    return [[room for room in layer if room not in SMALL] for layer in found if set(layer) - set(SMALL)]


def flow() -> str:
    """The figure as SVG."""
    rows, width = list(bands()), ACROSS * (WIDTH + GAP) + GAP
    tops = [TOP + BETWEEN + sum(map(_tall, rows[:number])) + BETWEEN * number for number in range(len(rows))]
    notes = [line for words in (*NOTES, _of_all()) for line in wrap(words, 66)]
    below = tops[-1] + max(_tall(rows[-1]), LINE * len(notes)) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {below}" width="{width}" role="img" '
        f'aria-label="Data flows from {escape(", ".join(room for layer in layers() for room in layer))}; the compiled '
        'core serves the first rooms.">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#4f7f92"/></marker></defs>',
        f'<rect width="{width}" height="{below}" fill="#ffffff"/>',
        *_core(rows[0], width - 2 * GAP),
    ]
    for band, top in zip(rows, tops, strict=True):
        parts += _band(band, top)
    for number in range(len(rows) - 1):
        parts.append(_turn(rows[number], tops[number], rows[number + 1], tops[number + 1]))
    for number, words in enumerate(notes):
        parts.append(_text("small", _left(len(rows[-1])) + GAP, tops[-1] + LINE * (number + 0.7), words, "start"))
    return "\n".join([*parts, "</svg>", ""])


def bands() -> Iterator[Band]:
    """Layers from left to right as in a text, those of many rooms on lines of their own, two rooms to a column."""
    band: Band = []
    for layer in layers():
        large = len(layer) > ACROSS
        if band and (large or len(band) == ACROSS):
            yield band
            band = []
        if large:
            yield [layer[place : place + 2] for place in range(0, len(layer), 2)]
        else:
            band.append(layer)
    yield band


def _tall(band: Band) -> int:
    most = max(map(len, band))
    return most * (HEIGHT + GAP) - GAP


def _left(number: int) -> int:
    return GAP + number * (WIDTH + GAP)


def _band(band: Band, top: float) -> Iterator[str]:
    """Rooms side by side, and arrows between layers."""
    middle = top + _tall(band) / 2
    for number, column in enumerate(band):
        first = middle - _tall([column]) / 2
        for place, room in enumerate(column):
            yield from _room(room, _left(number), first + place * (HEIGHT + GAP))
        if number and not _same_layer(band[number - 1], column):
            yield f'<path class="flow" d="M{_left(number) - GAP} {middle} H{_left(number) - 1}"/>'


def _turn(band: Band, top: float, following: Band, begin: float) -> str:
    """An arrow from the last column of a band to the first of the next."""
    start, end = top + (_tall(band) + _tall(band[-1:])) / 2, begin + (_tall(following) - _tall(following[:1])) / 2
    right, left = _left(len(band) - 1) + WIDTH / 2, _left(0) + WIDTH / 2
    return f'<path class="flow" d="M{right} {start} V{begin - BETWEEN / 2} H{left} V{end - 1}"/>'


def _same_layer(before: list[str], after: list[str]) -> bool:
    return any(before[0] in layer and after[0] in layer for layer in layers())


def _room(room: str, left: float, top: float) -> Iterator[str]:
    noun, words = ROOMS[room]
    kind = "user" if room == "campaign" else "box"
    yield f'<rect class="{kind}" x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
    for style, down, text in (("room", 19, room), ("noun", 36, noun), ("small", 51, words)):
        yield _text(style, left + WIDTH / 2, top + down, text)


def _core(first: Band, width: float) -> Iterator[str]:
    """The core above the rooms that it serves."""
    yield f'<rect class="core" x="{GAP}" y="{GAP}" width="{width}" height="{TOP - GAP}" rx="6"/>'
    yield _text("room", GAP + width / 2, 38, "compiled core: src/core, C++17; only src/core/border knows Python")
    for number, words in enumerate(CORE):
        yield _text("small", GAP + width * (number % 2 + 0.5) / 2, 62 + 20 * (number // 2), words)
    for number, column in enumerate(first):
        if set(column) & set(SERVED):
            x = _left(number) + WIDTH / 2
            yield f'<path class="calls" d="M{x} {TOP} V{TOP + BETWEEN}"/>'


def _of_all() -> str:
    names = [name.partition(".")[2] for name in contract("forbidden")["source_modules"]]
    return f"Used by all: {', '.join(names)}. They know no room."


def _text(style: str, x: float, y: float, text: str, anchor: str = "middle") -> str:
    side = "" if anchor == "middle" else f' style="text-anchor: {anchor}"'
    return f'<text class="{style}" x="{x:g}" y="{y:g}"{side}>{escape(text)}</text>'
