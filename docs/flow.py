"""The picture of the architecture page: one row for each floor, from the order of folders that `make lint` enforces.

python docs/generate.py        writes docs/images/flow.svg
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Each folder: its main class, and its subject in a few words.
FOLDERS = {
    "basics": ("Result", "checks, words, threads"),
    "show": ("Table, Figure", "formats, pages"),
    "reading": ("Source", "files in any shape"),
    "pool": ("Pool, Judgments", "runs joined once"),
    "sampling": ("Cells", "draws and designs"),
    "measures": ("Measure", "declared once"),
    "scores": ("Scores", "values and intervals"),
    "estimates": ("Estimate", "scores from few labels"),
    "plans": ("Plan", "which to judge"),
    "rated_items": ("ItemEstimate", "a number per item"),
    "comparisons": ("Comparison", "which runs differ"),
    "trust": ("Reliability", "labels and topics"),
    "audits": ("Audit, Holes", "unjudged documents"),
    "campaign": ("Campaign", "what users hold"),
    "judging": ("JudgingServer", "labels by people"),
    "lab": ("Study", "experiments"),
    "compat": ("drop-ins", "other tools"),
    "cli": ("commands", "the only printer"),
}
WIDTH, HEIGHT, GAP = 118, 58, 12
STYLE = """
    text { font: 13px sans-serif; fill: #1d2733; text-anchor: middle; }
    .folder { font-weight: bold; font-size: 15px; }
    .noun { font-family: monospace; font-size: 11.5px; fill: #0b5c73; }
    .small { font-size: 11px; fill: #4a5763; }
    rect { fill: #eef4f7; stroke: #4f7f92; stroke-width: 1.5; }
    .core { fill: #e7e9f4; stroke: #5a629c; }"""
CORE = "compiled core (src/core, C++17): reading, joining, sampling, kernels, estimates"


def floors() -> list[list[str]]:
    """Folders by floor, the highest first, as the import contract lists them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    return [[name.strip() for name in layer.split("|")] for layer in layers]


def flow() -> str:
    """Draw the floors, and the core below them, as SVG."""
    rows = floors()
    across = max(map(len, rows)) * (WIDTH + GAP) + GAP
    below = (len(rows) + 1) * (HEIGHT + GAP) + GAP
    names = escape("; ".join(", ".join(row) for row in rows))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {below}" width="{across}" role="img" '
        f'aria-label="Folders by floor, the highest first: {names}. The compiled core lies below them.">',
        f'<style>{STYLE}</style><rect width="{across}" height="{below}" style="fill: #fff; stroke: none"/>',
    ]
    for number, row in enumerate(rows):
        left = (across - len(row) * (WIDTH + GAP) + GAP) / 2
        for place, name in enumerate(row):
            parts.append(_box(name, left + place * (WIDTH + GAP), GAP + number * (HEIGHT + GAP)))
    top = GAP + len(rows) * (HEIGHT + GAP)
    parts.append(f'<rect class="core" x="{GAP}" y="{top}" width="{across - 2 * GAP}" height="{HEIGHT}" rx="6"/>')
    parts.append(f'<text x="{across / 2:g}" y="{top + HEIGHT / 2 + 5:g}">{CORE}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _box(name: str, left: float, top: float) -> str:
    noun, words = FOLDERS[name]
    middle = left + WIDTH / 2
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
        f'<text class="folder" x="{middle:g}" y="{top + 19:g}">{name}</text>'
        f'<text class="noun" x="{middle:g}" y="{top + 36:g}">{escape(noun)}</text>'
        f'<text class="small" x="{middle:g}" y="{top + 51:g}">{escape(words)}</text>'
    )
