"""The two counting loops over pairs and resamples, in the compiled core or, without it, in numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Indices = NDArray[np.int32]

__all__ = ["ResampledPairs", "bootstrap_pairs", "count_flips"]

# Numbers of pairs x resamples that numpy works on at a time: what the caches hold.
BLOCK = 1 << 17


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
    compiled = getattr(_core, "count_flips", None)
    if compiled is not None:
        values = np.ascontiguousarray(values)
        return np.asarray(compiled(values, np.ascontiguousarray(signs), first, second, thresholds, threads))
    sums = values @ signs.T.astype(np.float64)
    counts = np.zeros(first.size, dtype=np.int64)
    for rows in _blocks(first.size, signs.shape[0]):
        apart = np.abs(sums[first[rows]] - sums[second[rows]]) >= thresholds[rows, None]
        counts[rows] = np.count_nonzero(apart, axis=1)
    return counts


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
    compiled = getattr(_core, "bootstrap_pairs", None)
    if compiled is not None:
        centred = np.ascontiguousarray(centred)
        found = compiled(centred, taken, first, second, wanted, place, noise, threads)
        return ResampledPairs(*(np.asarray(part) for part in found))
    resamples = taken.shape[0]
    times = taken.T.astype(np.float64)
    totals = centred @ times
    result = ResampledPairs(np.empty(first.size, dtype=np.int64), np.empty(first.size), np.empty(first.size))
    for rows in _blocks(first.size, resamples):
        w = centred[first[rows]] - centred[second[rows]]
        squares = np.where(np.abs(w) <= noise, 0.0, w * w) @ times
        sums = np.abs(totals[first[rows]] - totals[second[rows]])
        ratios = np.divide(sums * sums, squares, out=np.zeros_like(sums), where=squares > 0)
        result.counts[rows] = np.count_nonzero(ratios >= wanted[rows, None], axis=1)
        chosen = np.partition(ratios, resamples - place, axis=1)[:, resamples - place]
        result.ratios[rows] = chosen
        result.sums[rows] = np.max(np.where(ratios == chosen[:, None], sums, 0.0), axis=1)
    return result


def _blocks(pairs: int, resamples: int) -> Iterator[slice]:
    step = max(1, BLOCK // resamples)
    for start in range(0, pairs, step):
        yield slice(start, min(start + step, pairs))
