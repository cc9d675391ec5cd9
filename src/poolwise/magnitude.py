"""Numbers of any size brought near 1, so that their squares neither overflow nor vanish."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.arrays import Floats

__all__ = ["near_one"]


def near_one(values: Floats) -> Floats:
    """Columns divided by powers of two, which changes no digit, so that the largest number lies between 1/2 and 1.

    >>> near_one(np.array([6.0, -3.0, np.nan])).tolist(), near_one(2.0**1000 * np.array([6.0, -3.0])).tolist()
    ([0.75, -0.375, nan], [0.75, -0.375])
    """
    largest = np.max(np.abs(values), axis=0, initial=0.0, where=np.isfinite(values))
    return np.asarray(np.ldexp(values, -np.frexp(largest)[1]))
