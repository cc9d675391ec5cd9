"""Judgments and runs from tables in memory: dicts, lists of rows, data frames, Parquet."""

from __future__ import annotations

from array import array

from poolwise.errors import InputError
from poolwise.extras import load
from poolwise.read.problems import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from poolwise import _core

# Names by which a column is known, ours first.
TOPIC = ("topic", "query_id", "qid", "query", "q_id", "topic_id")
DOCUMENT = ("document", "doc_id", "docno", "docid", "doc", "document_id")
SCORE = ("score", "sim", "value")
LABEL = ("label", "relevance", "rel", "qrel", "judgment")
STRATUM = ("stratum",)
ROUND = ("round", "iteration")
RUN = ("run", "run_id", "system", "tag", "name")


def read_parquet(path: str) -> Any:
    """Read a Parquet file as an Arrow table."""
    parquet = load("pyarrow.parquet", "parquet")
    try:
        return parquet.read_table(path)
    except Exception as error:
        raise InputError(f"{path}: the Parquet file cannot be read ({error}); write the file again") from error


def split_by_run(table: Any) -> list[tuple[str, Any]]:
    """Split a data frame with a column of run names into one frame per run."""
    narwhals = load("narwhals.stable.v1", "frames")
    frame = narwhals.from_native(table, eager_only=True)
    column = next((name for name in RUN if name in frame.columns), None)
    if column is None:
        return [("run", table)]
    names = frame[column].unique(maintain_order=True).to_list()
    return [(str(name), narwhals.to_native(frame.filter(narwhals.col(column) == name))) for name in names]


def add_run(builder: _core.Builder, number: int, table: Any, where: str) -> None:
    """Add a run's rankings to the pool."""
    for topic, (documents, scores) in _by_topic(table, SCORE, where).items():
        try:
            values = array("d", scores)
        except (TypeError, ValueError):
            bad = next(score for score in scores if not _is_number(score))
            raise InputError(f"{where}: topic {topic!r}: score {bad!r} is not a number; scores are numbers") from None
        report = builder.add_list(number, *_text(topic, documents, where), values)
        error = problem(report, f"{where}: topic {topic!r}: row", labels=False)
        if error is not None:
            raise error


def add_labels(builder: _core.Builder, table: Any, where: str) -> None:
    """Add judgments to the pool."""
    strata = _by_topic(table, STRATUM, where) if _has_column(table, STRATUM) else {}
    rounds = _by_topic(table, ROUND, where) if strata and _has_column(table, ROUND) else {}
    for topic, (documents, labels) in _by_topic(table, LABEL, where).items():
        columns = [
            array("i", (_whole(value, topic, what, where) for value in values))
            for values, what in (
                (labels, "label"),
                (strata[topic][1] if strata else [], "stratum"),
                (rounds[topic][1] if rounds else [], "round"),
            )
        ]
        report = builder.add_labels(*_text(topic, documents, where), *columns)
        error = problem(report, f"{where}: topic {topic!r}: row", labels=True)
        if error is not None:
            raise error


def _by_topic(table: Any, value: tuple[str, ...], where: str) -> dict[str, tuple[list[str], list[Any]]]:
    """The documents and values of each topic, topics in the order they come."""
    if isinstance(table, dict):
        return {
            str(topic): ([str(document) for document in documents], list(documents.values()))
            for topic, documents in _topics_of(table, where)
        }
    if isinstance(table, (list, tuple)):
        return _group(_rows(table, where), where)
    return _group(_frame_rows(table, value, where), where)


def _topics_of(table: dict[Any, Any], where: str) -> Iterator[tuple[Any, dict[Any, Any]]]:
    for topic, documents in table.items():
        if not isinstance(documents, dict):
            raise InputError(f"{where}: topic {topic!r} holds {documents!r}; expected a dict of documents and values")
        yield topic, documents


def _rows(table: list[Any] | tuple[Any, ...], where: str) -> Iterator[tuple[Any, Any, Any]]:
    for number, row in enumerate(table, 1):
        if not isinstance(row, (list, tuple)) or len(row) < 3:
            raise InputError(f"{where}: row {number} is {row!r}; expected (topic, document, value)")
        yield row[0], row[1], row[2]


def _frame_rows(table: Any, value: tuple[str, ...], where: str) -> Iterator[tuple[Any, Any, Any]]:
    narwhals = load("narwhals.stable.v1", "frames")
    try:
        frame = narwhals.from_native(table, eager_only=True)
    except TypeError as error:
        raise InputError(
            f"{where}: {type(table).__name__} cannot be read; use a path, a dict, a list of rows or a data frame"
        ) from error
    columns = [frame[_column(frame.columns, names, where)].to_list() for names in (TOPIC, DOCUMENT, value)]
    return zip(*columns, strict=True)


def _column(columns: list[str], names: tuple[str, ...], where: str) -> str:
    for name in names:
        if name in columns:
            return name
    raise InputError(f"{where}: no column called {names[0]!r}; found {', '.join(map(repr, columns))}")


def _has_column(table: Any, names: tuple[str, ...]) -> bool:
    columns: Any = getattr(table, "column_names", None) or getattr(table, "columns", ())
    return not isinstance(table, (dict, list, tuple)) and any(name in list(columns) for name in names)


def _group(rows: Iterator[tuple[Any, Any, Any]], where: str) -> dict[str, tuple[list[str], list[Any]]]:
    groups: dict[str, tuple[list[str], list[Any]]] = {}
    for number, (topic, document, value) in enumerate(rows, 1):
        if topic is None or document is None or topic != topic or document != document:
            raise InputError(f"{where}: row {number} has no topic or no document; every row needs both")
        documents, values = groups.setdefault(str(topic), ([], []))
        documents.append(str(document))
        values.append(value)
    return groups


def _text(topic: str, documents: list[str], where: str) -> tuple[bytes, bytes]:
    """Topic and documents as the core takes them, each document ended by a newline."""
    text = "\n".join(documents)
    if text.count("\n") != max(len(documents) - 1, 0):
        raise InputError(f"{where}: topic {topic!r}: a document id holds a line break; ids are single words")
    return topic.encode("utf-8", "surrogateescape"), (text + "\n").encode("utf-8", "surrogateescape")


def _is_number(value: Any) -> bool:
    try:
        array("d", [value])
    except (TypeError, ValueError):
        return False
    return True


def _whole(value: Any, topic: str, what: str, where: str) -> int:
    try:
        number = int(value)
        if number == value and -(2**31) + 2 <= number < 2**31 and not isinstance(value, str):
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{where}: topic {topic!r}: {what} {value!r} is not a whole number that fits 32 bits")
