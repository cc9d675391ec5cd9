"""Wilcoxon's signed-rank test, all pairs at once, with the rules of `scipy.stats.wilcoxon` but for one.

Zero differences are dropped; if nothing is left, p is 1. Up to 50 topics the distribution is exact without
ties and zeros, and up to 13 topics also with them; else it is normal, corrected for ties but not for
continuity. Other than in scipy, the 13 are the topics that are left when zeros are dropped: five differences among
a hundred topics can never reach p = 0.05, which the normal distribution would give them.
"""

from __future__ import annotations

import numpy as np

from poolwise.basics.distributions import normal_below
from poolwise.comparisons.pairs import Outcome, Problem, whole_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

    Flags = NDArray[np.bool_]

__all__ = ["signed_rank", "signed_rank_p"]

EXACT_TOPICS = 50
ENUMERATED_TOPICS = 13
# Signs are enumerated for so many pairs at a time: 2^13 patterns x 512 pairs are 32 MB.
ENUMERATED_PAIRS = 512


def signed_rank(problem: Problem) -> Outcome:
    """Test every pair with Wilcoxon's signed-rank test, two-sided.

    >>> problem = Problem(np.array([[0.1, 0.4, 0.6], [0.2, 0.2, 0.3]]), *np.array([[0], [1]], dtype=np.int32))
    >>> signed_rank(problem).p.tolist()
    [0.5]
    """
    p = np.empty(problem.first.size)
    favours, most = np.empty(problem.first.size), 0
    for rows, z in problem.rounded_blocks():
        p[rows], favours[rows] = _p_and_favours(z)
        most = max(most, int(np.count_nonzero(z, axis=1).max()))
    low, high = problem.student_interval()
    counted = problem.topics <= EXACT_TOPICS or most <= ENUMERATED_TOPICS
    smallest = min(1.0, 2.0 ** (1 - most)) if counted else 0.0
    return Outcome(np.maximum(p, np.finfo(np.float64).tiny), low, high, smallest, favours=favours)


def signed_rank_p(differences: Floats) -> Floats:
    """Return p for every row of differences (pairs x topics); what only rounding tells apart is equal.

    >>> signed_rank_p(np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0]])).tolist()
    [0.0625, 1.0]
    """
    return _p_and_favours(whole_steps(differences, float(np.abs(differences).max(initial=0.0))))[0]


def _p_and_favours(differences: Floats) -> tuple[Floats, Floats]:
    """p of every row, and whether its positive (above 0) or its negative ranks weigh more."""
    ranks, tie_term = _ranks(np.abs(differences))
    positive = np.sum(ranks * (differences > 0), axis=1)
    kept = np.count_nonzero(differences, axis=1)
    topics = differences.shape[1]
    plain = (kept == topics) & (tie_term == 0)
    p = _normal_p(positive, kept, tie_term)
    if topics <= EXACT_TOPICS:
        p[plain] = _exact_p(positive[plain], topics)
    few = ~plain & (kept <= ENUMERATED_TOPICS)
    p[few] = _enumerated_p(np.sort(ranks[few])[:, -ENUMERATED_TOPICS:], positive[few])
    p[kept == 0] = 1.0
    return p, 2 * positive - ranks.sum(axis=1)


def _ranks(sizes: Floats) -> tuple[Floats, Floats]:
    """Ranks of non-zero sizes in each row, ties sharing their mean; sum of t^3 - t over groups of ties."""
    masked = np.where(sizes == 0, np.inf, sizes)
    order = np.argsort(masked, axis=1)
    ordered = np.take_along_axis(masked, order, axis=1)
    place = np.arange(sizes.shape[1])
    change = ordered[:, 1:] != ordered[:, :-1]
    edge = np.ones((sizes.shape[0], 1), dtype=np.bool_)
    start = np.maximum.accumulate(np.where(np.hstack([edge, change]), place, 0), axis=1)
    last = np.where(np.hstack([change, edge]), place, sizes.shape[1])
    end = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    kept = np.isfinite(ordered)
    ranks = np.empty_like(sizes)
    np.put_along_axis(ranks, order, np.where(kept, (start + end) / 2 + 1, 0.0), axis=1)
    group = (end - start + 1).astype(np.float64)
    return ranks, np.sum(np.where(kept, group**2 - 1, 0.0), axis=1)


def _normal_p(positive: Floats, kept: NDArray[np.int64], tie_term: Floats) -> Floats:
    mean = kept * (kept + 1) / 4
    variance = (kept * (kept + 1) * (2 * kept + 1) - tie_term / 2) / 24
    z = np.abs(positive - mean) / np.sqrt(np.where(variance > 0, variance, 1.0))
    return np.asarray(2 * normal_below(-z))


def _exact_p(positive: Floats, topics: int) -> Floats:
    """From the number of subsets of 1 ... n with each sum, without ties."""
    ways = np.ones(1)
    for rank in range(1, topics + 1):
        ways = np.convolve(ways, np.concatenate([[1.0], np.zeros(rank - 1), [1.0]]))
    below = np.cumsum(ways) / 2.0**topics
    total = topics * (topics + 1) // 2
    smaller = np.minimum(positive, total - positive).astype(np.int64)
    return np.minimum(2 * below[smaller], 1.0)


def _enumerated_p(ranks: Floats, positive: Floats) -> Floats:
    """From all 2^n choices of signs for the ranks as they are."""
    topics = ranks.shape[1]
    patterns = (np.arange(2**topics)[:, None] >> np.arange(topics)) & 1
    p = np.empty(positive.size)
    for start in range(0, positive.size, ENUMERATED_PAIRS):
        rows = slice(start, start + ENUMERATED_PAIRS)
        sums = patterns @ ranks[rows].T
        below = np.mean(sums <= positive[rows], axis=0)
        above = np.mean(sums >= positive[rows], axis=0)
        p[rows] = np.minimum(2 * np.minimum(below, above), 1.0)
    return p
