"""How much a document would move the estimate of a measure if it were found relevant.

The estimates of a measure from a sample are functions of totals, each estimated by a sum of label / inclusion
probability. To first order their variance is that of the sum of z_d / inclusion probability, z_d being the derivative
of the measure by the weight of document d. Here labels are not known yet: each document has a probability of each
positive gain, and z is taken at the expected labels. Probabilities and results are arrays gains x documents.
"""

from __future__ import annotations

import numpy as np

from poolwise.errors import ArgumentError
from poolwise.measures.estimable import why_not
from poolwise.measures.gain_discount import label_gains, rank_discounts
from poolwise.measures.registry import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure


SUMS = ("P", "RBP", "DCG", "Hits")  # of gain x discount
STOPPING = ("RR", "Success", "ERR", "nERR")  # a reader goes down the list and stops at what is found


class Influence:
    """A measure as planning sees it: the gain of a label, and the influence of documents at their ranks in a run.

    nDCG, sums of gain x discount and measures of a reader who stops have their own; average precision stands for all
    others, which rank documents much alike. A plan that is not the best one costs width, not truth.
    """

    def __init__(self, measure: str | Measure, top: int) -> None:
        planned = parse(measure).require()
        reason = why_not(planned)
        if reason:
            raise ArgumentError(f"a plan cannot be made for {planned}: {reason}")
        self.measure = planned
        self._top = top
        self._discounts = np.zeros(0)  # of the ranks asked for so far

    def gain(self, label: int) -> float:
        """The gain of a label; negative ones count as 0."""
        return max(0.0, *label_gains(self.measure, [label], self._top))

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
    weight, place = relevant[retrieved], rank[retrieved]
    precision = (1.0 + np.cumsum(weight) - weight) / place
    below = np.cumsum((weight / place)[::-1])[::-1] - weight / place
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
    own, worth = stop[retrieved], 1.0 / rank[retrieved] if reciprocal else np.ones(len(retrieved))
    reach = np.cumprod(np.append(1.0, 1.0 - own))[:-1]
    parts = worth * own * reach
    below = np.cumsum(parts[::-1])[::-1] - parts
    influence = np.zeros(len(rank))
    influence[retrieved] = worth * reach - below / (1.0 - own)
    return np.broadcast_to(gains[:, None] * influence, probability.shape)


def _ideal(gains: Floats, numbers: Floats, discounts: Floats) -> float:
    """DCG of the ideal list; a fractional number fills its last rank by its fraction."""
    order = np.argsort(-gains)
    ends = np.concatenate([[0.0], np.cumsum(numbers[order])])
    total = np.concatenate([[0.0], np.cumsum(discounts[: int(np.ceil(ends[-1]))])])
    return float((gains[order] * np.diff(np.interp(ends, np.arange(len(total)), total))).sum())
