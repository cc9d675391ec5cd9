"""Judgments and runs from tables in memory: dicts, lists of rows, data frames, objects of other libraries, Parquet."""

from __future__ import annotations

from array import array
from operator import index

from poolwise.basics.extras import load
from poolwise.basics.words import short
from poolwise.errors import InputError
from poolwise.reading.columns import JUDGED, LABEL, is_empty, names_for, names_of_runs, plain
from poolwise.reading.design_columns import DESIGN, NUMBER, DesignCells
from poolwise.reading.files import LABELS, problem
from poolwise.reading.foreign_text import LONG_ENOUGH, CountedUp, check_one_run, rank_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from poolwise import _core

    Names = tuple[tuple[str, ...], ...]  # of the columns of topic, document and value
    ByTopic = dict[str, tuple[list[str], list[Any]]]  # documents and values

LOWEST, HIGHEST = -(2**31) + 2, 2**31 - 1  # of labels; the core reserves the two below


def read_parquet(file: Any, where: str) -> Any:
    """Read an open Parquet file as an Arrow table."""
    parquet = load("pyarrow.parquet", "parquet")
    try:
        table = parquet.read_table(seekable(file))
        table.validate(full=True)  # texts that are no UTF-8 in a damaged file
        return table
    except Exception as error:
        raise InputError(f"{where}: the Parquet file cannot be read ({error}); write the file again") from error


def seekable(file: Any) -> Any:
    """A Parquet file that can be read anywhere, as its contents are told at its end: a pipe is read as a whole."""
    if not hasattr(file, "seekable") or file.seekable():
        return file
    return load("pyarrow", "parquet").BufferReader(file.read())


def split_by_run(table: Any, where: str = "run", columns: Mapping[str, str] | None = None) -> list[tuple[str, Any]]:
    """Split a data frame with a column of run names into one frame per run, in the order they come up."""
    frame = _frame(table, where)
    column = run_column(frame.columns, columns)
    if column is None:
        return [("run", table)]
    if frame[column].is_null().any():
        raise InputError(f"{where}: column {column!r} has empty cells; every row needs the name of its run")
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(_cells(frame, column, where)):
        rows.setdefault(_identifier(name, "run", f"{where}: row {row + 1}"), []).append(row)
    if len(rows) == 1:
        return [(name, table) for name in rows]
    narwhals = load("narwhals.stable.v1", "frames")
    return [(name, narwhals.to_native(frame[some])) for name, some in rows.items()]


def run_column(there: Iterable[str], columns: Mapping[str, str] | None = None) -> str | None:
    """The column that names runs, if there is one; `columns` may say what it is called."""
    names = {*there}
    return next((name for name in names_of_runs(columns) if name in names), None)


def runs_of_parquet(path: str, columns: Mapping[str, str] | None = None) -> list[tuple[str, Any]]:
    """The runs of a Parquet file that names several; none if it holds one, or cannot be read, which is seen later."""
    pyarrow, parquet = load("pyarrow", "parquet"), load("pyarrow.parquet", "parquet")
    try:
        column = run_column(parquet.read_schema(path).names, columns)
        if column is None or len(parquet.read_table(path, columns=[column])[column].unique()) < 2:
            return []
        table = parquet.read_table(path)
    except (OSError, pyarrow.ArrowException):
        return []
    return split_by_run(table, path, columns)


def columns_of(
    table: Any, needed: dict[str, tuple[str, ...]], optional: dict[str, tuple[str, ...]], where: str
) -> dict[str, list[Any]]:
    """Columns of a data frame by our names, each known by any of several."""
    frame = _frame(table, where)
    wanted = needed | {key: names for key, names in optional.items() if any(name in frame.columns for name in names)}
    return {key: _cells(frame, _column(frame.columns, names, where), where) for key, names in wanted.items()}


def every_column(table: Any, where: str) -> dict[str, list[Any]]:
    """All columns of a data frame, by their own names."""
    frame = _frame(table, where)
    return {str(name): _cells(frame, name, where) for name in frame.columns}


