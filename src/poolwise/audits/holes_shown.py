"""Page of holes: judged shares, possible scores, and comparisons that could turn."""

from __future__ import annotations

import numpy as np

from poolwise.basics.numbers import best_first
from poolwise.measures.registry import parse
from poolwise.show.figures import COLOURS, LEGEND, SYMBOLS
from poolwise.show.page import Page, how_made
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.audits.holes import Holes
    from poolwise.audits.settling import Settling

MOST_PAIRS = 500  # rows of the table of pairs on a page, of the closest comparisons; files have all
MODEL_WORDS = (
    "The model's word: a hole's chance to be relevant lies below the precision of the run that retrieves it, by "
    "{mean:.2f} on the logit scale ({source}). Its interval holds the uncertainty of that number and of the labels; no "
    "draw of documents guarantees it. Labels of a few holes drawn at random do (poolwise holes --budget N --plan FILE, "
    "judge, then poolwise estimate)."
)


def holes_page(holes: Holes, settled: Settling | None = None, command: str = "") -> Page:
    """Make the page: scores with their ranges, judged shares, comparisons, and the list that settles one."""
    order = np.array(best_first(holes.worthless))
    runs = [holes.runs[run] for run in order]
    columns = {name: [values[run] for run in order] for name, values in holes.columns().items() if name != "measure"}
    note = (
        "worthless: unjudged documents count as non-relevant; condensed: they are left out of the ranking, which "
        "favours runs with many; model: what the model of holes expects; lowest and highest: whatever their labels are."
    )
    parts: list[Table | Figure] = [
        _scores(holes, order, runs),
        Table("Runs and their holes", columns, note),
        _judged(holes, order, runs),
    ]
    if len(holes.runs) > 1:
        parts.append(_pairs(holes))
    if settled is not None and settled.topic:
        parts.append(Table("Documents to judge", settled.columns(), f"{settled.headline()}.", file="settle"))
    summary = [
        f"{holes.headline()[0].upper()}{holes.headline()[1:]}.",
        *([f"{settled.headline()}."] if settled else []),
    ]
    model = [MODEL_WORDS.format(mean=holes.offset.mean, source=source_words(holes)), *depth_words(holes)]
    methods = [
        *(model if any(holes.holes) else []),
        *how_made(command),
    ]
    return Page(f"Holes under {holes.measure}", summary, parts, methods, holes.warnings)


def source_words(holes: Holes) -> str:
    """The source of the offset, in words."""
    if holes.offset.groups:
        return f"learned from {holes.offset.groups} runs or groups of this campaign, each left out in turn"
    return "the mean of four other collections; this campaign has too few runs that are judged in full to learn from"


def depth_words(holes: Holes) -> list[str]:
    """Note on documents below the depth, for a measure without a cut-off."""
    if parse(holes.measure).cutoff:
        return []
    return [
        f"{holes.measure} looks below rank {holes.depth} too: bounds and model are of holes down to there, and what "
        "nobody judged below counts as worthless."
    ]


def _scores(holes: Holes, order: Any, runs: list[str]) -> Figure:
    """Figure of the scores: bounds as thin bars, the model's interval as thick bars, three scores as points."""
    hover = "%{text}<br>%{y:.4f}"
    base = {"type": "scatter", "mode": "markers", "meta": "runs", "x": runs, "text": runs}
    data: list[dict[str, Any]] = [
        _bar(runs, holes.lowest[order], holes.highest[order], "possible", "#a9b2bd", 2),
        _bar(runs, holes.model_low[order], holes.model_high[order], "model's interval", COLOURS[5], 6),
    ]
    for index, (name, values) in enumerate(
        {"worthless": holes.worthless, "condensed": holes.condensed, "model": holes.model}.items()
    ):
        marker = {"color": COLOURS[index], "symbol": SYMBOLS[index], "size": 9}
        data.append(
            {
                **base,
                "name": name,
                "y": _plain(values[order]),
                "marker": marker,
                "hovertemplate": hover + f"<extra>{name}</extra>",
            }
        )
    layout = {
        "xaxis": {"type": "category", "tickangle": -60},
        "yaxis": {"title": {"text": holes.measure}},
        "legend": LEGEND,
    }
    note = "Thin line: whatever labels the unjudged documents within the depth have. Thick bar: the model's interval."
    return Figure(f"{holes.measure} with holes", data, layout, note)


def _bar(runs: list[str], low: Any, high: Any, name: str, colour: str, width: int) -> dict[str, Any]:
    """Vertical bars from low to high, drawn as one broken line."""
    xs: list[str | None] = []
    ys: list[float | None] = []
    for run, below, above in zip(runs, _plain(low), _plain(high), strict=True):
        xs += [run, run, None]
        ys += [below, above, None]
    line = {"color": colour, "width": width}
    return {"type": "scatter", "mode": "lines", "name": name, "x": xs, "y": ys, "line": line, "hoverinfo": "skip"}


def _judged(holes: Holes, order: Any, runs: list[str]) -> Figure:
    data = [
        {
            "type": "scatter", "mode": "markers", "meta": "runs", "name": f"top {depth}", "x": runs, "text": runs,
            "y": [100 * shares[run] for run in order],
            "marker": {"color": COLOURS[index], "symbol": SYMBOLS[index], "size": max(8, 12 - 2 * index)},
            "hovertemplate": f"%{{text}}<br>%{{y:.1f}} % of the top {depth}<extra></extra>",
        }
        for index, (depth, shares) in enumerate(holes.judged.items())
    ]  # fmt: skip
    layout = {
        "xaxis": {"type": "category", "tickangle": -60},
        "yaxis": {"title": {"text": "% judged"}, "range": [0, 104]},
        "legend": LEGEND,
    }
    return Figure("Judged share", data, layout, "Of the documents that a run places at the top.")


def _pairs(holes: Holes) -> Table:
    """Table of the pairs: those that could turn first, the closest first."""
    pairs = holes.pairs
    order = np.lexsort((np.abs(pairs.ahead - 0.5), ~pairs.could_turn))[:MOST_PAIRS]
    columns = {name: [values[pair] for pair in order] for name, values in pairs.columns().items()}
    more = f" The {MOST_PAIRS} nearest to even are shown." if len(order) < len(pairs.run_a) else ""
    note = (
        "A - B: holes worthless. model, low, high, ahead: the model's difference, its interval, and the share of "
        f"draws in which run A is ahead. lowest, highest: whatever labels the holes within the depth have.{more}"
    )
    return Table("Comparisons", columns, note, file="pairs")


def _plain(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
