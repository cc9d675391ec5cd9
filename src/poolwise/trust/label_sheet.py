"""`LabelSheet`: labels of several assessors for the same documents, with the design of the sample."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from poolwise.basics.settings import choice
from poolwise.errors import ArgumentError, InputError
from poolwise.reading.files import key_numbered
from poolwise.reading.judging_file import given_in_view, in_view_of, is_sqlite, opened, settled, standings
from poolwise.reading.named_columns import check_somewhere
from poolwise.reading.records import label_rows
from poolwise.reading.sources import is_path, run_name
from poolwise.sampling.cells import Cells, cells_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from numpy.typing import NDArray

if TYPE_CHECKING:
    Row = tuple[str, str, float | None, int]


@dataclass(frozen=True, eq=False)
class LabelSheet:
    """Labels of listed documents, one row per document and one column per assessor. NaN where there is none.

    A cell is one stratum of one topic. If someone's labels list documents that were not judged (`sampled`), labels are
    a simple random sample of each cell, as everywhere in poolwise. If not, nothing was drawn: documents that someone
    lacks are left out.
    """

    assessors: Sequence[str]
    topics: Sequence[str]
    documents: Sequence[str]
    labels: NDArray[np.float64]
    cells: Cells
    sampled: bool
    settled: Mapping[tuple[str, str], float] = field(default_factory=dict)  # disagreements that were ended
    left_out: Mapping[str, int] = field(default_factory=dict)  # labels of other documents than the pool's, by assessor
    repeated: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)  # two labels by one assessor
    in_view: tuple[int, int] = (0, 0)  # labels that were given with values of runs in view, of how many

    def where(self, chosen: NDArray[np.bool_]) -> LabelSheet:
        """The sheet of some documents. Cells and their sizes stay."""
        indices = np.flatnonzero(chosen).tolist()
        return replace(
            self,
            topics=[self.topics[index] for index in indices],
            documents=[self.documents[index] for index in indices],
            labels=self.labels[chosen],
            cells=replace(self.cells, of=self.cells.of[chosen]),
        )

    def between(self, first: int, second: int) -> NDArray[np.bool_]:
        """Documents with labels of both of two assessors."""
        return ~(np.isnan(self.labels[:, first]) | np.isnan(self.labels[:, second]))

    def shared(self) -> NDArray[np.bool_]:
        """Documents with labels of two or more assessors."""
        return (~np.isnan(self.labels)).sum(axis=1) >= 2

    def values(self) -> NDArray[np.float64]:
        """The labels that occur, ascending."""
        return np.unique(self.labels[~np.isnan(self.labels)])


def label_sheet(
    rows_of: Mapping[str, Sequence[Row]],
    settled: Mapping[tuple[str, str], float] | None = None,
    plans: Sequence[str] = (),
) -> LabelSheet:
    """Bring the labels of several assessors together, document by document.

    The pool is what the plans among them list (`plans` names these). Without a plan, what those list who list documents
    that were not judged. Without these, what anyone lists. Labels of other documents are left out: no label of the
    sample speaks for them. A stratum given by one file holds for all. Two labels of one assessor for one document are
    an error.

    >>> ann, model = [("1", "a", 1.0, 1), ("1", "b", None, 1)], [("1", "a", 0.0, 1), ("1", "z", 1.0, 1)]
    >>> sheet = label_sheet({"ann": ann, "model": model})
    >>> sheet.labels.tolist(), sheet.cells.size.tolist(), sheet.left_out
    ([[1.0, 0.0], [nan, nan]], [2], {'model': 1})
    """
    if len(rows_of) < 2:
        raise InputError("agreement needs the labels of two assessors or more; give another file")
    rows: dict[tuple[str, str], list[float]] = {}
    strata: dict[tuple[str, str], int] = {}
    sampled, pool, left_out = False, _pool(rows_of, plans), dict.fromkeys(rows_of, 0)
    for column, (name, listed) in enumerate(rows_of.items()):
        for topic, document, label, stratum in listed:
            key = (topic, document)
            if pool is not None and key not in pool:
                left_out[name] += label is not None
                continue
            row = rows.setdefault(key, [np.nan] * len(rows_of))
            strata[key] = max(stratum, strata.get(key, 1))
            if label is None:
                sampled = True
                continue
            if row[column] == row[column] and row[column] != label:
                raise InputError(f"{name}: topic {topic!r}: document {document!r} has two labels; keep one")
            row[column] = label
    # By topic, so that cells of neighbouring topics are neighbours where some must be taken together.
    keys = sorted(rows, key=lambda key: (key_numbered(key[0]), key[1]))
    built = _built(list(rows_of), keys, [rows[key] for key in keys], [strata[key] for key in keys], sampled)
    return replace(built, settled=settled or {}, left_out={name: count for name, count in left_out.items() if count})


def _pool(rows_of: Mapping[str, Sequence[Row]], plans: Sequence[str]) -> set[tuple[str, str]] | None:
    """The population of the sample. None without a sample."""
    listing = plans or [name for name, rows in rows_of.items() if any(label is None for _, _, label, _ in rows)]
    return {(topic, document) for name in listing for topic, document, _, _ in rows_of[name]} or None


def _built(
    assessors: list[str],
    keys: list[tuple[str, str]],
    labels: list[list[float]],
    strata: list[int],
    sampled: bool,
) -> LabelSheet:
    table = np.asarray(labels, dtype=float).reshape(len(keys), len(assessors))
    topics = [topic for topic, _ in keys]
    number = {topic: index for index, topic in enumerate(dict.fromkeys(topics))}
    parent = np.array([number[topic] for topic in topics], dtype=np.int64)
    labelled = ~np.isnan(table).all(axis=1)
    cells = cells_of(parent, np.asarray(strata, dtype=np.int64), labelled, labelled)
    return LabelSheet(assessors, topics, [document for _, document in keys], table, cells, sampled)


def _majority(labels: list[float]) -> float:
    """The most frequent label, the lowest of ties."""
    counts = {label: labels.count(label) for label in sorted(labels)}
    return max(counts, key=lambda label: counts[label])


def _mean(labels: list[float]) -> float:
    """The mean label. Means of whole labels are rounded, halves down."""
    mean = float(np.mean(labels))
    return float(np.ceil(mean - 0.5)) if all(map(float.is_integer, labels)) else mean


def _first(labels: list[float]) -> float:
    return labels[0]


COMBINED: dict[str, Callable[[list[float]], float]] = {
    "majority": _majority, "mean": _mean, "first": _first, "adjudicated": _first,
}  # fmt: skip


def combined_labels(sheet: LabelSheet, how: str = "majority") -> list[Row]:
    """One label per document from those of all assessors, in the order that assessors were given.

    "adjudicated" is the label that was settled, where one was. Elsewhere, and where all agree, the first.

    >>> sheet = label_sheet({"a": [("1", "x", 2.0, 1)], "b": [("1", "x", 0.0, 1)], "c": [("1", "x", 0.0, 1)]})
    >>> [combined_labels(sheet, how)[0][2] for how in COMBINED]
    [0, 1, 2, 2]
    """
    rule = COMBINED[choice("by", how, COMBINED)]
    ended = sheet.settled if how == "adjudicated" else {}
    strata = sheet.cells.stratum[sheet.cells.of]
    rows: list[Row] = []
    for index, (topic, document) in enumerate(zip(sheet.topics, sheet.documents, strict=True)):
        labels = [float(label) for label in sheet.labels[index] if label == label]
        if (topic, document) in ended:
            labels = [ended[topic, document]]
        stratum = int(strata[index])
        rows.append((topic, document, _plain(rule(labels)) if labels else None, stratum))
    return rows


def _plain(label: float) -> float:
    return int(label) if label.is_integer() else label


if TYPE_CHECKING:
    Pair = tuple[str, str]  # topic and document


def sheet_of(
    labels: Mapping[str, Any] | Sequence[Any], unjudged: int | None = -1, columns: Mapping[str, str] | None = None
) -> LabelSheet:
    """Read the labels of all assessors into one sheet, as `label_agreement` does."""
    sources = by_assessor(labels)
    check_somewhere(columns, list(sources.values()))
    found = _expanded(sources, unjudged, columns)
    sheet = label_sheet({**found.labels, **found.own_again()}, found.ended, found.plans)
    return replace(sheet, repeated=found.repeated, in_view=found.in_view)


def by_assessor(labels: Any) -> Mapping[str, Any]:
    """Labels by assessor: a mapping as it is, or a list of files and tables, numbered."""
    if isinstance(labels, Mapping):
        return labels
    if not hasattr(labels, "__iter__") or hasattr(labels, "columns"):
        raise ArgumentError(
            f"labels={type(labels).__name__} are not by assessor; give a dict such as {{'ann': table, 'bob': table}}, "
            "or a list of files"
        )
    listed = [labels] if is_path(labels) else list(labels)
    names = [source if is_path(source) else str(index) for index, source in enumerate(listed, 1)]
    return dict(zip(named_files(names), listed, strict=True))


def named_files(sources: Sequence[Any]) -> dict[str, Any]:
    """Files by assessor: the name without endings, with the folder if names repeat.

    >>> list(named_files(["ann.txt", "a/bob.csv", "b/bob.csv"]))
    ['ann', 'a/bob', 'b/bob']
    """
    names = [_assessor(str(source)) for source in sources]
    alike = {name for name in names if names.count(name) > 1}
    for index, source in enumerate(sources):
        if names[index] in alike:
            names[index] = os.path.join(os.path.dirname(os.path.normpath(str(source))), names[index])
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two files are called {twice!r}; assessors need different names")
    return dict(zip(names, sources, strict=True))


def _assessor(path: str) -> str:
    """A file's name as an assessor's: without endings of compression and of tables."""
    name = run_name(path)
    return name.rpartition(".")[0] if name.lower().endswith((".csv", ".tsv", ".jsonl", ".json")) else name


@dataclass
class _AssessorRows:
    """Rows of every assessor, settled labels, plans, and repeated labels."""

    labels: dict[str, Any] = field(default_factory=dict)
    ended: dict[Pair, float] = field(default_factory=dict)
    plans: list[str] = field(default_factory=list)
    again: dict[str, Any] = field(default_factory=dict)  # rows of documents that came again
    in_view: tuple[int, int] = (0, 0)  # labels given with values of runs in view, of how many

    @property
    def repeated(self) -> dict[str, list[tuple[float, float]]]:
        """The first and the second label of each document that somebody labelled twice."""
        pairs: dict[str, list[tuple[float, float]]] = {}
        for name, rows in self.again.items():
            first = {(topic, document): label for topic, document, label, _ in self.labels.get(name, ())}
            both = [(first.get((topic, document)), label) for topic, document, label, _ in rows]
            pairs[name] = [
                (float(before), float(after)) for before, after in both if before is not None and after is not None
            ]
        return {name: labels for name, labels in pairs.items() if labels}

    def own_again(self) -> dict[str, Any]:
        """The sheet with second labels as separate assessors, if assessors share no document."""
        times = Counter(
            (topic, document)
            for rows in self.labels.values()
            for topic, document, label, _ in rows
            if label is not None
        )
        if max(times.values(), default=0) > 1:
            return {}
        return {f"{name} (again)": self.again[name] for name in self.repeated}


def _expanded(sources: Mapping[str, Any], unjudged: int | None, columns: Mapping[str, str] | None) -> _AssessorRows:
    """Rows of all sources. A file of `poolwise judge` has several assessors, each with a plan."""
    found = _AssessorRows()
    for name, source in sources.items():
        if isinstance(source, (str, os.PathLike)) and is_sqlite(os.fspath(source)):
            judging = _of_judging(os.fspath(source))
            names = {each: _told_apart(each, name, found.labels) for each in judging.labels}
            found.labels |= {names[each]: rows for each, rows in judging.labels.items()}
            found.again |= {names[each]: rows for each, rows in judging.again.items() if each in names}
            found.ended |= judging.ended
            found.plans += names.values()
            in_view = judging.in_view
        else:
            rows = label_rows(source, unjudged=unjudged, columns=columns, decimals=True)
            if not rows.topic:
                raise InputError(f"{rows.name}: is empty; give a file with the labels of {name}")
            strata = [max(stratum, 1) for stratum in rows.stratum]
            found.labels[name] = list(zip(rows.topic, rows.document, rows.label, strata, strict=True))
            if rows.has_strata or rows.header:
                found.plans.append(name)
            in_view = in_view_of(rows.header)
        found.in_view = found.in_view[0] + in_view[0], found.in_view[1] + in_view[1]
    return found


def _told_apart(assessor: str, file: str, others: Collection[str]) -> str:
    """An assessor's name, with the file's name if another file has the same assessor."""
    return f"{assessor} ({file})" if assessor in others else assessor


def _of_judging(path: str) -> _AssessorRows:
    """Rows of every assessor in a file of `poolwise judge`, with the whole pool, and settled labels."""
    file = opened(path)
    try:
        pooled, events = file.pooled(), file.events()
    finally:
        file.connection.close()
    first, again = (
        {
            assessor: [
                (
                    topic,
                    document,
                    events_of[topic, document].label if (topic, document) in events_of else None,
                    max(stratum, 1),
                )
                for topic, document, stratum, _, _ in pooled
            ]
            for assessor, events_of in standings(events, second).items()
        }
        for second in (False, True)
    )
    ended = {pair: float(event.label) for pair, event in settled(events).items() if event.label is not None}
    return _AssessorRows(first, ended, again=again, in_view=given_in_view(events))
