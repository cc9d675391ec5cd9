"""Parquet files some topics at a time: columns go to the core as arrays, without a Python object for each row."""

from __future__ import annotations

from poolwise.basics.extras import load
from poolwise.errors import InputError
from poolwise.reading.column_names import ALL, LABEL_COLUMNS, RUN, names_for, names_of_runs
from poolwise.reading.foreign_text import check_one_run
from poolwise.reading.problems import LABELS
from poolwise.reading.tables import LOWEST, seekable
from poolwise.reading.topic_order import NotGrouped, ascending, key_bytewise, key_numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

BATCH = 1 << 17  # rows that are read at once, at least
NAMES = {**ALL, "run": RUN}


class Rows:
    """Rows of whole topics as columns.

    Topic t has the rows from begins[t] to begins[t + 1]; document i has the bytes of `documents` from offsets[i] to
    offsets[i + 1], counted from offsets[0]; `values` are scores or labels. `before` rows of the file stand before.
    """

    __slots__ = ("before", "begins", "documents", "offsets", "topics", "values")

    def __init__(self, topics: list[bytes], begins: Any, table: Any, value: str, where: str, before: int = 0) -> None:
        self.topics, self.begins, self.before = topics, begins, before
        self.offsets, self.documents = texts(table, "document", where, before)
        self.values = numbers(table, value, where, before)


class TableFeed:
    """A Parquet file of topics, documents and values; `topics` are those at hand as a whole."""

    def __init__(
        self, where: str, file: Any, value: str, rows: int = BATCH, called: Mapping[str, str] | None = None
    ) -> None:
        self.where = where
        self.topics: list[bytes] = []
        self.ended = False
        self.numbered = self.bytewise = True
        self._value = value
        optional = ("run",) if value == "score" else ()
        self._batches = batches(file, where, ("topic", "document", value), rows, optional, called)
        self._run: list[str] = []
        self._table: Any = None
        self._begins: Any = None
        self._before = 0
        self._last: list[bytes] = []

    def more(self) -> None:
        """Read on until there is a whole topic, or the file ends."""
        while not self.topics and not self.ended:
            batch = next(self._batches, None)
            self.ended = batch is None
            if batch is not None:
                self._table = joined(self._table, self._of_one_run(batch))
            if self._table is not None:
                names, begins = groups(self._table, self.where, self._before)
                count = len(names) if self.ended else max(0, len(names) - 1)
                self.topics, self._begins = names[:count], begins[: count + 1]
        self._note_order([*self._last, *self.topics])

    def take(self, count: int) -> Rows | None:
        """Hand over the first topics, if any."""
        if not count:
            return None
        end = int(self._begins[count])
        part = Rows(
            self.topics[:count], self._begins[: count + 1], self._table[:end], self._value, self.where, self._before
        )
        self._table = self._table[end:]
        self._before += end
        self.topics, self._begins = self.topics[count:], self._begins[count:] - end
        return part

    def _of_one_run(self, batch: Any) -> Any:
        if "run" not in batch.column_names:
            return batch
        self._run += map(str, batch["run"].unique().to_pylist())
        check_one_run(self._run, self.where)
        self._run = self._run[:1]
        return batch.drop_columns(["run"])

    def _note_order(self, topics: list[bytes]) -> None:
        self.numbered &= ascending(topics, key_numbered)
        self.bytewise &= ascending(topics, key_bytewise)
        self._last = topics[-1:]


def batches(
    file: Any,
    where: str,
    columns: Sequence[str],
    rows: int = BATCH,
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
        given = present(opened.schema_arrow.names, known)
        for column in columns:
            if column not in given:
                words = " or ".join(map(repr, known[column]))
                listed = ", ".join(map(repr, opened.schema_arrow.names))
                raise InputError(f"{where}: no column called {words}; found {listed}")
        if "label" in columns and "stratum" in given:
            raise NotGrouped(f"{where}: judgments with strata cannot be scored some topics at a time")
        chosen = {given[column]: column for column in (*columns, *optional) if column in given}
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


def joined(before: Any, batch: Any) -> Any:
    """Rows followed by more rows."""
    return batch if before is None else load("pyarrow", "parquet").concat_tables([before, batch])


def groups(table: Any, where: str, before: int = 0) -> tuple[list[bytes], NDArray[Any]]:
    """The topics of grouped rows as they come, and where each begins (one more entry than topics)."""
    import numpy as np

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
    import numpy as np

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
    import numpy as np

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
