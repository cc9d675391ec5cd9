"""What a plan has to say of itself: budgets and edges that are not used, strata without a judgment, labels to come."""

from __future__ import annotations

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.pool.judgments import POOLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.plans.listing import Listing
    from poolwise.pool.pool import Pool
    from poolwise.sampling.cells import Cells

EVERY_PAIR = "all"
MOST_PAIRS = 32  # of which the width of a typical difference is told


def named_pairs(difference: Any, pool: Pool) -> list[tuple[str, str]]:
    """Pairs of runs: one may stand alone, and one run alone means it and every other. None if all are meant."""
    if difference is None or difference == EVERY_PAIR:
        return []
    if isinstance(difference, str):
        return [(difference, run) for run in pool.runs if run != difference]
    return checks.pairs(difference)


def check_difference(difference: Any, pool: Pool) -> None:
    """Refuse what is no pair of two runs, or no run."""
    if isinstance(difference, str) and len(pool.runs) < 2:
        raise ArgumentError(f"difference={difference!r} needs two runs or more; there is one")
    if isinstance(difference, str) and difference != EVERY_PAIR:
        pool.run_number(difference)
    for pair in named_pairs(difference, pool):
        for run in pair:
            pool.run_number(run)


def as_written(difference: Any, pool: Pool) -> list[Any] | str | None:
    """None, one pair, several, or "all", as files and programs read them."""
    if difference == EVERY_PAIR:
        return EVERY_PAIR
    named = named_pairs(difference, pool)
    return None if not named else list(named[0]) if len(named) == 1 else [list(pair) for pair in named]


def forecast_groups(difference: Any, pool: Pool) -> list[tuple[str, list[int]]]:
    """Runs, and the differences asked for, or some to tell what is typical."""
    import numpy as np

    from poolwise.plans.planned_widths import TYPICAL

    runs = [(run, pool.run_numbers([run])) for run in pool.runs]
    if pairs := named_pairs(difference, pool):
        return runs + [(f"{a} - {b}", pool.run_numbers([a, b])) for a, b in pairs]
    random = np.random.default_rng(0)
    number = min(MOST_PAIRS, len(pool.runs) * (len(pool.runs) - 1) // 2)
    drawn = [sorted(random.choice(len(pool.runs), 2, replace=False).tolist()) for _ in range(number)]
    return runs + [(TYPICAL, pair) for pair in drawn]


if TYPE_CHECKING:
    Whole = NDArray[np.int64]
BY_WORTH = ("stratified", "model")  # designs that give labels to strata by what these are worth


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
    judged = cells.sampled + added > 0
    reached = np.isin(cells.parent, cells.parent[judged]) | (topics is None)
    empty = int((~judged & (cells.size > 0) & reached).sum())
    if not empty:
        return []
    return [
        f"{empty} of {len(cells.size)} strata of topics {'gets' if empty == 1 else 'get'} no judgment, and what is "
        "relevant there will be missed; "
        "use fewer strata or a larger budget"
    ]


def unused_options(edges: Sequence[int] | None, by_worth: bool, design: str, depth: int) -> list[str]:
    """Say which options of strata and of topics do nothing."""
    notes = _unused_edges(edges, design, depth)
    if by_worth and design not in BY_WORTH:
        shares = f"shares of topics by worth are for designs {' and '.join(BY_WORTH)}"
        notes.append(f"{shares}; {design} has no use for them")
    return notes


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
