"""The figure of the architecture page, drawn from the order of rooms that `make lint` enforces.

    python docs/generate.py        writes docs/images/flow.svg

Each column is a layer of the import-linter contract, from the last to the first; rooms of one layer stand above one
another. What each room's noun is, and what it does, is said here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
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
WIDTH, HEIGHT, GAP, TOP = 112, 58, 12, 56
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
    columns = [half for layer in layers() for half in _halves(layer)]
    tallest = max(map(len, columns))
    width = len(columns) * (WIDTH + GAP) + GAP
    below = TOP + tallest * (HEIGHT + GAP) + 20
    middle = TOP + tallest * (HEIGHT + GAP) / 2 - GAP / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {below + 108}" width="{width}" role="img" '
        f'aria-label="Data flows from {escape(", ".join(room for column in columns for room in column))}; the compiled '
        'core serves the first rooms.">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#4f7f92"/></marker></defs>',
        f'<rect width="{width}" height="{below + 108}" fill="#ffffff"/>',
        _text("small", 12, 24, "TREC text, compressed or not, Parquet, dicts, frames, objects of other tools", "start"),
        _text("small", width - 12, 24, "terminal, CSV, JSON, Parquet, LaTeX, HTML, frames", "end"),
    ]
    for number, column in enumerate(columns):
        left, first = GAP + number * (WIDTH + GAP), middle - (len(column) * (HEIGHT + GAP) - GAP) / 2
        for place, room in enumerate(column):
            parts += _room(room, left, first + place * (HEIGHT + GAP))
        if number and not _same_layer(columns[number - 1], column):
            parts.append(f'<path class="flow" d="M{left - GAP} {middle} H{left - 1}"/>')
    parts += _foot(columns, below, middle)
    return "\n".join([*parts, "</svg>", ""])


def _halves(layer: list[str]) -> list[list[str]]:
    """A layer of many rooms takes two columns."""
    half = (len(layer) + 1) // 2
    return [layer[:half], layer[half:]] if len(layer) > 4 else [layer]


def _same_layer(before: list[str], after: list[str]) -> bool:
    return any(before[0] in layer and after[0] in layer for layer in layers())


def _room(room: str, left: float, top: float) -> Iterator[str]:
    noun, words = ROOMS[room]
    kind = "user" if room == "campaign" else "box"
    yield f'<rect class="{kind}" x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
    for style, down, text in (("room", 19, room), ("noun", 36, noun), ("small", 51, words)):
        yield _text(style, left + WIDTH / 2, top + down, text)


def _foot(columns: list[list[str]], below: float, middle: float) -> Iterator[str]:
    """The core under the rooms it serves, and what all may use."""
    served = 1 + max(number for number, column in enumerate(columns) if "compare" in column or "estimate" in column)
    width = served * (WIDTH + GAP) - GAP
    for number in (0, 1, 2, 3):
        x = GAP + number * (WIDTH + GAP) + WIDTH / 2
        yield f'<path class="calls" d="M{x} {middle + HEIGHT / 2} V{below}"/>'
    yield f'<rect class="core" x="{GAP}" y="{below}" width="{width}" height="92" rx="6"/>'
    title = "compiled core: src/core, C++17; only src/core/border knows Python"
    yield _text("room", GAP + width / 2, below + 24, title)
    for number, words in enumerate(CORE):
        yield _text("small", GAP + width * (number + 0.5) / len(CORE), below + 58, words)
    of_all = [name.partition(".")[2] for name in contract("forbidden")["source_modules"]]
    half = (len(of_all) + 1) // 2
    lines = (
        f"Used by all: {', '.join(of_all[:half])},",
        f"{', '.join(of_all[half:])}. They know no room.",
        "Arrows are the flow of data; imports point the other way only.",
    )
    for number, words in enumerate(lines):
        yield _text("small", 2 * GAP + width, below + 24 + 22 * number, words, "start")


def _text(style: str, x: float, y: float, text: str, anchor: str = "middle") -> str:
    side = "" if anchor == "middle" else f' style="text-anchor: {anchor}"'
    return f'<text class="{style}" x="{x:g}" y="{y:g}"{side}>{escape(text)}</text>'
