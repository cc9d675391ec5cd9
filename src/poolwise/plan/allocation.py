"""Judgments shared out over topics and strata."""

from __future__ import annotations

import numpy as np

from poolwise.judge.apportion import evenly, path
from poolwise.plan.plan_strata import LEAST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.arrays import Floats
    from poolwise.judge.inclusion import Cells

    Whole = NDArray[np.int64]


class Paths:
    """The order in which each topic's judgments go to its strata, for any budget.

    Topics get equal shares of a budget, as each counts the same in a mean; a topic with too few documents leaves its
    rest to the others. Within a topic judgments go where they lessen the variance most, each stratum first getting
    two.
    """

    def __init__(self, cells: Cells, squared_spreads: Floats) -> None:
        self.cells = cells
        self.topics = np.unique(cells.topic)
        self._own = [np.flatnonzero(cells.topic == topic) for topic in self.topics]
        spreads = np.sqrt(squared_spreads)
        self._parts = [own[path(spreads[own], cells.pooled[own], cells.drawn[own], LEAST)[1]] for own in self._own]

    @property
    def capacity(self) -> int:
        """How many documents can still be drawn."""
        return int(self.cells.left.sum())

    def added(self, budget: int) -> Whole:
        """How many documents to draw from each cell."""
        shares = evenly(budget, [len(parts) for parts in self._parts])
        taken = [parts[:share] for parts, share in zip(self._parts, shares.tolist(), strict=True)]
        return np.bincount(np.concatenate(taken), minlength=len(self.cells.pooled)).astype(np.int64)


def in_proportion(cells: Cells, budget: int) -> Whole:
    """Equal shares for topics, and within a topic so many of each stratum that all are judged at the same rate."""
    added = np.zeros(len(cells.pooled), dtype=np.int64)
    topics = np.unique(cells.topic)
    room = np.bincount(np.searchsorted(topics, cells.topic), cells.left).astype(np.int64)
    for topic, share in zip(topics, evenly(budget, room).tolist(), strict=True):
        of_topic = np.flatnonzero(cells.topic == topic)
        # The next judgment goes where the rate after it is lowest: Webster's method with sizes as weights.
        parts = np.repeat(of_topic, cells.left[of_topic])
        places = np.concatenate([np.arange(cells.drawn[c], cells.pooled[c]) for c in of_topic])
        order = np.lexsort((parts, (places + 0.5) / cells.pooled[parts]))
        np.add.at(added, parts[order[:share]], 1)
    return added
