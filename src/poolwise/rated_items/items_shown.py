"""Figures of items: means and differences with intervals, and what a plan draws."""

from __future__ import annotations

from poolwise.show.figures import COLOURS, LEGEND
from poolwise.show.page import Page, how_made
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.rated_items.item_results import ItemDifferences, ItemEstimate
    from poolwise.rated_items.plan_items import ItemPlan


def items_figure(estimate: ItemEstimate) -> Figure:
    """Every system and group with its interval, beside that of the plain mean where predictions make another."""
    columns = estimate.columns()
    named = [columns[key] for key in ("system", "group") if key in columns]
    names = [" ".join(words) for words in zip(*named, strict=True)] or ["all items"]
    note = f"Bars are {100 * estimate.level:g} % intervals."
    return _intervals("Values with intervals", names, columns, bool(estimate.predictors), note)


def differences_figure(differences: ItemDifferences, assisted: bool = True) -> Figure:
    """Every difference with its interval, and a line at 0."""
    columns = differences.columns()
    groups = columns.get("group", [""] * len(differences.rows))
    pairs = zip(columns["system_a"], columns["system_b"], groups, strict=True)
    names = [f"{a} - {b} {group}".strip() for a, b, group in pairs]
    note = f"Bars are {100 * differences.level:g} % intervals; one that leaves out 0 tells the two systems apart."
    return _intervals(
        "Differences with intervals", names, {**columns, "value": columns["difference"]}, assisted, note, 0.0
    )


def plan_figure(plan: ItemPlan) -> Figure:
    """Items of each stratum: labelled, drawn now, and left."""
    columns = plan.overview()
    left = [row["items"] - row["labelled"] - row["now"] for row in plan.strata]
    kinds = (("labelled", columns["labelled"], 2), ("drawn now", columns["now"], 0), ("left", left, 6))
    data = [
        {
            "type": "bar", "name": name, "x": list(columns["stratum"]), "y": list(counts),
            "marker": {"color": COLOURS[colour]},
            "hovertemplate": "stratum %{x}<br>%{y} items<extra>" + name + "</extra>",
        }
        for name, counts, colour in kinds
    ]  # fmt: skip
    layout = {
        "barmode": "stack",
        "xaxis": {"type": "category", "title": {"text": "stratum"}},
        "yaxis": {"title": {"text": "items"}},
        "legend": LEGEND,
    }
    return Figure("Items by stratum", data, layout)


def _intervals(
    title: str,
    names: Sequence[str],
    columns: dict[str, list[Any]],
    assisted: bool,
    note: str,
    level: float | None = None,
) -> Figure:
    kinds = [("with predictions", "", 0), ("plain mean", "plain_", 1)] if assisted else [("mean", "", 0)]
    data = [_bars(name, names, columns, prefix, COLOURS[colour]) for name, prefix, colour in kinds]
    layout: dict[str, Any] = {
        "xaxis": {"type": "category", "tickangle": -60},
        "yaxis": {
            "title": {"text": "value" if level is None else "difference"},
            **_range_of(columns, [prefix for _, prefix, _ in kinds], level),
        },
        "scattermode": "group",
        "legend": LEGEND,
        "showlegend": assisted,
    }
    if level is not None:
        line = {"color": "#7f7f7f", "width": 1, "dash": "dot"}
        layout["shapes"] = [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": level, "y1": level, "line": line}]
    return Figure(title, data, layout, note)


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


def _range_of(columns: dict[str, list[Any]], prefixes: Sequence[str], level: float | None) -> dict[str, list[float]]:
    """Range of the axis around the values. By default plotly starts at 0."""
    names = [f"{prefix}{end}" for prefix in prefixes for end in ("low", "high")]
    ends = [end for name in (*names, "value") for end in columns[name] if end == end]
    if not ends:
        return {}
    ends += [] if level is None else [level]
    margin = 0.06 * (max(ends) - min(ends)) or 0.1
    return {"range": [min(ends) - margin, max(ends) + margin]}


OF_ITS_OWN = (
    "Items labelled for both systems count as pairs, items labelled for one count for that one, so it need not be the "
    "difference of the two means above; where systems are compared, it is the one to go by, and its interval too."
)
NEEDED = "Labels needed are labels of that system in all, those there are included."
NEEDED_OF_BOTH = (
    "Labels needed are labels of both systems together, those there are included: paired if every item is labelled for "
    "both, apart if items are drawn for each system by itself."
)
PLAIN = "Plain is the mean of the labelled items alone, with the interval it would have."


def item_tables(estimate: ItemEstimate) -> list[Table]:
    """Means, and differences if there are any. A plain mean only where predictions make another."""
    title = "Means" if estimate.share_from is None else "Shares"
    tables = [Table(title, _columns(estimate.columns(), estimate), NEEDED if estimate.width is not None else "")]
    if estimate.differences is not None:
        note = f"A - B is the mean of system A less that of system B, on the same items. {OF_ITS_OWN}"
        note += f" {NEEDED_OF_BOTH}" if estimate.width is not None else ""
        tables.append(Table("Differences", _columns(estimate.differences.columns(), estimate), note))
    return tables


def words_below(estimate: ItemEstimate) -> str:
    """Explanations below the tables in a terminal."""
    wanted = estimate.width is not None
    lines = [f"labels_needed: {NEEDED[0].lower()}{NEEDED[1:]}"] if wanted else []
    if estimate.differences is not None:
        lines.append(f"A difference: {OF_ITS_OWN[0].lower()}{OF_ITS_OWN[1:]}")
        lines += [
            f"labels_needed_paired, labels_needed_apart: {NEEDED_OF_BOTH[0].lower()}{NEEDED_OF_BOTH[1:]}"
        ] * wanted
    return "".join(f"\n{line}\n" for line in lines)


def _columns(columns: dict[str, list[Any]], estimate: ItemEstimate) -> dict[str, list[Any]]:
    return {name: column for name, column in columns.items() if estimate.predictors or not name.startswith("plain")}


def items_page(estimate: ItemEstimate, command: str = "") -> Page:
    """Make the page: figures, the tables, how it was done."""
    words = estimate.headline()
    parts: list[Table | Figure] = [items_figure(estimate)]
    if estimate.differences is not None:
        parts.append(differences_figure(estimate.differences, bool(estimate.predictors)))
    parts += item_tables(estimate)
    methods = [
        "The mean of predictions over all items, corrected by their mean error on the labelled ones; predictions count "
        "by slopes that make the error least, and only as far as they help with items they were not learned from.",
        PLAIN,
        *how_made(command),
    ]
    sentences = [f"{words[0].upper()}{words[1:]}."]
    sentences += [] if estimate.differences is None else [f"{estimate.differences.headline()}."]
    return Page("Means from few labels", sentences, parts, methods, estimate.warnings)
