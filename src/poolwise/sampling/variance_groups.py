"""Groups of cells for the variance of a stratified draw: a cell with one label says nothing of its spread.

Cells with one label are collapsed with others for the variance only (Cochran 1977, section 5A.12; Wolter 2007, section
2.5). Weights stay as drawn, so the estimate stays unbiased, and differences between collapsed cells make the variance
too large rather than too small.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

    Numbers = NDArray[np.int64]

__all__ = ["MUCH", "collapsed", "single_share"]

MUCH = 0.2  # share of the weight in cells with one label from which on intervals are rough


def collapsed(labels: Numbers, parent: Numbers, certain: NDArray[np.bool_]) -> Numbers:
    """The group of each cell, of which `labels` units are labelled; those that are `certain` have all units labelled.

    Cells of one label are one group within their parent. If that group still has one label, it joins the nearest cell
    that has any, of its own parent if there is one.

    >>> none = np.zeros(4, dtype=bool)
    >>> collapsed(np.array([1, 6, 1, 3]), np.zeros(4, dtype=np.int64), none).tolist()
    [0, 1, 0, 3]
    >>> collapsed(np.array([6, 1, 3, 2]), np.array([0, 0, 1, 1]), none).tolist()
    [0, 0, 2, 3]
    """
    group = np.arange(len(labels))
    single = (labels == 1) & ~certain
    for own in np.unique(parent[single]).tolist():
        chosen = np.flatnonzero(single & (parent == own))
        group[chosen] = chosen[0]
    alone = single & (np.bincount(group, labels, minlength=len(labels))[group] == 1)
    for lone in np.flatnonzero(alone).tolist():  # one of each parent at most
        members = group == group[lone]
        others = np.flatnonzero((labels > 0) & ~members)
        if labels[members].sum() > 1 or not len(others):
            continue
        own_parent = others[parent[others] == parent[lone]]
        near = own_parent if len(own_parent) else others
        group[members] = group[near[np.argmin(np.abs(near - lone))]]
    return group


def single_share(size: Floats | Numbers, labels: Numbers) -> float:
    """The share of all units that lie in cells of which one unit is labelled, and others are not.

    >>> single_share(np.array([30.0, 60.0, 10.0]), np.array([1, 6, 3]))
    0.3
    """
    whole = float(size.sum())
    return float(size[(labels == 1) & (size > 1)].sum()) / whole if whole > 0 else 0.0
