"""The swap method: how large a difference must be for other topics to show it too (Voorhees and Buckley, SIGIR 2002).

Two disjoint random sets of topics each say by how much a run is ahead of another. Where the sets disagree on the sign,
the pair has swapped. Differences are sorted into bins by their size on the first set, and the share of swaps in a bin
is its swap rate. The difference required is the least from which on every bin has a rate of at most `most`, and the
sensitivity is the share of comparisons with at least that difference. [S07] section 7 says that the bootstrap agrees
with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poolwise.basics import settings as checks
from poolwise.comparisons.pairs import all_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.basics.arrays import Floats

__all__ = ["Swaps", "swap_method"]

WIDTH, BINS = 0.01, 21  # as the paper has them: twenty bins of one hundredth, and one for all larger differences


class Swaps(NamedTuple):
    """What the swap method finds; `difference_required` is NaN where no difference is safe."""

    difference_required: float
    sensitivity: float
    rates: tuple[float, ...]


def swap_method(values: Floats, *, draws: int = 1000, most: float = 0.05, seed: int | np.random.Generator = 0) -> Swaps:
    """Measure the difference required and the sensitivity of scores, runs x topics, on halves of the topics.

    >>> scores = np.random.default_rng(1).normal(size=(8, 60)) * 0.1 + 0.02 * np.arange(8)[:, None]
    >>> swap = swap_method(scores)
    >>> swap.difference_required, round(swap.sensitivity, 2)
    (0.06, 0.51)
    """
    checks.at_least_two("the swap method", values.shape)
    checks.whole("draws", draws, 1)
    first, second = all_pairs(len(values))
    generator, half = np.random.default_rng(seed), values.shape[1] // 2
    swapped, counted = np.zeros(BINS), np.zeros(BINS)
    for _ in range(draws):
        order = generator.permutation(values.shape[1])
        means = [values[:, order[place : place + half]].mean(axis=1) for place in (0, half)]
        here, there = (mean[first] - mean[second] for mean in means)
        bins = np.minimum((np.abs(here) / WIDTH).astype(int), BINS - 1)
        counted += np.bincount(bins, minlength=BINS)
        swapped += np.bincount(bins[here * there < 0], minlength=BINS)
    rates = np.divide(swapped, counted, out=np.zeros(BINS), where=counted > 0)
    safe = np.flatnonzero(np.logical_and.accumulate((rates <= most)[::-1])[::-1] & (counted > 0))
    if not safe.size:
        return Swaps(float("nan"), 0.0, tuple(rates.tolist()))
    return Swaps(
        float(round(safe[0] * WIDTH, 10)), float(counted[safe[0] :].sum() / counted.sum()), tuple(rates.tolist())
    )
