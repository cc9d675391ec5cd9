"""Measures that can be estimated: each as classes of labels, gains, discounts and an ideal, or as average precision.

The letters of docs/theory/assisted.md, section *The plug-in*: steps between `gains` are b_g, `ideal` is D.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.errors import ArgumentError
from poolwise.estimates.layout import Array, Layout, Whole
from poolwise.measures.measure import Measure, label_gains, rank_discounts
from poolwise.measures.registry import why_not
from poolwise.pool.judgments import POOLED

__all__ = ["NO_PAIRS", "Target", "Terms", "of_pairs", "target_of"]

SUMS = ("P", "RBP", "DCG", "Hits")  # of gain x discount over the ranking, not divided by anything that labels change
CLOSED = ("AP", "nDCG", "R", *SUMS)  # those with derivatives by formula, on full lists; all others are simulated
NO_LIMIT = 2**31 - 1  # the largest rank that the core can hold
FEW_RANKS = 8.0  # equal weights that a sum counts as: fewer rest on a handful of labels; chosen by hand
NO_PAIRS: Whole = np.zeros((0, 2), dtype=int)


@dataclass(frozen=True)
class Target:
    """A measure as the estimator sees it.

    A label of class g is worth gains[g]; gains[0] = 0. `discounts` holds one weight per rank, from rank 1.
    `ideal` holds what the best 0, 1, 2, ... documents are worth together (None: the divisor is 1).
    """

    measure: Measure
    kind: str  # how it is computed: "precision" for AP, "ratio", or "simulated"
    of_label: dict[int, int]
    gains: Array
    depth: int
    discounts: Array
    ideal: Array | None
    worths: tuple[float, ...] = ()  # of measures that are simulated: a label of each class

    @property
    def grades(self) -> int:
        """The highest class."""
        return len(self.gains) - 1

    @property
    def rests_on_few(self) -> bool:
        """Whether the score hangs on the labels of few documents, as that of P@1 does; or it may, for all one knows.

        A sum with weights d counts as one of (sum of d)^2 / sum of d^2 equal weights.
        """
        if self.kind != "ratio":
            return self.kind == "simulated"
        weights = self.discounts[: self.depth]
        return float(weights.sum()) ** 2 < FEW_RANKS * float((weights**2).sum())

    @property
    def is_share(self) -> bool:
        """Whether the error of the score falls towards 0 and 1, as that of a share.

        Not so where it rests on few documents: Success of 1 on all topics is common, and no share of that.
        """
        return self.bounds == (0.0, 1.0) and not self.rests_on_few

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest score there can be."""
        return self.measure.declaration.bounds

    def classes(self, layout: Layout) -> Whole:
        """The class of every pooled document; -1 where it is not judged."""
        classes = np.full(len(layout.labels), -1)
        for label, grade in self.of_label.items():
            classes[layout.labels == label] = grade
        return classes


def target_of(measure: Measure, layout: Layout) -> Target:
    """Translate a measure, or say why it cannot be estimated."""
    _check(measure, layout)
    labels = sorted({int(label) for label in np.unique(layout.labels)} - {POOLED})
    deepest = _deepest(layout)
    depth = measure.cutoff or NO_LIMIT
    if measure.name not in CLOSED or measure.is_condensed or measure.parameters.get("compat") is not None:
        of_label, worths = _outcome_classes(measure, labels, layout.top)
        classes, every = np.arange(float(len(worths))), np.ones(deepest)
        reached = NO_LIMIT if measure.is_condensed else depth
        return Target(measure, "simulated", of_label, classes, reached, every, np.zeros(1), worths)
    discounts = np.array(rank_discounts(measure, deepest))
    of_label, gains = _gain_classes(measure, labels, layout.top)
    if measure.name == "nDCG":
        return Target(measure, "ratio", of_label, gains, depth, discounts, np.append(0.0, np.cumsum(discounts)))
    if measure.name in SUMS:
        weights = discounts / depth if measure.name == "P" else discounts
        return Target(measure, "ratio", of_label, gains, depth, weights, None)
    kind = "precision" if measure.name == "AP" else "ratio"
    return Target(measure, kind, of_label, gains, depth, discounts, np.arange(deepest + 1.0))


