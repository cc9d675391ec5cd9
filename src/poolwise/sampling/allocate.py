"""Allocation of samples in exact arithmetic: 0.1 is one tenth, and counts are whole numbers.

**Costs.** What a sample costs is chance, as documents of a stratum differ, and yet a plan must keep to its budget.
Strata stand in an order that follows from mean costs alone, each as often as it has documents, and documents of a
stratum in random order. A plan is the longest beginning of this sequence that the budget pays for. It ends where the
next document would cost too much, and does not go on with a cheaper one. So it is never over the budget, and one
document more would be.

Within every stratum it is a simple random sample still, of a size that costs decide but no label. The plan has k
documents if the first k cost no more than the budget and the first k + 1 do: that condition does not change when the
documents of a stratum among the first k change places. So of each document among them the value is on average that of
the stratum's first one, whatever k is, and that one is any of the stratum's: the mean of a stratum is unbiased if its
first document is sure to be paid for (as the last document of inverse sampling is left out, Haldane 1945, Biometrika
33(3)). Leaving out what does not fit, or stopping behind a document, would favour cheap or dear ones.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats, Whole
    from poolwise.sampling.cells import Cells

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
    """Number of documents in a share, at least `least`. [B07] rounds up, [S07] down.

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


def proportional(total: int, weights: Sequence[Fraction], capacities: Sequence[int]) -> list[int]:
    """Proportional allocation that sums exactly. Units that do not fit go to the next part.

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
    shares = [0] * len(quotas)
    carried = 0
    for _ in range(2):
        for part, quota in enumerate(quotas):
            wanted = shares[part] + quota + carried
            shares[part] = min(wanted, capacities[part])
            carried = wanted - shares[part]
        quotas = [0] * len(quotas)
    return shares


def _webster(total: int, weights: Sequence[Fraction]) -> list[int]:
    # A part of a quota q gets at least q - (parts + 1) / 2, so only few steps are left to take one by one.
    whole, slack = sum(weights), len(weights) // 2 + 1
    shares = [max(0, int(total * weight / whole) - slack) for weight in weights]
    for step in range(sum(shares) + 1, total + 1):
        best = max(
            range(len(shares)),
            key=lambda part: (weights[part] / (2 * shares[part] + 1), step * weights[part] / whole % 1, -part),
        )
        shares[best] += 1
    return shares


def evenly(total: int, capacities: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Even allocation within capacities. The remainder goes to the largest parts.

    >>> evenly(10, [2, 9, 9]).tolist(), evenly(11, [2, 9, 9]).tolist()
    ([2, 4, 4], [2, 5, 4])
    """
    room = np.asarray(capacities, dtype=np.int64)
    total = min(total, int(room.sum()))
    low, high = 0, int(room.max(initial=0))
    while low < high:  # the highest level that everybody can be filled to
        level = (low + high + 1) // 2
        low, high = (level, high) if int(np.minimum(room, level).sum()) <= total else (low, level - 1)
    shares = np.minimum(room, low)
    open_parts = np.flatnonzero(room > low)
    order = open_parts[np.argsort(-room[open_parts], kind="stable")]
    shares[order[: total - int(shares.sum())]] += 1
    return shares


def optimal(total: int, spreads: Floats, capacities: Whole, start: Whole, least: int = 1) -> Whole:
    """Add judgments to strata so that the sum of spread^2 / judgments is least (Neyman allocation in whole numbers).

    Returns how many to add to each stratum, in the order of `neyman_order`.

    >>> optimal(12, np.array([3.0, 2.0, 1.0]), np.array([50, 50, 50]), np.zeros(3, dtype=np.int64)).tolist()
    [6, 4, 2]
    """
    strata = neyman_order(spreads, capacities, start, least)
    return np.bincount(strata[:total], minlength=len(spreads)).astype(np.int64)


def neyman_order(spreads: Floats, capacities: Whole, start: Whole, least: int = 1) -> Whole:
    """The stratum of each judgment to come, in the order in which judgments lessen the sum of spread^2 / judgments.

    `spreads` are N_h S_h. `start` counts the judgments there are already. A stratum's (n + 1)-th judgment lessens the
    sum by spread^2 / (n (n + 1)). Taking the largest of these one after the other is exactly optimal (Wright 2012).
    Every stratum first gets `least`.
    """
    strata, before = _judgments_to_come(capacities, start)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(before > 0, spreads[strata] ** 2 / (before * (before + 1)), 0.0)
    must = before < least
    order = np.lexsort((strata, -gains, before * must, ~must))
    return strata[order]


def proportional_order(capacities: Whole, start: Whole) -> Whole:
    """The stratum of each judgment to come, so that all strata are judged at the same rate.

    The next judgment goes where the rate after it is lowest: the method of Webster with sizes as weights.
    """
    strata, before = _judgments_to_come(capacities, start)
    return strata[np.lexsort((strata, (before + 0.5) / capacities[strata]))]


def _judgments_to_come(capacities: Whole, start: Whole) -> tuple[Whole, Whole]:
    """Stratum of every possible judgment, and its number within the stratum."""
    room = np.maximum(capacities - start, 0)
    strata = np.repeat(np.arange(len(room)), room)
    return strata, np.arange(len(strata)) - (np.cumsum(room) - room)[strata] + start[strata]


