"""Tukey's honestly significant difference by randomisation (Carterette 2012, ACM TOIS 30(1)).

If all runs are alike, the names of the runs are chance within every topic. The largest difference between
any two means under random renaming is what each pair's difference is held against, so that the chance of
even one false finding among all pairs is alpha.

That holds if all runs have the same distribution within every topic. Where they only have the same mean but vary
unlike, renaming mixes the spreads, and pairs that vary more than the rest are found too often: with eight runs of
deviation 1 and two of 6 on thirty topics, one family in five has a false finding at alpha 0.05 (measured in
`tests/simulation/test_significance.py`). Where some runs truly differ, the largest difference under renaming grows
with them, and the others are hardly ever told apart. `max_t` has neither fault.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolwise.basics.engines import Threads
from poolwise.basics.settings import FEW_TOPICS
from poolwise.comparisons.pairs import ROUNDING, Outcome, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["largest_ranges", "tukey"]

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
    place = int(problem.alpha * (problem.resamples + 1)) if smallest <= problem.alpha else 0
    half = ranges[-place] if place else np.inf if ranges[-1] > slack else 0.0
    low, high = problem.differences - half, problem.differences + half
    outcome = problem.resampled_outcome(problem.resamples - extreme, low, high)
    return replace(outcome, smallest=smallest, notes=_notes(problem))


def _notes(problem: Problem) -> tuple[str, ...]:
    """Say so if some run varies far more than most: about the topics' means, on enough topics to tell."""
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
        return np.concatenate(list(pool.map(part, generators)))[: problem.resamples]
