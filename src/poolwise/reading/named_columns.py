"""Tables of any columns: CSV, TSV, JSON, JSON lines, Parquet, compressed or not, data frames, lists of dicts."""

from __future__ import annotations

from poolwise.basics.words import counted, short, unescaped_cells
from poolwise.errors import ArgumentError, InputError
from poolwise.reading.columns import check_columns, is_numbered, json_object, json_value, places_of
from poolwise.reading.foreign_text import MARKS, NO_TAG, ForeignText, cells_of
from poolwise.reading.forms import BEGINNING
from poolwise.reading.opening import STREAM, formed, opened, whole
from poolwise.reading.sources import ending_of, file_or_table, qrels_source, sources_of
from poolwise.reading.tables import every_column, read_parquet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from poolwise.reading.forms import Form
    from poolwise.reading.sources import Source

OF_BOTH, OF_RUNS, OF_LABELS = ("topic", "document"), ("score", "rank", "run"), ("label", "stratum", "round")


def check_given(columns: Mapping[str, str], qrels: Any, runs: Iterable[Any]) -> None:
    """Refuse a name of a column that neither the judgments nor any run has; those of topics and documents may differ.

    >>> import pandas
    >>> check_given({"topic": "need"}, None, [pandas.DataFrame({"need": [1], "document": ["a"], "score": [0.5]})])
    """
    labels, others = _headers(qrels, runs, columns)
    for name, called in columns.items():
        _check(name, called, [*labels, *others] if name in OF_BOTH else others if name in OF_RUNS else labels)


def check_somewhere(
    columns: Mapping[str, str] | None, tables: Sequence[Any], known: Sequence[str] = (*OF_BOTH, *OF_LABELS)
) -> None:
    """Refuse a name of a column that none of some tables of labels has."""
    check_columns(columns, known)
    headers = [_Header(file_or_table(table, "labels"), True) for table in tables]
    for name, called in (columns or {}).items():
        _check(name, called, headers)


def without_others(
    columns: Mapping[str, str], qrels: Any, runs: Iterable[Any], others: Iterable[Any]
) -> dict[str, str]:
    """The same without names of topics and documents that tables beside judgments and runs have, and none of these."""
    beside = [_Header(file_or_table(table, "predictions"), True) for table in others]
    labels, lists = _headers(qrels, runs, columns)
    return {
        name: called
        for name, called in columns.items()
        if name not in OF_BOTH or not _is_in(called, beside) or _is_in(called, [*labels, *lists])
    }


def shared_out(
    columns: Mapping[str, str] | None, labels: Iterable[Any], runs: Iterable[Any]
) -> tuple[dict[str, str] | None, dict[str, str] | None]:
    """Of a map for tables of labels and of runs what holds for each; a name that none of them has is refused."""
    of_labels = [_Header(file_or_table(table, "labels"), True) for table in labels]
    _, of_runs = _headers(None, runs, columns)
    both: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for name, called in check_columns(columns).items():
        for part, headers, others in ((both[0], of_labels, OF_RUNS), (both[1], of_runs, OF_LABELS)):
            if name not in others and (called.isdecimal() or _is_in(called, headers)):
                part[name] = called
        if not any(name in part for part in both):
            _check(name, called, of_runs if name in OF_RUNS else of_labels)
    return both[0] or None, both[1] or None


def _headers(qrels: Any, runs: Iterable[Any], columns: Mapping[str, str] | None) -> tuple[list[_Header], list[_Header]]:
    """The headers of judgments and of runs."""
    labels = [] if qrels is None else [_Header(qrels_source(qrels, columns), True)]
    return labels, [_Header(source, False) for run in runs for source in sources_of(run, False, columns)]


def _is_in(called: str, headers: Iterable[_Header]) -> bool:
    """Whether a table has a column of that name; a number is no name."""
    return not called.isdecimal() and any(header.has(called) for header in headers)


def _check(name: str, called: str, headers: Sequence[_Header]) -> None:
    """Refuse a name of a column that no table has, if there are tables."""
    if headers and not called.isdecimal() and not _is_in(called, headers):
        raise ArgumentError(f"columns: {name}={called!r}, but no table has a column of that name; {headers[0].words()}")


