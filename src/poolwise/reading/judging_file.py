"""The file of `poolwise judge`: SQLite, with the plan's documents and every event, and the judgments that follow.

Three tables. `about` says what the file is and how its text is written. `pooled` has a row per document of the plan:
topic, document, stratum, round, and the label it came with, if any. `events` is described in `judging_events`; the
database refuses to change or remove a row of it.

A file of judgments follows from these tables, byte for byte. A document that was drawn and has no answer yet is written
as not drawn (round 0): documents are judged in random order within each topic and stratum, so what was reached is a
smaller random sample, and counting labels over the pool gives its rates. A document that was looked at and could not be
judged stays drawn, without a label: that is non-response. Where a topic is begun, but not all of its strata are, what
was drawn from them must be known (see `poolwise.sampling.cells`): there all drawn documents are written as drawn.

Events are only ever added. Which label a document has is worked out from all of them, so that nothing which was
pressed is ever lost, and the same events always lead to the same labels.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass, field
from weakref import finalize

from poolwise.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

if TYPE_CHECKING:
    Pair = tuple[str, str]  # topic and document
# What can be said of a document; the last one that was not undone counts.
ANSWERS = ("label", "cannot", "later")
VALUES = "values"  # what an event of viewing says when an assessor sees the values of runs from there on
IN_VIEW = "# poolwise judge in view "  # how the line of a judged file begins that says how many labels were given so


@dataclass(frozen=True, slots=True)
class Event:
    """One thing an assessor did.

    `action` is an answer, or what else can happen: `note`, a remark on a document; `reading`, how a topic is read;
    `undo`; `settle`, of a disagreement; `share`, how work is shared out from here on; `look`, at the estimates; `view`,
    whether an assessor sees values of runs from here on (the note says `values`) or not. `id`
    was drawn by the page, so that an event sent twice is kept once. `replaces` is the id of the event that is undone or
    put right. `again` marks a document that the same assessor was shown before, unknown to them.
    """

    id: str
    time: int  # milliseconds since 1970, by the clock of the server
    assessor: str
    topic: str
    document: str
    action: str
    label: int | None = None
    unsure: bool = False
    again: bool = False
    milliseconds: int | None = None  # for which the document was in view
    note: str | None = None
    replaces: str | None = None


@dataclass(slots=True)
class Standing:
    """An assessor's view of a document: the answer that counts, the first label, and remarks."""

    answer: Event | None = None
    first: int = -1  # place of the first label among the events
    notes: list[str] = field(default_factory=list)

    @property
    def label(self) -> int | None:
        """The label, if one was given."""
        return self.answer.label if self.answer is not None and self.answer.action == "label" else None


def in_force(events: Iterable[Event]) -> list[Event]:
    """The events that were not undone, in order; undoing itself is left out."""
    listed = list(events)
    undone = {event.replaces for event in listed if event.action == "undo"}
    return [event for event in listed if event.action != "undo" and event.id not in undone]


def standings(events: Iterable[Event], again: bool = False) -> dict[str, dict[Pair, Standing]]:
    """Every assessor's view of each document, at first sight or when they saw it again."""
    standings: dict[str, dict[Pair, Standing]] = {}
    for index, event in enumerate(in_force(events)):
        if event.again != again or event.action not in (*ANSWERS, "note"):
            continue
        by_document = standings.setdefault(event.assessor, {})
        standing = by_document.setdefault((event.topic, event.document), Standing())
        if event.action == "note":
            standing.notes = [event.note] if event.note else []
            continue
        standing.answer = event
        if event.action == "label" and standing.first < 0:
            standing.first = index
    return standings


def settlements(events: Iterable[Event]) -> list[Event]:
    """Labels that ended a disagreement: the last of each assessor for each document, in order."""
    last = {
        (event.assessor, event.topic, event.document): event for event in in_force(events) if event.action == "settle"
    }
    kept = {event.id for event in last.values()}
    return [event for event in in_force(events) if event.id in kept]


def settled(events: Iterable[Event]) -> dict[Pair, Event]:
    """Labels that ended a disagreement, the last for each document."""
    return {(event.topic, event.document): event for event in in_force(events) if event.action == "settle"}


def combined(events: list[Event]) -> dict[Pair, int | None]:
    """One label per document; None where it could not be judged.

    A settled label counts; otherwise that of the assessor who was the first to label the document. Who says "cannot
    judge" leaves the document to the others. Documents that are put off, or were never shown, have no entry.
    """
    labels: dict[Pair, int | None] = {}
    firsts: dict[Pair, int] = {}
    for by_document in standings(events).values():
        for pair, standing in by_document.items():
            if standing.label is not None:
                if pair not in firsts or standing.first < firsts[pair]:
                    labels[pair], firsts[pair] = standing.label, standing.first
            elif standing.answer is not None and standing.answer.action == "cannot":
                labels.setdefault(pair, None)
    for pair, event in settled(events).items():
        labels[pair] = event.label
    return labels


