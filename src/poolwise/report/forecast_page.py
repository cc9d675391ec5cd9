"""The page of a plan's forecast: how wide intervals will be, against the number of labels."""

from __future__ import annotations

import numpy as np

from poolwise.show.figures import curves
from poolwise.show.items import Figure, Table
from poolwise.show.origin import how_made
from poolwise.show.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.plan.planned_widths import PlannedWidths

MEASURED = (
    "Widths are of first order, by the relevance model of plans, times what estimates were found to be wider by. How "
    "good such forecasts were is on the page about 500 labels."
)


def forecast_table(found: PlannedWidths) -> Table:
    """One row per run or difference, one column per number of labels."""
    return Table("Widths to expect", found.overview(), f"The plan has {found.planned} labels.", digits=3)


def forecast_page(found: PlannedWidths, command: str = "") -> Page:
    """Make the page: the figure, the table, how it was done."""
    words = found.headline()
    at = found.labels.index(found.planned)
    summary = [
        f"{words[0].upper()}{words[1:]}.",
        f"With the {found.planned} labels of the plan the interval of a run will be about "
        f"{float(np.nanmean(found.widths[:, at])):.3f} wide.",
    ]
    return Page("Widths to expect", summary, [_figure(found), forecast_table(found)], [MEASURED, *how_made(command)])


def _figure(found: PlannedWidths) -> Figure:
    pair = np.array([" - " in name or name.startswith("two runs") for name in found.names])
    lines = {}
    for name, rows in (("narrowest run", 0.0), ("median run", 0.5), ("widest run", 1.0)):
        lines[name] = (list(found.labels), np.quantile(found.widths[~pair], rows, axis=0).tolist())
    for place in np.flatnonzero(pair)[:5].tolist():
        lines[found.names[place]] = (list(found.labels), found.widths[place].tolist())
    return curves(
        "Width against labels", lines, "labels to give now", f"width of the {100 * found.level:g} % interval",
        note=f"The plan has {found.planned} labels.", xaxis={"type": "log"},
    )  # fmt: skip
