"""How deep a plan's pool is unless told."""

from __future__ import annotations

import numpy as np

from poolwise.plan.influence import STOPPING
from poolwise.score.gain_discount import rank_discounts
from poolwise.score.registry import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.score.measure import Measure

WITHOUT_CUTOFF = 100
SELDOM_READ = 20  # the last rank of pools for a reader who stops at what is found
HARDLY = 0.01  # of the weight of all ranks


def usual_depth(measure: str | Measure, design: str) -> int:
    """The measure's cut-off, or where ranks hardly count any more, at most 100.

    What no run ranks within the cut-off gains nothing in any of them. In nDCG it could only stand in the ideal list,
    and labels spent on that are missing where runs differ. A reader who stops at what is found (RR, ERR) rarely comes
    to rank 20, and RBP leaves at most a hundredth to what is below. Designs by depth find theirs by the budget.

    >>> usual_depth("nDCG@10", "model"), usual_depth("AP", "model"), usual_depth("P@10", "depth")
    (10, 100, 100)
    >>> usual_depth("RR", "model"), usual_depth("RBP(p=0.8)", "model"), usual_depth("RBP(p=0.95)", "model")
    (20, 21, 90)
    """
    asked = parse(measure)
    if design.startswith("depth"):
        return WITHOUT_CUTOFF
    if asked.cutoff:
        return int(asked.cutoff)
    if asked.name == "RBP":
        sums = np.cumsum(rank_discounts(asked, WITHOUT_CUTOFF))
        return min(int(np.searchsorted(sums, 1.0 - HARDLY)) + 1, WITHOUT_CUTOFF)
    return SELDOM_READ if asked.name in STOPPING else WITHOUT_CUTOFF
