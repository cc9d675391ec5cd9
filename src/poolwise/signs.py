"""Names as files, pages and terminals can hold them; names of files and documents need not be UTF-8."""

from __future__ import annotations

__all__ = ["in_line", "readable", "visible"]

# Bytes of names that are not UTF-8, as Python holds them, and signs that would end a row or steer a terminal.
BYTES = {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)}
CONTROLS = {sign: f"\\x{sign:02x}" for sign in (*range(0x20), *range(0x7F, 0xA0))} | {9: "\\t", 10: "\\n", 13: "\\r"}
UNSEEN = BYTES | CONTROLS


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
