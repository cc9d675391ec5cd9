"""The max-T test: all pairs together, each in units of its own spread (Westfall and Young 1993, single step).

If two runs are alike, the sign of each topic's difference is chance, and a flip of a topic is one for all pairs. The
largest |t| of any pair under random flips is what each pair's |t| is held against. Every pair is studentised, so that
the chance of even one false finding is alpha also where runs vary unlike, as where some are near copies; Tukey's test
fails there. Like the randomisation test it takes the differences of alike runs for symmetric: with exponential scores
of deviations 1, 1, 1, 4 and 4 on thirty topics, 8 % of families had a false finding at alpha 0.05, of normal ones 5 %.

For differences z of a pair, t^2 = (n - 1) r / (n - r) with r = (sum of z)^2 / sum of z^2, which grows with r, and flips
do not change the sum of squares: sums of the runs' flipped scores are all there is to form anew.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from poolwise.comparisons.pairs import Outcome, Problem, t_of_ratios
from poolwise.comparisons.randomisation import chosen_signs, enumerates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

__all__ = ["largest_ratios", "max_t"]

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
    squares = (problem.topics - 1) * problem.deviations**2 + problem.topics * problem.differences**2
    observed = (problem.topics * problem.differences) ** 2 / np.where(squares > 0, squares, 1.0)
    ratios = np.sort(largest_ratios(problem, squares))
    counts = ratios.size - np.searchsorted(ratios, observed * (1 - NEAR), side="left")
    exact = enumerates(problem.topics, problem.resamples)
    # p is at most alpha exactly if t passes the place-th largest; no t does if there is no such place.
    place = int(problem.alpha * (ratios.size if exact else ratios.size + 1))
    reach = t_of_ratios(ratios[-place:][:1] if place else np.array([float(problem.topics)]), problem.topics)
    given = problem.enumerated_outcome if exact else problem.resampled_outcome
    outcome = given(counts, *problem.interval(reach))
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
