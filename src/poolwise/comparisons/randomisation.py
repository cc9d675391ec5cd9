"""Fisher's randomisation test: if two runs are alike, the sign of each topic's difference is chance.

Every random choice of signs serves all pairs: signed sums of the runs' scores are formed once, and their
differences are the signed sums of all pairs.
"""

from __future__ import annotations

import numpy as np

from poolwise.comparisons.pairs import ROUNDING, Outcome, Problem, count_flips

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Signs = NDArray[np.int8]

__all__ = ["chosen_signs", "enumerates", "randomisation"]

# Signs are drawn so many numbers at a time.
BLOCK = 1 << 22


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
    slack = ROUNDING * problem.topics * problem.scale
    thresholds = np.abs(problem.differences) * problem.topics - slack
    counts = np.zeros(problem.first.size, dtype=np.int64)
    for signs in chosen_signs(problem):
        counts += count_flips(values, signs, problem.first, problem.second, thresholds, problem.threads)
    exact = enumerates(problem.topics, problem.resamples)
    return problem.enumerated_outcome(counts, low, high) if exact else problem.resampled_outcome(counts, low, high)


def enumerates(topics: int, resamples: int) -> bool:
    """Say whether all choices of signs are gone through.

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
    step = max(1, BLOCK // topics)
    for start in range(0, choices, step):
        numbers = np.arange(start, min(start + step, choices))
        yield _as_signs((numbers[:, None] >> np.arange(topics)) & 1)


def _random_signs(problem: Problem) -> Iterator[Signs]:
    generator = np.random.default_rng(problem.seed)
    step = max(1, BLOCK // problem.topics)
    for start in range(0, problem.resamples, step):
        size = min(step, problem.resamples - start)
        bits = generator.integers(0, 256, size=(size, -(-problem.topics // 8)), dtype=np.uint8)
        yield _as_signs(np.unpackbits(bits, axis=1, count=problem.topics))


def _as_signs(bits: NDArray[np.integer]) -> Signs:
    return 1 - 2 * bits.astype(np.int8)
