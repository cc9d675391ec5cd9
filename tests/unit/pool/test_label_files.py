"""What files of labels hold, what would be lost by replacing them, and that what they held stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import poolwise as pw
from poolwise.basics.writing import keep_beside
from poolwise.pool.label_files import Held, LabelFile, held

RUNS = {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 2.0, "e": 1.0}}}
WANTED = {("1", "a"): {2.0}, ("1", "b"): {0.0}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.qrels", "1 0 a 2\n1 0 b 0\n1 0 c -1\n"),
        ("a.txt", "1 1 a 1 2\n1 1 b 1 0\n1 0 c 1 -1\n"),
        ("a.csv", "topic,document,label\n1,a,2\n1,b,0\n1,c,\n"),
        ("a.tsv", "query_id\tdoc_id\trelevance\n1\ta\t2\n1\tb\t0\n1\tc\t\n"),
        ("a.jsonl", '{"topic": "1", "document": "a", "label": 2}\n{"topic": "1", "document": "b", "label": 0}\n'),
        ("a.json", '{"1": {"a": 2, "b": 0}}'),
        ("three", "1 a 2\n1 b 0\n"),
        ("judge.csv", "assessor,topic,document,answer,label,note\nann,1,a,label,2,\neve,1,b,label,0,\"two\nlines\"\n"),
    ],
)  # fmt: skip
def test_labels_are_found_in_every_form(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert held(str(path)).labels == WANTED
    with pytest.raises(pw.InputError, match=f"{name}: holds 2 labels that the new file would not have, such as 2 of"):
        LabelFile(path, Held).write([b""])
    assert path.read_text() == text
    assert os.listdir(tmp_path) == [name]


def test_labels_packed_in_parquet_and_gz_are_found(tmp_path: Path) -> None:
    import gzip

    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"topic": ["1", "1"], "document": ["a", "b"], "label": [2, 0]})
    frame.to_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"1 0 a 2\n1 0 b 0\n"))
    (tmp_path / "torn.gz").write_bytes(gzip.compress(b"1 0 a 2\n" * 99)[:-9])
    assert [held(str(tmp_path / name)).labels for name in ("a.parquet", "a.gz")] == [WANTED, WANTED]
    with pytest.raises(pw.InputError, match=r"torn\.gz: the gz data cannot be read to the end .*it would be replaced"):
        LabelFile(tmp_path / "torn.gz", Held).check()


@pytest.mark.parametrize("text", ["", "notes of mine\n", "1 Q0 a 1 2.0 mine\n", "run,measure,topic,value\nx,AP,1,1\n"])
def test_what_is_no_file_of_labels_is_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_text(text)
    LabelFile(tmp_path / "a", Held).write([b"new"])
    assert (tmp_path / "a").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        (Held({("1", "a"): {1}}), Held({("1", "a"): {1}}), ""),
        (Held({("1", "a"): {1}}), Held({("1", "a"): {0, 1}}), ""),  # another one counts, this one is known
        (Held({("1", "a"): {1}}), Held({("1", "a"): {0}}), "1 label that the new file would not have, such as 1 of"),
        (Held({("1", "a"): {1}}), Held({("1", "a"): {0}}, any_label=True), ""),
        (Held(asked={("1", "a")}), Held({("1", "a"): {0}}), ""),
        (Held(asked={("1", "a")}), Held(asked={("1", "a")}), ""),
        (Held(asked={("1", "a")}), Held(), "a list to judge with 1 document that the new file would not have"),
        (Held(plan="p"), Held(plan="p"), ""),
        (Held(plan="p"), Held(plan="q"), "another plan, number p, and not number q"),
        (Held(plan="p"), Held(), "another plan, number p"),
    ],
)
def test_what_is_lost(old: Held, new: Held, lost: str) -> None:
    assert old.lost_to(new)[: len(lost) or None] == lost


def test_what_is_replaced_stays_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    for label in (1, 2, 3):
        with pytest.warns(pw.PoolwiseWarning, match="is kept as") if label > 1 else _nothing():
            LabelFile(path, lambda own=label: Held({("1", "a"): {own}}), overwrite=True).write([b"1 0 a %d\n" % label])
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == {
        "a.qrels": b"1 0 a 3\n",
        "a.qrels.previous": b"1 0 a 1\n",
        "a.qrels.previous.2": b"1 0 a 2\n",
    }


def _nothing():
    from contextlib import nullcontext

    return nullcontext()


def test_where_files_have_no_second_names_they_are_copied(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def refused(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refused)
    assert keep_beside(str(tmp_path / "a")) == f"{tmp_path}/a.previous"
    assert keep_beside(str(tmp_path / "a")) == f"{tmp_path}/a.previous.2"
    assert (tmp_path / "a.previous.2").read_bytes() == b"old"


def test_a_judging_is_never_replaced(tmp_path: Path) -> None:
    from poolwise.judging.events import create

    path = str(tmp_path / "plan.txt")
    create(path, {"plan": "p", "columns": "5", "unjudged": "-1"}, [("1", "a", 1, 1, None)])
    for overwrite in (False, True):
        with pytest.raises(
            pw.InputError, match=r"is an SQLite file, as `poolwise judge` keeps labels in, and is never"
        ):
            LabelFile(path, Held, overwrite).write([b""])


def test_plans_and_judgments_are_not_lost_from_python_either(tmp_path: Path) -> None:
    mine = {"mine": {"1": RUNS["mine"]["1"]}}
    pool = pw.read(None, RUNS)
    first, second = pool.plan(budget=2, seed=1), pool.plan(budget=3, seed=2)
    first.write(tmp_path / "plan.txt")
    first.write(tmp_path / "plan.txt")  # the same plan
    with pytest.raises(pw.InputError, match="holds another plan, number"):
        second.write(tmp_path / "plan.txt")
    judged = first.merge([(topic, document, 1) for topic, document in first.to_judge()])
    judged.write(tmp_path / "plan.txt")
    pw.read(tmp_path / "plan.txt", RUNS).judgments.write(tmp_path / "plan.txt")  # the same plan with the same labels
    with pytest.raises(pw.InputError, match="holds 2 labels"):
        first.write(tmp_path / "plan.txt")
    before = (tmp_path / "plan.txt").read_bytes()
    with pytest.warns(pw.PoolwiseWarning, match=r"what it held is kept as .*plan\.txt\.previous"):
        second.write(tmp_path / "plan.txt", overwrite=True)
    assert (tmp_path / "plan.txt.previous").read_bytes() == before
    labels = pw.read({"1": {"a": 1, "b": 0}}, mine).judgments
    labels.write(tmp_path / "q")
    with pytest.raises(
        pw.InputError, match="holds 1 label that the new file would not have, such as 0 of document 'b'"
    ):
        pw.read({"1": {"a": 1}}, mine).judgments.write(tmp_path / "q")
    labels.write(tmp_path / "q")
