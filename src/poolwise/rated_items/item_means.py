"""`ItemEstimator`: means and differences of a table of items, with notes."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from poolwise.basics.numbers import near_one
from poolwise.basics.words import counted
from poolwise.errors import InputError
from poolwise.rated_items.item_results import DifferenceMean, ItemMean
from poolwise.rated_items.sampled_difference import sampled_difference
from poolwise.rated_items.sampled_mean import (
    SampledItems,
    cut,
    interval_of_difference,
    interval_of_mean,
    interval_of_share,
    labels_for,
    sampled_mean,
)
from poolwise.reading.files import key_numbered
from poolwise.sampling.variance import MUCH, single_share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from poolwise.rated_items.item_table import ItemTable
    from poolwise.rated_items.sampled_difference import SampledDifference
    from poolwise.rated_items.sampled_mean import Interval, SampledMean

    Values = tuple[float, float, float, float, float, float]

__all__ = ["EVERYTHING", "ItemEstimator", "too_few_shared"]

FEW_LABELS = 10  # labels: with so many, intervals of log-normal scores cover in 89 % (benchmarks/item_coverage.py)
LONGEST_SCALE = 10  # steps: whole numbers farther apart are not taken for a scale
EVERYTHING = "all"
ENDLESS = 10**12  # items: a population of which any table is next to nothing
SAME, SAME_IN_STRATA = "all labels are the same", "labels are the same within every stratum"
SAME_DIFFERENCES = "differences of all labelled items are the same"
NONE = (math.nan,) * 6  # in place of a value, its ends, and the same without predictions


class ItemEstimator:
    """Estimates of means and differences for a table of items, with notes on doubts."""

    def __init__(
        self,
        table: ItemTable,
        level: float,
        *,
        share_from: float | None = None,
        both: bool = False,
        width: float | None = None,
        scale: tuple[float, float] | None = None,
    ) -> None:
        self.table, self.both, self.level, self.width = table, both, level, width
        self.notes: list[str] = []
        self.groups = [""] if not any(table.group) else [EVERYTHING, *dict.fromkeys(table.group)]
        self.score, self.known = table.score, table.predictions
        if share_from is not None:
            self.score = np.where(np.isnan(table.score), np.nan, (table.score >= share_from).astype(float))
            self.known = _with_steps(table.predictions, share_from)
        # Squares of huge or tiny numbers would overflow or vanish.
        self.known = near_one(self.known)
        labels = self.score[~np.isnan(self.score)]
        graded = share_from is None and scale not in (None, (0.0, 1.0))  # as was said, if labels so far are 0 and 1
        self.shares = not graded and bool(np.isin(labels, (0.0, 1.0)).all())
        self.scale = (0.0, 1.0) if self.shares else _seen_scale(labels) if scale is None else scale
        number = {name: index for index, name in enumerate(sorted(set(table.stratum), key=key_numbered))}
        self.strata = np.array([number[name] for name in table.stratum])
        self.system, self.group = np.asarray(table.system), np.asarray(table.group)

    def interval(self, sampled: SampledMean, level: float, more: float = 0.0) -> tuple[float, float]:
        """The interval of a mean."""
        sampled = self._of_all(sampled)
        if self.shares:
            return interval_of_share(sampled, level, more)
        return interval_of_mean(sampled, level, more, self.scale)

    def interval_of_difference(
        self, sampled: SampledMean, level: float, more: float = 0.0, paired: bool = False
    ) -> tuple[float, float]:
        """The interval of a difference. All labels are `paired` if every item labelled has both."""
        sampled = self._of_all(sampled)
        if self.shares:
            return interval_of_difference(sampled, level, more)
        return interval_of_mean(sampled, level, more, self._scale_of_difference if paired else None)

    @property
    def _scale_of_difference(self) -> tuple[float, float] | None:
        most = None if self.scale is None else self.scale[1] - self.scale[0]
        return None if most is None else (-most, most)

    def _of_all(self, sampled: SampledMean) -> SampledMean:
        """The estimate for a population, if the table is a sample of it and the variance lacks that part."""
        return replace(sampled, items=ENDLESS) if self.both and sampled.spread == 0 else sampled

    def rows(self) -> Iterator[ItemMean]:
        """The mean of every system and group."""
        for system in self.table.systems:
            for group in self.groups:
                yield self._mean(self._drawn(np.flatnonzero((self.system == system) & self._of(group))), system, group)

    def differences(self, a: str, b: str) -> Iterator[tuple[str, str, DifferenceMean]]:
        """The difference of two systems, of every group."""
        first, second = self._common(a, b)
        for group in self.groups:
            chosen = self._of(group)[first]
            yield a, b, self._difference(self._drawn(first[chosen]), self._drawn(second[chosen]), f"{a} - {b}", group)

    def sampled_difference(self, a: str, b: str) -> SampledDifference:
        """The difference of two systems over all items, with its variance."""
        one, other = map(self._drawn, self._common(a, b))
        assisted = sampled_difference(one, other)
        if assisted.mean.variance > 0:
            return assisted
        plain = sampled_difference(one.unpredicted(), other.unpredicted())
        return plain if _fits_perfectly(assisted.mean, plain.mean) else assisted

    def _common(self, a: str, b: str) -> tuple[Any, Any]:
        """Rows of the two systems, of items that both have."""
        row_of = {(s, i): row for row, (s, i) in enumerate(zip(self.table.system, self.table.item, strict=True))}
        of_a = [row for row in range(len(self.table)) if self.table.system[row] == a]
        paired = [(row, row_of[b, self.table.item[row]]) for row in of_a if (b, self.table.item[row]) in row_of]
        if not paired:
            raise InputError(f"{self.table.source.where}: {a!r} and {b!r} have no item in common; name items alike")
        first, second = np.array(paired).T
        return first, second

    def _drawn(self, rows: Any) -> SampledItems:
        return SampledItems(self.score[rows], self.strata[rows], self.table.rate[rows], self.known[rows])

    def _of(self, group: str) -> Any:
        return np.ones(len(self.table), dtype=bool) if group in ("", EVERYTHING) else self.group == group

    def _mean(self, drawn: SampledItems, system: str, group: str) -> ItemMean:
        name = " ".join(part for part in (system, group) if part) or "the table"
        labelled = int(drawn.labelled.sum())
        if not self._enough(drawn, name):
            return ItemMean(system, group, len(drawn.value), labelled, *NONE, 0.0, None)
        if labelled < min(FEW_LABELS, len(drawn.value)):
            self.notes.append(f"{name}: {labelled} labels are few; intervals may hold less often than they say")
        self.notes += [f"{name}: {note}" for note in _thin_strata(drawn)]
        assisted, plain = sampled_mean(drawn), sampled_mean(drawn.unpredicted())
        best = self._best_of(assisted, plain, name)
        values = self._ends(best, plain, self.interval, self.scale, name, SAME if plain.spread == 0 else SAME_IN_STRATA)
        return ItemMean(system, group, best.items, labelled, *values, best.weight, self._needed(best))

    def _difference(self, one: SampledItems, other: SampledItems, name: str, group: str) -> DifferenceMean:
        items = len(one.value)
        labels = int(one.labelled.sum()), int(other.labelled.sum())
        shared = int((one.labelled & other.labelled).sum())
        either = sum(labels) - shared
        called = " ".join(part for part in (name, group) if part)
        if not (self._enough(one, called) and self._enough(other, called)):
            return DifferenceMean(name, group, items, either, *NONE, 0.0, None, *labels, shared, None)
        assisted, plain = sampled_difference(one, other), sampled_difference(one.unpredicted(), other.unpredicted())
        best = self._best_of(assisted.mean, plain.mean, called)
        kind = partial(self.interval_of_difference, paired=assisted.all_paired)
        same = SAME_DIFFERENCES if assisted.all_paired and plain.mean.spread == 0 else "labels do not vary"
        values = self._ends(best, plain.mean, kind, self._scale_of_difference, called, same)
        paired, apart = self._needed_of_both(assisted if best is assisted.mean else plain, kind)
        if self.width is not None:
            self.notes += [note for note in (too_few_shared(called, shared, assisted.tells_pairs),) if note]
        return DifferenceMean(
            name, group, items, either, *values, best.weight, paired, *labels, shared, apart
        )  # fmt: skip

    def _enough(self, drawn: SampledItems, name: str) -> bool:
        labelled, items = int(drawn.labelled.sum()), len(drawn.value)
        if labelled >= min(2, items):
            return True
        self.notes.append(f"{name}: {counted(labelled, 'label')} of {counted(items, 'item')}; no estimate")
        return False

    def _best_of(self, assisted: SampledMean, plain: SampledMean, name: str) -> SampledMean:
        """The mean with predictions. If these leave no error at all, it has the variance without them."""
        if not _fits_perfectly(assisted, plain):
            return assisted
        self.notes.append(
            f"{name}: predictions fit every labelled item without error, which does not say how they fit others; the "
            "interval is as wide as without predictions"
        )
        return replace(plain, value=assisted.value, weight=assisted.weight, slopes=assisted.slopes)

    def _ends(
        self, assisted: SampledMean, plain: SampledMean, kind: Interval, scale: tuple[float, float] | None,
        name: str, same: str,
    ) -> Values:  # fmt: skip
        """Value and interval with predictions, then without, clipped to possible values.

        Where there is no interval, `same` says what does not vary.
        """
        least, most = (-np.inf, np.inf) if scale is None else scale
        values: list[float] = []
        for each in (assisted, plain):
            ends = cut(kind(each, self.level, self._more(each)), least, most)
            values += [float(min(max(each.value, least), most)), *map(float, ends)]
        if values[1] != values[1]:
            cure = "; the lowest and highest score there can be (--scale, scale=) would give one"
            added = cure if scale is None and same in (SAME, SAME_DIFFERENCES) else ""
            self.notes.append(f"{name}: {same}, so nothing tells how others vary: no interval{added}")
        return values[0], values[1], values[2], values[3], values[4], values[5]

    def _more(self, sampled: SampledMean) -> float:
        return sampled.spread / sampled.items if self.both else 0.0

    def _needed(self, sampled: SampledMean) -> int | None:
        if self.width is None:
            return None
        return labels_for(sampled, self.interval, self.width, self.level, self._more(sampled))

    def _needed_of_both(self, found: SampledDifference, kind: Interval) -> tuple[int | None, int | None]:
        """Labels needed for both systems: all in pairs, and drawn independently."""
        if self.width is None or min(found.labels) == found.mean.items:
            return None, None
        paired, apart = found.labels_for(kind, self.width, self.level, self._more(found.mean))
        return paired and 2 * paired, apart and 2 * apart


def too_few_shared(name: str, shared: int, pairs_known: bool = True) -> str:
    """Note on the number of labels needed if hardly any item has labels of both systems."""
    if shared >= FEW_LABELS:
        return ""
    then = (
        "; on the same items fewer labels may do than needed says"
        if pairs_known
        else ", so labels needed in pairs are not told and may be far fewer than apart"
    )
    return (
        f"{name}: {counted(shared, 'item')} labelled for both, too few to tell what the systems have in common"
        f"{then}: give some in pairs, then ask again"
    )


def _thin_strata(drawn: SampledItems) -> Iterator[str]:
    """Notes on strata with no label, or one."""
    size, labels = np.bincount(drawn.cell), np.bincount(drawn.cell[drawn.labelled], minlength=drawn.cell.max() + 1)
    empty = int(((size > 0) & (labels == 0)).sum())
    if empty:
        strata, their = ("1 stratum", "its") if empty == 1 else (f"{empty} strata", "their")
        yield f"{strata} without a label: labels of the neighbouring stratum stand for {their} items"
    share = single_share(size, labels)
    if share > MUCH:
        yield (
            f"{100 * share:.0f} % of the items are in strata with one label each, which does not show how these items "
            "vary; the interval may be too narrow: label more of them"
        )


def _fits_perfectly(assisted: SampledMean, plain: SampledMean) -> bool:
    """Whether predictions fit all labels exactly, although labels vary."""
    return assisted.variance <= 0 < plain.variance


def _seen_scale(labels: Any) -> tuple[float, float] | None:
    """Range of the scores, if these are steps of a short scale.

    A few labels need not have met its ends.
    """
    least, most = (float(labels.min()), float(labels.max())) if len(labels) >= FEW_LABELS else (0.0, 0.0)
    short = 0 < most - least <= LONGEST_SCALE
    return (least, most) if short and bool((labels == np.round(labels)).all()) else None


def _with_steps(predictions: Any, share_from: float) -> Any:
    """Predictions, with indicators of the threshold if it separates them."""
    steps = (predictions >= share_from).astype(float)
    return np.concatenate([predictions, steps[:, steps.min(axis=0) < steps.max(axis=0)]], axis=1)
