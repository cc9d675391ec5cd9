"""Names as files, pages and terminals can hold them; names of files and documents need not be UTF-8."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["escaped_cell", "in_line", "readable", "unescaped_cells", "visible"]

# Bytes of names that are not UTF-8, as Python holds them, and signs that would end a row or steer a terminal.
BYTES = {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)}
CONTROLS = {sign: f"\\x{sign:02x}" for sign in (*range(0x20), *range(0x7F, 0xA0))} | {9: "\\t", 10: "\\n", 13: "\\r"}
UNSEEN = BYTES | CONTROLS
FORMULAS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")  # what a formula of a spreadsheet begins with
BEFORE = "' \t\r\n"  # what may stand before it


def readable(text: str) -> str:
    """A text that UTF-8 can hold: bytes of a name that are not UTF-8 are spelled out.

    >>> print(readable("caf\\udce9"))
    caf\\xe9
    """
    return text if text.isascii() else text.translate(BYTES)


def visible(text: str) -> str:
    """A text of which every sign is seen: line breaks and what steers a terminal are spelled out, too.

    >>> print(visible("red\\x1b[31m"))
    red\\x1b[31m
    """
    return text if text.isprintable() else text.translate(UNSEEN)


def in_line(text: str) -> str:
    """A text that stays in its line and does not steer a terminal; bytes that are not UTF-8 stay as they are.

    >>> print(in_line("two\\nlines"))
    two\\nlines
    """
    return text if text.isprintable() else text.translate(CONTROLS)


def escaped_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula, which it would run: an apostrophe stands before it.

    >>> escaped_cell("=1+1"), escaped_cell("'=1"), escaped_cell("odd")
    ("'=1+1", "''=1", 'odd')
    """
    return f"'{text}" if text.lstrip(BEFORE)[:1] in FORMULAS else text


def unescaped_cells(cells: Iterable[str]) -> list[str]:
    """Cells as they were before `escaped_cell`.

    >>> unescaped_cells(["'=1+1", "''=1", "'tis", "odd"])
    ['=1+1', "'=1", "'tis", 'odd']
    """
    return [cell[1:] if cell[:1] == "'" and cell.lstrip(BEFORE)[:1] in FORMULAS else cell for cell in cells]


def short(text: str) -> str:
    """Cut a long text, so that a message stays readable.

    >>> short("x" * 100)[50:]
    'xxxxxxx...'
    """
    return text if len(text) <= 60 else text[:57] + "..."


def counted(number: int, what: str) -> str:
    """A number of things, in words.

    >>> counted(1, "line"), counted(2, "line")
    ('1 line', '2 lines')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def part_of(number: int, whole: int, what: str, one: str = "has", several: str = "have") -> str:
    """So many of all, with the verb that follows.

    >>> part_of(1, 3, "run"), part_of(2, 3, "pair", "differs", "differ")
    ('1 of 3 runs has', '2 of 3 pairs differ')
    """
    return f"{number} of {counted(whole, what)} {one if number == 1 else several}"