def add_run(
    builder: _core.Builder, number: int, table: Any, where: str, columns: Mapping[str, str] | None = None
) -> list[str]:
    """Add a run's rankings to the pool, and say what is odd; ranks stand for scores where there are none."""
    known = names_for(False, columns)
    names = (known["topic"], known["document"], known["score"])
    table = plain(table, names, where)
    ranked = not _has_column(table, known["score"], where) and _has_column(table, known["rank"], where)
    names = (*names[:2], known["rank"]) if ranked else names
    seen = CountedUp()
    for topic, (documents, scores) in _by_topic(table, names, where).items():
        try:
            values = array("d", scores)
        except (TypeError, ValueError, OverflowError):
            values = array("d", (_number(score, table, names, where, topic, i) for i, score in enumerate(scores)))
        if ranked:
            values = array("d", (-rank for rank in values))
        for value in () if isinstance(table, dict) else values[: LONG_ENOUGH + 1]:
            seen.see(topic, value)
        report = builder.add_list(number, *_text(topic, documents, where), values)
        _raise_problem(report, table, names, where, topic, labels=False)
    return [rank_words(where)] if seen.are_ranks else []


def documents_by_topic(table: Any, where: str, columns: Mapping[str, str] | None = None) -> dict[str, list[str]]:
    """The documents of a run by topic."""
    known = names_for(False, columns)
    ids = (known["topic"], known["document"])
    value = (*known["score"], *known["rank"])
    table = plain(table, (*ids, value), where)
    return {topic: documents for topic, (documents, _) in _by_topic(table, (*ids, value), where).items()}


def add_run_file(
    builder: _core.Builder, number: int, file: Any, where: str, columns: Mapping[str, str] | None = None
) -> list[str]:
    """Add the run of an open Parquet file, and say what is odd; several runs are refused."""
    table = read_parquet(file, where)
    check_one_run((name for name, _ in split_by_run(table, where, columns)), where)
    return add_run(builder, number, table, where, columns)


def add_labels(builder: _core.Builder, table: Any, where: str, columns: Mapping[str, str] | None = None) -> None:
    """Add judgments to the pool."""
    known = names_for(True, columns)
    ids = (known["topic"], known["document"])
    names = (*ids, known["label"])
    table = plain(table, (*ids, LABEL if known["label"] is JUDGED else known["label"]), where)  # scores are a run's
    strata = _by_topic(table, (*ids, known["stratum"]), where) if _has_column(table, known["stratum"], where) else {}
    drawn = bool(strata) and _has_column(table, known["round"], where)
    rounds = _by_topic(table, (*ids, known["round"]), where) if drawn else {}
    by_topic = _by_topic(table, names, where)
    if any(_has_point(label) for _, labels in by_topic.values() for label in labels):
        _add_lines(builder, by_topic, strata, rounds, where)
        _add_design(builder, table, known, where)
        return
    for topic, (documents, labels) in by_topic.items():
        if not documents:
            raise InputError(f"{where}: topic {topic!r} holds no documents; judge some or leave the topic out")
        cells = [
            array("i", (_whole(value, what, table, names, where, topic, i) for i, value in enumerate(values)))
            for values, what in ((labels, "label"), (strata[topic][1] if strata else [], "stratum"))
        ]
        cells.append(array("i", map(_round, rounds[topic][1] if rounds else [])))
        report = builder.add_labels(*_text(topic, documents, where), *cells)
        _raise_problem(report, table, names, where, topic, labels=True)
    _add_design(builder, table, known, where)


def _add_design(builder: _core.Builder, table: Any, known: Mapping[str, tuple[str, ...]], where: str) -> None:
    """Add what columns say of the plan that a table is, as comments."""
    if not _has_column(table, (NUMBER,), where):
        return
    design = DesignCells()
    optional = {"stratum": known["stratum"], **DESIGN}
    columns = columns_of(table, {"topic": known["topic"]}, optional, where)
    for row in zip(*columns.values(), strict=True):
        design.see(dict(zip(columns, row, strict=True)))
    builder.feed_labels(b"".join(design.lines()), True)


def _has_point(label: Any) -> bool:
    """Whether a label is a number with a decimal point, and not a whole one."""
    return hasattr(label, "is_integer") and not label.is_integer() and -1e300 < label < 1e300


def _add_lines(builder: _core.Builder, labels: ByTopic, strata: ByTopic, rounds: ByTopic, where: str) -> None:
    """Add judgments with a decimal point as lines of text: the core numbers their values."""
    for topic, (documents, values) in labels.items():
        for at, document in enumerate(documents):
            row_name = f"{where}: topic {topic!r}: document {short(document)!r}"
            words = [topic, str(_round(rounds[topic][1][at]) if rounds else 0), document]
            words += [str(strata[topic][1][at])] if strata else []
            if isinstance(values[at], (bool, str)) or any(len(each.split()) != 1 for each in words):
                raise InputError(
                    f"{row_name}: label {_shown(values[at])} is not a number, or an id holds blanks; mend the row"
                )
            _add_line(builder, [*words, str(values[at])], row_name)
    builder.feed_labels(b"", True)


