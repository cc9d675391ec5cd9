"""`poolwise score` on what is too large for memory: streaming, and logs in partitions."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from threading import Thread
from types import SimpleNamespace

import pyarrow
import pyarrow.parquet
import pytest

from poolwise.cli.main import main
from poolwise.cli.score import is_large

pytestmark = pytest.mark.slow

STREAMS = "poolwise: note: scoring some topics at a time, as the files are large\n"


@pytest.mark.parametrize("form", ["trec", "csv", "json", "table"])
@pytest.mark.parametrize("topics", [[], ["-q"]])
def test_streaming_prints_the_same(poolwise, small, form, topics):
    words = ["score", "qrels.txt", "runs", "-m", "AP", "-m", "num_ret", "--format", form, *topics]
    here, there = poolwise(*words), poolwise(*words, "--stream")
    assert (there.code, there.out) == (0, here.out)
    assert there.err == "".join(line for line in here.err.splitlines(True) if "is not judged" not in line)


def test_streaming_writes_the_same_parquet(poolwise, small):
    for name, options in (("a.parquet", []), ("b.parquet", ["--stream"])):
        assert poolwise("score", "qrels.txt", "runs", "-q", "-o", name, *options).code == 0
    one, two = (pyarrow.parquet.read_table(small / name) for name in ("a.parquet", "b.parquet"))
    assert one.equals(two)
    assert one.num_rows == 36
    assert sorted(os.listdir(small)) == ["a.parquet", "b.parquet", "qrels.txt", "runs"]


def test_streaming_insists(poolwise, small):
    (small / "strata.txt").write_text("1 0 a 1 1\n2 0 d 1 1\n")
    result = poolwise("score", "strata.txt", "runs", "--stream", "-o", "out.csv")
    assert (result.code, result.out) == (1, "")
    assert "strata.txt: judgments with strata cannot be scored some topics at a time" in result.err
    assert not (small / "out.csv").exists()
    assert poolwise("score", "qrels.txt", "runs", "--stream", "--interval", "topics").code == 2


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1, "SC_PAGE_SIZE": 100}.get)


def test_large_files_stream_by_themselves(little_memory, small, capfdbinary, monkeypatch):
    monkeypatch.chdir(small)
    assert main(["score", "qrels.txt", "runs", "-m", "AP"]) == 0
    assert capfdbinary.readouterr() == (
        b"one\tAP                    \tall\t0.7500\ntwo\tAP                    \tall\t0.5000\n",
        STREAMS.encode(),
    )


def test_judgments_count_for_more_than_runs(small, monkeypatch):
    """Runs take little memory, as only documents with labels are kept: 160 bytes of them count as 20 of judgments."""
    (small / "labels.txt").write_text("x" * 100)
    (small / "run.txt").write_text("x" * 160)
    words = {"qrels": "labels.txt", "runs": ["run.txt"], "runs_from": None, "interval": None, "dask": None}
    given = SimpleNamespace(**words, ties="id", stream=False, prels=False)
    monkeypatch.chdir(small)
    for memory, expected in ((2 * 4 * 120, False), (2 * 4 * 120 - 1, True)):
        monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1, "SC_PAGE_SIZE": memory}.get)
        assert is_large(given) is expected


def test_large_files_in_disorder_stream_too(little_memory, small, capfdbinary, monkeypatch):
    monkeypatch.chdir(small)
    (small / "mixed.txt").write_text("2 Q0 d 1 1 x\n1 Q0 a 1 1 x\n")
    assert main(["score", "qrels.txt", "mixed.txt", "-m", "AP"]) == 0
    assert capfdbinary.readouterr() == (b"AP                    \tall\t0.7500\n", STREAMS.encode())


def test_large_judgments_with_strata_are_read_at_once(little_memory, small, capfdbinary, monkeypatch):
    monkeypatch.chdir(small)
    (small / "strata.txt").write_text("1 0 a 1 1\n1 0 b 1 0\n2 0 d 1 1\n")
    (small / "one.txt").write_text("1 Q0 a 1 1 x\n2 Q0 d 1 1 x\n")
    assert main(["score", "strata.txt", "one.txt", "-m", "AP"]) == 0
    out, err = capfdbinary.readouterr()
    assert out == b"AP                    \tall\t1.0000\n"
    assert b"strata.txt: judgments with strata cannot be scored some topics at a time; reading all files at once" in err


@pytest.fixture
def log(small):
    """The small campaign as a log in two partitions."""
    rows = {
        "1": [("a", 3.0, "one", 1), ("b", 2.0, "one", 0), ("z", 1.0, "one", None), ("c", 1.0, "two", 2)],
        "2": [("d", 1.0, "one", 1), ("a", 0.5, "one", 0), ("a", 2.0, "two", 0), ("d", 1.0, "two", 1)],
    }
    (small / "log").mkdir()
    for topic, some in rows.items():
        document, score, run, label = (list(column) for column in zip(*some, strict=True))
        table = {"topic": [topic] * len(some), "document": document, "score": score, "run": run, "label": label}
        pyarrow.parquet.write_table(pyarrow.table(table), small / "log" / f"{topic}.parquet")
    return small


UNJUDGED = "poolwise: note: part of the top 10 is not judged and counts as non-relevant: 20 % for one\n"


def test_a_log_is_known_by_its_columns(poolwise, log):
    expected = poolwise("score", "qrels.txt", "runs", "--format", "csv").out
    for given in (["log"], ["log/1.parquet", "log/2.parquet"], ["log/*.parquet"]):
        result = poolwise("score", *given, "--format", "csv")
        assert (result.code, result.out, result.err) == (0, expected, UNJUDGED)
    separate = poolwise("score", "--log", "qrels.txt", "log")
    assert separate.code == 1
    assert "qrels.txt" in separate.err


def test_topics_of_a_log_go_to_a_folder(poolwise, log):
    result = poolwise("score", "log", "-m", "AP", "-q", "-o", "scores.parquet", "--format", "csv")
    assert (result.code, result.out) == (0, "run,measure,topic,value\none,AP,all,0.75\ntwo,AP,all,0.5\n")
    table = pyarrow.parquet.read_table(log / "scores.parquet").to_pylist()
    assert [tuple(row.values()) for row in table] == [
        ("one", "AP", "1", 0.5), ("two", "AP", "1", 0.5), ("one", "AP", "2", 1.0), ("two", "AP", "2", 0.5)
    ]  # fmt: skip
    again = poolwise("score", "log", "-m", "AP", "-q", "-o", "scores.parquet")
    assert (again.code, again.err) == (
        1,
        "poolwise: scores.parquet: is there already; remove it or name another folder\n",
    )
    assert poolwise("score", "log", "-q").code == 2


def test_a_log_with_judgments_of_their_own(poolwise, log):
    table = {"topic": [1, 1, 1, 2, 2], "document": ["a", "b", "c", "a", "d"], "label": [1, 0, 2, 0, 1]}
    pyarrow.parquet.write_table(pyarrow.table(table), log / "qrels.parquet")
    result = poolwise("score", "--log", "qrels.parquet", "log", "--format", "csv")
    expected = poolwise("score", "qrels.txt", "runs", "--format", "csv")
    assert (result.code, result.out, result.err) == (0, expected.out, UNJUDGED)


def through_pipes(folder, words):
    """Run `poolwise` by bash, which offers pipes as files."""
    command = " ".join([sys.executable, "-m", "poolwise", *words])
    return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_process_substitution_streams_as_files_do(small):
    """Lines of 32 bytes, of which 4,096 bytes are a whole number: nothing else would give a loss away."""
    with open(small / "q.txt", "w") as qrels, open(small / "r.txt", "w") as run:
        for topic in (1, 2, 3):
            for number in range(300):
                run.write(f"{topic} Q0 D{number:07d} {number + 1:04d} {1000 - number:06d} rr\n")
                qrels.write(f"{topic} 0 D{number:07d} 1\n" if number < 50 else "")
    asked = ["-m", "AP", "-m", "NumRet"]
    expected = through_pipes(small, ["score", "--stream", "q.txt", "r.txt", *asked])
    got = through_pipes(small, ["score", "--stream", "<(cat q.txt)", "<(cat r.txt)", *asked])
    assert got.stdout == expected.stdout == "AP                    \tall\t1.0000\nNumRet                \tall\t900\n"
    listed = through_pipes(small, ["score", "q.txt", "--runs-from", "<(echo r.txt)", *asked])
    assert listed.stdout == expected.stdout


def test_pipes_in_disorder_are_read_once(little_memory, small, monkeypatch, capfd):
    monkeypatch.chdir(small)
    os.mkfifo("mixed.txt")
    writer = Thread(target=lambda: (small / "mixed.txt").write_text("2 Q0 d 1 1 x\n1 Q0 a 1 1 x\n"), daemon=True)
    writer.start()
    assert main(["score", "qrels.txt", "mixed.txt", "-m", "AP"]) == 0
    assert capfd.readouterr().out == "AP                    \tall\t0.7500\n"
    writer.join(10)


def test_more_runs_than_files_may_be_open(small):
    for number in range(100):
        (small / "runs" / f"{number:03d}.txt").write_text("1 Q0 a 1 1 x\n")

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (17, 17))

    words = [sys.executable, "-m", "poolwise", "score", "qrels.txt", "runs", "-m", "AP"]
    whole = subprocess.run(words, cwd=small, capture_output=True, text=True, preexec_fn=limit)
    asked = subprocess.run([*words, "--stream"], cwd=small, capture_output=True, text=True, preexec_fn=limit)
    assert whole.stdout.count("\n") == 102
    assert asked.stdout == whole.stdout
