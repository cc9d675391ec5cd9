"""Exact shares: 0.1 means one tenth, and counts are rounded in whole numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from numpy.typing import NDArray

ROUNDINGS = ("up", "down")


def exact(value: Any, name: str = "fraction") -> Fraction:
    """Read a share between 0 and 1 as the decimal it is written as.

    A float counts as the decimal it shows with 12 digits, so that 0.1 is one tenth and 3 * 0.1 is three tenths.
    Text may be a decimal, a ratio or a percentage.

    >>> exact(0.1), exact("10%"), exact(3 * 0.1)
    (Fraction(1, 10), Fraction(1, 10), Fraction(3, 10))
    """
    share = _number(value, name)
    if not 0 <= share <= 1:
        raise ArgumentError(f"{name}={value!r} is not between 0 and 1; write ten percent as 0.1 or '10%'")
    return share


def exact_weights(values: Iterable[Any], name: str) -> tuple[Fraction, ...]:
    """Read positive weights of any size, exactly.

    >>> exact_weights((3, 1.5, 1), "weights")
    (Fraction(3, 1), Fraction(3, 2), Fraction(1, 1))
    """
    weights = tuple(_number(value, name) for value in values)
    if not weights or min(weights) <= 0:
        raise ArgumentError(f"{name}={list(map(str, weights))} must be positive numbers")
    return weights


def portions(share: Fraction, counts: NDArray[Any], rounding: str = "up", *, least: int = 0) -> NDArray[Any]:
    """How many of so many documents a share is, at least `least`, at most all: [B07] rounds up, [S07] down.

    >>> import numpy as np
    >>> [portions(Fraction(1, 10), np.array([41, 5]), rounding, least=1).tolist() for rounding in ("up", "down")]
    [[5, 1], [4, 1]]
    """
    fits = share.numerator * int(counts.max(initial=0)) < 2**62  # otherwise in whole numbers of any size
    number = share.numerator * (counts if fits else counts.astype(object))
    wanted = -(-number // share.denominator) if rounding == "up" else number // share.denominator
    portions: NDArray[Any] = counts.clip(max=wanted.clip(min=least).astype(counts.dtype))
    return portions


def nearest(share: Fraction, count: int, *, least: int = 1) -> int:
    """The nearest whole number of documents (a half goes to the even one), at least `least`, at most all.

    >>> nearest(Fraction(1, 10), 25), nearest(Fraction(1, 10), 35), nearest(Fraction(1, 10), 3)
    (2, 4, 1)
    """
    return min(count, max(least, round(share * count)))


def _number(value: Any, name: str) -> Fraction:
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, (int, Fraction, Decimal)):
            return Fraction(value)
        if isinstance(value, str):
            text = value.strip()
            return Fraction(text[:-1].strip()) / 100 if text.endswith("%") else Fraction(text)
        digits = 6 if type(value).__name__ == "float32" else 12  # numpy's short numbers hold no more
        return Fraction(f"{float(value):.{digits}g}")
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ArgumentError(f"{name}={value!r} is not a number; give one such as 0.1 or '10%'") from None
