"""Groups of cells for the variance of a stratified draw: a cell with one label says nothing of its spread.

Cells with one label are collapsed with others for the variance only (Cochran 1977, section 5A.12; Wolter 2007, section
2.5). Weights stay as drawn, so the estimate stays unbiased, and differences between collapsed cells make the variance
too large rather than too small.

A cell is one stratum of one topic. A plan draws documents from cells; what two of a team have judged is a random part
of what was drawn. Where a stratum has two such documents or more in each of its cells, every cell speaks for itself.

Elsewhere cells are *thin*, and documents of a stratum are a sample in two phases (Cochran 1977, chapter 12): each
speaks for as many as its cell pools for every one drawn, raised so that all of the stratum is spoken for. The variance
has two parts. What the plan drew varies within cells; those with one document are collapsed with others of their
stratum, for the variance only. Which of it was judged by these assessors varies over all topics of the stratum, and
topics are the units, as a block of one topic goes to the same people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.trust.label_sheet import LabelSheet

if TYPE_CHECKING:
    Numbers = NDArray[np.int64]
MUCH = 0.2  # share of the weight in cells with one label from which on intervals are rough


def collapsed(labels: Numbers, parent: Numbers, certain: NDArray[np.bool_]) -> Numbers:
    """The group of each cell, of which `labels` units are labelled; those that are `certain` have all units labelled.

    Cells of one label are one group within their parent. If that group still has one label, it joins the nearest cell
    that has any, of its own parent if there is one.

    >>> none = np.zeros(4, dtype=bool)
    >>> collapsed(np.array([1, 6, 1, 3]), np.zeros(4, dtype=np.int64), none).tolist()
    [0, 1, 0, 3]
    >>> collapsed(np.array([6, 1, 3, 2]), np.array([0, 0, 1, 1]), none).tolist()
    [0, 0, 2, 3]
    """
    group = np.arange(len(labels))
    single = (labels == 1) & ~certain
    for own in np.unique(parent[single]).tolist():
        chosen = np.flatnonzero(single & (parent == own))
        group[chosen] = chosen[0]
    alone = single & (np.bincount(group, labels, minlength=len(labels))[group] == 1)
    for lone in np.flatnonzero(alone).tolist():  # one of each parent at most
        members = group == group[lone]
        others = np.flatnonzero((labels > 0) & ~members)
        if labels[members].sum() > 1 or not len(others):
            continue
        own_parent = others[parent[others] == parent[lone]]
        near = own_parent if len(own_parent) else others
        group[members] = group[near[np.argmin(np.abs(near - lone))]]
    return group


def single_share(size: Floats | Numbers, labels: Numbers) -> float:
    """The share of all units that lie in cells of which one unit is labelled, and others are not.

    >>> single_share(np.array([30.0, 60.0, 10.0]), np.array([1, 6, 3]))
    0.3
    """
    whole = float(size.sum())
    return float(size[(labels == 1) & (size > 1)].sum()) / whole if whole > 0 else 0.0


LEAST = 2  # documents from which a spread can be told


@dataclass(frozen=True, eq=False)
class DrawnDocuments:
    """Some documents of a sheet as a sample of it.

    `chosen` are the documents, `weights` how many of the pool each speaks for. If they are all there are, there is no
    error of sampling, and what is left is the choice of topics.
    """

    chosen: Numbers
    weights: Floats
    topic: Numbers
    group: Numbers  # cells, those with one document collapsed with others
    stratum: Numbers
    within: Floats  # the share of a document's variance within its cell that counts
    between: Floats  # and of that among topics
    alone: NDArray[np.bool_]  # the only one of its cell that was judged, of several
    complete: bool

    def error(self, slopes: Floats, labels: Floats | None = None) -> tuple[float, float]:
        """Standard error of the weighted sum of slopes, and its degrees of freedom.

        With the labels of the documents it is no less than what chance may have left out of those that weigh most.
        """
        if self.complete:
            return self._over_topics(slopes)
        error, freedom = self._over_draws(slopes)
        least, alike = (0.0, 0) if labels is None else self._left_out(slopes, labels)
        return (error, freedom) if least <= error else (least, max(freedom, alike - 1.0))

    @property
    def heaviest_alone(self) -> float:
        """The largest share of the pool that one document speaks for, no other of its cell being judged."""
        return float(np.max(self.weights[self.alone], initial=0.0) / self.weights.sum())

    def _left_out(self, slopes: Floats, labels: Floats) -> tuple[float, int]:
        """The error if kinds of documents that none of the heavier ones is of were as frequent among these as in all.

        Ten documents of a stratum that holds nine of ten may have no disagreement by chance, and would seem to be sure.
        A kind is what assessors said of a document. Also how many documents are heavier, of the kind with most of them.
        """
        kinds, kind = np.unique(np.nan_to_num(labels, nan=np.inf), axis=0, return_inverse=True)
        opens, whole = self.weights**2 * (self.within + self.between), self.weights.sum()
        square, most = 0.0, 0
        for number in range(len(kinds)):
            own = kind.ravel() == number
            heavier = self.weights > self.weights[own].max() * (1 + 1e-9)
            share = float(self.weights[own].sum() / whole)
            if heavier.any():
                gap = np.average(slopes[own], weights=self.weights[own])
                gap -= np.average(slopes[~own], weights=self.weights[~own])
                square += float(opens[heavier].sum() * share * (1 - share) * gap**2)
                most = max(most, int(heavier.sum()))
        return float(np.sqrt(square)), most

    def _over_draws(self, slopes: Floats) -> tuple[float, float]:
        """Both phases, with the degrees of freedom of their sum (Satterthwaite 1946)."""
        parts = (self._first_phase(slopes), self._second_phase(slopes))
        variance = sum(part for part, _ in parts)
        spread = sum(part**2 / max(freedom, 1) for part, freedom in parts)
        return float(np.sqrt(variance)), float(variance**2 / spread) if spread > 0 else 1.0

    def _first_phase(self, slopes: Floats) -> tuple[float, float]:
        """Simple random samples within cells, sum of N^2 (1 - n / N) s^2 / n, from errors against the others' mean.

        Cells are taken to vary alike, so that degrees of freedom are the sum of theirs; a collapsed group is apart.
        """
        count = np.bincount(self.group)[self.group]
        own = self.weights / np.bincount(self.group, self.weights)[self.group]
        others = np.divide(self._apart(slopes, self.group), 1 - own, out=np.zeros(len(slopes)), where=count > 1)
        parts = np.bincount(self.group, self.within * others**2 * (count - 1) / count).astype(float)
        apart = np.bincount(self.group, self.alone) > 0
        number = np.where(apart, np.arange(len(parts)) + 1, 0)
        freedom, sums = (np.bincount(number, each).astype(float) for each in (np.bincount(self.group) - 1, parts))
        return float(parts.sum()), _freedom(sums, freedom)

    def _second_phase(self, slopes: Floats) -> tuple[float, int]:
        """Topics as units that were drawn for all they have in the sample; with one topic, its documents."""
        units = self.topic if self.topic.max(initial=0) > 0 else np.arange(len(slopes))
        sums = np.bincount(units, np.sqrt(self.between) * self._apart(slopes, self.stratum))
        freedom = max(len(sums) - 1, 1)
        return float((sums**2).sum() * (1 + 1 / freedom)), freedom

    def _apart(self, slopes: Floats, group: Numbers) -> Floats:
        """Each document's distance from the mean of its group, weighted."""
        mean = np.bincount(group, self.weights * slopes) / np.bincount(group, self.weights)
        return self.weights * (slopes - mean[group])

    def _over_topics(self, slopes: Floats) -> tuple[float, float]:
        """Topics as independent draws; with one topic, its documents."""
        group = self.topic if self.topic.max(initial=0) > 0 else np.arange(len(slopes))
        sums = np.bincount(group, slopes * self.weights)
        count = len(sums)
        if count < 2:
            return np.nan, 1.0
        return float(np.sqrt(count / (count - 1) * ((sums - sums.mean()) ** 2).sum())), float(count - 1)


