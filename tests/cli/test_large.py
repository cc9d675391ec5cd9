"""`poolwise score` on what is too large for memory: streaming, and logs in partitions."""

from __future__ import annotations

import os

import pyarrow
import pyarrow.parquet
import pytest

from poolwise.cli.main import main

STREAMS = "poolwise: note: scoring some topics at a time, as the files are large\n"


@pytest.mark.parametrize("form", ["trec", "csv", "json", "table"])
@pytest.mark.parametrize("topics", [[], ["-q"]])
def test_streaming_prints_the_same(poolwise, small, form, topics):
    words = ["score", "qrels.txt", "runs", "-m", "AP", "-m", "num_ret", "--format", form, *topics]
    here, there = poolwise(*words), poolwise(*words, "--stream")
    assert (there.code, there.out) == (0, here.out)
    assert there.err == STREAMS + here.err


def test_streaming_writes_the_same_parquet(poolwise, small):
    for name, options in (("a.parquet", []), ("b.parquet", ["--stream"])):
        assert poolwise("score", "qrels.txt", "runs", "-q", "-o", name, *options).code == 0
    one, two = (pyarrow.parquet.read_table(small / name) for name in ("a.parquet", "b.parquet"))
    assert one.equals(two)
    assert one.num_rows == 36
    assert sorted(os.listdir(small)) == ["a.parquet", "b.parquet", "qrels.txt", "runs"]


def test_streaming_insists(poolwise, small):
    (small / "mixed.txt").write_text("2 Q0 a 1 1 x\n1 Q0 a 1 1 x\n")
    result = poolwise("score", "qrels.txt", "mixed.txt", "--stream", "-o", "out.csv")
    assert (result.code, result.out) == (1, "")
    assert "mixed.txt: topics do not ascend" in result.err
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


def test_large_files_in_disorder_are_read_at_once(little_memory, small, capfdbinary, monkeypatch):
    monkeypatch.chdir(small)
    (small / "mixed.txt").write_text("2 Q0 d 1 1 x\n1 Q0 a 1 1 x\n")
    assert main(["score", "qrels.txt", "mixed.txt", "-m", "AP"]) == 0
    out, err = capfdbinary.readouterr()
    assert out == b"AP                    \tall\t0.7500\n"
    assert err.count(b"\n") == 2
    assert b"mixed.txt: topics do not ascend" in err
    assert err.endswith(b"; reading all files at once\n")


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


def test_a_log_is_known_by_its_columns(poolwise, log):
    expected = poolwise("score", "qrels.txt", "runs", "--format", "csv").out
    for given in (["log"], ["log/1.parquet", "log/2.parquet"], ["log/*.parquet"]):
        result = poolwise("score", *given, "--format", "csv")
        assert (result.code, result.out, result.err) == (0, expected, "")
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
    assert (result.code, result.out, result.err) == (0, expected.out, "")