def given_in_view(events: Iterable[Event]) -> tuple[int, int]:
    """How many labels were given while the assessor saw values of runs, and how many there are."""
    listed = list(events)
    seeing: set[str] = set()
    seen: set[str] = set()
    for event in listed:
        if event.action == "view":
            (seeing.add if event.note == VALUES else seeing.discard)(event.assessor)
        elif event.assessor in seeing:
            seen.add(event.id)
    answers = [standing.answer for by_document in standings(listed).values() for standing in by_document.values()]
    labels = [answer.id for answer in answers if answer is not None and answer.action == "label"]
    return len(seen.intersection(labels)), len(labels)


def in_view_words(seen: int, labels: int) -> Iterator[str]:
    """Say how many labels were given so, if any were."""
    if seen:
        yield f"{seen} of {labels} labels were given with values of runs in view"


def in_view_of(comments: Iterable[bytes]) -> tuple[int, int]:
    """Labels that were given so, from the lines of a judged file.

    >>> in_view_of([b"# poolwise judge in view 3 of 40"])
    (3, 40)
    """
    mark, seen, labels = IN_VIEW.encode(), 0, 0
    for line in comments:
        words = line[len(mark) :].split() if line.startswith(mark) else []
        if len(words) == 3 and words[0].isdigit() and words[2].isdigit():
            seen, labels = seen + int(words[0]), labels + int(words[2])
    return seen, labels


if TYPE_CHECKING:
    Row = tuple[str, str, int, int, int | None]  # topic, document, stratum, round, label
APPLICATION = 0x706F6F6C  # "pool", by which the file is known among SQLite files
VERSION = 1  # of the schema, counted up when programs of before could not read a file
# Codes of SQLite for what passes, or is no fault of the file: permission, busy, locked, memory, read-only, disk, open
PASSING = {3, 5, 6, 7, 8, 10, 14}
COLUMNS = "id, time, assessor, topic, document, action, label, unsure, again, milliseconds, note, replaces"
SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE pooled (
    number INTEGER PRIMARY KEY, topic NOT NULL, document NOT NULL, stratum INTEGER NOT NULL, round INTEGER NOT NULL,
    label INTEGER
);
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, time INTEGER NOT NULL, assessor TEXT NOT NULL,
    topic NOT NULL, document NOT NULL, action TEXT NOT NULL, label INTEGER, unsure INTEGER NOT NULL,
    again INTEGER NOT NULL, milliseconds INTEGER, note TEXT, replaces TEXT
);
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
"""


class JudgingFile:
    """The tables of an open file. What cannot be read of it is an error that says what to do."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection
        finalize(self, connection.close)  # whoever only reads need not think of it

    def about(self) -> dict[str, str]:
        """Facts that the file holds of itself: at least its plan's number, and how its text is written."""
        with sound(self.path):
            about = dict(self.connection.execute("SELECT name, value FROM about"))
            _ = about["plan"], about["columns"], int(about["unjudged"])
            return about

    def pooled(self) -> list[Row]:
        """The plan's documents, in the order of the file that is written."""
        query = "SELECT topic, document, stratum, round, label FROM pooled ORDER BY number"
        with sound(self.path):
            return [as_row(row) for row in self.connection.execute(query)]

    def events(self, after: int = 0) -> list[Event]:
        """All events, or those after so many, in the order in which they came."""
        return [event for _, event in self.numbered(after)]

    def numbered(self, after: int = 0) -> list[tuple[int, Event]]:
        """Events after a number, with their numbers."""
        query = f"SELECT number, {COLUMNS} FROM events WHERE number > ? ORDER BY number"
        with sound(self.path):
            return [(number, as_event(row)) for number, *row in self.connection.execute(query, (after,))]

    def judgments(self) -> bytes:
        """The text of a qrels file, as `poolwise plan` wrote it, with labels."""
        return JudgedText(self.about(), self.pooled()).after(self.events())


