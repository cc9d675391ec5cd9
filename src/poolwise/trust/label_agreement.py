"""`label_agreement`: how far assessors, or a model and assessors, give documents the same labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.results import Result, warn_of
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError, InputError
from poolwise.reading.judging_file import in_view_words
from poolwise.sampling.variance import MUCH
from poolwise.trust.chance_corrected import AGREEING, COEFFICIENTS, OF_VALUES, with_oneself
from poolwise.trust.coefficients import Agreed, agreed_on, agreed_on_average, class_indices, shared_documents
from poolwise.trust.label_sheet import sheet_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.trust.coefficients import Pair
    from poolwise.trust.label_sheet import LabelSheet


__all__ = [
    "Agreed",
    "LabelAgreement",
    "agreement_of",
    "label_agreement",
]

MOST_VALUES = 30  # more distinct labels than this are a scale, not classes
FEW_DOCUMENTS = 30  # of a pair: with 20 to 33, quadratic kappa covers in 93 to 94 % (benchmarks/agreement_coverage.py)
FEW_TOPICS = 10  # units that show how far other topics differ


@dataclass(frozen=True, eq=False, repr=False)
class LabelAgreement(Result):
    """The agreement of assessors.

    `rows` holds every coefficient, `means` kappa on the mean of all pairs; `confusions` of a pair how often (in
    documents of the pool) the first said the row's label and the second the column's; `disagreements` the documents
    with different labels. Labels of a scale (`of_values`: more different ones than classes could be) are told apart as
    relevant or not in confusions and topics, and `values` are 0 and 1.
    """

    assessors: tuple[str, ...]
    values: tuple[float, ...]
    rel: dict[str, float]  # the lowest relevant label of each assessor
    rows: tuple[Agreed, ...]
    means: tuple[Agreed, ...]  # of Cohen's kappa over pairs, graded and binary
    confusions: dict[tuple[str, str], Floats]
    by_topic: tuple[Agreed, ...]
    by_stratum: tuple[Agreed, ...]
    disagreements: tuple[tuple[str, str, tuple[float | None, ...]], ...]
    sheet: LabelSheet
    level: float
    sampled: bool
    warnings: tuple[str, ...] = ()
    of_values: bool = False
    with_themselves: tuple[Agreed, ...] = ()  # of documents that one assessor saw twice

    def facts(self) -> Mapping[str, Any]:
        """All results without the labels. Confusions are keyed by both names."""
        confusions = {f"{a}, {b}": table for (a, b), table in self.confusions.items()}
        return {name: value for name, value in vars(self).items() if name != "sheet"} | {"confusions": confusions}

    def columns(self) -> dict[str, list[Any]]:
        """One row per coefficient and pair of assessors, all of them together, or one with themselves."""
        names = ("scale", "coefficient", "first", "second", "documents", "value", "low", "high")
        rows = (*self.rows, *self.with_themselves)
        return {name: [getattr(row, name) for row in rows] for name in names}

    def headline(self) -> str:
        """Agreement in one sentence."""
        alpha = self.of("alpha_interval" if self.of_values else "alpha_ordinal")
        words = "interval" if self.of_values else "ordinal"
        return (
            f"{len(self.assessors)} assessors, {self._in_common()}{self._of_what()}: "
            f"kappa{' (relevant or not)' if self.of_values else ''} {self._kappa()}, "
            f"Krippendorff's alpha ({words}) {_with_ends(alpha)}"
        )

    def _in_common(self) -> str:
        """Numbers of documents judged by two or more assessors, and by all."""
        by = (~np.isnan(self.sheet.labels)).sum(axis=1)
        shared, all_of_them = int((by >= 2).sum()), int((by == len(self.assessors)).sum())
        if shared == all_of_them:
            return f"{counted(shared, 'document')} in common"
        return f"{counted(shared, 'document')} judged by two or more, {all_of_them or 'none'} by all"

    def _kappa(self) -> str:
        """Cohen's kappa in words: of two assessors, or the mean over pairs with the range."""
        scale = "binary" if self.of_values else "graded"
        mean = next(row for row in self.means if row.scale == scale)
        if len(self.assessors) == 2:
            return _with_ends(self.of("kappa", *self.assessors, scale))
        if np.isnan(mean.value):
            return _with_ends(mean)
        _, low, high = self.mean_of_pairs("kappa", scale)
        return f"{_with_ends(mean)} on the mean of pairs (pairs from {low:.3f} to {high:.3f})"

    def _of_what(self) -> str:
        """A phrase for the pool, where numbers are of more than the documents in common."""
        if not self.sampled:
            return ""
        return f" (numbers are of all {len(self.sheet.topics)} that were pooled, by the rates of the draw)"

    def of(self, coefficient: str, first: str = "all", second: str = "all", scale: str = "graded") -> Agreed:
        """Give one coefficient, of all assessors or of a pair in either order.

        Parameters
        ----------
        coefficient : str
            Its name.
        first, second : str
            The pair; "all" for all assessors together; one name twice for agreement with oneself.
        scale : {"graded", "binary"}
            Labels as they are, or relevant against not.

        Returns
        -------
        Agreed
            The value with its interval.
        """
        for row in (*self.rows, *self.with_themselves):
            if (row.coefficient, row.scale) == (coefficient, scale) and {row.first, row.second} == {first, second}:
                return row
        raise ArgumentError(f"there is no {scale} {coefficient} of {first!r} and {second!r}")

    def mean_of_pairs(self, coefficient: str, scale: str = "graded") -> tuple[float, float, float]:
        """Average a coefficient over all pairs of assessors that have one: not where both gave one and the same label.

        Parameters
        ----------
        coefficient : str
            Its name.
        scale : {"graded", "binary"}
            Labels as they are, or relevant against not.

        Returns
        -------
        tuple of float
            Mean, lowest and highest.
        """
        every = [row.value for row in self.rows if (row.coefficient, row.scale) == (coefficient, scale)]
        values = [value for value in every if value == value] or every
        return float(np.mean(values)), min(values), max(values)


