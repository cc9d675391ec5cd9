"""Text that files, pages and terminals can show, and plural forms. Names of files and documents need not be UTF-8."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["escaped_cell", "in_line", "readable", "unescaped_cells", "visible"]

# Bytes that are not UTF-8, as Python's surrogates, and characters that would end a row or control a terminal.
BYTES = {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)}
CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | {9: "\\t", 10: "\\n", 13: "\\r"}
UNSEEN = BYTES | CONTROLS
FORMULAS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")  # first characters of a spreadsheet's formula
BEFORE = "' \t\r\n"  # characters that a spreadsheet skips before it


def readable(text: str) -> str:
    """Text that UTF-8 can encode: other bytes of a name are written as escapes.

    >>> print(readable("caf\\udce9"))
    caf\\xe9
    """
    return text if text.isascii() else text.translate(BYTES)


def visible(text: str) -> str:
    """Text with visible characters only: line breaks and control characters are written as escapes.

    >>> print(visible("red\\x1b[31m"))
    red\\x1b[31m
    """
    return text if text.isprintable() else text.translate(UNSEEN)


def in_line(text: str) -> str:
    """Text without line breaks and control characters. Bytes that are not UTF-8 stay as they are.

    >>> print(in_line("two\\nlines"))
    two\\nlines
    """
    return text if text.isprintable() else text.translate(CONTROLS)


def escaped_cell(text: str) -> str:
    """Text that no spreadsheet executes as a formula: an apostrophe is put before it.

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
    """Truncate a text to 60 characters for a message.

    >>> short("x" * 100)[50:]
    'xxxxxxx...'
    """
    return text if len(text) <= 60 else text[:57] + "..."


def counted(number: int, what: str) -> str:
    """A number and a noun, in the plural unless the number is 1.

    >>> counted(1, "line"), counted(2, "line")
    ('1 line', '2 lines')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def part_of(number: int, whole: int, what: str, one: str = "has", several: str = "have") -> str:
    """'n of m things', with a verb that agrees.

    >>> part_of(1, 3, "run"), part_of(2, 3, "pair", "differs", "differ")
    ('1 of 3 runs has', '2 of 3 pairs differ')
    """
    return f"{number} of {counted(whole, what)} {one if number == 1 else several}"
