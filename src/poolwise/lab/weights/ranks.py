"""The discounts of nDCG as unknowns: stability over all ranks, and its maximum.

A non-increasing discount is a mixture of flat ones: weight w_k on the flat discount of the first k ranks,
all w_k >= 0. Few of them are needed at the maximum, so the search starts with one mixture and adds the
flat discount that promises most until none promises anything: an active set method.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from poolwise.lab.weights.labels import sorted_gains
from poolwise.lab.weights.stability import TOLERANCE, Ratio, ascend, inverse, stability, violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.basics.arrays import Floats, Places
    from poolwise.lab.weights.labels import RankedLabels


__all__ = [
    "ROUNDING",
    "Climb",
    "RankProblem",
    "climb",
    "flat_weights",
    "mixture",
    "most_promising",
    "scatter",
    "stalled",
]

# Slope above which a flat discount is added: a thousandth of the tolerance that users are promised (1e-7).
PROMISE = 1e-10
MOST_ROUNDS = 500  # bound of rounds; the search ends before, when no member promises more
MOST_ADDED = 3  # members added in a round: local maxima are often neighbours, of which few stay
# Changes of Phi up to this are rounding; Phi is between 0 and 1.
ROUNDING = 1e-13
# Weights above this are positive when the conditions are checked. Differences of discounts have rounding of 1e-16.
POSITIVE = 1e-12


class Climb(NamedTuple):
    """End of a search."""

    discounts: Floats
    value: float
    violation: float


@dataclass(frozen=True)
class RankProblem:
    """Gains at each rank (cells x ranks, sparse), with the best and worst lists of each topic.

    `worst` is 0 unless scores are scaled between the worst and the best list. Discounts are mixtures of
    members: flat ones, or single ranks if they need not be `monotone`. `topic` is as in `stability`.
    """

    runs: int
    topics: int
    gains: csr_array
    best: Floats
    worst: Floats
    monotone: bool = True
    topic: bool | None = None

    @classmethod
    def from_labels(cls, labels: RankedLabels, gains: Floats, negative: str, monotone: bool = True) -> RankProblem:
        """Build the problem for fixed gains."""
        values = gains[labels.grades]
        kept = np.flatnonzero(values)
        starts = np.searchsorted(labels.cells[kept], np.arange(labels.runs * labels.topics + 1))
        matrix = csr_array(
            (values[kept], labels.ranks[kept], starts), shape=(labels.runs * labels.topics, labels.cutoff)
        )
        best = sorted_gains(labels.counts, gains, labels.cutoff)
        worst = -sorted_gains(labels.counts, -gains, labels.cutoff) if negative == "minmax" else 0.0 * best
        return cls(labels.runs, labels.topics, matrix, best, worst, monotone)

    @property
    def cutoff(self) -> int:
        """The number of ranks."""
        return self.best.shape[1]

    def restrict(self, runs: Places | None = None, topics: Places | None = None) -> RankProblem:
        """Return the problem of some runs and topics."""
        runs = np.arange(self.runs) if runs is None else runs
        topics = np.arange(self.topics) if topics is None else topics
        cells = (runs[:, None] * self.topics + topics).reshape(-1)
        return replace(
            self,
            runs=len(runs),
            topics=len(topics),
            gains=self.gains[cells],
            best=self.best[topics],
            worst=self.worst[topics],
        )

    def columns(self, discounts: Floats) -> Ratio:
        """Return the ratio whose weights mix given discounts, ranks x m."""
        worst = self.worst @ discounts
        numerators = (self.gains @ discounts).reshape(self.runs, self.topics, -1) - worst
        return Ratio(numerators, self.best @ discounts - worst, self.topic)

    def scores(self, discounts: Floats) -> Floats:
        """Return nDCG, runs x topics."""
        return self.columns(discounts[:, None]).scores(np.ones(1))

    def value(self, discounts: Floats) -> float:
        """Return Phi of one topic, not cut off at 0."""
        return stability(self.scores(discounts), self.topic).value

    def slope(self, discounts: Floats) -> tuple[float, Floats]:
        """Return Phi of one topic and its derivative with respect to the discount of each rank."""
        worst = self.worst @ discounts
        scale = inverse(self.best @ discounts - worst)
        scores = ((self.gains @ discounts).reshape(self.runs, self.topics) - worst) * scale
        phi = stability(scores, self.topic)
        share = phi.slope * scale
        by_topic = np.sum(share * scores, axis=0)
        slope: Floats = share.reshape(-1) @ self.gains - by_topic @ self.best
        slope -= (share.sum(axis=0) - by_topic) @ self.worst
        return phi.value, slope

    def promises(self, slope: Floats) -> Floats:
        """Return the slopes towards members, from the slopes in the discounts of ranks (last axis)."""
        if not self.monotone:
            return slope
        promised: Floats = np.cumsum(slope, axis=-1) / np.arange(1, self.cutoff + 1)
        return promised

    def mixture(self, weights: Floats) -> Floats:
        """Return the discount that mixes the members."""
        return mixture(weights) if self.monotone else weights

    def weights(self, discounts: Floats) -> Floats:
        """Return the weights of the members in a discount, without rounding."""
        weights = flat_weights(discounts) if self.monotone else discounts / discounts.sum()
        return np.where(weights > POSITIVE, weights, 0.0)

    def violation(self, discounts: Floats) -> float:
        """Return how far discounts are from a maximum, by the Karush-Kuhn-Tucker conditions."""
        slope = self.slope(discounts / discounts.sum())[1]
        return violation(self.promises(slope), self.weights(discounts))


def mixture(weights: Floats) -> Floats:
    """Return the discount that mixes the flat ones by weights.

    >>> mixture(np.array([0.5, 0.0, 0.5])).round(3).tolist()
    [0.667, 0.167, 0.167]
    """
    steps = weights / np.arange(1, len(weights) + 1)
    return np.cumsum(steps[::-1])[::-1].copy()


def flat_weights(discounts: Floats) -> Floats:
    """Return the weights of the flat discounts in a non-increasing one, summing to 1.

    >>> flat_weights(np.array([4.0, 1.0, 1.0])).tolist()
    [0.5, 0.0, 0.5]
    """
    steps = discounts - np.append(discounts[1:], 0.0)
    weights: Floats = steps * np.arange(1, len(discounts) + 1) / discounts.sum()
    return weights


def climb(problem: RankProblem, start: Floats) -> Climb:
    """Climb from a discount to a local maximum that is at least as stable."""
    start = start / start.sum()
    return _climb_flat(problem, start) if problem.monotone else _climb_free(problem, start)


def _climb_flat(problem: RankProblem, start: Floats) -> Climb:
    """Active-set search over flat discounts. The start is a member until its weight is 0."""
    members = np.zeros(0, dtype=np.intp)
    weights = np.ones(1)
    ratio = problem.columns(start[:, None])
    tolerance = 1.0
    reached: list[float] = []
    for _ in range(MOST_ROUNDS):
        weights = ascend(ratio, weights, tolerance)
        kept = weights > 0
        kept[0] = True
        ratio, weights, members = ratio.keep(kept), weights[kept], members[kept[1:]]
        discounts = weights[0] * start + mixture(scatter(weights[1:], members, problem.cutoff))
        value, slope = problem.slope(discounts)
        promised = problem.promises(slope)
        promised[members] = 0.0
        highest = float(promised.max())
        reached.append(value)
        if (highest <= PROMISE and tolerance <= TOLERANCE) or stalled(reached):
            break
        # No need to be exact about a support that will still change.
        tolerance = max(TOLERANCE, min(tolerance, 0.03 * highest)) if highest > PROMISE else TOLERANCE
        added = most_promising(promised)
        flats = np.array([mixture(scatter(np.ones(1), member, problem.cutoff)) for member in added[:, None]])
        ratio, members = ratio.join(problem.columns(flats.reshape(-1, problem.cutoff).T)), np.append(members, added)
        weights = np.append(weights, np.zeros(len(added)))
    return Climb(discounts, value, problem.violation(discounts))


def stalled(reached: list[float], rounds: int = 5) -> bool:
    """Say whether the last rounds gained nothing, as they do at a kink.

    >>> stalled([0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]), stalled([0.2, 0.2])
    (True, False)
    """
    return len(reached) > rounds and reached[-1] <= reached[-1 - rounds] + ROUNDING


def most_promising(promised: Floats, floor: float = PROMISE) -> Places:
    """Return the members to add: a few of the highest local maxima of what is promised.

    >>> most_promising(np.array([0.2, 0.3, 0.1, -0.1, 0.25])).tolist()
    [1, 4]
    """
    padded = np.concatenate([[-np.inf], promised, [-np.inf]])
    peaks = np.flatnonzero((promised > floor) & (promised >= padded[:-2]) & (promised > padded[2:]))
    order = np.argsort(-promised[peaks], kind="stable")[:MOST_ADDED]
    return peaks[order][promised[peaks[order]] >= 0.3 * promised.max()]


def scatter(values: Floats, indices: Places, size: int) -> Floats:
    """Return an array of zeros with values at some indices."""
    full = np.zeros(size)
    full[indices] = values
    return full


def _climb_free(problem: RankProblem, start: Floats) -> Climb:
    """Bounded quasi-Newton search over all ranks, then Newton's method on those with a positive discount.

    A quadratic term pins the sum, which the stability leaves open: without it the search drifts in scale
    and stops early. The first discount keeps a trace, for a topic with one relevant document has no
    ideal gain without it and would jump to a score of 0.
    """
    size = problem.cutoff

    def descend(scaled: Floats) -> tuple[float, Floats]:
        value, slope = problem.slope(scaled)
        excess = scaled.mean() - 1.0
        return 0.01 * excess**2 - value, 0.02 * excess / size - slope

    bounds = [(1e-9, None)] + [(0.0, None)] * (size - 1)
    settings = {"maxiter": 1000, "maxfun": 2000, "maxcor": 30, "ftol": 0.0, "gtol": 1e-12}
    discounts = start
    for _ in range(10):
        scaled = np.maximum(size * discounts, 1e-9 * (np.arange(size) == 0))
        solution = minimize(descend, scaled, jac=True, method="L-BFGS-B", bounds=bounds, options=settings)
        discounts = solution.x / solution.x.sum()
        if problem.violation(discounts) <= 1e-5:
            break
    members = np.flatnonzero((discounts > 0) | (problem.slope(discounts)[1] > 0))
    left = ascend(problem.columns(np.eye(size)[:, members]), discounts[members], iterations=20)
    discounts = scatter(left, members, size)
    return Climb(discounts, problem.value(discounts), problem.violation(discounts))
