"""`judge` replaces no labels that it does not know, takes in those that came without their file, and never says that it
wrote what it could not write."""

from __future__ import annotations

import csv
import io
import json
import shutil
import signal
import sqlite3
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tests.kit.judging import judge_some
from tests.kit.judging_server import Server, labels_in, until

from poolwise.cli.main import main
from poolwise.errors import InputError, PoolwiseWarning
from poolwise.reading.judging_file import opened

UNKNOWN = "unknown (plan.judged.txt)"


@pytest.fixture
def here(folder: Path, monkeypatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def text_of(labels: dict[tuple[str, str], int], plan: Path = Path("plan.txt")) -> str:
    """A plan with labels filled in."""
    lines = [line.split() for line in plan.read_text().splitlines()]
    return "".join(
        f"{topic} {drawn} {document} {stratum} {labels.get((topic, document), -1)}\n"
        for topic, drawn, document, stratum, _ in lines
    )


def drawn_of(plan: Path = Path("plan.txt")) -> list[tuple[str, str]]:
    lines = [line.split() for line in plan.read_text().splitlines()]
    return [(topic, document) for topic, drawn, document, *_ in lines if drawn == "1"]


def labelled(path: Path) -> dict[tuple[str, str], int]:
    lines = [line.split() for line in path.read_text().splitlines()]
    return {(words[0], words[2]): int(words[-1]) for words in lines if words[-1] != "-1"}


# ---- Files that hold labels already ----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("--export",), ("--no-browser",)])
def test_files_of_the_users_own_are_not_replaced(here: Path, capsys, words: tuple[str, ...]) -> None:
    mine = "".join(f"{topic} 0 own{number} 1\n" for topic in (1, 2) for number in range(45))
    Path("mine.qrels").write_text(mine)
    assert main(["judge", "plan.txt", *words, "-o", "mine.qrels"]) == 1
    assert "mine.qrels: holds 90 labels that the new file would not have, such as 1 of" in capsys.readouterr().err
    assert Path("mine.qrels").read_text() == mine
    if words == ("--export",):
        assert main(["judge", "plan.txt", *words, "-o", "mine.qrels", "--overwrite"]) == 0
        assert Path("mine.qrels.previous").read_text() == mine


def test_the_plan_itself_is_not_replaced(here: Path, capsys) -> None:
    before = Path("plan.txt").read_text()
    assert main(["judge", "plan.txt", "--export", "-o", "./plan.txt"]) == 2
    assert "./plan.txt: is the plan itself; name another file" in capsys.readouterr().err
    assert Path("plan.txt").read_text() == before


def test_a_label_that_was_corrected_by_hand_is_not_replaced(here: Path, capsys) -> None:
    judge_some(here)
    assert main(["judge", "plan.txt", "--export"]) == 0
    right = Path("plan.judged.txt").read_text()
    for wrong in (" 1\n", " 2\n"):
        Path("plan.judged.txt").write_text(right.replace(" 0\n", wrong, 1))
        assert main(["judge", "plan.txt", "--export"]) == 1
        assert "plan.judged.txt: holds 1 label that the new file would not have" in capsys.readouterr().err
        assert Path("plan.judged.txt").read_text() != right
    assert main(["judge", "plan.txt", "--export", "--overwrite"]) == 0
    assert Path("plan.judged.txt").read_text() == right


def test_what_was_taken_back_may_leave_the_file(here: Path) -> None:
    """A file that was written before an answer was taken back is no reason to stop."""
    server = Server(here)
    server.label("ann", 3)
    until(lambda: len(labels_in(here / "plan.judged.txt")) == 3)
    server.process.send_signal(signal.SIGSTOP)
    old = (here / "plan.judged.txt").read_bytes()
    server.process.send_signal(signal.SIGCONT)
    server.post("ann", {"id": "take-back", "action": "undo", "replaces": "ann-event-0002"})
    server.process.kill()
    server.process.communicate()
    (here / "plan.judged.txt").write_bytes(old)
    assert main(["judge", "plan.txt", "--export"]) == 0
    assert len(labels_in(here / "plan.judged.txt")) == 2


def test_labels_that_come_into_the_file_while_judging_stay_there(here: Path) -> None:
    server = Server(here)
    server.label("ann", 2)
    until(lambda: len(labels_in(here / "plan.judged.txt")) == 2)
    by_hand = text_of({**labelled(here / "plan.judged.txt"), drawn_of()[-1]: 0, drawn_of()[-2]: 1})
    (here / "plan.judged.txt").write_text(by_hand)
    server.label("ann", 2, begin=2)
    said = server.stop()
    assert server.process.returncode == 1
    assert "plan.judged.txt: holds" in said
    assert "kept in plan.sqlite" in said
    assert "written" not in said
    assert Path("plan.judged.txt").read_text() == by_hand


# ---- Labels whose file did not travel --------------------------------------------------------------------------------


def test_labels_of_a_judged_text_are_taken_in(here: Path) -> None:
    """30 labels came with the text alone: judging goes on with the other ten documents."""
    labels = {pair: number % 3 for number, pair in enumerate(drawn_of()[:30])}
    Path("plan.judged.txt").write_text(text_of(labels))
    server = Server(here, "--scale", "0-3", "--assessors", "ann")
    began = server.get("start")
    assert (began["progress"]["all_done"], began["progress"]["left"]) == (30, 10)
    assert labelled(Path("plan.judged.txt")) == labels
    server.label("ann", 4, 3)
    said = server.stop()
    assert f"note: plan.judged.txt: 30 labels that plan.sqlite did not hold taken in as those of '{UNKNOWN}'" in said
    assert "\n10 of 40 documents to judge" in said
    assert "34 of 40 documents judged; plan.judged.txt written" in said
    after = labelled(Path("plan.judged.txt"))
    assert len(after) == 34
    assert {pair: after[pair] for pair in labels} == labels
    again = Server(here)
    assert again.get("start")["progress"]["left"] == 6
    assert "taken in" not in again.stop()
    assert main(["judge", "plan.txt", "--export", "-o", "all.csv", "-o", "all.qrels"]) == 0
    assert labelled(Path("all.qrels")) == after
    rows = list(csv.DictReader(io.StringIO(Path("all.csv").read_text())))
    assert {row["assessor"] for row in rows} == {UNKNOWN, "ann"}
    assert {(row["topic"], row["document"]): int(row["label"]) for row in rows if row["assessor"] == UNKNOWN} == labels


def test_labels_that_a_file_lacks_are_taken_in_and_the_team_stays(here: Path, capsys) -> None:
    server = Server(here, "--scale", "0-3", "--assessors", "ann,bob")
    server.label("ann", 5)
    server.stop()
    known = labelled(Path("plan.judged.txt"))
    missing = [pair for pair in drawn_of() if pair not in known][:7]
    Path("plan.judged.txt").write_text(text_of({**known, **dict.fromkeys(missing, 2)}))
    again = Server(here)
    assert again.name == ["ann"]
    assert again.get("start")["progress"]["all_done"] == 12
    again.stop()
    assert labelled(Path("plan.judged.txt")) == {**known, **dict.fromkeys(missing, 2)}
    shares = [event.note for event in opened("plan.sqlite").events() if event.action == "share"]
    assert shares == [shares[0], f'{{"assessors": ["{UNKNOWN}"]}}', shares[0]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("1 1 d1-1-00 1 -1", "1 1 other 1 1"), "of document 'other'"),
        (lambda text: text.replace("1 1 d1-1-00 1 -1", "1 1 d1-1-00 1 0.5"), "such as 0.5 of document 'd1-1-00'"),
        (lambda text: text.replace("1 0 d1-1-19 1 -1", "1 0 d1-1-19 1 1"), "of document 'd1-1-19'"),  # was not drawn
    ],
)
def test_labels_that_do_not_fit_are_neither_taken_in_nor_lost(here: Path, capsys, change, words: str) -> None:
    """One label fits, which does not save the file."""
    text = change(text_of({drawn_of()[-1]: 1}))
    Path("plan.judged.txt").write_text(text)
    assert main(["judge", "plan.txt", "--export"]) == 1
    assert words in capsys.readouterr().err
    assert Path("plan.judged.txt").read_text() == text
    assert [event for event in opened("plan.sqlite").events() if event.label is not None] == []


