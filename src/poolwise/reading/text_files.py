"""Small text files that name runs, groups, measures or grades: read whole, compressed or not, also from a pipe."""

from __future__ import annotations

from poolwise.errors import InputError
from poolwise.reading.opening import STREAM, opened, opened_lines, whole
from poolwise.reading.sources import file_or_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def file_text(path: Any, errors: str = "surrogateescape", most: int | None = None) -> str:
    """The text of a file; bytes that are no UTF-8 pass through as they are in names of files.

    In text that people read, `errors="replace"` puts a mark in their place. A file of more than `most` bytes, as one
    that was packed may turn out to be, is none of the kind that was asked for.
    """
    with opened(source := file_or_table(path, "file"), STREAM) as (file, _):
        if most is None:
            return whole(file).decode("utf-8-sig", errors)
        data: bytes = file.read(most + 1)
    if len(data) > most:
        raise InputError(f"{source.where}: holds more than {most:,} bytes, which no such file needs; check its name")
    return data.decode("utf-8-sig", errors)


def qrels_lines(path: Any) -> str:
    """The judgments of a file of any form as lines of TREC."""
    with opened_lines(file_or_table(path, "file"), STREAM, labels=True) as (file, _):
        return whole(file).decode("utf-8", "surrogateescape")


def numbered_lines(path: Any) -> list[tuple[int, str]]:
    """Lines with something in them, less the blanks around it, each with its number from 1."""
    lines = enumerate(file_text(path).splitlines(), 1)
    return [(number, line.strip()) for number, line in lines if line.strip()]
