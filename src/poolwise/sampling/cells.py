"""How likely each document was to be judged, from strata and rounds.

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

    from poolwise.pool.judgments import Judgments


@dataclass(frozen=True)
class Cells:
    """Strata of topics: where each document belongs (-1: outside the pool), and how many documents each cell holds.

    `topic` is the topic's position, `stratum` its number; cells are in the order of topics, then strata. `drawn` counts
    the documents drawn for judging, `judged` those that have a label.
    """

    of: NDArray[np.int64]
    topic: NDArray[np.int64]
    stratum: NDArray[np.int64]
    pooled: NDArray[np.int64]
    drawn: NDArray[np.int64]
    judged: NDArray[np.int64]

    @property
    def left(self) -> NDArray[np.int64]:
        """How many documents can still be drawn."""
        return self.pooled - self.drawn

    @property
    def waiting(self) -> NDArray[np.int64]:
        """The topics from which documents were drawn, none of which has a label: nothing speaks for these."""
        drawn = np.bincount(self.topic, self.drawn) > 0
        return np.flatnonzero(drawn & (np.bincount(self.topic, self.judged) == 0))

    @property
    def rates(self) -> NDArray[np.float64]:
        """How likely a document of each cell was to be judged; see the top of this module."""
        own = np.divide(self.judged, self.pooled)
        waiting = np.unique(self.topic[(self.drawn > 0) & (self.judged == 0)])
        if not len(waiting):
            return own
        judged, drawn = (np.bincount(self.topic, counts) for counts in (self.judged, self.drawn))
        reached = np.divide(judged, drawn, out=np.zeros(len(drawn)), where=drawn > 0)[self.topic]
        return np.where(np.isin(self.topic, waiting), reached * self.drawn / self.pooled, own)


def cells_of(
    topic: NDArray[np.int64], stratum: NDArray[Any], drawn: NDArray[np.bool_], judged: NDArray[np.bool_]
) -> Cells:
    """Sort pooled documents into strata of topics and count them."""
    keys, of = np.unique((topic << 32) + stratum, return_inverse=True)
    of = of.reshape(-1)
    counts = (np.bincount(of[chosen], minlength=len(keys)).astype(np.int64) for chosen in (slice(None), drawn, judged))
    return Cells(of, keys >> 32, keys & 0xFFFFFFFF, *counts)


def cells(judgments: Judgments) -> Cells:
    """The cells of judgments; without strata every topic is one, of stratum 1."""
    check_pool_known(judgments)
    labels, offsets, strata = judgments.classes, judgments.offsets, judgments.strata
    topic = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    stratum = np.ones(len(labels), dtype=np.int64) if strata is None else strata.astype(np.int64)
    inside = labels != OUTSIDE
    pooled = cells_of(topic[inside], stratum[inside], drawn_in(judgments)[inside] > 0, labels[inside] != POOLED)
    of = np.full(len(labels), -1, dtype=np.int64)
    of[inside] = pooled.of
    return replace(pooled, of=of, pooled=_by_plan(judgments, pooled))


def _by_plan(judgments: Judgments, planned_cells: Cells) -> NDArray[np.int64]:
    """How many documents each cell holds: as its plan says, where lines of documents that were not drawn are lost."""
    if judgments.plan is None:
        return planned_cells.pooled
    pooled = judgments.plan.pooled
    names = [judgments.pool.topics[topic] for topic in planned_cells.topic.tolist()]
    planned = [pooled.get(key, 0) for key in zip(names, planned_cells.stratum.tolist(), strict=True)]
    return np.maximum(planned_cells.pooled, np.array(planned, dtype=np.int64))


def inclusion(judgments: Judgments) -> NDArray[np.float64]:
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
    sorted_cells = cells(judgments)
    rates = sorted_cells.rates
    return np.where(sorted_cells.of >= 0, rates[sorted_cells.of], 0.0) if len(rates) else np.zeros(len(sorted_cells.of))


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
    sorted_cells, rounds = cells(judgments), drawn_in(judgments)
    known = sorted_cells.of >= 0
    judged = is_judged(judgments.classes)
    rows: list[tuple[int, ...]] = []
    left = sorted_cells.pooled.copy()
    for number in range(1, int(rounds.max(initial=0)) + 1):
        drawn = np.bincount(sorted_cells.of[known & (rounds == number)], minlength=len(left))
        filled = np.bincount(sorted_cells.of[judged & (rounds == number)], minlength=len(left))
        rows.extend(
            (int(sorted_cells.topic[c]), int(c), number, int(left[c]), int(drawn[c]), int(filled[c]))
            for c in range(len(left))
        )
        left = left - drawn
    rows.sort()
    topics, at, *columns = (list(column) for column in zip(*rows, strict=True)) if rows else ([],) * 6
    arrays = [np.asarray(column, dtype=np.int64) for column in columns]
    strata = sorted_cells.stratum[np.asarray(at, dtype=np.int64)]
    return Rates([judgments.pool.topics[topic] for topic in topics], strata, *arrays)


def topics_in_mean(judgments: Judgments) -> NDArray[np.int64]:
    """Positions of the topics that estimates are made of: all, or those drawn where the plan drew topics too."""
    header, topics = judgments.plan, len(judgments.offsets) - 1
    if (header is None or header.topics is None) and not judgments.design.get("topics_drawn"):
        return np.arange(topics)
    drawn = np.repeat(np.arange(topics), np.diff(judgments.offsets))[drawn_in(judgments) > 0]
    return np.unique(drawn)


def drawn_in(judgments: Judgments) -> NDArray[np.int64]:
    """The round each listed document was drawn in, 0 for not drawn; what is judged but in no round counts as first."""
    labels, rounds = judgments.classes, judgments.rounds
    judged = is_judged(labels)
    own = np.zeros(len(labels), dtype=np.int64) if rounds is None else rounds.astype(np.int64)
    return np.where(judged & (own == 0), 1, np.where(labels == OUTSIDE, 0, own))
