"""The page of a reliability analysis: Phi and E rho^2 against the number of topics."""

from __future__ import annotations

from poolwise.reliability.reliability_plot import reliability_figure
from poolwise.show.origin import how_made
from poolwise.show.page import Figure, Page, Table, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.reliability.dependable_scores import Reliability


def reliability_page(found: Reliability, command: str = "") -> Page:
    """Make the page: what today's topics are worth, the curve, the components."""
    parts = found.components
    whole = sum(parts) or 1.0
    components: dict[str, list[Any]] = {
        "source": ["systems", "topics", "interaction"],
        "variance": list(parts),
        "share": [value / whole for value in parts],
    }
    curve = found.curve()
    tables: list[Table | Figure] = [
        reliability_figure(found),
        Table("Variance components", components, "A good measure has much of its variance between systems.", 6),
        Table("Reliability at numbers of topics", curve.columns(), digits=3),
    ]
    methods = [
        f"{found.method}; {found.runs} systems, {found.topics} topics, level {found.level}, seed {found.seed}.",
        "Phi speaks of absolute scores, E rho^2 of the ranking of systems (generalizability theory, [K09]).",
        *how_made(command),
    ]
    return Page(f"Reliability of {found.measure}", [found.in_words()], tables, methods, found.warnings)


def reliabilities_page(found: Sequence[Reliability], command: str = "") -> Page:
    """One page of several measures, a section per measure."""
    return together("Reliability of measures", {each.measure: reliability_page(each, command) for each in found})
