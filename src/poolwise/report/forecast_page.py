"""The page of a plan's forecast: how wide intervals will be, against the number of labels."""

from __future__ import annotations

import numpy as np

from poolwise.show.figures import curves
from poolwise.show.items import Figure, Table
from poolwise.show.origin import how_made
from poolwise.show.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.plan.planned_widths import PlannedWidths

MEASURED = (
    "Widths are of first order, by the relevance model of plans; after a pilot they are times what estimates were "
    "wider by. On Deep Learning 2019 such forecasts were 0.9 to 1.4 times the mean width that came before any label, "
    "and 0.7 to 1.1 times after a pilot, on TREC-8 0.8 times (the page about 500 labels has the table)."
)


def forecast_table(found: PlannedWidths) -> Table:
    """One row per run or difference, one column per number of labels."""
    columns = {"run" if name == "labels" else name: values for name, values in found.overview().items()}
    note = f"By number of labels; the plan has {found.planned}. Empty where the pilot has more already."
    return Table("Widths to expect", columns, note, digits=3)


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
        note=f"The plan has {found.planned} labels.", xaxis=_ticks(found.labels),
    )  # fmt: skip


def _ticks(labels: Sequence[int]) -> dict[str, Any]:
    """An axis that names the numbers there are."""
    return {"type": "log", "tickvals": list(labels), "ticktext": [f"{number:,}" for number in labels]}
