"""Damaged and old-fashioned files, closed outputs, work that is stopped: a line says what is wrong, no traceback."""

from __future__ import annotations

import gzip
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import poolwise as pw
from poolwise.judging.topic_texts import read_topics

RUN = "1 Q0 d0 1 2.0 x\n1 Q0 d1 2 1.0 x\n2 Q0 d0 1 2.0 x\n"
QRELS = "1 0 d0 1\n1 0 d1 0\n2 0 d0 1\n"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "run.txt").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path


def told(folder: Path, *words: str, shell: str = "") -> tuple[int, str, str]:
    """Exit code, output and errors of a command; no traceback, in a line or two."""
    command = [sys.executable, "-m", "poolwise", *words]
    if shell:
        command = ["/bin/sh", "-c", f'"$@" {shell}', "sh", *command]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def test_damaged_lz4_is_named(runs: Path) -> None:
    frame = pytest.importorskip("lz4.frame")
    data = bytearray(frame.compress(b"".join(b"1 0 d%d %d\n" % (n, n % 2) for n in range(500))))
    data[30:34] = b"\xff\xff\xff\xff"
    (runs / "bad.lz4").write_bytes(data)
    with pytest.raises(pw.InputError, match=r"bad\.lz4: the lz4 data cannot be read to the end"):
        pw.read(runs / "bad.lz4", runs / "run.txt")
    (runs / "good.lz4").write_bytes(frame.compress(QRELS.encode()))
    assert pw.read(runs / "good.lz4", runs / "run.txt").judgments.count() == 3


@pytest.mark.parametrize("quote", ['"', ""])
def test_ends_of_lines_that_nothing_writes_any_more_are_named(runs: Path, quote: str) -> None:
    (runs / "q.csv").write_text(f"topic,document,label\r1,{quote}d0{quote},1\r1,d1,0\r", newline="")
    (runs / "p.csv").write_text(f"topic,document,value\r1,{quote}d0{quote},0.5\r1,d1,0.1\r", newline="")
    with pytest.raises(pw.InputError, match=r"q\.csv: lines end with a carriage return alone; save"):
        pw.read(runs / "q.csv", runs / "run.txt")
    judged = pw.read({"1": {"d0": 1, "d1": -1}}, runs / "run.txt")
    with pytest.raises(pw.InputError, match=r"p\.csv: lines end with a carriage return alone; save"):
        judged.estimate("AP", predictions=runs / "p.csv")


def test_json_may_have_them(runs: Path) -> None:
    (runs / "q.json").write_text('{"1":\r{"d0": 1,\r"d1": 0}}', newline="")
    assert pw.read(runs / "q.json", runs / "run.txt").judgments.count() == 2


@pytest.mark.parametrize("what", ["topic", "document", "run"])
def test_text_in_parquet_that_is_none_is_an_error_that_names_the_file(runs: Path, what: str) -> None:
    good = {"topic": ["1", "1"], "document": ["d0", "d1"], "score": [2.0, 1.0], "run": ["a", "b"]}
    columns = {name: pyarrow.array(values) for name, values in good.items()}
    bad = pyarrow.array([b"\xaa\xff", b"x"]).view(pyarrow.string())
    pyarrow.parquet.write_table(pyarrow.table({**columns, what: bad}), runs / "bad.parquet")
    with pytest.raises(pw.InputError, match=r"bad\.parquet"):
        pw.read(runs / "qrels.txt", runs / "bad.parquet")
    with pytest.raises(pw.InputError, match=r"bad\.parquet"):
        pw.score_stream(runs / "qrels.txt", runs / "bad.parquet", measures="AP")


@pytest.mark.parametrize("text", ["-1e999\na", "topic\n0.5\n"])
def test_one_column_is_no_table_of_scores(runs: Path, text: str) -> None:
    (runs / "s.csv").write_text(text)
    with pytest.raises(pw.InputError, match=r"s\.csv: one column found, of topics"):
        pw.Scores.from_csv(runs / "s.csv")


def test_preferences_are_no_judgments(runs: Path) -> None:
    (runs / "prefs.txt").write_text("1 A 1 101 3\n1 A 2 102 2\n")
    with pytest.raises(pw.InputError, match=r"prefs\.txt:1: iteration 'A' is not a whole number; .* preferences"):
        pw.read(runs / "prefs.txt", runs / "run.txt")
    for second in ("Q0", "0", "2"):
        (runs / "strata.txt").write_text(f"1 {second} d0 1 1\n1 {second} d1 1 0\n")
        assert pw.read(runs / "strata.txt", runs / "run.txt").judgments.count() == 2


