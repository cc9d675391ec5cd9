"""A page of every kind that poolwise writes, by its commands, on one small campaign, for browsers to look at."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from tests.kit.command import here

from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.study import STUDIES

SHORT = {
    "robustness": ["--trials", 2],
    "decisions": ["--trials", 2, "--pairs", 20],
    "discrimination": ["--trials", 2, "--resamples", 200],
    "estimation": ["--trials", 2, "--assisted", 2],
    "reliability": ["--draws", 20],
    "gain-discount": ["--splits", 3],
    "assessors": ["--labels", "ann.txt,bob.txt"],
}


def commands() -> dict[str, list[object]]:
    """What makes each page, by the page's file."""
    both, two = ["qrels.txt", "runs"], ["-m", "AP", "-m", "nDCG@10"]
    some = ["runs/man03a.txt", "runs/sim01a.txt"]
    found: dict[str, list[object]] = {
        "score.html": ["score", *both, *two, "--interval", "topics"],
        "score-groups.html": ["score", *both, "-m", "AP", "--groups", "groups.txt"],
        "score-bounds.html": ["score", "sampled.txt", "runs", *two, "--interval", "bounds"],
        "check.html": ["check", *both],
        "compare.html": ["compare", *both, *two],
        "compare-groups.html": ["compare", *both, "-m", "AP", "--groups", "groups.txt"],
        "compare-baseline.html": ["compare", *both, "-m", "AP", "--baseline", "man03a"],
        "estimate.html": ["estimate", "sampled.txt", "runs", *two, "--steadied"],
        "estimate-pair.html": [
            "estimate", "sampled.txt", *some, "-m", "nDCG@10", "--difference", "man03a", "sim01a",
        ],
        "reliability.html": ["reliability", *both, *two],
        "holes.html": ["holes", "old.txt", "runs", "--draws", 100],
        "agreement.html": ["agreement", "ann.txt", "bob.txt"],
        "agreement-runs.html": ["agreement", "ann.txt", "bob.txt", "--runs", "runs", "--model", "bob"],
        "items.html": ["items", "estimate", "items.csv", "--by", "kind", "--difference", "all", "all"],
        "estimate-looks.html": [
            "estimate", "sampled.txt", "runs", "-m", "AP", "--looks", "looks.json", "--end", 1500,
        ],
    }  # fmt: skip
    return {page: [*words, "-o", page] for page, words in found.items()} | {
        "forecast.html": ["plan", "runs", "--budget", 200, "--forecast", "forecast.html", "-o", "plan.txt"],
        "report/index.html": ["report", *both, "-o", "report"],
        "report-sampled/index.html": ["report", "sampled.txt", "runs", "-o", "report-sampled"],
    }


def study_commands() -> dict[str, list[object]]:
    """What makes the pages of studies."""
    return {
        f"study-{name}/index.html": ["study", name, "qrels.txt", "runs", "-o", f"study-{name}", *SHORT.get(name, [])]
        for name in STUDIES
    }


def prepare(folder: Path, runs: int = 12, topics: int = 20) -> None:
    """Write the campaign and what else the commands read."""
    campaign = simulate(runs=runs, topics=topics, depth=100, pool_depth=30, grades=3, seed=3)
    campaign.write(folder)
    pool = campaign.pool()
    pool.judgments.sample("uniform", fraction=0.2, seed=1).write(folder / "sampled.txt")
    pool.judgments.sample("uniform", fraction=0.7, seed=2).write(folder / "old-all.txt")
    judged = [line for line in (folder / "old-all.txt").read_text().splitlines() if not line.endswith(" -1")]
    (folder / "old.txt").write_text("".join(f"{line}\n" for line in judged if not line.startswith("#")))
    chance = random.Random(1)
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    for name, share in (("ann", 0.05), ("bob", 0.25)):
        labels = [
            (topic, document, chance.choice("012") if chance.random() < share else label)
            for topic, _, document, label in lines
        ]
        text = "".join(f"{topic} 0 {document} {label}\n" for topic, document, label in labels)
        (folder / f"{name}.txt").write_text(text)
    groups = "".join(f"{topic} {('short', 'long')[place % 2]}\n" for place, topic in enumerate(pool.topics))
    (folder / "groups.txt").write_text(groups)
    _write_items(folder / "items.csv", chance)


def _write_items(path: Path, chance: random.Random) -> None:
    """Answers of two systems, a third of them scored by people."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "system", "kind", "score", "prediction"])
        for item in range(300):
            kind = ("easy", "hard")[item % 2]
            for system, shift in (("old", 0.0), ("new", 0.4)):
                score = chance.gauss(3 + shift, 1)
                known = f"{score:.2f}" if item % 3 == 0 else ""
                writer.writerow([f"q{item}", system, kind, known, f"{score + chance.gauss(0, 0.5):.2f}"])


def write_pages(folder: Path, wanted: dict[str, list[object]]) -> dict[str, Path]:
    """Run the commands; the pages by name."""
    for page, words in wanted.items():
        done = here(words, folder)
        if done.code:
            pytest.fail(f"{page}: {done.err}")
    return {page: folder / page for page in wanted}
