"""Plans of pools that are judged in full down to a depth, as far as the budget goes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolwise.errors import ArgumentError
from poolwise.plans.plan_strata import make_cells, set_strata
from poolwise.sampling.allocation import in_proportion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.plans.listing import Listing

SHOWN_DEPTHS = (1, 5, 10, 20, 50)  # of which the sizes of pools are told


def by_depth(listing: Listing, design: str, budget: int | None, depth: int) -> tuple[Listing, NDArray[np.int64]]:
    """The deepest pool the budget can judge in full; or half the budget, and the other half at random below it.

    Without a budget it is the whole pool of that depth.
    """
    budget = len(listing.rank) if budget is None else budget
    most = budget if design == "depth" else budget // 2
    sizes = np.cumsum(np.bincount(listing.rank, minlength=depth + 1))
    k = int(np.flatnonzero(sizes <= most).max(initial=0))
    if k == 0:
        raise ArgumentError(
            f"budget={budget} is too small for design {design!r}; "
            f"the pool of depth 1 alone has {int(sizes[1])} documents"
        )
    if design == "depth":
        listing = set_strata(listing.where(listing.rank <= k), ())
        return listing, make_cells(listing).pooled
    listing = set_strata(listing, (k,))
    cells = make_cells(listing)
    first = cells.stratum == 1
    rest = replace(cells, pooled=np.where(first, 0, cells.pooled))
    random = in_proportion(rest, budget - int(cells.pooled[first].sum()))
    return listing, np.where(first, cells.pooled, random)


def sizes_by_depth(listing: Listing, depth: int) -> dict[int, int]:
    """How many documents pools of some depths have, that of all included."""
    sizes = np.cumsum(np.bincount(listing.rank, minlength=depth + 1))
    return {each: int(sizes[each]) for each in (*(shown for shown in SHOWN_DEPTHS if shown < depth), depth)}
