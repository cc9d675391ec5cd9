"""Runs that share no topic or no document with the judgments are told of, with ids of both."""

from __future__ import annotations

import pandas
import pytest

import poolwise as pw
from poolwise.errors import InputError, PoolwiseWarning

QRELS = {"301": {"a": 1, "b": 0}, "302": {"c": 1}}


def forms(folder, rows):
    """A run as a file of TREC, of CSV, of Parquet, as a frame and as a dict."""
    frame = pandas.DataFrame(rows, columns=["topic", "document", "score"])
    (folder / "trec.txt").write_text("".join(f"{t} Q0 {d} 0 {s} x\n" for t, d, s in rows))
    frame.to_csv(folder / "table.csv", index=False)
    frame.to_parquet(folder / "table.parquet")
    by_topic = {topic: {d: s for t, d, s in rows if t == topic} for topic, _, _ in rows}
    return [folder / "trec.txt", folder / "table.csv", folder / "table.parquet", frame, by_topic]


def test_topics_of_another_form(tmp_path):
    for run in forms(tmp_path, [("Q301", "a", 1.0), ("Q302", "c", 1.0)]):
        with pytest.raises(InputError) as error:
            pw.read(QRELS, run)
        assert "no topic in common with qrels ('Q301' and 'Q302' in the run, '301' and '302' in" in str(error.value)
        assert "as if they differed in letters before the number" in str(error.value)


def test_documents_of_another_form(tmp_path):
    for run in forms(tmp_path, [("301", "a.html", 2.0), ("301", "x.html", 1.0), ("302", "c.html", 1.0)]):
        with pytest.warns(PoolwiseWarning, match="none of its 3 documents is listed in qrels") as said:
            pool = pw.read(QRELS, run)
        words = next(str(each.message) for each in said if "none of its" in str(each.message))
        assert "'a.html' and 'x.html' in the run, 'a' and 'b' in the judgments" in words
        assert "as if they differed in their ending" in words
        assert words in pool.warnings


def test_many_runs_are_counted():
    runs = {f"run{number}": {"301": {"x": 1.0}} for number in range(5)}
    with pytest.warns(PoolwiseWarning, match="2 more runs retrieve no document that qrels lists"):
        pw.read(QRELS, runs)


def test_one_document_is_enough(recwarn):
    pw.read(QRELS, {"mine": {"301": {"x": 2.0, "b": 1.0}}})
    assert not [each for each in recwarn if "none of its" in str(each.message)]
