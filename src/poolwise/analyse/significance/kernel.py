"""The two counting loops over pairs and resamples, which the compiled core does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Indices = NDArray[np.int32]

__all__ = ["ResampledPairs", "bootstrap_pairs", "count_flips"]


class ResampledPairs(NamedTuple):
    """What `bootstrap_pairs` finds for every pair."""

    counts: Counts
    ratios: Floats
    sums: Floats


def count_flips(
    values: Floats,
    signs: NDArray[np.int8],
    first: Indices,
    second: Indices,
    thresholds: Floats,
    threads: int,
) -> Counts:
    """Return for every pair in how many sign choices its runs' signed sums differ by the threshold or more.

    `values` is runs x topics, `signs` choices x topics.

    >>> values, signs = np.array([[0.5, 0.1], [0.2, 0.3]]), np.array([[1, 1], [1, -1]], dtype=np.int8)
    >>> pair = np.array([[0], [1]], dtype=np.int32)
    >>> count_flips(values, signs, pair[0], pair[1], np.array([0.4]), 1).tolist()
    [1]
    """
    values, signs = np.ascontiguousarray(values), np.ascontiguousarray(signs)
    return np.asarray(_core.count_flips(values, signs, first, second, thresholds, threads))


def bootstrap_pairs(
    centred: Floats,
    taken: NDArray[np.uint16],
    first: Indices,
    second: Indices,
    wanted: Floats,
    place: int,
    noise: float,
    threads: int,
) -> ResampledPairs:
    """Return for every pair what its resamples show; `centred` is runs x topics, each row summing to 0.

    `taken` is resamples x topics: how often a resample takes a topic. With w the difference of a pair's
    rows, s = sum of w and r = s^2 / sum of w^2 over a resample: `counts` are the r of at least `wanted`,
    `ratios` the r in the place-th largest place, `sums` the largest |s| among the resamples that have it.
    Differences of at most `noise` are 0; a resample of nothing but zeros has r = 0.

    >>> centred, taken = np.array([[0.1, -0.1], [0.0, 0.0]]), np.array([[2, 0], [1, 1]], dtype=np.uint16)
    >>> pair = np.array([[0], [1]], dtype=np.int32)
    >>> found = bootstrap_pairs(centred, taken, pair[0], pair[1], np.array([0.5]), 1, 0.0, 1)
    >>> [float(value[0].round(4)) for value in found]
    [1.0, 2.0, 0.2]
    """
    centred = np.ascontiguousarray(centred)
    found = _core.bootstrap_pairs(centred, taken, first, second, wanted, place, noise, threads)
    return ResampledPairs(*(np.asarray(part) for part in found))
