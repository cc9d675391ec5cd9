"""Sakai's bootstrap test [S07, K09, G20], with the same resamples of topics for all pairs.

For a pair with differences z per topic, w = z - mean(z), and a resample that takes topic i c_i times has
s = sum of c_i w_i and S = sum of c_i w_i^2. Then t(w*)^2 = (n - 1) r / (n - r) with r = s^2 / S, which
grows with r, so that |t(w*)| >= |t(z)| exactly if r is at least (sum of z)^2 / sum of z^2. The s of all
pairs are differences of sums of the runs, and the S are one matrix product.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolwise.comparisons.pairs import ROUNDING, Outcome, Problem, ResampledPairs, bootstrap_pairs, t_of_ratios

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats


__all__ = ["bootstrap", "draw_topics", "resample"]

# Topics are drawn so many numbers at a time.
BLOCK = 1 << 20
# Ties of t(w*) and t(z) that rounding would break.
NEAR = 1e-9


def bootstrap(problem: Problem) -> Outcome:
    """Test every pair by resampling topics, two-sided; intervals are symmetric bootstrap-t intervals.

    Without spread over topics, p is that of all topics going one way. No other p can fall below the share of resamples
    that take one topic n times, if the pair's difference there is not its mean, because these have no spread and an
    infinite t.

    >>> values = np.random.default_rng(1).random((2, 50)) + [[0.2], [0.0]]
    >>> outcome = bootstrap(Problem(values, *np.array([[0], [1]], dtype=np.int32), resamples=1000))
    >>> bool(0 < outcome.p[0] < 0.01)
    True
    """
    # |t(z)| passes the largest-th |t(w*)| exactly if p is at most alpha.
    drawn = draw_topics(np.random.default_rng(problem.seed), problem.topics, problem.resamples)
    resampled = _resampled(problem, drawn, max(1, int(problem.alpha * (problem.resamples + 1))))
    reach = t_of_ratios(resampled.ratios, problem.topics)
    one_way = round(problem.all_one_way * problem.resamples)
    counts = np.where(problem.flat(), one_way, resampled.counts)
    outcome = problem.resampled_outcome(counts, *problem.interval(reach))
    least = np.where(problem.deviations > 0, _without_spread(problem, drawn), one_way).min()
    return replace(outcome, smallest=float(least + 1) / (problem.resamples + 1))


def _without_spread(problem: Problem, drawn: NDArray[np.uint16]) -> Floats:
    """How many resamples take nothing but one topic on which a pair is off its mean difference, for every pair."""
    alone = np.count_nonzero(drawn == problem.topics, axis=0)
    found = np.zeros(problem.first.size)
    if alone.any():
        for rows, z in problem.blocks():
            found[rows] = (np.abs(z - z.mean(axis=1, keepdims=True)) > ROUNDING * problem.scale) @ alone
    return found


def resample(problem: Problem, place: int) -> ResampledPairs:
    """Return how many t(w*) reach t(z), and what belongs to the place-th largest of them."""
    return _resampled(
        problem, draw_topics(np.random.default_rng(problem.seed), problem.topics, problem.resamples), place
    )


def _resampled(problem: Problem, drawn: NDArray[np.uint16], place: int) -> ResampledPairs:
    return bootstrap_pairs(
        problem.values - problem.values.mean(axis=1, keepdims=True),
        drawn,
        problem.first,
        problem.second,
        _observed_ratios(problem) * (1 - NEAR),
        place,
        ROUNDING * problem.scale,
        problem.threads,
    )


def draw_topics(generator: np.random.Generator, topics: int, resamples: int) -> NDArray[np.uint16]:
    """Return how often each resample (row) takes each topic (column).

    >>> draw_topics(np.random.default_rng(0), 3, 5).sum(axis=1).tolist()
    [3, 3, 3, 3, 3]
    """
    drawn = np.empty((resamples, topics), dtype=np.uint16)
    step = max(1, BLOCK // topics)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        chosen = generator.integers(0, topics, size=(size, topics))
        chosen += topics * np.arange(size)[:, None]
        counts = np.bincount(chosen.ravel(), minlength=size * topics)
        drawn[start : start + size] = counts.reshape(size, topics)
    return drawn


def _observed_ratios(problem: Problem) -> Floats:
    """(sum of z)^2 / sum of z^2 of every pair: n if z is constant, 0 if its mean is 0."""
    variances = problem.deviations**2 * (problem.topics - 1) / problem.topics
    squares = variances + problem.differences**2
    ratios = np.zeros(squares.size)
    np.divide(problem.topics * problem.differences**2, squares, out=ratios, where=squares > 0)
    return ratios
