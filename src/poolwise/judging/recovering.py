"""Reading as much as possible of a damaged file of `poolwise judge`.

SQLite gives up where a page makes no sense. Here every page of the file and of its log is looked at by itself for rows
of our tables (https://www.sqlite.org/fileformat.html), so that damage costs the rows that it hit and no others. Events
are only ever added, hence any copy of a page that has one is as good as another.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from poolwise.errors import InputError
from poolwise.judging.events import create
from poolwise.judging.judged_outputs import Outputs, taken_in
from poolwise.judging.work import ENDING, Work, number_of, read_work
from poolwise.reading.judging_file import Event, as_event, as_row, combined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.reading.judging_file import Row

STORES = (ENDING, ".db")
USUAL = 4096  # bytes of a page
ROWS, OTHERS = 0x0D, (0x02, 0x05, 0x0A)  # kinds of pages: rows of tables; indexes, and the way to rows
ABOUT = {"plan", "columns", "unjudged", "heading", "stamp"}
HEAD = re.compile(rb"[\x07-\x18](?=\x00)")  # of events and documents: its length, and that the number is elsewhere
WHOLE = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of a whole number, by its type
UNREADABLE = (ValueError, TypeError, AttributeError, IndexError, KeyError, RecursionError)


@dataclass
class RecoveredRows:
    """Rows of the three tables, by number or name."""

    about: dict[str, str] = field(default_factory=dict)
    rows: dict[int, Row] = field(default_factory=dict)
    events: dict[int, Event] = field(default_factory=dict)

    def add(self, number: int, values: list[Any]) -> None:
        """Take in a row of whatever table has such rows; anything else is one of the UNREADABLE."""
        if len(values) == 13 and values[0] is None:
            event = as_event(values[1:])
            if not 8 <= len(event.id) <= 64 or not event.id.isascii() or event.time <= 0 or number <= 0:
                raise ValueError("no event")
            self.events[number] = event
        elif len(values) == 6 and values[0] is None:
            self.rows[number] = as_row(values[1:])
        elif len(values) == 2 and values[0] in ABOUT:
            self.about[values[0]] = str(values[1])


@dataclass(frozen=True)
class Recovered:
    """Numbers of a recovered file: labels saved, and events that could not be read."""

    labels: int
    lost: int


def recover(
    plan: str, path: str, target: str, unjudged: int = -1, judged: Sequence[str] = (), overwrite: bool = False
) -> Recovered:
    """Write what can be read of a plan's damaged file to a new one, or to a judged file of any ending.

    The plan itself, or failing that the damaged file, says which documents there are. What is about others is left out.
    Labels of judged texts that the file has lost are taken in.
    """
    if not os.path.isfile(path):
        raise InputError(f"{path}: no such file; name the plan whose labels are to be saved")
    into_store = os.path.splitext(target)[1] in STORES
    if into_store and os.path.exists(target):
        raise InputError(f"{target}: is there already; name another file")
    found = read_damaged(path)
    work = _work_of(found, path) if plan == path else read_work(plan, unjudged)
    if found.about.get("plan", work.plan) != work.plan:
        raise InputError(f"{path}: holds labels of another plan than {plan}; name that plan")
    listed = {(topic, document) for topic, document, *_ in work.rows}
    events = [
        event
        for _, event in sorted(found.events.items())
        if not event.document or (event.topic, event.document) in listed
    ]
    events += taken_in(judged, target, work, events)
    labels = len(combined(events))
    if not labels:
        raise InputError(f"{path}: no label can be read of it; move it away, and judge takes those of a judged file in")
    if into_store:
        create(target, work.about, work.rows, events)
    else:
        Outputs([target], work, lambda: events, overwrite).write()
    return Recovered(labels, max(found.events, default=0) - len(found.events))


def _work_of(found: RecoveredRows, path: str) -> Work:
    """The documents by the damaged file itself, if all of them are there."""
    rows = [row for _, row in sorted(found.rows.items())]
    about = {name: found.about.get(name, "") for name in ("plan", "columns", "unjudged", "heading")}
    if not rows or number_of(rows) != about["plan"] or about["unjudged"].lstrip("-").isdecimal() is False:
        raise InputError(f"{path}: what was to be judged cannot be read of it; name the plan in its place")
    return Work(about["plan"], about, rows)


def read_damaged(path: str) -> RecoveredRows:
    """All rows that can be read of a file and its log."""
    found = RecoveredRows()
    pages = _Pages(path)
    for page, begin in pages.all():
        for offset in _row_offsets(page, begin):
            try:
                found.add(*pages.row(page, offset))
            except UNREADABLE:
                continue
    return found


def _row_offsets(page: bytes, begin: int) -> Iterator[int]:
    """Offsets where rows of a page may begin: by its index, or before whatever looks like a row's head."""
    kind = page[begin]
    offsets = [_whole(page, begin + 8 + 2 * cell, 2) for cell in range(_whole(page, begin + 3, 2))]
    if kind == ROWS and all(begin + 8 <= index < len(page) for index in offsets):
        yield from offsets
    elif kind not in OTHERS:
        for head in HEAD.finditer(page, begin):
            yield from range(max(begin, head.start() - 7), head.start() - 1)  # two numbers stand before it


