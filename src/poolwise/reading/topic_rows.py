"""Rows of Parquet files by topic: columns go to the core as arrays, without a Python object for each row."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poolwise.basics.extras import load
from poolwise.errors import InputError
from poolwise.reading.columns import ALL, LABEL_COLUMNS, RUN, names_for, names_of_runs
from poolwise.reading.files import LABELS, NotGrouped, key_numbered
from poolwise.reading.foreign_text import check_one_run
from poolwise.reading.tables import LOWEST, seekable
from poolwise.reading.topic_ranges import SMALLEST, Piece, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.reading.sources import Source
    from poolwise.reading.topic_ranges import Spool

ROW = 64  # bytes that a row stands for, about as many as its text has
NAMES = {**ALL, "run": RUN}


class TopicRows:
    """Rows of whole topics as columns.

    Topic t has the rows from begins[t] to begins[t + 1]; document i has the bytes of `documents` from offsets[i] to
    offsets[i + 1], counted from offsets[0]; `values` are scores or labels. A column "row" says where rows stood in
    their file; else `before` rows stand before them.
    """

    __slots__ = ("_before", "_rows", "begins", "documents", "offsets", "topics", "values")

    def __init__(self, topics: list[bytes], begins: Any, table: Any, value: str, where: str, before: int = 0) -> None:
        self.topics, self.begins, self._before = topics, begins, before
        self._rows = table["row"] if "row" in table.column_names else None
        self.offsets, self.documents = texts(table, "document", where, before)
        self.values = numbers(table, value, where, before)

    def line(self, number: int) -> int:
        """The number in the file of a row of these; both count from 1."""
        return self._before + number if self._rows is None else 1 + int(self._rows[number - 1].as_py())


def table_pieces(
    file: Any, source: Source, value: str, spool: Spool, stretch: int, size: int
) -> tuple[list[Piece], int]:
    """Write a Parquet file in pieces of a size whose topics are in order, a stretch of the file at a time.

    Also says how many stretches had to be put in order.
    """
    rows = max(1, stretch // ROW)
    optional = ("run",) if value == "score" else ()
    pieces, unordered, before = [], 0, 0
    runs: list[str] = []
    for batch in batches(file, source.where, ("topic", "document", value), rows, optional, source.columns):
        if "run" in batch.column_names:
            runs = [*runs[:1], *map(str, batch["run"].unique().to_pylist())]
            check_one_run(runs, source.where)
            batch = batch.drop_columns(["run"])
        TopicRows([], None, batch, value, source.where, before)  # cells are checked while they are in the file's order
        numbered = np.arange(before, before + len(batch))
        table, topics, begins = in_order(batch.append_column("row", [numbered]), source.where, before)
        in_place = (table["row"].to_numpy() == numbered).all()
        unordered += not in_place
        before += len(batch)
        first = 0
        while first < len(topics):
            most = (size if in_place else SMALLEST) // ROW
            after = min(max(first + 1, int(np.searchsorted(begins, begins[first] + most))), len(topics))
            data = _packed(table[int(begins[first]) : int(begins[after])])
            pieces.append(Piece(topics[first], topics[after - 1], spool.write(data), len(data)))
            first = after
    return pieces, unordered


def rows_of_pieces(data: Iterable[bytes], low: Any, high: Any, value: str, where: str) -> TopicRows | None:
    """The rows that pieces of a table have for a range of topics."""
    pyarrow = load("pyarrow", "parquet")
    tables = []
    for packed in data:
        table = pyarrow.ipc.open_stream(packed).read_all()
        topics, begins = groups(table, where)
        first, after = within(topics, low, high)
        tables.append(table[int(begins[first]) : int(begins[after])])
    table, topics, begins = in_order(pyarrow.concat_tables(tables), where)
    return TopicRows(topics, begins, table, value, where) if topics else None


def in_order(table: Any, where: str, before: int = 0) -> tuple[Any, list[bytes], NDArray[Any]]:
    """Rows by topic in the pool's order, those of a topic in the order they had; the topics, and where each begins."""
    topics, begins = groups(table, where, before)
    keys = [key_numbered(topic) for topic in topics]
    if all(first < second for first, second in pairwise(keys)):
        return table, topics, begins
    order = sorted(range(len(keys)), key=keys.__getitem__)
    table = table.take(np.concatenate([np.arange(begins[group], begins[group + 1]) for group in order]))
    return table, *groups(table, where, before)


