"""Judgments shared out over topics and strata.

**Costs.** What a sample costs is chance, as documents of a stratum differ, and yet a plan must keep to its budget.
Strata stand in an order that follows from mean costs alone, each as often as it has documents, and documents of a
stratum in random order; a plan is the longest beginning of this sequence that the budget pays for. It ends where the
next document would cost too much, and does not go on with a cheaper one. So it is never over the budget, and one
document more would be.

Within every stratum it is a simple random sample still, of a size that costs decide but no label. The plan has k
documents if the first k cost no more than the budget and the first k + 1 do: that condition does not change when the
documents of a stratum among the first k change places. So of each document among them the value is on average that of
the stratum's first one, whatever k is, and that one is any of the stratum's: the mean of a stratum is unbiased if its
first document is sure to be paid for (as the last document of inverse sampling is left out, Haldane 1945, Biometrika
33(3)). Leaving out what does not fit, or stopping behind a document, would favour cheap or dear ones.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from poolwise.errors import ArgumentError
from poolwise.sampling.apportion import evenly, path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.sampling.cells import Cells

    Whole = NDArray[np.int64]

LEAST = 2  # labels a stratum should have, so that pairs of its documents are judged too


TOPIC_SHARES = ("equal", "worth")


class Paths:
    """The order in which judgments go to strata, for any budget.

    Within a topic judgments go where they lessen the variance most for what they cost, each stratum first getting
    `least`.
    Topics get equal shares of a budget, as each counts the same in a mean, and a topic with too few documents leaves
    its rest to the others; or, `shares` being "worth", judgments of all topics are put in one such order.
    `costs` is what a judgment of each cell costs, 1 unless given.
    """

    def __init__(
        self,
        cells: Cells,
        squared_worths: Floats,
        costs: Floats | None = None,
        shares: str = "equal",
        least: int = LEAST,
    ) -> None:
        self.cells = cells
        self.topics = np.unique(cells.topic)
        self.costs = np.ones(len(cells.pooled)) if costs is None else costs
        worths = np.sqrt(squared_worths / self.costs)
        groups = [np.flatnonzero(cells.topic == topic) for topic in self.topics]
        if shares == "worth":
            groups = [np.arange(len(worths))]
        self._parts = [own[path(worths[own], cells.pooled[own], cells.drawn[own], least)[1]] for own in groups]

    def paid(self, budget: float, costs: Floats) -> Whole:
        """How many documents of each cell a budget pays for; `costs` are those of single documents.

        These are sorted by cell, and within a cell in the order in which they are drawn, those drawn before last.
        """
        sequence = self._sequence()
        begins = np.cumsum(self.cells.pooled) - self.cells.pooled
        order = np.argsort(sequence, kind="stable")
        counts = np.bincount(sequence, minlength=len(begins))
        nth = np.empty(len(sequence), dtype=np.int64)
        nth[order] = np.arange(len(sequence)) - np.repeat(np.cumsum(counts) - counts, counts)
        spent = np.cumsum(costs[begins[sequence] + nth])
        taken = sequence[: np.searchsorted(spent, budget * (1 + 1e-9), side="right")]
        added = np.bincount(taken, minlength=len(begins)).astype(np.int64)
        self._check_reached(sequence, spent, added, budget)
        return added

    def _check_reached(self, sequence: Whole, spent: Floats, added: Whole, budget: float) -> None:
        """Refuse a budget that ends before every topic has a judgment, which would be no sample of topics."""
        topic = self.cells.topic
        lacking = np.setdiff1d(topic[sequence], topic[self.cells.drawn + added > 0])
        if not len(lacking):
            return
        _, first = np.unique(topic[sequence], return_index=True)
        number = int(first.max()) + 1
        raise ArgumentError(
            f"a budget of {budget:g} does not pay for a document of each topic: the first {number} in the order of the "
            f"draw cost {spent[number - 1]:.6g}; raise it, or plan for fewer topics"
        )

    def _sequence(self) -> Whole:
        """The cell of every judgment to come, so that all topics cost about the same at any time."""
        begun = [bool(self.cells.drawn[np.unique(parts)].any()) for parts in self._parts]
        waiting = [
            (begun[group], float(self.costs[parts[0]]), group) for group, parts in enumerate(self._parts) if len(parts)
        ]
        heapify(waiting)
        taken = [0] * len(self._parts)
        sequence: list[int] = []
        while waiting:
            _, sum_so_far, group = heappop(waiting)
            parts = self._parts[group]
            sequence.append(int(parts[taken[group]]))
            taken[group] += 1
            if taken[group] < len(parts):
                heappush(waiting, (True, sum_so_far + float(self.costs[parts[taken[group]]]), group))
        return np.array(sequence, dtype=np.int64)

    @property
    def capacity(self) -> int:
        """The budget that draws all documents."""
        return int(np.ceil(self.cells.left @ self.costs))

    def added(self, budget: int) -> Whole:
        """How many documents to draw from each cell."""
        taken = [parts[:share] for parts, share in zip(self._parts, self._shares(budget), strict=True)]
        return np.bincount(np.concatenate(taken), minlength=len(self.cells.pooled)).astype(np.int64)

    def _shares(self, budget: int) -> list[int]:
        """How many judgments of each group's order a budget pays for."""
        if (self.costs == 1).all():
            return [int(share) for share in evenly(budget, [len(parts) for parts in self._parts])]
        begun = [bool(self.cells.drawn[np.unique(parts)].any()) for parts in self._parts]
        return _filled(budget, [self.costs[parts] for parts in self._parts], begun)


def _filled(budget: float, costs: list[Floats], begun: list[bool]) -> list[int]:
    """How many of each group's judgments to take, in their order, so that all groups cost about the same.

    Groups that have none come first; then the next judgment goes to the group that has cost least after it. One whose
    next judgment costs more than is left gets no more.
    """
    taken, left = [0] * len(costs), float(budget)
    sums = [np.cumsum(own) for own in costs]
    waiting = [(begun[group], float(own[0]), group) for group, own in enumerate(sums) if len(own)]
    heapify(waiting)
    while waiting:
        _, _, group = heappop(waiting)
        cost = float(costs[group][taken[group]])
        if cost > left * (1 + 1e-9):
            continue
        left -= cost
        taken[group] += 1
        if taken[group] < len(costs[group]):
            heappush(waiting, (True, float(sums[group][taken[group]]), group))
    return taken


def cell_costs(cells: Cells, costs: Floats) -> Floats:
    """What a judgment of each cell costs on average."""
    return np.asarray(np.bincount(cells.of, costs, minlength=len(cells.pooled)) / np.maximum(cells.pooled, 1))


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
