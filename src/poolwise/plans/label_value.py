"""Value of labels: how far a document moves the estimate of a measure if it is relevant.

The estimates of a measure from a sample are functions of totals, each estimated by a sum of label / inclusion
probability. To first order their variance is that of the sum of z_d / inclusion probability, z_d being the derivative
of the measure by the weight of document d. Here labels are not known yet: each document has a probability of each
positive gain, and z is taken at the expected labels. Probabilities and results are arrays gains x documents.

S_h^2 is the anticipated variance (Isaki and Fuller 1982) of what the relevance model leaves of the linearised estimate
within the stratum: the mean over its documents of p (1 - p) z^2. Variances of the pilot's own labels would be
the textbook's way, but a relevant document deep in the pool is rare and weighs much: pilots that happen to miss it show
a variance far too small, and would leave next to no labels for where it may be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poolwise.basics.words import counted, part_of
from poolwise.errors import ArgumentError, InputError
from poolwise.measures.measure import label_gains, rank_discounts
from poolwise.measures.registry import parse, why_not
from poolwise.plans.plan_request import EVERY_PAIR, named_pairs
from poolwise.plans.relevance_prior import (
    TOPIC_VARIANCE,
    Labels,
    RelevancePrior,
    feature,
    fit,
    predicted_feature,
    read_labels,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure
    from poolwise.plans.listing import Listing
    from poolwise.pool.pool import Pool
    from poolwise.sampling.cells import Cells

SUMS = ("P", "RBP", "DCG", "Hits")  # of gain x discount
STOPPING = ("RR", "Success", "ERR", "nERR")  # a reader goes down the list and stops at what is found


class Influence:
    """A measure as planning sees it: the gain of a label, and the influence of documents at their ranks in a run.

    nDCG, sums of gain x discount and measures of a reader who stops have their own. Average precision stands for all
    others, which rank documents much alike. A plan that is not the best one costs width, not truth.
    """

    def __init__(self, measure: str | Measure, highest_label: int) -> None:
        planned = parse(measure).require()
        reason = why_not(planned)
        if reason:
            raise ArgumentError(f"a plan cannot be made for {planned}: {reason}")
        self.measure = planned
        self._highest_label = highest_label
        self._discounts = np.zeros(0)  # of the ranks asked for so far

    def gain(self, label: int) -> float:
        """The gain of a label. Negative ones count as 0."""
        return max(0.0, *label_gains(self.measure, [label], self._highest_label))

    def at(self, rank: Floats, gains: Floats, probability: Floats) -> Floats:
        """The influence of documents at these ranks (0: not retrieved), for each gain they might have."""
        within = rank if self.measure.cutoff is None else np.where(rank <= self.measure.cutoff, rank, 0.0)
        if self.measure.name in SUMS:
            every = 1.0 / (self.measure.cutoff or 1) if self.measure.name == "P" else 1.0
            return weighted_gain(within, gains, probability, every * self._down_to(int(rank.max(initial=1.0))))
        if self.measure.name in STOPPING:
            return stopping(within, gains, probability, self.measure.name != "Success")
        if self.measure.name != "nDCG":
            return average_precision(within, probability)
        # An ideal list may hold every document, and one more.
        deepest = max(int(rank.max(initial=0.0)), int(probability.sum()) + 2)
        return discounted_gain(within, gains, probability, self._down_to(deepest))

    def _down_to(self, depth: int) -> Floats:
        if depth > len(self._discounts):
            self._discounts = np.array(rank_discounts(self.measure, 2 * depth))
        return self._discounts


def average_precision(rank: Floats, probability: Floats) -> Floats:
    """AP = S / R, S = sum of w_i (1 + sum above of w_j) / k_i over relevant i: z_i = (dS/dw_i - AP) / R."""
    relevant = probability.sum(axis=0)
    total = max(1.0, float(relevant.sum()))
    retrieved = np.flatnonzero(rank > 0)
    retrieved = retrieved[np.argsort(rank[retrieved])]
    weight, at = relevant[retrieved], rank[retrieved]
    precision = (1.0 + np.cumsum(weight) - weight) / at
    below = np.cumsum((weight / at)[::-1])[::-1] - weight / at
    influence = np.full(len(rank), -float((weight * precision).sum()) / total / total)
    influence[retrieved] += (precision + below) / total
    return np.broadcast_to(influence, probability.shape)


def discounted_gain(rank: Floats, gains: Floats, probability: Floats, discounts: Floats) -> Floats:
    """nDCG = DCG / I: z_i = (g_i d_i - nDCG dI/dw_i) / I, the ideal I from the expected number of each gain."""
    numbers = probability.sum(axis=1)
    ideal = max(_ideal(gains, numbers, discounts), float(gains.min(initial=1.0) * discounts.max())) or 1.0
    discount = np.where(rank > 0, discounts[np.maximum(rank, 1.0).astype(int) - 1], 0.0)
    value = float((gains[:, None] * probability * discount).sum()) / ideal
    more = np.array(
        [_ideal(gains, numbers + (gains == gain), discounts) - _ideal(gains, numbers, discounts) for gain in gains]
    )
    result: Floats = (gains[:, None] * discount - value * more[:, None]) / ideal
    return result


def weighted_gain(rank: Floats, gains: Floats, probability: Floats, discounts: Floats) -> Floats:
    """A sum is linear in the labels: z_i = g_i d_i."""
    discount = np.where(rank > 0, discounts[np.maximum(rank, 1.0).astype(int) - 1], 0.0)
    return np.broadcast_to(gains[:, None] * discount, probability.shape)


def stopping(rank: Floats, gains: Floats, probability: Floats, reciprocal: bool) -> Floats:
    """A = sum of d_k R_k times the product above of 1 - R, R being the chance of a stop, d_k 1 / k or 1.

    z_i = g_i (d_i product above of (1 - R) - what ranks below add / (1 - R_i)).
    """
    stop = np.clip((gains[:, None] * probability).sum(axis=0), 0.0, 0.999)
    retrieved = np.flatnonzero(rank > 0)
    retrieved = retrieved[np.argsort(rank[retrieved])]
    chance, weight = stop[retrieved], 1.0 / rank[retrieved] if reciprocal else np.ones(len(retrieved))
    reach = np.cumprod(np.append(1.0, 1.0 - chance))[:-1]
    parts = weight * chance * reach
    below = np.cumsum(parts[::-1])[::-1] - parts
    influence = np.zeros(len(rank))
    influence[retrieved] = weight * reach - below / (1.0 - chance)
    return np.broadcast_to(gains[:, None] * influence, probability.shape)


def _ideal(gains: Floats, numbers: Floats, discounts: Floats) -> float:
    """DCG of the ideal list. A fractional number of documents fills its last rank in part."""
    order = np.argsort(-gains)
    ends = np.concatenate([[0.0], np.cumsum(numbers[order])])
    total = np.concatenate([[0.0], np.cumsum(discounts[: int(np.ceil(ends[-1]))])])
    return float((gains[order] * np.diff(np.interp(ends, np.arange(len(total)), total))).sum())


# Least probability of relevance that a document counts with, as a share of the topic's mean: the model is too sure
# where it sees nothing relevant (docs/theory/assisted.md, section *Labels saved*).
SUREST = 0.2
# Logits by which a topic may differ from the mean of topics: a standard deviation to either side.
SHIFTS = (-(TOPIC_VARIANCE**0.5), TOPIC_VARIANCE**0.5)
FOLDS = 100  # fits of topics left out; a choice of time, as more topics are left out together
MOST_RUNS = 32  # runs that a mean over runs is taken from, spread evenly over the list


class LabelValue:
    """Squared label values of cells, as means over all runs, some differences of runs, or all differences."""

    def __init__(
        self,
        pool: Pool,
        listing: Listing,
        cells: Cells,
        measure: str | Measure,
        difference: Any,
        highest_label: int,
        predictions: Any = None,
    ) -> None:
        self._pool, self._listing, self._cells = pool, listing, cells
        self._influence = Influence(measure, highest_label)
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
        """Squared label values of all cells, for each topic from the labels of other topics only.

        So how many documents are drawn from a topic does not depend on its own labels, and the draws of all rounds
        together are a simple random sample within each cell (see `poolwise.sampling.cells`). Only the total of a round
        may follow from all labels, as when it is chosen for a width. One cell has next to no part in that.
        """
        of, size = self._cells.of, self._cells.size
        return np.asarray(size * np.bincount(of, self.by_document() ** 2, minlength=len(size)))

    def _left_out(self) -> Iterator[tuple[int, Labels, RelevancePrior]]:
        """For each topic the labels of the other topics, and the model fitted to them.

        Of many topics some are left out together, which leaves out more than a topic's own labels but keeps the time
        from growing with the square of topics.
        """
        topics = np.unique(self._cells.parent).tolist()
        fitted: dict[int, tuple[Labels, RelevancePrior]] = {}
        for index, topic in enumerate(topics):
            fold = index % FOLDS
            if fold not in fitted:
                others = self._labels.without(topics[fold::FOLDS])
                same = len(others.rows) == len(self._labels.rows)  # as before any label
                model = self.model if same else fit(self._x, others, len(self._pool.topics), self.model)
                fitted[fold] = others, model
            yield topic, *fitted[fold]

    def by_document(self) -> Floats:
        """Standard deviation that each document's unknown label adds to estimates, from labels of other topics.

        The root of the mean over runs of p (1 - p) z^2, p the probability of being relevant, z the influence: what is
        left to chance once the model has predicted the label. p counts as at least a fifth of the topic's mean, since
        the model is too sure where it sees nothing relevant. Topics differ in how much is relevant, which a topic's own
        labels may not tell here: squares are of two such, a standard deviation below and above, in equal parts.
        """
        by_topic = []
        for left_out in self._left_out():
            squares = [self._left_of_documents(*left_out, shift) for shift in SHIFTS]
            total = float(np.mean([each.sum() for each in squares]))
            by_topic.append(total / len(SHIFTS) * in_equal_parts(squares))
        return np.asarray(np.sqrt(np.concatenate(by_topic)))

    def _left_of_documents(self, topic: int, others: Labels, model: RelevancePrior, shift: float) -> Floats:
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
        index = np.full(self._sizes[topic], len(documents))
        index[documents] = np.arange(len(documents))
        for runs in self._groups if groups is None else groups:
            total = np.zeros_like(probability)
            for sign, run in zip((1.0, -1.0), runs, strict=False):
                ranking = np.asarray(self._pool.all_documents(run, topic))
                rank = np.zeros(len(documents) + 1)  # the last for documents that are not listed
                rank[index[ranking]] = np.arange(1, len(ranking) + 1)
                total += sign * self._influence.at(rank[:-1], gains, probability)
            yield total


def in_equal_parts(squares: Sequence[Floats]) -> Floats:
    """Squared label values for several measures: the sum over measures, each divided by its total.

    So a label goes where it lessens most of what is left to chance in all of them, whatever their scales are.
    """
    if len(squares) == 1:
        return squares[0]
    result: Floats = np.sum([each / max(float(each.sum()), 1e-300) for each in squares], axis=0)
    return result


def _some(runs: Sequence[str]) -> list[str]:
    if len(runs) <= MOST_RUNS:
        return list(runs)
    return [runs[index * len(runs) // MOST_RUNS] for index in range(MOST_RUNS)]


SURE = 2.0  # standard deviations of what documents cost together that a budget must be able to pay


class Paid(NamedTuple):
    """Documents that a budget pays for (`labels`: expected, `sure`: almost certainly), budget and mean cost."""

    labels: int
    sure: int
    budget: float = 0.0
    mean: float = 0.0

    def less_than(self, topics: int) -> str:
        """A phrase for a budget of less than a document for each topic."""
        if not self.mean:
            return f"a budget of {counted(self.labels, 'judgment')} is less than one for each of {topics} topics"
        return (
            f"a budget of {self.budget:g} pays for about {counted(self.labels, 'document')}, at {self.mean:.3g} each "
            f"on average, and is not sure to reach each of {topics} topics"
        )


class DocumentCosts(NamedTuple):
    """Costs of listed documents. Those without a cost are counted, and have the mean cost."""

    of: Floats
    missing: int = 0
    unequal: bool = True

    def paid_by(self, budget: float) -> Paid:
        """Documents that a budget pays for, expected and almost certainly, if all can be drawn."""
        mean, spread = float(self.of.mean()), SURE * float(self.of.std())
        sure = ((spread**2 + 4 * mean * budget) ** 0.5 - spread) / (2 * mean)  # the root of n: n mean + root spread
        return Paid(int(budget / mean), int(sure**2 * (1 + 1e-9)), budget, mean if self.unequal else 0.0)

    def notes(self) -> tuple[str, ...]:
        """Note on documents without a cost."""
        if not self.missing:
            return ()
        without = part_of(self.missing, len(self.of), "pooled document")
        return (f"{without} no cost; the mean of the others is taken",)


def costs_of(pool: Pool, listing: Listing, source: Any) -> DocumentCosts:
    """The cost of judging each document: 1 if there is no table of costs."""
    if source is None:
        return DocumentCosts(np.ones(len(listing.topic)), unequal=False)
    table = _table(source)
    names = [pool.documents(topic) for topic in pool.topics]
    listed = zip(listing.topic.tolist(), listing.document.tolist(), strict=True)
    pairs = [(pool.topics[topic], names[topic][document]) for topic, document in listed]
    costs = np.array([table.get(pair, np.nan) for pair in pairs], dtype=float)
    known = np.isfinite(costs)
    if not known.any():
        rows = counted(len(table), "row")
        raise InputError(f"costs: none of {rows} is about a pooled document; name topic, document, cost")
    if (costs[known] <= 0).any():
        topic, document = pairs[int(np.flatnonzero(known & (costs <= 0))[0])]
        cost = table[topic, document]
        raise InputError(f"costs: topic {topic!r}: document {document!r} costs {cost:g}; costs are above 0")
    return DocumentCosts(np.where(known, costs, costs[known].mean()), int((~known).sum()))


def _table(source: Any) -> dict[tuple[str, str], float]:
    """Costs by topic and document. Repeated documents must have the same cost."""
    from poolwise.reading.predictions import COSTS, prediction_rows

    table: dict[tuple[str, str], float] = {}
    for topic, document, cost in prediction_rows(source, COSTS):
        before = table.setdefault((topic, document), cost)
        if before != cost and before == before:
            raise InputError(
                f"costs: topic {topic!r}: document {document!r} costs {before:g} and {cost:g}; remove one of the two"
            )
    return table
