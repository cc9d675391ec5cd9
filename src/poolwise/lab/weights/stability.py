"""Phi of a single topic as a function of the scores, with exact first and second derivatives.

Phi = a / b with a the system variance and b the sum of all three components; both are linear in the mean
squares, which are quadratic in the scores. The system variance is not cut off at 0 here, so that a start
without any still knows which way is up; Phi as reported is never negative. The topic variance is cut off,
which makes Phi the smaller of two smooth functions: one that counts it, whatever its sign, and one that
does not. Both can be had by themselves (`topic`), for a maximum may lie where they meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.basics.arrays import Floats


__all__ = ["Layout", "Stability", "curvature", "stabilities", "stability"]


# Scores whose variance is this small a part of their mean square are equal but for rounding.
NOTHING = 1e-20


class Layout(NamedTuple):
    """A runs x topics layout and the numbers that its mean squares need."""

    runs: int
    topics: int

    def divisors(self) -> Floats:
        """Return what turns the summed squares of row means, column means and residuals into mean squares."""
        runs, topics = self
        return np.array([(runs - 1) / topics, (topics - 1) / runs, (runs - 1.0) * (topics - 1)])

    def system(self) -> Floats:
        """Return the weights of the three mean squares in the system variance."""
        return np.array([1.0 / self.topics, 0.0, -1.0 / self.topics])

    def total(self, topic_variance: bool) -> Floats:
        """Return their weights in the sum of components; a negative topic variance counts as 0."""
        topic = np.array([0.0, 1.0 / self.runs, -1.0 / self.runs])
        return self.system() + np.array([0.0, 0.0, 1.0]) + topic * topic_variance


class Stability(NamedTuple):
    """Phi, its slope in every score, and what its curvature needs: the sum of components and its slope.

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
    layout = Layout(*scores.shape)
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


def _slope(layout: Layout, weights: Floats, rows: Floats, columns: Floats, rest: Floats) -> Floats:
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
    layout = Layout(runs, topics)
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
    layout = Layout(runs, topics)
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
