"""What can be read of damaged files: rows that damage did not hit, as SQLite itself gave them before."""

from __future__ import annotations

import random
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.kit.judging import judging, write_all, write_plan

from poolwise.cli.main import main
from poolwise.errors import InputError
from poolwise.judging.recovering import read_damaged, recover
from poolwise.judging.work import open_work
from poolwise.reading.judging_file import Event, combined, opened


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file with 150 answers of three people, notes short and longer than a page, and names that are no UTF-8."""
    write_plan(tmp_path / "plan.txt", topics=5, drawn=(18, 12))
    judged = judging(tmp_path / "plan.txt", "ann", "bob", "zoë")
    chance = random.Random(1)
    for name in ("ann", "bob", "zoë"):
        for place, (item, _) in enumerate(judged.queue(name)):
            more = {"note": "long " * 3000} if place % 20 == 7 else {"note": f"note {place}"} if place % 5 == 1 else {}
            label = chance.randrange(4)
            given = {"id": f"{place:03}-{name[:2].encode().hex()}-x", "action": "label", "item": item, "label": label}
            assert "refused" not in judged.record(name, [{**given, **more}])[0]
    judged.store.add([Event("bytes-of-names", 1000, "ann", "1", "caf\udce9", "reading", note="x")])
    judged.store.close()
    return tmp_path / "plan.sqlite"


def events_of(path: Path) -> dict[int, Event]:
    return dict(opened(str(path)).numbered())


def test_all_of_a_sound_file_is_read(kept: Path) -> None:
    file, found = opened(str(kept)), read_damaged(str(kept))
    assert found.events == events_of(kept)
    assert len(found.events) == 152  # with how work was shared out
    assert [row for _, row in sorted(found.rows.items())] == file.pooled()
    assert found.about == file.about()


def test_what_is_in_the_log_alone_is_read(kept: Path, tmp_path: Path) -> None:
    """A server that was killed leaves its last events in the log."""
    before = kept.stat().st_size
    store = open_work(str(kept))[1]
    store.add([Event(f"late-event-{number}", 1000, "ann", "1", "d1-1-00", "note", note="x") for number in range(50)])
    for ending in ("", "-wal"):
        shutil.copy(f"{kept}{ending}", tmp_path / f"copy{ending}")
    assert (tmp_path / "copy").stat().st_size == before
    assert len(read_damaged(str(tmp_path / "copy")).events) == 202
    store.close()


def test_without_its_first_page_sqlite_reads_nothing_and_we_all_events(kept: Path) -> None:
    events = events_of(kept)
    with kept.open("r+b") as file:
        file.write(b"\0" * 4096)
    with pytest.raises(InputError, match="is damaged"):
        opened(str(kept)).events()
    assert read_damaged(str(kept)).events == events


def test_damage_costs_what_it_hits(kept: Path, tmp_path: Path) -> None:
    """Forty times 64 bytes at three places: of 152 events a few are lost, and what is read is what was written."""
    events, whole = events_of(kept), kept.read_bytes()
    saved, changed, refused = [], 0, 0
    for seed in range(40):
        chance, damaged = random.Random(seed), bytearray(whole)
        for _ in range(3):
            place = chance.randrange(100, len(whole) - 64)
            damaged[place : place + 64] = chance.randbytes(64)
        path = tmp_path / "damaged.sqlite"
        path.write_bytes(damaged)
        found = read_damaged(str(path)).events
        saved.append(len(found.keys() & events.keys()))
        changed += sum(replace(found[n], note=event.note) != event for n, event in events.items() if n in found)
        try:
            opened(str(path)).events()
        except InputError:
            refused += 1
    assert min(saved) >= 145
    assert sum(saved) / len(saved) > 151
    assert changed == 0  # but for notes, which are long here
    assert refused > 30  # by SQLite


@pytest.mark.parametrize("whose", ["plan.txt", "plan.sqlite"])
def test_the_command_saves_and_judging_goes_on(tmp_path: Path, monkeypatch, capsys, whose: str) -> None:
    monkeypatch.chdir(write_all(tmp_path))
    judged = judging(tmp_path / "plan.txt", "ann")
    for item, _ in judged.queue("ann")[:25]:
        judged.record("ann", [{"id": f"event-{item:04}", "action": "label", "item": item, "label": item % 4}])
    judged.store.close()
    before = combined(opened("plan.sqlite").events())
    with open("plan.sqlite", "r+b") as file:
        file.seek(100)
        file.write(b"\xa7" * 3900)
    assert main(["judge", "plan.txt", "--export"]) == 1
    said = capsys.readouterr().err
    assert "keep it, and save what can be read of it with `poolwise judge plan.sqlite --recover saved.sqlite`" in said
    assert main(["judge", whose, "--recover", "saved.sqlite"]) == 0
    on = "plan.txt --store saved.sqlite" if whose == "plan.txt" else "saved.sqlite"
    assert capsys.readouterr().out == f"saved.sqlite: 25 labels saved\ngo on with `poolwise judge {on}`\n"
    assert combined(opened("saved.sqlite").events()) == before
    assert main(["judge", *on.split(), "--export", "-o", "after.qrels"]) == 0
    assert len(Path("after.qrels").read_text().splitlines()) == 25
    assert main(["judge", whose, "--recover", "saved.sqlite"]) == 1
    assert "saved.sqlite: is there already" in capsys.readouterr().err
    assert main(["judge", whose, "--recover", "saved.txt"]) == 0
    assert Path("saved.txt").read_bytes() == opened("saved.sqlite").judgments()


def test_labels_that_the_file_has_lost_are_those_of_the_judged_text(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(write_all(tmp_path))
    judged = judging(tmp_path / "plan.txt", "ann")
    for item, _ in judged.queue("ann")[:25]:
        judged.record("ann", [{"id": f"event-{item:04}", "action": "label", "item": item, "label": item % 4}])
    judged.store.close()
    assert main(["judge", "plan.txt", "--export"]) == 0
    before = combined(opened("plan.sqlite").events())
    connection = sqlite3.connect("plan.sqlite")
    (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
    connection.close()
    with open("plan.sqlite", "r+b") as file:
        file.seek(page * 4096 - 1000)  # the first events stand at the end
        file.write(b"\xa7" * 1000)
    capsys.readouterr()
    assert main(["judge", "plan.txt", "--recover", "saved.sqlite"]) == 0
    said = capsys.readouterr()
    assert "saved.sqlite: 25 labels saved; " in said.out
    assert "events could not be read" in said.out
    assert combined(opened("saved.sqlite").events()) == before
    assert len({event.assessor for event in opened("saved.sqlite").events() if event.label is not None}) == 2


def test_what_cannot_be_saved_is_said(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(write_all(tmp_path))
    with pytest.raises(InputError, match=r"plan\.sqlite: no such file"):
        recover("plan.txt", "plan.sqlite", "saved.sqlite")
    open_work("plan.txt")[1].close()
    with pytest.raises(InputError, match="no label can be read of it; move it away"):
        recover("plan.txt", "plan.sqlite", "saved.sqlite")
    write_plan(tmp_path / "other.txt", topics=2)
    with pytest.raises(InputError, match=r"holds labels of another plan than other\.txt"):
        recover("other.txt", "plan.sqlite", "saved.sqlite")
    Path("empty.sqlite").write_bytes(b"SQLite format 3\0")
    with pytest.raises(InputError, match="what was to be judged cannot be read of it; name the plan"):
        recover("empty.sqlite", "empty.sqlite", "saved.sqlite")
    assert not Path("saved.sqlite").exists()
