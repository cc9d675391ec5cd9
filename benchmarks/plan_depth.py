"""How deep the pool of a plan should be: differences by plans of several depths against complete judgments.

    python benchmarks/plan_depth.py DATA [--sets trec8 trec-covid5 dl19] [--measures nDCG@10] [--depths 10 20 30 50]
                                    [--runs 2:40 5:10 30:2] [--labels 100 200 400 800] [--design stratified]
                                    [--keep 100]

DATA has a folder for each set, with qrels.txt and a folder runs. Some runs are drawn at random, so many times (2:40 is
two runs, 40 times); a plan for all differences between them is made from the runs alone, its documents are judged as
the complete judgments say (what these do not list is non-relevant), and differences are estimated. Prints Markdown,
a row per set, measure, number of runs and of labels. For each depth: how many times as large estimates of A - B are as
those by complete judgments (the slope through 0), the root of their mean squared error, and how often 95 % intervals
hold the difference by complete judgments. `usual` is the depth that plans have unless told. Runs are cut to
`keep` documents.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.campaign.campaign import read
from poolwise.errors import PoolwiseWarning

SEED = 36
ROUNDING = 1e-9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--sets", nargs="+", default=["trec8", "trec-covid5", "dl19"])
    parser.add_argument("--measures", nargs="+", default=["nDCG@10"])
    parser.add_argument("--depths", nargs="+", default=["10", "20", "30", "50"])
    parser.add_argument("--runs", nargs="+", default=["2:40", "5:10", "30:2"])
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 200, 400, 800])
    parser.add_argument("--design", default="stratified")
    parser.add_argument("--keep", type=int, default=100)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    print("| set | measure | runs | labels |" + "".join(f" depth {depth} |" for depth in arguments.depths))
    print("|---|---|---:|---:|" + "---|" * len(arguments.depths))
    for name in arguments.sets:
        collection = Collection(Path(arguments.data) / name, arguments.keep)
        for number, trials in (map(int, each.split(":")) for each in arguments.runs):
            found: dict[tuple[str, int], dict[str, list[Any]]] = {}
            for trial in range(trials):
                for measure, labels, depth, rows in collection.tried(number, trial, arguments):
                    found.setdefault((measure, labels), {}).setdefault(depth, []).append(rows)
            for (measure, labels), by_depth in found.items():
                cells = (f" {summary(np.concatenate(parts))} |" for parts in by_depth.values())
                print(f"| {name} | {measure} | {number} | {labels} |" + "".join(cells), flush=True)


class Collection:
    """Complete judgments, and runs that are read once each."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.labels: dict[str, dict[str, int]] = {}
        for line in (folder / "qrels.txt").read_text("utf-8").splitlines():
            topic, _, document, label = line.split()
            self.labels.setdefault(topic, {})[document] = max(int(label), 0)
        self.paths, self._keep = sorted((folder / "runs").glob("*.txt")), keep
        self._read: dict[Path, dict[str, dict[str, float]]] = {}

    def run(self, path: Path) -> dict[str, dict[str, float]]:
        """The top of a run, of topics that have judgments."""
        if path not in self._read:
            found: dict[str, list[tuple[float, str]]] = {}
            for line in path.read_text("utf-8").splitlines():
                topic, _, document, _, score, _ = line.split()
                if topic in self.labels:
                    found.setdefault(topic, []).append((float(score), document))
            tops = {topic: sorted(rows, reverse=True)[: self._keep] for topic, rows in found.items()}
            self._read[path] = {topic: {name: score for score, name in rows} for topic, rows in tops.items()}
        return self._read[path]

    def tried(self, number: int, trial: int, asked: argparse.Namespace) -> Any:
        """Differences of some runs by every plan, beside those by complete judgments."""
        random = np.random.default_rng([SEED, number, trial])
        chosen = [self.paths[place] for place in random.choice(len(self.paths), number, replace=False)]
        runs: Any = {path.stem: self.run(path) for path in chosen}
        complete, bare = read(self.labels, runs), read(None, runs)
        for measure in asked.measures:
            truth = complete.score(measure).means()[:, 0]
            for labels in asked.labels:
                for depth in asked.depths:
                    plan = bare.plan(
                        budget=labels, depth=None if depth == "usual" else int(depth), measure=measure,
                        difference="all", design=asked.design, seed=trial,
                    )  # fmt: skip
                    judged: Any = plan.merge([(t, d, self.labels[t].get(d, 0)) for t, d in plan.to_judge()])
                    known = read(judged, runs)
                    found = known.estimate(measure, difference="all", outside="nonrelevant").differences
                    assert found is not None
                    place = {run: row for row, run in enumerate(complete.runs)}
                    apart = [truth[place[a]] - truth[place[b]] for a, b in zip(found.run_a, found.run_b, strict=True)]
                    yield measure, labels, depth, np.column_stack([found.difference, found.low, found.high, apart])


def summary(rows: Any) -> str:
    """Slope, error and coverage of estimates of pairs; pairs without an interval hold nothing."""
    value, low, high, truth = rows.T
    held = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
    slope, error = (value * truth).sum() / (truth**2).sum(), np.sqrt(np.mean((value - truth) ** 2))
    return f"{slope:.2f}, {error:.3f}, {100 * held.mean():.0f} %"


if __name__ == "__main__":
    main()
