"""Events are added, never changed, kept once, and judgments follow from them to the byte."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import poolwise as pw
from poolwise.errors import InputError
from poolwise.judging.events import EventStore, create
from poolwise.reading.judging_file import (
    Event,
    as_name,
    as_stored,
    combined,
    in_force,
    judgments_of,
    opened,
    settled,
    standings,
)

ABOUT = {"plan": "p", "columns": "5", "unjudged": "-1"}
ROWS = [
    ("1", "a", 1, 1, None),
    ("1", "b", 1, 1, None),
    ("1", "c", 2, 1, None),
    ("1", "d", 2, 0, None),
    ("1", "e", 2, 1, 2),
]


def event(
    id: str, document: str, action: str = "label", label: int | None = None, assessor: str = "ann", **more
) -> Event:
    return Event(id, 1000, assessor, "1", document, action, label, **more)


@pytest.fixture
def store(tmp_path: Path):
    path = str(tmp_path / "plan.sqlite")
    create(path, ABOUT, ROWS)
    store = EventStore(path)
    yield store
    store.close()


def test_a_new_file_is_whole_and_says_what_it_is(store: EventStore) -> None:
    assert store.about() == ABOUT
    assert store.pooled() == ROWS
    assert store.events() == []
    assert store.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store.connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert [path.name for path in Path(store.path).parent.glob("*.part")] == []


def test_events_come_back_as_they_went_in(store: EventStore) -> None:
    events = [
        event("first-one", "a", label=2, unsure=True, milliseconds=900, note="é"),
        event("caf\udce9", "doc\udcff", "cannot", assessor="zoë", again=True, replaces="first-one"),
    ]
    store.add([replace(events[0]), replace(events[1], id="second-one")])
    assert store.events() == [events[0], replace(events[1], id="second-one")]
    assert [number for number, _ in store.numbered()] == [1, 2]
    assert store.events(after=1) == [replace(events[1], id="second-one")]


def test_an_event_that_is_sent_twice_is_kept_once(store: EventStore) -> None:
    store.add([event("one", "a", label=1)])
    store.add([event("one", "a", label=0), event("two", "b", label=1)])
    assert [(e.id, e.label) for e in store.events()] == [("one", 1), ("two", 1)]


@pytest.mark.parametrize("statement", ["UPDATE events SET label = 0", "DELETE FROM events"])
def test_the_file_itself_refuses_to_change_an_event(store: EventStore, statement: str) -> None:
    store.add([event("one", "a", label=1)])
    with pytest.raises(sqlite3.IntegrityError, match="events are never"):
        store.connection.execute(statement)
    assert [e.label for e in store.events()] == [1]


def test_all_events_of_a_call_are_kept_or_none(store: EventStore) -> None:
    wrong = replace(event("two", "b"), time=None)
    with pytest.raises(InputError, match=r"plan\.sqlite: cannot be written .*time"):
        store.add([event("one", "a", label=1), wrong])
    assert store.events() == []


def test_two_processes_may_add_at_the_same_time(store: EventStore) -> None:
    other = EventStore(store.path)
    store.add([event("one", "a", label=1)])
    other.add([event("two", "b", label=0)])
    assert [e.id for e in store.events()] == [e.id for e in other.events()] == ["one", "two"]
    other.close()


# ---- What follows from events --------------------------------------------------------------------------------------


def test_the_last_answer_that_was_not_undone_counts() -> None:
    events = [
        event("1", "a", label=1),
        event("2", "a", label=3, replaces="1"),
        event("3", "a", "undo", replaces="2"),
        event("4", "b", label=0),
        event("5", "b", "undo", replaces="4"),
        event("6", "c", "later"),
        event("7", "c", label=2),
    ]
    assert [e.id for e in in_force(events)] == ["1", "6", "7"]
    assert {document: s.label for (_, document), s in standings(events)["ann"].items()} == {"a": 1, "c": 2}
    assert combined(events) == {("1", "a"): 1, ("1", "c"): 2}


def test_of_several_assessors_the_first_to_label_counts_even_after_a_change_of_mind() -> None:
    events = [
        event("1", "a", label=1),
        event("2", "a", label=0, assessor="bob"),
        event("3", "a", label=3, replaces="1"),
        event("4", "b", "cannot"),
        event("5", "b", label=2, assessor="bob"),
        event("6", "c", "cannot", assessor="bob"),
    ]
    assert combined(events) == {("1", "a"): 3, ("1", "b"): 2, ("1", "c"): None}


def test_what_is_settled_wins_and_what_comes_again_does_not_count() -> None:
    events = [
        event("1", "a", label=1),
        event("2", "a", label=0, assessor="bob"),
        event("3", "a", "settle", label=2, assessor="eve"),
        event("4", "b", label=3, again=True),
    ]
    assert combined(events) == {("1", "a"): 2}
    assert settled(events)["1", "a"].assessor == "eve"
    assert standings(events, again=True)["ann"]["1", "b"].label == 3
    assert combined([*events, event("5", "a", "undo", assessor="eve", replaces="3")]) == {("1", "a"): 1}


def test_notes_belong_to_their_document() -> None:
    events = [event("1", "a", "note", note="odd"), event("2", "a", label=1), event("3", "a", "note", note="very odd")]
    standing = standings(events)["ann"]["1", "a"]
    assert (standing.label, standing.notes) == (1, ["very odd"])


def test_judgments_are_a_smaller_plan(store: EventStore) -> None:
    """Not reached: not drawn. Cannot be judged: drawn, without a label. What had a label keeps it."""
    store.add([event("1", "a", label=1), event("2", "c", "cannot")])
    assert store.judgments().decode().splitlines() == [
        "1 1 a 1 1",
        "1 0 b 1 -1",
        "1 1 c 2 -1",
        "1 0 d 2 -1",
        "1 1 e 2 2",
    ]


def test_every_command_reads_the_file(store: EventStore) -> None:
    store.add([event("1", "a", label=1), event("2", "b", label=0)])
    text = Path(store.path).with_suffix(".txt")
    text.write_bytes(store.judgments())
    runs = {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    direct, written = pw.read(store.path, runs), pw.read(text, runs)
    assert direct.judgments.equals(written.judgments)
    assert direct.judgments.count() == 3
    assert judgments_of(store.path) == text.read_bytes()


def test_other_files_of_sqlite_are_refused(tmp_path: Path, store: EventStore) -> None:
    other = tmp_path / "other.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE t (a)")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match=r"other\.sqlite: this SQLite file is not one of `poolwise judge`"):
        pw.read(other, {"mine": {"1": {"a": 1.0}}})
    store.connection.execute("PRAGMA user_version = 9")
    with pytest.raises(InputError, match="a later poolwise wrote this file"):
        opened(store.path)


@pytest.mark.parametrize("name", ["401", "", "caf\udce9", "日本"])
def test_names_of_any_bytes_survive(name: str) -> None:
    assert as_name(as_stored(name)) == name
