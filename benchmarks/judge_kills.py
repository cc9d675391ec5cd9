"""Kill the judging server at random moments while scripted assessors judge, and look for what is lost or doubled.

    python benchmarks/judge_kills.py [--kills 200] [--assessors 2] [--seed 1]

Each assessor sends events over HTTP as the page does: labels, undo, later, cannot judge, notes, a few at a time, and
again with the same ids until they are confirmed. The server is killed by SIGKILL at a random moment, some hundredths of
a second after it answered, and started again. In the end every confirmed event must be in the file once, in the order
in which it was sent, nothing else may be there but what was sent, and the judged file must say what each assessor's own
record of their answers says.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

from poolwise.reading.judging_file import opened


@dataclass
class Assessor:
    """Judges until told to stop, and writes down what it did and what was confirmed."""

    address: str
    name: str
    seed: int
    sent: list[dict] = field(default_factory=list)
    confirmed: set[str] = field(default_factory=set)
    again: int = 0  # events that had to be sent again
    stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.random = random.Random(self.seed)
        self.answers: list[tuple[str, int]] = []  # ids and documents of answers that were not taken back

    def run(self) -> None:
        queue = [item for item, again in self.begun()["queue"] if not again]
        while not self.stopping.is_set():
            some = [self.event(queue) for _ in range(self.random.choice((1, 1, 1, 2, 5)))]
            self.sent += some
            while not self.send(some):
                self.again += len(some)
                time.sleep(0.02)
            self.confirmed.update(event["id"] for event in some)

    def begun(self) -> dict:
        while True:
            try:
                return self.ask("start")
            except (OSError, ValueError, HTTPException):
                time.sleep(0.02)

    def event(self, queue: list[int]) -> dict:
        id = f"{self.name}-{len(self.sent):06}-{self.random.randrange(1 << 30):08x}"
        kind = self.random.random()
        if kind < 0.15 and self.answers:
            return {"id": id, "action": "undo", "replaces": self.answers.pop()[0]}
        item = self.random.choice(queue)
        if kind < 0.2:
            return {"id": id, "action": "note", "item": item, "note": f"note {len(self.sent)}"}
        self.answers.append((id, item))
        action = "later" if kind < 0.25 else "cannot" if kind < 0.3 else "label"
        more = {"label": self.random.randrange(4)} if action == "label" else {}
        return {"id": id, "action": action, "item": item, "milliseconds": 500, **more}

    def send(self, events: list[dict]) -> bool:
        try:
            said = self.ask("events", {"events": events})["said"]
        except (OSError, ValueError, HTTPException):
            return False
        assert all("refused" not in each for each in said), said
        return [each["id"] for each in said] == [event["id"] for event in events]

    def ask(self, what: str, body: dict | None = None) -> dict:
        data = None if body is None else json.dumps(body).encode()
        where = f"{self.address}{what}?name={self.name}"
        request = urllib.request.Request(where, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def labels(self) -> dict[int, int | None]:
        """What this assessor says of each document, by their own record: None where they could not judge."""
        acts = {event["id"]: event for event in self.sent}
        found: dict[int, int | None] = {}
        for id, item in self.answers:
            found.pop(item, None)
            if acts[id]["action"] != "later":
                found[item] = acts[id].get("label")
        return found


class Server:
    """The server in a process of its own."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        words = ["judge", "plan.txt", "--no-browser", "--scale", "0-3", "--assessors", ",".join(names)]
        self.words, self.folder, self.count = [sys.executable, "-m", "poolwise", *words], folder, len(names)
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        lines = [self.process.stdout.readline().split() for _ in range(self.count)]
        self.addresses = {name: address for address, name in lines}
        while True:  # the address is told before the first request is answered
            try:
                urllib.request.urlopen(f"{next(iter(self.addresses.values()))}icon.svg", timeout=10).close()
                return
            except (OSError, HTTPException):
                time.sleep(0.005)

    def kill(self, how: int = signal.SIGKILL) -> None:
        self.process.send_signal(how)
        self.process.communicate()


def write_plan(folder: Path, topics: int = 6, drawn: int = 40, pooled: int = 60) -> None:
    lines = [
        f"{topic} {int(place < drawn)} d{topic}-{place:03} 1 -1\n" for topic in range(topics) for place in range(pooled)
    ]
    (folder / "plan.txt").write_text("".join(lines))


def trial(folder: Path, kills: int, assessors: int = 2, seed: int = 1) -> dict[str, int]:
    """Judge with so many kills; raises when anything is lost, doubled or different. Returns counts."""
    write_plan(folder)
    chance = random.Random(seed)
    names = [f"assessor{number}" for number in range(assessors)]
    server = Server(folder, names)
    people = [Assessor(server.addresses[name], name, seed + number) for number, name in enumerate(names)]
    for one in people:
        one.thread.start()
    for _ in range(kills):
        time.sleep(chance.uniform(0.0, 0.3))
        server.kill()
        check_file(folder)
        server.start()
    time.sleep(0.3)
    for one in people:
        one.stopping.set()
    for one in people:
        one.thread.join(30)
        assert not one.thread.is_alive(), "an assessor still waits"
    server.kill(signal.SIGINT)
    return check(folder, people)


def check_file(folder: Path) -> None:
    """The judged file is whole or not there."""
    path = folder / "plan.judged.txt"
    if path.exists():
        assert path.read_bytes().count(b"\n") == (folder / "plan.txt").read_bytes().count(b"\n")


def check(folder: Path, people: list[Assessor]) -> dict[str, int]:
    file = opened(str(folder / "plan.sqlite"))
    events, judged = file.events(), (folder / "plan.judged.txt").read_bytes()
    assert judged == file.judgments(), "the judged file does not follow from the events"
    file.connection.close()
    labels: dict[str, int | None] = {}
    rows = [row.split() for row in (folder / "plan.txt").read_text().splitlines()]
    documents = [row[2] for row in rows if row[1] == "1"]
    for one in people:
        kept = [event.id for event in events if event.assessor == one.name]
        sent = [event["id"] for event in one.sent]
        assert one.confirmed <= set(kept), "a confirmed event is lost"
        assert len(kept) == len(set(kept)), "an event is there twice"
        assert kept == sent, "events are not those that were sent, in their order"
        for item, label in one.labels().items():
            assert documents[item] not in labels, "a document was judged by two"
            labels[documents[item]] = label
    written = {row.split()[2]: row.split() for row in judged.decode().splitlines()}
    for document in documents:
        row = written[document]
        expected = labels.get(document)
        assert row[4] == str(-1 if expected is None else expected), (row, expected)
        assert row[1] == str(int(document in labels)), row
    return {
        "confirmed": sum(len(one.confirmed) for one in people),
        "sent again": sum(one.again for one in people),
        "labelled": sum(label is not None for label in labels.values()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--assessors", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        counts = trial(Path(folder), arguments.kills, arguments.assessors, arguments.seed)
    told = ", ".join(f"{number} {what}" for what, number in counts.items())
    print(f"{arguments.kills} kills in {time.monotonic() - begin:.0f} s: {told}; nothing lost, nothing doubled")


if __name__ == "__main__":
    main()
