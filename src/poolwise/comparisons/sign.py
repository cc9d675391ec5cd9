"""The sign test: if two runs are alike, each wins a topic with chance one half. All pairs at once."""

from __future__ import annotations

import numpy as np

from poolwise.basics.distributions import beta_below
from poolwise.comparisons.pairs import Outcome, Problem

__all__ = ["sign"]


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
