"""`Units` and `Draw`: items with all their rows, their strata, and which of them a plan of any size draws."""

from __future__ import annotations

import numpy as np

from poolwise.basics.magnitude import near_one
from poolwise.rated_items.sampled_mean import Drawn, sampled_mean
from poolwise.sampling.apportion import optimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.rated_items.item_table import ItemTable

__all__ = ["LEAST", "Draw", "Units"]

MOST_STRATA, LABELS_PER_STRATUM = 5, 10
LEAST = 2  # labels of a stratum: one says nothing of spread
WORTH = 5  # labels that the spread of all strata together counts for in each
SURE = 0.5  # predictions near 0 or 1 are trusted to mean a spread at least so large, as a share of the largest


class Units:
    """What is drawn: items, each with all its rows. A row is done when it has a score, or was drawn before."""

    def __init__(self, table: ItemTable) -> None:
        self.table = table
        self.names = list(dict.fromkeys(table.item))
        number = {name: place for place, name in enumerate(self.names)}
        self.of_row = np.array([number[name] for name in table.item])
        self.system = np.asarray(table.system)
        self.done = ~np.isnan(table.score) if table.round is None else table.round > 0
        self.done_rows = np.bincount(self.of_row, self.done).astype(np.int64)
        self.complete = self.done_rows == np.bincount(self.of_row)
        self.known = np.stack([self._mean(column) for column in table.predictions.T], axis=1) if table.predictors else (
            np.zeros((len(self.names), 0))
        )  # fmt: skip
        self.own_strata = any(table.stratum)
        first = np.unique(self.of_row, return_index=True)[1]
        self.stratum = np.asarray(table.stratum)[first]

    @property
    def open(self) -> int:
        """How many items lack a label."""
        return int((~self.complete).sum())

    def labels_of(self, system: str) -> int:
        """How many scores a system has."""
        return int((~np.isnan(self.table.score[self.system == system])).sum())

    def shared(self, a: str, b: str) -> int:
        """How many items have scores of both systems."""
        there = ~np.isnan(self.table.score)
        one, other = (np.bincount(self.of_row, there & (self.system == name)) > 0 for name in (a, b))
        return int((one & other).sum())

    def _mean(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.of_row, values) / np.bincount(self.of_row))

    def strata(self, wanted: int) -> NDArray[np.str_]:
        """Those of the table, or as many of equal size, by the first prediction, as the budget has labels for."""
        if self.own_strata:
            return self.stratum
        parts = min(MOST_STRATA, max(1, (wanted + int(self.complete.sum())) // LABELS_PER_STRATUM))
        if not self.known.shape[1]:
            return np.full(len(self.names), "1")
        order = np.argsort(np.argsort(self.known[:, 0], kind="stable"), kind="stable")
        return (order * parts // len(order) + 1).astype(str)

    def spreads(self, cell: NDArray[np.intp]) -> Floats:
        """The standard deviation of what predictions leave open, in each stratum, over all systems."""
        squares, labels, wholes = np.zeros(cell.max() + 1), np.zeros(cell.max() + 1), []
        known_of_all = near_one(self.table.predictions)
        for system in self.table.systems:
            rows = np.flatnonzero(self.system == system)
            score = self.table.score[rows]
            known = ~np.isnan(score)
            if known.sum() <= LEAST:
                continue
            none = np.full(len(rows), np.nan)
            mean = sampled_mean(Drawn(score, np.zeros(len(rows), dtype=np.int64), none, known_of_all[rows]))
            at, number = cell[self.of_row[rows[known]]], int(known.sum())
            squares += np.bincount(at, (mean.shares * number) ** 2, minlength=len(squares))
            labels += np.bincount(at, minlength=len(squares))
            wholes.append(mean.variance * number)
        if not any(wholes):  # nothing is labelled, or nothing varies
            return self._expected(cell)
        return np.asarray(np.sqrt((squares + WORTH * np.mean(wholes)) / (labels + WORTH)))

    def _expected(self, cell: NDArray[np.intp]) -> Floats:
        """Before there are labels: of shares by what predictions between 0 and 1 say, else all alike."""
        chance = self.known[:, 0] if self.known.shape[1] else np.full(len(cell), 0.5)
        if chance.min() < 0 or chance.max() > 1:
            return np.ones(int(cell.max()) + 1)
        spread = np.sqrt(np.bincount(cell, chance * (1 - chance)) / np.bincount(cell))
        return np.asarray(np.maximum(spread, SURE * spread.max())) if spread.max() > 0 else np.ones(len(spread))


class Draw:
    """Which items a plan draws, for any number of them, by one seed."""

    def __init__(self, units: Units, seed: int) -> None:
        self.units, self.seed = units, seed
        self._generator = np.random.default_rng(seed)
        self._order = self._generator.permutation(len(units.names))
        self._made: dict[int, Any] = {}

    def drawn(self, wanted: int) -> tuple[list[int], NDArray[np.int64], list[str], NDArray[np.int64]]:
        """The items, how many of each stratum, names of strata, and the stratum of every item."""
        if wanted not in self._made:
            self._made[wanted] = self._draw(wanted)
        found: tuple[list[int], NDArray[np.int64], list[str], NDArray[np.int64]] = self._made[wanted]
        return found

    def _draw(self, wanted: int) -> tuple[list[int], NDArray[np.int64], list[str], NDArray[np.int64]]:
        units = self.units
        strata = units.strata(wanted)
        names = sorted(set(strata.tolist()), key=lambda name: (len(name), name))
        place = {name: number for number, name in enumerate(names)}
        cell = np.array([place[name] for name in strata.tolist()])
        sizes, complete = np.bincount(cell), np.bincount(cell, units.complete).astype(np.int64)
        added = optimal(wanted, sizes * units.spreads(cell), sizes, complete, LEAST)
        # Items that have some of their labels come first: any of a stratum are as good as others, and these lack less.
        order = self._order[np.argsort(-units.done_rows[self._order], kind="stable")]
        chosen: list[int] = []
        left = order[~units.complete[order]]
        of_left = cell[left]
        for number, count in enumerate(added.tolist()):
            chosen += left[of_left == number][:count].tolist()
        return chosen, added, names, cell

    def mixed(self, chosen: list[int]) -> list[int]:
        """Items in the random order in which to label them."""
        mixed: list[int] = self._generator.permutation(chosen).tolist()
        return mixed

    def rows(self, wanted: int) -> NDArray[np.int64]:
        """The rows to label: those of the items drawn that are not done."""
        chosen = self.drawn(wanted)[0] if wanted else []
        return np.flatnonzero(np.isin(self.units.of_row, chosen) & ~self.units.done)

    def counts(self, wanted: int, a: str, b: str) -> tuple[int, tuple[int, int]]:
        """How many items would be labelled for both systems; for the first only, for the second only."""
        there = ~np.isnan(self.units.table.score)
        there[self.rows(wanted)] = True
        one, other = (np.bincount(self.units.of_row, there & (self.units.system == name)) > 0 for name in (a, b))
        return int((one & other).sum()), (int((one & ~other).sum()), int((other & ~one).sum()))
