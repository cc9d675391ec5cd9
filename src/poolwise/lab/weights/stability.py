"""Phi of a single topic as a function of the scores, with exact first and second derivatives.

Phi = a / b with a the system variance and b the sum of all three components. Both are linear in the mean
squares, which are quadratic in the scores. The system variance is not cut off at 0 here, so that a start
without any still knows which way is up. Phi as reported is never negative. The topic variance is cut off,
which makes Phi the smaller of two smooth functions: one that counts it, whatever its sign, and one that
does not. Both can be had by themselves (`topic`), for a maximum may lie where they meet.

The stability does not change with the scale of the weights, so the sum is a convention, not a
restriction: its multiplier is 0, and at a maximum the slope is 0 for every positive weight and not above
0 for the others. Fixing the sum keeps the method from drifting in scale.

nDCG is one: the discounted gain of a run over that of the ideal list, both linear in the discounts, and
both linear in the gains as long as their order stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

# The largest violation of the Karush-Kuhn-Tucker conditions that counts as converged.
CONVERGED = 1e-7
# Tolerance of each climb: far below CONVERGED, because later steps add rounding.
TOLERANCE = 1e-11
# Steps with a smaller expected gain are judged by the slope: differences of Phi itself are rounding there.
ROUNDING = 1e-13


def violation(slope: Floats, weights: Floats) -> float:
    """Return how far weights are from satisfying the Karush-Kuhn-Tucker conditions.

    >>> violation(np.array([0.0, -0.5, 0.125]), np.array([0.75, 0.0, 0.25]))
    0.125
    """
    return float(np.max(np.where(weights > 0, np.abs(slope), slope), initial=0.0))


def ascend(ratio: Ratio, weights: Floats, tolerance: float = TOLERANCE, iterations: int = 100) -> Floats:
    """Climb from weights until the violation is within a tolerance. The stability never falls.

    Steps follow the second derivatives with their signs turned downhill, so that they lead up also where
    the stability is not concave.
    """
    for _ in range(iterations):
        value, slope, second = ratio.curvature(weights)
        distance = violation(slope, weights)
        if distance <= tolerance:
            break
        step = _step(slope, second, weights)
        for candidate in _candidates(weights, step):
            new_value, new_slope = ratio.slope(candidate)
            expected = float(slope @ (candidate - weights))
            if new_value > value + 1e-4 * max(expected, 0.0) and expected > ROUNDING:
                break
            if abs(expected) <= ROUNDING and violation(new_slope, candidate) < 0.5 * distance:
                break
        else:
            return weights
        weights = candidate
    return weights


def _step(slope: Floats, second: Floats, weights: Floats) -> Floats:
    """Return the Newton step that keeps the sum, without weights that it would push below 0."""
    free = np.flatnonzero((weights > 0) | (slope > 0))
    while True:
        part = _direction(slope[free], second[np.ix_(free, free)])
        blocked = (weights[free] <= 0) & (part < 0)
        if not blocked.any():
            break
        free = free[~blocked]
    step = np.zeros_like(weights)
    step[free] = part
    return step


def _direction(slope: Floats, second: Floats) -> Floats:
    """Return the step of a modified Newton method among directions that sum to 0."""
    if len(slope) == 1:
        return np.zeros(1)
    basis = _sum_zero_basis(len(slope))
    values, vectors = np.linalg.eigh(basis.T @ second @ basis)
    sizes = np.maximum(np.abs(values), max(float(np.abs(values).max()) * 1e-13, 1e-300))
    direction: Floats = basis @ (vectors @ ((vectors.T @ (basis.T @ slope)) / sizes))
    return direction


def _sum_zero_basis(size: int) -> Floats:
    """Return an orthonormal basis of the vectors that sum to 0: a Householder reflection of the axes."""
    mirror = np.full(size, size**-0.5)
    mirror[0] += 1.0
    basis: Floats = (np.eye(size) - np.outer(mirror, mirror) / mirror[0])[:, 1:]
    return basis


def _candidates(weights: Floats, step: Floats) -> Iterator[Floats]:
    """Yield the full step cut off at 0, then steps up to the first bound, halved and halved again."""
    yield _normal(np.maximum(weights + step, 0.0))
    falling = step < 0
    limits = np.full_like(weights, np.inf)
    limits[falling] = weights[falling] / -step[falling]
    first = float(limits.min(initial=np.inf))
    length = min(1.0, first)
    for _ in range(50):
        candidate = np.maximum(weights + length * step, 0.0)
        candidate[limits <= length] = 0.0
        yield _normal(candidate)
        length /= 2.0


def _normal(weights: Floats) -> Floats:
    scaled: Floats = weights / weights.sum()
    return scaled


# Scores are equal up to rounding if their variance is this share of their mean square (1e-10 squared).
NOTHING = 1e-20


class CrossedLayout(NamedTuple):
    """Sizes of a runs x topics table, and the divisors of its mean squares."""

    runs: int
    topics: int

    def divisors(self) -> Floats:
        """Return the divisors of the sums of squares of row means, column means and residuals."""
        runs, topics = self
        return np.array([(runs - 1) / topics, (topics - 1) / runs, (runs - 1.0) * (topics - 1)])

    def system(self) -> Floats:
        """Return the weights of the three mean squares in the system variance."""
        return np.array([1.0 / self.topics, 0.0, -1.0 / self.topics])

    def total(self, topic_variance: bool) -> Floats:
        """Return the weights of the mean squares in the sum of components. A negative topic variance counts as 0."""
        topic = np.array([0.0, 1.0 / self.runs, -1.0 / self.runs])
        return self.system() + np.array([0.0, 0.0, 1.0]) + topic * topic_variance


class Stability(NamedTuple):
    """Phi, its slope in every score, and the parts of its curvature: the sum of components and its slope.

    `weights` and `total_weights` are those of the mean squares in the slopes, `parts` the row means,
    column means and residuals.
    """

    value: float
    slope: Floats
    weights: Floats
    total: float
    total_weights: Floats
    parts: tuple[Floats, Floats, Floats]


def stability(scores: Floats, topic: bool | None = None) -> Stability:
    """Return Phi of one topic and its derivative with respect to every score of a runs x topics array.

    `topic` counts the topic variance (True), leaves it out (False), or counts it when positive (None).

    >>> round(stability(np.array([[0.1, 0.3, 0.2], [0.5, 0.6, 0.9], [0.2, 0.5, 0.3]])).value, 4)
    0.6691
    """
    layout = CrossedLayout(*scores.shape)
    centred = scores - scores.mean()
    rows, columns = centred.mean(axis=1), centred.mean(axis=0)
    rest = centred - rows[:, None] - columns
    squares = np.array([rows @ rows, columns @ columns, np.vdot(rest, rest)]) / layout.divisors()
    counted = bool(squares[1] > squares[2]) if topic is None else topic
    system, total = layout.system(), layout.total(counted)
    sum_of_components = float(total @ squares)
    if sum_of_components <= NOTHING * float(np.vdot(scores, scores)) / scores.size:
        return Stability(0.0, np.zeros_like(scores), np.zeros(3), 1.0, np.zeros(3), (rows, columns, rest))
    value = float(system @ squares) / sum_of_components
    weights = (system - value * total) / sum_of_components
    slope = _slope(layout, weights, rows, columns, rest)
    return Stability(value, slope, weights, sum_of_components, total, (rows, columns, rest))


def _slope(layout: CrossedLayout, weights: Floats, rows: Floats, columns: Floats, rest: Floats) -> Floats:
    """Differentiate a weighted sum of mean squares with respect to every score."""
    system, topic, interaction = 2.0 * weights / layout.divisors()
    slope: Floats = interaction * rest
    slope += (system / layout.topics) * rows[:, None]
    slope += (topic / layout.runs) * columns
    return slope


def curvature(phi: Stability, directions: Floats) -> Floats:
    """Return the second derivatives of Phi along directions: runs x topics x m gives m x m.

    With Phi = a / b: (a'' - Phi b'') / b - (Phi' b'^T + b' Phi'^T) / b.
    """
    runs, topics, number = directions.shape
    layout = CrossedLayout(runs, topics)
    flat = directions.reshape(-1, number)
    rows, columns = directions.mean(axis=1), directions.mean(axis=0)
    grand = rows.mean(axis=0)
    rows, columns = rows - grand, columns - grand
    by_row, by_column = rows.T @ rows, columns.T @ columns
    rest = flat.T @ flat - runs * topics * np.outer(grand, grand) - topics * by_row - runs * by_column
    system, topic, interaction = 2.0 * phi.weights / layout.divisors()
    total_slope = _slope(layout, phi.total_weights, *phi.parts)
    cross = np.outer(phi.slope.reshape(-1) @ flat, total_slope.reshape(-1) @ flat) / phi.total
    second: Floats = system * by_row + topic * by_column + interaction * rest - cross - cross.T
    return second


def stabilities(scores: Floats) -> Floats:
    """Return Phi of one topic, not cut off at 0, of many score tables at once, runs x topics x tables."""
    runs, topics, _ = scores.shape
    layout = CrossedLayout(runs, topics)
    centred = scores - scores.mean(axis=(0, 1))
    rows, columns = centred.mean(axis=1), centred.mean(axis=0)
    sums = np.array([np.sum(part * part, axis=0) for part in (rows, columns)])
    rest = np.einsum("stp,stp->p", centred, centred) - topics * sums[0] - runs * sums[1]
    squares = np.vstack([sums, np.maximum(rest, 0.0)]) / layout.divisors()[:, None]
    positive = squares[1] > squares[2]
    total = np.where(positive, layout.total(True) @ squares, layout.total(False) @ squares)
    varied = total > NOTHING * np.einsum("stp,stp->p", scores, scores) / (runs * topics)
    shares: Floats = np.divide(layout.system() @ squares, total, out=np.zeros_like(total), where=varied)
    return shares


def inverse(values: Floats) -> Floats:
    """Return 1 / value, and 0 for 0: a topic whose ideal gain is 0 scores 0."""
    inverses: Floats = np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
    return inverses


@dataclass(frozen=True)
class Ratio:
    """Numerators (runs x topics x m) and denominators (topics x m), with a column for each weight.

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
