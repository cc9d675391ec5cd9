"""`estimate_items`: means, shares and differences of systems from a table of items of which few are labelled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from poolwise import checks
from poolwise.errors import ArgumentError, InputError
from poolwise.items.item_table import item_table
from poolwise.items.mean_interval import interval_of_difference, interval_of_mean, interval_of_share, labels_for
from poolwise.items.sampled_mean import Drawn, sampled_mean
from poolwise.read.problems import counted
from poolwise.results import Result, warn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    from poolwise.items.item_table import ItemTable

    Interval = Callable[..., tuple[float, float]]

__all__ = ["ItemDifferences", "ItemEstimate", "estimate_items", "labels_of"]

FEW_LABELS = 10
EVERYTHING = "all"
KINDS = ("labels", "both")


@dataclass(frozen=True)
class ItemMean:
    """One mean: what it is of, and how sure it is; `plain` is that of the labelled items, without predictions."""

    system: str
    group: str
    items: int
    labelled: int
    value: float
    low: float
    high: float
    plain: float
    plain_low: float
    plain_high: float
    weight: float
    needed: int | None


@dataclass(frozen=True, eq=False, repr=False)
class ItemDifferences(Result):
    """Differences of systems on the same items, the first less the second."""

    rows: tuple[tuple[str, str, ItemMean], ...]
    level: float
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair of systems, and group if there are such."""
        means = [mean for _, _, mean in self.rows]
        return {
            "system_a": [a for a, _, _ in self.rows],
            "system_b": [b for _, b, _ in self.rows],
            **_grouped(means),
            "items": [mean.items for mean in means],
            "labelled": [mean.labelled for mean in means],
            "difference": [mean.value for mean in means],
            **_ends(means),
        }


@dataclass(frozen=True, eq=False, repr=False)
class ItemEstimate(Result):
    """Means, or shares, of every system and group with intervals, and differences if they were asked for.

    `plain` in the table is the mean of the labelled items without predictions. `labels_needed` is there if a width was
    wanted. `differences` is None unless some were asked for.
    """

    rows: tuple[ItemMean, ...]
    differences: ItemDifferences | None
    share_from: float | None
    predictors: tuple[str, ...]
    interval: str
    level: float
    width: float | None
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """One row per system and group."""
        named = {"system": [row.system for row in self.rows]} if any(row.system for row in self.rows) else {}
        needed = {} if self.width is None else {"labels_needed": [row.needed for row in self.rows]}
        return {
            **named,
            **_grouped(self.rows),
            "items": [row.items for row in self.rows],
            "labelled": [row.labelled for row in self.rows],
            "value": [row.value for row in self.rows],
            **_ends(self.rows),
            **needed,
        }

    def headline(self) -> str:
        """What was estimated, in one sentence."""
        what = "mean" if self.share_from is None else f"share from {self.share_from:g} on"
        told = f", told by {', '.join(self.predictors)}" if self.predictors else ", without predictions"
        widths = [(row.high - row.low, row.plain_high - row.plain_low) for row in self.rows]
        both = [(own, plain) for own, plain in widths if own == own and plain > 0]
        ratio = sum(own for own, _ in both) / sum(plain for _, plain in both) if both and self.predictors else None
        narrower = "" if ratio is None else f"; intervals are {ratio:.2f} as wide as without predictions"
        return f"{what} of all items from the labelled ones{told}, {100 * self.level:g} % intervals{narrower}"


def _grouped(rows: Sequence[ItemMean]) -> dict[str, list[str]]:
    return {"group": [row.group for row in rows]} if any(row.group for row in rows) else {}


def _ends(rows: Sequence[ItemMean]) -> dict[str, list[float]]:
    return {name: [getattr(row, name) for row in rows] for name in ("low", "high", "plain", "plain_low", "plain_high")}