LEAST = 2  # labels of a stratum, so that it has a pair of them: pairs speak for second-order terms of estimates
TOPIC_SHARES = ("equal", "worth")
ROUNDING = 1 + 1e-9  # a budget pays for what costs as much, but for the last digits of a sum


class Allocation:
    """The order in which judgments go to cells, for any budget.

    Within a parent judgments go where they lessen the variance most for what they cost, each stratum first getting
    `least`. `squares` are (N_h S_h)^2. Without these all strata of a parent are judged at the same rate.
    Parents get equal shares of a budget, as each counts the same in a mean, and one with too few units leaves its rest
    to the others. Or, `shares` being "worth", judgments of all parents are put in one such order.
    `costs` is what a judgment of each cell costs, 1 unless given.
    """

    def __init__(
        self,
        cells: Cells,
        squares: Floats | None = None,
        costs: Floats | None = None,
        shares: str = "equal",
        least: int = LEAST,
    ) -> None:
        self.cells = cells
        self.costs = np.ones(len(cells.size)) if costs is None else costs
        groups = [np.flatnonzero(cells.parent == parent) for parent in np.unique(cells.parent)]
        if shares == "worth":
            groups = [np.arange(len(cells.size))]
        self._orders = [group[self._order(group, squares, least)] for group in groups]

    def _order(self, group: Whole, squares: Floats | None, least: int) -> Whole:
        size, sampled = self.cells.size[group], self.cells.sampled[group]
        if squares is None:
            return proportional_order(size, sampled)
        return neyman_order(np.sqrt(squares[group] / self.costs[group]), size, sampled, least)

    def paid(self, budget: float, costs: Floats) -> Whole:
        """Number of units of each cell that a budget pays for, given the costs of units.

        These are sorted by cell, and within a cell in the order in which they are drawn, those drawn before last.
        """
        sequence = self._sequence
        begins = np.cumsum(self.cells.size) - self.cells.size
        order = np.argsort(sequence, kind="stable")
        counts = np.bincount(sequence, minlength=len(begins))
        nth = np.empty(len(sequence), dtype=np.int64)
        nth[order] = np.arange(len(sequence)) - np.repeat(np.cumsum(counts) - counts, counts)
        spent = np.cumsum(costs[begins[sequence] + nth])
        taken = sequence[: np.searchsorted(spent, budget * ROUNDING, side="right")]
        added = np.bincount(taken, minlength=len(begins)).astype(np.int64)
        self._check_reached(sequence, spent, added, budget)
        return added

    def _check_reached(self, sequence: Whole, spent: Floats, added: Whole, budget: float) -> None:
        """Refuse a budget with fewer judgments than topics: it would leave out topics systematically."""
        parent = self.cells.parent
        lacking = np.setdiff1d(parent[sequence], parent[self.cells.sampled + added > 0])
        if not len(lacking):
            return
        _, first = np.unique(parent[sequence], return_index=True)
        number = int(first.max()) + 1
        raise ArgumentError(
            f"a budget of {budget:g} does not pay for a document of each topic: the first {number} in the order of the "
            f"draw cost {spent[number - 1]:.6g}; raise it, or plan for fewer topics"
        )

    @cached_property
    def _sequence(self) -> Whole:
        """The cell of every judgment, in an order in which all groups cost about the same at any time.

        Groups without a judgment come first. Then the next judgment goes to the group that has cost least after it.
        """
        begun = [bool(self.cells.sampled[np.unique(order)].any()) for order in self._orders]
        sums = [np.cumsum(self.costs[order]) for order in self._orders]
        waiting = [(begun[group], float(costs[0]), group) for group, costs in enumerate(sums) if len(costs)]
        heapify(waiting)
        taken = [0] * len(self._orders)
        sequence: list[int] = []
        while waiting:
            _, _, group = heappop(waiting)
            sequence.append(int(self._orders[group][taken[group]]))
            taken[group] += 1
            if taken[group] < len(self._orders[group]):
                heappush(waiting, (True, float(sums[group][taken[group]]), group))
        return np.array(sequence, dtype=np.int64)

    @property
    def capacity(self) -> int:
        """The budget that draws all units."""
        return int(np.ceil(self.cells.unsampled @ self.costs))

    def added(self, budget: int) -> Whole:
        """How many units to draw from each cell."""
        # Equal costs have a closed form, which forecasts call for many budgets.
        if (self.costs == 1).all():
            shares = evenly(budget, [len(order) for order in self._orders])
            taken = [order[:share] for order, share in zip(self._orders, shares.tolist(), strict=True)]
            return np.bincount(np.concatenate(taken), minlength=len(self.cells.size)).astype(np.int64)
        return self._filled(budget)

    def _filled(self, budget: float) -> Whole:
        """Judgments of each group within the budget, in order. A group ends when its next judgment is too expensive."""
        groups = np.empty(len(self.cells.size), dtype=np.int64)
        for number, order in enumerate(self._orders):
            groups[order] = number
        added, left, closed = np.zeros(len(groups), dtype=np.int64), float(budget), [False] * len(self._orders)
        for cell in self._sequence.tolist():
            group, cost = int(groups[cell]), float(self.costs[cell])
            closed[group] = closed[group] or cost > left * ROUNDING
            if not closed[group]:
                added[cell] += 1
                left -= cost
        return added


def cell_costs(cells: Cells, costs: Floats) -> Floats:
    """The mean cost of a unit, by cell."""
    return np.asarray(np.bincount(cells.of, costs, minlength=len(cells.size)) / np.maximum(cells.size, 1))
