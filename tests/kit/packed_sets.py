"""Simulated campaigns packed as the real sets are: qrels.txt, and one line per run and topic."""

from __future__ import annotations

import lzma
from pathlib import Path

import poolwise as pw

TOPICS = 26
WEB = {2010: 51, 2011: 101, 2012: 151, 2013: 201, 2014: 251}  # first topic of each year's qrels


def write_sets(folder: Path) -> Path:
    """The folders that `benchmarks.reproduce` reads, with a few runs and topics each."""
    listed = (("trec8", 2, 401), ("trec-covid5", 3, 1), ("robust03", 3, 601), ("dl19", 4, 1))
    for seed, (name, grades, first) in enumerate(listed):
        pack(simulated(grades, seed), folder / name, "qrels.txt", first)
    for year, first in WEB.items():
        qrels = f"qrels.web.{first}-{first + 49}.txt"
        pack(simulated(4, year, negative=0.2), folder / "web-negative", qrels, first, runs=year == 2012)
    (folder / "scores").mkdir()
    for year in (2011, 2012):
        scores = simulated(2, year).pool().score("nDCG@20").array("nDCG@20")
        lines = [",".join(f'"sys{run}"' for run in range(len(scores))), *(",".join(map(str, t)) for t in scores.T)]
        (folder / "scores" / f"web{year}_ndcg20.csv").write_text("\n".join(lines) + "\n")
    return folder


def simulated(grades: int, seed: int, negative: float = 0.0) -> pw.Simulated:
    """A campaign of 8 runs, of which the last two do not make the pool."""
    return pw.simulate(
        runs=8, topics=TOPICS, depth=150, grades=grades, negative=negative, pool_depth=100, contributing=6, seed=seed
    )


def pack(campaign: pw.Simulated, folder: Path, qrels: str, first: int, runs: bool = True) -> None:
    """Write a campaign with topics numbered from `first`."""
    folder.mkdir(parents=True, exist_ok=True)
    # robust03 has older topics beside its new ones.
    numbers = [*range(303, 313), *range(first, first + TOPICS)] if folder.name == "robust03" else range(first, 10**6)
    number = {topic: str(place) for topic, place in zip(campaign.topics, numbers, strict=False)}
    labels = [
        f"{number[topic]} 0 {document} {label}\n"
        for topic, row in campaign.qrels().items()
        for document, label in row.items()
    ]
    (folder / qrels).write_text("".join(labels))
    if not runs:
        return
    packed = "web2012.runs.tsv.xz" if folder.name == "web-negative" else "runs.tsv.xz"
    with lzma.open(folder / packed, "wt") as out:
        for run in campaign.runs:
            for topic, row in campaign.run(run).items():
                out.write(f"{run}\t{number[topic]}\t{' '.join(sorted(row, key=lambda name: -row[name]))}\n")
