"""Columns of tables and their names, values of JSON, rows of CSV, and tests of cells.

ranx's `Run` and `Qrels`, datasets of ir_datasets and their `qrels` and `scoreddocs`, and iterables of named tuples, as
ir_measures reads and takes them. Frames of PyTerrier are data frames, whose columns `tables` knows.
"""

from __future__ import annotations

from poolwise.basics.words import short
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any


def json_value(text: str | bytes, **how: Any) -> Any:
    """The value of a text of JSON; ValueError where it has none, nests too deeply, or has numbers that are too long."""
    from json import loads

    try:
        return loads(text, **how)
    except RecursionError:
        raise ValueError("it nests too deeply") from None


def json_object(line: str | bytes, row_name: str, needs: str) -> dict[str, Any]:
    """The object of a line; `needs` says what every line must have.

    >>> json_object('{"id": "a"}', "documents.jsonl:1", "an object with id and text")
    {'id': 'a'}
    """
    try:
        record = json_value(line)
    except ValueError as error:
        raise InputError(f"{row_name}: this is no JSON ({error}); every line needs {needs}") from None
    if not isinstance(record, dict):
        text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
        raise InputError(f"{row_name}: {short(text.strip())!r} is no object; every line needs {needs}")
    return record


def csv_rows(lines: Iterable[str], where: str, **how: Any) -> Iterator[tuple[int, list[str]]]:
    """Cells of each row, with the number of its last line.

    >>> list(csv_rows(['a,"b', 'c"', "d,e"], "table.csv"))
    [(2, ['a', 'bc']), (3, ['d', 'e'])]
    """
    import csv

    rows = csv.reader(lines, **how)
    while True:
        try:
            cells = next(rows, None)
        except csv.Error as error:
            raise InputError(f"{where}:{rows.line_num}: the table cannot be read ({error}); mend the line") from None
        if cells is None:
            return
        yield rows.line_num, cells


def check_line_ends(first: str, where: str) -> None:
    """Refuse a text with old line ends (a carriage return alone), whose first line contains all others."""
    if "\r" in first.strip("\r") and not first.lstrip().startswith(("{", "[")):
        raise InputError(f"{where}: lines end with a carriage return alone; save the file with line feeds")


def is_run_object(data: Any) -> bool:
    """Whether this is a run of ranx, which brings its name."""
    return _library(data) == "ranx"


def plain(data: Any, names: tuple[tuple[str, ...], ...], where: str) -> Any:
    """An object of another library as a dict or as rows of the columns that `names` lists; all else as it is.

    >>> from collections import namedtuple
    >>> Judged = namedtuple("Judged", "query_id doc_id relevance iteration")
    >>> plain(iter([Judged("1", "a", 2, "0")]), (("topic", "query_id"), ("doc_id",), ("relevance",)), "qrels")
    [('1', 'a', 2)]
    """
    if is_run_object(data):
        return data.to_dict()
    part = "qrels" if "label" in names[-1] else "scoreddocs"
    if _library(data) == "ir_datasets" or hasattr(data, f"{part}_iter"):
        data = _records(data, part, where)
    if hasattr(data, "__next__"):
        data = _listed(data, where)
    if isinstance(data, (list, tuple)) and data and hasattr(data[0], "_fields"):
        return _rows(data, names, where)
    return data


def _records(data: Any, part: str, where: str) -> Any:
    """Records of an ir_datasets dataset, of its handler of judgments or runs, or of an iterable of records."""
    if hasattr(data, f"{part}_iter"):
        return getattr(data, f"{part}_iter")()
    if hasattr(data, "__iter__"):
        return iter(data)
    raise InputError(f"{where}: this dataset has no {part}; choose one that has")


def _listed(data: Any, where: str) -> list[Any]:
    """All that an iterator gives; ir_datasets may have to fetch it first."""
    try:
        return list(data)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{where}: cannot be read ({short(str(error))}); fetch the data first") from error


def _rows(data: Any, names: tuple[tuple[str, ...], ...], where: str) -> list[tuple[Any, ...]]:
    from operator import attrgetter

    fields = data[0]._fields
    wanted = [next((name for name in known if name in fields), None) for known in names]
    if None in wanted:
        missing = names[wanted.index(None)]
        listed = ", ".join(map(repr, fields))
        raise InputError(f"{where}: no field called {' or '.join(map(repr, missing))}; found {listed}")
    return list(map(attrgetter(*map(str, wanted)), data))


def _library(data: Any) -> str:
    return str(type(data).__module__).partition(".")[0]


if TYPE_CHECKING:
    Names = dict[str, tuple[str, ...]]  # what each of our columns may be called
TOPIC = ("topic", "query_id", "qid", "query", "q_id", "topic_id", "query-id", "queryid", "question_id")
DOCUMENT = (
    "document", "doc_id", "docno", "docid", "doc", "document_id", "corpus-id", "corpus_id", "pid", "passage_id",
    "chunk_id", "passage", "chunk",
)  # fmt: skip
SCORE = ("score", "sim", "value", "similarity")
RANK = ("rank",)
LABEL = ("label", "relevance", "rel", "qrel", "judgment", "grade", "rating")
PREDICTED = ("value", "prediction", "predicted", "probability", "llm_grade", "llm_label", "llm_score", "llm_rating")
JUDGED = (*LABEL, "score")  # in judgments, BEIR and ranx call labels so
STRATUM = ("stratum",)
SUBTOPIC = ("subtopic", "subtopic_id", "intent", "aspect")
ROUND = ("round", "iteration")
RUN = ("run", "run_id", "system", "tag", "name")
RUN_IN_TEXT = RUN[:-1]  # there a name may as well be a document's
ALL = {
    "topic": TOPIC, "document": DOCUMENT, "score": SCORE, "rank": RANK, "label": LABEL, "stratum": STRATUM,
    "round": ROUND, "subtopic": SUBTOPIC,
}  # fmt: skip
LABEL_COLUMNS, LABEL_OPTIONAL = ("topic", "document", "label"), ("stratum", "round", "subtopic")
HINT = "say which it is with --columns {column}=... (in Python columns=)"
RUN_COLUMNS, RUN_OPTIONAL = ("topic", "document", "score"), ("rank",)


