"""Files that follow from what was judged, and what other commands make of them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.kit.judging import judge_some, judging
from tests.kit.judging_server import Server

from poolwise.cli.main import main
from poolwise.reading.judging_file import opened
from poolwise.reading.records import label_rows


def test_every_format_follows_from_the_events(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    judge_some(folder)
    outputs = ("judged.txt", "plain.qrels", "labels.jsonl", "labels.csv")
    words = [word for name in outputs for word in ("-o", name)]
    assert main(["judge", "plan.txt", "--export", *words]) == 0
    shown = capsys.readouterr()
    assert shown.out == "judged.txt, plain.qrels, labels.jsonl, labels.csv written\n"
    assert "plain.qrels: plain judgments do not say which documents were drawn: nothing can be estimated" in shown.err
    five = [line.split() for line in Path("judged.txt").read_text().splitlines()]
    labels = {(topic, document): label for topic, drawn, document, _, label in five if label != "-1"}
    assert all(drawn == "1" for topic, drawn, document, _, label in five if label != "-1")
    begun = {(topic, stratum) for topic, _, _, stratum, label in five if label != "-1"}
    waiting = {topic for topic, _ in begun if not {(topic, "1"), (topic, "2")} <= begun}
    assert all(drawn == "0" for topic, drawn, _, _, label in five if label == "-1" and topic not in waiting)
    assert [line.split()[1] for line in Path("plan.txt").read_text().splitlines() if line.split()[0] in waiting] == [
        drawn for topic, drawn, *_ in five if topic in waiting
    ]
    plain = [line.split() for line in Path("plain.qrels").read_text().splitlines()]
    assert {(topic, document): label for topic, _, document, label in plain} == labels
    rows = [json.loads(line) for line in Path("labels.jsonl").read_text().splitlines()]
    assert len(rows) == 20
    assert {(row["topic"], row["document"]) for row in rows} == set(labels)
    assert rows[0]["note"] == 'odd, "very"'
    assert rows[0]["milliseconds"] == 900
    table = list(csv.DictReader(io.StringIO(Path("labels.csv").read_text())))
    assert [(row["assessor"], row["document"], row["label"], row["note"]) for row in table] == [
        (row["assessor"], row["document"], str(row["label"]), row["note"]) for row in rows
    ]
    before = [Path(name).read_bytes() for name in outputs]
    main(["judge", "plan.txt", "--export", *words])
    assert [Path(name).read_bytes() for name in outputs] == before


def test_estimate_takes_the_file_of_events(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    judge_some(folder, each=20)  # every stratum has a label
    runs = folder / "runs"
    runs.mkdir()
    for name, turn in (("a", 1), ("b", -1)):
        lines = [
            f"{topic} Q0 d{topic}-{stratum}-{place:02} 1 {turn * place + stratum} {name}\n"
            for topic in range(1, 5)
            for stratum in (1, 2)
            for place in range(20)
        ]
        (runs / f"{name}.txt").write_text("".join(lines))
    main(["judge", "plan.txt", "--export"])
    capsys.readouterr()
    said = []
    for qrels in ("plan.sqlite", "plan.judged.txt"):
        assert main(["estimate", qrels, "runs", "-m", "P@10", "--difference", "a", "b"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    ask = ["estimate", "plan.sqlite", "runs", "-m", "P@10", "--difference", "a", "b", "--looks", "plan.sqlite"]
    assert main([*ask, "--format", "table"]) == 0
    assert "holds at every look" in capsys.readouterr().out
    looks = [event for event in opened("plan.sqlite").events() if event.action == "look"]
    assert ["P@10 a - b" in json.loads(look.note)["rows"] for look in looks] == [True]
    assert main(ask) == 0
    assert len([event for event in opened("plan.sqlite").events() if event.action == "look"]) == 1
    assert main(["plan", "runs", "--pilot", "plan.sqlite", "--budget", "8", "--depth", "20", "-o", "round2.txt"]) == 0
    assert main(["judge", "round2.txt", "--export"]) == 0


def test_an_ending_that_says_nothing_is_refused(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    judge_some(folder)
    assert main(["judge", "plan.txt", "--export", "-o", "y.foo"]) == 2
    assert "y.foo: no format ends in .foo; use .qrels, .jsonl or .csv, or .txt or no ending" in capsys.readouterr().err
    assert not Path("y.foo").exists()


@pytest.mark.parametrize("note", ["=HYPERLINK(1)", "+1", "-1", "@now", "a = b"])
def test_notes_are_no_formulas(folder: Path, monkeypatch, note: str) -> None:
    monkeypatch.chdir(folder)
    server = Server(folder)
    item = server.get("start?name=ann")["queue"][0][0]
    server.post("ann", {"id": "the-label", "action": "label", "item": item, "label": 1, "note": note})
    server.stop()
    assert main(["judge", "plan.txt", "--export", "-o", "labels.csv", "-o", "labels.jsonl"]) == 0
    (row,) = csv.DictReader(io.StringIO(Path("labels.csv").read_text()))
    assert row["note"] == ("a = b" if note == "a = b" else f"'{note}")
    assert json.loads(Path("labels.jsonl").read_text())["note"] == note


FORMULAS = ("=HYPERLINK(1)", "+1", "-rf", "@now", "'=1", "''-x", "\uff1d1", "'tis", "d")


def test_no_text_of_a_table_is_a_formula_and_ids_come_back(tmp_path: Path, monkeypatch, capsys) -> None:
    """What is typed by assessors, or comes with documents and topics, is not run by whoever opens the table."""
    monkeypatch.chdir(tmp_path)
    plan = "".join(f"{topic} 1 {id} 1 -1\n" for topic in ("=t", "7") for id in FORMULAS)
    Path("plan.txt").write_text(plan)
    found = judging(Path("plan.txt"), "=cmd|calc", "bob", scale="0-3", overlap=1.0)
    for name in ("=cmd|calc", "bob"):
        for place, (item, _) in enumerate(found.queue(name)):
            event = {
                "id": f"{name[1:4].replace('m', 'x')}-{place:06}",
                "action": "label",
                "item": item,
                "label": item % 3,
            }
            assert "refused" not in found.record(name, [event])[0]
    labels = {(event.topic, event.document): event.label for event in found.events() if event.action == "label"}
    found.store.close()
    assert main(["judge", "plan.txt", "--export", "-o", "labels.csv"]) == 0
    cells = [cell for row in csv.reader(io.StringIO(Path("labels.csv").read_text())) for cell in row]
    assert not [cell for cell in cells if cell.strip()[:1] in "=+-@\uff1d" and cell]
    rows = label_rows("labels.csv")
    assert dict(zip(zip(rows.topic, rows.document, strict=True), rows.label, strict=True)) == labels
    assert main(["merge", "plan.txt", "labels.csv", "-o", "merged.txt"]) == 0
    merged = [line.split() for line in Path("merged.txt").read_text().splitlines() if not line.startswith("#")]
    assert {(topic, document): int(label) for topic, _, document, _, label in merged} == labels


def test_tables_of_scores_are_no_formulas_and_come_back(tmp_path: Path) -> None:
    import poolwise as pw

    scores = pw.read({"=t": {"a": 1}, "u": {"a": 1}}, {name: {"=t": {"a": 1.0}, "u": {"b": 1.0}} for name in FORMULAS})
    found = scores.score("P@1")
    path = tmp_path / "scores.csv"
    path.write_text(found.to_csv(per_topic=True))
    assert not [line for line in path.read_text().splitlines() if line.strip()[:1] in "=+-@\uff1d"]
    again = pw.Scores.from_csv(path)
    assert (sorted(again.runs), list(again.topics)) == (sorted(FORMULAS), list(found.topics))
