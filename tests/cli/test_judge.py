"""`poolwise judge` from the shell: addresses, going on, files that follow."""

from __future__ import annotations

import json
import re
import shutil
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.kit.judging import write_all
from tests.kit.judging_server import Server, labels_in, until

from poolwise.cli.main import main
from poolwise.errors import ArgumentError


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


def test_ctrl_c_at_a_terminal_ends_what_computes_the_numbers_without_a_word(folder: Path) -> None:
    (folder / "mine.run").write_text("".join(f"1 Q0 d1-1-{rank:02} {rank} {9 - rank} mine\n" for rank in range(8)))
    server = Server(folder, "--runs", "mine.run", "--scale", "0-3", terminal=True)
    server.label("ann", 2)
    said = server.stop()
    assert server.process.returncode == 0
    assert "Traceback" not in said
    assert "2 of 40 documents judged" in said


@pytest.fixture
def state_of_its_own(tmp_path_factory, monkeypatch) -> Path:
    """An empty folder for what is remembered."""
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    return state


def test_the_plan_alone_goes_on_at_the_same_address(folder: Path, state_of_its_own: Path) -> None:
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
    (kept,) = state_of_its_own.glob("poolwise/judge/*.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    token = server.address.split("/")[-2]
    assert token in kept.read_text()
    assert not [path for path in folder.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    renewed = Server(folder, "--new-links")
    assert renewed.address != server.address
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(server.address)
    renewed.stop()


def test_an_interrupt_before_the_server_is_up_is_not_lost() -> None:
    """An exception would be, where it is raised in a weak reference's callback, as while modules are imported."""
    from poolwise.cli.judge import _ended_by_interrupts

    ends: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    with _ended_by_interrupts(SimpleNamespace(end=lambda: ends.append("asked"))):
        signal.raise_signal(signal.SIGINT)
        assert ends == ["asked"]
    assert signal.getsignal(signal.SIGINT) is before


def test_nothing_of_a_plans_folder_is_run_or_lets_anybody_in(folder: Path, state_of_its_own: Path) -> None:
    """A folder that somebody sends holds labels and settings of theirs; they are data."""
    mine = folder / "mine"
    mine.mkdir()
    write_all(mine)
    Server(mine).stop()
    (kept,) = state_of_its_own.glob("poolwise/judge/*.json")
    known = json.loads(kept.read_text())
    known["wishes"] |= {"documents_from": "sh -c 'id > OWNED'", "outputs": [str(folder / "elsewhere.txt")]}
    theirs = folder / "theirs"
    shutil.copytree(mine, theirs)
    for name in ("plan.judging.json", "plan.json", kept.name):
        (theirs / name).write_text(json.dumps(known))
    server = Server(theirs)
    (token,) = known["tokens"].values()
    assert token not in server.address
    item = server.get("start?name=ann")["queue"][0][0]
    assert server.get(f"documents?name=ann&items={item}")["documents"][str(item)]["shown"] is None
    assert "the command of last time" not in server.stop()
    assert not (theirs / "OWNED").exists()
    assert not (folder / "elsewhere.txt").exists()


def test_a_command_of_last_time_is_named_before_it_runs(folder: Path) -> None:
    script = folder / "show.py"
    script.write_text("import sys\nopen('ran', 'w').close()\nprint('text of', *sys.argv[1:])\n")
    command = f"{sys.executable} {script}"
    first = Server(folder, "--documents-from", command)
    first.get("start?name=ann")
    assert "of last time" not in first.stop()
    again = Server(folder)
    assert f"note: texts come from the command of last time: {command};" in again.process.stderr.readline()
    assert not (folder / "ran").exists()
    item = again.get("start?name=ann")["queue"][0][0]
    text = again.get(f"documents?name=ann&items={item}")["documents"][str(item)]["shown"]["text"]
    assert re.fullmatch(r"text of -- d\S+\n?", text)
    again.stop()


def test_what_is_remembered_ends_with_the_labels(folder: Path) -> None:
    """Another plan at the same place, as in a folder that was removed and made anew, has links of its own."""
    first = Server(folder, "--assessors", "ann")
    first.stop()
    for path in folder.glob("plan.*"):
        path.unlink()
    write_all(folder)
    again = Server(folder)
    assert again.name == []
    assert again.address.split("/")[-2] != first.address.split("/")[-2]
    again.stop()


def test_the_browser_is_not_handed_the_token(folder: Path, state_of_its_own: Path) -> None:
    """Command lines can be read by every user of a machine."""
    browser = folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {folder}/asked\n')
    browser.chmod(0o755)
    server = Server(folder, browser=f"{browser} %s")
    until(lambda: (folder / "asked").exists() and (folder / "asked").read_text().endswith("\n"))
    asked = (folder / "asked").read_text().strip()
    token = server.address.split("/")[-2]
    assert token not in asked
    page = Path(urllib.request.url2pathname(urllib.parse.urlsplit(asked).path))
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert page.is_relative_to(state_of_its_own)
    assert f'content="0; url={server.address}"' in page.read_text()
    server.stop()
    assert not page.exists()


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


def test_a_second_server_leaves_the_port_of_next_time_to_the_first(folder: Path) -> None:
    one, two = Server(folder, "--assessors", "ann"), Server(folder)
    two.get("start")
    assert two.address != one.address
    assert "note: this plan is being judged at another port already" in two.stop()
    one.stop()
    again = Server(folder)
    assert again.address == one.address
    again.get("start")
    assert "another port" not in again.stop()


def test_what_is_judged_already_is_not_to_judge(folder: Path) -> None:
    server = Server(folder)
    server.label("ann", 5)
    assert "\n40 documents to judge;" in f"\n{server.stop()}"
    server = Server(folder)
    server.get("start?name=ann")
    assert "\n35 of 40 documents to judge;" in f"\n{server.stop()}"


def test_labels_outside_the_scale_are_counted_at_the_start(folder: Path) -> None:
    server = Server(folder, "--scale", "0-3")
    server.label("ann", 3, 2)
    server.label("ann", 2, 3, begin=3)
    server.label("ann", 1, 1, begin=5)
    assert "outside the scale" not in server.stop()
    server = Server(folder, "--scale", "0-1")
    server.get("start?name=ann")
    said = "note: 5 of 6 labels given so far are outside the scale, which has 0, 1; they stay as they are"
    assert said in server.stop()


def test_two_servers_on_one_plan_lose_nothing(folder: Path) -> None:
    one, two = Server(folder), Server(folder)
    one.label("ann", 3)
    two.label("ann", 3, begin=3)
    one.label("ann", 3, begin=6)
    assert [event[0] for event in two.get("start?name=ann")["history"]] == [f"ann-event-{n:04}" for n in range(9)]
    one.stop()
    two.stop()


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
    Path("plan").mkdir()
    Path("plan/labels.sqlite").write_bytes(Path("plan.sqlite").read_bytes())
    assert main(["agreement", "plan/labels.sqlite", "other/labels.sqlite", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert ("ann", "eve") in {(row["first"], row["second"]) for row in rows}


def test_missing_texts_are_said_at_the_start(folder: Path) -> None:
    said = begun_and_stopped(folder)
    assert "note: no texts are named, so documents are shown by their ids alone; give --documents" in said
    assert "note: no topics are named" in said
    (folder / "others.jsonl").write_text('{"id": "elsewhere", "text": "a"}\n')
    said = begun_and_stopped(folder, "--documents", "others.jsonl", "--topics", "topics.tsv")
    assert "note: no text was found for any of the first 20 documents" in said
    assert "note:" not in begun_and_stopped(folder, "--documents", "documents.jsonl", "--topics", "topics.tsv")


def begun_and_stopped(folder: Path, *options: str) -> str:
    server = Server(folder, *options)
    server.get("start?name=eve")
    return server.stop()


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
    from poolwise.judging.session import JudgeOptions, pair_of
    from poolwise.judging.work import open_work
    from poolwise.plans.plan import read_plan

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
        assert pair_of(JudgeOptions(plan, runs=runs), work) == pair
        assert pair_of(JudgeOptions(plan, runs=runs, difference=["current", "candidate"]), work) == (
            "current",
            "candidate",
        )
    with pytest.raises(ArgumentError, match=r"difference=\['current', 'current'\] must be two different runs"):
        pair_of(JudgeOptions("plan.txt", runs=runs, difference=["current", "current"]))
    read = read_plan("plan.txt")
    assert read.settings["difference"] == ["candidate", "current"]
    assert read.to_text() == Path("plan.txt").read_bytes()