class JudgedText:
    """The judged file of a plan, after any events: five columns, or four if the plan has no strata.

    What does not change is prepared once, so that a large pool is written often without delaying those who judge.
    """

    def __init__(self, about: Mapping[str, str], pooled: Sequence[Row]) -> None:
        self._strata, self._unjudged = about["columns"] == "5", int(about["unjudged"])
        self._heading, self._rows = about.get("heading", ""), pooled
        self._index = {(row[0], row[1]): index for index, row in enumerate(pooled) if row[4] is None}
        self._lines = [self._line(row, row[4], row[4] is not None) for row in pooled]
        self._begun = {(row[0], row[2]) for row in pooled if row[4] is not None}
        self._drawn: dict[str, dict[int, list[int]]] = {}  # places by topic and stratum
        for (topic, _), index in self._index.items():
            if pooled[index][3] > 0:
                self._drawn.setdefault(topic, {}).setdefault(pooled[index][2], []).append(index)

    def after(self, events: list[Event]) -> bytes:
        """The text that follows from events; lines that begin the plan are kept."""
        lines, begun = self._lines.copy(), self._begun.copy()
        answers = {
            index: label for pair, label in combined(events).items() if (index := self._index.get(pair)) is not None
        }
        begun.update((self._rows[index][0], self._rows[index][2]) for index in answers)
        for index in self._waiting(begun):
            lines[index] = self._line(self._rows[index], None, True)
        for index, label in answers.items():
            lines[index] = self._line(self._rows[index], label, True)
        seen, labels = given_in_view(events)
        end = f"{IN_VIEW}{seen} of {labels}\n" if seen else ""
        return (self._heading + "".join(lines) + end).encode("utf-8", "surrogateescape")

    def _waiting(self, begun: set[tuple[str, int]]) -> Iterator[int]:
        """Places of what was drawn in topics of which some strata are begun and others are not."""
        for topic in {topic for topic, _ in begun}:
            drawn = self._drawn.get(topic, {})
            if any((topic, stratum) not in begun for stratum in drawn):
                for indices in drawn.values():
                    yield from indices

    def _line(self, row: Row, label: int | None, reached: bool) -> str:
        topic, document, stratum, drawn, _ = row
        shown = self._unjudged if label is None else label
        if self._strata:
            return f"{topic} {drawn if reached else 0} {document} {stratum} {shown}\n"
        return f"{topic} 0 {document} {shown}\n"


def opened(path: str) -> JudgingFile:
    """Open a file to read, also while somebody is judging."""
    from urllib.parse import quote

    try:
        connection = sqlite3.connect(
            f"file:{quote(path)}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
        )
        known = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error
    if not known:
        connection.close()
        raise InputError(f"{path}: this SQLite file is not one of `poolwise judge`; name a file of judgments")
    if version > VERSION:
        connection.close()
        raise InputError(f"{path}: a later poolwise wrote this file (format {version}); update poolwise")
    return JudgingFile(path, connection)


@contextmanager
def sound(path: str) -> Iterator[None]:
    """Turn what goes wrong where a file is damaged, or cannot be read for now, into an error that says what to do."""
    try:
        yield
    except (sqlite3.Error, ValueError, TypeError, KeyError, AttributeError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> InputError:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in PASSING:
        return InputError(f"{path}: the SQLite file cannot be read ({error}); check the file and its folder")
    reason = error if isinstance(error, sqlite3.Error) else "what it holds makes no sense"
    return InputError(
        f"{path}: the file of labels is damaged ({reason}); keep it, and save what can be read of it with "
        f"`poolwise judge {path} --recover saved.sqlite`"
    )


def judgments_of(path: str) -> bytes:
    """The judgments of a file of `poolwise judge`, as text."""
    file = opened(path)
    try:
        return file.judgments()
    finally:
        file.connection.close()


def is_sqlite(path: str) -> bool:
    """Whether this is an SQLite file, by its first bytes."""
    with open(path, "rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def as_stored(name: str) -> str | bytes:
    """A name as SQLite takes it: one that is no UTF-8 as bytes.

    >>> as_stored("401"), as_stored("caf\\udce9")
    ('401', b'caf\\xe9')
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape")
    return name


def as_name(stored: str | bytes) -> str:
    """The reverse of `as_stored`."""
    return stored if isinstance(stored, str) else bytes.decode(stored, "utf-8", "surrogateescape")


def as_event(row: Sequence[Any]) -> Event:
    """A row of the table of events, in the order of `COLUMNS`; a ValueError if it cannot be one."""
    id, time, assessor, topic, document, action, label, unsure, again, *rest = row
    names = (as_name(assessor), as_name(topic), as_name(document))
    event = Event(id, time, *names, action, label, bool(unsure), bool(again), *rest)
    wholes = (time, label or 0, event.milliseconds or 0)
    texts = (id, action, event.note or "", event.replaces or "")
    if not all(isinstance(value, int) for value in wholes) or not all(isinstance(value, str) for value in texts):
        raise ValueError("an event has other types")
    if not action.isalpha() or (action == "share" and not isinstance(json.loads(event.note or "{}"), dict)):
        raise ValueError("an event is of no kind that can be")  # a later poolwise may know more of them
    return event


def as_row(row: Sequence[Any]) -> Row:
    """A row of the table of documents; a ValueError if it cannot be one."""
    topic, document, stratum, drawn, label = row
    if not all(isinstance(value, int) for value in (stratum, drawn, label or 0)):
        raise ValueError("a document has other types")
    return as_name(topic), as_name(document), stratum, drawn, label