class _Header:
    """The names of a source's columns, read when they are asked for."""

    def __init__(self, source: Source, labels: bool) -> None:
        self._source, self._labels = source, labels
        self._names: list[str] | None = None
        self._start = ""  # of JSON, in which names may stand anywhere
        self._unknown = source.once

    def has(self, name: str) -> bool:
        """Whether the column exists. True if the source cannot be read beforehand."""
        if self._names is None:
            self._names = [] if self._unknown else self._read()
        return self._unknown or name.lower() in map(str.lower, self._names) or f'"{name.lower()}"' in self._start

    def words(self) -> str:
        """The names that there are instead, in words."""
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


if TYPE_CHECKING:
    Rows = dict[str, list[tuple[str, str, float]]]  # topic, document and score, by run


def runs_of_table(path: str, columns: Mapping[str, str] | None = None) -> list[tuple[str, Any]]:
    """The runs of a table, JSON lines or a list of JSON that names several, as rows; none if it names one or none."""
    source = file_or_table(path, "run")
    source.columns = columns
    if not _names_runs(source):
        return []
    with opened(source, STREAM) as (file, _):
        text, form, file = formed(file, source, labels=False)
        text.split = True
        rows = _by_run(form.lines(file, text), text, form.name == "JSON") if form else {}
    return list(rows.items()) if len(rows) > 1 else []


def _names_runs(source: Source) -> bool:
    """Whether the beginning of a file names runs. False for unreadable files, which are refused later."""
    try:
        with opened(source, STREAM) as (file, kind):
            if kind in ("parquet", "sqlite"):
                return False
            text, form, _ = formed(file, source, labels=False)
            return form is not None and _beginning_names(text, form)
    except InputError:
        return False


def _by_run(lines: Iterator[bytes], text: ForeignText, entries: bool) -> Rows:
    """Rows by the tag of their lines; `entries` are counted where the text is no matter of lines."""
    rows: Rows = {}
    number = 0
    unnamed = ""
    for line in lines:
        number += line.count(b"\n")
        if line.strip() and not line.startswith(b"#"):
            topic, _, document, _, score, tag = line.decode("utf-8", "surrogateescape").rstrip("\n").split(" ", 5)
            row_name = f"{text.where}: entry {number}" if entries else f"{text.where}:{number}"
            unnamed = unnamed or (row_name if tag == NO_TAG else "")
            rows.setdefault(tag, []).append((topic, document, _score(score, row_name)))
    if unnamed and len(rows) > 1:
        raise InputError(f"{unnamed}: no run is named, as in other rows; name one")
    return rows


def _beginning_names(text: ForeignText, form: Form) -> bool:
    """Whether the beginning of a file names runs. For JSON the answer may be revised."""
    if form.name == "table":
        mark = next(filter(text.has_all, MARKS))
        return is_numbered(text.run_names) or bool(places_of(cells_of(text.first, mark), {"run": text.run_names}))
    if not form.name.startswith("JSON") or (form.name == "JSON" and not text.start.lstrip().startswith(b"[")):
        return False
    start = text.start.lower()
    return any(f'"{name}"'.lower().encode("utf-8", "surrogateescape") in start for name in text.run_names)


