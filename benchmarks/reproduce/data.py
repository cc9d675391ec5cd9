"""The real sets: one folder per set, with qrels.txt and packed runs, one line per run and topic."""

from __future__ import annotations

import lzma
import warnings
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.weights.labels import UNJUDGED

# [K09] uses only those topics of TREC 12 that have three grades.
GRADED_TOPICS = range(601, 651)


def runs_of(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Runs by name; scores count down from the depth, so the order is kept."""
    runs: dict[str, dict[str, dict[str, float]]] = {}
    with lzma.open(next(folder.glob("*runs.tsv.xz")), "rt") as lines:
        for line in lines:
            run, topic, documents = line.rstrip("\n").split("\t")
            names = documents.split(" ")
            runs.setdefault(run, {})[topic] = {name: float(len(names) - i) for i, name in enumerate(names)}
    return runs


def qrels_of(path: Path) -> dict[str, dict[str, int]]:
    """Labels by topic and document."""
    found: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        topic, _, document, label = line.split()
        found.setdefault(topic, {})[document] = int(label)
    return found


def campaign(folder: Path, qrels: str = "qrels.txt", topics: range | None = None):
    """Read a set, or some topics of it."""
    labels, runs = qrels_of(folder / qrels), runs_of(folder)
    if topics is not None:
        kept = {str(topic) for topic in topics}
        labels = {topic: row for topic, row in labels.items() if topic in kept}
        runs = {run: {topic: row for topic, row in table.items() if topic in kept} for run, table in runs.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.PoolwiseWarning)
        return pw.read(labels, runs)


def contributing(pool, depth: int = 100) -> list[str]:
    """Runs whose first `depth` documents are all judged: those must have made the pool."""
    judged = np.count_nonzero(pool.label_matrix(depth) != UNJUDGED, axis=(1, 2))
    retrieved = np.asarray(pool.core.retrieved()).reshape(len(pool.runs), len(pool.topics))
    whole = judged == np.minimum(retrieved, depth).sum(axis=1)
    return [run for run, is_whole in zip(pool.runs, whole, strict=True) if is_whole]
