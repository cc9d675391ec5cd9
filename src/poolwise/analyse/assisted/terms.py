"""What the estimator takes from one topic, for all runs."""

from __future__ import annotations

from dataclasses import dataclass

from poolwise.analyse.assisted.layout import Array

__all__ = ["Terms"]


@dataclass(frozen=True)
class Terms:
    """Parts of the estimate of one measure on one topic: r runs, n judged documents that speak for others.

    The topic's estimate is value + sum of w u + half the sum of bend.
    """

    value: Array  # r: the plug-in, labels where known and probabilities elsewhere
    first: Array  # r x n: u, by how much the document's label moved the value against its prediction
    bend: Array  # r x n: B, the part of the second-order correction that involves the document
    expected: Array  # r: what the model expects the sum of (1 - pi) / pi u^2 over all documents to be
    slopes: tuple[Array, ...]  # per stage r x (shared + k): derivative of the value by its effects; only for pooling
