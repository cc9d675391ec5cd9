"""Is Kendall's tau more than chance? Under chance every order of the runs is as likely as any other.

Exact without ties: the number of swapped pairs of a random order has a known distribution. With ties and up to eight
runs all orders are gone through; with more scipy's normal approximation with its correction for ties, which may
give six runs p = 0.03 where it is 0.1.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from poolwise.basics import settings as checks
from poolwise.trust.correlation import kendall_tau, mean_ranks, swapped_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Floats

__all__ = ["significant_tau", "swap_chances", "tau_p"]

ENUMERATED_RUNS = 8


def tau_p(a: ArrayLike, b: ArrayLike) -> float:
    """Return the two-sided p value of Kendall's tau of two rankings; NaN where one of them has no order.

    >>> round(tau_p([0.5, 0.4, 0.3, 0.2, 0.1], [0.4, 0.5, 0.3, 0.2, 0.1]), 4)  # 10 of 120 orders are as far from even
    0.0833
    """
    first, second = mean_ranks(a), mean_ranks(b)
    runs = first.size
    if len(np.unique(first)) == runs == len(np.unique(second)):
        swapped = int(swapped_pairs(first, second))
        chances = swap_chances(runs)
        tail = min(swapped, len(chances) - 1 - swapped)
        return float(min(1.0, 2 * chances[: tail + 1].sum()))
    if runs <= ENUMERATED_RUNS and min(np.ptp(first), np.ptp(second)) > 0:
        orders = second[np.array(list(permutations(range(runs))))]
        return float(np.mean(np.abs(kendall_tau(first, orders)) >= abs(float(kendall_tau(first, second))) - 1e-9))
    from scipy.stats import kendalltau

    return float(kendalltau(first, second).pvalue)


def significant_tau(runs: int, alpha: float = 0.05) -> float:
    """Return the least tau of so many untied runs that differs from 0 at a level, two-sided; NaN if none does.

    >>> round(significant_tau(30, 0.01), 3)  # [S07] section 6 has .34
    0.333
    """
    checks.whole("runs", runs, 2)
    checks.alpha(alpha)
    reached = np.flatnonzero(2 * np.cumsum(swap_chances(runs)) <= alpha)
    return float(1 - 4 * reached[-1] / (runs * (runs - 1))) if reached.size else float("nan")


def swap_chances(runs: int) -> Floats:
    """Return the chance of 0, 1, 2, ... swapped pairs in a random order of so many runs.

    The run put in last, at any of n places, swaps 0 to n - 1 pairs, each as likely.

    >>> (6 * swap_chances(3)).tolist()
    [1.0, 2.0, 2.0, 1.0]
    """
    chances = np.ones(1)
    for number in range(2, runs + 1):
        chances = np.convolve(chances, np.full(number, 1 / number))
    return chances