def _add_line(builder: _core.Builder, words: list[str], row_name: str) -> None:
    line = f"{' '.join(words)}\n".encode("utf-8", "surrogateescape")
    code, _, found = builder.feed_labels(line, False)
    wrong = problem((code, 0, found), row_name, labels=True)
    if wrong:
        raise wrong


def add_subtopic_labels(
    builder: _core.Builder, table: Any, where: str, columns: Mapping[str, str] | None = None
) -> None:
    """Add judgments of subtopics to the pool: rows of (topic, subtopic, document, label), or columns of these names."""
    known = names_for(True, columns)
    names = (known["topic"], (*known["subtopic"], *known["round"]), known["document"], known["label"])
    table = plain(table, names, where)
    if isinstance(table, dict):
        raise InputError(
            f"{where}: a dict has no subtopics; give rows of (topic, subtopic, document, label), or a file"
        )
    for number, row in enumerate(_rows(table, names, where), 1):
        row_name = f"{where}: row {number}"
        pairs = zip(row, ("topic", "subtopic", "document"), strict=False)
        ids = [_identifier(cell, what, row_name) for cell, what in pairs]
        if any(len(each.split()) != 1 for each in ids):
            raise InputError(f"{row_name}: {_shown(ids)} holds blanks; ids are single words")
        label = _whole(row[3], "label", [row], (known["topic"],), row_name, ids[0], 0)
        _add_line(builder, [*ids, str(label)], row_name)
    builder.feed_labels(b"", True)


def _raise_problem(
    report: tuple[int, int, bytes], table: Any, names: Names, where: str, topic: str, labels: bool
) -> None:
    code, row, found = report
    if code:
        row_name = _row_name(table, names, where, topic, row - 1)
        raise problem((code, 0, found), row_name, labels=labels) or InputError(row_name)


def _by_topic(table: Any, names: Names, where: str) -> dict[str, tuple[list[str], list[Any]]]:
    """The documents and values of each topic, topics in the order they come."""
    if isinstance(table, dict):
        return _by_topic_of_dict(table, where)
    groups: dict[str, tuple[list[str], list[Any]]] = {}
    for number, (topic, document, value) in enumerate(_rows(table, names, where), 1):
        name = topic if type(topic) is str and topic else _identifier(topic, "topic", f"{where}: row {number}")
        documents, values = groups.setdefault(name, ([], []))
        known = type(document) is str and document
        documents.append(document if known else _identifier(document, "document", f"{where}: row {number}"))
        values.append(value)
    return groups


def _by_topic_of_dict(table: dict[Any, Any], where: str) -> dict[str, tuple[list[str], list[Any]]]:
    groups: dict[str, tuple[list[str], list[Any]]] = {}
    for key, documents in table.items():
        topic = _identifier(key, "topic", where)
        if not isinstance(documents, dict) and hasattr(documents, "items"):
            documents = dict(documents.items())  # a series, or another mapping
        if not isinstance(documents, dict):
            raise InputError(
                f"{where}: topic {topic!r} holds {_shown(documents)}; expected a dict from documents to values"
            )
        if topic in groups:
            raise InputError(f"{where}: two topics are called {topic!r}, as a text and as a number; join them")
        names = list(documents)
        if "" in documents or not all(type(name) is str for name in names):
            names = [_identifier(name, "document", f"{where}: topic {topic!r}") for name in names]
        groups[topic] = (names, list(documents.values()))
    return groups


def _rows(table: Any, names: Names, where: str) -> Iterator[tuple[Any, ...]]:
    """Rows of topic, document and value; with a subtopic after the topic if it is among the names."""
    if not isinstance(table, (list, tuple)):
        frame = _frame(table, where)
        columns = [_cells(frame, _column(frame.columns, known, where), where) for known in names]
        yield from zip(*columns, strict=True)
        return
    for number, row in enumerate(table, 1):
        if not isinstance(row, (list, tuple)) or len(row) != len(names):
            expected = "(topic, document, value)" if len(names) == 3 else "(topic, subtopic, document, label)"
            raise InputError(f"{where}: row {number} is {_shown(row)}; expected {expected}")
        yield tuple(row)


