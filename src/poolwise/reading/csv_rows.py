"""Rows of CSV, whose faults are errors that say where they are."""

from __future__ import annotations

from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["check_line_ends", "csv_rows"]


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
    """Refuse a text whose first line holds others, as it was saved with ends that nothing writes any more."""
    if "\r" in first.strip("\r") and not first.lstrip().startswith(("{", "[")):
        raise InputError(f"{where}: lines end with a carriage return alone; save the file with line feeds")
