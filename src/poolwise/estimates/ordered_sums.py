"""Sums in a fixed order, so that what is said of a run is the same to the last bit whichever other runs there are.

Products of matrices by BLAS, and numpy's sums along the first axis, add in another order when there are more rows, and
on other processors.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from poolwise import _core
from poolwise.estimates.layout import Array

__all__ = ["products", "squares", "total"]


def products(rows: Array, columns: Array) -> Array:
    """`rows @ columns`, every sum in the order of what it is over; terms that are 0 may be left out.

    >>> products(np.array([[1.0, 2.0], [0.0, 3.0]]), np.array([1.0, 4.0])).tolist()
    [9.0, 12.0]
    """
    of_one = columns.ndim == 1
    right = np.ascontiguousarray(columns[:, None] if of_one else columns)
    found = np.asarray(_core.column_products(np.ascontiguousarray(rows.T), right))
    return found[:, 0] if of_one else found


def squares(rows: Array) -> Array:
    """The sum of squares of each row."""
    return np.asarray(_core.power_sums(np.ascontiguousarray(rows))[0])


def total(parts: Iterable[Array]) -> Array:
    """The sum of arrays of one shape, one after the other."""
    each = iter(parts)
    found = np.array(next(each), dtype=float)
    for part in each:
        found += part
    return found
