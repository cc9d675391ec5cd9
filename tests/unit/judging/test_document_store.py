"""Texts are found by id in every kind of source, at once, and never lead out of it."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import os
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from poolwise.errors import ArgumentError, InputError, MissingDependency
from poolwise.judging import documents as document_index
from poolwise.judging.document_text import LONGEST, DocumentText, from_record
from poolwise.judging.documents import ENDING, Folder, indexed, open_documents

RECORDS = [
    {"id": "a", "title": "Bees", "text": "Bees fly.\nFar.", "url": "https://example.org/bees", "year": 1999},
    {"id": "b", "title": "", "text": 'Ants, "walk"; they <b>do</b>.'},
    {"id": "ü/..", "title": "Odd", "text": "An odd id."},
]


def lines(records=RECORDS) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def as_jsonl(path: Path) -> Path:
    path = path / "documents.jsonl"
    path.write_bytes(lines())
    return path


def as_gz(path: Path) -> Path:
    path = path / "documents.jsonl.gz"
    path.write_bytes(gzip.compress(lines()))
    return path


def as_xz(path: Path) -> Path:
    path = path / "documents.jsonl.xz"
    path.write_bytes(lzma.compress(lines()))
    return path


def as_zst(path: Path) -> Path:
    zstandard = pytest.importorskip("zstandard")
    path = path / "documents.jsonl.zst"
    path.write_bytes(zstandard.compress(lines()))
    return path


def as_csv(path: Path) -> Path:
    path = path / "documents.csv"
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "title", "text", "url", "year"])
        writer.writeheader()
        writer.writerows(RECORDS)
    return path


def as_parquet(path: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = path / "documents.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(RECORDS), path)
    return path


KINDS = {"jsonl": as_jsonl, "gz": as_gz, "xz": as_xz, "zst": as_zst, "csv": as_csv, "parquet": as_parquet}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_same_texts(tmp_path: Path, kind: str) -> None:
    path = KINDS[kind](tmp_path)
    documents = open_documents([str(path)], None, {"a", "b", "ü/..", "gone"}, str(tmp_path / "plan.txt"))
    for record in RECORDS:
        found = documents.get(record["id"])
        assert (found.title, found.text) == (record["title"], record["text"])
    assert documents.get("a").url == "https://example.org/bees"
    assert documents.get("a").more == {"year": "1999"}
    assert documents.get("gone") is None
    assert os.path.exists(f"{path}{ENDING}")


@pytest.mark.parametrize("kind", ["jsonl", "xz"])
def test_an_index_serves_again_until_its_file_changes(tmp_path: Path, kind: str, monkeypatch) -> None:
    path = KINDS[kind](tmp_path)
    open_documents([str(path)], None, {"a"}, "plan.txt")
    made = os.stat(f"{path}{ENDING}").st_ino
    passes = []
    monkeypatch.setattr(document_index, "records", lambda *_: passes.append(1) or iter(RECORDS))
    assert open_documents([str(path)], None, {"a"}, "plan.txt").get("a").title == "Bees"
    assert os.stat(f"{path}{ENDING}").st_ino == made
    assert not passes
    assert open_documents([str(path)], None, {"a", "b"}, "plan.txt").get("b").text.startswith("Ants")
    assert len(passes) == (kind == "xz")  # a later plan: only what cannot be entered in the middle is read again
    monkeypatch.undo()
    changed = json.dumps({"id": "a", "text": "Bees do not fly."}).encode() + b"\n"
    path.write_bytes(changed if kind == "jsonl" else lzma.compress(changed))
    assert open_documents([str(path)], None, {"a"}, "plan.txt").get("a").text == "Bees do not fly."
    assert os.stat(f"{path}{ENDING}").st_ino != made


def test_shards_are_one_collection_and_the_first_of_two_wins(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(lines(RECORDS[:1]))
    (tmp_path / "2.jsonl").write_bytes(lines([{"id": "a", "text": "later"}, RECORDS[1]]))
    for _ in range(2):  # the index itself is no shard
        documents = open_documents([str(tmp_path)], None, {"a", "b"}, "plan.txt")
        assert documents.get("a").title == "Bees"
        assert documents.get("b").text.startswith("Ants")


def test_documents_of_the_same_hash_are_told_apart(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(document_index, "_hash", lambda name: 7)
    documents = indexed([str(as_jsonl(tmp_path))], set(), "plan.txt")
    assert [documents.get(name).title for name in ("a", "b", "ü/..")] == ["Bees", "", "Odd"]
    assert documents.get("gone") is None


def test_an_index_lies_beside_the_plan_where_documents_cannot_be_written(tmp_path: Path, monkeypatch) -> None:
    path = as_jsonl(tmp_path)
    plan = tmp_path / "work" / "plan.txt"
    plan.parent.mkdir()
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert indexed([str(path)], set(), str(plan)).path == str(plan.parent / f"documents.jsonl{ENDING}")


def test_a_file_that_changed_behind_our_back_has_no_text_but_does_no_harm(tmp_path: Path) -> None:
    path = as_jsonl(tmp_path)
    documents = open_documents([str(path)], None, set(), "plan.txt")
    path.write_text("not json at all, and shorter\n")
    assert documents.get("b") is None


def test_long_cells_are_read_and_the_limit_of_the_process_stays(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"id,text\na,{'x' * 200_000}\n")
    before = csv.field_size_limit()
    documents = open_documents([str(path)], None, {"a"}, "plan.txt")
    assert len(documents.get("a").text) == 200_000
    assert csv.field_size_limit() == before


def test_columns_without_names_are_known_by_their_number(tmp_path: Path) -> None:
    path = tmp_path / "collection.tsv"
    path.write_text('7\tA "quoted passage.\n8\tAnother.\n')
    documents = open_documents([str(path)], None, {"7", "8"}, "plan.txt")
    assert documents.get("7").text == 'A "quoted passage.'
    assert documents.get("8").text == "Another."


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("d.jsonl", '{"id": "a"}\nnope\n', r"d\.jsonl:2: this is no JSON"),
        ("d.jsonl", '["a"]\n', r"d\.jsonl:1: .* is no object"),
        ("d.jsonl", '{"text": "a"}\n', r"d\.jsonl:1: no id found"),
        ("d.csv", "one,two,three,four,five\n", r"d\.csv: the first line names no column id"),
    ],
)
def test_files_that_are_no_documents_say_where(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        open_documents([str(tmp_path / name)], None, {"a"}, "plan.txt")
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_a_folder_gives_the_file_of_each_document(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("Bees fly.")
    (folder / "b.html").write_text("<title>Ants</title><script>alert(1)</script><p>Ants <i>walk</i>.</p>")
    (folder / "sub" / "c").write_text("Deep.")
    (folder / "d.json").write_text('{"title": "Dogs", "text": "Dogs bark."}')
    documents = open_documents([str(folder)], None, set(), "plan.txt")
    assert documents.get("a") == DocumentText("Bees fly.")
    assert documents.get("b") == DocumentText("Ants walk.", "Ants")
    assert documents.get("sub/c") == DocumentText("Deep.")
    assert documents.get("d").title == "Dogs"
    assert documents.get("z") is None


@pytest.mark.parametrize("id", ["../secret", "../secret.txt", "/etc/passwd", "a/../../secret", "..", "a\x00b", ""])
def test_no_id_leads_out_of_a_folder(tmp_path: Path, id: str) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "texts2").mkdir()
    assert Folder(str(folder)).get(id) is None
    os.symlink(tmp_path / "secret.txt", folder / "link")
    assert Folder(str(folder)).get("link") is None
    assert Folder(str(folder)).get("../texts2/x") is None


def test_a_command_prints_the_text_of_an_id(tmp_path: Path) -> None:
    script = tmp_path / "show.py"
    script.write_text("import sys\nif sys.argv[-1] == 'gone': sys.exit(3)\nprint('text of', *sys.argv[1:])\n")
    documents = open_documents([], f"{sys.executable} {script}", set(), "plan.txt")
    assert documents.get("a; echo no").text == "text of -- a; echo no\n"
    assert documents.get("gone") is None
    assert open_documents([], f"{sys.executable} {script} x{{}}y z", set(), "").get("7").text == "text of x7y z\n"
    assert open_documents([], "/no/such/command", set(), "").get("7") is None
    for wrong in ("", "'unclosed"):
        with pytest.raises(ArgumentError, match="--documents-from"):
            open_documents([], wrong, set(), "plan.txt")


@pytest.mark.parametrize("id", ["--help", "-rf"])
def test_an_id_is_no_option_of_a_command(tmp_path: Path, id: str) -> None:
    script = tmp_path / "show.py"
    script.write_text("import sys\nprint(*sys.argv[1:])\n")
    show = f"{sys.executable} {script}"
    assert open_documents([], show, set(), "").get(id).text == f"-- {id}\n"
    assert open_documents([], f"{show} -- {{}} x", set(), "").get(id).text == f"-- {id} x\n"
    assert open_documents([], f"{show} --id={{}}", set(), "").get(id).text == f"--id={id}\n"
    assert open_documents([], f"{show} {{}}", set(), "").get(id) is None
    assert open_documents([], f"{show} {{}}", set(), "").get("a").text == "a\n"


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str


def test_a_dataset_of_ir_datasets_gives_its_documents(monkeypatch) -> None:
    class Store:
        def get(self, name):
            return {"7": Doc("7", "Bees", "Bees fly.")}[name]

    class Dataset:
        def has_docs(self):
            return True

        def has_queries(self):
            return False

        def docs_store(self):
            return Store()

    library = pytest.importorskip("ir_datasets")
    monkeypatch.setattr(library, "load", lambda name: {"mine/docs": Dataset()}[name])
    for name in ("mine/docs", "irds:mine/docs"):
        documents = open_documents([name], None, set(), "plan.txt")
        assert documents.get("7") == DocumentText("Bees fly.", "Bees")
        assert documents.get("8") is None
    with pytest.raises(InputError, match="neither a file nor a dataset"):
        open_documents(["no/such"], None, set(), "plan.txt")
    with pytest.raises(InputError, match="no such file"):
        open_documents(["documents.jsonl"], None, set(), "plan.txt")
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingDependency, match="ir_datasets is not installed"):
        open_documents(["mine/docs"], None, set(), "plan.txt")


def test_records_of_any_fields_are_shown() -> None:
    found = from_record({"_id": 1, "body": ["One.", "Two."], "tags": {"a": 1}, "empty": "", "image": "https://x/y.png"})
    assert found.text == "One.\n\nTwo."
    assert found.more == {"tags": "a: 1"}
    assert found.as_dict()["images"] == []
    assert found.as_dict(images=True)["images"] == ["https://x/y.png"]
    assert DocumentText("x", url="javascript:alert(1)").as_dict()["url"] == ""
    long = DocumentText("x" * (LONGEST + 5)).as_dict()["text"]
    assert long.endswith(f"[cut here: the text has {LONGEST + 5} characters]")
