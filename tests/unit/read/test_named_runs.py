"""Files of text that hold several runs, told apart by a column."""

from __future__ import annotations

import json

import pytest

import poolwise as pw
from poolwise.errors import InputError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
ROWS = [
    ("one", "1", "a", 2.0), ("two", "1", "b", 9.0), ("one", "1", "b", 1.0), ("two", "1", "a", 3.5),
    ("one", "2", "a", 2.0), ("one", "2", "b", 1.0), ("two", "2", "b", 1.0),
]  # fmt: skip


def text(form, column):
    names = (column, "query_id", "doc_id", "score")
    if form == "jsonl":
        return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in ROWS)
    mark = "," if form == "csv" else "\t"
    return "\n".join(mark.join(map(str, row)) for row in (names, *ROWS)) + "\n"


@pytest.fixture
def apart():
    """The same runs, each read by itself."""
    runs = {name: {} for name in ("one", "two")}
    for name, topic, document, score in ROWS:
        runs[name].setdefault(topic, {})[document] = score
    return pw.read(QRELS, runs).score("AP", "nDCG").to_dict()


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("column", ["run", "system", "run_id"])
def test_a_column_tells_runs_apart(tmp_path, apart, form, column):
    (tmp_path / f"all.{form}").write_text(text(form, column))
    assert pw.read(QRELS, tmp_path / f"all.{form}").score("AP", "nDCG").to_dict() == apart


def test_a_file_of_one_run_keeps_its_name(tmp_path):
    (tmp_path / "mine.csv").write_text("run,topic,document,score\nx,1,a,2\nx,2,b,1\n")
    assert pw.read(QRELS, tmp_path / "mine.csv").runs == ["mine"]


def test_a_document_twice_in_one_run_is_still_refused(tmp_path):
    (tmp_path / "all.csv").write_text(text("csv", "system") + "two,1,a,1.0\n")
    with pytest.raises(InputError, match=r"'a'.*twice"):
        pw.read(QRELS, tmp_path / "all.csv")


@pytest.mark.parametrize(
    ("row", "words"),
    [(",1,c,2", "all.csv:9: no run is named in column 'system'"), ("one,1,c,high", "all.csv:9: score 'high' is not")],
)
def test_rows_at_fault_are_named(tmp_path, row, words):
    (tmp_path / "all.csv").write_text(text("csv", "system") + row + "\n")
    with pytest.raises(InputError, match=words):
        pw.read(QRELS, tmp_path / "all.csv")


def test_names_of_documents_are_no_runs(tmp_path):
    (tmp_path / "mine.csv").write_text("topic,document,score,name\n1,a,2,Alpha\n1,b,1,Beta\n2,b,1,Beta\n")
    assert pw.read(QRELS, tmp_path / "mine.csv").runs == ["mine"]


@pytest.mark.parametrize("duplicates", ["error", "first"])
def test_runs_are_not_blended_where_one_is_read(tmp_path, duplicates):
    (tmp_path / "all.txt").write_text(text("csv", "system"))
    with pytest.raises(InputError, match=r"all.txt:3: 2 runs found, 'one' and 'two' among them"):
        pw.read(QRELS, tmp_path / "all.txt", duplicates=duplicates)
    (tmp_path / "q.txt").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "all.csv").write_text(text("csv", "system"))
    with pytest.raises(InputError, match=r"all.csv:3: 2 runs found"):
        pw.score_stream(tmp_path / "q.txt", tmp_path / "all.csv", measures=["AP"], duplicates=duplicates)
