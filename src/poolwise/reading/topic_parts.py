"""Parquet files some topics at a time: columns go to the core as arrays, without a Python object for each row."""

from __future__ import annotations

import os

import numpy as np

from poolwise.basics.extras import load
from poolwise.errors import InputError
from poolwise.reading.columns import ALL, LABEL_COLUMNS, RUN, names_for, names_of_runs
from poolwise.reading.files import LABELS, NotGrouped, ascending, key_bytewise, key_numbered
from poolwise.reading.foreign_text import check_one_run
from poolwise.reading.sources import paths_of
from poolwise.reading.tables import LOWEST, seekable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

BATCH = 1 << 17  # rows that are read at once, at least
NAMES = {**ALL, "run": RUN}


class TopicRows:
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

    def take(self, count: int) -> TopicRows | None:
        """Hand over the first topics, if any."""
        if not count:
            return None
        end = int(self._begins[count])
        part = TopicRows(
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


ROWS = 1 << 18  # rows that are read at once


class Scattered(Exception):
    """A topic comes back after another one: the partition must be sorted first."""


class Chunk:
    """Rows of whole topics: labels, and a part for each run that has some."""

    def __init__(self, where: str, topics: list[bytes], labels: TopicRows | None, runs: dict[str, TopicRows]) -> None:
        self.where, self.topics, self.labels, self.runs = where, topics, labels, runs


def partition_paths(given: Sequence[Any]) -> list[str]:
    """Paths of partitions: files, folders and globs."""
    return [path for item in given for path in paths_of(os.fsdecode(item))]


def is_log(path: str) -> bool:
    """Whether a file is Parquet with documents, labels and scores or ranks: a partition of a log."""
    try:
        with open(path, "rb") as file:
            if file.read(4) != b"PAR1":
                return False
    except OSError:
        return False
    columns = _columns(path, path)
    return {"topic", "document", "label"} <= {*columns} and bool({"score", "rank"} & {*columns})


def chunks(where: str, path: str, labels: Any = None, gather: bool = False) -> Iterator[Chunk]:
    """A partition some topics at a time; labels are its own column, or those of a table given."""
    own = _columns(where, path)
    value = "score" if "score" in own else "rank"
    wanted = ["topic", "document", value, *(["run"] if "run" in own else []), *(["label"] if labels is None else [])]
    index = _ranges(labels, where)
    seen: set[bytes] = set()
    for table, before in _whole_topics(batches(path, where, wanted, ROWS), where, gather):
        topics, begins = groups(table, where, before)
        if len({*topics}) < len(topics) or not seen.isdisjoint(topics):
            raise Scattered
        seen.update(topics)
        if labels is None:
            judged = _judged(table, topics, begins, where, before)
        else:
            judged = _given(labels, index, topics, where)
        yield Chunk(where, topics, judged, _by_run(table, topics, begins, value, where, before))


def label_chunk(labels: Any, where: str) -> Chunk:
    """Labels of topics that no run has."""
    index = _ranges(labels, where)
    return Chunk(where, [*index], _given(labels, index, [*index], where), {})


def labels_of(where: str, path: str, topics: list[bytes]) -> Any:
    """Labels of some topics from a Parquet file or folder, as a table sorted by topic."""
    pyarrow, dataset = load("pyarrow", "parquet"), load("pyarrow.dataset", "parquet")
    try:
        source = dataset.dataset(path, format="parquet")
        names = present(source.schema.names)
        for name in ("topic", "document", "label"):
            if name not in names:
                raise InputError(f"{where}: no column of {name}s; judgments need topic, document and label")
        column = names["topic"]
        texts = pyarrow.array([topic.decode("utf-8", "surrogateescape") for topic in topics], pyarrow.string())
        kind = source.schema.field(column).type
        wanted = _cast(texts, kind)
        table = source.to_table(columns=list(names.values()), filter=dataset.field(column).isin(wanted))
        table = table.select([names[name] for name in ("topic", "document", "label")])
        return table.rename_columns(["topic", "document", "label"]).sort_by("topic")
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(f"{where}: the Parquet file cannot be read ({error}); write the file again") from error


def topics_of(path: str, where: str | None = None) -> list[bytes]:
    """The topics of a Parquet file, or of a folder of them, each once."""
    names: dict[bytes, None] = {}
    for file in partition_paths([path]):
        for table in batches(file, where or file, ["topic"], ROWS):
            names.update(dict.fromkeys(groups(table, where or file)[0]))
    return [*names]


def distinct_labels(where: str, path: str) -> set[int]:
    """The labels that occur in a Parquet file."""
    compute = load("pyarrow.compute", "parquet")
    tables = batches(path, where, ["label"], 4 * ROWS)
    return {int(label) for table in tables for label in compute.unique(table["label"]).to_pylist() if label is not None}


def hashes(topics: list[bytes]) -> NDArray[Any]:
    """A number of 64 bits for each topic, by which they are told apart."""
    from hashlib import blake2b

    data = b"".join(blake2b(topic, digest_size=8).digest() for topic in topics)
    return np.frombuffer(data, dtype=np.uint64)


def _columns(where: str, path: str) -> dict[str, str]:
    pyarrow, parquet = load("pyarrow", "parquet"), load("pyarrow.parquet", "parquet")
    try:
        return present(parquet.read_schema(path).names)
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(f"{where}: the Parquet file cannot be read ({error}); write the file again") from error


def _whole_topics(tables: Iterator[Any], where: str, gather: bool) -> Iterator[tuple[Any, int]]:
    """Tables that end where a topic ends, and how many rows stand before; `gather`: one, sorted by topic."""
    rest, before = None, 0
    for table in tables:
        rest = joined(rest, table)
        begin = 0 if gather else int(groups(rest, where, before)[1][-2]) if len(rest) else 0
        if begin:
            yield rest[:begin], before
            rest, before = rest[begin:], before + begin
    if rest is not None and len(rest):
        if gather:
            compute = load("pyarrow.compute", "parquet")
            # Sorting is stable through the row numbers; rows of a topic stay in their order.
            rows = load("pyarrow", "parquet").array(np.arange(len(rest)))
            rest = rest.append_column("row", rows)
            rest = rest.take(compute.sort_indices(rest, [("topic", "ascending"), ("row", "ascending")])).drop(["row"])
        yield rest, before


def _judged(table: Any, topics: list[bytes], begins: NDArray[Any], where: str, before: int) -> TopicRows | None:
    """The rows that have a label."""
    valid = table["label"].is_valid().to_numpy()
    if not valid.all():
        table = table.filter(load("pyarrow", "parquet").array(valid))
        begins = np.concatenate([[0], np.cumsum(valid)])[begins].astype(np.int64)
    return _some(table, topics, begins, "label", where, before)


def _given(labels: Any, index: dict[bytes, tuple[int, int]], topics: list[bytes], where: str) -> TopicRows | None:
    """The labels of topics from a table of labels."""
    ranges = [index.get(topic, (0, 0)) for topic in topics]
    begins = np.concatenate([[0], np.cumsum([end - begin for begin, end in ranges])]).astype(np.int64)
    rows = np.concatenate([np.arange(begin, end) for begin, end in ranges])
    return _some(labels.take(rows), topics, begins, "label", where, 0)


def _some(
    table: Any, topics: list[bytes], begins: NDArray[Any], value: str, where: str, before: int
) -> TopicRows | None:
    """Rows of the topics that have any."""
    has = np.flatnonzero(np.diff(begins))
    if not len(has):
        return None
    names = topics if len(has) == len(topics) else [topics[t] for t in has]
    return TopicRows(names, np.append(begins[has], begins[-1]), table, value, where, before)


def _by_run(
    table: Any, topics: list[bytes], begins: NDArray[Any], value: str, where: str, before: int
) -> dict[str, TopicRows]:
    """The rows of each run, in the order in which runs come up."""
    if "run" not in table.column_names:
        return {"log": TopicRows(topics, begins, table, value, where, before)}
    column = table["run"].combine_chunks()
    if column.null_count:
        raise InputError(f"{where}: a row has no run; every row needs the name of its run")
    coded = column.dictionary_encode() if not hasattr(column, "indices") else column
    codes, names = coded.indices.to_numpy(zero_copy_only=False), coded.dictionary.to_pylist()
    order = np.argsort(codes, kind="stable")  # rows by run, each run's in their order
    table = table.take(order).combine_chunks()
    topic_of = np.repeat(np.arange(len(topics)), np.diff(begins))[order]
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))
    runs = {}
    for code in codes[np.sort(np.unique(codes, return_index=True)[1])].tolist():
        begin, end = ends[code - 1] if code else 0, ends[code]
        counts = np.bincount(topic_of[begin:end], minlength=len(topics))
        places = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        part = _some(table[begin:end], topics, places, value, where, before)
        if part is not None:
            runs[str(names[code])] = part
    return runs


def _ranges(labels: Any, where: str) -> dict[bytes, tuple[int, int]]:
    if labels is None or not len(labels):
        return {}
    names, begins = groups(labels, where)
    return {name: (int(begins[t]), int(begins[t + 1])) for t, name in enumerate(names)}


def _cast(texts: Any, kind: Any) -> Any:
    """Texts as a column's kind; those that cannot be are left out."""
    pyarrow = load("pyarrow", "parquet")
    if pyarrow.types.is_integer(kind):
        texts = pyarrow.array([text for text in texts.to_pylist() if text.isdecimal()], pyarrow.string())
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    return texts.cast(kind)
