"""What assessors disagree on, and how it is settled."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

from tests.kit.judging import judge_some, judging
from tests.kit.judging_server import Server

from poolwise.cli.main import main


def test_adjudication_settles_what_assessors_disagree_on(folder: Path, monkeypatch) -> None:
    from poolwise.reading.judging_file import combined

    monkeypatch.chdir(folder)
    found = judging(folder / "plan.txt", "ann", "bob", scale="0-3", overlap=1.0)
    pairs = [found.items[number] for number in range(6)]
    for name in ("ann", "bob"):
        for item in pairs:
            label = item.number % 2 if name == "ann" else 1
            found.record(
                name, [{"id": f"{name}-{item.number:06}", "action": "label", "item": item.number, "label": label}]
            )
    found.store.close()
    server = Server(folder, "--adjudicate", "own", "--scale", "0-3")
    queue = server.get("start?name=eve")["queue"]
    assert sorted(item for item, _ in queue) == [0, 2, 4]
    said = server.get("documents?name=eve&items=0")["documents"]["0"]["said"]
    assert sorted(said) == ["0 not relevant", "1 related"]
    server.label("eve", 3, label=3)
    server.stop()
    again = judging(folder / "plan.txt", scale="0-3")
    labels = combined(again.events())
    assert [labels[item.topic, item.document] for item in pairs] == [3, 1, 3, 1, 3, 1]


def test_agreement_finds_what_adjudication_settles(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    judge_some(folder)
    assert main(["agreement", "plan.sqlite", "--disagreements", "disagreements.csv"]) == 0
    assert "ann" in capsys.readouterr().out
    listed = list(csv.DictReader(io.StringIO(Path("disagreements.csv").read_text())))
    assert listed
    server = Server(folder, "--adjudicate", "disagreements.csv", "--scale", "0-3")
    queue = server.get("start?name=eve")["queue"]
    assert len(queue) == len(listed)
    item = queue[0][0]
    said = server.get(f"documents?name=eve&items={item}")["documents"][str(item)]["said"]
    assert len(said) == 2
    assert not any(name in words for words in said for name in ("ann", "bob"))
    server.label("eve", len(queue), label=3)
    server.stop()
    lines = [line.split() for line in Path("plan.judged.txt").read_text().splitlines()]
    settled = {(topic, document) for topic, _, document, _, label in lines if label == "3"}
    assert settled == {(row["topic"], row["document"]) for row in listed}
    assert main(["agreement", "plan.sqlite", "--combined", "combined.txt", "--by", "adjudicated"]) == 0
    ended = [line.split() for line in Path("combined.txt").read_text().splitlines()]
    assert {(topic, document) for topic, _, document, _, label in ended if label == "3"} == settled


def test_settling_is_not_the_teams_and_every_settled_label_is_told(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    judge_some(folder)
    team = ["--assessors", "ann,bob", "--overlap", "0.5", "--scale", "0-3"]
    texts = ["--documents", "documents.jsonl", "--topics", "topics.tsv"]
    server = Server(folder, *team, *texts)
    before = server.address
    server.get("start")
    assert "note:" not in server.stop()
    server = Server(folder, "--adjudicate", "own")
    assert server.name == []  # no name of the team
    queue = server.get("start?name=eve")["queue"]
    server.label("eve", 2, label=3)
    said = server.stop()
    assert f"{len(queue)} disagreements to settle, of 40 documents, by whoever opens the address" in said
    assert f"2 of {len(queue)} disagreements settled" in said
    server = Server(folder, "--adjudicate", "own", "--assessors", "chair")
    assert server.name == ["chair"]
    server.get("start")
    assert "by chair; stop" in server.stop()
    server = Server(folder)
    assert (server.address, server.name) == (before, ["ann"])  # the team is as it was
    server.stop()
    assert main(["judge", "plan.txt", "--export", "-o", "labels.csv"]) == 0
    table = list(csv.DictReader(io.StringIO(Path("labels.csv").read_text())))
    settled = [row for row in table if row["answer"] == "settle"]
    assert [(row["assessor"], row["label"]) for row in settled] == [("eve", "3"), ("eve", "3")]
    assert len(table) == 22
    assert {(row["topic"], row["document"]) for row in settled} <= {
        (row["topic"], row["document"]) for row in table[:20]
    }


def test_lists_of_disagreements_may_come_from_elsewhere(tmp_path: Path) -> None:
    from poolwise.judging.sharing import read_disagreements

    path = tmp_path / "list"
    for text, said in (
        ("1 a\n2 b\n", []),
        ("topic\tdocument\tann\n1\ta\t0\n2\tb\t\n", ["ann: 0"]),
        ("ann,document,topic\n0,a,1\n,b,2\n", ["ann: 0"]),
        ('{"query_id": 1, "doc_id": "a", "ann": 0}\n{"query_id": 2, "doc_id": "b"}\n', ["ann: 0"]),
        ("# poolwise\n1,a\n2,b\n", []),
    ):
        for data in (text.encode(), gzip.compress(text.encode())):
            path.write_bytes(data)
            assert read_disagreements(str(path)) == {("1", "a"): said, ("2", "b"): []}
