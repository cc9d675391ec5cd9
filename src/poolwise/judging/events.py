"""SQLite files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from contextlib import closing, contextmanager

from poolwise.basics.writing import temporary_name
from poolwise.errors import InputError
from poolwise.reading.judging_file import COLUMNS, SCHEMA, VALUES, Event, JudgingFile, as_stored, opened, sound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from poolwise.judging.judging import Judging
    from poolwise.reading.judging_file import Row


@contextmanager
def new_database(path: str, schema: str, advice: str) -> Iterator[sqlite3.Connection]:
    """A new file to fill, under another name until all of it is there; `advice` says what to do when it cannot be."""
    part = temporary_name(path)
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.executescript(schema)
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
        os.replace(part, path)
    except (sqlite3.Error, OSError) as error:
        raise InputError(f"{path}: cannot be written ({error}); {advice}") from error
    finally:
        if os.path.exists(part):
            os.remove(part)


LONGEST_NOTE = 20_000  # characters
OLDEST = 90 * 24 * 3600 * 1000  # milliseconds that an event may wait in a page
SENT = ("label", "cannot", "later", "note", "reading", "undo", "view")


class Refused(Exception):
    """Why something that was sent is not kept."""


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def new_id() -> str:
    """An id for an event, as pages draw them."""
    return secrets.token_urlsafe(12)


def event_from(sent: Mapping[str, Any], name: str, judging: Judging) -> Event:
    """The event that a page tells of, or the reason why it cannot be kept."""
    id, action = sent.get("id"), sent.get("action")
    if not isinstance(id, str) or not _is_id(id):
        raise Refused("an event needs an id of 8 to 64 letters, digits, - and _")
    known = judging.known(id)
    if known is not None:
        if known.assessor != name:
            raise Refused("this id belongs to an event of another assessor")
        if not _is_same(known, sent, judging):
            raise Refused("this id belongs to another event, which was kept; give each an id of its own")
        return known
    if action not in SENT:
        raise Refused(f"no such action: {str(action)[:20]!r}")
    moment = now() - _whole(sent.get("age", 0), 0, OLDEST, "age")
    note = _note(sent.get("note"))
    if action == "undo":
        return _undoing(id, moment, name, sent, judging)
    if action == "view":
        return Event(id, moment, name, "", "", "view", note=VALUES if sent.get("values") is True else None)
    if action == "reading":
        topic = sent.get("topic")
        if not any(judging.items[number].topic == topic for number, _ in judging.queue(name)):
            raise Refused("this topic is not part of your work")
        return Event(id, moment, name, str(topic), "", "reading", note=note)
    return _answer(id, moment, name, sent, judging, note)


def _is_same(known: Event, sent: Mapping[str, Any], judging: Judging) -> bool:
    """Whether what is sent again is the event that was kept; how long it waited and was looked at may differ."""
    action = sent.get("action")
    if known.action != ("settle" if action == "label" and known.action == "settle" else action):
        return False
    if action == "undo":
        return known.replaces == sent.get("replaces")
    if action == "view":
        return (sent.get("values") is True) == (known.note == VALUES)
    if _note(sent.get("note")) != known.note:
        return False
    if action == "reading":
        return known.topic == sent.get("topic")
    number = _whole(sent.get("item"), 0, len(judging.items) - 1, "item")
    item, label = judging.items[number], sent.get("label") if action == "label" else None
    return (item.topic, item.document, label) == (known.topic, known.document, known.label)


def _answer(id: str, moment: int, name: str, sent: Mapping[str, Any], judging: Judging, note: str | None) -> Event:
    number = _whole(sent.get("item"), 0, len(judging.items) - 1, "item")
    if not judging.may_see(name, number):
        raise Refused("this document is not part of your work")
    item, action, label = judging.items[number], str(sent["action"]), sent.get("label")
    if action == "label" and (type(label) is not int or label not in judging.labels):
        raise Refused(f"no such grade: {str(label)[:20]!r}")
    if judging.settle is not None:
        if action not in ("label", "note"):
            raise Refused("a disagreement is settled by a label")
        action = "settle" if action == "label" else action
    shown = sent.get("milliseconds")
    return Event(
        id, moment, name, item.topic, item.document, action,
        label=label if action in ("label", "settle") else None,
        unsure=sent.get("unsure") is True,
        again=sent.get("again") is True,
        milliseconds=None if shown is None else _whole(shown, 0, OLDEST, "milliseconds"),
        note=note,
        replaces=_replaced(sent.get("replaces")),
    )  # fmt: skip


def _undoing(id: str, moment: int, name: str, sent: Mapping[str, Any], judging: Judging) -> Event:
    undone = judging.known(str(sent.get("replaces")))
    if undone is None or undone.assessor != name or undone.action in ("undo", "share", "view"):
        raise Refused("there is nothing of yours to undo here")
    return Event(id, moment, name, undone.topic, undone.document, "undo", again=undone.again, replaces=undone.id)


def _replaced(value: Any) -> str | None:
    if value is None or _is_id(value):
        return value
    raise Refused(f"what is replaced has no id such as {str(value)[:20]!r}")


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and 8 <= len(value) <= 64 and value.replace("-", "").replace("_", "").isalnum()


def _note(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_NOTE:
        raise Refused(f"a note is a text of at most {LONGEST_NOTE} characters")
    return value.encode("utf-8", "replace").decode()


def _whole(value: Any, low: int, high: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise Refused(f"{name} {str(value)[:20]!r} is not a number from {low} to {high}")
    if value % 1:
        raise Refused(f"{name} {str(value)[:20]!r} is not a whole number")
    return int(value)


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
        self._known_files = self._files()

    def add(self, events: Sequence[Event]) -> None:
        """Add events, all or none; those that are there already are passed over."""
        self.check_there()
        self._add(events)
        self.check_there()

    def check_there(self) -> None:
        """Refuse to go on with a file that was deleted or replaced: what is written to it would be gone."""
        now = self._files()
        if self._known_files[1] is None:  # the log comes with the first event
            self._known_files = self._known_files[0], now[1]
        if now != self._known_files or now[0] is None:
            raise InputError(
                f"{self.path}: was deleted or replaced while labels were being written to it, and what comes now is "
                "not kept; end this server and begin again"
            )

    def _files(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """Device and inode of the file of this name and of the log beside it."""
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