def label_agreement(
    labels: Mapping[str, Any] | Sequence[Any],
    *,
    rel: float | Mapping[str, float] = 1.0,
    level: float = 0.95,
    unjudged: int | None = -1,
    columns: Mapping[str, str] | None = None,
) -> LabelAgreement:
    """Compare the labels that several assessors, or a model and assessors, gave to the same documents.

    Where a plan is among the labels, or labels list documents that were not judged, those that were are a random sample
    of each topic and stratum, and coefficients and intervals are of all documents that the plan lists; labels of others
    are left out. Where everything is judged, intervals say how far other topics might differ.

    Parameters
    ----------
    labels : mapping or sequence
        Labels of each assessor by name, or files, named by their names: qrels, CSV, JSON lines, Parquet, a file of
        `poolwise judge` (which holds several assessors), dicts, data frames.
    rel : float or mapping
        The lowest label that counts as relevant, for the binary scale; by assessor where their scales differ, "" being
        all others, as in `{"": 2, "model": 1}`.
    level : float
        Level of the intervals.
    unjudged : int, optional
        The label that means listed, not judged.
    columns : mapping, optional
        What columns are called, as in `{"topic": "query"}`.

    Returns
    -------
    LabelAgreement
        Kappa, quadratic kappa, Fleiss' kappa, Krippendorff's alpha, overlap; confusions; disagreements.

    Examples
    --------
    >>> people = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> model = {"1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> agreed = label_agreement({"people": people, "model": model})
    >>> agreed.of("kappa", "people", "model").value
    0.5
    """
    return agreement_of(sheet_of(labels, unjudged, columns), rel=rel, level=level)


def agreement_of(sheet: LabelSheet, *, rel: float | Mapping[str, float] = 1.0, level: float = 0.95) -> LabelAgreement:
    """Compare the columns of a sheet."""
    checks.level(level)
    thresholds = thresholds_of(sheet.assessors, rel)
    if not sheet.shared().any():
        raise InputError("no document was judged by two assessors; labels of the same documents are needed")
    grades = len(sheet.values())
    of_values = grades > MOST_VALUES
    pairs = list(_pairs(sheet))
    rows = tuple(_all_rows(sheet, pairs, thresholds, level, of_values))
    # Labels of a scale have too many values for a confusion matrix.
    classes = replace(sheet, labels=_binary(sheet.labels, thresholds)) if of_values else sheet
    values = np.array([0.0, 1.0]) if of_values else sheet.values()
    strata = sheet.cells.stratum[sheet.cells.of].astype(str)
    scale = [_scale_words(grades)] if of_values else []
    return LabelAgreement(
        assessors=tuple(sheet.assessors),
        values=tuple(values.tolist()),
        rel=dict(zip(sheet.assessors, thresholds, strict=True)),
        rows=rows,
        means=tuple(_means(sheet, pairs, rows, thresholds, level)),
        confusions={names: _confusion(classes, chosen, values, at) for names, at, chosen in pairs},
        by_topic=tuple(_by(classes, values, np.asarray(sheet.topics), level, of_values)),
        by_stratum=tuple(_by(classes, values, strata, level, of_values)),
        disagreements=tuple(_disagreements(sheet)),
        sheet=sheet,
        level=level,
        sampled=sheet.sampled,
        warnings=warn_of((*scale, *_notes(sheet, pairs), *_barren(sheet, thresholds), *in_view_words(*sheet.in_view))),
        of_values=of_values,
        with_themselves=tuple(with_oneself(sheet, level)),
    )