def drawn(sheet: LabelSheet, chosen: NDArray[np.bool_], of: NDArray[np.bool_] | None = None) -> DrawnDocuments:
    """The chosen documents as a sample of the sheet, or of those cells of it (`of`) that they are to speak for."""
    indices = np.flatnonzero(chosen)
    cells = _CellCounts(sheet, chosen, of)
    own = sheet.cell[indices]
    topics = np.asarray([sheet.topics[place] for place in indices.tolist()])
    kept = cells.kept[own]
    return DrawnDocuments(
        indices,
        cells.weight[own],
        _numbered(topics),
        _numbered(cells.groups(sheet)[own]),
        _numbered(cells.stratum[own]),
        kept * cells.open_share[own],
        1 - kept,
        ((cells.judged == 1) & (cells.pooled > 1))[own],
        bool((cells.judged == cells.pooled).all()),
    )


class _CellCounts:
    """What is known of every cell: documents pooled, drawn by the plan, and judged by those who are compared."""

    def __init__(self, sheet: LabelSheet, chosen: NDArray[np.bool_], of: NDArray[np.bool_] | None) -> None:
        self.judged = self._count(sheet, chosen)
        self.pooled = sheet.pooled.astype(float) if sheet.sampled else self.judged
        if of is not None:
            self.pooled = np.where(of, self.pooled, 0.0)
        self.stratum = _strata(sheet, self.judged)
        thin = (self._sum(self.judged < np.minimum(self.pooled, LEAST)) > 0)[self.stratum]
        planned = self._count(sheet, _planned(sheet) | chosen)
        self.drawn = np.where(thin, planned, self.judged)
        self.open_share = 1 - _over(self.drawn, self.pooled)
        for_each = _over(self.pooled, self.drawn)
        self.weight = for_each * _over(self._sum(self.pooled), self._sum(for_each * self.judged))[self.stratum]
        self.kept = np.where(thin, self._kept(), 1.0)

    def _count(self, sheet: LabelSheet, documents: NDArray[np.bool_]) -> Floats:
        return np.bincount(sheet.cell[documents], minlength=len(sheet.pooled)).astype(float)

    def groups(self, sheet: LabelSheet) -> Numbers:
        """The group of each cell, for the variance: neighbours are of one stratum, in the order of topics."""
        order = np.lexsort((np.asarray([number for _, number in sheet.cells]), self.stratum))
        judged = self.judged[order].astype(np.int64)
        found = np.empty(len(order), dtype=np.int64)
        found[order] = collapsed(judged, self.stratum[order], judged >= self.pooled[order])
        return found

    def _sum(self, numbers: NDArray[np.bool_] | Floats) -> Floats:
        """Over the cells of each stratum."""
        return np.bincount(self.stratum, np.asarray(numbers, dtype=float)).astype(float)

    def _kept(self) -> Floats:
        """The share of what was drawn that was judged, times the share of the pool from which something was drawn."""
        reached = self._sum(np.where(self.drawn > 0, self.pooled, 0.0))
        drawn = self._sum(np.where(self.pooled > 0, self.drawn, 0.0))
        share = _over(self._sum(self.judged), drawn) * _over(reached, self._sum(self.pooled))
        return np.minimum(share, 1.0)[self.stratum]


