"""Tables: CSV and long data frames in, CSV, Parquet and HTML out."""

from __future__ import annotations

import os

from poolwise.errors import InputError
from poolwise.extras import load
from poolwise.read.problems import counted
from poolwise.read.whole_files import write_bytes as write_bytes
from poolwise.read.whole_files import write_pieces as write_pieces
from poolwise.read.whole_files import write_text as write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

DEFAULTS = (("run", "run"), ("measure", "score"))  # of columns that a long table lacks
TOPIC_HEADERS = ("", "topic", "query", "qid")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write rows as CSV; floats keep every digit.

    >>> csv_text(("run", "value"), [("a,b", 0.1)])
    'run,value\\n"a,b",0.1\\n'
    """
    return "".join(csv_lines(header, rows))


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The lines of CSV, one after the other."""
    yield ",".join(map(_cell, header)) + "\n"
    for row in rows:
        yield ",".join(map(_cell, row)) + "\n"


def html_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write rows as a plain HTML table."""
    from html import escape

    def line(cells: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>"


def parquet_bytes(columns: dict[str, list[Any]]) -> bytes:
    """Columns as a Parquet file in memory."""
    from io import BytesIO

    parquet = load("pyarrow.parquet", "parquet")
    buffer = BytesIO()
    parquet.write_table(load("pyarrow", "parquet").table(columns), buffer)
    return buffer.getvalue()


def read_frame(table: Any) -> tuple[list[str], list[str], dict[str, NDArray[Any]]]:
    """Read a long data frame of scores; returns run names, topics and per measure an array, NaN where there is none."""
    import numpy

    from poolwise.read.tables import RUN, SCORE, TOPIC, columns_of

    found = columns_of(table, {"topic": TOPIC, "value": SCORE}, {"run": RUN, "measure": ("measure",)}, "scores")
    count = len(found["topic"])
    runs, measures = (list(map(str, found.get(key, [key_of] * count))) for key, key_of in DEFAULTS)
    rows = {
        (measure, run, str(topic)): value
        for measure, run, topic, value in zip(measures, runs, found["topic"], found["value"], strict=True)
        if str(topic) != "all"
    }
    if len(rows) < sum(str(topic) != "all" for topic in found["topic"]):
        raise InputError("scores: a run has two scores on one topic by one measure; remove one of them")
    names = [list(dict.fromkeys(key[place] for key in rows)) for place in range(3)]
    arrays = {measure: numpy.full((len(names[1]), len(names[2])), numpy.nan) for measure in names[0]}
    for (measure, run, topic), value in rows.items():
        arrays[measure][names[1].index(run), names[2].index(topic)] = value
    return names[1], names[2], arrays


def read_table(path: Any) -> tuple[list[str], list[str], list[list[float]]]:
    """Read a topics x systems CSV file; returns run names, topics and values by run, NaN for empty cells."""
    import csv

    where = os.fspath(path)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{where}: cannot be read as CSV ({error}); topics are rows, runs are columns") from error
    if len(lines) < 2:
        raise InputError(f"{where}: a header of run names and at least one line of scores are needed")
    header, *body = lines
    for number, row in enumerate(body, 2):
        if len(row) != len(header):
            raise InputError(f"{where}:{number}: {counted(len(row), 'cell')} found; the header has {len(header)}")
    has_topics = header[0].strip().lower() in TOPIC_HEADERS or not all(_is_score(row[0]) for row in body)
    first = 1 if has_topics else 0
    topics = [row[0] for row in body] if has_topics else [str(number) for number in range(1, len(body) + 1)]
    columns = range(first, len(header))
    values = [[_score(row[c], where, number) for number, row in enumerate(body, 2)] for c in columns]
    runs = [header[c].strip() for c in columns]
    for names, what in ((runs, "columns"), (topics, "topics")):
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{where}: two {what} are called {twice!r}; rename one of them")
    return runs, topics, values


def _cell(value: Any) -> str:
    text = repr(value) if isinstance(value, float) else str(value)
    if any(character in text for character in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _is_score(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.strip() in ("", "NA")
    return True


def _score(text: str, where: str, number: int) -> float:
    if text.strip() in ("", "NA", "NaN", "nan"):
        return float("nan")
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}:{number}: score {text!r} is not a number; leave a missing one empty") from None
