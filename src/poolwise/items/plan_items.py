"""`plan_items`: which items to label next, drawn at random within strata of predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise import checks
from poolwise.errors import ArgumentError
from poolwise.items.estimate_items import labels_of
from poolwise.items.item_table import item_table
from poolwise.items.mean_interval import labels_for
from poolwise.items.sampled_mean import Drawn, sampled_mean
from poolwise.judge.apportion import optimal
from poolwise.results import Result, warn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.arrays import Floats
    from poolwise.items.item_table import ItemTable

__all__ = ["ItemPlan", "plan_items"]

MOST_STRATA, LABELS_PER_STRATUM = 5, 10
LEAST = 2  # labels of a stratum: one says nothing of spread
WORTH = 5  # labels that the spread of all strata together counts for in each
SURE = 0.5  # predictions near 0 or 1 are trusted to mean a spread at least so large, as a share of the largest


@dataclass(frozen=True, eq=False, repr=False)
class ItemPlan(Result):
    """The table with the columns `stratum` and `round` (0: not drawn), the items to label first, in random order.

    `strata` says for each stratum how many items it has, how many are labelled and how many were drawn now.
    """

    table: Mapping[str, list[Any]]
    strata: tuple[dict[str, Any], ...]
    number: int
    to_label: int
    seed: int
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """The table that is to be filled in."""
        return dict(self.table)

    def overview(self) -> dict[str, Any]:
        """One row per stratum."""
        return {name: [row[name] for row in self.strata] for name in self.strata[0]}

    def headline(self) -> str:
        """The round and its size."""
        return f"round {self.number}: {self.to_label} labels to give, of {len(next(iter(self.table.values())))} rows"


def plan_items(
    items: Any,
    *,
    budget: int | None = None,
    width: float | None = None,
    predictions: str | Sequence[str] | None = None,
    level: float = 0.95,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
) -> ItemPlan:
    """Draw the items to label next: more where predictions are unsure, or where labels so far spread more.

    Items are drawn at random within strata of items that are predicted alike; the table keeps its strata from round to
    round. With several systems an item is drawn for all of them, so that they can be compared.

    Parameters
    ----------
    items : path or table
        As `estimate_items` takes it; scores of earlier rounds say where labels are worth most.
    budget : int, optional
        How many labels to give now, one per row drawn.
    width : float, optional
        In place of a budget: as many labels as give intervals of this width, by the labels there are.
    predictions : str or sequence of str, optional
        Columns of predictions; by default the first that is called `prediction` or the like.
    level : float
        Level of the intervals that `width` speaks of.
    seed : int
        Seed of the draw.
    columns : mapping, optional
        What columns are called.

    Returns
    -------
    ItemPlan
        The table to fill in, and how many items of each stratum are drawn.

    Examples
    --------
    >>> rows = [{"item": n, "score": None, "prediction": n / 100} for n in range(100)]
    >>> plan = plan_items(rows, budget=20)
    >>> plan.to_label, [row["now"] for row in plan.strata]
    (20, [10, 10])
    """
    table = labels_of(item_table(items, predictions=predictions, columns=columns))
    if (budget is None) == (width is None):
        raise ArgumentError("a plan needs a budget or a width, one of the two")
    units = _Units(table)
    if budget is None:
        checks.above_zero("width", width)
        budget = _budget(units, float(width or 0), checks.level(level))
    wanted = checks.whole("budget", budget, 1) // len(table.systems)
    if wanted < 1:
        raise ArgumentError(f"budget={budget} is less than a label for each of {len(table.systems)} systems")
    return _drawn(table, units, wanted, checks.seed_number(seed))


class _Units:
    """What is drawn: items, each with all its rows."""

    def __init__(self, table: ItemTable) -> None:
        self.names = list(dict.fromkeys(table.item))
        number = {name: place for place, name in enumerate(self.names)}
        self.of_row = np.array([number[name] for name in table.item])
        rows = np.bincount(self.of_row)
        labelled = np.bincount(self.of_row, ~np.isnan(table.score)) / rows
        self.labelled = labelled == 1 if table.round is None else np.bincount(self.of_row, table.round) > 0
        self.score = np.where(labelled == 1, self._mean(np.nan_to_num(table.score)), np.nan)
        self.known = np.stack([self._mean(column) for column in table.predictions.T], axis=1) if table.predictors else (
            np.zeros((len(self.names), 0))
        )  # fmt: skip
        self.own_strata = any(table.stratum)
        first = np.unique(self.of_row, return_index=True)[1]
        self.stratum = np.asarray(table.stratum)[first]

    def _mean(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.of_row, values) / np.bincount(self.of_row))

    def strata(self, wanted: int) -> NDArray[np.str_]:
        """Those of the table, or as many of equal size, by the first prediction, as the budget has labels for."""
        if self.own_strata:
            return self.stratum
        parts = min(MOST_STRATA, max(1, (wanted + int(self.labelled.sum())) // LABELS_PER_STRATUM))
        if not self.known.shape[1]:
            return np.full(len(self.names), "1")
        order = np.argsort(np.argsort(self.known[:, 0], kind="stable"), kind="stable")
        return (order * parts // len(order) + 1).astype(str)

    def spreads(self, cell: NDArray[np.intp]) -> Floats:
        """The standard deviation of what predictions leave open, in each stratum."""
        known = ~np.isnan(self.score)
        counts = np.bincount(cell)
        if known.sum() <= LEAST:
            return self._expected(cell)
        errors = np.zeros(len(cell))
        none = np.full(len(cell), np.nan)
        mean = sampled_mean(Drawn(self.score, np.zeros(len(cell), dtype=np.int64), none, self.known))
        errors[known] = mean.shares
        whole = mean.variance / known.sum()
        labels = np.bincount(cell[known], minlength=len(counts))
        own = np.bincount(cell, errors**2)
        return np.sqrt((own + WORTH * whole) / (labels + WORTH)) * known.sum()

    def _expected(self, cell: NDArray[np.intp]) -> Floats:
        """Before there are labels: of shares by what predictions between 0 and 1 say, else all alike."""
        chance = self.known[:, 0] if self.known.shape[1] else np.full(len(cell), 0.5)
        if chance.min() < 0 or chance.max() > 1:
            return np.ones(int(cell.max()) + 1)
        spread = np.sqrt(np.bincount(cell, chance * (1 - chance)) / np.bincount(cell))
        return np.asarray(np.maximum(spread, SURE * spread.max())) if spread.max() > 0 else np.ones(len(spread))


def _budget(units: _Units, width: float, level: float) -> int:
    """Labels that a width takes beyond those there are."""
    if (~np.isnan(units.score)).sum() <= LEAST:
        raise ArgumentError("a width needs labels to tell what it takes; plan a first round with a budget, such as 50")
    none = np.full(len(units.names), np.nan)
    mean = sampled_mean(Drawn(units.score, np.zeros(len(none), dtype=np.int64), none, units.known))
    needed = labels_for(mean, width, level) or 0
    systems = len(units.of_row) // len(units.names)
    more = (needed - int(units.labelled.sum())) * systems
    if more < 1:
        raise ArgumentError(f"width={width:g} is reached by the labels there are; choose a narrower one")
    return more


def _drawn(table: ItemTable, units: _Units, wanted: int, seed: int) -> ItemPlan:
    strata = units.strata(wanted)
    names = sorted(set(strata.tolist()), key=lambda name: (len(name), name))
    cell = np.array([names.index(name) for name in strata.tolist()])
    sizes, labelled = np.bincount(cell), np.bincount(cell, units.labelled).astype(np.int64)
    added = optimal(wanted, sizes * units.spreads(cell), sizes, labelled, LEAST)
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(cell))
    chosen: list[int] = []
    for number, count in enumerate(added.tolist()):
        chosen += [unit for unit in order.tolist() if cell[unit] == number and not units.labelled[unit]][:count]
    before = np.zeros(len(table), dtype=np.int64) if table.round is None else table.round
    if table.round is None:
        before = units.labelled[units.of_row].astype(np.int64)
    number = int(before.max()) + 1
    now = np.isin(units.of_row, chosen)
    rounds = np.where(now, number, before)
    first = {unit: place for place, unit in enumerate(generator.permutation(chosen).tolist())}
    rows = sorted(range(len(table)), key=lambda row: first.get(int(units.of_row[row]), len(table)))
    filled = {**table.given.columns, "stratum": strata[units.of_row].tolist(), "round": rounds.tolist()}
    filled |= {} if table.has_scores else {"score": [None] * len(table)}
    return ItemPlan(
        {name: [column[row] for row in rows] for name, column in filled.items()},
        tuple(
            {"stratum": name, "items": int(sizes[at]), "labelled": int(labelled[at]), "now": int(added[at])}
            for at, name in enumerate(names)
        ),
        number, int(now.sum()), seed,
        warn_of([f"the budget has room for {wanted} items, {len(chosen)} are left"] if len(chosen) < wanted else []),
    )  # fmt: skip
