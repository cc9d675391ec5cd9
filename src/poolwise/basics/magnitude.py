"""Numbers of any size brought near 1, so that their squares neither overflow nor vanish; and into what is possible."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.basics.arrays import Floats

__all__ = ["near_one", "nearest_possible"]


def near_one(values: Floats) -> Floats:
    """Columns divided by powers of two, which changes no digit, so that the largest number lies between 1/2 and 1.

    >>> near_one(np.array([6.0, -3.0, np.nan])).tolist(), near_one(2.0**1000 * np.array([6.0, -3.0])).tolist()
    ([0.75, -0.375, nan], [0.75, -0.375])
    """
    largest = np.max(np.abs(values), axis=0, initial=0.0, where=np.isfinite(values))
    return np.asarray(np.ldexp(values, -np.frexp(largest)[1]))


def nearest_possible(values: Floats, half: Floats, least: Floats | float, most: Floats | float) -> Floats:
    """Estimates as they are, but those whose whole interval is beyond what is possible at the end of that.

    Cut, such an interval would have no width, as if nothing were uncertain.

    >>> nearest_possible(np.array([0.4, 1.1, 1.7]), np.array([0.2, 0.2, 0.2]), 0.0, 1.0).tolist()
    [0.4, 1.1, 1.0]
    """
    values = np.where(values - half >= most, np.minimum(values, most), values)
    return np.asarray(np.where(values + half <= least, np.maximum(values, least), values))
