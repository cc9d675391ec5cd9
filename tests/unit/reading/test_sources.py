"""Names of runs, and what is said of lines that were passed over."""

from __future__ import annotations

import pytest

import poolwise
from poolwise.reading.sources import run_name

QRELS = {"1": {"a": 1}}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.parquet", "bm25"),
        ("bm25.v2.parquet", "bm25.v2"),
        ("bm25.txt.gz", "bm25"),
        ("bm25.gz.txt", "bm25.gz"),
        ("bm25.run.txt", "bm25.run"),
        (".txt", ".txt"),
        ("bm25", "bm25"),
        ("-", "stdin"),
    ],
)
def test_names_of_runs(path, name):
    assert run_name(path) == name


def test_parquet_runs_are_called_by_their_files_without_ending(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"topic": ["1", "1"], "document": ["a", "b"], "score": [2.0, 1.0]})
    frame.to_parquet(tmp_path / "bm25.parquet")
    pool = poolwise.read(QRELS, tmp_path / "bm25.parquet")
    assert pool.runs == ["bm25"]
    assert pool.score("RR").to_dict() == {"bm25": {"RR": 1.0}}


@pytest.mark.parametrize(
    ("topics", "words"),
    [
        ([3, 3, 3], "9 lines of 3 topics per run that qrels lacks ignored, in 3 of 3 runs"),
        ([2, 3, 0], "5 lines of up to 3 topics per run that qrels lacks ignored, in 2 of 3 runs"),
        ([0, 2, 0], "2 lines of 2 topics that qrels lacks ignored, in 1 of 3 runs"),
    ],
)
def test_topics_that_several_runs_share_are_counted_once(topics, words):
    runs = {
        f"run{number}": {"1": {"a": 1.0}, **{f"other{topic}": {"a": 1.0} for topic in range(count)}}
        for number, count in enumerate(topics)
    }
    with pytest.warns(poolwise.PoolwiseWarning, match=words):
        assert poolwise.read(QRELS, runs).warnings == (words,)