def test_labels_of_another_plan_are_refused_by_its_number(tmp_path: Path, monkeypatch, capsys) -> None:
    import poolwise as pw

    monkeypatch.chdir(tmp_path)
    runs = {"mine": {"1": {f"d{place}": -float(place) for place in range(30)}}}
    for seed in (1, 2):
        plan = pw.read(None, runs).plan(budget=10, depth=30, seed=seed)
        plan.merge([(*pair, 1) for pair in plan.to_judge()[:4]]).write(f"judged{seed}.txt")
        plan.write(f"plan{seed}.txt")
    capsys.readouterr()
    shutil.copy("judged1.txt", "plan2.judged.txt")
    assert main(["judge", "plan2.txt", "--export"]) == 1
    assert "plan2.judged.txt: holds 4 labels that" in capsys.readouterr().err
    shutil.copy("judged2.txt", "plan2.judged.txt")
    assert main(["judge", "plan2.txt", "--export"]) == 0
    assert labelled_below_comments(Path("plan2.judged.txt")) == labelled_below_comments(Path("judged2.txt"))
    shutil.copy("plan1.txt", "plan2.judged.txt")
    assert main(["judge", "plan2.txt", "--export"]) == 1
    assert "plan2.judged.txt: holds another plan, number" in capsys.readouterr().err


def labelled_below_comments(path: Path) -> set[tuple[str, str, str]]:
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    return {(words[0], words[2], words[-1]) for words in lines if words[-1] != "-1"}


# ---- What cannot be written, or is gone ------------------------------------------------------------------------------