def _with_ends(row: Agreed) -> str:
    if np.isnan(row.value):
        return "undefined (labels all alike)"
    return f"{row.value:.3f}" + ("" if np.isnan(row.low) else f" ({row.low:.3f} to {row.high:.3f})")


def _scale_words(count: int) -> str:
    return (
        f"{count} different labels found, a scale rather than classes: quadratic kappa and interval alpha are of the "
        "values, all else of relevant against not; say with rel from which value on a document is relevant"
    )


def _pairs(sheet: LabelSheet) -> Iterator[Pair]:
    """Pairs of assessors with documents in common: names, columns, documents."""
    for first, second in combinations(range(len(sheet.assessors)), 2):
        chosen = sheet.between(first, second)
        if chosen.any():
            yield (sheet.assessors[first], sheet.assessors[second]), (first, second), chosen


def thresholds_of(assessors: Sequence[str], rel: float | Mapping[str, float]) -> list[float]:
    """The lowest relevant label of each assessor.

    >>> thresholds_of(["people", "model"], {"": 2, "model": 1})
    [2.0, 1.0]
    """
    if not isinstance(rel, Mapping):
        return [checks.number("rel", rel)] * len(assessors)
    for name in rel:
        if name:
            checks.known_name("assessor", name, assessors)
    return [checks.number("rel", rel.get(name, rel.get("", 1.0))) for name in assessors]


def _all_rows(
    sheet: LabelSheet, pairs: Sequence[Pair], rel: Sequence[float], level: float, of_values: bool
) -> Iterator[Agreed]:
    for scale, labels, values in _scales(sheet, rel):
        for coefficient in (OF_VALUES if of_values and scale == "graded" else COEFFICIENTS).values():
            if coefficient.name == "overlap" and scale == "graded":
                continue
            if coefficient.pairs:
                for names, at, chosen in pairs:
                    yield agreed_on(sheet, labels[:, at], chosen, values, coefficient, (scale, *names), level)
            else:
                yield agreed_on(sheet, labels, sheet.shared(), values, coefficient, (scale, "all", "all"), level)


def _means(
    sheet: LabelSheet, pairs: Sequence[Pair], rows: Sequence[Agreed], rel: Sequence[float], level: float
) -> Iterator[Agreed]:
    """Cohen's kappa on the mean of pairs, on every scale that has it."""
    for scale, labels, values in _scales(sheet, rel):
        of_pairs = [row for row in rows if (row.coefficient, row.scale) == ("kappa", scale)]
        if of_pairs:
            yield agreed_on_average(sheet, labels, pairs, of_pairs, values, COEFFICIENTS["kappa"], level)


def _scales(sheet: LabelSheet, rel: Sequence[float]) -> Iterator[tuple[str, Floats, Floats]]:
    """Scales: graded and binary labels, with their values."""
    yield "graded", sheet.labels, sheet.values()
    yield "binary", _binary(sheet.labels, rel), np.array([0.0, 1.0])


def _binary(labels: Floats, rel: Sequence[float]) -> Floats:
    return np.where(np.isnan(labels), np.nan, (labels >= np.asarray(rel)).astype(float))


def _confusion(sheet: LabelSheet, chosen: NDArray[np.bool_], values: Floats, at: tuple[int, int]) -> Floats:
    sample = shared_documents(sheet, chosen)
    classes = class_indices(sheet.labels[sample.chosen][:, at], values)
    counts = np.zeros((len(values), len(values)))
    np.add.at(counts, (classes[:, 0], classes[:, 1]), sample.weights)
    return counts


