"""Statistics that say whether a campaign looks like a real one.

Usage: python benchmarks/simulator_fit.py FOLDER [--qrels FILE] [--groups FILE]
       python benchmarks/simulator_fit.py --seeds 0 1 2 3 4

FOLDER holds `qrels.txt` and `runs/*.txt` (what `simulate(...).write(FOLDER)` makes), or the run files
themselves with `--qrels` beside them. `--groups` names a file of lines `run group`; without it a run's group
is its name less the trailing letters. `--seeds` simulates campaigns of TREC-8's size (129 runs, 71 of them
pooled, 50 topics), writes and reads them, and gives mean, lowest and highest over the seeds. One line
`name<TAB>value...` is printed for each statistic. AP and Kendall's tau are written out here on purpose: the
comparison should not lean on the library it describes.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from poolwise.lab.simulate.drawing import simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

POOL_DEPTH = 100
UNJUDGED = -9


@dataclass
class Loaded:
    """A campaign as arrays: `lists[run, topic]` holds document numbers of that topic, -1 past the end."""

    runs: list[str]
    groups: list[str]
    lists: NDArray[np.int32]
    labels: list[NDArray[np.int32]]


def load(folder: Path, qrels: Path | None, groups: Path | None) -> Loaded:
    """Read run files and judgments; documents are numbered within their topic."""
    judged: dict[str, dict[str, int]] = {}
    for line in (qrels or folder / "qrels.txt").read_text().splitlines():
        topic, _, document, label = line.split()
        judged.setdefault(topic, {})[document] = int(label)
    topics = sorted(judged)
    numbers = {topic: {d: i for i, d in enumerate(judged[topic])} for topic in topics}
    paths = sorted((folder if qrels else folder / "runs").glob("*.txt"))
    lists = np.full((len(paths), len(topics), 1000), -1, dtype=np.int32)
    for row, path in enumerate(paths):
        read_run(path, topics, numbers, lists[row])
    labels = [label_array(judged[t], len(numbers[t])) for t in topics]
    runs = [path.stem for path in paths]
    named = dict(line.split()[:2] for line in groups.read_text().splitlines()) if groups else {}
    return Loaded(runs, [named.get(r, re.sub(r"[a-z]+$", "", r)) for r in runs], lists, labels)


def read_run(path: Path, topics: list[str], numbers: dict[str, dict[str, int]], into: NDArray[np.int32]) -> None:
    """Fill one run's lists in the order trec_eval uses: score descending, then document id descending."""
    found: dict[str, list[tuple[float, str]]] = {}
    for line in path.read_text().splitlines():
        topic, _, document, _, score, _ = line.split()
        found.setdefault(topic, []).append((float(score), document))
    for column, topic in enumerate(topics):
        number = numbers[topic]
        ordered = sorted(found.get(topic, ()), reverse=True)[: into.shape[1]]
        into[column, : len(ordered)] = [number.setdefault(d, len(number)) for _, d in ordered]


def label_array(judged: dict[str, int], size: int) -> NDArray[np.int32]:
    """Labels by document number; judged documents were numbered first."""
    labels = np.full(size + 1, UNJUDGED, dtype=np.int32)
    labels[: len(judged)] = list(judged.values())
    return labels


def average_precision(data: Loaded) -> NDArray[np.float64]:
    """AP for each run and topic."""
    values = np.zeros(data.lists.shape[:2])
    for column, labels in enumerate(data.labels):
        hits = (labels[data.lists[:, column]] > 0) & (data.lists[:, column] >= 0)
        precision = hits.cumsum(1) / np.arange(1, hits.shape[1] + 1)
        values[:, column] = (precision * hits).sum(1) / max(1, (labels > 0).sum())
    return values


