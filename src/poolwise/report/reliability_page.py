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


def reliability_page(reliability: Reliability, command: str = "") -> Page:
    """Make the page: what today's topics are worth, the curve, the components."""
    parts = reliability.components
    whole = sum(parts) or 1.0
    components: dict[str, list[Any]] = {
        "source": ["systems", "topics", "interaction"],
        "variance": list(parts),
        "share": [value / whole for value in parts],
    }
    curve = reliability.curve()
    tables: list[Table | Figure] = [
        reliability_figure(reliability),
        Table("Variance components", components, "A good measure has much of its variance between systems.", 6),
        Table("Reliability at numbers of topics", curve.columns(), digits=3),
    ]
    method = f"{reliability.method[0].upper()}{reliability.method[1:]}"
    methods = [
        f"{method}; {reliability.runs} systems, {reliability.topics} topics, "
        f"level {reliability.level}, seed {reliability.seed}.",
        "Phi speaks of absolute scores, E rho^2 of the ranking of systems (generalizability theory, [K09]).",
        *how_made(command),
    ]
    return Page(
        f"Reliability of {reliability.measure}", [reliability.in_words()], tables, methods, reliability.warnings
    )


def reliabilities_page(reliabilities: Sequence[Reliability], command: str = "") -> Page:
    """One page of several measures, a section per measure."""
    return together(
        "Reliability of measures", {each.measure: reliability_page(each, command) for each in reliabilities}
    )
