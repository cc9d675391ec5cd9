"""Logs in partitions: Parquet files read some topics at a time, with labels in them or in another table."""

from __future__ import annotations

import os

import numpy as np

from poolwise.basics.extras import load
from poolwise.errors import InputError
from poolwise.reading.sources import paths_of
from poolwise.reading.topic_rows import TopicRows, batches, groups, in_order, present

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

ROWS = 1 << 18  # rows that are read at once: some 50 MB as columns


class Scattered(Exception):
    """A topic comes back after another one: the partition must be sorted first."""


class Chunk:
    """Rows of whole topics: labels, and a part for each run that has some."""

    def __init__(self, where: str, topics: list[bytes], labels: TopicRows | None, runs: dict[str, TopicRows]) -> None:
        self.where, self.topics, self.labels, self.runs = where, topics, labels, runs


def partition_paths(items: Sequence[Any]) -> list[str]:
    """Paths of partitions: files, folders and globs."""
    return [path for item in items for path in paths_of(os.fsdecode(item))]


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
    """Chunks of a partition with some topics each. Labels are its column, or from a table."""
    columns = _columns(where, path)
    value = "score" if "score" in columns else "rank"
    wanted = ["topic", "document", value, *(["run"] if "run" in columns else [])]
    wanted += ["label"] if labels is None else []
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
            judged = _labels_for(labels, index, topics, where)
        yield Chunk(where, topics, judged, _by_run(table, topics, begins, value, where, before))


def label_chunk(labels: Any, where: str) -> Chunk:
    """Labels of topics that no run has."""
    index = _ranges(labels, where)
    return Chunk(where, [*index], _labels_for(labels, index, [*index], where), {})


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
    """Tables that end where a topic ends, and how many rows stand before; `gather`: one, in the order of topics."""
    pyarrow = load("pyarrow", "parquet")
    if gather:
        whole = pyarrow.concat_tables(tables)
        yield in_order(whole.append_column("row", [np.arange(len(whole))]), where)[0], 0
        return
    rest, before = None, 0
    for table in tables:
        rest = table if rest is None else pyarrow.concat_tables([rest, table])
        begin = int(groups(rest, where, before)[1][-2]) if len(rest) else 0
        if begin:
            yield rest[:begin], before
            rest, before = rest[begin:], before + begin
    if rest is not None and len(rest):
        yield rest, before


def _judged(table: Any, topics: list[bytes], begins: NDArray[Any], where: str, before: int) -> TopicRows | None:
    """The rows that have a label."""
    valid = table["label"].is_valid().to_numpy()
    if not valid.all():
        table = table.filter(load("pyarrow", "parquet").array(valid))
        begins = np.concatenate([[0], np.cumsum(valid)])[begins].astype(np.int64)
    return _some(table, topics, begins, "label", where, before)


def _labels_for(labels: Any, index: dict[bytes, tuple[int, int]], topics: list[bytes], where: str) -> TopicRows | None:
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
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        part = _some(table[begin:end], topics, starts, value, where, before)
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
