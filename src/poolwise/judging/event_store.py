"""Keeping events: each is on the disk before anybody is told so, and is kept once, however often it is sent."""

from __future__ import annotations

import os
import sqlite3

from poolwise.errors import InputError
from poolwise.judging.new_database import new_database
from poolwise.reading.judging_events import Event
from poolwise.reading.judging_file import COLUMNS, SCHEMA, JudgingFile, as_stored, opened, sound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poolwise.reading.judging_file import Row

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
        super().__init__(path, sqlite3.connect(path, isolation_level=None, check_same_thread=False))
        with sound(path):
            self.connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = FULL")
            (found,) = self.connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise sqlite3.DatabaseError(found)
        self._place = self._files()

    def add(self, events: Sequence[Event]) -> None:
        """Add events, all or none; those that are there already are passed over."""
        self.check_there()
        self._add(events)
        self.check_there()

    def check_there(self) -> None:
        """Refuse to go on with a file that was deleted or replaced: what is written to it would be gone."""
        now = self._files()
        if self._place[1] is None:  # the log comes with the first event
            self._place = self._place[0], now[1]
        if now != self._place or now[0] is None:
            raise InputError(
                f"{self.path}: was deleted or replaced while labels were being written to it, and what comes now is "
                "not kept; end this server and begin again"
            )

    def _files(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """Which file it is that has the name, and which log lies beside it."""
        return _which(self.path), _which(f"{self.path}-wal")

    def _add(self, events: Sequence[Event]) -> None:
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
            elif not isinstance(error, sqlite3.OperationalError | sqlite3.IntegrityError | sqlite3.ProgrammingError):
                with sound(self.path):  # it is damaged
                    raise
            raise InputError(f"{self.path}: cannot be written ({why}); {cure} and try again") from error

    def close(self) -> None:
        """Close the file; its log is folded in."""
        self.connection.close()


def _which(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def create(path: str, about: Mapping[str, str], pooled: Iterable[Row], events: Iterable[Event] = ()) -> None:
    """Write a new file, whole or not at all."""
    with new_database(path, SCHEMA, "check the folder") as connection:
        connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        connection.executemany(
            "INSERT INTO pooled (topic, document, stratum, round, label) VALUES (?, ?, ?, ?, ?)",
            ((as_stored(topic), as_stored(document), *rest) for topic, document, *rest in pooled),
        )
        connection.executemany(ADD, map(_row, events))


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
