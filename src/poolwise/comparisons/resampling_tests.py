"""Tests by resampling: randomisation of signs, max t, Tukey's range, and bootstrap over topics.

Every random choice of signs serves all pairs: signed sums of the runs' scores are formed once, and their
differences are the signed sums of all pairs.

If two runs are alike, the sign of each topic's difference is chance, and a flip of a topic is one for all pairs. The
largest |t| of any pair under random flips is what each pair's |t| is held against. Every pair is studentised, so that
the chance of even one false finding is alpha also where runs vary unlike, as where some are near copies; Tukey's test
fails there. Like the randomisation test it takes the differences of alike runs for symmetric: with exponential scores
of deviations 1, 1, 1, 4 and 4 on thirty topics, 8 % of families had a false finding at alpha 0.05, of normal ones 5 %.

For differences z of a pair, t^2 = (n - 1) r / (n - r) with r = (sum of z)^2 / sum of z^2, which grows with r, and flips
do not change the sum of squares: sums of the runs' flipped scores are all there is to form anew.

If all runs are alike, the names of the runs are chance within every topic. The largest difference between
any two means under random renaming is what each pair's difference is held against, so that the chance of
even one false finding among all pairs is alpha.

That holds if all runs have the same distribution within every topic. Where they only have the same mean but vary
unlike, renaming mixes the spreads, and pairs that vary more than the rest are found too often: with eight runs of
deviation 1 and two of 6 on thirty topics, one family in five has a false finding at alpha 0.05 (measured in
`tests/simulation/test_significance.py`). Where some runs truly differ, the largest difference under renaming grows
with them, and the others are hardly ever told apart. `max_t` has neither fault.

For a pair with differences z per topic, w = z - mean(z), and a resample that takes topic i c_i times has
s = sum of c_i w_i and S = sum of c_i w_i^2. Then t(w*)^2 = (n - 1) r / (n - r) with r = s^2 / S, which
grows with r, so that |t(w*)| >= |t(z)| exactly if r is at least (sum of z)^2 / sum of z^2. The s of all
pairs are differences of sums of the runs, and the S are one matrix product.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from poolwise.basics.settings import FEW_TOPICS
from poolwise.basics.workers import Threads
from poolwise.comparisons.pairs import (
    ROUNDING,
    Outcome,
    Problem,
    ResampledPairs,
    bootstrap_pairs,
    count_flips,
    t_of_ratios,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

if TYPE_CHECKING:
    Signs = NDArray[np.int8]
# Signs are drawn so many numbers at a time.
RANDOMISATION_BLOCK = 1 << 22


def randomisation(problem: Problem) -> Outcome:
    """Test every pair by flipping the signs of topics, two-sided.

    All 2^n choices are gone through when they are no more than the resamples asked for; p is then exact.

    >>> pair = np.array([[0], [1]], dtype=np.int32)
    >>> outcome = randomisation(Problem(np.array([[0.1, 0.4, 0.6], [0.2, 0.2, 0.3]]), *pair))
    >>> outcome.p.tolist(), outcome.exact
    ([0.5], True)
    """
    low, high = problem.student_interval()
    # Topic means drop out of all differences; without them the sums are smaller and rounded less.
    values = problem.values - problem.values.mean(axis=0)
    # Sums that only rounding tells apart count as equal: p may be too large by that, never too small.
    slack = ROUNDING * problem.topics * problem.scale
    thresholds = np.abs(problem.differences) * problem.topics - slack
    counts = np.zeros(problem.first.size, dtype=np.int64)
    for signs in chosen_signs(problem):
        counts += count_flips(values, signs, problem.first, problem.second, thresholds, problem.threads)
    exact = enumerates(problem.topics, problem.resamples)
    return problem.enumerated_outcome(counts, low, high) if exact else problem.resampled_outcome(counts, low, high)


def enumerates(topics: int, resamples: int) -> bool:
    """Whether all choices of signs are enumerated.

    >>> enumerates(13, 10_000), enumerates(14, 10_000)
    (True, False)
    """
    return bool(2**topics <= resamples)


def chosen_signs(problem: Problem) -> Iterator[Signs]:
    """All choices of signs, or as many random ones as were asked for: choices x topics, some at a time."""
    exact = enumerates(problem.topics, problem.resamples)
    return _all_signs(problem.topics) if exact else _random_signs(problem)


def _all_signs(topics: int) -> Iterator[Signs]:
    """All signs, choices x topics; the first topic stays, as flipping all of them changes no size."""
    choices = 2 ** (topics - 1)
    step = max(1, RANDOMISATION_BLOCK // topics)
    for start in range(0, choices, step):
        numbers = np.arange(start, min(start + step, choices))
        yield _as_signs((numbers[:, None] >> np.arange(topics)) & 1)


def _random_signs(problem: Problem) -> Iterator[Signs]:
    generator = np.random.default_rng(problem.seed)
    step = max(1, RANDOMISATION_BLOCK // problem.topics)
    for start in range(0, problem.resamples, step):
        size = min(step, problem.resamples - start)
        # A random byte holds the signs of eight topics.
        bits = generator.integers(0, 256, size=(size, -(-problem.topics // 8)), dtype=np.uint8)
        yield _as_signs(np.unpackbits(bits, axis=1, count=problem.topics))


def _as_signs(bits: NDArray[np.integer]) -> Signs:
    return 1 - 2 * bits.astype(np.int8)


# Flipped sums of so many pairs and choices of signs are held at a time.
BLOCK = 1 << 20
# Ties of flipped and observed t that rounding would break.
NEAR = 1e-9


def max_t(problem: Problem) -> Outcome:
    """Test every pair against the largest |t| of all compared pairs under random flips of topics, two-sided.

    >>> pair = np.array([[0], [1]], dtype=np.int32)
    >>> outcome = max_t(Problem(np.array([[0.5, 0.6, 0.7], [0.2, 0.2, 0.3]]), *pair))
    >>> outcome.p.tolist(), outcome.exact
    ([0.25], True)
    """
    # t^2 grows with (sum of z)^2 / sum of z^2, which exists where there is no spread, too.
    squares = (problem.topics - 1) * problem.deviations**2 + problem.topics * problem.differences**2
    observed = (problem.topics * problem.differences) ** 2 / np.where(squares > 0, squares, 1.0)
    ratios = np.sort(largest_ratios(problem, squares))
    counts = ratios.size - np.searchsorted(ratios, observed * (1 - NEAR), side="left")
    exact = enumerates(problem.topics, problem.resamples)
    # p is at most alpha exactly if t passes the place-th largest; no t does if there is no such place.
    rank = int(problem.alpha * (ratios.size if exact else ratios.size + 1))
    reach = t_of_ratios(ratios[-rank:][:1] if rank else np.array([float(problem.topics)]), problem.topics)
    outcome_of = problem.enumerated_outcome if exact else problem.resampled_outcome
    outcome = outcome_of(counts, *problem.interval(reach))
    open_ = problem.flat() & (outcome.p >= problem.alpha)  # p is that of all pairs together
    return replace(outcome, low=np.where(open_, -np.inf, outcome.low), high=np.where(open_, np.inf, outcome.high))


def largest_ratios(problem: Problem, squares: Floats) -> Floats:
    """Return the largest (sum of z)^2 / sum of z^2 of any pair for each choice of signs."""
    values = problem.values - problem.values.mean(axis=0)  # topic means drop out of all differences
    scales = 1 / np.sqrt(np.where(squares > 0, squares, np.inf))
    with ThreadPoolExecutor(problem.threads) as pool:
        return np.concatenate([_largest(problem, values @ signs.T, scales, pool) for signs in chosen_signs(problem)])


def _largest(problem: Problem, sums: Floats, scales: Floats, pool: ThreadPoolExecutor) -> Floats:
    """The same for one block of signs, given the runs' flipped sums (runs x choices)."""
    step = max(1, BLOCK // sums.shape[1])

    def part(start: int) -> NDArray[np.float64]:
        rows = slice(start, start + step)
        sizes = np.abs(sums[problem.first[rows]] - sums[problem.second[rows]])
        sizes *= scales[rows, None]
        return np.asarray(sizes.max(axis=0))

    return np.max(list(pool.map(part, range(0, problem.first.size, step))), axis=0) ** 2


# Each generator renames so many times; a fixed number, so that threads do not change the draws.
RENAMINGS = 100
# Where a run has so many times the median run's spread, one in ten families of alike runs has a false finding; of runs
# that vary alike, fewer than one in a hundred families on thirty topics shows it.
UNLIKE = 1.75


def tukey(problem: Problem) -> Outcome:
    """Test every pair against the largest difference of means under random renaming of all runs.

    >>> pair = np.array([[0], [1]], dtype=np.int32)
    >>> problem = Problem(np.array([[0.5, 0.6, 0.7], [0.2, 0.2, 0.3]]), *pair, resamples=999)
    >>> bool(0.2 < tukey(problem).p[0] < 0.3)
    True
    """
    ranges = np.sort(largest_ranges(problem))
    slack = ROUNDING * problem.scale
    extreme = np.searchsorted(ranges, np.abs(problem.differences) - slack, side="left")
    # The clearest difference has the same run best and the same run worst on every topic; chance may do so too.
    ends = len(problem.values) * (len(problem.values) - 1.0)
    smallest = max(1 / (problem.resamples + 1), ends ** (1 - problem.topics))
    # Where no p can be at most alpha, no difference is large enough, unless all scores are equal.
    rank = int(problem.alpha * (problem.resamples + 1)) if smallest <= problem.alpha else 0
    half = ranges[-rank] if rank else np.inf if ranges[-1] > slack else 0.0
    low, high = problem.differences - half, problem.differences + half
    outcome = problem.resampled_outcome(problem.resamples - extreme, low, high)
    return replace(outcome, smallest=smallest, notes=_notes(problem))


def _notes(problem: Problem) -> tuple[str, ...]:
    """Note on runs with a much larger variance than most."""
    spreads = (problem.values - problem.values.mean(axis=0)).std(axis=1)
    usual = float(np.median(spreads))
    if problem.topics < FEW_TOPICS or spreads.max() <= UNLIKE * usual:
        return ()
    times = f"{spreads.max() / usual:.1f} times the usual spread" if usual > 0 else "spread where most have none"
    note = f"runs vary unlike, one has {times}: Tukey's test then finds differences that are not there"
    return (f"{note}; the test max_t does not",)


def largest_ranges(problem: Problem) -> NDArray[np.float64]:
    """Return the range of the runs' means for each random renaming within topics."""
    parts = -(-problem.resamples // RENAMINGS)
    generators = np.random.default_rng(problem.seed).spawn(parts)
    columns = np.ascontiguousarray((problem.values - problem.values.mean(axis=0)).T)

    def part(generator: np.random.Generator) -> NDArray[np.float64]:
        shape = (RENAMINGS, *columns.shape)
        renamed = generator.permuted(np.broadcast_to(columns, shape), axis=-1)
        return np.asarray(np.ptp(renamed.mean(axis=1), axis=-1))

    with Threads(problem.threads) as pool:
        # The last generator renames more often than asked for.
        return np.concatenate(list(pool.map(part, generators)))[: problem.resamples]


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
    """Number of resamples without variance, for every pair."""
    alone = np.count_nonzero(drawn == problem.topics, axis=0)
    found = np.zeros(problem.first.size)
    if alone.any():
        for rows, z in problem.blocks():
            found[rows] = (np.abs(z - z.mean(axis=1, keepdims=True)) > ROUNDING * problem.scale) @ alone
    return found


def resample(problem: Problem, rank: int) -> ResampledPairs:
    """Return the number of t(w*) that reach t(z), and the result of the resample with the place-th largest t(w*)."""
    return _resampled(
        problem, draw_topics(np.random.default_rng(problem.seed), problem.topics, problem.resamples), rank
    )


def _resampled(problem: Problem, drawn: NDArray[np.uint16], rank: int) -> ResampledPairs:
    return bootstrap_pairs(
        problem.values - problem.values.mean(axis=1, keepdims=True),
        drawn,
        problem.first,
        problem.second,
        _observed_ratios(problem) * (1 - NEAR),
        rank,
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
