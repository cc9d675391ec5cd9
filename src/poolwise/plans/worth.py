"""Where labels matter most: the squared worth (N_h S_h)^2 of each stratum of each topic.

S_h^2 is the anticipated variance (Isaki and Fuller 1982) of what the relevance model leaves of the linearised estimate
within the stratum: the mean over its documents of p (1 - p) z^2. Variances of the pilot's own labels would be
the textbook's way, but a relevant document deep in the pool is rare and weighs much: pilots that happen to miss it show
a variance far too small, and would leave next to no labels for where it may be.
"""

from __future__ import annotations

import numpy as np

from poolwise.plans.chance import TOPIC_VARIANCE, Labels, Model, feature, fit, predicted_feature, read_labels
from poolwise.plans.influence import Influence
from poolwise.plans.told_apart import EVERY_PAIR, named_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure
    from poolwise.plans.listing import Listing
    from poolwise.pool.pool import Pool
    from poolwise.sampling.cells import Cells


SUREST = 0.2  # of the topic's mean probability: no document counts as less likely relevant
SHIFTS = (-(TOPIC_VARIANCE**0.5), TOPIC_VARIANCE**0.5)
FOLDS = 100  # up to so many topics each is left out by itself
MOST_RUNS = 32  # that a mean over runs is taken from, evenly spread over the list


class LabelWorth:
    """Squared worths of the cells of topics, on average over all runs, some differences of two, or all differences."""

    def __init__(
        self,
        pool: Pool,
        listing: Listing,
        cells: Cells,
        measure: str | Measure,
        difference: Any,
        top: int,
        predictions: Any = None,
    ) -> None:
        self._pool, self._listing, self._cells = pool, listing, cells
        self._influence = Influence(measure, top)
        self.measure = self._influence.measure
        self._x = feature(pool, listing)
        if predictions is not None:
            self._x = np.column_stack([self._x, predicted_feature(pool, listing, predictions)])
        self._labels = read_labels(listing, self._influence.gain)
        self._begins = np.searchsorted(listing.topic, np.arange(len(pool.topics) + 1))
        self._sizes = np.diff(np.asarray(pool.document_offsets()))
        self._every_pair = difference == EVERY_PAIR
        singles = [(run,) for run in _some(pool.runs)]
        self._groups = [pool.run_numbers(list(runs)) for runs in named_pairs(difference, pool) or singles]
        self.model = fit(self._x, self._labels, len(pool.topics))

    def for_allocation(self) -> Floats:
        """Squared worths of all cells, each topic's from the labels of the other topics only.

        So how many documents are drawn from a topic does not depend on its own labels, and the draws of all rounds
        together are a simple random sample within each cell (see `poolwise.sampling.cells`). Only the total of a round
        may follow from all labels, as when it is chosen for a width; one cell has next to no part in that.
        """
        of, size = self._cells.of, self._cells.pooled
        return np.asarray(size * np.bincount(of, self.by_document() ** 2, minlength=len(size)))

    def _left_out(self) -> Iterator[tuple[int, Labels, Model]]:
        """Topic by topic the labels of others, and the model of these.

        Of many topics some are left out together, which leaves out more than a topic's own labels but keeps the time
        from growing with the square of topics.
        """
        topics = np.unique(self._cells.topic).tolist()
        fitted: dict[int, tuple[Labels, Model]] = {}
        for place, topic in enumerate(topics):
            fold = place % FOLDS
            if fold not in fitted:
                others = self._labels.without(topics[fold::FOLDS])
                same = len(others.place) == len(self._labels.place)  # as before any label
                model = self.model if same else fit(self._x, others, len(self._pool.topics), self.model)
                fitted[fold] = others, model
            yield topic, *fitted[fold]

    def by_document(self) -> Floats:
        """How much each document's unknown label spreads the estimates, each topic's from the labels of the others.

        The root of the mean over runs of p (1 - p) z^2, p the probability of being relevant, z the influence: what is
        left to chance once the model has predicted the label. p counts as at least a fifth of the topic's mean, since
        the model is too sure where it sees nothing relevant. Topics differ in how much is relevant, which a topic's own
        labels may not tell here: squares are of two such, a standard deviation below and above, in equal parts.
        """
        by_topic = []
        for left_out in self._left_out():
            squares = [self._left_of_documents(*left_out, shift) for shift in SHIFTS]
            total = float(np.mean([own.sum() for own in squares]))
            by_topic.append(total / len(SHIFTS) * in_equal_parts(squares))
        return np.asarray(np.sqrt(np.concatenate(by_topic)))

    def _left_of_documents(self, topic: int, others: Labels, model: Model, shift: float) -> Floats:
        """The mean over runs of p (1 - p) z^2 for each document of a topic, logits being shifted."""
        part = slice(self._begins[topic], self._begins[topic + 1])
        chance = model.chance(self._x[part], self._listing.topic[part], shift)
        gains, shares = others.mixture
        left = np.maximum(chance, SUREST * float(chance.mean())) * (1.0 - chance)
        influences = self._influences(topic, part, gains, shares[:, None] * chance)
        squares = sum((shares[:, None] * influence**2).sum(axis=0) for influence in influences)
        result: Floats = left * squares / len(self._groups)
        return result

    def _influences(
        self,
        topic: int,
        part: slice,
        gains: Floats,
        probability: Floats,
        groups: Sequence[Sequence[int]] | None = None,
    ) -> Iterator[Floats]:
        """The influence of the topic's documents on each run, or on the difference of two.

        Of all pairs the squares are wanted on average, and these are those of each run less the mean of all runs, for
        the sum over pairs of (a - b)^2 is the number of runs times the sum over runs of (a - mean)^2.
        """
        if groups is None and self._every_pair:
            every = np.stack(list(self._influences(topic, part, gains, probability, self._groups)))
            yield from np.sqrt(2.0 * len(every) / max(len(every) - 1, 1)) * (every - every.mean(axis=0))
            return
        documents = self._listing.document[part]
        place = np.full(self._sizes[topic], len(documents))
        place[documents] = np.arange(len(documents))
        for runs in self._groups if groups is None else groups:
            total = np.zeros_like(probability)
            for sign, run in zip((1.0, -1.0), runs, strict=False):
                ranking = np.asarray(self._pool.all_documents(run, topic))
                rank = np.zeros(len(documents) + 1)  # the last for documents that are not listed
                rank[place[ranking]] = np.arange(1, len(ranking) + 1)
                total += sign * self._influence.at(rank[:-1], gains, probability)
            yield total


def in_equal_parts(squares: Sequence[Floats]) -> Floats:
    """Squared worths for several measures at once: the sum of each one's, divided by its own total.

    So a label goes where it lessens most of what is left to chance in all of them, whatever their scales are.
    """
    if len(squares) == 1:
        return squares[0]
    result: Floats = np.sum([own / max(float(own.sum()), 1e-300) for own in squares], axis=0)
    return result


def _some(runs: Sequence[str]) -> list[str]:
    if len(runs) <= MOST_RUNS:
        return list(runs)
    return [runs[place * len(runs) // MOST_RUNS] for place in range(MOST_RUNS)]
