"""Files of text that hold several runs, told apart by a column."""

from __future__ import annotations

import gzip
import json

import pandas
import pytest

import poolwise as pw
from poolwise.errors import InputError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}
ROWS = [
    ("one", "1", "a", 2.0), ("two", "1", "b", 9.0), ("one", "1", "b", 1.0), ("two", "1", "a", 3.5),
    ("one", "2", "a", 2.0), ("one", "2", "b", 1.0), ("two", "2", "b", 1.0),
]  # fmt: skip
FORMS = ("csv", "tsv", "jsonl", "json")


def text(form, column):
    names = (column, "query_id", "doc_id", "score")
    objects = [dict(zip(names, row, strict=True)) for row in ROWS]
    if form == "jsonl":
        return "".join(json.dumps(each) + "\n" for each in objects)
    if form == "json":
        return json.dumps(objects, indent=1)
    mark = "," if form == "csv" else "\t"
    return "\n".join(mark.join(map(str, row)) for row in (names, *ROWS)) + "\n"


@pytest.fixture
def apart():
    """The same runs, each read by itself."""
    runs = {name: {} for name in ("one", "two")}
    for name, topic, document, score in ROWS:
        runs[name].setdefault(topic, {})[document] = score
    return pw.read(QRELS, runs).score("AP", "nDCG").to_dict()


@pytest.mark.parametrize("form", FORMS)
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
    [(",1,c,2", "all.csv:9: no run is named, as in other rows"), ("one,1,c,high", "all.csv:9: score 'high' is not")],
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


@pytest.mark.parametrize("duplicates", ["error", "first"])
@pytest.mark.parametrize(("form", "place"), [("jsonl", "all.txt:2"), ("json", "all.txt: entry 2")])
def test_runs_of_json_are_not_blended_where_one_is_read(tmp_path, duplicates, form, place):
    (tmp_path / "all.txt").write_text(text(form, "system"))
    with pytest.raises(InputError, match=f"{place}: 2 runs found, 'one' and 'two' among them"):
        pw.read(QRELS, tmp_path / "all.txt", duplicates=duplicates)


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("form", [*FORMS, "txt"])
def test_the_column_of_runs_may_be_named(tmp_path, apart, form, ending):
    path = tmp_path / f"all.{form}{ending}"
    data = text("csv" if form == "txt" else form, "Model").encode()
    path.write_bytes(gzip.compress(data) if ending else data)
    assert pw.read(QRELS, path, columns={"run": "Model"}).score("AP", "nDCG").to_dict() == apart


def test_the_column_of_runs_may_be_named_in_parquet_and_frames(tmp_path, apart):
    frame = pandas.DataFrame(ROWS, columns=["model", "topic", "document", "score"])
    frame.to_parquet(tmp_path / "all.parquet")
    for given in (frame, tmp_path / "all.parquet"):
        assert pw.read(QRELS, given, columns={"run": "model"}).score("AP", "nDCG").to_dict() == apart
    with pytest.raises(InputError, match="2 runs found"):
        pw.score_stream(qrels_file(tmp_path), tmp_path / "all.parquet", measures=["AP"], columns={"run": "model"})


def test_another_column_may_be_named_than_the_usual_one(tmp_path, apart):
    rows = "\n".join(f"{topic},{document},{score},same,{run}" for run, topic, document, score in ROWS)
    (tmp_path / "all.csv").write_text(f"topic,document,score,system,config\n{rows}\n")
    assert pw.read(QRELS, tmp_path / "all.csv", columns={"run": "config"}).score("AP", "nDCG").to_dict() == apart


def test_columns_by_number_need_no_header(tmp_path, apart):
    (tmp_path / "all.csv").write_text("\n".join(",".join(map(str, row)) for row in ROWS) + "\n")
    numbers = {"run": "1", "topic": "2", "document": "3", "score": "4"}
    assert pw.read(QRELS, tmp_path / "all.csv", columns=numbers).score("AP", "nDCG").to_dict() == apart


@pytest.mark.parametrize("form", FORMS)
def test_ranks_stand_for_scores(tmp_path, form):
    names, rows = ("run", "topic", "document", "rank"), [("x", "1", "b", 2), ("x", "1", "a", 1), ("y", "1", "b", 1)]
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    mark = "\t" if form == "tsv" else ","
    shapes = {"json": json.dumps(objects), "jsonl": "\n".join(map(json.dumps, objects))}
    lines = "\n".join(mark.join(map(str, row)) for row in (names, *rows))
    (tmp_path / f"all.{form}").write_text(shapes.get(form, lines))
    found = pw.read({"1": {"a": 1, "b": 0}}, tmp_path / f"all.{form}").score("RR").to_dict()
    assert found == {"x": {"RR": 1.0}, "y": {"RR": 0.0}}


def test_names_with_blanks_are_kept(tmp_path):
    (tmp_path / "all.csv").write_text("run,topic,document,score\nBM25 plain,1,a,1\nBM25 tuned,1,a,1\n")
    assert pw.read(QRELS, tmp_path / "all.csv").runs == ["BM25 plain", "BM25 tuned"]


@pytest.mark.parametrize(
    "rows",
    [
        '[{"run": 1.5, "topic": 1, "document": "a", "score": 1}]',
        '[{"run": true, "topic": 1, "document": "a", "score": 1}]',
    ],
)
def test_what_names_no_run_is_refused(tmp_path, rows):
    (tmp_path / "all.json").write_text(rows)
    with pytest.raises(InputError, match=r"entry 1: run (1.5|True) is no name"):
        pw.read(QRELS, tmp_path / "all.json")


def qrels_file(folder):
    (folder / "q.txt").write_text("1 0 a 1\n2 0 b 1\n")
    return folder / "q.txt"
