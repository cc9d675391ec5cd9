"""Predictions come in every shape that labels do, and mean the same in all."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import os
import threading
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet

from poolwise.errors import ArgumentError, InputError
from poolwise.reading.predictions import predicted_values, prediction_rows, renamed

ROWS = [("401", "a", 0.25), ("401", "b", -1.5), ("402", "a", 3.0)]
LINES = "".join(f"{topic} {document} {value}\n" for topic, document, value in ROWS).encode()
NAMED = ["topic,document,probability", *(f"{topic},{document},{value}" for topic, document, value in ROWS)]
FILES = {
    "plain.txt": LINES,
    "commented.txt": b"# by a model\n\n" + LINES,
    "marked.txt": b"\xef\xbb\xbf" + LINES.replace(b"\n", b"\r\n"),
    "packed.txt.gz": gzip.compress(LINES),
    "packed.xz": lzma.compress(LINES),
    "packed.bz2": bz2.compress(LINES),
    "names.csv": "\n".join(NAMED).encode(),
    "names.csv.gz": gzip.compress("\n".join(NAMED).encode()),
    "names.tsv": "\n".join(NAMED).replace(",", "\t").encode(),
    "names.jsonl": "\n".join(
        json.dumps({"value": value, "docno": document, "qid": topic}) for topic, document, value in ROWS
    ).encode(),
    "as.qrels": "".join(f"{topic} 0 {document} {value}\n" for topic, document, value in ROWS).encode(),
    "as.run": "".join(f"{topic} Q0 {document} 1 {value} reranker\n" for topic, document, value in ROWS).encode(),
    "umbrela.jsonl": "\n".join(
        json.dumps({"query": "?", "passage": "text", "qid": topic, "docid": document, "prediction": "##final score: 9",
                    "judgment": value, "result_status": 1})
        for topic, document, value in ROWS
    ).encode(),
    "umbrela-pool.jsonl": "\n".join(
        json.dumps({"query": {"qid": topic, "text": "?"},
                    "candidates": [{"docid": d, "doc": {}, "judgment": v} for t, d, v in ROWS if t == topic]})
        for topic in ("401", "402")
    ).encode(),
}  # fmt: skip
COLUMNS = dict(zip(("qid", "docno", "label"), map(list, zip(*ROWS, strict=True)), strict=True))
TABLES = {
    "dict": {"401": {"a": 0.25, "b": -1.5}, "402": {"a": 3.0}},
    "rows": ROWS,
    "rows of any kind": [list(ROWS[0]), np.array(ROWS[1], object), iter(ROWS[2])],
    "records": [{"qid": topic, "docno": document, "label": value} for topic, document, value in ROWS],
    "iterator": lambda: zip(*COLUMNS.values(), strict=True),
    "pandas": pandas.DataFrame(COLUMNS),
    "polars": polars.DataFrame(COLUMNS),
    "another order": pandas.DataFrame({name: COLUMNS[name] for name in ("label", "docno", "qid")}),
}
OTHERS = {"qid": "need", "docno": "chunk", "label": "model_says"}


@pytest.mark.parametrize("name", FILES)
def test_files_of_every_kind_hold_the_same_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    assert list(prediction_rows(path)) == ROWS


def test_parquet(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table(COLUMNS), tmp_path / "predicted.parquet")
    assert list(prediction_rows(str(tmp_path / "predicted.parquet"))) == ROWS


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_every_kind_hold_the_same_rows(name: str) -> None:
    given = TABLES[name]
    assert list(prediction_rows(given() if callable(given) else given)) == ROWS


def with_other_names(tmp_path: Path):
    """The same rows under names that nobody knows: a frame, CSV, JSON lines."""
    frame = pandas.DataFrame(COLUMNS).rename(columns=OTHERS)
    frame.to_csv(tmp_path / "o.csv", index=False)
    frame.to_json(tmp_path / "o.jsonl", orient="records", lines=True)
    return frame, tmp_path / "o.csv", tmp_path / "o.jsonl"


def test_unknown_names_are_refused_in_every_shape_and_may_be_given(tmp_path: Path) -> None:
    columns = {"topic": "need", "document": "chunk", "value": "model_says", "score": "similarity"}
    for given in with_other_names(tmp_path):
        with pytest.raises(InputError, match=r"no column called .*found .*need.*columns"):
            list(prediction_rows(given))
        assert list(prediction_rows(renamed(given, columns))) == ROWS


def test_only_the_value_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "llm.jsonl"
    path.write_text('{"query_id": "401", "passage_id": "a", "model_says": 1}\n')
    with pytest.raises(
        InputError, match=r"llm.jsonl:1: no column called 'value'.*found query_id, passage_id, model_says"
    ):
        list(prediction_rows(path))
    assert list(prediction_rows(renamed(path, {"value": "model_says"}))) == [("401", "a", 1.0)]
    with pytest.raises(ArgumentError, match=r"value='model_say', but no table has .* 'model_says'"):
        renamed(path, {"value": "model_say"})


def test_several_columns_of_values_are_several_predictors(tmp_path: Path) -> None:
    (tmp_path / "llms.csv").write_text("topic,document,gpt,llama\n1,a,2,0.5\n1,b,,1\n")
    documents = [("1", "b"), ("1", "a")]
    for given in (tmp_path / "llms.csv", pandas.read_csv(tmp_path / "llms.csv", dtype={"topic": str})):
        found = predicted_values(renamed(given, {"value": "gpt,llama"}), documents)
        assert [[str(value) for value in values] for values in found] == [["nan", "2.0"], ["1.0", "0.5"]]
    with pytest.raises(ArgumentError, match=r"value='lama', but no table has .* 'llama'"):
        renamed(tmp_path / "llms.csv", {"value": "gpt,lama"})
    with pytest.raises(InputError, match=r"found topic, document, gpt, llama; .*--columns value=.*value=A,B"):
        predicted_values(tmp_path / "llms.csv", documents)


def test_of_several_tables_some_may_lack_a_column(tmp_path: Path) -> None:
    (tmp_path / "llms.csv").write_text("topic,document,gpt,llama\n1,a,2,0.5\n")
    (tmp_path / "umbrela.qrels").write_text("1 0 a 3\n")
    found = predicted_values(
        renamed([str(tmp_path / "llms.csv"), str(tmp_path / "umbrela.qrels")], {"value": "gpt, llama"}), [("1", "a")]
    )
    assert found == [[2.0], [0.5], [3.0]]


def test_several_columns_come_through_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("topic,document,gpt,llama\n1,a,2,0.5\n",))
    writer.start()
    found = predicted_values(renamed(pipe, {"value": "gpt,llama"}), [("1", "a")])
    writer.join()
    assert found == [[2.0], [0.5]]


def test_labels_beside_a_prediction_are_not_taken_for_it(tmp_path: Path) -> None:
    path = tmp_path / "both.jsonl"
    path.write_text('{"qid": "1", "docid": "a", "label": 0, "judgment": 0, "prediction": "0.75"}\n')
    assert list(prediction_rows(path)) == [("1", "a", 0.75)]


@pytest.mark.parametrize(
    "line",
    ['{"query": {"text": "?"}, "candidates": [{"docid": "a"}]}', '{"query": {"qid": "1"}, "candidates": ["text"]}'],
)
def test_candidates_without_names_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "pool.jsonl").write_text(f"{line}\n")
    with pytest.raises(InputError, match=r"pool.jsonl:1: a query with candidates.*every query needs its qid"):
        list(prediction_rows(tmp_path / "pool.jsonl"))


def test_a_value_may_lack_in_some_objects(tmp_path: Path) -> None:
    path = tmp_path / "llm.jsonl"
    path.write_text('{"topic": "1", "document": "a"}\n{"topic": "1", "document": "b", "grade": 2}\n')
    assert [str(value) for *_, value in prediction_rows(path)] == ["nan", "2.0"]


def test_an_empty_cell_is_no_prediction() -> None:
    values = [value for *_, value in prediction_rows([("1", "a", None), ("1", "b", float("nan")), ("1", "c", "0.5")])]
    assert list(map(math.isnan, values)) == [True, True, False]
    assert values[2] == 0.5


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 a 0.5\n1 b\n", r"p.txt:2: 2 columns found; every line needs topic document value"),
        ("1 a 0.5\n\n1 b high\n", r"p.txt:3: value 'high' is not a number"),
        ("topic,document\n1,a\n", r"p.txt:1: 1 column found"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "p.txt").write_text(lines)
    with pytest.raises(InputError, match=message):
        list(prediction_rows(tmp_path / "p.txt"))


REPEATED = [("1", "a", 0.5), ("1", "b", 0.1), ("1", "a", 0.7)]
WANTED = [("1", "a"), ("1", "b")]


@pytest.mark.parametrize("form", ["lines", "rows", "frame"])
def test_different_predictions_of_a_document_are_refused(tmp_path: Path, form: str) -> None:
    """The last one won; equal ones, and empty ones, say nothing else than the others."""

    def given(rows: list[tuple[str, str, float | None]]) -> object:
        if form == "rows":
            return rows
        frame = pandas.DataFrame(rows, columns=["topic", "document", "value"])
        if form == "frame":
            return frame
        frame.to_csv(tmp_path / "twice.csv", index=False)
        return tmp_path / "twice.csv"

    message = r"document 'a' of topic '1' is predicted twice, as 0.5 and 0.7; .* --duplicates first"
    where = "twice.csv:4: " if form == "lines" else "predictions: row 3: "
    with pytest.raises(InputError, match=where + message):
        predicted_values(given(REPEATED), WANTED)
    assert predicted_values(renamed(given(REPEATED), None, "first"), WANTED) == [[0.5, 0.1]]
    same = [*REPEATED[:2], ("1", "a", 0.5), ("1", "a", None)]
    assert predicted_values(given(same), WANTED) == [[0.5, 0.1]]
    assert predicted_values(given([("1", "a", None), *REPEATED[:2]]), WANTED) == [[0.5, 0.1]]


def test_columns_of_one_table_differ_by_themselves(tmp_path: Path) -> None:
    (tmp_path / "llms.csv").write_text("topic,document,gpt,llama\n1,a,1,0.5\n1,b,0,0.2\n1,a,1,0.6\n")
    asked = {"value": "gpt,llama"}
    with pytest.raises(InputError, match=r"llms.csv:4: document 'a' of topic '1' is predicted twice, as 0.5 and 0.6"):
        predicted_values(renamed(tmp_path / "llms.csv", asked), WANTED)
    kept = predicted_values(renamed(tmp_path / "llms.csv", asked, "first"), WANTED)
    assert kept == [[1, 0], [0.5, 0.2]]


@pytest.mark.parametrize("value", ["NaN", "nan", "inf", "-inf", "1e999"])
def test_predictions_are_finite(tmp_path: Path, value: str) -> None:
    (tmp_path / "p.txt").write_text(f"1 a 0.5\n1 b {value}\n1 c -2\n1 d 7\n")
    with pytest.raises(InputError, match=f"p.txt:2: value '{value}' is not finite; leave the cell empty .*--nan last"):
        predicted_values(tmp_path / "p.txt", WANTED)
    ((a, b),) = predicted_values(renamed(tmp_path / "p.txt", None, nan="last"), WANTED)
    assert (a, b) == (0.5, 7 if value in ("inf", "1e999") else -2)


def test_infinity_in_a_table_is_refused() -> None:
    with pytest.raises(InputError, match="predictions: row 1: value inf is not finite"):
        predicted_values(pandas.DataFrame({"topic": ["1"], "document": ["a"], "value": [math.inf]}), WANTED)


@pytest.mark.parametrize("given", [{("1", "a"): 0.5}, {"1": 3}, {"1": [("a", 0.5)]}])
def test_a_mapping_of_another_shape_is_told_which_is_wanted(given: dict[object, object]) -> None:
    with pytest.raises(ArgumentError, match=r"give values by document by topic, as in \{'401': \{'a': 0.5\}\}, rows"):
        predicted_values(given, WANTED)
    with pytest.raises(InputError, match=r"row 1 is 5; expected \(topic, document, value\)"):
        predicted_values([5, 6], WANTED)
