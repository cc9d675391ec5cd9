"""Tables of any columns: CSV, TSV, JSON, JSON lines, Parquet, compressed or not, data frames, lists of dicts."""

from __future__ import annotations

from poolwise.basics.words import counted, short, unescaped_cells
from poolwise.errors import InputError
from poolwise.reading.json_objects import json_object, json_value
from poolwise.reading.opening import STREAM, opened, whole
from poolwise.reading.sources import ending_of, file_or_table
from poolwise.reading.tables import every_column, read_parquet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class NamedColumns:
    """Columns by name, as they are in a table, what it is called, and where each row stands."""

    def __init__(self, where: str, columns: dict[str, list[Any]], places: Sequence[str] | None = None) -> None:
        self.where, self.columns, self._places = where, columns, places
        if not columns or not len(self):
            raise InputError(f"{where}: no rows found; a table needs names of columns and a row per item")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def place(self, row: int) -> str:
        """Where a row stands, for messages."""
        return self._places[row] if self._places else f"{self.where}: row {row + 1}"


def named_columns(given: Any, name: str) -> NamedColumns:
    """Read all columns of a file or a table; `name` is what a table in memory is called.

    >>> named_columns([{"item": "a", "score": 1}, {"item": "b"}], "items").columns
    {'item': ['a', 'b'], 'score': [1, None]}
    """
    source = file_or_table(given, name)
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


def _of_objects(rows: Sequence[Any], where: str, places: Sequence[str]) -> NamedColumns:
    for place, row in zip(places, rows, strict=True):
        if not isinstance(row, dict):
            raise InputError(f"{place}: {short(repr(row))} has no names; every row is a dict or an object")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return NamedColumns(where, {str(name): [row.get(name) for row in rows] for name in names}, places)


def _of_json(text: str, where: str) -> NamedColumns:
    """A list of objects, or one object per line."""
    if text.lstrip()[0] == "[":
        try:
            rows = json_value(text)
        except ValueError as error:
            raise InputError(f"{where}: this is no JSON ({error}); a list of objects is needed") from None
        return _of_objects(rows, where, [f"{where}: row {number}" for number in range(1, len(rows) + 1)])
    lines = [(f"{where}:{number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    objects = [json_object(line, place, "an object") for place, line in lines]
    return _of_objects(objects, where, [place for place, _ in lines])


def _of_cells(text: str, mark: str, where: str) -> NamedColumns:
    """Lines of cells between commas or tabs, the first of which names the columns."""
    import csv
    import io

    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark or ("\t" if "\t" in first else ","))
    header: list[str] = []
    rows: list[list[str]] = []
    places: list[str] = []
    try:
        for row in reader:
            if not header:
                header = [name.strip() for name in unescaped_cells(row)]
            elif row:
                rows.append(unescaped_cells(row))
                places.append(f"{where}:{reader.line_num}")
    except csv.Error as error:
        raise InputError(f"{where}:{reader.line_num}: cannot be read as CSV ({error}); mend the line") from error
    _check_header(header, where)
    for place, row in zip(places, rows, strict=True):
        if len(row) != len(header):
            raise InputError(f"{place}: {counted(len(row), 'cell')} found; the first line names {len(header)}")
    columns = {name: [row[at].strip() for row in rows] for at, name in enumerate(header)}
    return NamedColumns(where, columns, places)


def _check_header(header: Sequence[str], where: str) -> None:
    twice = [name for name in dict.fromkeys(header) if header.count(name) > 1]
    if twice:
        raise InputError(f"{where}:1: two columns are called {short(repr(twice[0]))}; name each column once")
    if len(header) == 1 and ";" in header[0]:
        raise InputError(f"{where}:1: cells stand between semicolons; save the table with commas or tabs between them")