def test_an_empty_label_says_what_to_write(runs: Path) -> None:
    (runs / "q.csv").write_text("topic,document,label\n1,d0,1\n1,d1,\n")
    with pytest.raises(pw.InputError, match=r"q\.csv:3: label '' found; .* -1 where nothing is judged; .* merge"):
        pw.read(runs / "q.csv", runs / "run.txt")


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def test_topics_that_are_never_closed_take_no_longer_than_others(tmp_path: Path) -> None:
    closed = "<top>\n<num> Number: 7\n<title> a title\n</top>\n"
    (tmp_path / "open").write_text(closed + "<top\n" * 60_000 + "<top>\n" * 60_000 + "<query " * 60_000)
    found: list[object] = []
    assert seconds(lambda: found.append(read_topics(str(tmp_path / "open")))) < 5.0
    assert [*found[0]] == ["7"]


def test_packed_nothing_is_bounded(runs: Path) -> None:
    with gzip.open(runs / "grades.toml.gz", "wb") as file:
        file.write(b"a = '" + bytes(40_000_000))
    from poolwise.judging.work import read_grades

    with pytest.raises(pw.InputError, match=r"grades\.toml\.gz: holds more than 1,048,576 bytes"):
        read_grades(str(runs / "grades.toml.gz"))
    with gzip.open(runs / "q.csv.gz", "wb") as file:
        file.write(b'topic,document,label\n1,"d0' + b"0" * 40_000_000)
    with pytest.raises(pw.InputError, match=r"q\.csv\.gz: a line is longer than 1 MB"):
        pw.read(runs / "q.csv.gz", runs / "run.txt")


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["score", "--help"], ["score", "qrels.txt", "run.txt"]])
@pytest.mark.parametrize("to", [">/dev/full", ">&-"])
def test_output_that_is_lost_is_an_error(runs: Path, words: list[str], to: str) -> None:
    if to == ">/dev/full" and not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    code, _, errors = told(runs, *words, shell=to)
    assert code == 1
    assert ("closed" if to == ">&-" else "No space left") in errors


def test_what_goes_to_a_file_needs_no_output(runs: Path) -> None:
    code, _, _ = told(runs, "score", "qrels.txt", "run.txt", "-o", "scores.csv", shell=">&-")
    assert code == 0
    assert (runs / "scores.csv").exists()


def test_a_report_that_is_stopped_leaves_no_pages_without_an_index(tmp_path: Path) -> None:
    campaign = pw.simulate(runs=12, topics=30, depth=60, seed=1)
    campaign.write(tmp_path / "data")
    words = ["report", "data/qrels.txt", "data/runs", "-o", "pages"]
    chance = random.Random(3)
    for wait in (0.0, chance.random(), chance.random()):
        child = subprocess.Popen([sys.executable, "-m", "poolwise", *words], cwd=tmp_path, stderr=subprocess.PIPE)
        until = time.monotonic() + 30
        while not list(tmp_path.rglob("runs/*.html")) and child.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(0.3 * wait)
        child.send_signal(signal.SIGINT)
        child.communicate()
        pages = tmp_path / "pages"
        assert (pages / "index.html").exists() or not pages.exists()
        assert child.returncode == (0 if pages.exists() else 130)
        if pages.exists():
            return
    assert not [path for path in tmp_path.iterdir() if path.name not in ("data",)]


def test_texts_and_topics_that_were_swapped_are_refused(tmp_path: Path) -> None:
    runs = {"a": {"1": {"d0": 2.0, "d1": 1.0}}, "b": {"1": {"d1": 2.0, "d2": 1.0}}}
    pw.read(None, runs).plan(budget=2).write(tmp_path / "plan.txt")
    (tmp_path / "topics.jsonl").write_text('{"id": "1", "title": "a title"}\n')
    texts = "".join(f'{{"id": "d{n}", "title": "document {n}", "text": "words"}}\n' for n in range(3))
    (tmp_path / "texts.jsonl").write_text(texts)
    words = ["judge", "plan.txt", "--documents", "topics.jsonl", "--topics", "texts.jsonl", "--no-browser"]
    code, output, errors = told(tmp_path, *words)
    assert (code, output) == (1, "")
    assert "if the two were swapped, swap them back" in errors
