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
    assert "left out of their means" not in found.err
    assert ("score 0 there" in found.err) == (command == "score")


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
