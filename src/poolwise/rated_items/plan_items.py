"""`plan_items`: which items to label next, drawn at random within strata of predictions."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import near_one
from poolwise.basics.results import Result, warn_of
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.rated_items.estimate_items import labels_of, wanted_pairs
from poolwise.rated_items.item_means import ItemEstimator, too_few_shared
from poolwise.rated_items.item_table import item_table
from poolwise.rated_items.sampled_mean import SampledItems, least_number, sampled_mean
from poolwise.sampling.allocate import optimal
from poolwise.sampling.hashed_random import HashedRandom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.rated_items.item_table import ItemTable

MOST_STRATA, LABELS_PER_STRATUM = 5, 10  # so many labels show a spread, and Satterthwaite's rule is not too wide
LEAST = 2  # labels of a stratum: one says nothing of spread
WORTH = 5  # labels that the spread over all strata is worth in each; a choice
SURE = 0.5  # least spread of a stratum as a share of the largest, where predictions are near 0 or 1; a choice


class LabelUnits:
    """Items with their rows, which are drawn together. A row is done if it has a score or was drawn before.

    All that is random follows from the seed and the items' names, so that plans do not depend on the order of rows.
    """

    def __init__(self, table: ItemTable, seed: int) -> None:
        self.table, self.random = table, HashedRandom(str(seed))
        self.names = list(dict.fromkeys(table.item))
        number = {name: index for index, name in enumerate(self.names)}
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

    def keys(self, purpose: str) -> NDArray[np.uint64]:
        """A random number for every item."""
        return np.array([self.random.number(purpose, name) for name in self.names], dtype=np.uint64)

    @property
    def open(self) -> int:
        """Number of items without a label."""
        return int((~self.complete).sum())

    def labels_of(self, system: str) -> int:
        """Number of scores of a system."""
        return int((~np.isnan(self.table.score[self.system == system])).sum())

    def shared(self, a: str, b: str) -> int:
        """Number of items with scores of both systems."""
        there = ~np.isnan(self.table.score)
        first, second = (np.bincount(self.of_row, there & (self.system == name)) > 0 for name in (a, b))
        return int((first & second).sum())

    def _mean(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.of_row, values) / np.bincount(self.of_row))

    def strata(self, wanted: int) -> NDArray[np.str_]:
        """Strata of the table, or equal parts by the first prediction, their number by the budget."""
        if self.own_strata:
            return self.stratum
        parts = min(MOST_STRATA, max(1, (wanted + int(self.complete.sum())) // LABELS_PER_STRATUM))
        if not self.known.shape[1]:
            return np.full(len(self.names), "1")
        rank = np.argsort(np.lexsort((self.keys("stratum"), self.known[:, 0])))
        return (rank * parts // len(rank) + 1).astype(str)

    def spreads(self, cell: NDArray[np.intp]) -> Floats:
        """Standard deviation of residuals in each stratum, over all systems."""
        squares, labels, wholes = np.zeros(cell.max() + 1), np.zeros(cell.max() + 1), []
        known_of_all = near_one(self.table.predictions)
        for system in self.table.systems:
            rows = np.flatnonzero(self.system == system)
            score = self.table.score[rows]
            known = ~np.isnan(score)
            if known.sum() <= LEAST:
                continue
            none = np.full(len(rows), np.nan)
            mean = sampled_mean(SampledItems(score, np.zeros(len(rows), dtype=np.int64), none, known_of_all[rows]))
            at, number = cell[self.of_row[rows[known]]], int(known.sum())
            squares += np.bincount(at, (mean.shares * number) ** 2, minlength=len(squares))
            labels += np.bincount(at, minlength=len(squares))
            wholes.append(mean.variance * number)
        # Few labels of a stratum tell its spread badly, so that of all strata counts as some labels more.
        if not any(wholes):  # nothing is labelled, or nothing varies
            return self._expected(cell)
        return np.asarray(np.sqrt((squares + WORTH * np.mean(wholes)) / (labels + WORTH)))

    def _expected(self, cell: NDArray[np.intp]) -> Floats:
        """Standard deviations before any label: from predicted probabilities for shares, else equal."""
        chance = self.known[:, 0] if self.known.shape[1] else np.full(len(cell), 0.5)
        if chance.min() < 0 or chance.max() > 1:
            return np.ones(int(cell.max()) + 1)
        spread = np.sqrt(np.bincount(cell, chance * (1 - chance)) / np.bincount(cell))
        return np.asarray(np.maximum(spread, SURE * spread.max())) if spread.max() > 0 else np.ones(len(spread))


class ItemSampler:
    """Sampler of items: a seed decides the draw for any number of items."""

    def __init__(self, units: LabelUnits, seed: int) -> None:
        self.units, self.seed = units, seed
        # Items that have some of their labels come first: any of a stratum are as good as others, and these lack less.
        self._order = np.lexsort((units.keys("draw"), -units.done_rows))
        self._made: dict[int, Any] = {}

    def drawn(self, wanted: int) -> tuple[list[int], NDArray[np.int64], list[str], NDArray[np.int64]]:
        """Drawn items, their number by stratum, names of strata, and the stratum of every item."""
        if wanted not in self._made:
            self._made[wanted] = self._draw(wanted)
        found: tuple[list[int], NDArray[np.int64], list[str], NDArray[np.int64]] = self._made[wanted]
        return found

    def _draw(self, wanted: int) -> tuple[list[int], NDArray[np.int64], list[str], NDArray[np.int64]]:
        units = self.units
        strata = units.strata(wanted)
        names = sorted(set(strata.tolist()), key=lambda name: (len(name), name))
        number_of = {name: number for number, name in enumerate(names)}
        cell = np.array([number_of[name] for name in strata.tolist()])
        sizes, complete = np.bincount(cell), np.bincount(cell, units.complete).astype(np.int64)
        # A stratum's labels lessen the variance by N_h S_h, all systems' spreads taken together.
        added = optimal(wanted, sizes * units.spreads(cell), sizes, complete, LEAST)
        chosen: list[int] = []
        left = self._order[~units.complete[self._order]]
        of_left = cell[left]
        for number, count in enumerate(added.tolist()):
            chosen += left[of_left == number][:count].tolist()
        return chosen, added, names, cell

    def mixed(self, chosen: list[int]) -> list[int]:
        """Items in the random order in which to label them."""
        keys = self.units.keys("label")
        return sorted(chosen, key=keys.__getitem__)

    def rows(self, wanted: int) -> NDArray[np.int64]:
        """The rows to label: those of the items drawn that are not done."""
        chosen = self.drawn(wanted)[0] if wanted else []
        return np.flatnonzero(np.isin(self.units.of_row, chosen) & ~self.units.done)

    def counts(self, wanted: int, a: str, b: str) -> tuple[int, tuple[int, int]]:
        """Numbers of items with labels of both systems, of the first only, and of the second only, after the plan."""
        there = ~np.isnan(self.units.table.score)
        there[self.rows(wanted)] = True
        first, second = (np.bincount(self.units.of_row, there & (self.units.system == name)) > 0 for name in (a, b))
        return int((first & second).sum()), (int((first & ~second).sum()), int((second & ~first).sum()))


@dataclass(frozen=True, eq=False, repr=False)
class ItemPlan(Result):
    """The table with the columns `stratum` and `round` (0: not drawn), the items to label first, in random order.

    `strata` says for each stratum how many items it has, how many are labelled for all systems, how many for some of
    them (`partly`, if there are such), and how many were drawn now. `to_label` counts labels, one per row, `items` the
    items that they are on.
    """

    table: Mapping[str, list[Any]]
    strata: tuple[dict[str, Any], ...]
    number: int
    to_label: int
    seed: int
    warnings: tuple[str, ...] = ()
    items: int = 0

    def columns(self) -> dict[str, list[Any]]:
        """The table that is to be filled in."""
        return dict(self.table)

    def overview(self) -> dict[str, Any]:
        """One row per stratum."""
        return {name: [row[name] for row in self.strata] for name in self.strata[0]}

    def headline(self) -> str:
        """The round and its size."""
        rows = len(next(iter(self.table.values())))
        on = f" on {counted(self.items, 'item')}" if self.items and self.items != self.to_label else ""
        return f"round {self.number}: {counted(self.to_label, 'label')} to give{on}, of {counted(rows, 'row')}"

    def plot(self) -> Any:
        """Draw how many items of each stratum are labelled, drawn now, and left.

        Returns
        -------
        plotly.graph_objects.Figure
            A figure that a notebook shows; `write_html` and `write_image` make files of it.
        """
        from poolwise.rated_items.items_shown import plan_figure
        from poolwise.show.figures import plotly_figure

        return plotly_figure(plan_figure(self))


def plan_items(
    items: Any,
    *,
    budget: int | None = None,
    width: float | None = None,
    difference: Literal["all"] | tuple[str, str] | Sequence[tuple[str, str]] | None = None,
    predictions: str | Sequence[str] | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    columns: Mapping[str, str] | None = None,
) -> ItemPlan:
    """Draw the items to label next: more where predictions are unsure, or where labels so far spread more.

    Items are drawn at random within strata of items that are predicted alike; the table keeps its strata from round to
    round. With several systems an item is drawn for all of them, so that they can be compared; items that have labels
    of some systems are drawn before others of their stratum, since they lack less.

    Parameters
    ----------
    items : path or table
        As `estimate_items` takes it; scores of earlier rounds say where labels are worth most.
    budget : int, optional
        How many labels to give now, one per row drawn.
    width : float, optional
        In place of a budget: as many labels as give the mean of every system an interval of this width. Every system
        gets the `labels_needed` of `estimate_items`, or more, as items are drawn for all systems.
    difference : {"all"}, pair of str, or sequence of pairs, optional
        The width is that of these differences, not of means.
    predictions : str or sequence of str, optional
        Columns of predictions; by default the first that is called `prediction` or the like.
    level : float
        Level of the intervals that `width` speaks of.
    seed : int or Generator
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
    if difference is not None and width is None:
        raise ArgumentError("difference goes with a width: that of the difference; with a budget, leave it out")
    seed = checks.seed_number(seed)
    units = LabelUnits(table, seed)
    draw = ItemSampler(units, seed)
    if width is not None:
        checks.above_zero("width", width)
        pairs = wanted_pairs(table, difference)
        wanted = _for_width(draw, pairs, float(width), checks.level(level))
        notes = [too_few_shared(f"{a} - {b}", units.shared(a, b)) for a, b in pairs]
    else:
        wanted, notes = _for_budget(draw, checks.whole("budget", budget, 1)), []
    return _filled(table, draw, wanted, [note for note in notes if note])


