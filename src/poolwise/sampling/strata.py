"""Strata by the best rank that any contributing run gives a document."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats, Whole

    Ranks = NDArray[np.uint32]
    Strata = NDArray[np.int32]


def by_edges(ranks: Ranks, edges: Sequence[int]) -> Strata:
    """Stratum 1 up to the first edge, 2 up to the second, and so on. The last holds all others.

    >>> by_edges(np.array([1, 5, 6, 80], dtype=np.uint32), (5, 20)).tolist()
    [1, 1, 2, 3]
    """
    return (np.searchsorted(np.asarray(edges), ranks, side="left") + 1).astype(np.int32)


def by_bands(ranks: Ranks, counted: NDArray[np.bool_], offsets: NDArray[np.int64], depth: int, bands: int) -> Strata:
    """Stratum 1 the depth-k pool. The others of each topic in bands of equal size by best rank [Y08 section 5].

    Ties stand in the order of document ids. Sizes differ by at most one, earlier bands are the larger ones. Only
    counted documents make up the sizes. Another one joins the band of the place where it would stand.
    """
    strata = np.ones(len(ranks), dtype=np.int32)
    for begin, end in pairwise(offsets):
        rest = begin + np.flatnonzero(ranks[begin:end] > depth)
        rest = rest[np.argsort(ranks[rest], kind="stable")]
        counts = counted[rest]
        rank = np.cumsum(counts) - counts
        last = np.cumsum(band_sizes(int(counts.sum()), bands))
        strata[rest] = 2 + np.minimum(np.searchsorted(last, rank, side="right"), bands - 1)
    return strata


def by_value(names: Whole, value: Floats, number: int) -> Whole:
    """Strata 0, 1, ... of units in descending order of value, with equal sums of values. Ties are ordered by name.

    >>> by_value(np.array([1, 2, 3, 4]), np.array([1.0, 4.0, 1.0, 2.0]), 2).tolist()
    [1, 0, 1, 1]
    """
    order = np.lexsort((names, -value))
    sums = np.cumsum(value[order])
    middle = sums - value[order] / 2.0
    total = max(float(sums[-1]), 1e-300) if len(sums) else 1.0
    strata = np.empty(len(order), dtype=np.int64)
    strata[order] = np.minimum((number * middle / total).astype(int), number - 1)
    return strata


def band_sizes(count: int, bands: int) -> list[int]:
    """Sizes of equal bands, the first ones larger by one if need be.

    >>> band_sizes(11, 3)
    [4, 4, 3]
    """
    return [count // bands + (band < count % bands) for band in range(bands)]


def table(classes: Strata, offsets: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Numbers of documents (topics x classes 0, 1, ...). Negative classes are not counted."""
    topics = len(offsets) - 1
    topic_of = np.repeat(np.arange(topics), np.diff(offsets))
    kept = classes >= 0
    cells = topic_of[kept] * number + classes[kept]
    return np.bincount(cells, minlength=topics * number).reshape(topics, number).astype(np.int64)
