"""Student's t test for paired scores, all pairs at once."""

from __future__ import annotations

import numpy as np

from poolwise.basics.distributions import student_below
from poolwise.comparisons.pairs import Outcome, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["student", "t_statistics"]


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
