"""The page of means over items: every system and group with its interval, beside that of the plain mean."""

from __future__ import annotations

from poolwise.show.figures import COLOURS, LEGEND
from poolwise.show.items import Figure, Table
from poolwise.show.origin import how_made
from poolwise.show.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.items.estimate_items import ItemEstimate

OF_ITS_OWN = (
    "It is estimated from the items' own differences, so it need not be the difference of the two means above; where "
    "systems are compared, it is the one to go by, and its interval too."
)
PLAIN = "Plain is the mean of the labelled items alone, with the interval it would have."


def item_tables(estimate: ItemEstimate) -> list[Table]:
    """Means, and differences if there are any; a plain mean only where predictions make another."""
    tables = [Table("Means" if estimate.share_from is None else "Shares", _columns(estimate.columns(), estimate))]
    if estimate.differences is not None:
        note = f"A - B is the mean of system A less that of system B, on the same items. {OF_ITS_OWN}"
        tables.append(Table("Differences", _columns(estimate.differences.columns(), estimate), note))
    return tables


def _columns(columns: dict[str, list[Any]], estimate: ItemEstimate) -> dict[str, list[Any]]:
    return {name: column for name, column in columns.items() if estimate.predictors or not name.startswith("plain")}


def items_page(estimate: ItemEstimate, command: str = "") -> Page:
    """Make the page: a figure, the tables, how it was done."""
    words = estimate.headline()
    columns = estimate.columns()
    named = [columns[key] for key in ("system", "group") if key in columns]
    names = [" ".join(words) for words in zip(*named, strict=True)] or ["all items"]
    parts: list[Table | Figure] = [
        _figure(names, columns, bool(estimate.predictors), f"{100 * estimate.level:g} %"),
        *item_tables(estimate),
    ]
    methods = [
        "The mean of predictions over all items, corrected by their mean error on the labelled ones; predictions count "
        "by slopes that make the error least, and only as far as they help with items they were not learned from.",
        PLAIN,
        *how_made(command),
    ]
    return Page("Means from few labels", [f"{words[0].upper()}{words[1:]}."], parts, methods, estimate.warnings)


def _figure(names: Sequence[str], columns: dict[str, list[Any]], told: bool, level: str) -> Figure:
    kinds = [("with predictions", "", 0), ("plain mean", "plain_", 1)] if told else [("mean", "", 0)]
    data = [_bars(name, names, columns, prefix, COLOURS[colour]) for name, prefix, colour in kinds]
    layout = {
        "xaxis": {"type": "category", "tickangle": -60},
        "yaxis": {"title": {"text": "value"}, **_range_of(columns, [prefix for _, prefix, _ in kinds])},
        "scattermode": "group",
        "legend": LEGEND,
        "showlegend": told,
    }
    return Figure("Values with intervals", data, layout, f"Bars are {level} intervals.")


def _bars(name: str, names: Sequence[str], columns: dict[str, list[Any]], prefix: str, colour: str) -> dict[str, Any]:
    value = columns[prefix.rstrip("_") or "value"]
    low, high = columns[f"{prefix}low"], columns[f"{prefix}high"]
    ends = {
        "array": [_less(end, at) for end, at in zip(high, value, strict=True)],
        "arrayminus": [_less(at, end) for end, at in zip(low, value, strict=True)],
    }
    return {
        "type": "scatter", "mode": "markers", "name": name, "x": list(names),
        "y": [None if at != at else at for at in value],
        "error_y": {"type": "data", "symmetric": False, "thickness": 1.5, "width": 3, **ends},
        "marker": {"color": colour, "size": 8}, "offsetgroup": name,
        "hovertemplate": "%{x}<br>%{y:.4f}<extra>" + name + "</extra>",
    }  # fmt: skip


def _less(one: float, other: float) -> float | None:
    return None if one != one or other != other else one - other


def _range_of(columns: dict[str, list[Any]], prefixes: Sequence[str]) -> dict[str, list[float]]:
    """Where the values are: beside one another, points would be drawn from 0 on."""
    names = [f"{prefix}{end}" for prefix in prefixes for end in ("low", "high")]
    ends = [end for name in (*names, "value") for end in columns[name] if end == end]
    if not ends:
        return {}
    margin = 0.06 * (max(ends) - min(ends)) or 0.1
    return {"range": [min(ends) - margin, max(ends) + margin]}