def _by(sheet: LabelSheet, values: Floats, group: NDArray[np.str_], level: float, binary: bool) -> Iterator[Agreed]:
    """The share of agreeing pairs and Fleiss' kappa within each group of documents. Then kappa of each pair."""
    shared, scale = sheet.shared(), "binary" if binary else "graded"
    pairs = list(_pairs(sheet)) if len(sheet.assessors) > 2 else []
    for name in dict.fromkeys(group[shared].tolist()):
        members = group == name
        cells = np.isin(np.arange(len(sheet.cells.size)), sheet.cells.of[members])
        for coefficient in (AGREEING, COEFFICIENTS["fleiss_kappa"]):
            yield agreed_on(
                sheet, sheet.labels, shared & members, values, coefficient, (scale, name, "all"), level, cells
            )
        for (first, second), at, chosen in pairs:
            if (chosen & members).any():
                about, kappa = (scale, name, f"{first}, {second}"), COEFFICIENTS["kappa"]
                yield agreed_on(sheet, sheet.labels[:, at], chosen & members, values, kappa, about, level, cells)


def _disagreements(sheet: LabelSheet) -> Iterator[tuple[str, str, tuple[float | None, ...]]]:
    for index in np.flatnonzero(sheet.shared()).tolist():
        row = sheet.labels[index]
        if np.nanmax(row) > np.nanmin(row):
            labels = tuple(None if np.isnan(label) else float(label) for label in row)
            yield sheet.topics[index], sheet.documents[index], labels


def _notes(sheet: LabelSheet, pairs: Sequence[Pair]) -> Iterator[str]:
    few = [f"{a} and {b} ({int(chosen.sum())})" for (a, b), _, chosen in pairs if chosen.sum() < FEW_DOCUMENTS]
    if few:
        yield f"few documents in common: {', '.join(few[:5])}; intervals of so few are rough"
    yield from _thin_strata(sheet, pairs)
    topics = len({topic for topic, shared in zip(sheet.topics, sheet.shared().tolist(), strict=True) if shared})
    if not sheet.sampled and topics < FEW_TOPICS:
        yield _topic_words(topics)
    alone = [name for index, name in enumerate(sheet.assessors) if not any(index in at for _, at, _ in pairs)]
    if alone:
        yield f"no document in common with anyone: {', '.join(alone)}"
    for name, count in sheet.left_out.items():
        yield (
            f"{name}: {counted(count, 'label')} of documents that the plan's pool of {len(sheet.topics)} does not list "
            "left out; no label of the sample speaks for them"
        )


def _thin_strata(sheet: LabelSheet, pairs: Sequence[Pair]) -> Iterator[str]:
    """Notes on strata with no document in common, or one."""
    if not sheet.sampled:
        return
    numbers = sheet.cells.stratum
    empty = np.setdiff1d(numbers, numbers[sheet.cells.of[sheet.shared()]]).tolist()
    if empty:
        strata = f"strat{'um' if len(empty) == 1 else 'a'} {', '.join(map(str, empty[:5]))}"
        yield f"{strata}: no document in common; those of the neighbouring stratum stand for all documents there"
    shares = ((names, shared_documents(sheet, chosen).heaviest_alone) for names, _, chosen in pairs)
    rough = [f"{a} and {b} ({100 * share:.0f} %)" for (a, b), share in shares if share > MUCH]
    if rough:
        yield (
            f"one document in common speaks for much of the pool: {', '.join(rough[:5])}; it does not show how "
            "documents vary there, and intervals may be too narrow: have both judge more of that topic and stratum"
        )


def _topic_words(count: int) -> str:
    if count == 1:
        return "one topic: intervals say how far other documents of it might differ, and nothing of other topics"
    return f"only {count} topics: intervals say how far other topics might differ, which so few hardly show"


def _barren(sheet: LabelSheet, rel: Sequence[float]) -> Iterator[str]:
    """Note on assessors without a relevant document, probably because their scale differs."""
    for index, name in enumerate(sheet.assessors):
        highest = np.nanmax(sheet.labels[:, index], initial=-np.inf)
        if highest < rel[index]:
            yield f"{name} has no label of {rel[index]:g} or more, so nothing is relevant; give a threshold of its own"
