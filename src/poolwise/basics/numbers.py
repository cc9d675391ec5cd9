"""Scaling and ordering of numbers, and distribution functions of Student's t, the normal and the beta distribution.

SciPy has these distributions too, but importing it takes longer than a comparison.
"""

from __future__ import annotations

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Floats


def near_one(values: Floats) -> Floats:
    """Columns divided by powers of two, so that the largest absolute value lies between 1/2 and 1.

    Squares then neither overflow nor vanish, and division by a power of two changes no digit.


    >>> import numpy as np
    >>> near_one(np.array([6.0, -3.0, np.nan])).tolist(), near_one(2.0**1000 * np.array([6.0, -3.0])).tolist()
    ([0.75, -0.375, nan], [0.75, -0.375])
    """
    import numpy as np

    largest = np.max(np.abs(values), axis=0, initial=0.0, where=np.isfinite(values))
    return np.asarray(np.ldexp(values, -np.frexp(largest)[1]))


def nearest_possible(values: Floats, half: Floats, least: Floats | float, most: Floats | float) -> Floats:
    """Estimates, moved to a bound of the possible values if their whole interval lies beyond it.

    An interval beyond the bound would have no width after clipping, as if the estimate were certain.

    >>> import numpy as np
    >>> nearest_possible(np.array([0.4, 1.1, 1.7]), np.array([0.2, 0.2, 0.2]), 0.0, 1.0).tolist()
    [0.4, 1.1, 1.0]
    """
    import numpy as np

    values = np.where(values - half >= most, np.minimum(values, most), values)
    return np.asarray(np.where(values + half <= least, np.maximum(values, least), values))


# Numbers that differ by at most this are ties: relative to the largest if that exceeds 1. About 5,000 units of
# rounding (2.2e-16), more than sums of a thousand terms in another order differ by.
TIE = 1e-12


def best_first(values: Iterable[float]) -> list[int]:
    """Indices of numbers in descending order. Ties stay in their order, and NaN is last.

    >>> best_first([0.1, 0.3, 0.1 + 1e-16, float("nan"), 0.2])
    [1, 4, 0, 2, 3]
    """
    numbers = [float(value) for value in values]
    order = sorted(range(len(numbers)), key=lambda index: (numbers[index] != numbers[index], -numbers[index]))
    largest = max((abs(value) for value in numbers if abs(value) < float("inf")), default=0.0)
    tolerance = TIE * max(1.0, largest)
    ordered: list[int] = []
    tied: list[int] = []
    for index in order:
        # Neighbours are compared, not ends: a chain of ties is one group, whatever the order of the input.
        if tied and not _equal(numbers[tied[-1]], numbers[index], tolerance):
            ordered += sorted(tied)
            tied = []
        tied.append(index)
    return ordered + sorted(tied)


def _equal(higher: float, lower: float, tolerance: float) -> bool:
    both_missing = higher != higher and lower != lower
    return higher == lower or higher - lower <= tolerance or both_missing  # infinities are equal, yet differ by NaN


def student_below(df: ArrayLike, t: ArrayLike) -> Floats:
    """Distribution function of Student's t.

    >>> student_below(1, [-1.0, 0.0, 1.0]).round(4).tolist()
    [0.25, 0.5, 0.75]
    """
    return _each(_core.student_below, df, t)


def student_quantile(df: ArrayLike, chance: ArrayLike) -> Floats:
    """Quantile of Student's t distribution. Infinite at 0 and 1.

    >>> import numpy as np
    >>> student_quantile([1, 9, np.inf], 0.975).round(4).tolist()
    [12.7062, 2.2622, 1.96]
    """
    return _each(_core.student_quantiles, df, chance)


def normal_below(z: ArrayLike) -> Floats:
    """Distribution function of the standard normal.

    >>> normal_below([-1.959964, 0.0]).round(4).tolist()
    [0.025, 0.5]
    """
    return _each(_core.normal_below, z)


def beta_below(p: ArrayLike, q: ArrayLike, x: ArrayLike) -> Floats:
    """Distribution function of the beta distribution: the regularised incomplete beta function I_x(p, q).

    >>> beta_below([1, 3], 1, 0.5).round(12).tolist()
    [0.5, 0.125]
    """
    return _each(_core.beta_below, p, q, x)


def _each(function: Callable[..., Any], *arguments: ArrayLike) -> Floats:
    """Values of a function of the core, with its arguments broadcast as in numpy."""
    import numpy as np

    same = np.broadcast_arrays(*(np.asarray(argument, dtype=np.float64) for argument in arguments))
    flat = [np.ascontiguousarray(argument).reshape(-1) for argument in same]
    return np.asarray(function(*flat)).reshape(same[0].shape)
