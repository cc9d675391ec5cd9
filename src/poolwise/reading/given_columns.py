"""Columns that the user named must be somewhere: a slip of the pen would else be passed over in silence."""

from __future__ import annotations

from poolwise.basics.words import short
from poolwise.errors import ArgumentError, InputError
from poolwise.reading.column_names import check_columns
from poolwise.reading.foreign_text import MARKS, ForeignText, cells_of
from poolwise.reading.forms import BEGINNING
from poolwise.reading.json_objects import json_value
from poolwise.reading.opening import STREAM, opened
from poolwise.reading.sources import file_or_table, qrels_source, sources_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from poolwise.reading.sources import Source

OF_BOTH, OF_RUNS, OF_LABELS = ("topic", "document"), ("score", "rank", "run"), ("label", "stratum", "round")


def check_given(columns: Mapping[str, str], qrels: Any, runs: Iterable[Any]) -> None:
    """Refuse a name of a column that neither the judgments nor any run has; those of topics and documents may differ.

    >>> import pandas
    >>> check_given({"topic": "need"}, None, [pandas.DataFrame({"need": [1], "document": ["a"], "score": [0.5]})])
    """
    labels = [] if qrels is None else [_Header(qrels_source(qrels, columns), True)]
    others = [_Header(source, False) for given in runs for source in sources_of(given, False, columns)]
    for name, own in columns.items():
        if own.isdecimal():
            continue
        concerned = [*labels, *others] if name in OF_BOTH else others if name in OF_RUNS else labels
        if concerned and not any(header.has(own) for header in concerned):
            raise ArgumentError(
                f"columns: {name}={own!r}, but no table has a column of that name; {concerned[0].words()}"
            )


def check_somewhere(
    columns: Mapping[str, str] | None, tables: Sequence[Any], known: Sequence[str] = (*OF_BOTH, *OF_LABELS)
) -> None:
    """Refuse a name of a column that none of some tables of labels has."""
    check_columns(columns, known)
    headers = [_Header(file_or_table(table, "labels"), True) for table in tables]
    for name, own in (columns or {}).items():
        if not own.isdecimal() and headers and not any(header.has(own) for header in headers):
            raise ArgumentError(
                f"columns: {name}={own!r}, but no table has a column of that name; {headers[0].words()}"
            )


def without_others(
    columns: Mapping[str, str], qrels: Any, runs: Iterable[Any], others: Iterable[Any]
) -> dict[str, str]:
    """The same without names of topics and documents that tables beside judgments and runs have, and none of these."""
    beside = [_Header(file_or_table(table, "predictions"), True) for table in others]
    labels = [] if qrels is None else [_Header(qrels_source(qrels, columns), True)]
    own = [*labels, *(_Header(source, False) for given in runs for source in sources_of(given, False, columns))]
    return {
        name: called
        for name, called in columns.items()
        if name not in OF_BOTH
        or called.isdecimal()
        or not any(header.has(called) for header in beside)
        or any(header.has(called) for header in own)
    }


def shared_out(
    columns: Mapping[str, str] | None, labels: Iterable[Any], runs: Iterable[Any]
) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """Of a map for tables of labels and of runs what holds for each; a name that none of them has is refused."""
    given = check_columns(columns)
    of_labels = [_Header(file_or_table(table, "labels"), True) for table in labels]
    of_runs = [_Header(source, False) for table in runs for source in sources_of(table, False, columns)]
    both: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for name, own in given.items():
        for part, headers, others in ((both[0], of_labels, OF_RUNS), (both[1], of_runs, OF_LABELS)):
            if name not in others and (own.isdecimal() or any(header.has(own) for header in headers)):
                part[name] = own
        if not any(name in part for part in both):
            words = (of_runs if name in OF_RUNS else of_labels)[0].words()
            raise ArgumentError(f"columns: {name}={own!r}, but no table has a column of that name; {words}")
    return both[0] or None, both[1] or None


class _Header:
    """The names of a source's columns, read when they are asked for."""

    def __init__(self, source: Source, labels: bool) -> None:
        self._source, self._labels = source, labels
        self._names: list[str] | None = None
        self._start = ""  # of JSON, in which names may stand anywhere
        self._unknown = source.once

    def has(self, name: str) -> bool:
        """Whether there is such a column; what can be read once only, or not at all, may have it."""
        if self._names is None:
            self._names = [] if self._unknown else self._read()
        return self._unknown or name.lower() in map(str.lower, self._names) or f'"{name.lower()}"' in self._start

    def words(self) -> str:
        """What there is instead."""
        listed = ", ".join(map(repr, self._names or []))
        return f"{self._source.where} has {short(listed) if listed else 'no names of columns'}"

    def _read(self) -> list[str]:
        if self._source.path is None:
            return _names_of_table(self._source.table)
        try:
            with opened(self._source, STREAM) as (file, kind):
                if kind == "parquet":
                    from poolwise.reading.tables import read_parquet

                    return list(read_parquet(file, self._source.where).column_names)
                if kind == "sqlite":
                    return []
                return self._names_of_text(file)
        except InputError:
            self._unknown = True  # its own error follows
            return []

    def _names_of_text(self, file: Any) -> list[str]:
        text = ForeignText(self._source.where, self._source.path or "", self._labels, None, file.read(BEGINNING))
        if text.first.lstrip().startswith(("{", "[")):
            self._start = text.start.decode("utf-8", "replace").lower()
            return _names_of_object(text.first)
        cuts = (cells_of(text.first, mark) for mark in MARKS)
        return next((cells for cells in cuts if len(cells) > 1), [])


def _names_of_object(line: str) -> list[str]:
    """The names of an object, or of the first in a list, if its line is whole."""
    try:
        value = json_value(line.strip().lstrip("[").rstrip("],") if line.startswith("[") else line)
    except ValueError:
        return []
    return list(value) if isinstance(value, dict) else []


def _names_of_table(table: Any) -> list[str]:
    if not isinstance(table, (dict, list, tuple)) and hasattr(table, "columns"):
        names = table.columns() if callable(table.columns) else table.columns  # a plan gives them by a call
        return [str(name) for name in names]
    first = table[0] if isinstance(table, (list, tuple)) and table else None
    return list(first) if isinstance(first, dict) else list(getattr(first, "_fields", ()))
