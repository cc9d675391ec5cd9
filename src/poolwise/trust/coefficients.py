"""The interval of a coefficient of agreement, from the documents that assessors have in common.

A cell is one stratum of one topic. A plan draws documents from cells. What two of a team have judged is a random part
of what was drawn. Where a stratum has two such documents or more in each of its cells, every cell speaks for itself.

Elsewhere cells are *thin*, and documents of a stratum are a sample in two phases (Cochran 1977, chapter 12): each
speaks for as many as its cell pools for every one drawn, raised so that all of the stratum is spoken for. The variance
has two parts. What the plan drew varies within cells. Those with one document are collapsed with others of their
stratum, for the variance only. Which of it was judged by these assessors varies over all topics of the stratum, and
topics are the units, as a block of one topic goes to the same people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from poolwise.basics.numbers import student_quantile
from poolwise.sampling.variance import COMMON_SPREAD, Sample, added, by_cluster, collapsed, from_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Bools, Floats, Whole
    from poolwise.sampling.cells import Cells
    from poolwise.trust.chance_corrected import Coefficient
    from poolwise.trust.label_sheet import LabelSheet


if TYPE_CHECKING:
    Pair = tuple[tuple[str, str], tuple[int, int], NDArray[np.bool_]]  # names, columns, documents in common
NOTHING = 1e-8  # what numerical derivatives leave of an error that is none
LEAST = 2  # documents of a cell that show a spread
LEAST_PAIRED = 20  # documents of a pair from which the interval of the mean over pairs holds


@dataclass(frozen=True, eq=False)
class SharedDocuments:
    """Some documents of a sheet as a sample of its pool.

    `chosen` are the documents, `sample` how they were drawn within cells, `between` the share of a document's variance
    that is among topics. If they are all there are (`complete`), there is no error of sampling, and what is left is the
    choice of topics. `alone` marks the only one of its cell that was judged, of several.
    """

    chosen: Whole
    sample: Sample
    between: Floats
    stratum: Whole
    topic: Whole
    alone: Bools
    complete: bool

    @property
    def weights(self) -> Floats:
        """The number of documents of the pool that each stands for."""
        return self.sample.weight

    @property
    def heaviest_alone(self) -> float:
        """The largest share of the pool that is represented by a single judged document of its cell."""
        return float(np.max(self.weights[self.alone], initial=0.0) / self.weights.sum())

    def error(self, slopes: Floats, labels: Floats | None = None) -> tuple[float, float]:
        """Standard error of the weighted sum of slopes, and its degrees of freedom.

        With the labels of the documents it is no less than what chance may have left out of those that weigh most.
        """
        topics = self.topic if self.topic.max(initial=0) > 0 else np.arange(len(slopes))
        if self.complete:
            # Nothing was drawn: other topics are what may differ.
            found = by_cluster(self.weights * slopes, topics)
            return float(found.standard_error), float(found.df)
        sample, parts = self.sample, []
        parts.append(sample.variance(sample.shares(sample.errors(slopes)), COMMON_SPREAD))
        # The second phase: topics are what was dealt to these assessors.
        if self.between.any() and len(slopes) > 1:
            part = self.weights / np.bincount(self.stratum, self.weights)[self.stratum]
            parts.append(
                by_cluster(np.sqrt(self.between) * self.weights * from_mean(slopes, part, self.stratum), topics)
            )
        found = added(*parts)
        error, df = float(found.standard_error), float(found.df) if found.value > 0 else 1.0
        least, heavier = (0.0, 0) if labels is None else self._unseen(slopes, labels)
        return (error, df) if least <= error else (least, max(df, heavier - 1.0))

    def _unseen(self, slopes: Floats, labels: Floats) -> tuple[float, int]:
        """The error if categories without a heavy document were as frequent among heavy documents as overall.

        Ten documents of a stratum that holds nine of ten may have no disagreement by chance, and would seem to be sure.
        A kind is the labels of a document. Also the number of heavier documents, of the kind with most of them.
        """
        kinds, kind = np.unique(np.nan_to_num(labels, nan=np.inf), axis=0, return_inverse=True)
        opens, whole = self.weights**2 * (self.sample.open + self.between), self.weights.sum()
        square, most = 0.0, 0
        for number in range(len(kinds)):
            alike = kind.ravel() == number
            heavier = self.sample.heavier(alike)
            share = float(self.weights[alike].sum() / whole)
            if heavier.any():
                gap = np.average(slopes[alike], weights=self.weights[alike])
                gap -= np.average(slopes[~alike], weights=self.weights[~alike])
                square += float(opens[heavier].sum() * share * (1 - share) * gap**2)
                most = max(most, int(heavier.sum()))
        return math.sqrt(square), most


def shared_documents(sheet: LabelSheet, chosen: Bools, of: Bools | None = None) -> SharedDocuments:
    """The chosen documents as a sample of the sheet, or of its cells `of`."""
    cells = _counted(sheet, chosen, of)
    stratum, judged, size = _joined_strata(cells), cells.labelled, cells.size

    def total(numbers: Floats | Whole | Bools) -> Floats:
        """Sums over the cells of each stratum, repeated for each cell."""
        return np.bincount(stratum, numbers).astype(float)[stratum]

    # A stratum is thin if any of its cells has too few documents in common to show its own spread.
    thin = total(judged < np.minimum(size, LEAST)) > 0
    drawn = np.where(thin, cells.sampled, judged)
    speaks_for = _ratio(size, drawn)
    weight = speaks_for * _ratio(total(size), total(speaks_for * judged))
    # The share of what was drawn that was judged, times the share of the pool from which something was drawn.
    reached = _ratio(total(judged), total(np.where(size > 0, cells.sampled, 0)))
    reached *= _ratio(total(np.where(cells.sampled > 0, size, 0)), total(size))
    within = np.where(thin, np.minimum(reached, 1.0), 1.0)
    indices = np.flatnonzero(chosen)
    cell = cells.of[indices]
    group = _numbered(_groups(cells, stratum)[cell])
    return SharedDocuments(
        indices,
        Sample(weight[cell], (within * (1 - _ratio(drawn, size)))[cell], group),
        1 - within[cell],
        _numbered(stratum[cell]),
        _numbered(cells.parent[cell]),
        ((judged == 1) & (size > 1))[cell],
        bool((judged == size).all()),
    )


def _counted(sheet: LabelSheet, chosen: Bools, of: Bools | None) -> Cells:
    """The cells of a sheet, with the documents that its plan drew, and of these the chosen ones as labelled.

    Drawn is what somebody judged who did not judge everything.
    """
    there = ~np.isnan(sheet.labels)
    planned = there[:, ~there.all(axis=0)].any(axis=1) | chosen
    number = len(sheet.cells.size)
    sampled, labelled = (np.bincount(sheet.cells.of[each], minlength=number) for each in (planned, chosen))
    size = sheet.cells.size if sheet.sampled else labelled
    return replace(sheet.cells, size=size if of is None else np.where(of, size, 0), sampled=sampled, labelled=labelled)


def _groups(cells: Cells, stratum: Whole) -> Whole:
    """The group of each cell, for the variance: neighbours are of one stratum, in the order of topics."""
    order = np.lexsort((cells.stratum, stratum))
    judged = cells.labelled[order]
    groups = np.empty(len(order), dtype=np.int64)
    groups[order] = collapsed(judged, stratum[order], judged >= cells.size[order])
    return groups


def _joined_strata(cells: Cells) -> Whole:
    """The stratum of each cell. A stratum with too few documents for a variance joins the next."""
    stratum = _numbered(cells.stratum)
    joined, documents = [0], 0
    for judged in np.bincount(stratum, cells.labelled).tolist():
        documents += judged
        joined.append(joined[-1] + (documents >= LEAST))
        documents = 0 if documents >= LEAST else documents
    last = max(joined[-1] - 1, 0)  # what is left at the end goes with the one before
    return np.minimum(np.asarray(joined[:-1]), last)[stratum]


def _ratio(numbers: Floats | Whole, by: Floats | Whole) -> Floats:
    """Quotient, 0 for a divisor of 0."""
    return np.divide(numbers, by, out=np.zeros(len(numbers)), where=by > 0)


def _numbered(names: NDArray[np.generic]) -> Whole:
    return np.unique(names, return_inverse=True)[1]


@dataclass(frozen=True)
class Agreed:
    """One coefficient of some assessors, with its interval."""

    scale: str  # "graded" or "binary"
    coefficient: str
    first: str  # of a pair; all assessors together: "all"
    second: str
    documents: int
    value: float
    low: float
    high: float


def agreed_on(
    sheet: LabelSheet,
    labels: Floats,
    chosen: NDArray[np.bool_],
    values: Floats,
    coefficient: Coefficient,
    about: tuple[str, str, str],
    level: float,
    of: NDArray[np.bool_] | None = None,
) -> Agreed:
    """A coefficient estimated from the chosen documents for the pool, or for some of its cells."""
    sample = shared_documents(sheet, chosen, of)
    judged = labels[sample.chosen]
    items = coefficient.items(judged if coefficient.of_values else class_indices(judged, values), len(values))
    total = sample.weights @ items
    with np.errstate(invalid="ignore", divide="ignore"):
        value = coefficient.value(total, values)
        kinds = None if coefficient.of_values else judged
        error, freedom = sample.error(items @ coefficient.slopes(total, values), kinds)
    scale, first, second = about
    low, high = _ends(value, _half(error, freedom, level), coefficient.lowest)
    # No error at all: documents are alike, which is no proof; a share of them has an exact interval.
    if error < NOTHING:
        counted = (
            (judged == values[-1]).any(axis=1) if coefficient.of_relevant else np.ones(len(judged), dtype=np.bool_)
        )
        low, high = _without_spread(value, judged, _worth(sample.weights[counted]), coefficient.lowest, level)
    elif coefficient.lowest < 0 and (label := _never_agreed(judged)) is not None:
        low, high = _with_one_more(sample, items, judged, label, values, coefficient, level, (low, high))
    return Agreed(scale, coefficient.name, first, second, len(sample.chosen), value, low, high)


def _never_agreed(labels: Floats) -> float | None:
    """The most frequent label without an agreement, if all agreements are on a single other label."""
    used, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
    agreed = [bool(((labels == value).sum(axis=1) > 1).any()) for value in used.tolist()]
    if sum(agreed) != 1:
        return None
    left = np.where(agreed, 0, counts)
    return float(used[int(np.argmax(left))]) if left.any() else None


def _with_one_more(
    sample: SharedDocuments,
    items: Floats,
    labels: Floats,
    label: float,
    values: Floats,
    coefficient: Coefficient,
    level: float,
    ends: tuple[float, float],
) -> tuple[float, float]:
    """Interval limits extended by one more document on which all agree on a label without agreements.

    A few documents that are relevant by one of two are no proof that none is by both, though they are all alike.
    """
    agreed = np.full((1, labels.shape[1]), label)
    more = coefficient.items(agreed if coefficient.of_values else class_indices(agreed, values), len(values))
    weight = float(sample.weights.mean())
    total = sample.weights @ items + weight * more[0]
    slopes = coefficient.slopes(total, values)
    error, freedom = sample.error(items @ slopes, None if coefficient.of_values else labels)
    error = math.hypot(error, weight * float(more[0] @ slopes))
    low, high = _ends(coefficient.value(total, values), _half(error, freedom, level), coefficient.lowest)
    return (min(ends[0], low), max(ends[1], high)) if low == low else ends


def agreed_on_average(
    sheet: LabelSheet,
    labels: Floats,
    pairs: Sequence[Pair],
    rows: Sequence[Agreed],
    values: Floats,
    coefficient: Coefficient,
    level: float,
) -> Agreed:
    """Mean of a coefficient over pairs, with the joint error of all common documents.

    Pairs with few documents make that error too small, and there is no interval then.
    """
    sample = shared_documents(sheet, sheet.shared())
    slopes, known = np.zeros(len(sample.chosen)), [row.value for row in rows if row.value == row.value]
    for (_, at, chosen), row in zip(pairs, rows, strict=True):
        of_pair = chosen[sample.chosen]
        items = coefficient.items(class_indices(labels[sample.chosen[of_pair]][:, at], values), len(values))
        if row.value == row.value:
            slopes[of_pair] += items @ coefficient.slopes(sample.weights[of_pair] @ items, values) / len(known)
    value = float(np.mean(known)) if known else np.nan
    low, high = _ends(value, _half(*sample.error(slopes, labels[sample.chosen]), level), coefficient.lowest)
    # Derivatives of kappa at few documents are those of a very curved function.
    if min(row.documents for row in rows) < LEAST_PAIRED:
        low, high = np.nan, np.nan
    return Agreed(rows[0].scale, coefficient.name, "mean", "of pairs", len(sample.chosen), value, low, high)


def _half(error: float, freedom: float, level: float) -> float:
    return error * float(student_quantile(freedom, 0.5 + level / 2))


def _ends(value: float, half: float, lowest: float) -> tuple[float, float]:
    """Asymmetric interval limits, within the range of the coefficient.

    Symmetric in the logarithm of the odds for a share, in Fisher's z for a coefficient that is corrected for chance.

    >>> [round(end, 3) for end in _ends(0.8, 0.1, 0.0)], [round(end, 3) for end in _ends(0.8, 0.1, -1.0)]
    ([0.682, 0.882], [0.676, 0.88])
    """
    span = 1.0 - lowest
    share = (value - lowest) / span  # Fisher's z is half of the logarithm of these odds
    if not 0.0 < share < 1.0:
        return np.nan, np.nan
    odds, aside = share / (1.0 - share), half / span / (share * (1.0 - share))
    ends = (odds * math.exp(min(side * aside, 700.0)) for side in (-1.0, 1.0))  # more would not be a number
    low, high = (lowest + span * end / (1.0 + end) for end in ends)
    return low, high


def _worth(weights: Floats) -> float:
    """Effective number of documents of equal weight (Kish 1965).

    >>> _worth(np.ones(3)), _worth(np.array([3.0, 1.0]))
    (3.0, 1.6)
    """
    return float(weights.sum() ** 2 / np.sum(weights**2)) if len(weights) else 1.0


def _without_spread(value: float, labels: Floats, number: float, lowest: float, level: float) -> tuple[float, float]:
    """The interval if all documents are equal, which still has a width.

    Of n documents none disagrees: by Clopper and Pearson as many as 1 - (alpha / 2)^(1 / n) of the pool may. A
    coefficient corrected for chance falls by that over the disagreement that chance would give. Where they are alike
    otherwise, nothing can be said.
    """
    if value > 1.0 - NOTHING:
        most = 1.0 - ((1.0 - level) / 2) ** (1.0 / number)
        _, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
        chance = 1.0 if lowest == 0.0 else 1.0 - float(((counts / counts.sum()) ** 2).sum())
        return max(lowest, 1.0 - most / chance) if chance > 0 else lowest, 1.0
    if value < NOTHING and lowest == 0.0:
        return 0.0, 1.0 - ((1.0 - level) / 2) ** (1.0 / number)
    return np.nan, np.nan


def class_indices(labels: Floats, values: Floats) -> NDArray[np.int64]:
    """Labels as indices of the values, -1 for none."""
    return np.where(np.isnan(labels), -1, np.searchsorted(values, np.nan_to_num(labels, nan=values[0])))
