"""What a plan has to say of itself: budgets and edges that are not used, strata without a judgment, labels to come."""

from __future__ import annotations

import numpy as np

from poolwise.basics.words import counted
from poolwise.pool.judgments import POOLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from poolwise.plans.listing import Listing
    from poolwise.sampling.cells import Cells

    Whole = NDArray[np.int64]

BY_WORTH = ("stratified", "model")  # designs that give labels to strata by what these are worth

__all__ = ["empty_strata", "unlabelled", "unspent", "unused_options"]


def unspent(spent: float, budget: int | None, unit: str, depth: int | None = None, whole: bool = True) -> list[str]:
    """Say that a budget is not used up; with `depth`, of a pool that is judged in full down to it, if `whole`."""
    if budget is None or spent >= budget:
        return []
    reason = "no more documents are left" if whole else "the next rank would take more"
    reason += f" down to depth {depth}" if depth is not None and whole else ""
    what = "judgments are used" if unit == "labels" else "units of cost are spent"
    return [f"only {spent:.10g} of {budget} {what}; {reason}"]


def empty_strata(cells: Cells, added: Whole, topics: Whole | None) -> list[str]:
    """Say that strata get no judgment; where topics are drawn, those of others do not count."""
    judged = cells.drawn + added > 0
    reached = np.isin(cells.topic, cells.topic[judged]) | (topics is None)
    empty = int((~judged & (cells.pooled > 0) & reached).sum())
    if not empty:
        return []
    return [
        f"{empty} of {len(cells.pooled)} strata of topics {'gets' if empty == 1 else 'get'} no judgment, and what is "
        "relevant there will be missed; "
        "use fewer strata or a larger budget"
    ]


def unused_options(edges: Sequence[int] | None, by_worth: bool, design: str, depth: int) -> list[str]:
    """Say which options of strata and of topics do nothing."""
    said = _unused_edges(edges, design, depth)
    if by_worth and design not in BY_WORTH:
        shares = f"shares of topics by worth are for designs {' and '.join(BY_WORTH)}"
        said.append(f"{shares}; {design} has no use for them")
    return said


def _unused_edges(edges: Sequence[int] | None, design: str, depth: int) -> list[str]:
    """Edges given for strata have no rank behind them, or the design has none by rank."""
    if edges and design != "stratified":
        return [f"edges are for design stratified; {design} has no strata by rank"]
    beyond = [str(edge) for edge in edges or () if edge >= depth]
    if not beyond:
        return []
    have = "edge has" if len(beyond) == 1 else "edges have"
    return [f"{have} no stratum behind, as the pool ends at rank {depth}: {', '.join(beyond)}"]


def unlabelled(listing: Listing) -> list[str]:
    """Say that documents of earlier rounds wait for a label."""
    missing = int(((listing.round > 0) & (listing.label == POOLED)).sum())
    if not missing:
        return []
    have, are = ("has", "it is") if missing == 1 else ("have", "they are")
    return [f"{counted(missing, 'document')} of earlier rounds {have} no label; {are} listed again after the new ones"]