def _packed(table: Any) -> Any:
    """A table as bytes."""
    pyarrow = load("pyarrow", "parquet")
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def batches(
    file: Any,
    where: str,
    columns: Sequence[str],
    rows: int,
    optional: Sequence[str] = (),
    called: Mapping[str, str] | None = None,
) -> Iterator[Any]:
    """Tables of some rows each, with columns under our names for them; `columns` that are not there are an error.

    `called` says what some of them are called, if it is not what other tools say.
    """
    pyarrow, parquet = load("pyarrow", "parquet"), load("pyarrow.parquet", "parquet")
    try:
        opened = parquet.ParquetFile(seekable(file))
        known = {**NAMES, "run": names_of_runs(called)}
        if called or tuple(columns) == LABEL_COLUMNS:
            known |= names_for(tuple(columns) == LABEL_COLUMNS, called)
        found = present(opened.schema_arrow.names, known)
        for column in columns:
            if column not in found:
                words = " or ".join(map(repr, known[column]))
                listed = ", ".join(map(repr, opened.schema_arrow.names))
                raise InputError(f"{where}: no column called {words}; found {listed}")
        if "label" in columns and "stratum" in found:
            raise NotGrouped(f"{where}: judgments with strata cannot be scored some topics at a time")
        chosen = {found[column]: column for column in (*columns, *optional) if column in found}
        for batch in opened.iter_batches(rows, columns=list(chosen)):
            table = pyarrow.Table.from_batches([batch])
            table.validate(full=True)  # texts that are no UTF-8 in a damaged file
            yield table.rename_columns([chosen[name] for name in table.column_names])
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(f"{where}: the Parquet file cannot be read ({error}); write the file again") from error


def present(names: Iterable[str], known: Mapping[str, tuple[str, ...]] = NAMES) -> dict[str, str]:
    """The columns that a table has, each as ours and as its own name."""
    there = list(names)
    columns = {ours: next((name for name in each if name in there), None) for ours, each in known.items()}
    return {ours: name for ours, name in columns.items() if name is not None}


def groups(table: Any, where: str, before: int = 0) -> tuple[list[bytes], NDArray[Any]]:
    """The topics of grouped rows as they come, and where each begins (one more entry than topics)."""
    compute = load("pyarrow.compute", "parquet")
    column = _complete(table, "topic", where, before)
    changes = np.zeros(0, dtype=np.int64)
    if len(column) > 1:
        changes = np.flatnonzero(compute.not_equal(column[1:], column[:-1]).to_numpy(zero_copy_only=False)) + 1
    begins = np.concatenate([np.zeros(min(1, len(column)), dtype=np.int64), changes])
    names = _as_text(column.take(begins), "topic", where).to_pylist()
    encoded = [name.encode("utf-8", "surrogateescape") for name in names]
    if any(b"\n" in name or not name for name in encoded):
        raise InputError(f"{where}: a topic is empty or holds a line break; ids are single words")
    return encoded, np.append(begins, len(column))


def texts(table: Any, name: str, where: str, before: int = 0) -> tuple[NDArray[Any], bytes]:
    """A column of ids as offsets and bytes."""
    array = _as_text(_complete(table, name, where, before), name, where)
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    if not len(array):
        return np.zeros(1, dtype=np.int64), b""
    text = data[int(ends[0]) : int(ends[-1])].to_pybytes() if data is not None else b""
    if b"\n" in text or (ends[1:] == ends[:-1]).any():
        raise InputError(f"{where}: a {name} is empty or holds a line break; ids are single words")
    return ends, text


def numbers(table: Any, name: str, where: str, before: int = 0) -> NDArray[Any]:
    """A column of labels as int32, or of scores or ranks as doubles that are higher for what stands first."""
    pyarrow = load("pyarrow", "parquet")
    column = _complete(table, name, where, before)
    kind = pyarrow.int32() if name == "label" else pyarrow.float64()
    try:
        numbers = np.ascontiguousarray(column.cast(kind).to_numpy(zero_copy_only=False))
    except pyarrow.ArrowException as error:
        expected = "whole numbers" if name == "label" else "numbers"
        raise InputError(f"{where}: column {name!r} must hold {expected} ({error})") from error
    if name == "label" and len(numbers) and numbers.min() < LOWEST:
        row = before + int(np.argmin(numbers)) + 1
        raise InputError(f"{where}: row {row}: label {numbers.min()} is out of range; {LABELS}")
    return -numbers if name == "rank" else numbers


def _complete(table: Any, name: str, where: str, before: int) -> Any:
    """A column in one piece, without empty cells."""
    column = table[name].combine_chunks()
    if column.null_count:
        compute = load("pyarrow.compute", "parquet")
        row = compute.index(column.is_null(), True).as_py()
        raise InputError(f"{where}: row {before + row + 1} has no {name}; every row needs one")
    return column


def _as_text(column: Any, name: str, where: str) -> Any:
    pyarrow = load("pyarrow", "parquet")
    if pyarrow.types.is_floating(column.type):
        raise InputError(f"{where}: column {name!r} holds numbers with a point; ids are texts or whole numbers")
    try:
        return column.cast(pyarrow.large_string())
    except pyarrow.ArrowException as error:
        raise InputError(f"{where}: column {name!r} cannot be read as texts ({error})") from error
