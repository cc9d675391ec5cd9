"""Inclusion probabilities of documents, from strata and rounds.

A cell is one stratum of one topic: N documents pooled, n of them judged. Within a cell documents are drawn by simple
random sampling without replacement, in one round or in several, each from what is not drawn yet.

**One round.** Every document of the cell is judged with probability n / N.

**Several rounds.** Say round 1 draws n1 of N and round 2 draws n2 of the N - n1 left. If n2 does not depend on the
labels that round 1 found *in this cell*, both draws together are a simple random sample of n1 + n2, and a document is
judged with probability 1 - (1 - n1 / N) (1 - n2 / (N - n1)) = (n1 + n2) / N. The rounds need no further account, and
every estimator for stratified samples holds as it is. `poolwise plan` keeps to this condition: how many documents it
draws from a topic's strata follows from the labels of the *other* topics and from counts of documents, and draws in
different topics are independent. A rule that looks at the cell's own labels (draw more where something relevant was
found) breaks it: then a cell whose first labels happen to be all non-relevant is never corrected, one with a lucky
find is, and estimates come out too low.

**Non-response.** A drawn document without a label counts as not judged: n is the number of labels there are. That is
right if whether a label is missing has nothing to do with what it would say, given topic and stratum. Plans list the
drawn documents of a topic in random order, so judging from the top and stopping early is of that kind.

**Strata that wait for their first label.** Where something was drawn from every stratum of a topic but some have no
label yet, the strata of that topic are taken together for the time being: its k labels are a random part of the m
documents drawn, and a document of a stratum with n drawn of N is judged with probability (k / m) (n / N). That is so
for a plan's lines judged from the top, and for a topic's first label in the order of `poolwise judge`.

**Topics that wait for their first label.** Where something was drawn from a topic and nothing of it is judged, no label
speaks for it: judging was stopped between topics, not between documents drawn at random. Estimates have no interval
then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolwise.basics.results import Result
from poolwise.pool.judgments import OUTSIDE, POOLED, check_pool_known, is_judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Bools, Floats, Whole
    from poolwise.pool.judgments import Judgments


@dataclass(frozen=True)
class Cells:
    """Strata of units within parents, such as strata of the documents of topics.

    `of` is the cell of each unit, -1 if it is not in the population. The other arrays have an entry for each cell, in
    the order of parents, then strata: its parent, the number of its stratum, and how many units it has (`size`), how
    many of these were drawn (`sampled`), and how many of the drawn ones have a label (`labelled`).
    """

    of: Whole
    parent: Whole
    stratum: Whole
    size: Whole
    sampled: Whole
    labelled: Whole

    @property
    def unsampled(self) -> Whole:
        """The number of units that can still be drawn, by cell."""
        return self.size - self.sampled

    @property
    def waiting(self) -> Whole:
        """Parents with drawn units but without a label, which no estimate covers."""
        sampled = np.bincount(self.parent, self.sampled) > 0
        return np.flatnonzero(sampled & (np.bincount(self.parent, self.labelled) == 0))

    @property
    def rates(self) -> Floats:
        """The probability of a unit of each cell to have a label. See the top of this module."""
        rates = np.divide(self.labelled, self.size)
        waiting = np.unique(self.parent[(self.sampled > 0) & (self.labelled == 0)])
        if not len(waiting):
            return rates
        labelled, sampled = (np.bincount(self.parent, counts) for counts in (self.labelled, self.sampled))
        reached = np.divide(labelled, sampled, out=np.zeros(len(sampled)), where=sampled > 0)[self.parent]
        return np.where(np.isin(self.parent, waiting), reached * self.sampled / self.size, rates)

    def order(self, keys: NDArray[Any], last: NDArray[Any]) -> Whole:
        """Units cell by cell, within a cell by random key. Those with larger values of `last` come later."""
        return np.lexsort((keys, last, self.of))

    def draw(self, counts: Whole, keys: NDArray[Any], last: NDArray[Any]) -> Bools:
        """Whether each unit is among the first so many of its cell, in the order of the draw."""
        order = self.order(keys, last)
        begins = np.cumsum(self.size) - self.size
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - begins[self.of[order]]
        return np.asarray(rank < counts[self.of])


def cells_of(parent: Whole, stratum: NDArray[Any], sampled: Bools, labelled: Bools) -> Cells:
    """Sort units into strata of parents and count them."""
    # One number for parent and stratum sorts by parents, then strata.
    keys, of = np.unique((parent << 32) + stratum, return_inverse=True)
    of = of.reshape(-1)
    chosen = (slice(None), sampled, labelled)
    counts = (np.bincount(of[units], minlength=len(keys)).astype(np.int64) for units in chosen)
    return Cells(of, keys >> 32, keys & 0xFFFFFFFF, *counts)


def judged_cells(judgments: Judgments) -> Cells:
    """The cells of judgments, topics being parents. Without strata every topic is one cell, of stratum 1."""
    check_pool_known(judgments)
    labels, offsets, strata = judgments.classes, judgments.offsets, judgments.strata
    topic = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    stratum = np.ones(len(labels), dtype=np.int64) if strata is None else strata.astype(np.int64)
    inside = labels != OUTSIDE
    cells = cells_of(topic[inside], stratum[inside], drawn_in(judgments)[inside] > 0, labels[inside] != POOLED)
    of = np.full(len(labels), -1, dtype=np.int64)
    of[inside] = cells.of
    return replace(cells, of=of, size=_planned_sizes(judgments, cells))


def _planned_sizes(judgments: Judgments, cells: Cells) -> Whole:
    """Sizes of cells from the plan, for files that lost lines of documents that were not drawn."""
    if judgments.plan is None:
        return cells.size
    pooled = judgments.plan.pooled
    names = [judgments.pool.topics[topic] for topic in cells.parent.tolist()]
    planned = [pooled.get(key, 0) for key in zip(names, cells.stratum.tolist(), strict=True)]
    return np.maximum(cells.size, np.array(planned, dtype=np.int64))


def inclusion(judgments: Judgments) -> Floats:
    """Return the probability of each listed document to be judged: judged / pooled in its topic and stratum.

    Judging in rounds is accounted for. The probability is 0 for documents outside the pool and where no document is
    judged. The top of `poolwise.sampling.cells` gives the conditions.

    >>> from poolwise import read
    >>> pool = read({"1": {"a": 1, "b": 0, "c": -1, "d": -1}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}})
    >>> pool.judgments.inclusion().tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    if judgments.stratum_rates:
        judged = is_judged(judgments.classes)
        return np.where(judged, np.asarray(judgments.stratum_rates)[judgments.strata], 0.0)
    cells = judged_cells(judgments)
    return np.where(cells.of >= 0, cells.rates[cells.of], 0.0) if len(cells.size) else np.zeros(len(cells.of))


