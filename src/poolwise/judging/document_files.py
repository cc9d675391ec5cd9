"""Files of documents read from beginning to end: JSON lines, CSV, Parquet, any of them compressed."""

from __future__ import annotations

import os

from poolwise import _core
from poolwise.errors import InputError
from poolwise.judging.document_text import ID
from poolwise.reading.json_objects import json_object
from poolwise.reading.opening import PIECE, START, opened
from poolwise.reading.sources import COMPRESSION_ENDINGS, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Advance = Callable[[int, int], None] | None

BATCH = 1024  # rows of a Parquet file that are held at once
LONGEST_CELL = 1 << 26
EVERY_LINE = "an object with id and text"
NEWS = 20_000  # records after which progress is told
# Columns of a file that does not name them, by their number, as collections of MS MARCO have them.
WITHOUT_NAMES = {2: ["id", "text"], 3: ["id", "title", "text"], 4: ["id", "url", "title", "text"]}


def records(path: str, advance: Advance = None) -> Iterator[dict[str, Any]]:
    """Every record of a file, in its order."""
    with opened(Source("documents", path), kind_of(path)) as (file, kind):
        for number, record in enumerate(_rows(path, file, kind), 1):
            yield record
            if advance is not None and number % NEWS == 0:
                advance(number, 0)


def kind_of(path: str) -> str:
    """The kind of a file by its first bytes; empty for plain text."""
    try:
        with open(path, "rb") as file:
            return _core.kind_of(file.read(START))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the file") from error


def ending(path: str) -> str:
    """The ending that tells how records are written, less one of compression.

    >>> ending("corpus/documents.jsonl.xz")
    '.jsonl'
    """
    stem, last = os.path.splitext(path)
    return os.path.splitext(stem)[1].lower() if last in COMPRESSION_ENDINGS else last.lower()


def _rows(path: str, file: Any, kind: str) -> Iterator[dict[str, Any]]:
    if kind == "parquet":
        return _parquet_rows(file)
    if ending(path) in (".csv", ".tsv"):
        return _csv_rows(path, file)
    return _json_rows(path, file)


def _json_rows(path: str, file: Any) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines_of(file), 1):
        if line.strip():
            yield json_object(line, f"{path}:{number}", EVERY_LINE)


def _csv_rows(path: str, file: Any) -> Iterator[dict[str, Any]]:
    import csv

    text = (line.decode("utf-8", "replace") for line in lines_of(file))
    tabs = ending(path) == ".tsv"
    rows = csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(text)
    usual = csv.field_size_limit(LONGEST_CELL)  # of the whole process, so it is set back afterwards
    try:
        yield from _named(path, rows)
    except csv.Error as error:
        raise InputError(f"{path}: the CSV cannot be read ({error}); quote texts with commas and line ends") from None
    finally:
        csv.field_size_limit(usual)


def _named(path: str, rows: Iterator[list[str]]) -> Iterator[dict[str, Any]]:
    first = [cell.removeprefix("\ufeff") for cell in next(rows, [])]
    names = first if any(cell in ID for cell in first) else WITHOUT_NAMES.get(len(first))
    if names is None:
        raise InputError(f"{path}: the first line names no column id; begin the file with names, as in id,title,text")
    if names is not first:
        yield dict(zip(names, first, strict=True))
    for row in rows:
        yield dict(zip(names, row, strict=False))


def _parquet_rows(file: Any) -> Iterator[dict[str, Any]]:
    from poolwise.basics.extras import load

    table = load("pyarrow.parquet", "parquet").ParquetFile(file)
    for batch in table.iter_batches(batch_size=BATCH):
        yield from batch.to_pylist()


def lines_of(file: Any) -> Iterator[bytes]:
    """The lines of a file that can be read piece by piece, each with its end."""
    rest = b""
    while piece := file.read(PIECE):
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest
