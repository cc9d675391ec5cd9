"""The real sets: one folder per set, with qrels and packed runs, one line per run and topic."""

from __future__ import annotations

import lzma
import warnings
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.lab.weights.labels import UNJUDGED

# [K09] uses only those topics of TREC 12 that have three grades; the other half is older and binary.
GRADED_TOPICS, OLDER_TOPICS = range(601, 651), range(300, 451)
WEB_TOPICS = {2010: "51-100", 2011: "101-150", 2012: "151-200", 2013: "201-250", 2014: "251-300"}
# What DATA must hold, and what each file is.
EXPECTED = {
    **{
        f"{name}/{file}": what
        for name in ("trec8", "trec-covid5", "robust03", "dl19")
        for file, what in (
            ("qrels.txt", "lines of topic, 0, document, label"),
            ("runs.tsv.xz", "lines of run, topic, documents in their order: tabs between, spaces in the last"),
        )
    },
    **{f"web-negative/qrels.web.{topics}.txt": f"labels of {year}" for year, topics in WEB_TOPICS.items()},
    "web-negative/web2012.runs.tsv.xz": "runs of 2012",
    **{f"scores/web{year}_ndcg20.csv": f"official scores of {year}, topics x systems" for year in (2011, 2012)},
}


class DataError(Exception):
    """DATA is not what is expected, with what was found and what to do."""


def check(folder: Path) -> None:
    """Refuse a folder that lacks a file, before hours are spent on the rest."""
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder; {_wanted()}")
    missing = [name for name in EXPECTED if not (folder / name).is_file()]
    if missing:
        count = f"{len(missing)} of {len(EXPECTED)} files"
        raise DataError(f"{folder} lacks {count} ({', '.join(missing[:3])}{', ...' * (len(missing) > 3)}); {_wanted()}")


def _wanted() -> str:
    listed = "\n".join(f"  {name}: {what}" for name, what in EXPECTED.items())
    return f"give a folder with these files, which are not ours to hand on:\n{listed}"


def runs_of(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Runs by name; scores count down from the depth, so the order is kept."""
    runs: dict[str, dict[str, dict[str, float]]] = {}
    path = next(folder.glob("*runs.tsv.xz"))
    with lzma.open(path, "rt") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 3:
                raise DataError(f"{path}:{number}: {len(fields)} columns; give run, topic, documents, tabs between")
            run, topic, documents = fields
            names = documents.split(" ")
            runs.setdefault(run, {})[topic] = {name: float(len(names) - i) for i, name in enumerate(names)}
    return runs


def qrels_of(path: Path) -> dict[str, dict[str, int]]:
    """Labels by topic and document."""
    found: dict[str, dict[str, int]] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fields = line.split()
        if len(fields) != 4 or not fields[3].lstrip("-").isdigit():
            raise DataError(f"{path}:{number}: {line[:60]!r} is no judgment; give topic, 0, document and a whole label")
        topic, _, document, label = fields
        found.setdefault(topic, {})[document] = int(label)
    return found


def campaign(folder: Path, qrels: str = "qrels.txt", topics: range | None = None, retrieved_only: bool = False):
    """Read a set, or some topics of it; `retrieved_only` drops labels of documents that none of the runs has."""
    labels, runs = qrels_of(folder / qrels), runs_of(folder)
    if topics is not None:
        kept = {str(topic) for topic in topics}
        labels = {topic: row for topic, row in labels.items() if topic in kept}
        runs = {run: {topic: row for topic, row in table.items() if topic in kept} for run, table in runs.items()}
    if retrieved_only:
        seen = {topic: {name for table in runs.values() for name in table.get(topic, ())} for topic in labels}
        labels = {topic: {d: label for d, label in row.items() if d in seen[topic]} for topic, row in labels.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pw.PoolwiseWarning)
        return pw.read(labels, runs)


def contributing(pool, depth: int = 100) -> list[str]:
    """Runs whose first `depth` documents are all judged: those must have made the pool."""
    judged = np.count_nonzero(pool.label_matrix(depth) != UNJUDGED, axis=(1, 2))
    retrieved = np.asarray(pool.core.retrieved()).reshape(len(pool.runs), len(pool.topics))
    whole = judged == np.minimum(retrieved, depth).sum(axis=1)
    return [run for run, is_whole in zip(pool.runs, whole, strict=True) if is_whole]
