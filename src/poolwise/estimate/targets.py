"""What can be estimated: each measure as classes of labels, gains, discounts and an ideal, or as average precision.

The letters of docs/theory/assisted.md, section *The plug-in*: steps between `gains` are b_g, `ideal` is D.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.errors import ArgumentError
from poolwise.estimate.layout import Array, Layout, Whole
from poolwise.judge.judgments import POOLED
from poolwise.score.gain_discount import label_gains, rank_discounts
from poolwise.score.measure import Measure

__all__ = ["NO_PAIRS", "Target", "Terms", "of_pairs", "target_of"]

ESTIMABLE = ("AP", "nDCG", "P", "R")
NO_LIMIT = 2**31 - 1
NO_PAIRS: Whole = np.zeros((0, 2), dtype=int)


@dataclass(frozen=True)
class Target:
    """A measure as the estimator sees it.

    A label of class g is worth gains[g]; gains[0] = 0. `discounts` holds one weight per rank, from rank 1.
    `ideal` holds what the best 0, 1, 2, ... documents are worth together (None: the divisor is 1).
    """

    measure: Measure
    kind: str  # "precision" for AP, "ratio" for all others
    of_label: dict[int, int]
    gains: Array
    depth: int
    discounts: Array
    ideal: Array | None

    @property
    def grades(self) -> int:
        """The highest class."""
        return len(self.gains) - 1

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
    discounts = np.array(rank_discounts(measure, deepest))
    of_label, gains = _gain_classes(measure, labels)
    if measure.name == "nDCG":
        return Target(measure, "ratio", of_label, gains, depth, discounts, np.append(0.0, np.cumsum(discounts)))
    if measure.name == "P":
        return Target(measure, "ratio", of_label, gains, depth, discounts / depth, None)
    kind = "precision" if measure.name == "AP" else "ratio"
    return Target(measure, kind, of_label, gains, depth, discounts, np.arange(deepest + 1.0))


def _check(measure: Measure, layout: Layout) -> None:
    measure.require()
    if measure.name not in ESTIMABLE or measure.is_condensed:
        raise ArgumentError(
            f"{measure} cannot be estimated from sampled judgments; estimate has {', '.join(ESTIMABLE)} "
            "(with any cut-off, gain and discount) on full lists"
        )
    if measure.parameters.get("negative", "zero") != "zero" and (layout.labels[layout.judged] < 0).any():
        raise ArgumentError(f"{measure} cannot be estimated when labels are negative; use negative='zero'")


def _deepest(layout: Layout) -> int:
    """The deepest rank that an ideal list can have, and two more for differences.

    It may hold all pooled documents, and those of two runs that are outside the pool.
    """
    retrieved = np.asarray(layout.pool.retrieved())
    return int(2 * retrieved.max(initial=1) + np.diff(layout.bounds).max(initial=1)) + 2


def _gain_classes(measure: Measure, labels: list[int]) -> tuple[dict[int, int], Array]:
    """Labels of the same gain are one class; gains of 0 or less are class 0."""
    worth = {label: max(0.0, gain) for label, gain in zip(labels, label_gains(measure, labels), strict=True)}
    gains = sorted({0.0, *worth.values()})
    if len(gains) == 1:
        gains.append(1.0)  # no label is worth anything: a class that never occurs
    return {label: gains.index(value) for label, value in worth.items()}, np.array(gains)


@dataclass(frozen=True)
class Terms:
    """Parts of the estimate of one measure on one topic: r runs, n judged documents that speak for others.

    The topic's estimate is value + sum of w u + half the sum of bend, or what is expected of that.
    """

    value: Array  # r: the plug-in, labels where known and probabilities elsewhere
    first: Array  # r x n: u, by how much the document's label moved the value against its prediction
    bend: Array  # r x n: B, the part of the second-order correction that involves the document
    expected: Array  # r: what the model expects the sum of (1 - pi) / pi u^2 over all documents to be
    between: Array  # of each pair of runs: the same of their difference
    expected_bend: Array | None  # r: what the model expects half the sum of bend to be; for AP only
    slopes: tuple[Array, ...]  # per stage r x (shared + k): derivative of the value by its effects; only for pooling


def of_pairs(products: Array, pairs: Whole) -> Array:
    """Squares of differences from products of all with all."""
    a, b = pairs.T
    own = np.diag(products)
    return np.asarray(np.maximum(own[a] + own[b] - 2.0 * products[a, b], 0.0))
