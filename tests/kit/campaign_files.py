"""A small campaign as TREC files, for tests of commands."""

from __future__ import annotations

from pathlib import Path

from tests.kit.campaigns import known_campaign

CAMPAIGN = known_campaign(5, topics=3, runs=3, documents=40, depth=25)


def write_campaign(folder: Path) -> None:
    """Write qrels.txt, and a file per run below runs/."""
    qrels = [f"{topic} 0 {name} {label}\n" for topic, own in CAMPAIGN.truth.items() for name, label in own.items()]
    (folder / "qrels.txt").write_text("".join(qrels))
    (folder / "runs").mkdir()
    for run, topics in CAMPAIGN.runs.items():
        lines = [
            f"{topic} Q0 {name} 0 {score!r} {run}\n" for topic, own in topics.items() for name, score in own.items()
        ]
        (folder / "runs" / f"{run}.txt").write_text("".join(lines))


def words_of(path: Path) -> list[list[str]]:
    """The words of each line."""
    return [line.split() for line in path.read_text().splitlines()]