def _for_budget(draw: ItemSampler, budget: int) -> int:
    """The number of items for a budget of labels."""
    systems = len(draw.units.table.systems)
    if budget < systems:
        raise ArgumentError(f"budget={budget} is less than a label for each of {systems} systems")
    beyond = least_number(lambda wanted: len(draw.rows(wanted)) > budget, 1, len(draw.units.names))
    # Where even all items are fewer labels than the budget, so many are wanted, and a note says what is left.
    return max(beyond - 1, 1) if beyond is not None else max(budget // systems, draw.units.open)


def _for_width(draw: ItemSampler, pairs: list[tuple[str, str]], width: float, level: float) -> int:
    """The least number of items for the width of `estimate_items`, for all systems or these differences."""
    table = draw.units.table
    counts = {system: draw.units.labels_of(system) for system in table.systems}
    if min(counts.values()) <= LEAST:
        raise ArgumentError("a width needs labels to tell what it takes; plan a first round with a budget, such as 50")
    asked = ItemEstimator(table, level, width=width)
    rows = [mean for a, b in pairs for _, _, mean in asked.differences(a, b)] if pairs else list(asked.rows())
    for row in rows:
        if math.isnan(row.low):
            name = row.system or "the table"
            raise ArgumentError(
                f"{name}: labels do not vary, or are too few, so nothing tells what a width takes; plan another round "
                "with a budget, such as 50"
            )
    if pairs:
        enough = [_enough_for_difference(draw, asked, pair, width, level) for pair in pairs]
    else:
        needed = {row.system: row.needed or counts[row.system] for row in rows}
        enough = [_enough_for_means(draw, counts, needed)]
    if all(reached(0) for reached in enough):
        raise ArgumentError(f"width={width:g} is reached by the labels there are; choose a narrower one")
    most = draw.units.open
    return least_number(lambda wanted: all(reached(wanted) for reached in enough), 1, most) or most


def _enough_for_means(draw: ItemSampler, counts: dict[str, int], needed: dict[str, int]) -> Callable[[int], bool]:
    def reached(wanted: int) -> bool:
        added = Counter(draw.units.table.system[row] for row in draw.rows(wanted).tolist())
        return all(counts[system] + added[system] >= needed[system] for system in counts)

    return reached


def _enough_for_difference(
    draw: ItemSampler, asked: ItemEstimator, pair: tuple[str, str], width: float, level: float
) -> Callable[[int], bool]:
    found = asked.sampled_difference(*pair)

    def reached(wanted: int) -> bool:
        mean = found.with_labels(*draw.counts(wanted, *pair))
        low, high = asked.interval_of_difference(mean, level, paired=found.all_paired)
        return high - low <= width

    return reached


def _filled(table: ItemTable, draw: ItemSampler, wanted: int, notes: list[str]) -> ItemPlan:
    """The table with drawn rows, those without a score first."""
    units, (chosen, added, names, cell) = draw.units, draw.drawn(wanted)
    are = "is" if len(chosen) == 1 else "are"
    notes += [f"the budget has room for {wanted} items, {len(chosen)} {are} left"] if len(chosen) < wanted else []
    before = (~np.isnan(table.score)).astype(np.int64) if table.round is None else table.round
    number = int(before.max()) + 1
    now = np.zeros(len(table), dtype=bool)
    now[draw.rows(wanted)] = True
    rounds = np.where(now, number, before)
    first = {unit: index for index, unit in enumerate(draw.mixed(chosen))}
    order = [first[unit] if now[row] else len(table) for row, unit in enumerate(units.of_row.tolist())]
    rows = sorted(range(len(table)), key=order.__getitem__)
    filled = {
        **table.source.columns,
        "stratum": np.asarray(names)[cell][units.of_row].tolist(),
        "round": rounds.tolist(),
    }
    filled |= {} if table.has_scores else {"score": [None] * len(table)}
    sizes, labelled = np.bincount(cell), np.bincount(cell, units.complete).astype(np.int64)
    partly = np.bincount(cell, (units.done_rows > 0) & ~units.complete).astype(np.int64)
    return ItemPlan(
        {name: [column[row] for row in rows] for name, column in filled.items()},
        tuple(
            {"stratum": name, "items": int(sizes[at]), "labelled": int(labelled[at])}
            | ({"partly": int(partly[at])} if partly.any() else {})
            | {"now": int(added[at])}
            for at, name in enumerate(names)
        ),
        number, int(now.sum()), draw.seed, warn_of(notes), len(chosen),
    )  # fmt: skip
