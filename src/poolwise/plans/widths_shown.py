"""The page of a plan's forecast: how wide intervals will be, against the number of labels."""

from __future__ import annotations

import numpy as np

from poolwise.show.figures import curves
from poolwise.show.page import Page, how_made
from poolwise.show.parts import Figure, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.plans.planned_widths import PlannedWidths

FEW, MOST_LINES = 3, 5  # runs or differences that are named one by one; differences that have a line
MEASURED = (
    "The documents that the plan draws are given labels by chance, three times or more, and widths are those of "
    "estimates from these. On four collections such forecasts were 0.85 to 1.2 times the mean width that came in two "
    "of three cases, and 0.65 to 1.4 times in most others (the page about 500 labels has the table). A run that finds "
    "what no other finds, as manual runs do, may come out five times as wide as is said here before any label."
)


def forecast_table(forecast: PlannedWidths) -> Table:
    """One row per run or difference, one column per number of labels."""
    columns = {"run" if name == forecast.unit else name: values for name, values in forecast.overview().items()}
    note = f"{_planned(forecast)} {forecast.empty_cells()}".strip()
    return Table(f"Widths by {forecast.steps()}", columns, note, digits=3)


def _planned(forecast: PlannedWidths) -> str:
    """How large the plan is."""
    if forecast.unit == "labels":
        return f"The plan has {forecast.planned} labels."
    return f"The plan spends {forecast.planned} units of cost."


def forecast_page(forecast: PlannedWidths, command: str = "") -> Page:
    """Make the page: the figure, the table, how it was done."""
    words, parts = forecast.headline(), forecast.by_measure()
    names = [f" ({part.measure})" if len(parts) > 1 else "" for part in parts]
    summary = [f"{words[0].upper()}{words[1:]}."]
    summary += [_expected(part, name) for part, name in zip(parts, names, strict=True)]
    figures = [_figure(part, name) for part, name in zip(parts, names, strict=True)]
    return Page("Widths to expect", summary, [*figures, forecast_table(forecast)], [MEASURED, *how_made(command)])


def _pairs(forecast: PlannedWidths) -> NDArray[np.bool_]:
    """Which rows are of differences."""
    return np.array([" - " in name or name.startswith("two runs") for name in forecast.names])


def _expected(forecast: PlannedWidths, name: str) -> str:
    """Widths after the plan: of differences first, each if they are few, then of runs. `name` is of the measure."""
    widths, pair = forecast.widths[:, forecast.labels.index(forecast.planned)], _pairs(forecast)
    sentences = []
    for chosen, many in ((pair, "a difference"), (~pair, "a run")):
        indices = np.flatnonzero(chosen).tolist()
        if len(indices) <= FEW:
            sentences += [f"{widths[index]:.3f} for {forecast.names[index]}" for index in indices]
        elif np.isfinite(widths[indices]).any():
            sentences.append(f"{float(np.nanmean(widths[indices])):.3f} for {many} on average")
    budget = f"{forecast.planned} {'labels' if forecast.unit == 'labels' else 'units of cost'}"
    return f"With the {budget} of the plan, intervals{name} will be about so wide: {', '.join(sentences)}."


def _figure(forecast: PlannedWidths, name: str) -> Figure:
    pair = _pairs(forecast)
    lines = {}
    shown = np.flatnonzero(pair)[:MOST_LINES].tolist()
    if (~pair).sum() <= FEW:
        shown += np.flatnonzero(~pair).tolist()
    for index in shown:
        lines[forecast.names[index]] = (list(forecast.labels), forecast.widths[index].tolist())
    for run, quantile in (
        (("narrowest run", 0.0), ("median run", 0.5), ("widest run", 1.0)) if (~pair).sum() > FEW else ()
    ):
        lines[run] = (list(forecast.labels), np.quantile(forecast.widths[~pair], quantile, axis=0).tolist())
    return curves(
        f"Width against {forecast.unit}{name}", lines,
        "labels to give now" if forecast.unit == "labels" else "cost of labels to give now",
        f"width of the {100 * forecast.level:g} % interval", note=_planned(forecast), xaxis=_ticks(forecast.labels),
    )  # fmt: skip


def _ticks(labels: Sequence[int]) -> dict[str, Any]:
    """An axis that names the numbers there are."""
    return {"type": "log", "tickvals": list(labels), "ticktext": [f"{number:,}" for number in labels]}