def _score(text: str, row_name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{row_name}: score {short(text)!r} is not a number; every row needs one") from None


class NamedColumns:
    """Columns by name, as they are in a table, what it is called, and where each row stands."""

    def __init__(self, where: str, columns: dict[str, list[Any]], row_names: Sequence[str] | None = None) -> None:
        self.where, self.columns, self._row_names = where, columns, row_names
        if not columns or not len(self):
            raise InputError(f"{where}: no rows found; a table needs names of columns and a row per item")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def row_name(self, row: int) -> str:
        """Where a row stands, for messages."""
        return self._row_names[row] if self._row_names else f"{self.where}: row {row + 1}"


def named_columns(data: Any, name: str) -> NamedColumns:
    """Read all columns of a file or a table; `name` is what a table in memory is called.

    >>> named_columns([{"item": "a", "score": 1}, {"item": "b"}], "items").columns
    {'item': ['a', 'b'], 'score': [1, None]}
    """
    source = file_or_table(data, name)
    if source.path is None:
        return _of_table(source.table, source.where)
    with opened(source, STREAM) as (file, kind):
        if kind == "parquet":
            return NamedColumns(source.where, every_column(read_parquet(file, source.where), source.where))
        text = whole(file).decode("utf-8-sig", "surrogateescape")
    if text.lstrip()[:1] in ("{", "["):
        return _of_json(text, source.where)
    return _of_cells(text, "\t" if ending_of(source.path) == ".tsv" else "", source.where)


def _of_table(table: Any, where: str) -> NamedColumns:
    if isinstance(table, dict):
        for name, column in table.items():
            if isinstance(column, str) or not hasattr(column, "__len__"):
                raise InputError(
                    f"{where}: column {short(repr(name))} holds {short(repr(column))}; give lists by column, as in "
                    "{'item': ['a'], 'score': [1]}, a dict per row, a data frame, or a file"
                )
        columns = {str(name): list(column) for name, column in table.items()}
        if len({len(column) for column in columns.values()}) > 1:
            raise InputError(f"{where}: columns differ in length; every column needs a cell per item")
        return NamedColumns(where, columns)
    if isinstance(table, (list, tuple)):
        return _of_objects(table, where, [f"{where}: row {number}" for number in range(1, len(table) + 1)])
    return NamedColumns(where, every_column(table, where))


def _of_objects(rows: Sequence[Any], where: str, row_names: Sequence[str]) -> NamedColumns:
    for row_name, row in zip(row_names, rows, strict=True):
        if not isinstance(row, dict):
            raise InputError(f"{row_name}: {short(repr(row))} has no names; every row is a dict or an object")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return NamedColumns(where, {str(name): [row.get(name) for row in rows] for name in names}, row_names)


def _of_json(text: str, where: str) -> NamedColumns:
    """A list of objects, or one object per line."""
    if text.lstrip()[0] == "[":
        try:
            rows = json_value(text)
        except ValueError as error:
            raise InputError(f"{where}: this is no JSON ({error}); a list of objects is needed") from None
        return _of_objects(rows, where, [f"{where}: row {number}" for number in range(1, len(rows) + 1)])
    lines = [(f"{where}:{number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    objects = [json_object(line, row_name, "an object") for row_name, line in lines]
    return _of_objects(objects, where, [row_name for row_name, _ in lines])


def _of_cells(text: str, mark: str, where: str) -> NamedColumns:
    """Lines of cells between commas or tabs, the first of which names the columns."""
    import csv
    import io

    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark or ("\t" if "\t" in first else ","))
    header: list[str] = []
    rows: list[list[str]] = []
    row_names: list[str] = []
    try:
        for row in reader:
            if not header:
                header = [name.strip() for name in unescaped_cells(row)]
            elif row:
                rows.append(unescaped_cells(row))
                row_names.append(f"{where}:{reader.line_num}")
    except csv.Error as error:
        raise InputError(f"{where}:{reader.line_num}: cannot be read as CSV ({error}); mend the line") from error
    _check_header(header, where)
    for row_name, row in zip(row_names, rows, strict=True):
        if len(row) != len(header):
            raise InputError(f"{row_name}: {counted(len(row), 'cell')} found; the first line names {len(header)}")
    columns = {name: [row[at].strip() for row in rows] for at, name in enumerate(header)}
    return NamedColumns(where, columns, row_names)


def _check_header(header: Sequence[str], where: str) -> None:
    twice = [name for name in dict.fromkeys(header) if header.count(name) > 1]
    if twice:
        raise InputError(f"{where}:1: two columns are called {short(repr(twice[0]))}; name each column once")
    if len(header) == 1 and ";" in header[0]:
        raise InputError(f"{where}:1: cells stand between semicolons; save the table with commas or tabs between them")