def estimate_items(
    items: Any,
    *,
    predictions: str | Sequence[str] | None = None,
    share_from: float | None = None,
    by: str | None = None,
    difference: Literal["all"] | Sequence[tuple[str, str]] | None = None,
    interval: Literal["labels", "both"] = "labels",
    width: float | None = None,
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
) -> ItemEstimate:
    """Estimate the mean score of all items from the scores of those that were labelled, and from predictions for all.

    Labelled items must be a random draw: of all items, of each stratum where the table has a column `stratum`, or with
    the probabilities of a column `rate`. Predictions may be as wrong as they like: they make the interval narrower or
    do nothing.

    Parameters
    ----------
    items : path or table
        One row per item, or per system and item: CSV, TSV, JSON, JSON lines, Parquet, a data frame, a list of dicts.
        Columns are `item`, `system`, `score` (empty where there is none), `prediction`, and what `plan_items` adds.
    predictions : str or sequence of str, optional
        Columns of predictions; by default the first that is called `prediction` or the like.
    share_from : float, optional
        Estimate the share of items whose score is at least this, in place of the mean.
    by : str, optional
        A column of groups: each has a row, after the row of all.
    difference : {"all"} or sequence of pairs of str, optional
        Pairs of systems to subtract, item by item; "all" for every pair.
    interval : {"labels", "both"}
        About these items, whose labels are missing; or also about items like these, of which these are a sample.
    width : float, optional
        Say how many labels give intervals of this width.
    level : float
        Level of the intervals.
    columns : mapping, optional
        What columns are called, as in `{"item": "question", "score": "human"}`.

    Returns
    -------
    ItemEstimate
        Values with intervals, beside those of the plain mean.

    Examples
    --------
    >>> rows = [{"score": float(n % 3 > 0) if n < 30 else None, "prediction": n % 3 > 0} for n in range(300)]
    >>> estimate_items(rows).columns()["value"]
    [0.6666666666666666]
    """
    checks.level(level)
    checks.choice("interval", interval, KINDS)
    if width is not None:
        checks.above_zero("width", width)
    table = item_table(items, predictions=predictions, by=by, columns=columns)
    notes = list(_usable_notes(table))
    table = labels_of(table)
    if np.isnan(table.score).all():
        raise InputError(f"{table.given.where}: no item has a score; label some, drawn at random")
    asked = _Asked(table, share_from, interval, level, width)
    rows = tuple(asked.rows())
    pairs = _pairs(table, difference)
    pair_means = tuple((a, b, mean) for a, b in pairs for mean in asked.differences(a, b))
    notes += asked.notes
    differences = ItemDifferences(pair_means, level) if pairs else None
    said = warn_of(dict.fromkeys(notes))
    return ItemEstimate(rows, differences, share_from, table.predictors, interval, level, width, said)


def labels_of(table: ItemTable) -> ItemTable:
    """The table without scores of items that a plan did not draw: these were picked, not drawn."""
    if table.round is None:
        return table
    return replace(table, score=np.where(table.round > 0, table.score, np.nan))


def _usable_notes(table: ItemTable) -> Iterator[str]:
    if table.round is None:
        return
    labelled = ~np.isnan(table.score)
    picked, missing = int((labelled & (table.round == 0)).sum()), int((~labelled & (table.round > 0)).sum())
    if picked:
        yield f"{counted(picked, 'score')} left out: their items were not drawn (round 0), so they speak for no others"
    if missing:
        yield f"{counted(missing, 'drawn item')} without a score: taken as missing at random"


def _pairs(table: ItemTable, difference: Any) -> list[tuple[str, str]]:
    if difference is None:
        return []
    if len(table.systems) < 2:
        raise ArgumentError(f"{table.given.where}: a difference needs two systems; a column system names them")
    if difference == EVERYTHING:
        return list(combinations(table.systems, 2))
    pairs = [(str(a), str(b)) for a, b in difference]
    for name in (name for pair in pairs for name in pair):
        checks.known_name("system", name, table.systems)
    return pairs


