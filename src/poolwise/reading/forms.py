"""The forms in which people have judgments and runs, besides TREC's: what other tools write.

A form is declared once, here: how its beginning is known, and how it becomes lines of TREC, which the core reads. Where
the text has lines they keep their numbers, so that what the core says of a line holds for the user's file.
"""

from __future__ import annotations

from dataclasses import dataclass

from poolwise.reading.foreign_text import ForeignText, is_number
from poolwise.reading.json_forms import cbor_lines, is_cbor, is_json, is_records, json_lines, record_lines
from poolwise.reading.table_forms import is_table, is_three, table_lines, three_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

BEGINNING = 1 << 16  # bytes that tell a form


@dataclass(frozen=True)
class Form:
    """How a form is known, and how it becomes lines of TREC."""

    name: str
    known: Callable[[ForeignText], bool]
    lines: Callable[[Any, ForeignText], Iterator[bytes]]


# In the order in which they are tried.
FORMS = (
    Form("CBOR", is_cbor, cbor_lines),
    Form("JSON lines", is_records, record_lines),
    Form("JSON", is_json, json_lines),
    Form("table", is_table, table_lines),
    Form("three columns", is_three, three_lines),
)


def form_of(text: ForeignText) -> Form | None:
    """The form that a text has; None for TREC's, and for what no form knows, of which the core says what is wrong."""
    return None if _is_trec(text) else next((form for form in FORMS if form.known(text)), None)


def _is_trec(text: ForeignText) -> bool:
    words = text.first.split()
    if text.labels:
        return len(words) in (4, 5) and is_number(words[-1])
    return len(words) >= 6 and is_number(words[4])


class TrecText:
    """Lines of TREC, as they are made, as a file."""

    def __init__(self, lines: Iterator[bytes], text: ForeignText) -> None:
        self.text = text
        self._lines, self._parts, self._held = lines, [b""], 0

    def read(self, size: int) -> bytes:
        """So many bytes, fewer only at the end."""
        while self._held < size and (line := next(self._lines, None)) is not None:
            self._parts.append(line)
            self._held += len(line)
        text = b"".join(self._parts)
        self._parts, self._held = [text[size:]], max(0, len(text) - size)
        return text[:size]
