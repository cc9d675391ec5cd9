"""The page of estimates from sampled labels: each run with its interval, and the score by all labels if known."""

from __future__ import annotations

import numpy as np

from poolwise.show.figures import run_intervals
from poolwise.show.origin import how_made
from poolwise.show.page import Figure, Page, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.estimate.estimates import Estimate
    from poolwise.score.scores import Scores


def estimates_page(found: Estimate, complete: Scores | None = None, command: str = "") -> Page:
    """Make the page: estimates of every measure, best first; `complete` are scores by all labels, if there are."""
    parts: list[Table | Figure] = []
    summary = []
    level = f"{100 * found.settings.get('level', 0.95):g} %"
    means, low, high = found.means(), found.mean_low(), found.mean_high()
    for place, measure in enumerate(found.measures):
        order = np.argsort(-means[:, place], kind="stable")
        runs = [found.runs[run] for run in order]
        columns: dict[str, list[Any]] = {"run": runs, measure: means[order, place].tolist()}
        columns |= {"low": low[order, place].tolist(), "high": high[order, place].tolist()}
        truth = None
        if complete is not None:
            truth = complete.means()[order, complete.measures.index(measure)]
            columns["all labels"] = truth.tolist()
            held = (low[order, place] <= truth + 1e-12) & (truth - 1e-12 <= high[order, place])
            summary.append(
                f"{measure}: {held.sum()} of {len(runs)} intervals hold the score by all labels; their mean width is "
                f"{np.mean(high[:, place] - low[:, place]):.3f}."
            )
        else:
            summary.append(f"By {measure}, {runs[0]} comes first ({columns[measure][0]:.4f}).")
        values = (columns[measure], columns["low"], columns["high"])
        parts += [
            run_intervals(f"{measure} of every run", runs, values, measure, truth, f"Bars are {level} intervals."),
            Table(f"By {measure}", columns),
        ]
    if found.differences is not None:
        parts.append(
            Table("Differences", found.differences.columns(), "Difference is the mean of run a minus that of run b.")
        )
    methods = [
        f"Assisted estimates with {level} intervals: a model of relevance on the "
        "runs' ranks, corrected by the sampled labels.",
        *how_made(command),
    ]
    return Page("Estimates from sampled labels", summary, parts, methods, found.warnings)
