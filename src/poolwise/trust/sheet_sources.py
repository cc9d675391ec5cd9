"""Where a sheet of labels comes from: files and tables of assessors, and files of `poolwise judge`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from poolwise.errors import ArgumentError, InputError
from poolwise.reading.given_columns import check_somewhere
from poolwise.reading.judging_events import given_in_view, in_view_of, settled, standings
from poolwise.reading.judging_file import is_sqlite, opened
from poolwise.reading.label_rows import label_rows
from poolwise.reading.sources import is_path, run_name
from poolwise.trust.label_sheet import label_sheet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from poolwise.trust.label_sheet import LabelSheet

    Pair = tuple[str, str]  # topic and document

__all__ = ["by_assessor", "named_files", "sheet_of"]


def sheet_of(
    labels: Mapping[str, Any] | Sequence[Any], unjudged: int | None = -1, columns: Mapping[str, str] | None = None
) -> LabelSheet:
    """Read the labels of all assessors into one sheet, as `label_agreement` does."""
    given = by_assessor(labels)
    check_somewhere(columns, list(given.values()))
    found = _expanded(given, unjudged, columns)
    sheet = label_sheet({**found.labels, **found.own_again()}, found.ended, found.plans)
    return replace(sheet, repeated=found.repeated, in_view=found.in_view)


def by_assessor(labels: Any) -> Mapping[str, Any]:
    """Labels by who gave them: as they are, or files and tables one after the other, which are called by number."""
    if isinstance(labels, Mapping):
        return labels
    if not hasattr(labels, "__iter__") or hasattr(labels, "columns"):
        raise ArgumentError(
            f"labels={type(labels).__name__} are not by assessor; give a dict such as {{'ann': table, 'bob': table}}, "
            "or a list of files"
        )
    listed = [labels] if is_path(labels) else list(labels)
    names = [source if is_path(source) else str(place) for place, source in enumerate(listed, 1)]
    return dict(zip(named_files(names), listed, strict=True))


def named_files(sources: Sequence[Any]) -> dict[str, Any]:
    """Files, each under the name of its assessor: its own without endings, with its folder where two are called alike.

    >>> list(named_files(["ann.txt", "a/bob.csv", "b/bob.csv"]))
    ['ann', 'a/bob', 'b/bob']
    """
    names = [_assessor(str(source)) for source in sources]
    alike = {name for name in names if names.count(name) > 1}
    for place, source in enumerate(sources):
        if names[place] in alike:
            names[place] = os.path.join(os.path.dirname(os.path.normpath(str(source))), names[place])
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two files are called {twice!r}; assessors need different names")
    return dict(zip(names, sources, strict=True))


def _assessor(path: str) -> str:
    """A file's name as an assessor's: without endings of compression and of tables."""
    name = run_name(path)
    return name.rpartition(".")[0] if name.lower().endswith((".csv", ".tsv", ".jsonl", ".json")) else name


@dataclass
class _Found:
    """Rows of every assessor, what was settled, who has a plan, and labels that were given again."""

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
            pairs[name] = [(float(one), float(two)) for one, two in both if one is not None and two is not None]
        return {name: own for name, own in pairs.items() if own}

    def own_again(self) -> dict[str, Any]:
        """Where nobody shares a document with anybody else, second labels stand for assessors of their own."""
        times = Counter(
            (topic, document)
            for rows in self.labels.values()
            for topic, document, label, _ in rows
            if label is not None
        )
        if max(times.values(), default=0) > 1:
            return {}
        return {f"{name} (again)": self.again[name] for name in self.repeated}


def _expanded(given: Mapping[str, Any], unjudged: int | None, columns: Mapping[str, str] | None) -> _Found:
    """What all sources hold; a file of `poolwise judge` stands for all who worked with it, each with its plan."""
    found = _Found()
    for name, source in given.items():
        if isinstance(source, (str, os.PathLike)) and is_sqlite(os.fspath(source)):
            own = _of_judging(os.fspath(source))
            names = {each: _told_apart(each, name, found.labels) for each in own.labels}
            found.labels |= {names[each]: rows for each, rows in own.labels.items()}
            found.again |= {names[each]: rows for each, rows in own.again.items() if each in names}
            found.ended |= own.ended
            found.plans += names.values()
            in_view = own.in_view
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
    """An assessor's name, with the file's where somebody of that name worked with another one."""
    return f"{assessor} ({file})" if assessor in others else assessor


def _of_judging(path: str) -> _Found:
    """Rows of every assessor of a file of `poolwise judge`, each with the whole pool listed, and what was settled."""
    file = opened(path)
    try:
        pooled, events = file.pooled(), file.events()
    finally:
        file.connection.close()
    first, again = (
        {
            assessor: [
                (topic, document, own[topic, document].label if (topic, document) in own else None, max(stratum, 1))
                for topic, document, stratum, _, _ in pooled
            ]
            for assessor, own in standings(events, second).items()
        }
        for second in (False, True)
    )
    ended = {pair: float(event.label) for pair, event in settled(events).items() if event.label is not None}
    return _Found(first, ended, again=again, in_view=given_in_view(events))
