"""`poolwise judge` from the shell: addresses, going on, files that follow, the terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tests.kit.judging import write_documents, write_plan, write_topics

from poolwise.cli.main import main
from poolwise.read.judging_file import opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_plan(tmp_path / "plan.txt")
    write_documents(tmp_path / "documents.jsonl")
    write_topics(tmp_path / "topics.tsv")
    return tmp_path


class Server:
    """A server in a process of its own, spoken to over HTTP."""

    def __init__(self, folder: Path, *options: str) -> None:
        pytest.importorskip("uvicorn")
        words = [sys.executable, "-m", "poolwise", "judge", "plan.txt", "--no-browser", *options]
        self.process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address, *self.name = self.process.stdout.readline().split()

    def get(self, path: str, **query: object):
        with urllib.request.urlopen(self.address + path) as answer:
            return json.loads(answer.read())

    def post(self, name: str, *events: dict):
        request = urllib.request.Request(
            f"{self.address}events?name={name}",
            json.dumps({"events": events}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def label(self, name: str, count: int, label: int = 1, begin: int = 0) -> None:
        queue = self.get(f"start?name={name}")["queue"]
        events = [
            {
                "id": f"{name}-event-{begin + place:04}",
                "action": "label",
                "item": item,
                "again": bool(again),
                "label": label,
            }
            for place, (item, again) in enumerate(queue[begin : begin + count])
        ]
        assert all("refused" not in said for said in self.post(name, *events)["said"])

    def stop(self, how: int = signal.SIGINT) -> str:
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=20)
        return said


def test_the_first_line_is_the_address_and_labels_are_written(folder: Path) -> None:
    server = Server(folder, "--documents", "documents.jsonl", "--topics", "topics.tsv", "--scale", "0-3")
    assert server.address.startswith("http://127.0.0.1:")
    server.label("ann", 15, 2)
    until(lambda: b" 2\n" in (folder / "plan.judged.txt").read_bytes())
    said = server.stop()
    assert server.process.returncode == 0
    assert "15 of 40 documents judged; plan.judged.txt written" in said
    lines = (folder / "plan.judged.txt").read_text().splitlines()
    assert len(lines) == 160
    assert sum(line.endswith(" 2") for line in lines) == 15
    assert sum(line.split()[1] == "1" for line in lines) == 15


def until(true, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)


def test_the_plan_alone_goes_on_at_the_same_address(folder: Path) -> None:
    options = ("--documents", "documents.jsonl", "--topics", "topics.tsv", "--scale", "0-3", "--assessors", "ann,bob")
    server = Server(folder, *options)
    assert server.name == ["ann"]
    server.label("ann", 5)
    before = server.get("start")
    server.stop(signal.SIGTERM)
    again = Server(folder)
    assert again.address == server.address
    after = again.get("start")
    assert after["history"] == before["history"]
    assert after["grades"] == before["grades"]
    item = after["queue"][0][0]
    assert again.get(f"documents?items={item}")["documents"][str(item)]["shown"]["title"].startswith("Title")
    again.stop()
    kept = folder / "plan.judging.json"
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    renewed = Server(folder, "--new-links")
    assert renewed.address != server.address
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(server.address)
    renewed.stop()


def test_every_assessor_has_an_address(folder: Path) -> None:
    server = Server(folder, "--assessors", "ann,bob,cy", "--overlap", "0.1", "--repeat", "0.05")
    lines = [server.process.stdout.readline().split() for _ in range(2)]
    assert [name for _, name in lines] == ["bob", "cy"]
    addresses = [server.address, *(address for address, _ in lines)]
    assert len(set(addresses)) == 3
    queues = [json.loads(urllib.request.urlopen(f"{address}start").read())["queue"] for address in addresses]
    first = [item for queue in queues for item, again in queue if not again]
    assert len(first) == 44  # 40 documents, a tenth of them twice
    assert sum(again for queue in queues for _, again in queue) >= 2
    server.stop()


def test_a_port_that_is_taken_is_an_error_and_that_of_last_time_is_not(folder: Path) -> None:
    one = Server(folder)
    port = one.address.split(":")[2].split("/")[0]
    two = Server(folder)  # the port of last time is taken, so another one is used
    assert two.address != one.address
    done = subprocess.run(
        [sys.executable, "-m", "poolwise", "judge", "plan.txt", "--no-browser", "--port", port],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert f"cannot serve at 127.0.0.1, port {port}" in done.stderr
    one.stop()
    two.stop()


def test_two_servers_on_one_plan_lose_nothing(folder: Path) -> None:
    one, two = Server(folder), Server(folder)
    one.label("ann", 3)
    two.label("ann", 3, begin=3)
    one.label("ann", 3, begin=6)
    assert [event[0] for event in two.get("start?name=ann")["history"]] == [f"ann-event-{n:04}" for n in range(9)]
    one.stop()
    two.stop()


# ---- Files ---------------------------------------------------------------------------------------------------------


def judged(folder: Path, each: int = 10) -> None:
    from tests.kit.judging import judging

    found = judging(folder / "plan.txt", "ann", "bob", scale="0-3", overlap=0.5)
    for name in ("ann", "bob"):
        for place, (item, _) in enumerate(found.queue(name)[:each]):
            event = {
                "id": f"{name}-{place:06}",
                "action": "label",
                "item": item,
                "label": place % 3,
                "milliseconds": 900,
            }
            found.record(name, [event])
    found.record("ann", [{"id": "the-note", "action": "note", "item": found.queue("ann")[0][0], "note": 'odd, "very"'}])
    found.store.close()


def test_every_format_follows_from_the_events(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    judged(folder)
    outputs = ("judged.txt", "plain.qrels", "labels.jsonl", "labels.csv")
    words = [word for name in outputs for word in ("-o", name)]
    assert main(["judge", "plan.txt", "--export", *words]) == 0
    assert capsys.readouterr().out == "judged.txt, plain.qrels, labels.jsonl, labels.csv written\n"
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
    judged(folder, each=20)  # every stratum has a label
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


def test_adjudication_settles_what_assessors_disagree_on(folder: Path, monkeypatch) -> None:
    from tests.kit.judging import judging

    from poolwise.read.judging_events import combined

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
    judged(folder)
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
    judged(folder)
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


def test_three_judge_every_document(folder: Path) -> None:
    server = Server(folder, "--assessors", "ann,bob,cy", "--per-document", "3")
    addresses = [server.address, *(server.process.stdout.readline().split()[0] for _ in range(2))]
    queues = [json.loads(urllib.request.urlopen(f"{address}start").read())["queue"] for address in addresses]
    assert [sorted(item for item, _ in queue) for queue in queues] == [list(range(40))] * 3
    server.stop()


def test_more_than_there_are_cannot_judge_a_document(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    assert main(["judge", "plan.txt", "--assessors", "ann,bob", "--per-document", "3", "--no-browser"]) == 2
    assert "3 assessors are to judge the same documents, and there are 2" in capsys.readouterr().err
    assert main(["judge", "plan.txt", "--assessors", "ann,bob", "--per-document", "1", "--no-browser"]) == 2


def test_another_store_is_a_judging_of_its_own(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    server = Server(folder, "--assessors", "ann,bob")
    server.label("ann", 8)
    server.stop()
    Path("other").mkdir()
    other = Server(folder, "--store", "other/labels.sqlite")
    assert other.name == []
    assert other.address != server.address
    other.label("eve", 8)
    said = other.stop()
    assert "other/labels.judged.txt written" in said
    assert [len(labels_in(Path(name))) for name in ("plan.judged.txt", "other/labels.judged.txt")] == [8, 8]
    assert Path("other/labels.judging.json").exists()
    Path("plan").mkdir()
    Path("plan/labels.sqlite").write_bytes(Path("plan.sqlite").read_bytes())
    assert main(["agreement", "plan/labels.sqlite", "other/labels.sqlite", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert ("ann", "eve") in {(row["first"], row["second"]) for row in rows}


def test_missing_texts_are_said_at_the_start(folder: Path) -> None:
    said = begun_and_stopped(folder)
    assert "note: no texts are named, so pages show ids of documents alone; give --documents" in said
    assert "note: no topics are named" in said
    (folder / "others.jsonl").write_text('{"id": "elsewhere", "text": "a"}\n')
    said = begun_and_stopped(folder, "--documents", "others.jsonl", "--topics", "topics.tsv")
    assert "note: no text was found for any of the first 20 documents" in said
    assert "note:" not in begun_and_stopped(folder, "--documents", "documents.jsonl", "--topics", "topics.tsv")


def begun_and_stopped(folder: Path, *options: str) -> str:
    server = Server(folder, *options)
    server.get("start?name=eve")
    return server.stop()


def test_lists_of_disagreements_may_come_from_elsewhere(tmp_path: Path) -> None:
    from poolwise.assess.adjudication import read_disagreements

    path = tmp_path / "list"
    for text, said in (
        ("1 a\n2 b\n", []),
        ("topic\tdocument\tann\n1\ta\t0\n2\tb\t\n", ["ann: 0"]),
        ("ann,document,topic\n0,a,1\n,b,2\n", ["ann: 0"]),
        ('{"query_id": 1, "doc_id": "a", "ann": 0}\n{"query_id": 2, "doc_id": "b"}\n', ["ann: 0"]),
        ("# poolwise\n1,a\n2,b\n", []),
    ):
        path.write_text(text)
        assert read_disagreements(str(path)) == {("1", "a"): said, ("2", "b"): []}


# ---- At a terminal -------------------------------------------------------------------------------------------------


def test_the_terminal_takes_keys_from_a_pipe(folder: Path) -> None:
    words = [
        "judge",
        "plan.txt",
        "--terminal",
        "--documents",
        "documents.jsonl",
        "--scale",
        "0-3",
        "--assessors",
        "ann",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "poolwise", *words],
        cwd=folder,
        input="3\n2u1clq",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "3 of 40 documents judged; plan.judged.txt written" in done.stdout
    assert labels_in(folder / "plan.judged.txt") == ["1", "3"]


def test_the_terminal_shows_estimates_without_waiting_for_them(folder: Path) -> None:
    for name, step in (("one", 1), ("two", 7)):
        ranked = [(t, s, p) for t in range(1, 5) for s in (1, 2) for p in range(20)]
        lines = [f"{t} Q0 d{t}-{s}-{p:02} 0 {99 - p * step % 20} {name}\n" for t, s, p in ranked]
        (folder / f"{name}.txt").write_text("".join(lines))
    (folder / "predictions.txt").write_text("".join(f"{t} d{t}-{s}-00 1\n" for t in range(1, 5) for s in (1, 2)))
    words = ["judge", "plan.txt", "--terminal", "--scale", "0-3", "--assessors", "ann", "--runs", "one.txt", "--runs"]
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "poolwise", *words, "two.txt", "--predictions", "predictions.txt"],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip
    seen, pressed = "", iter("012301")
    while "AP one - two" not in seen:
        # A key that does nothing shows what is there by now.
        process.stdin.write(next(pressed, " ") + "\n")
        process.stdin.flush()
        while not (line := process.stdout.readline()).startswith("u undo"):
            seen += line
        time.sleep(0.05)
    told, _ = process.communicate("q")
    assert "no estimate yet: " in seen
    assert "% from 6 labels" in " ".join(seen.split())
    assert "6 of 40 documents judged" in told


def labels_in(path: Path) -> list[str]:
    return sorted(label for *_, label in map(str.split, path.read_text().splitlines()) if label != "-1")


def test_the_terminal_reads_keys_of_a_terminal(folder: Path) -> None:
    pty = pytest.importorskip("pty")
    main_end, other_end = pty.openpty()
    words = ["judge", "plan.txt", "--terminal", "--documents", "documents.jsonl", "--assessors", "ann"]
    process = subprocess.Popen(
        [sys.executable, "-m", "poolwise", *words], cwd=folder, stdin=other_end, stdout=other_end, stderr=other_end
    )
    for key in (b"1", b"\x1b[D", b"0", b"\x7f", b"1", b"n", b"odd\n", b"0", b"q"):
        wait_for(main_end, b"note: " if key == b"odd\n" else b"help")
        os.write(main_end, key)
    until(lambda: process.poll() is not None, 20)
    os.close(other_end)
    os.close(main_end)
    assert process.returncode == 0
    assert labels_in(folder / "plan.judged.txt") == ["0", "1"]


def wait_for(terminal: int, words: bytes) -> None:
    import select

    seen = b""
    while words not in seen:
        ready, _, _ = select.select([terminal], [], [], 20)
        assert ready, f"{words!r} does not come after {seen[-300:]!r}"
        seen += os.read(terminal, 1 << 16)


def test_from_python_a_server_runs_beside_the_rest(folder: Path) -> None:
    pytest.importorskip("uvicorn")
    import poolwise as pw

    with pw.judge(folder / "plan.txt", documents=folder / "documents.jsonl", scale="0-3") as server:
        (address,) = server.addresses.values()
        assert json.loads(urllib.request.urlopen(f"{address}start?name=ann").read())["assessor"] == "ann"
        assert repr(server) == f"<JudgingServer: 0 of 40 documents judged, at {address}>"
    assert (folder / "plan.judged.txt").exists()


def test_commands_of_the_docs_are_understood() -> None:
    """A server does not end by itself, so its commands cannot run on their page; their options are read here."""
    from poolwise.cli.main import parser_of

    root = Path(__file__).parents[2]
    lines = [
        line.split()[2:]
        for page in (root / "docs" / "howto").glob("judge*.md")
        for line in page.read_text("utf-8").splitlines()
        if line.startswith("    poolwise judge")
    ]
    assert len(lines) >= 3
    for words in lines:
        assert parser_of("judge").parse(words).plan == "round1.txt"


def test_the_difference_of_two_runs_is_the_plans(tmp_path: Path, monkeypatch, capsys) -> None:
    from poolwise.assess.opening_room import Wishes, pair_of
    from poolwise.assess.work import open_work
    from poolwise.plan.plan_file import read_plan

    monkeypatch.chdir(tmp_path)
    for name, turn in (("current", 1), ("candidate", -1)):
        lines = [f"{topic} Q0 d{place} 1 {turn * place} {name}\n" for topic in (1, 2) for place in range(30)]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    runs = ["current.txt", "candidate.txt"]
    ask = ["plan", *runs, "--budget", "10", "--depth", "10"]
    assert main([*ask, "-o", "plain.txt"]) == 0
    assert main([*ask, "--difference", "candidate", "current", "-o", "plan.txt"]) == 0
    for plan, pair in (("plain.txt", ("current", "candidate")), ("plan.txt", ("candidate", "current"))):
        work, store = open_work(plan)
        store.close()
        assert pair_of(Wishes(plan, runs=runs), work) == pair
        assert pair_of(Wishes(plan, runs=runs, difference=["current", "candidate"]), work) == ("current", "candidate")
    read = read_plan("plan.txt")
    assert read.settings["difference"] == ["candidate", "current"]
    assert read.to_text() == Path("plan.txt").read_bytes()