class _Pages:
    """The pages of a file and of its log."""

    def __init__(self, path: str) -> None:
        self._file, self._log = _bytes(path), _bytes(f"{path}-wal")
        size = _whole(self._file, 16, 2) if len(self._file) >= 100 else 0
        size = 65536 if size == 1 else size
        self._size = size if size >= 512 and not size & (size - 1) else USUAL
        self._last: dict[int, bytes] = {}  # pages by number, of the log where it has them
        for _, number, page in self._copies():
            self._last[number] = page

    def all(self) -> Iterator[tuple[bytes, int]]:
        """Every copy of a page that is there, and where its contents begin."""
        for begin, _, page in self._copies():
            yield page, begin

    def row(self, page: bytes, offset: int) -> tuple[int, list[Any]]:
        """The number and the values of the row that begins at an offset."""
        length, offset = _varint(page, offset)
        number, offset = _varint(page, offset)
        if not 2 <= length < 1 << 24:
            raise ValueError("no row")
        here = self._here(length)
        record = page[offset : offset + here]
        if here < length:
            record += self._overflow(_whole(page, offset + here, 4), length - here)
        return number, _values(record, length)

    def _here(self, length: int) -> int:
        """How many bytes of a row stand in its page; the others are elsewhere."""
        most, least = self._size - 35, (self._size - 12) * 32 // 255 - 23
        if length <= most:
            return length
        here = least + (length - least) % (self._size - 4)
        return here if here <= most else least

    def _overflow(self, number: int, length: int) -> bytes:
        """The rest of a long row; blanks where it cannot be read."""
        parts: list[bytes] = []
        left = length
        while left > 0 and number in self._last:
            page = self._last[number]
            parts.append(page[4 : 4 + left])
            left -= len(parts[-1])
            number = _whole(page, 0, 4)
        return b"".join(parts).ljust(length)

    def _copies(self) -> Iterator[tuple[int, int, bytes]]:
        """Every copy of a page: where its contents begin, its number, its bytes."""
        size = self._size
        for number, offset in enumerate(range(0, len(self._file), size), 1):
            yield 100 if number == 1 else 0, number, self._file[offset : offset + size].ljust(size, b"\0")
        for offset in range(32, len(self._log) - size - 23, size + 24):
            number = _whole(self._log, offset, 4)
            yield 100 if number == 1 else 0, number, self._log[offset + 24 : offset + 24 + size]


def _values(record: bytes, length: int) -> list[Any]:
    """The values of a row; its parts must be as long as it says."""
    begin, offset = _varint(record, 0)
    kinds = []
    while offset < begin:
        kind, offset = _varint(record, offset)
        kinds.append(kind)
    if offset != begin or len(kinds) not in (2, 6, 13):
        raise ValueError("no row")
    values = []
    for kind in kinds:
        size = WHOLE.get(kind, (kind - 12) // 2 if kind >= 12 else 0)
        values.append(_value(kind, record[offset : offset + size]))
        offset += size
    if offset != length:
        raise ValueError("no row")
    return values


def _value(kind: int, cell: bytes) -> Any:
    if kind >= 12:
        return cell.decode("utf-8", "replace") if kind % 2 else cell  # a note may be damaged where its label is not
    if kind in WHOLE:
        return int.from_bytes(cell, "big", signed=True)
    return {0: None, 8: 0, 9: 1}[kind]


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """A number of one to nine bytes, and the offset after it."""
    value = 0
    for count in range(8):
        byte = data[offset + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + count + 1
    return value << 8 | data[offset + 8], offset + 9


def _whole(data: bytes, offset: int, size: int) -> int:
    return int.from_bytes(data[offset : offset + size], "big")


def _bytes(path: str) -> bytes:
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()
