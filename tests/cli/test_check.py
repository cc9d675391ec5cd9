"""`poolwise check`: all that is wrong is told at once."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tests.kit.command import here

GOOD = [(topic, f"d{rank}", rank, 10 - rank) for topic in range(1, 5) for rank in range(1, 9)]


def trec(rows):
    return "".join(f"{topic} Q0 {document} {rank} {score} x\n" for topic, document, rank, score in rows)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 d{n} {int(n < 3)}\n" for t in range(1, 5) for n in range(1, 9)))
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "good.txt").write_text(trec(GOOD))
    (runs / "copy.txt").write_text(trec((t, d, r, s * 7) for t, d, r, s in GOOD))
    (runs / "distances.txt").write_text(trec((t, d, r, -s) for t, d, r, s in GOOD))
    (runs / "unranked.txt").write_text(trec((t, d, 0, -s - int(d[1])) for t, d, _, s in reversed(GOOD)))
    return tmp_path


def rows_of(found):
    return {row["run"]: row for row in csv.DictReader(io.StringIO(found.out))}


def test_copies_and_reversals(folder):
    (folder / "runs" / "unranked.txt").write_text(trec((t, d, 0, -s) for t, d, _, s in GOOD[:-1]))
    found = rows_of(here(["check", "qrels.txt", "runs", "--format", "csv"], folder))
    assert {run: row["same_as"] for run, row in found.items() if row["same_as"]} == {"good": "copy"}
    reversals = {run: row["reversed_by"] for run, row in found.items() if row["reversed_by"]}
    assert reversals == {"distances": "ranks", "unranked": "labels"}
    words = here(["check", "qrels.txt", "runs"], folder)
    assert "- good has the rankings of copy" in words.out
    assert "- distances: scores rise with the ranks of its file" in words.out
    assert "- unranked would score far better upside down" in words.out
    assert words.code == 0


def test_every_file_at_fault_is_named(folder):
    (folder / "runs" / "script.sh").write_text("#!/bin/bash\necho\n")
    (folder / "runs" / "empty.txt").write_text("")
    (folder / "runs" / "nan.txt").write_text("1 Q0 d1 1 nan x\n")
    (folder / "runs" / "other.txt").write_text("Q1 Q0 d1 1 1 x\n")
    found = here(["check", "qrels.txt", "runs"], folder)
    assert found.code == 3
    for words in (
        "script.sh:2: 1 column",
        "empty.txt: the run is empty",
        "nan.txt:1:",
        "other.txt: no topic in common",
    ):
        assert words in found.out
    assert "runs:                               4" in found.out
    record = json.loads(here(["check", "qrels.txt", "runs", "--format", "json"], folder).out)
    assert {*record["left_out"]} == {"script.sh", "empty", "nan", "other"}


def test_judgments_at_fault_do_not_hide_runs_at_fault(folder):
    (folder / "qrels.txt").write_text("1 0 d1 high\n")
    (folder / "runs" / "empty.txt").write_text("")
    found = here(["check", "qrels.txt", "runs"], folder)
    assert found.code == 3
    assert "qrels.txt:1: label 'high'" in found.out
    assert "empty.txt: the run is empty" in found.out
    assert "good has the rankings of copy" in found.out


def test_nothing_but_faults(folder):
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text("nonsense\n")
    found = here(["check", "qrels.txt", "a.txt", "b.txt"], folder)
    assert found.code == 1
    assert "a.txt:1:" in found.err
    assert "b.txt:1:" in found.err


@pytest.mark.parametrize(
    "words", [["runs"], ["runs/good.txt", "runs/copy.txt", "runs/distances.txt"], ["--runs-only", "runs"]]
)
def test_runs_alone(folder, words):
    found = here(["check", *words], folder)
    assert found.code == 0
    assert "judgments:                          none" in found.out
    assert "has the rankings of" in found.out
    assert "distances: scores rise with the ranks" in found.out
    assert "judged@10" not in found.out
    assert "unjudged" not in found.out


@pytest.mark.parametrize("command", ["check", "score"])
def test_one_thing_is_said_of_lists_that_are_missing(folder, command):
    """Pages show shares of judged documents, for which these lists are left out: that is no rule of the scores."""
    (folder / "runs" / "good.txt").write_text(trec(GOOD[:8]))
    found = here([command, "qrels.txt", "runs", "-o", f"{command}.html"], folder)
    assert found.code == 0
    assert "left out of" not in found.err
    assert ("scores 0 there" in found.err) == (command == "score")


def test_a_page_of_runs_alone(folder):
    found = here(["check", "runs", "-o", "check.html"], folder)
    assert found.code == 0
    page = (folder / "check.html").read_text()
    assert "no judgments" in page
    assert "Judged documents" not in page


def test_ranks_in_place_of_scores_are_told_of(folder):
    rows = "".join(f"{t},d{n},{n}\n" for t in range(1, 5) for n in range(1, 9))
    (folder / "ranks.csv").write_text("topic,document,score\n" + rows)
    found = here(["score", "qrels.txt", "ranks.csv", "-m", "RR"], folder)
    assert "ranks.csv: scores count up from 0 or 1 within topics" in found.err
    assert float(found.out.split()[-1]) == pytest.approx(1 / 7, abs=1e-4)
    right = here(["score", "qrels.txt", "ranks.csv", "-m", "RR", "--columns", "rank=score"], folder)
    assert right.out.split()[-1] == "1.0000"
    assert "scores count up" not in right.err


def test_a_terminal_is_wide_enough(folder):
    """Even where every column has something to say; files keep all columns."""
    (folder / "runs" / "good.txt").write_text(trec([*GOOD[:8], GOOD[0]]) + "99 Q0 d1 1 1 x\n")
    (folder / "runs" / "a_long_name_of_a_run.txt").write_text(trec(GOOD))
    found = here(["check", "qrels.txt", "runs"], folder)
    assert found.code == 0
    above, table = found.out.partition("\n\n")[2].split("What to know")[0].split("\n---")
    heads = " ".join(above.split())
    assert max(map(len, [*above.splitlines(), *table.splitlines()])) <= 120
    for word in ("median", "judged", "@1000", "missing", "duplicates", "unknown"):
        assert word in heads
    wide = here(["check", "qrels.txt", "runs", "--format", "csv"], folder).out.splitlines()[0].split(",")
    assert wide[-2:] == ["same_as", "reversed_by"]


def test_what_no_run_has_is_one_line(folder):
    found = here(["check", "qrels.txt", "runs/good.txt"], folder)
    assert "None in any run: missing topics, ties, repeated documents, topics without judgments." in found.out
    assert "unknown" not in found.out


def faulty(folder):
    """Runs with a fault each, and where it is."""
    runs = folder / "runs"
    lines = trec(GOOD).splitlines(keepends=True)
    (runs / "twice.txt").write_text("".join([*lines, lines[0]]))
    (runs / "blank.txt").write_text("".join(lines[:4]) + lines[4].replace("d5", "d 5") + "".join(lines[5:]))
    (runs / "short.txt").write_text("".join(lines[8:]))
    (runs / "nan.txt").write_text("1 Q0 d1 1 nan x\n")
    (runs / "other.txt").write_text("".join(["97 Q0 d1 1 1 x\n", "98 Q0 d1 1 1 x\n", *lines]))
    (folder / "more").mkdir()
    (folder / "more" / "good.txt").write_text("".join(lines[:-1]))
    return {
        "twice": "runs/twice.txt:33",
        "blank": "runs/blank.txt:5",
        "short": "1",
        "other": "97, 98",
        "nan": "runs/nan.txt:1",
        "more/good.txt": "more/good.txt",
        "distances": "",
    }


def test_faults_are_a_list_to_send_out(folder):
    places = faulty(folder)
    found = here(["check", "qrels.txt", "runs", "more", "--faults", "--format", "csv"], folder)
    assert found.code == 3
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert {run: next(row["where"] for row in rows if row["run"] == run) for run in places} == places
    assert all(row["fault"] and row["what_to_do"] for row in rows)
    said = {row["run"]: row["fault"] for row in reversed(rows)}
    assert said["blank"].startswith("a field too many, '1 Q0 d 5 5 5 x': a blank in the id")
    assert said["twice"] == "document 'd1' of topic '1' is listed twice (1 such line)"
    assert said["more/good.txt"] == "is called 'good' as runs/good.txt is"
    assert said["other"] == "topics that the judgments lack: 2"
    assert said["short"] == "topics without a document: 1"
    record = json.loads(here(["check", "qrels.txt", "runs", "more", "--format", "json"], folder).out)
    assert record["faults"] == rows
    page = here(["check", "qrels.txt", "runs", "more", "-o", "check.html"], folder)
    assert page.code == 3
    assert "runs/twice.txt:33" in (folder / "check.html").read_text()
    assert "| nan | score" in here(["check", "qrels.txt", "runs", "--faults", "--format", "markdown"], folder).out


def test_runs_that_cannot_be_read_are_in_the_table(folder):
    faulty(folder)
    rows = rows_of(here(["check", "qrels.txt", "runs", "--format", "csv"], folder))
    assert rows["nan"]["unreadable"].startswith("runs/nan.txt:1: score 'nan'")
    assert (rows["nan"]["lines"], rows["good"]["lines"], rows["good"]["unreadable"]) == ("", "32", "")


def test_findings_name_runs_topics_and_places(folder):
    faulty(folder)
    words = here(["check", "qrels.txt", "runs", "more"], folder).out
    assert "(--missing skip leaves them out): short 1\n" in words
    assert "list documents twice; `score` refuses them unless told: twice\n" in words
    assert "- runs/blank.txt:5: a field too many, '1 Q0 d 5 5 5 x'" in words
    assert "--faults lists each" in words


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--bad-runs", "error"], "runs/nan.txt:1: score 'nan'"),
        (["--bad-runs", "error", "--nan", "last"], "is listed twice"),
    ],
)
def test_a_check_stops_at_the_first_fault_if_asked(folder, option, said):
    faulty(folder)
    found = here(["check", "qrels.txt", "runs", "--duplicates", "error", *option], folder)
    assert (found.code, said in found.err) == (1, True)


def test_no_faults(folder):
    found = here(["check", "qrels.txt", "runs/good.txt", "--faults"], folder)
    assert (found.code, found.out) == (0, "no faults found\n")
