"""Keeping events: each is on the disk before anybody is told so, and is kept once, however often it is sent."""

from __future__ import annotations

import sqlite3

from poolwise.assess.new_database import new_database
from poolwise.errors import InputError
from poolwise.read.judging_events import Event
from poolwise.read.judging_file import COLUMNS, SCHEMA, JudgingFile, as_event, as_stored, opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poolwise.read.judging_file import Row

PATIENCE = 10_000  # milliseconds to wait for another process that is writing
PLACES = ", ".join("?" * (COLUMNS.count(",") + 1))
ADD = f"INSERT INTO events ({COLUMNS}) VALUES ({PLACES}) ON CONFLICT (id) DO NOTHING"


class EventStore(JudgingFile):
    """A file of `poolwise judge` that events are added to.

    Write-ahead logging with full synchronisation: when `add` returns, the events survive a killed process and a lost
    power supply. Other processes may read, and add, at the same time.
    """

    def __init__(self, path: str) -> None:
        opened(path).connection.close()  # checks what it is
        super().__init__(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
        self.path = path
        self.connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")

    def add(self, events: Sequence[Event]) -> None:
        """Add events, all or none; those that are there already are passed over."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                self.connection.executemany(ADD, map(_row, events))
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            why, cure = str(error), "free space on the disk"
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                why, cure = f"another program has been writing to it for {PATIENCE // 1000} seconds", "end that program"
            raise InputError(f"{self.path}: cannot be written ({why}); {cure} and try again") from error

    def numbered(self, after: int = 0) -> list[tuple[int, Event]]:
        """Events after a number, with their numbers."""
        query = f"SELECT number, {COLUMNS} FROM events WHERE number > ? ORDER BY number"
        return [(number, as_event(row)) for number, *row in self.connection.execute(query, (after,))]

    def close(self) -> None:
        """Close the file; its log is folded in."""
        self.connection.close()


def create(path: str, about: Mapping[str, str], pooled: Iterable[Row]) -> None:
    """Write a file without events, whole or not at all."""
    with new_database(path, SCHEMA, "check the folder") as connection:
        connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        connection.executemany(
            "INSERT INTO pooled (topic, document, stratum, round, label) VALUES (?, ?, ?, ?, ?)",
            ((as_stored(topic), as_stored(document), *rest) for topic, document, *rest in pooled),
        )


def _row(event: Event) -> tuple[object, ...]:
    return (
        event.id,
        event.time,
        as_stored(event.assessor),
        as_stored(event.topic),
        as_stored(event.document),
        event.action,
        event.label,
        int(event.unsure),
        int(event.again),
        event.milliseconds,
        event.note,
        event.replaces,
    )
