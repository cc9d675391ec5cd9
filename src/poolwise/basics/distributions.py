"""Chances and quantiles of Student's t, the normal and the beta distribution, by the core.

SciPy has them too, but takes longer to load than a comparison takes.
"""

from __future__ import annotations

import numpy as np

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Floats

__all__ = ["beta_below", "normal_below", "student_below", "student_quantile"]


def student_below(df: ArrayLike, t: ArrayLike) -> Floats:
    """The chance that Student's t is below t.

    >>> student_below(1, [-1.0, 0.0, 1.0]).round(4).tolist()
    [0.25, 0.5, 0.75]
    """
    return _each(_core.student_below, df, t)


def student_quantile(df: ArrayLike, chance: ArrayLike) -> Floats:
    """What Student's t stays below with this chance; infinite at 0 and 1.

    >>> student_quantile([1, 9, np.inf], 0.975).round(4).tolist()
    [12.7062, 2.2622, 1.96]
    """
    return _each(_core.student_quantiles, df, chance)


def normal_below(z: ArrayLike) -> Floats:
    """The chance that a standard normal number is below z.

    >>> normal_below([-1.959964, 0.0]).round(4).tolist()
    [0.025, 0.5]
    """
    return _each(_core.normal_below, z)


def beta_below(p: ArrayLike, q: ArrayLike, x: ArrayLike) -> Floats:
    """The incomplete beta function I_x(p, q): the chance that a number with that distribution is below x.

    >>> beta_below([1, 3], 1, 0.5).round(12).tolist()
    [0.5, 0.125]
    """
    return _each(_core.beta_below, p, q, x)


def _each(function: Callable[..., Any], *arguments: ArrayLike) -> Floats:
    """One number for each set of arguments, which are stretched to a common shape as numpy does."""
    same = np.broadcast_arrays(*(np.asarray(argument, dtype=np.float64) for argument in arguments))
    flat = [np.ascontiguousarray(argument).reshape(-1) for argument in same]
    return np.asarray(function(*flat)).reshape(same[0].shape)
