"""The page of means over items: every system and group with its interval, beside that of the plain mean."""

from __future__ import annotations

from poolwise.rated_items.items_plot import differences_figure, items_figure
from poolwise.show.origin import how_made
from poolwise.show.page import Page
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.rated_items.item_results import ItemEstimate

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
    """Means, and differences if there are any; a plain mean only where predictions make another."""
    title = "Means" if estimate.share_from is None else "Shares"
    tables = [Table(title, _columns(estimate.columns(), estimate), NEEDED if estimate.width is not None else "")]
    if estimate.differences is not None:
        note = f"A - B is the mean of system A less that of system B, on the same items. {OF_ITS_OWN}"
        note += f" {NEEDED_OF_BOTH}" if estimate.width is not None else ""
        tables.append(Table("Differences", _columns(estimate.differences.columns(), estimate), note))
    return tables


def words_below(estimate: ItemEstimate) -> str:
    """What a reader of the tables in a terminal has to know."""
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
    said = [f"{words[0].upper()}{words[1:]}."]
    said += [] if estimate.differences is None else [f"{estimate.differences.headline()}."]
    return Page("Means from few labels", said, parts, methods, estimate.warnings)
