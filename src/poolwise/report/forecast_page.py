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
    "Widths are those of estimates from labels that are supposed, three times or more, for the documents that the plan "
    "draws. On four collections such forecasts were 0.85 to 1.2 times the mean width that came in two of three cases, "
    "and 0.65 to 1.4 times in most others (the page about 500 labels has the table). A run that finds what no other "
    "finds, as manual runs do, may come out five times as wide as is said here before any label."
)


def forecast_table(forecast: PlannedWidths) -> Table:
    """One row per run or difference, one column per number of labels."""
    columns = {"run" if name == "labels" else name: values for name, values in forecast.overview().items()}
    note = f"By number of labels; the plan has {forecast.planned}. Empty where some stratum would have no label."
    return Table("Widths to expect", columns, note, digits=3)


def forecast_page(forecast: PlannedWidths, command: str = "") -> Page:
    """Make the page: the figure, the table, how it was done."""
    words = forecast.headline()
    at = forecast.labels.index(forecast.planned)
    summary = [
        f"{words[0].upper()}{words[1:]}.",
        f"With the {forecast.planned} labels of the plan the interval of a run will be about "
        f"{float(np.nanmean(forecast.widths[:, at])):.3f} wide.",
    ]
    return Page(
        "Widths to expect", summary, [_figure(forecast), forecast_table(forecast)], [MEASURED, *how_made(command)]
    )


def _figure(forecast: PlannedWidths) -> Figure:
    pair = np.array([" - " in name or name.startswith("two runs") for name in forecast.names])
    lines = {}
    for name, rows in (("narrowest run", 0.0), ("median run", 0.5), ("widest run", 1.0)):
        lines[name] = (list(forecast.labels), np.quantile(forecast.widths[~pair], rows, axis=0).tolist())
    for place in np.flatnonzero(pair)[:5].tolist():
        lines[forecast.names[place]] = (list(forecast.labels), forecast.widths[place].tolist())
    return curves(
        "Width against labels", lines, "labels to give now", f"width of the {100 * forecast.level:g} % interval",
        note=f"The plan has {forecast.planned} labels.", xaxis=_ticks(forecast.labels),
    )  # fmt: skip


def _ticks(labels: Sequence[int]) -> dict[str, Any]:
    """An axis that names the numbers there are."""
    return {"type": "log", "tickvals": list(labels), "ticktext": [f"{number:,}" for number in labels]}