def kendall(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Kendall's tau-a."""
    upper = np.triu_indices(len(a), 1)
    signs = np.sign(a[:, None] - a[None])[upper] * np.sign(b[:, None] - b[None])[upper]
    return float(signs.mean())


def tau_between_halves(values: NDArray[np.float64], splits: int = 200) -> float:
    """Mean tau of the run orders on two random halves of the topics."""
    random = np.random.default_rng(1)
    half = values.shape[1] // 2
    taus = []
    for _ in range(splits):
        order = random.permutation(values.shape[1])
        taus.append(kendall(values[:, order[:half]].mean(1), values[:, order[half : 2 * half]].mean(1)))
    return float(np.mean(taus))


def components(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Variance components (system, topic, interaction with error) of a two-way table without replicates."""
    systems, topics = values.shape
    rows, columns, grand = values.mean(1), values.mean(0), values.mean()
    rest = values - rows[:, None] - columns[None] + grand
    interaction = (rest**2).sum() / ((systems - 1) * (topics - 1))
    system = (topics * ((rows - grand) ** 2).sum() / (systems - 1) - interaction) / topics
    topic = (systems * ((columns - grand) ** 2).sum() / (topics - 1) - interaction) / systems
    return float(system), float(topic), float(interaction)


def band_shares(data: Loaded) -> dict[str, float]:
    """Share of documents judged, relevant, and negative (of judged non-relevant) in bands of ranks."""
    result = {}
    for low, high in ((0, 10), (10, 100), (100, 1000)):
        counts = np.zeros(5)
        for column, labels in enumerate(data.labels):
            documents = data.lists[:, column, low:high]
            found = labels[documents[documents >= 0]]
            seen = found != UNJUDGED
            counts += [found.size, seen.sum(), (found > 0).sum(), (seen & (found <= 0)).sum(),
                       (seen & (found < 0)).sum()]  # fmt: skip
        name = f"ranks {low + 1}-{high}"
        result[f"judged, {name}"] = counts[1] / max(counts[0], 1)
        result[f"relevant, {name}"] = counts[2] / max(counts[0], 1)
        result[f"negative of judged non-relevant, {name}"] = counts[4] / max(counts[3], 1)
    return result


def pool_shares(data: Loaded) -> dict[str, float]:
    """Sizes of the pool of all runs, and how many runs and groups put each relevant document into it."""
    names = sorted(set(data.groups))
    group = np.array([names.index(g) for g in data.groups])
    sizes, unions, by_run, by_group = [], [], [], []
    for column, labels in enumerate(data.labels):
        top = data.lists[:, column, :POOL_DEPTH]
        runs_of = np.zeros(len(labels), dtype=int)
        member = np.zeros((len(names), len(labels)), dtype=bool)
        for row, documents in enumerate(top):
            runs_of[documents[documents >= 0]] += 1
            member[group[row], documents[documents >= 0]] = True
        pooled = runs_of > 0
        sizes.append(pooled.sum())
        unions.append(len(np.unique(data.lists[:, column])) - 1)
        relevant = (labels > 0) & pooled
        by_run.append(runs_of[relevant])
        by_group.append(member[:, relevant].sum(0))
    runs, groups = np.concatenate(by_run), np.concatenate(by_group)
    return {
        "pool of all runs, documents per topic, mean": float(np.mean(sizes)),
        "pool of all runs, documents per topic, sd": float(np.std(sizes, ddof=1)),
        "retrieved by any run, documents per topic, mean": float(np.mean(unions)),
        "relevant pooled by one run": float((runs == 1).mean()),
        "relevant pooled by one group": float((groups == 1).mean()),
        "relevant pooled by 2-5 runs": float(((runs >= 2) & (runs <= 5)).mean()),
        "relevant pooled by over half of the runs": float((runs > len(data.runs) / 2).mean()),
    }


def overlaps(data: Loaded) -> dict[str, float]:
    """Shared documents of the top 100 of two runs, over 100: spread, within and between groups."""
    count = len(data.runs)
    shared = np.zeros((count, count))
    deep = np.zeros((count, count))
    for column, labels in enumerate(data.labels):
        for depth, into in ((POOL_DEPTH, shared), (data.lists.shape[2], deep)):
            member = np.zeros((count, len(labels)), dtype=np.float32)
            for row, documents in enumerate(data.lists[:, column, :depth]):
                member[row, documents[documents >= 0]] = 1
            np.add(into, member @ member.T / depth, out=into)
    shared, deep = shared / len(data.labels), deep / len(data.labels)
    upper = np.triu_indices(count, 1)
    same = np.equal.outer(data.groups, data.groups)[upper]
    pairs = shared[upper]
    result = {f"overlap of top 100, quantile {q}": float(np.quantile(pairs, q)) for q in (0.1, 0.5, 0.9, 0.99)}
    result["overlap of top 100, mean"] = float(pairs.mean())
    result["overlap of top 100, same group"] = float(pairs[same].mean())
    result["overlap of top 100, other group"] = float(pairs[~same].mean())
    result["overlap of top 1000, mean"] = float(deep[upper].mean())
    return result


def statistics(data: Loaded) -> dict[str, float]:
    """All statistics by name."""
    values = average_precision(data)
    relevant = np.array([(labels > 0).sum() for labels in data.labels])
    judged = np.array([(labels != UNJUDGED).sum() for labels in data.labels])
    means, topics = values.mean(1), values.mean(0)
    lengths = (data.lists >= 0).sum(2)
    result: dict[str, float] = {"runs": len(data.runs), "topics": len(data.labels)}
    for q in (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1):
        result[f"relevant a topic, quantile {q}"] = float(np.quantile(relevant, q))
    result["relevant a topic, mean"] = float(relevant.mean())
    result["judged a topic, mean"] = float(judged.mean())
    result["judged a topic, sd"] = float(judged.std(ddof=1))
    result["MAP, mean"], result["MAP, sd"] = float(means.mean()), float(means.std(ddof=1))
    for q in (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1):
        result[f"MAP, quantile {q}"] = float(np.quantile(means, q))
    result["topic mean AP, sd"] = float(topics.std(ddof=1))
    for q in (0, 0.1, 0.5, 0.9, 1):
        result[f"topic mean AP, quantile {q}"] = float(np.quantile(topics, q))
    names = ("system", "topic", "interaction")
    parts = dict(zip(names, components(values), strict=True))
    result |= {f"AP variance, {name}": part for name, part in parts.items()}
    result |= {f"AP variance share, {name}": part / sum(parts.values()) for name, part in parts.items()}
    result["tau between halves of the topics"] = tau_between_halves(values)
    related = np.corrcoef(np.log(np.maximum(1, relevant)), topics)[0, 1]
    result["correlation of log relevant and topic mean AP"] = float(related)
    retrieved = np.array([
        [(labels[row[row >= 0]] > 0).sum() / max(1, r) for row in data.lists[:, c]]
        for c, (labels, r) in enumerate(zip(data.labels, relevant, strict=True))
    ])  # fmt: skip
    result["recall at 1000, mean"] = float(retrieved.mean())
    result["lists shorter than 1000"] = float((lengths < lengths.max()).mean())
    result["lists empty"] = float((lengths == 0).mean())
    return result | band_shares(data) | pool_shares(data) | overlaps(data)


def simulated(seed: int) -> dict[str, float]:
    """Statistics of one simulated campaign of TREC-8's size, by way of its files."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(runs=129, topics=50, contributing=71, seed=seed).write(folder)
        return statistics(load(Path(folder), None, None))


def main() -> None:
    """Print the statistics of one folder, or of simulated campaigns."""
    parser = argparse.ArgumentParser(description="Whether a campaign looks real.")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--groups", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+")
    arguments = parser.parse_args()
    if arguments.seeds:
        parts = [simulated(seed) for seed in arguments.seeds]
        for name in parts[0]:
            values = [part[name] for part in parts]
            print(f"{name}\t{np.mean(values):.4g}\t{min(values):.4g}\t{max(values):.4g}")
    elif arguments.folder:
        for name, value in statistics(load(arguments.folder, arguments.qrels, arguments.groups)).items():
            print(f"{name}\t{value:.4g}")
    else:
        parser.error("name a folder, or seeds to simulate with")


if __name__ == "__main__":
    main()
