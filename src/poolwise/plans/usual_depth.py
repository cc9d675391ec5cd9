"""How deep a plan's pool is unless told."""

from __future__ import annotations

import numpy as np

from poolwise.measures.gain_discount import rank_discounts
from poolwise.measures.registry import parse
from poolwise.plans.influence import STOPPING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.measures.measure import Measure

WITHOUT_CUTOFF = 100
SELDOM_READ = 20  # the last rank of pools for a reader who stops at what is found
HARDLY = 0.01  # of the weight of all ranks
# Where an ideal has to be known, so many runs have pools of so many cut-offs, and more runs of one. Chosen by errors
# against complete judgments (benchmarks/plan_depth.py; docs/theory/assisted.md, section *Depth of the pool*).
CUTOFFS = ((2, 3), (9, 2))


def usual_depth(measure: str | Measure, design: str, runs: int) -> int:
    """How deep the pool of so many runs is: the measure's cut-off, or where ranks hardly count any more, at most 100.

    What no run ranks within the cut-off gains nothing in any of them. But where scores are relative to all that is
    relevant, few runs find too little of that within their cut-off, and differences come out too large: pools of two
    runs are three times as deep then, those of three to nine twice. A reader who stops at what is found (RR, ERR)
    rarely comes to rank 20, and RBP leaves at most a hundredth to what is below. Designs by depth find theirs by the
    budget.

    >>> [usual_depth("nDCG@10", "model", runs) for runs in (2, 3, 10)], usual_depth("P@10", "model", 2)
    ([30, 20, 10], 10)
    >>> usual_depth("AP", "model", 2), usual_depth("P@10", "depth", 2), usual_depth("nDCG@200", "model", 2)
    (100, 100, 200)
    >>> [usual_depth(name, "model", 2) for name in ("RR", "RBP(p=0.8)", "RBP(p=0.95)")]
    [20, 21, 90]
    """
    asked = parse(measure)
    if design.startswith("depth"):
        return WITHOUT_CUTOFF
    if asked.cutoff:
        return _deeper(asked.cutoff, runs) if asked.declaration.relative else asked.cutoff
    if asked.name == "RBP":
        sums = np.cumsum(rank_discounts(asked, WITHOUT_CUTOFF))
        return min(int(np.searchsorted(sums, 1.0 - HARDLY)) + 1, WITHOUT_CUTOFF)
    return SELDOM_READ if asked.name in STOPPING else WITHOUT_CUTOFF


def _deeper(cutoff: int, runs: int) -> int:
    """The depth at which so many runs find enough of what an ideal list to the cut-off may hold."""
    times = next((times for most, times in CUTOFFS if runs <= most), 1)
    return max(cutoff, min(times * cutoff, WITHOUT_CUTOFF))
