"""Scores that are ratios of two linear functions of a few weights, and their stability.

nDCG is one: the discounted gain of a run over that of the ideal list, both linear in the discounts, and
both linear in the gains as long as their order stays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.lab.weights.stability import curvature, stabilities, stability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats


__all__ = ["Ratio", "inverse"]


def inverse(values: Floats) -> Floats:
    """Return 1 / value, and 0 for 0: a topic whose ideal gain is 0 scores 0."""
    inverses: Floats = np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
    return inverses


@dataclass(frozen=True)
class Ratio:
    """Numerators (runs x topics x m) and denominators (topics x m), one column a weight.

    `topic` is which stability is meant, see `stability`.
    """

    numerators: Floats
    denominators: Floats
    topic: bool | None = None

    def scores(self, weights: Floats) -> Floats:
        """Return the scores, runs x topics."""
        scores: Floats = (self.numerators @ weights) * inverse(self.denominators @ weights)
        return scores

    def values(self, points: Floats) -> Floats:
        """Return Phi of one topic at many points, m x points."""
        return stabilities((self.numerators @ points) * inverse(self.denominators @ points))

    def slope(self, weights: Floats) -> tuple[float, Floats]:
        """Return the stability and its derivative with respect to the weights."""
        scale = inverse(self.denominators @ weights)
        scores = (self.numerators @ weights) * scale
        phi = stability(scores, self.topic)
        share = phi.slope * scale
        slope: Floats = np.tensordot(share, self.numerators, axes=2)
        slope -= np.sum(share * scores, axis=0) @ self.denominators
        return phi.value, slope

    def curvature(self, weights: Floats) -> tuple[float, Floats, Floats]:
        """Return the stability with its first and second derivatives.

        A score x = n / d has x_i = (n_i - x d_i) / d and x_ij = -(x_i d_j + x_j d_i) / d.
        """
        scale = inverse(self.denominators @ weights)
        scores = (self.numerators @ weights) * scale
        phi = stability(scores, self.topic)
        share = self.denominators * scale[:, None]
        directions = self.numerators * scale[:, None] - scores[:, :, None] * share
        by_topic = np.matmul(phi.slope.T[:, None, :], directions.transpose(1, 0, 2))[:, 0]
        bend = by_topic.T @ share
        return phi.value, by_topic.sum(axis=0), curvature(phi, directions) - bend - bend.T

    def join(self, other: Ratio) -> Ratio:
        """Return the ratio with the columns of another one added."""
        return Ratio(
            np.concatenate([self.numerators, other.numerators], axis=2),
            np.concatenate([self.denominators, other.denominators], axis=1),
            self.topic,
        )

    def keep(self, columns: NDArray[np.bool_] | NDArray[np.intp]) -> Ratio:
        """Return the ratio with some of its columns."""
        return Ratio(self.numerators[:, :, columns], self.denominators[:, columns], self.topic)

    def scores_of_each(self) -> Floats:
        """Return the scores of every column taken alone, runs x topics x m."""
        scores: Floats = self.numerators * inverse(self.denominators)
        return scores