def _check(measure: Measure, layout: Layout) -> None:
    reason = why_not(measure.require())
    if reason:
        raise ArgumentError(f"{measure} cannot be estimated from sampled judgments: {reason}")
    if measure.parameters.get("negative", "zero") != "zero" and (layout.labels[layout.judged] < 0).any():
        raise ArgumentError(f"{measure} cannot be estimated when labels are negative; use negative='zero'")


def _outcome_classes(
    measure: Measure, labels: list[int], highest_label: float
) -> tuple[dict[int, int], tuple[float, ...]]:
    """Labels that the measure cannot tell from each other are one class; and a label of each class.

    There are two at least, so that something is left to be found where nothing relevant is judged yet, or nothing else.
    """
    outcomes = {label: _seen(measure, label, highest_label) for label in labels}
    best = max(float(highest_label), float(measure.parameters.get("rel", 1) or 1), 1.0)
    for label in (0.0, best):
        if len(set(outcomes.values())) == 1:
            outcomes[int(label)] = _seen(measure, label, highest_label)
    kinds = sorted(set(outcomes.values()))
    return {label: kinds.index(outcomes[label]) for label in labels}, tuple(
        float(next(label for label, kind in outcomes.items() if kind == each)) for each in kinds
    )


def _seen(measure: Measure, label: float, highest_label: float) -> tuple[float, ...]:
    """The part of a label that a measure sees; functions of one's own see all of it."""
    if measure.declaration.function is not None:
        return (float(label),)
    relevant = float(label >= (measure.parameters.get("rel", 1)))
    return (*(label_gains(measure, [label], highest_label) if measure.declaration.gains else ()), relevant)


def _deepest(layout: Layout) -> int:
    """The deepest rank that an ideal list can have, and two more for differences.

    It may hold all pooled documents, and those of two runs that are outside the pool.
    """
    retrieved = np.asarray(layout.pool.retrieved())
    return int(2 * retrieved.max(initial=1) + np.diff(layout.bounds).max(initial=1)) + 2


def _gain_classes(measure: Measure, labels: list[int], highest_label: float) -> tuple[dict[int, int], Array]:
    """Labels of the same gain are one class; gains of 0 or less are class 0."""
    worth = {
        label: max(0.0, gain) for label, gain in zip(labels, label_gains(measure, labels, highest_label), strict=True)
    }
    gains = sorted({0.0, *worth.values()})
    if len(gains) == 1:
        gains.append(1.0)  # no label is worth anything: a class that never occurs
    return {label: gains.index(value) for label, value in worth.items()}, np.array(gains)


@dataclass(frozen=True)
class Terms:
    """Parts of the estimate of one measure on one topic: r runs, n judged documents that speak for others.

    The topic's estimate is value + sum of w u + half the sum of curvature, or what is expected of that.
    """

    value: Array  # r: the plug-in, labels where known and probabilities elsewhere
    gradient: Array  # r x n: u, by how much the document's label moved the value against its prediction
    curvature: Array  # r x n: B, the part of the second-order correction that involves the document
    expected: Array  # r: what the model expects the sum of (1 - pi) / pi u^2 over all documents to be
    between: Array  # of each pair of runs: the same of their difference
    expected_curvature: Array | None  # r: what its effects' uncertainty lets expect of half the sum of curvature
    unseen_curvature: Array | None  # r: the part of it that no pair of labels speaks for, if there is any
    slopes: tuple[Array, ...]  # per stage r x (shared + k): derivative of the value by its effects; only for pooling
    common: Array  # r x any: squares of these are what V has too much of, by what documents of a stratum have in common
    doubt: Array | None = None  # r, signed: how far the value's part that rests on the model alone may be off
    noise: Array | None = None  # r x any: squares of these are the error of too few draws
    joint_variance: tuple[Array, Array] | None = (
        None  # r, and of pairs: variance that labels cause together, not one by one
    )


def of_pairs(products: Array, pairs: Whole, least: float = 0.0) -> Array:
    """Squares of differences from products of all with all."""
    a, b = pairs.T
    squares = np.diag(products)
    return np.asarray(np.maximum(squares[a] + squares[b] - 2.0 * products[a, b], least))
