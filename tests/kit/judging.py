"""Small plans to judge, with texts and topics."""

from __future__ import annotations

import json
from pathlib import Path

from poolwise.judging.events import EventStore
from poolwise.judging.judging import Judging
from poolwise.judging.sharing import Rules
from poolwise.judging.work import open_work, scale_of


def write_plan(path: Path, topics: int = 4, drawn: tuple[int, ...] = (6, 4), pooled: int = 20) -> Path:
    """A plan of some strata; document d<topic>-<stratum>-<place>, the first so many drawn in round 1."""
    lines = [
        f"{topic} {int(place < number)} d{topic}-{stratum}-{place:02} {stratum} -1\n"
        for topic in range(1, topics + 1)
        for stratum, number in enumerate(drawn, 1)
        for place in range(pooled)
    ]
    path.write_text("".join(lines))
    return path


def write_documents(path: Path, topics: int = 4, strata: int = 2, pooled: int = 20) -> Path:
    """A text for every document of `write_plan`."""
    records = [
        {"id": f"d{topic}-{stratum}-{place:02}", "title": f"Title {place}", "text": f"Text {place} of topic {topic}."}
        for topic in range(1, topics + 1)
        for stratum in range(1, strata + 1)
        for place in range(pooled)
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def write_topics(path: Path, topics: int = 4) -> Path:
    path.write_text("".join(f"{topic}\twhat is {topic}\n" for topic in range(1, topics + 1)))
    return path


def write_all(folder: Path) -> Path:
    """A plan, its documents and its topics."""
    write_plan(folder / "plan.txt")
    write_documents(folder / "documents.jsonl")
    write_topics(folder / "topics.tsv")
    return folder


def judging(plan: Path, *names: str, scale: str = "0-3", **rules: float) -> Judging:
    """A plan being judged by these people."""
    work, store = open_work(str(plan))
    found = Judging(work, store, scale_of(scale))
    if names:
        found.share(Rules(names, **rules))
    return found


def reopened(judged: Judging) -> Judging:
    """The same, read from the file again."""
    return Judging(judged.work, EventStore(judged.store.path), judged.scale)


def judge_some(folder: Path, each: int = 10) -> None:
    """Two people judge so many documents each of a plan, half of them the same; one of them leaves a note."""
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
