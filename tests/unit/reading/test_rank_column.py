"""Scores that rise with the ranks of their file."""

from __future__ import annotations

import gzip

import pandas
import pytest

from poolwise.reading.run_text import is_trec_run, scores_rise_with_ranks
from poolwise.reading.sources import Source

RISING = [(str(topic), f"d{rank}", rank, rank / 10) for topic in (1, 2) for rank in range(1, 6)]
FALLING = [(topic, document, rank, -score) for topic, document, rank, score in RISING]
UNRANKED = [(topic, document, 0, score) for topic, document, _, score in RISING]


def written(folder, form, rows):
    path = folder / f"run.{form}"
    columns = ["topic", "document", "rank", "score"]
    if form == "parquet":
        pandas.DataFrame(rows, columns=columns).to_parquet(path)
    elif form == "csv":
        pandas.DataFrame(rows, columns=columns).to_csv(path, index=False)
    elif form == "jsonl":
        pandas.DataFrame(rows, columns=columns).to_json(path, orient="records", lines=True)
    else:
        text = "".join(f"{topic} Q0 {document} {rank} {score} x\n" for topic, document, rank, score in rows).encode()
        path.write_bytes(gzip.compress(text) if form == "txt.gz" else text)
    return Source("run", str(path))


@pytest.mark.parametrize("form", ["txt", "txt.gz", "csv", "jsonl", "parquet"])
def test_only_scores_that_rise_with_ranks(tmp_path, form):
    assert scores_rise_with_ranks(written(tmp_path, form, RISING))
    assert not scores_rise_with_ranks(written(tmp_path, form, FALLING))
    assert not scores_rise_with_ranks(written(tmp_path, form, UNRANKED))


def test_rows_in_any_order_tell(tmp_path):
    assert scores_rise_with_ranks(written(tmp_path, "txt", RISING[::-1]))


def test_some_neighbours_are_no_reversal(tmp_path):
    mixed = [(t, d, rank, -score if rank > 2 else score) for t, d, rank, score in RISING]
    assert not scores_rise_with_ranks(written(tmp_path, "txt", mixed))


def test_what_is_no_file_says_nothing(tmp_path):
    assert not scores_rise_with_ranks(Source("run", table={"1": {"a": 1.0}}))
    (tmp_path / "torn.gz").write_bytes(gzip.compress(b"1 Q0 a 1 2 x\n" * 99)[:40])
    assert not scores_rise_with_ranks(Source("run", str(tmp_path / "torn.gz")))


@pytest.mark.parametrize(
    ("text", "is_run"),
    [("# a run\n\n1 Q0 a 1 2.5 x\n", True), ("1 0 a 1\n", False), ("1 0 a 1 0\n", False), ("topic,document\n", False)],
)
def test_runs_are_told_from_judgments(tmp_path, text, is_run):
    (tmp_path / "file").write_text(text)
    assert is_trec_run(Source("file", str(tmp_path / "file"))) == is_run
