"""The page of an audit: what the collection holds, how much of each run is judged, what to know before scoring."""

from __future__ import annotations

from poolwise.show.figures import curves
from poolwise.show.page import Figure, Page, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.audit import Audit


def audit_page(found: Audit, command: str = "") -> Page:
    """Make the page: findings first, then facts, judged shares as a figure, and all numbers of the runs."""
    facts = found.facts()
    parts: list[Table | Figure] = [
        Table("The collection", {"what": list(facts), "found": list(facts.values())}),
        judged_figure(found),
        Table("Runs", found.columns(), "What each run retrieved and how much of it is judged.", 3),
    ]
    lowest = min(found.judged_share[10])
    run = found.runs[found.judged_share[10].index(lowest)]
    summary = [
        f"{found.headline()}.",
        f"Of the top ten documents {100 * lowest:.0f} % are judged for {run}, the run with fewest, and "
        f"{100 * max(found.judged_share[10]):.0f} % for that with most.",
    ]
    return Page("Before scoring", summary, parts, [f"Command: {command}"] if command else [], found.findings)


def judged_figure(found: Audit) -> Figure:
    """The judged share of every run's top documents, the best judged run first."""
    order = sorted(range(len(found.runs)), key=lambda run: -found.judged_share[10][run])
    names = [found.runs[run] for run in order]
    lines: dict[str, tuple[Any, Any]] = {
        f"top {depth}": (names, [100 * shares[run] for run in order]) for depth, shares in found.judged_share.items()
    }
    note = "Measures see only what is judged: where little is, scores of runs cannot be compared."
    axis = {"type": "category", "tickangle": -60}
    return curves("Judged documents", lines, "run", "% judged", note=note, xaxis=axis, yaxis={"range": [0, 102]})