def names_for(labels: bool, columns: Mapping[str, str] | None = None) -> Names:
    """The names that judgments or a run may use for columns: those given, or the usual ones.

    Topics and documents are named in both, of which one may use the usual names.

    >>> names_for(True, {"label": "grade", "topic": "need"})["label"], names_for(False)["rank"]
    (('grade',), ('rank',))
    """
    named = check_columns(columns)
    wanted = (*LABEL_COLUMNS, *LABEL_OPTIONAL) if labels else (*RUN_COLUMNS, *RUN_OPTIONAL)
    names = {**ALL, "label": JUDGED}
    for name, called in named.items():
        shared = name in ("topic", "document") and not called.isdecimal()
        names[name] = (called, *names[name]) if shared else (called,)
    if "rank" in named and "score" not in named:
        names["score"] = ()  # whoever says which column holds ranks wants these
    return {name: names[name] for name in wanted}


def names_of_runs(columns: Mapping[str, str] | None, usual: tuple[str, ...] = RUN) -> tuple[str, ...]:
    """The names that the column of runs may have: the one given, or the usual ones.

    >>> names_of_runs({"run": "model"}), names_of_runs({"topic": "1"}, RUN_IN_TEXT)
    (('model',), ('run', 'run_id', 'system', 'tag'))
    """
    return (columns["run"],) if columns and "run" in columns else usual


def check_columns(columns: Mapping[str, str] | None, known: Sequence[str] = (*ALL, "run")) -> dict[str, str]:
    """Checked mapping from poolwise's columns to those of the user. Several names are joined by commas."""
    if columns is not None and not hasattr(columns, "items"):
        raise ArgumentError(f"columns={columns!r} must be a dict, such as {{'topic': 'qid'}}")
    pairs = (columns or {}).items()
    named = {name: called if isinstance(called, str) else _joined(name, called) for name, called in pairs}
    for name in named:
        if name not in known:
            raise ArgumentError(f"columns: no column is called {name!r} here; name {', '.join(known)}")
    return named


def _joined(name: str, called: Any) -> str:
    """Several names as one text; a number is that of a column."""
    names: list[Any] = [str(called)] if type(called) is int else []
    if isinstance(called, (list, tuple)):
        names = list(called)
    if not names or not all(isinstance(each, str) for each in names):
        raise ArgumentError(f"columns: {name}={called!r} must be the name of a column, or its number from 1 on")
    return ",".join(names)


def of_runs(columns: Mapping[str, str] | None) -> dict[str, str] | None:
    """Of a map for all tables what judgments and runs are read by: without the value of predictions.

    >>> of_runs({"topic": "need", "value": "llm"}), of_runs({"value": "llm"})
    ({'topic': 'need'}, None)
    """
    return {name: called for name, called in (columns or {}).items() if name != "value"} or None


def places_of(columns: Sequence[str], names: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Where our columns stand among those of a table, by their names in any case, or by their numbers.

    >>> places_of(["Query-ID", "corpus-id", "score"], names_for(True))
    {'topic': 0, 'document': 1, 'label': 2}
    """
    there = {str(name).strip().lower(): at for at, name in reversed(list(enumerate(columns)))}
    indices = {}
    for name, known in names.items():
        if is_numbered(known):
            at = int(known[0]) - 1 if 0 < int(known[0]) <= len(columns) else None
        else:
            at = next((there[word.lower()] for word in known if word.lower() in there), None)
        if at is not None:
            indices[name] = at
    return indices


def is_numbered(known: Sequence[str]) -> bool:
    """Whether a column is told by its number, as in a table without a header."""
    return len(known) == 1 and known[0].isdecimal()


def check_places(
    indices: Mapping[str, int],
    needed: Iterable[str],
    names: Mapping[str, Sequence[str]],
    columns: Sequence[str],
    at: str,
    hint: str = HINT,
) -> None:
    """Refuse a table that lacks a column; `hint` says what to do."""
    needed = list(needed)
    for name in needed:
        if name not in indices:
            raise InputError(
                f"{at}: no column called {' or '.join(map(repr, names[name]))}; found "
                f"{short(', '.join(map(str, columns)))}; {hint.format(column=name)}{_by_number(needed, columns)}"
            )


def _by_number(needed: Iterable[str], columns: Sequence[str]) -> str:
    """How columns are told where the first line names none: a number among its cells is no name.

    >>> _by_number(["topic", "document", "score"], ["1", "a", "0.5"])
    ', or by numbers if there is no header, as in topic=1,document=2,score=3'
    """
    if not any(is_number(str(cell)) for cell in columns):
        return ""
    example = ",".join(f"{name}={index}" for index, name in enumerate(needed, 1))
    return f", or by numbers if there is no header, as in {example}"


def is_number(text: Any) -> bool:
    """Whether a word is a number.

    >>> is_number("1e-3"), is_number("d1")
    (True, False)
    """
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def is_empty(value: Any) -> bool:
    """Whether a cell holds nothing: blank, None, NaN, or the like of pandas."""
    if isinstance(value, (str, bytes)):
        return not value.strip()
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
