"""`label_agreement`: how far assessors, or a model and assessors, give documents the same labels."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import stdtrit

from poolwise import checks
from poolwise.agree.chance_corrected import AGREEING, COEFFICIENTS
from poolwise.agree.design_error import drawn
from poolwise.agree.label_sheet import label_sheet
from poolwise.errors import ArgumentError, InputError
from poolwise.read.judging_events import settled, standings
from poolwise.read.judging_file import is_sqlite, opened
from poolwise.read.label_rows import label_rows
from poolwise.read.sources import run_name
from poolwise.results import Result, warn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.agree.chance_corrected import Coefficient
    from poolwise.agree.label_sheet import LabelSheet
    from poolwise.arrays import Floats


__all__ = [
    "COMBINED",
    "Agreed",
    "LabelAgreement",
    "agreement_of",
    "combined_labels",
    "label_agreement",
    "named_files",
    "sheet_of",
]

MOST_VALUES = 30  # more distinct labels than this are a scale, not classes
FEW_DOCUMENTS = 30


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


@dataclass(frozen=True, eq=False, repr=False)
class LabelAgreement(Result):
    """What assessors have in common.

    `rows` holds every coefficient; `confusion` of a pair how often (in documents of the pool) the first said the row's
    label and the second the column's; `disagreements` the documents with different labels.
    """

    assessors: tuple[str, ...]
    values: tuple[float, ...]
    rel: dict[str, float]  # the lowest relevant label of each assessor
    rows: tuple[Agreed, ...]
    confusions: dict[tuple[str, str], Floats]
    by_topic: tuple[Agreed, ...]
    by_stratum: tuple[Agreed, ...]
    disagreements: tuple[tuple[str, str, tuple[float | None, ...]], ...]
    sheet: LabelSheet
    level: float
    sampled: bool
    warnings: tuple[str, ...] = ()

    def facts(self) -> Mapping[str, Any]:
        """Everything but the labels themselves; confusions by the names of both."""
        confusions = {f"{a}, {b}": table for (a, b), table in self.confusions.items()}
        return {name: value for name, value in vars(self).items() if name != "sheet"} | {"confusions": confusions}

    def columns(self) -> dict[str, list[Any]]:
        """One row per coefficient and pair of assessors, or all of them together."""
        names = ("scale", "coefficient", "first", "second", "documents", "value", "low", "high")
        return {name: [getattr(row, name) for row in self.rows] for name in names}

    def headline(self) -> str:
        """Agreement in one sentence."""
        mean, low, high = self.mean_of_pairs("kappa")
        alpha = self.of("alpha_ordinal")
        pairs = "" if len(self.assessors) == 2 else f" on the mean of pairs ({low:.3f} to {high:.3f})"
        return (
            f"{len(self.assessors)} assessors, {alpha.documents} documents in common: kappa {mean:.3f}{pairs}, "
            f"Krippendorff's alpha (ordinal) {alpha.value:.3f} ({alpha.low:.3f} to {alpha.high:.3f})"
        )

    def of(self, coefficient: str, first: str = "all", second: str = "all", scale: str = "graded") -> Agreed:
        """Give one coefficient, of all assessors or of a pair in either order.

        Parameters
        ----------
        coefficient : str
            Its name.
        first, second : str
            The pair; "all" for all assessors together.
        scale : {"graded", "binary"}
            Labels as they are, or relevant against not.

        Returns
        -------
        Agreed
            The value with its interval.
        """
        for row in self.rows:
            if (row.coefficient, row.scale) == (coefficient, scale) and {row.first, row.second} == {first, second}:
                return row
        raise ArgumentError(f"there is no {scale} {coefficient} of {first!r} and {second!r}")

    def mean_of_pairs(self, coefficient: str, scale: str = "graded") -> tuple[float, float, float]:
        """Average a coefficient over all pairs of assessors.

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
        values = [row.value for row in self.rows if (row.coefficient, row.scale) == (coefficient, scale)]
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

    Where labels list documents that were not judged, those that were are a random sample of each topic and stratum, and
    coefficients and intervals are of all documents listed. Where everything is judged, intervals say how far other
    topics might differ.

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
    >>> found = label_agreement({"people": people, "model": model})
    >>> found.of("kappa", "people", "model").value
    0.5
    """
    return agreement_of(sheet_of(labels, unjudged, columns), rel=rel, level=level)


def sheet_of(
    labels: Mapping[str, Any] | Sequence[Any], unjudged: int | None = -1, columns: Mapping[str, str] | None = None
) -> LabelSheet:
    """Read the labels of all assessors into one sheet, as `label_agreement` does."""
    given = labels if isinstance(labels, Mapping) else named_files(labels)
    found, settled = _expanded(given, unjudged, columns)
    return label_sheet(found, settled)


def named_files(sources: Sequence[Any]) -> dict[str, Any]:
    """Files by their names."""
    names = [_assessor(str(source)) for source in sources]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two files are called {twice!r}; assessors need different names")
    return dict(zip(names, sources, strict=True))


def _assessor(path: str) -> str:
    """A file's name as an assessor's: without endings of compression and of tables."""
    name = run_name(path)
    return name.rpartition(".")[0] if name.lower().endswith((".csv", ".tsv", ".jsonl", ".json")) else name


def _expanded(
    given: Mapping[str, Any], unjudged: int | None, columns: Mapping[str, str] | None
) -> tuple[dict[str, Any], dict[tuple[str, str], float]]:
    """Rows of every assessor, and what was settled; a file of `poolwise judge` stands for all who worked with it."""
    found: dict[str, Any] = {}
    ended: dict[tuple[str, str], float] = {}
    for name, source in given.items():
        if isinstance(source, (str, os.PathLike)) and is_sqlite(os.fspath(source)):
            rows_of_all, own = _of_judging(os.fspath(source))
            found |= rows_of_all
            ended |= own
        else:
            rows = label_rows(source, unjudged=unjudged, columns=columns)
            strata = [max(stratum, 1) for stratum in rows.stratum]
            found[name] = list(zip(rows.topic, rows.document, rows.label, strata, strict=True))
    return found, ended


def _of_judging(
    path: str,
) -> tuple[dict[str, list[tuple[str, str, int | None, int]]], dict[tuple[str, str], float]]:
    """Rows of every assessor of a file of `poolwise judge`, each with the whole pool listed, and what was settled."""
    file = opened(path)
    try:
        pooled, events = file.pooled(), file.events()
    finally:
        file.connection.close()
    found = {
        assessor: [
            (topic, document, own[topic, document].label if (topic, document) in own else None, max(stratum, 1))
            for topic, document, stratum, _, _ in pooled
        ]
        for assessor, own in standings(events).items()
    }
    ended = {pair: float(event.label) for pair, event in settled(events).items() if event.label is not None}
    return found, ended


def agreement_of(sheet: LabelSheet, *, rel: float | Mapping[str, float] = 1.0, level: float = 0.95) -> LabelAgreement:
    """Compare the columns of a sheet."""
    checks.level(level)
    thresholds = thresholds_of(sheet.assessors, rel)
    if not sheet.shared().any():
        raise InputError("no document was judged by two assessors; labels of the same documents are needed")
    values = sheet.values()
    if len(values) > MOST_VALUES:
        raise InputError(f"{len(values)} different labels found; agreement is of at most {MOST_VALUES} classes")
    rows = tuple(_all_rows(sheet, thresholds, level))
    pairs = list(_pairs(sheet))
    return LabelAgreement(
        assessors=tuple(sheet.assessors),
        values=tuple(values.tolist()),
        rel=dict(zip(sheet.assessors, thresholds, strict=True)),
        rows=rows,
        confusions={names: _confusion(sheet, chosen, values, at) for names, at, chosen in pairs},
        by_topic=tuple(_by(sheet, np.asarray(sheet.topics), level)),
        by_stratum=tuple(_by(sheet, np.asarray([str(number) for _, number in sheet.cells])[sheet.cell], level)),
        disagreements=tuple(_disagreements(sheet)),
        sheet=sheet,
        level=level,
        sampled=sheet.sampled,
        warnings=warn_of((*_notes(sheet, pairs), *_barren(sheet, thresholds))),
    )


Pair = tuple[tuple[str, str], tuple[int, int], "NDArray[np.bool_]"]


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
        return [float(rel)] * len(assessors)
    for name in rel:
        if name:
            checks.known_name("assessor", name, assessors)
    return [float(rel.get(name, rel.get("", 1.0))) for name in assessors]


def _all_rows(sheet: LabelSheet, rel: Sequence[float], level: float) -> Iterator[Agreed]:
    for scale, labels in (("graded", sheet.labels), ("binary", _binary(sheet.labels, rel))):
        values = np.unique(labels[~np.isnan(labels)])
        if scale == "binary":
            values = np.array([0.0, 1.0])
        for coefficient in COEFFICIENTS.values():
            if (coefficient.name == "overlap") and scale == "graded":
                continue
            if coefficient.pairs:
                for names, at, chosen in _pairs(sheet):
                    yield _row(sheet, labels[:, at], chosen, values, coefficient, (scale, *names), level)
            else:
                yield _row(sheet, labels, sheet.shared(), values, coefficient, (scale, "all", "all"), level)


def _binary(labels: Floats, rel: Sequence[float]) -> Floats:
    return np.where(np.isnan(labels), np.nan, (labels >= np.asarray(rel)).astype(float))


def _row(
    sheet: LabelSheet,
    labels: Floats,
    chosen: NDArray[np.bool_],
    values: Floats,
    coefficient: Coefficient,
    about: tuple[str, str, str],
    level: float,
) -> Agreed:
    sample = drawn(sheet, chosen)
    items = coefficient.items(_places(labels[sample.chosen], values), len(values))
    total = sample.weights @ items
    with np.errstate(invalid="ignore", divide="ignore"):
        value = coefficient.value(total, values)
        error, freedom = sample.error(items @ coefficient.slopes(total, values))
    half = error * float(stdtrit(freedom, 0.5 + level / 2))
    scale, first, second = about
    low, high = max(coefficient.lowest, value - half), min(1.0, value + half)
    if error == 0:
        low, high = _without_spread(value, labels[sample.chosen], coefficient.lowest, level)
    return Agreed(scale, coefficient.name, first, second, len(sample.chosen), value, low, high)


def _without_spread(value: float, labels: Floats, lowest: float, level: float) -> tuple[float, float]:
    """The interval where all documents are alike, which does not make it certain.

    Of n documents none disagrees: by Clopper and Pearson as many as 1 - (alpha / 2)^(1 / n) of the pool may. A
    coefficient corrected for chance falls by that over the disagreement that chance would give. Where they are alike
    otherwise, nothing can be said.
    """
    if value == 1.0:
        most = 1.0 - ((1.0 - level) / 2) ** (1.0 / len(labels))
        _, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
        chance = 1.0 if lowest == 0.0 else 1.0 - float(((counts / counts.sum()) ** 2).sum())
        return max(lowest, 1.0 - most / chance) if chance > 0 else lowest, 1.0
    if value == 0.0 and lowest == 0.0:
        return 0.0, 1.0 - ((1.0 - level) / 2) ** (1.0 / len(labels))
    return np.nan, np.nan


def _places(labels: Floats, values: Floats) -> NDArray[np.int64]:
    """Labels as places among the values, -1 for none."""
    return np.where(np.isnan(labels), -1, np.searchsorted(values, np.nan_to_num(labels, nan=values[0])))


def _confusion(sheet: LabelSheet, chosen: NDArray[np.bool_], values: Floats, at: tuple[int, int]) -> Floats:
    sample = drawn(sheet, chosen)
    places = _places(sheet.labels[sample.chosen][:, at], values)
    found = np.zeros((len(values), len(values)))
    np.add.at(found, (places[:, 0], places[:, 1]), sample.weights)
    return found


def _by(sheet: LabelSheet, group: NDArray[np.str_], level: float) -> Iterator[Agreed]:
    """The share of agreeing pairs and Fleiss' kappa within each group of documents; then kappa of each pair."""
    values, shared = sheet.values(), sheet.shared()
    pairs = list(_pairs(sheet)) if len(sheet.assessors) > 2 else []
    for name in dict.fromkeys(group[shared].tolist()):
        own = group == name
        for coefficient in (AGREEING, COEFFICIENTS["fleiss_kappa"]):
            yield _row(sheet, sheet.labels, shared & own, values, coefficient, ("graded", name, "all"), level)
        for (first, second), at, chosen in pairs:
            if (chosen & own).any():
                about = ("graded", name, f"{first}, {second}")
                yield _row(sheet, sheet.labels[:, at], chosen & own, values, COEFFICIENTS["kappa"], about, level)


