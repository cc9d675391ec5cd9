"""Differences in last digits, which come of how a processor adds, are none: no order and no verdict turns on them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["TIE", "best_first"]

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
