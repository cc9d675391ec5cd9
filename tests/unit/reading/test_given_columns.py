"""Names of columns that no table has are refused, in whatever form the tables come."""

from __future__ import annotations

import json

import pandas
import pytest
from tests.kit.command import here

import poolwise as pw
from poolwise.errors import ArgumentError, InputError

QRELS = [("1", "a", 1), ("1", "b", 0)]
RUN = [("1", "b", 2.0), ("1", "a", 1.0)]


def written(folder, name, form, columns, rows):
    """A table in one of the forms."""
    path = folder / f"{name}.{form}"
    frame = pandas.DataFrame(rows, columns=columns)
    objects = [dict(zip(columns, row, strict=True)) for row in rows]
    if form == "frame":
        return frame
    if form == "parquet":
        frame.to_parquet(path)
    elif form == "json":
        path.write_text(json.dumps(objects))
    elif form == "jsonl":
        path.write_text("\n".join(map(json.dumps, objects)))
    else:
        mark = {"csv": ",", "tsv": "\t"}[form]
        path.write_text("\n".join(mark.join(map(str, row)) for row in (columns, *rows)) + "\n")
    return path


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl", "parquet", "frame"])
@pytest.mark.parametrize("name", ["topic", "document", "score", "rank", "run", "label", "stratum"])
def test_a_name_that_no_table_has_is_refused(tmp_path, form, name):
    qrels = written(tmp_path, "qrels", form, ("topic", "document", "label"), QRELS)
    run = written(tmp_path, "run", form, ("topic", "document", "score"), RUN)
    assert pw.read(qrels, run).score("RR").to_dict()["run"]["RR"] == 0.5
    with pytest.raises((ArgumentError, InputError), match="nowhere"):
        pw.read(qrels, run, columns={name: "nowhere"})


def test_a_digit_that_is_no_number_is_a_name(tmp_path):
    qrels = written(tmp_path, "qrels", "csv", ("m\u00b2", "document", "label"), QRELS)
    run = written(tmp_path, "run", "csv", ("m\u00b2", "document", "score"), RUN)
    with pytest.raises(ArgumentError, match="columns: topic='\u00b2', but no table has a column of that name"):
        pw.read(qrels, run, columns={"topic": "\u00b2"})
    assert pw.read(qrels, run, columns={"topic": "m\u00b2"}).score("RR").to_dict()["run"]["RR"] == 0.5


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "parquet", "frame"])
@pytest.mark.parametrize("whose", ["qrels", "run"])
def test_topics_and_documents_may_be_named_in_one_of_the_two(tmp_path, form, whose):
    own, usual = ("Frage", "Text"), ("topic", "document")
    qrels = written(tmp_path, "qrels", form, (*(own if whose == "qrels" else usual), "label"), QRELS)
    run = written(tmp_path, "run", form, (*(own if whose == "run" else usual), "score"), RUN)
    found = pw.read(qrels, run, columns={"topic": "Frage", "document": "Text"})
    assert found.score("RR").to_dict()["run"]["RR"] == 0.5


def test_files_without_names_have_no_such_column(tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 2.0 x\n")
    for read in (pw.read, lambda *given, columns: pw.score_stream(*given, measures=["AP"], columns=columns)):
        with pytest.raises(ArgumentError, match=r"columns: topic='qid', but no table has a column of that name"):
            read(tmp_path / "qrels.txt", tmp_path / "run.txt", columns={"topic": "qid"})


@pytest.mark.parametrize(
    "words",
    [
        "score qrels.csv run.csv", "score --stream qrels.csv run.csv", "check qrels.csv run.csv",
        "compare qrels.csv run.csv other.csv", "estimate qrels.csv run.csv -m AP", "holes qrels.csv run.csv",
        "plan run.csv other.csv -o plan.txt --budget 2", "sample qrels.csv run.csv --design uniform -o s.txt",
        "agreement qrels.csv again.csv", "merge qrels.csv again.csv -o m.txt",
        "gate run.csv other.csv --qrels qrels.csv",
        "report qrels.csv run.csv other.csv -o pages",
    ],
)  # fmt: skip
def test_every_command_says_so(tmp_path, words):
    for name in ("qrels", "again"):
        written(tmp_path, name, "csv", ("topic", "document", "label"), QRELS)
    for name in ("run", "other"):
        written(tmp_path, name, "csv", ("topic", "document", "score"), RUN)
    found = here([*words.split(), "--columns", "topic=nowhere"], tmp_path)
    assert found.code in (1, 2)
    assert "'nowhere'" in found.err
    assert found.out == ""
