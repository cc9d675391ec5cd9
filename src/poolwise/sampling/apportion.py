"""Whole judgments shared out over topics and strata. Every rule here gives more of everything when there is more to
give, so that larger samples contain smaller ones."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray


def proportional(total: int, weights: Sequence[Fraction], capacities: Sequence[int]) -> list[int]:
    """Share out in proportion to weights, rounded to sum exactly; what does not fit goes to the next part.

    Each judgment goes where weight / (judgments so far + 1/2) is largest (the method of Webster, which rounds every
    part to the nearest whole number where that sums), of equals where the exact share leaves the larger remainder.
    For [Y08]'s 3 : 1.5 : 1 that is rounding by largest remainders, with which in general a part can shrink when the
    total grows. What passes the last part starts again at the first.

    >>> from fractions import Fraction
    >>> proportional(11, [Fraction(3), Fraction(3, 2), Fraction(1)], [100, 100, 100])
    [6, 3, 2]
    >>> proportional(11, [Fraction(3), Fraction(3, 2), Fraction(1)], [4, 100, 100])
    [4, 5, 2]
    """
    quotas = _webster(total, weights)
    given = [0] * len(quotas)
    carried = 0
    for _ in range(2):
        for part, quota in enumerate(quotas):
            wanted = given[part] + quota + carried
            given[part] = min(wanted, capacities[part])
            carried = wanted - given[part]
        quotas = [0] * len(quotas)
    return given


def _webster(total: int, weights: Sequence[Fraction]) -> list[int]:
    # A part of a quota q gets at least q - (parts + 1) / 2, so only few steps are left to take one by one.
    whole, slack = sum(weights), len(weights) // 2 + 1
    given = [max(0, int(total * weight / whole) - slack) for weight in weights]
    for step in range(sum(given) + 1, total + 1):
        best = max(
            range(len(given)),
            key=lambda part: (weights[part] / (2 * given[part] + 1), step * weights[part] / whole % 1, -part),
        )
        given[best] += 1
    return given


def evenly(total: int, capacities: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Share out evenly, nobody more than fits; a remainder goes to the largest parts, the first of equal ones.

    >>> evenly(10, [2, 9, 9]).tolist(), evenly(11, [2, 9, 9]).tolist()
    ([2, 4, 4], [2, 5, 4])
    """
    room = np.asarray(capacities, dtype=np.int64)
    total = min(total, int(room.sum()))
    low, high = 0, int(room.max(initial=0))
    while low < high:  # the highest level that everybody can be filled to
        level = (low + high + 1) // 2
        low, high = (level, high) if int(np.minimum(room, level).sum()) <= total else (low, level - 1)
    given = np.minimum(room, low)
    open_parts = np.flatnonzero(room > low)
    order = open_parts[np.argsort(-room[open_parts], kind="stable")]
    given[order[: total - int(given.sum())]] += 1
    return given


def optimal(
    total: int,
    spreads: NDArray[np.float64],
    capacities: NDArray[np.int64],
    start: NDArray[np.int64] | None = None,
    least: int = 1,
) -> NDArray[np.int64]:
    """Add judgments to strata so that the sum of spread^2 / judgments is least (Neyman allocation in whole numbers).

    `spreads` are N_h S_h. A stratum's next judgment, its (n + 1)-th, lessens the sum by spread^2 / (n (n + 1)); taking
    the largest of these one after the other is exactly optimal (Wright 2012). Every stratum first gets `least`.
    `start` counts the judgments there are already; returns how many to add.

    >>> optimal(12, np.array([3.0, 2.0, 1.0]), np.array([50, 50, 50])).tolist()
    [6, 4, 2]
    """
    have = np.zeros(len(spreads), dtype=np.int64) if start is None else start
    gains, parts = path(spreads, capacities, have, least)
    return np.bincount(parts[: min(total, len(gains))], minlength=len(spreads)).astype(np.int64)


def path(
    spreads: NDArray[np.float64], capacities: NDArray[np.int64], start: NDArray[np.int64], least: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The order in which `optimal` adds judgments: what each lessens the sum by, and its stratum.

    What a judgment within `least` brings is given as infinite where the stratum has none yet.
    """
    room = np.maximum(capacities - start, 0)
    parts = np.repeat(np.arange(len(spreads)), room)
    # The n-th judgment of its stratum, counted from 0.
    begins = np.arange(len(parts)) - (np.cumsum(room) - room)[parts] + start[parts]
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(begins > 0, spreads[parts] ** 2 / (begins * (begins + 1)), np.inf)
    must = begins < least
    order = np.lexsort((parts, -np.where(np.isfinite(gains), gains, 0), begins * must, ~must))
    return gains[order], parts[order].astype(np.int64)