def _disagreements(sheet: LabelSheet) -> Iterator[tuple[str, str, tuple[float | None, ...]]]:
    for place in np.flatnonzero(sheet.shared()).tolist():
        row = sheet.labels[place]
        if np.nanmax(row) > np.nanmin(row):
            said = tuple(None if np.isnan(label) else float(label) for label in row)
            yield sheet.topics[place], sheet.documents[place], said


def _notes(sheet: LabelSheet, pairs: Sequence[Pair]) -> Iterator[str]:
    few = [f"{a} and {b} ({int(chosen.sum())})" for (a, b), _, chosen in pairs if chosen.sum() < FEW_DOCUMENTS]
    if few:
        yield f"few documents in common: {', '.join(few[:5])}; intervals of so few are rough"
    alone = [name for place, name in enumerate(sheet.assessors) if not any(place in at for _, at, _ in pairs)]
    if alone:
        yield f"no document in common with anyone: {', '.join(alone)}"


def _barren(sheet: LabelSheet, rel: Sequence[float]) -> Iterator[str]:
    """Assessors on whose scale nothing is relevant, most likely because it is another one."""
    for place, name in enumerate(sheet.assessors):
        highest = np.nanmax(sheet.labels[:, place], initial=-np.inf)
        if highest < rel[place]:
            yield f"{name} has no label of {rel[place]:g} or more, so nothing is relevant; give a threshold of its own"