@dataclass(frozen=True, repr=False)
class Rates(Result):
    """Draws by topic, stratum and round.

    `left` documents of the stratum were not drawn before the round, `drawn` of them were drawn in it, `judged` of
    those have a label. `rate` is judged / left. Files without rounds count as one round.
    """

    topic: list[str]
    stratum: NDArray[np.int64]
    round: NDArray[np.int64]
    left: NDArray[np.int64]
    drawn: NDArray[np.int64]
    judged: NDArray[np.int64]

    @property
    def rate(self) -> NDArray[np.float64]:
        """judged / left, 0 where nothing was left."""
        return self.judged / np.maximum(self.left, 1)

    def columns(self) -> dict[str, Any]:
        """One row per topic, stratum and round: left, drawn, judged, rate."""
        return {**vars(self), "rate": self.rate}


def rates(judgments: Judgments) -> Rates:
    """Count the documents that were left, drawn and judged in each topic, stratum and round."""
    cells, rounds = judged_cells(judgments), drawn_in(judgments)
    numbers = np.arange(1, int(rounds.max(initial=0)) + 1)
    shape = len(cells.size), len(numbers)

    def by_round(chosen: Bools) -> Whole:
        counts = np.bincount(cells.of[chosen] * shape[1] + rounds[chosen] - 1, minlength=shape[0] * shape[1])
        return counts.reshape(shape)

    drawn = by_round((cells.of >= 0) & (rounds > 0))
    judged = by_round(is_judged(judgments.classes) & (rounds > 0))
    left = cells.size[:, None] - np.cumsum(drawn, axis=1) + drawn
    topics = [judgments.pool.topics[topic] for topic in np.repeat(cells.parent, shape[1]).tolist()]
    strata, rounds = np.repeat(cells.stratum, shape[1]), np.tile(numbers, shape[0])
    return Rates(topics, strata, rounds, left.ravel(), drawn.ravel(), judged.ravel())


def topics_in_mean(judgments: Judgments) -> Whole:
    """Positions of the topics that estimates are made of: all, or those drawn where the plan drew topics too."""
    header, topics = judgments.plan, len(judgments.offsets) - 1
    if (header is None or header.topics is None) and not judgments.design.get("topics_drawn"):
        return np.arange(topics)
    drawn = np.repeat(np.arange(topics), np.diff(judgments.offsets))[drawn_in(judgments) > 0]
    return np.unique(drawn)


def drawn_in(judgments: Judgments) -> Whole:
    """The round in which each listed document was drawn, 0 for none. Judged documents without a round count as 1."""
    labels, rounds = judgments.classes, judgments.rounds
    judged = is_judged(labels)
    rounds = np.zeros(len(labels), dtype=np.int64) if rounds is None else rounds.astype(np.int64)
    return np.where(judged & (rounds == 0), 1, np.where(labels == OUTSIDE, 0, rounds))