def _frame(table: Any, where: str) -> Any:
    narwhals = load("narwhals.stable.v1", "frames")
    try:
        return narwhals.from_native(table, eager_only=True)
    except TypeError as error:
        raise InputError(
            f"{where}: {type(table).__name__} cannot be read; use a path, a dict, a list of rows or a data frame"
        ) from error
    except Exception as error:
        raise InputError(f"{where}: the data frame cannot be read ({error}); use pandas, polars or Arrow") from error


def _cells(frame: Any, column: str, where: str) -> list[Any]:
    try:
        return list(frame[column].to_list())
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: column {column!r} holds text that is not UTF-8; write the file again") from error


def _column(columns: Iterable[Any], names: tuple[str, ...], where: str) -> str:
    for name in names:
        if name in columns:
            return name
    raise InputError(
        f"{where}: no column called {' or '.join(map(repr, names))}; found {', '.join(map(repr, columns))}; say what "
        "it is called with columns= (--columns)"
    )


def _has_column(table: Any, names: tuple[str, ...], where: str) -> bool:
    return not isinstance(table, (dict, list, tuple)) and any(name in _frame(table, where).columns for name in names)


def _identifier(value: Any, what: str, row_name: str) -> str:
    """A topic or document as text; a number with a point is refused, as 301.0 is most likely meant as 301."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str) and value:
        return str(value)
    try:
        if not isinstance(value, bool):
            return str(index(value))
    except TypeError:
        pass
    if is_empty(value):
        raise InputError(f"{row_name} has no {what}; every row needs topic and document")
    raise InputError(f"{row_name}: {what} {_shown(value)} is a {type(value).__name__}; ids are texts or whole numbers")


def _number(value: Any, table: Any, names: Names, where: str, topic: str, position: int) -> float:
    """A cell as a float; as in a file, what is too large becomes infinite."""
    try:
        return array("d", [value])[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    except (TypeError, ValueError):
        row_name = _row_name(table, names, where, topic, position)
        raise InputError(
            f"{row_name}: score {_shown(value)} is not a number; every row needs topic, document and score"
        ) from None


def _round(value: Any) -> int:
    """A cell of the column of rounds; as in a file, other words stand for none."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return 0
    return number if 0 <= number <= HIGHEST else 0


def _whole(value: Any, what: str, table: Any, names: Names, where: str, topic: str, position: int) -> int:
    """A cell as a whole number: 1 and 1.0 pass, 0.9 and '1' do not."""
    try:
        number = int(value)
        if number == value and not isinstance(value, str):
            if (LOWEST if what == "label" else 0) <= number <= HIGHEST:
                return number
            wrong = f"is out of range; {LABELS if what == 'label' else 'strata are whole numbers from 0 on'}"
            raise InputError(f"{_row_name(table, names, where, topic, position)}: {what} {_shown(value)} {wrong}")
    except (TypeError, ValueError, OverflowError):
        pass
    row_name = _row_name(table, names, where, topic, position)
    kind = "number" if what == "label" and not _has_point(value) else "whole number"
    raise InputError(f"{row_name}: {what} {_shown(value)} is not a {kind}; every row needs topic, document and {what}")


def _text(topic: str, documents: list[str], where: str) -> tuple[bytes, bytes]:
    """Topic and documents as the core takes them, each document ended by a newline."""
    text = "\n".join(documents)
    if "\n" in topic or text.count("\n") != max(len(documents) - 1, 0):
        raise InputError(f"{where}: topic {topic!r}: an id holds a line break; ids are single words")
    try:
        return topic.encode("utf-8", "surrogateescape"), (text + "\n").encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{where}: topic {topic!r}: an id cannot be written as UTF-8 ({error.reason}); mend it"
        ) from None


def _row_name(table: Any, names: Names, where: str, topic: str, position: int) -> str:
    """Where the document at a position of a topic stands: its row, or in a dict its topic and document."""
    if isinstance(table, dict):
        documents = next(documents for key, documents in table.items() if _identifier(key, "topic", where) == topic)
        return f"{where}: topic {topic!r}: document {short(str(list(documents.keys())[position]))!r}"
    if not isinstance(table, (list, tuple)):
        frame = _frame(table, where)
        table = [(key,) for key in frame[_column(frame.columns, names[0], where)].to_list()]
    rows = (number for number, row in enumerate(table, 1) if _identifier(row[0], "topic", where) == topic)
    return f"{where}: row {next(row for i, row in enumerate(rows) if i == position)}"


def _shown(value: Any) -> str:
    return short(repr(value))