def _majority(labels: list[float]) -> float:
    """The label given most often; of several, the lowest."""
    counts = {label: labels.count(label) for label in sorted(labels)}
    return max(counts, key=lambda label: counts[label])


def _rounded_mean(labels: list[float]) -> float:
    """The mean, to the nearest whole label, halves down."""
    return float(np.ceil(np.mean(labels) - 0.5))


def _first(labels: list[float]) -> float:
    return labels[0]


COMBINED: dict[str, Callable[[list[float]], float]] = {
    "majority": _majority, "mean": _rounded_mean, "first": _first, "adjudicated": _first,
}  # fmt: skip


def combined_labels(sheet: LabelSheet, how: str = "majority") -> list[tuple[str, str, int | None, int]]:
    """One label per document from those of all assessors, in the order that assessors were given.

    "adjudicated" is the label that was settled, where one was; elsewhere, and where all agree, the first.

    >>> sheet = label_sheet({"a": [("1", "x", 2.0, 1)], "b": [("1", "x", 0.0, 1)], "c": [("1", "x", 0.0, 1)]})
    >>> [combined_labels(sheet, how)[0][2] for how in COMBINED]
    [0, 1, 2, 2]
    """
    rule = COMBINED[checks.choice("how", how, COMBINED)]
    ended = sheet.settled if how == "adjudicated" else {}
    rows: list[tuple[str, str, int | None, int]] = []
    for place, (topic, document) in enumerate(zip(sheet.topics, sheet.documents, strict=True)):
        labels = [float(label) for label in sheet.labels[place] if label == label]
        if (topic, document) in ended:
            labels = [ended[topic, document]]
        stratum = sheet.cells[int(sheet.cell[place])][1]
        rows.append((topic, document, int(rule(labels)) if labels else None, stratum))
    return rows
