"""Text tables of several runs, told apart by a column: one table per run, as of data frames and Parquet."""

from __future__ import annotations

from poolwise.errors import InputError
from poolwise.read.column_names import RUN_IN_TEXT, names_for, places_of
from poolwise.read.named_columns import named_columns
from poolwise.read.opening import STREAM, opened
from poolwise.read.problems import short
from poolwise.read.sources import file_or_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FIRST = 1 << 16  # bytes in which the names of columns stand


def runs_of_table(path: str, columns: Mapping[str, str] | None = None) -> list[tuple[str, Any]]:
    """The runs of a CSV, TSV or JSONL file that names several, as rows; none if it holds one, or no such column."""
    if not _names_runs(path):
        return []
    table = named_columns(path, "run")
    there = list(table.columns)
    places = places_of(there, {**names_for(False, columns), "run": RUN_IN_TEXT})
    if not {"topic", "document", "score", "run"} <= places.keys():
        return []  # what is missing is said when the file is read as one run
    names, topics, documents, scores = (
        table.columns[there[places[part]]] for part in ("run", "topic", "document", "score")
    )
    if len(set(names)) < 2:
        return []
    rows: dict[str, list[tuple[str, str, float]]] = {}
    for row, (name, topic, document, score) in enumerate(zip(names, topics, documents, scores, strict=True)):
        if name in (None, ""):
            raise InputError(f"{table.place(row)}: no run is named in column {there[places['run']]!r}; name one")
        rows.setdefault(str(name), []).append((str(topic), str(document), _score(score, table.place(row))))
    return list(rows.items())


def _names_runs(path: str) -> bool:
    """Whether a word for runs stands among the names of columns; a file that cannot be read is for others to refuse."""
    try:
        with opened(file_or_table(path, "run"), STREAM) as (file, _):
            first: str = file.read(FIRST).decode("utf-8-sig", "replace").lstrip().partition("\n")[0].lower()
    except (InputError, OSError):
        return False
    words = {word.strip(" \"'{}:") for word in first.replace("\t", ",").replace(":", ",").replace(";", ",").split(",")}
    return not words.isdisjoint(RUN_IN_TEXT)


def _score(value: Any, place: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{place}: score {short(repr(value))} is not a number; every row needs one") from None
