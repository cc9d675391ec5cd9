"""Numbers of any size brought near 1, so that their squares neither overflow nor vanish; and into what is possible.

SciPy has them too, but takes longer to load than a comparison takes.
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
    """Columns divided by powers of two, which changes no digit, so that the largest number lies between 1/2 and 1.

    >>> import numpy as np
    >>> near_one(np.array([6.0, -3.0, np.nan])).tolist(), near_one(2.0**1000 * np.array([6.0, -3.0])).tolist()
    ([0.75, -0.375, nan], [0.75, -0.375])
    """
    import numpy as np

    largest = np.max(np.abs(values), axis=0, initial=0.0, where=np.isfinite(values))
    return np.asarray(np.ldexp(values, -np.frexp(largest)[1]))


def nearest_possible(values: Floats, half: Floats, least: Floats | float, most: Floats | float) -> Floats:
    """Estimates as they are, but those whose whole interval is beyond what is possible at the end of that.

    Cut, such an interval would have no width, as if nothing were uncertain.

    >>> import numpy as np
    >>> nearest_possible(np.array([0.4, 1.1, 1.7]), np.array([0.2, 0.2, 0.2]), 0.0, 1.0).tolist()
    [0.4, 1.1, 1.0]
    """
    import numpy as np

    values = np.where(values - half >= most, np.minimum(values, most), values)
    return np.asarray(np.where(values + half <= least, np.maximum(values, least), values))


TIE = 1e-12  # numbers that differ by less are equal; where any is above 1, this share of the largest


def best_first(values: Iterable[float]) -> list[int]:
    """Places of numbers from the highest down; equal ones stay in their order, and NaN comes last.

    >>> best_first([0.1, 0.3, 0.1 + 1e-16, float("nan"), 0.2])
    [1, 4, 0, 2, 3]
    """
    given = [float(value) for value in values]
    order = sorted(range(len(given)), key=lambda place: (given[place] != given[place], -given[place]))
    largest = max((abs(value) for value in given if abs(value) < float("inf")), default=0.0)
    apart = TIE * max(1.0, largest)
    found: list[int] = []
    alike: list[int] = []
    for place in order:
        if alike and not _as_near(given[alike[-1]], given[place], apart):
            found += sorted(alike)
            alike = []
        alike.append(place)
    return found + sorted(alike)


def _as_near(higher: float, lower: float, apart: float) -> bool:
    return higher == lower or higher - lower <= apart or (higher != higher and lower != lower)


def student_below(df: ArrayLike, t: ArrayLike) -> Floats:
    """The chance that Student's t is below t.

    >>> student_below(1, [-1.0, 0.0, 1.0]).round(4).tolist()
    [0.25, 0.5, 0.75]
    """
    return _each(_core.student_below, df, t)


def student_quantile(df: ArrayLike, chance: ArrayLike) -> Floats:
    """What Student's t stays below with this chance; infinite at 0 and 1.

    >>> import numpy as np
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
    import numpy as np

    same = np.broadcast_arrays(*(np.asarray(argument, dtype=np.float64) for argument in arguments))
    flat = [np.ascontiguousarray(argument).reshape(-1) for argument in same]
    return np.asarray(function(*flat)).reshape(same[0].shape)