def _over(numbers: Floats, by: Floats) -> Floats:
    """Division that gives 0 where there is nothing to divide by."""
    return np.divide(numbers, by, out=np.zeros(len(numbers)), where=by > 0)


def _planned(sheet: LabelSheet) -> NDArray[np.bool_]:
    """Which documents were drawn: judged by somebody who did not judge everything."""
    there = ~np.isnan(sheet.labels)
    return np.asarray(there[:, ~there.all(axis=0)].any(axis=1))


def _strata(sheet: LabelSheet, judged: Floats) -> Numbers:
    """The stratum of each cell; where one has too few documents to tell a spread, the next speaks for it, too."""
    stratum = _numbered(np.asarray([number for _, number in sheet.cells]))
    joined, documents = [0], 0.0
    for own in np.bincount(stratum, judged).tolist():
        documents += own
        joined.append(joined[-1] + (documents >= LEAST))
        documents = 0.0 if documents >= LEAST else documents
    last = max(joined[-1] - 1, 0)  # what is left at the end goes with the one before
    return np.minimum(np.asarray(joined[:-1]), last)[stratum]


def _freedom(parts: Floats, freedom: Floats) -> float:
    """Of a sum of variances (Satterthwaite 1946)."""
    spread = float(np.sum(parts**2 / np.maximum(freedom, 1)))
    return float(parts.sum()) ** 2 / spread if spread > 0 else 1.0


def _numbered(names: NDArray[np.generic]) -> Numbers:
    return np.unique(names, return_inverse=True)[1]