def test_a_last_write_that_fails_is_an_error(here: Path) -> None:
    Path("out").mkdir()
    server = Server(here, "-o", "out/judged.txt", "-o", "also.qrels")
    server.label("ann", 3)
    until(lambda: len(labels_in(here / "out/judged.txt")) == 3)
    shutil.rmtree("out")
    server.label("ann", 2, begin=3)
    said = server.stop()
    assert server.process.returncode == 1
    assert "poolwise: out/judged.txt: cannot be written (No such file or directory)" in said
    assert "all that was judged is kept in plan.sqlite, and `poolwise judge plan.txt --export` writes the files" in said
    assert "Traceback" not in said
    assert "written\n" not in said
    assert len(labels_in(here / "also.qrels")) == 5  # one that fails stops no other
    Path("out").mkdir()
    assert main(["judge", "plan.txt", "--export", "-o", "out/judged.txt"]) == 0
    assert len(labels_in(here / "out/judged.txt")) == 5


def test_from_python_a_last_write_that_fails_is_an_error(here: Path) -> None:
    pytest.importorskip("uvicorn")
    import poolwise as pw

    Path("out").mkdir()
    server = pw.judge("plan.txt", outputs=["out/judged.txt"])
    until(Path("out/judged.txt").exists)
    shutil.rmtree("out")
    (address,) = server.addresses.values()
    item = json.loads(urllib.request.urlopen(f"{address}start?name=ann").read())["queue"][0][0]
    body = json.dumps({"events": [{"id": "one-event", "action": "label", "item": item, "label": 1}]}).encode()
    request = urllib.request.Request(f"{address}events?name=ann", body, {"Content-Type": "application/json"})
    with pytest.warns(PoolwiseWarning, match=r"out/judged\.txt: cannot be written .* it is tried again") as said:
        _send_and_wait(request, said)
    with pytest.raises(InputError, match=r"out/judged\.txt: cannot be written .* all that was judged is kept in"):
        server.stop()


def _send_and_wait(request: urllib.request.Request, said: pytest.WarningsRecorder) -> None:
    urllib.request.urlopen(request).close()
    until(lambda: len(said) > 0)


@pytest.mark.parametrize("how", ["deleted", "replaced", "log deleted"])
def test_a_label_is_not_confirmed_when_its_file_is_gone(here: Path, how: str) -> None:
    server = Server(here)
    server.label("ann", 3)
    if how == "replaced":
        shutil.copy("plan.sqlite", "copy")
        Path("copy").rename("plan.sqlite")
    for path in here.glob("plan.sqlite*" if how == "deleted" else "plan.sqlite-wal"):
        path.unlink()
    item = server.get("start?name=ann")["queue"][5][0]
    for _ in range(2):  # a page sends again what was not confirmed
        with pytest.raises(urllib.error.HTTPError, match="503") as refused:
            server.post("ann", {"id": "not-kept-1", "action": "label", "item": item, "label": 1})
        assert "plan.sqlite: was deleted or replaced while labels were being written" in refused.value.read().decode()
    said = server.stop()
    assert "Traceback" not in said
    assert server.process.returncode == 1
    assert "plan.sqlite: was deleted or replaced" in said
    assert len(labels_in(here / "plan.judged.txt")) == 3  # all that was confirmed
    kept = "plan.sqlite" if how == "deleted" else "plan.sqlite.previous"
    assert f"all that was judged is kept in {kept}" in said
    assert [event.assessor for event in opened(kept).events() if event.action == "label"] == ["ann"] * 3
    assert opened(kept).judgments() == Path("plan.judged.txt").read_bytes()


DAMAGES = {
    "pages": lambda path: _overwrite(path, 4096 * (_page_of_events(path) - 1)),
    "schema": lambda path: _overwrite(path, 110),
    "types": lambda path: _change(path, "UPDATE events SET label = 'x' WHERE action = 'label'"),
    "share": lambda path: _change(path, "UPDATE events SET note = '{\"' WHERE action = 'share'"),
    "names": lambda path: _change(path, "UPDATE pooled SET topic = 1"),
    "about": lambda path: _change(path, "DELETE FROM about WHERE name = 'columns'"),
}


def _page_of_events(path: str) -> int:
    connection = sqlite3.connect(path)
    (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
    connection.close()
    return page


def _overwrite(path: str, begin: int) -> None:
    with open(path, "r+b") as file:
        file.seek(begin)
        file.write(b"\xa7" * 4000)


def _change(path: str, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER events_stay")
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_a_damaged_file_is_an_error_that_says_what_to_do(here: Path, capsys, damage: str) -> None:
    judge_some(here)
    shutil.copytree("runs", "r") if Path("runs").exists() else Path("r").write_text("1 Q0 d1-1-00 1 1 x\n")
    DAMAGES[damage]("plan.sqlite")
    for words in (
        ("judge", "plan.txt", "--no-browser"),
        ("judge", "plan.txt", "--export"),
        ("merge", "plan.txt", "plan.sqlite", "-o", "merged.txt"),
        ("agreement", "plan.sqlite"),
        ("score", "plan.sqlite", "r"),
    ):
        if words[0] == "agreement" and damage == "about":
            continue  # which needs nothing of that
        assert main(list(words)) == 1, words
        said = capsys.readouterr().err
        assert "plan.sqlite: the file of labels is damaged (" in said
        assert "--recover" in said
        assert not Path("plan.judged.txt").exists()
        assert not Path("merged.txt").exists()
