"""Corrections of p values for the number of comparisons; `significance_tests` declares them."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Floats

__all__ = ["benjamini_hochberg", "holm", "uncorrected"]


def holm(p: ArrayLike) -> Floats:
    """Return p values corrected by Holm 1979: the chance of even one false finding stays below alpha.

    >>> holm([0.01, 0.04, 0.02]).tolist()
    [0.03, 0.04, 0.04]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    left = np.arange(values.size, 0, -1)
    stepped = np.maximum.accumulate(values[order] * left)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Return p values corrected by Benjamini and Hochberg 1995: the share of false findings stays below alpha.

    >>> benjamini_hochberg([0.01, 0.04, 0.02]).tolist()
    [0.03, 0.04, 0.03]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    place = np.arange(values.size, 0, -1)
    stepped = np.minimum.accumulate(values[order] * values.size / place)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def uncorrected(p: ArrayLike) -> Floats:
    """Return p values as they are.

    >>> uncorrected([0.01, 0.04]).tolist()
    [0.01, 0.04]
    """
    return np.array(p, dtype=np.float64)
