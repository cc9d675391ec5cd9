"""Tests by formulas: sign test, paired t test, Wilcoxon's signed-rank test, and the test for sampled judgments.

Zero differences are dropped; if nothing is left, p is 1. Up to 50 topics the distribution is exact without
ties and zeros, and up to 13 topics also with them; else it is normal, corrected for ties but not for
continuity. Other than in scipy, the 13 are the topics that are left when zeros are dropped: five differences among
a hundred topics can never reach p = 0.05, which the normal distribution would give them.
"""

from __future__ import annotations

import numpy as np

from poolwise.basics.numbers import TIE, beta_below, nearest_possible, normal_below, student_below, student_quantile
from poolwise.basics.words import counted
from poolwise.comparisons.pairs import Outcome, Problem, whole_steps
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats


def sign(problem: Problem) -> Outcome:
    """Test every pair by the topics that each run wins, two-sided and exact; topics that tie are dropped.

    >>> problem = Problem(np.array([[0.1, 0.4, 0.6], [0.0, 0.2, 0.3]]), *np.array([[0], [1]], dtype=np.int32))
    >>> sign(problem).p.round(12).tolist()
    [0.25]
    """
    won, lost = np.empty((2, problem.first.size), dtype=np.int64)
    for rows, z in problem.rounded_blocks():
        won[rows], lost[rows] = np.count_nonzero(z > 0, axis=1), np.count_nonzero(z < 0, axis=1)
    # The chance of at most k of n coins is the incomplete beta function at one half; of none of none it is 1.
    fewer, more = np.minimum(won, lost), np.maximum(won, lost)
    p = np.where(more > 0, np.minimum(2 * beta_below(np.maximum(more, 1), fewer + 1, 0.5), 1.0), 1.0)
    smallest = min(1.0, 2.0 ** (1 - int((won + lost).max())))
    low, high = problem.student_interval()
    return Outcome(p, low, high, smallest, favours=(won - lost).astype(np.float64))


def student(problem: Problem) -> Outcome:
    """Test every pair with the paired t test, two-sided; without spread over topics p is that of all going one way.

    >>> problem = Problem(np.array([[0.1, 0.4, 0.6], [0.1, 0.2, 0.3]]), *np.array([[0], [1]], dtype=np.int32))
    >>> student(problem).p.round(4).tolist()
    [0.1994]
    """
    statistics = np.abs(t_statistics(problem.differences, problem.deviations, problem.topics))
    p = 2 * student_below(problem.topics - 1, -statistics)
    p = np.where(problem.flat(), problem.all_one_way, p)
    low, high = problem.student_interval()
    return Outcome(np.maximum(p, np.finfo(np.float64).tiny), low, high, smallest=0.0)


def t_statistics(means: NDArray[np.float64], deviations: NDArray[np.float64], topics: int) -> NDArray[np.float64]:
    """Return mean / (sd / sqrt n); without deviation 0 if the mean is 0, else infinite.

    >>> t_statistics(np.array([0.2, 0.0, -0.1]), np.array([0.1, 0.0, 0.0]), 4).tolist()
    [4.0, 0.0, -inf]
    """
    endless = np.where(means == 0, 0.0, np.copysign(np.inf, means))
    statistics = np.divide(means * np.sqrt(topics), deviations, out=endless, where=deviations > 0)
    return np.asarray(statistics)


if TYPE_CHECKING:
    Flags = NDArray[np.bool_]
EXACT_TOPICS = 50  # up to which the distribution of rank sums without ties is counted exactly
ENUMERATED_TOPICS = 13  # up to which all 2^13 patterns of signs are tried, where ranks are tied
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
    left = np.count_nonzero(differences, axis=1)
    topics = differences.shape[1]
    plain = (left == topics) & (tie_term == 0)
    p = _normal_p(positive, left, tie_term)
    if topics <= EXACT_TOPICS:
        p[plain] = _exact_p(positive[plain], topics)
    few = ~plain & (left <= ENUMERATED_TOPICS)
    p[few] = _enumerated_p(np.sort(ranks[few])[:, -ENUMERATED_TOPICS:], positive[few])
    p[left == 0] = 1.0
    return p, 2 * positive - ranks.sum(axis=1)


def _ranks(sizes: Floats) -> tuple[Floats, Floats]:
    """Ranks of non-zero sizes in each row, ties sharing their mean; sum of t^3 - t over groups of ties."""
    masked = np.where(sizes == 0, np.inf, sizes)
    order = np.argsort(masked, axis=1)
    ordered = np.take_along_axis(masked, order, axis=1)
    index = np.arange(sizes.shape[1])
    change = ordered[:, 1:] != ordered[:, :-1]
    edge = np.ones((sizes.shape[0], 1), dtype=np.bool_)
    start = np.maximum.accumulate(np.where(np.hstack([edge, change]), index, 0), axis=1)
    last = np.where(np.hstack([change, edge]), index, sizes.shape[1])
    end = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    nonzero = np.isfinite(ordered)
    ranks = np.empty_like(sizes)
    np.put_along_axis(ranks, order, np.where(nonzero, (start + end) / 2 + 1, 0.0), axis=1)
    group = (end - start + 1).astype(np.float64)
    return ranks, np.sum(np.where(nonzero, group**2 - 1, 0.0), axis=1)


