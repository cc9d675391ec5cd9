"""Tiers of runs: what to show where letters of groups are too many to read.

Letters say of every pair whether it differs, which takes more groups than anybody reads when many runs overlap. Tiers
say less, in one number per run: each begins with the best run that is left, and holds whoever cannot be told apart from
that run. Runs of one tier may differ from one another, and runs of two tiers may not.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TIERS_NOTE", "tiers_of"]

TIERS_NOTE = (
    "Tier 1 is the best run and those that cannot be told apart from it; every further tier is the best run that is "
    "left and those of the rest that cannot be told apart from that one."
)


def tiers_of(different: NDArray[np.bool_]) -> list[int]:
    """Return the tier of each run, given a symmetric table of which runs differ, best run first.

    >>> different = np.zeros((4, 4), dtype=bool)
    >>> different[0, [1, 3]] = different[[1, 3], 0] = True
    >>> tiers_of(different)
    [1, 2, 1, 2]
    """
    tiers = np.zeros(len(different), dtype=np.int64)
    tier = 0
    while (left := np.flatnonzero(tiers == 0)).size:
        tier += 1
        head, rest = left[0], left[1:]
        tiers[head] = tier
        tiers[rest[~different[head, rest]]] = tier
    return tiers.tolist()