class _Asked:
    """What was asked of a table: each answer is one mean; what is doubtful is noted."""

    def __init__(
        self, table: ItemTable, share_from: float | None, interval: str, level: float, width: float | None
    ) -> None:
        self.table, self.both, self.level, self.width = table, interval == "both", level, width
        self.notes: list[str] = []
        self.groups = [""] if not any(table.group) else [EVERYTHING, *dict.fromkeys(table.group)]
        self.score, self.known = table.score, table.predictions
        if share_from is not None:
            self.score = np.where(np.isnan(table.score), np.nan, (table.score >= share_from).astype(float))
            self.known = _with_steps(table.predictions, share_from)
        labels = self.score[~np.isnan(self.score)]
        self.shares = bool(np.isin(labels, (0.0, 1.0)).all())
        self.strata = np.unique(table.stratum, return_inverse=True)[1]
        self.system, self.group = np.asarray(table.system), np.asarray(table.group)

    def rows(self) -> Iterator[ItemMean]:
        for system in self.table.systems:
            for group in self.groups:
                rows = np.flatnonzero((self.system == system) & self._of(group))
                drawn = Drawn(self.score[rows], self.strata[rows], self.table.rate[rows], self.known[rows])
                yield self._mean(drawn, system, group, interval_of_share if self.shares else interval_of_mean)

    def differences(self, a: str, b: str) -> Iterator[ItemMean]:
        place = {(s, i): row for row, (s, i) in enumerate(zip(self.table.system, self.table.item, strict=True))}
        of_a = [row for row in range(len(self.table)) if self.table.system[row] == a]
        paired = [(row, place[b, self.table.item[row]]) for row in of_a if (b, self.table.item[row]) in place]
        if not paired:
            raise InputError(f"{self.table.given.where}: {a!r} and {b!r} have no item in common; name items alike")
        first, second = np.array(paired).T
        labelled = ~np.isnan(self.score)
        lost = int((labelled[first] != labelled[second]).sum())
        if lost:
            self.notes.append(f"{a} - {b}: {counted(lost, 'item')} labelled for one of the two only, left out")
        rate = np.where(self.table.rate[first] == self.table.rate[second], self.table.rate[first], np.nan)
        for group in self.groups:
            chosen = np.flatnonzero(self._of(group)[first])
            one, other = first[chosen], second[chosen]
            drawn = Drawn(
                self.score[one] - self.score[other], self.strata[one], rate[chosen], self.known[one] - self.known[other]
            )
            kind = interval_of_difference if self.shares else interval_of_mean
            yield self._mean(drawn, f"{a} - {b}", group, kind)

    def _of(self, group: str) -> Any:
        return np.ones(len(self.table), dtype=bool) if group in ("", EVERYTHING) else self.group == group

    def _mean(self, drawn: Drawn, system: str, group: str, kind: Interval) -> ItemMean:
        name = " ".join(part for part in (system, group) if part) or "the table"
        labelled = int(drawn.labelled.sum())
        if labelled < 2 and labelled < len(drawn.value):
            self.notes.append(f"{name}: {counted(labelled, 'label')} of {len(drawn.value)} items; no estimate")
            nan = float("nan")
            return ItemMean(system, group, len(drawn.value), labelled, nan, nan, nan, nan, nan, nan, 0.0, None)
        if labelled < min(FEW_LABELS, len(drawn.value)):
            self.notes.append(f"{name}: {labelled} labels are few; intervals may hold less often than they say")
        empty = set(drawn.cell.tolist()) - set(drawn.cell[drawn.labelled].tolist())
        if empty:
            self.notes.append(f"{name}: {counted(len(empty), 'stratum')} without a label, joined to the one before")
        assisted, plain = sampled_mean(drawn), sampled_mean(replace(drawn, predictions=drawn.predictions[:, :0]))
        more = [each.spread / each.items if self.both else 0.0 for each in (assisted, plain)]
        ends = (*kind(assisted, self.level, more[0]), plain.value, *kind(plain, self.level, more[1]))
        if ends[0] != ends[0]:
            self.notes.append(
                f"{name}: all {labelled} labels are the same, so nothing tells how others vary: no interval"
            )
        needed = None if self.width is None else labels_for(assisted, self.width, self.level)
        return ItemMean(system, group, assisted.items, labelled, assisted.value, *ends, assisted.weight, needed)


def _with_steps(predictions: Any, share_from: float) -> Any:
    """Predictions and whether each reaches the threshold, where some do and some do not."""
    steps = (predictions >= share_from).astype(float)
    return np.concatenate([predictions, steps[:, steps.min(axis=0) < steps.max(axis=0)]], axis=1)