def _normal_p(positive: Floats, left: NDArray[np.int64], tie_term: Floats) -> Floats:
    mean = left * (left + 1) / 4
    variance = (left * (left + 1) * (2 * left + 1) - tie_term / 2) / 24
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


def judgments(problem: Problem) -> Outcome:
    """Test every pair under the sampling of judgments: p values and intervals.

    The interval reaches as far as documents outside the pool could move the difference. So does p: the smallest
    difference that labels of these allow, 0 if they could turn it, is divided by the standard error and compared with
    Student's t (see `Differences`). p is below alpha where, and only where, the interval at level 1 - alpha leaves out
    0. A difference without any error is certain; one of whose error nothing is known may be anything.
    """
    measure, runs = problem.measure, problem.runs
    pairs = getattr(problem.source, "differences", None)
    if pairs is None:
        raise InputError("test='judgments' needs estimates with differences; use pool.estimate(..., difference='all')")
    known = {names: index for index, names in enumerate(zip(pairs.run_a, pairs.run_b, pairs.measure, strict=True))}
    indices, signs = [], []
    for a, b in zip(problem.first.tolist(), problem.second.tolist(), strict=True):
        turned = (runs[a], runs[b], measure) not in known
        pair = (runs[b], runs[a], measure) if turned else (runs[a], runs[b], measure)
        if pair not in known:
            raise ArgumentError(f"{runs[a]} less {runs[b]} was not estimated; use pool.estimate(..., difference='all')")
        indices.append(known[pair])
        signs.append(-1.0 if turned else 1.0)
    difference = np.array(signs) * pairs.difference[indices]
    error, df = pairs.standard_error[indices], np.minimum(pairs.df[indices], 1e9)
    none = np.isnan(error)
    if none.all():
        raise InputError(
            "these differences have no intervals, as topics or strata have no label, or nothing judged is relevant, or "
            "all of it alike; judge at least one drawn document of each topic and stratum, and more where labels do "
            "not vary, then compare"
        )
    fall, rise = _reach(pairs, indices, np.array(signs))
    half, most = student_quantile(df, 1 - problem.alpha / 2) * error, pairs.farthest[indices]
    seen = nearest_possible(difference, half, -most, most)
    least = np.maximum(np.where(seen > 0, seen - fall, -seen - rise), 0.0)
    p, within = _p(least, error, df), _p(np.abs(seen), error, df)
    low, high = np.clip(seen - half - fall, -most, most), np.clip(seen + half + rise, -most, most)
    p, low, high = (np.where(none, least, known) for least, known in ((1.0, p), (-most, low), (most, high)))
    open_ = int(np.count_nonzero((within < problem.alpha - TIE) & (p >= problem.alpha - TIE) & ~none))
    notes = (*_left_open(open_, len(p)), *_nothing_drawn(error))
    return Outcome(p, low, high, smallest=0.0, difference=difference, notes=notes)


def _p(size: Floats, error: Floats, df: Floats) -> Floats:
    """p of differences of a size, two-sided; 1 if there is none, and 0 if there is no error."""
    drawn = 2.0 * student_below(df, -size / np.where(error > 0, error, 1.0))
    return np.where(error > 0, drawn, np.where(size == 0, 1.0, 0.0))


def _left_open(open_: int, pairs: int) -> tuple[str, ...]:
    """Note on pairs that would differ without documents outside the pool."""
    if not open_:
        return ()
    return (
        f"{open_} of {counted(pairs, 'pair')} would differ by what is in the pool, but documents outside it could undo "
        "that: judge these, or leave out runs that bring many",
    )


def _reach(pairs: Any, indices: list[int], signs: Floats) -> tuple[Floats, Floats]:
    """Largest fall and rise of each difference by documents outside the pool."""
    fall, rise = (pairs.plain_low - pairs.low)[indices], (pairs.high - pairs.plain_high)[indices]
    return np.where(signs > 0, fall, rise), np.where(signs > 0, rise, fall)


def _nothing_drawn(error: Floats) -> tuple[str, ...]:
    """Note on complete judgments, which have no sampling error, with the tests for other topics."""
    if (error != 0).any():
        return ()
    return (
        "all that these differences rest on in the pool is judged, so that there is no sampling error to test, and "
        "what the pool shows is certain on these topics; whether runs would differ on other topics is what the other "
        "tests ask, such as randomisation or t",
    )
