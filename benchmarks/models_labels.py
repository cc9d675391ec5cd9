"""What labels of language models are worth as qrels, and as predictions for estimates.

    python benchmarks/models_labels.py QRELS RUNS --models A.txt B.txt --keep FILE [--runs 2 5 20 61]
                                       [--labels 100 200 400 800] [--trials 50] [--part 0/2] [--steadied]
    python benchmarks/models_labels.py QRELS RUNS --models A.txt B.txt --naive
    python benchmarks/models_labels.py --table FILE [FILE]

QRELS holds all labels; the pool is what it lists. `--naive` scores all runs with each model's labels in place of
people's: bias of mean scores, and the share of pairs of runs in the wrong order. Otherwise samples are drawn in two
strata (best rank 1 to 10, and the rest, equally many of each in every topic) and estimated with and without each
model's labels, with all of them, and with noise. Sets of runs are drawn at random, ten of each size, which samples take
in turn. Every estimate is a line of the file that `--keep` names, so that work goes on where it ended and processes may
share it: `--part 0/2` takes every other sample. `--table` makes the tables of all files: width and RMSE relative to
none, coverage and its standard error over samples.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimates import Estimate
from poolwise.estimates.estimator import prepare
from poolwise.pool.judgments import POOLED, Judgments

MEASURES = ("AP", "nDCG@10", "P@10")
TOP = 10  # the last rank of the first stratum
PAIRS, SETS = 60, 10
Table = dict[str, dict[str, float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--models", nargs="+", default=[])
    parser.add_argument("--without", nargs="+", default=[], help="predictions to leave out, as `noise`")
    parser.add_argument("--runs", type=int, nargs="+", default=[20])
    parser.add_argument("--labels", type=int, nargs="+", default=[200])
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--keep")
    parser.add_argument("--steadied", action="store_true", help="values steadied by all runs; ten runs or more")
    parser.add_argument("--naive", action="store_true")
    parser.add_argument("--table", nargs="+")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    if arguments.table:
        print("\n".join(table([one for file in arguments.table for one in kept(file)])))
        return
    models = {Path(name).stem: labels_of(name) for name in arguments.models}
    if arguments.naive:
        known = Known(arguments.qrels, [str(file) for file in sorted(Path(arguments.folder).glob("*.txt"))])
        print("\n".join(known.naive(name, model) for name, model in models.items()))
        return
    work = Work(arguments.qrels, arguments.folder, models, set(arguments.without), arguments.steadied)
    this, of = map(int, arguments.part.split("/"))
    asked = [(runs, labels) for runs in arguments.runs for labels in arguments.labels]
    done = {(one["runs"], one["labels"], one["seed"]) for one in kept(arguments.keep)}
    for seed in range(this, arguments.trials, of):
        for runs, labels in asked:
            if (runs, labels, seed) not in done:
                lines = [json.dumps(one) + "\n" for one in work.sample(runs, labels, seed)]
                with open(arguments.keep, "a", encoding="utf-8") as file:
                    file.write("".join(lines))


def labels_of(path: str) -> Table:
    """Lines of topic, anything, document, label."""
    table: Table = {}
    for line in Path(path).read_text("utf-8").splitlines():
        topic, _, document, label = line.split()
        table.setdefault(topic, {})[document] = float(label)
    return table


def kept(path: str) -> list[dict[str, Any]]:
    file = Path(path)
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


class Work:
    """Sets of runs, each read once, and what estimates of it can share."""

    def __init__(
        self, qrels: str, folder: str, models: dict[str, Table], without: set[str], steadied: bool = False
    ) -> None:
        self.qrels, self.models, self.without, self.steadied = qrels, models, without, steadied
        self.files = [str(file) for file in sorted(Path(folder).glob("*.txt"))]
        self.known = cache(self._known)
        self.features = cache(self._features)

    def _known(self, runs: int, number: int) -> Known:
        random = np.random.default_rng([runs, number])
        chosen = random.choice(len(self.files), min(runs, len(self.files)), replace=False)
        return Known(self.qrels, [self.files[place] for place in sorted(chosen)])

    def _features(self, runs: int, number: int) -> dict[str, Any]:
        known = self.known(runs, number)
        random = np.random.default_rng(5)
        noise = {t: {d: float(random.normal()) for d in known.full.of(t)} for t in known.campaign.topics}
        given: dict[str, Any] = {"none": None, **self.models, "all": list(self.models.values()), "noise": noise}
        return {
            name: prepare(known.campaign, known.full, one, threads=1)
            for name, one in given.items()
            if name not in self.without
        }

    def sample(self, runs: int, labels: int, seed: int) -> Iterator[dict[str, Any]]:
        """One row per predictions: of each measure, mean width, mean squared error, share of truths held."""
        number = seed % SETS if runs < len(self.files) else 0
        known, features = self.known(runs, number), self.features(runs, number)
        sample = known.sample(labels, seed)
        for name, own in features.items():
            estimates = known.estimated(sample, own, MEASURES, self.steadied)
            found = known.errors(estimates, MEASURES, self.steadied)
            parts = [(width.mean(axis=0), (error**2).mean(axis=0), held.mean(axis=0)) for error, width, held in found]
            columns = {who: np.array(part).T.tolist() for who, part in zip(("runs_of", "pairs_of"), parts, strict=True)}
            yield {"runs": runs, "labels": labels, "seed": seed, "predictions": name, **columns}


class Known:
    """A campaign with complete judgments, to draw from."""

    def __init__(self, qrels: str, files: list[str]) -> None:
        self.files = files
        self.campaign: Campaign = read(qrels, *files, unjudged=None)
        self.full = self.campaign.judgments
        ends = np.triu_indices(len(files), 1)
        pairs = np.column_stack(ends)
        self._truth: dict[tuple[str, ...], Any] = {}
        self.pairs = np.random.default_rng(0).permutation(pairs)[:PAIRS]

    @cached_property
    def best_rank(self) -> Any:
        """Of every pooled document; 0 where no run has it."""
        topics = range(len(self.campaign.topics))
        return np.concatenate([np.asarray(self.campaign.core.rank_summary(topic))[:, 3] for topic in topics])

    @cached_property
    def stratum(self) -> Any:
        return np.where((self.best_rank > 0) & (self.best_rank <= TOP), 1, 2).astype(np.int32)

    def truth(self, measures: tuple[str, ...]) -> Any:
        if measures not in self._truth:
            self._truth[measures] = self.campaign.score(*measures).means()
        return self._truth[measures]

    def naive(self, name: str, guess: Table) -> str:
        """Scores with a model's labels, decimals rounded, in place of people's."""
        labels = {topic: {d: round(v) for d, v in own.items()} for topic, own in guess.items()}
        common = [topic for topic in self.campaign.topics if topic in labels]
        theirs = read({topic: labels[topic] for topic in common}, *self.files)
        ours = read({topic: dict(self.full.of(topic)) for topic in common}, *self.files)
        scored, truth = theirs.score(*MEASURES).means(), ours.score(*MEASURES).means()
        a, b = np.triu_indices(len(self.files), 1)
        cells = []
        for number in range(len(MEASURES)):
            wrong = np.sign(scored[a, number] - scored[b, number]) != np.sign(truth[a, number] - truth[b, number])
            off = (scored - truth)[:, number]
            cells.append(f"{off.mean():+.3f} | {np.sqrt((off**2).mean()):.3f} | {100 * wrong.mean():.0f} %")
        return f"| {name} ({len(common)} topics) | " + " | ".join(cells) + " |"

    def sample(self, labels: int, seed: int) -> Judgments:
        """Equally many of both strata in every topic."""
        random, topics = np.random.default_rng(seed), len(self.campaign.topics)
        drawn = np.full(len(self.full.labels), POOLED, dtype=np.int32)
        each = np.full(topics, labels // topics)
        each[random.permutation(topics)[: labels - int(each.sum())]] += 1
        for topic, (begin, end) in enumerate(zip(self.full.offsets[:-1], self.full.offsets[1:], strict=True)):
            for stratum, share in ((1, (each[topic] + 1) // 2), (2, each[topic] // 2)):
                own = begin + np.flatnonzero(self.stratum[begin:end] == stratum)
                places = random.choice(own, min(int(share), len(own)), replace=False)
                drawn[places] = self.full.labels[places]
        return Judgments(self.campaign, drawn, strata=self.stratum, top=self.full.top)

    def estimated(
        self, sample: Judgments, features: Any, measures: tuple[str, ...], steadied: bool = False
    ) -> Estimate:
        """Estimates of all runs and of the pairs."""
        pairs = [(self.campaign.runs[a], self.campaign.runs[b]) for a, b in self.pairs]
        return self.campaign.estimate(
            measures, judgments=sample, predictions=features, threads=1, steadied=None if steadied else False,
            outside="nonrelevant", difference=pairs,
        )  # fmt: skip

    def errors(self, found: Estimate, measures: tuple[str, ...], steadied: bool = False) -> list[tuple[Any, Any, Any]]:
        """Error, width, whether the truth is held: of runs, and of differences; each ... x measures."""
        return [
            (value - truth, high - low, (low <= truth) & (truth <= high))
            for value, low, high, truth in self.intervals(found, measures, steadied)
        ]

    def intervals(self, found: Estimate, measures: tuple[str, ...], steadied: bool = False) -> list[tuple[Any, ...]]:
        """Estimate, interval limits and truth: of runs, and of differences; each ... x measures."""
        apart = found.differences
        assert apart is not None
        truth = self.truth(measures)
        of_runs: Any = found.means(), found.mean_low(), found.mean_high()
        columns = apart.difference, apart.low, apart.high
        if steadied:
            of_runs = found.steadied, found.steadied_low, found.steadied_high
            columns = apart.steadied, apart.steadied_low, apart.steadied_high
        of_pairs = [np.reshape(column, (len(measures), -1)).T for column in columns]
        return [(*of_runs, truth), (*of_pairs, truth[self.pairs[:, 0]] - truth[self.pairs[:, 1]])]


def table(rows: list[dict[str, Any]]) -> list[str]:
    """One row per size, number of labels and predictions, of samples that have them all."""
    found: dict[Any, dict[int, Any]] = defaultdict(dict)
    for row in rows:
        found[row["runs"], row["labels"], row["predictions"]][row["seed"]] = row
    lines = []
    for who in ("runs_of", "pairs_of"):
        lines += ["", f"| runs | labels | samples | {who} | " + " | ".join(f"{m}: width | RMSE | %" for m in MEASURES)]
        for (runs, labels, name), own in sorted(found.items(), key=lambda item: item[0][:2]):
            base = found[runs, labels, "none"]
            seeds = sorted(own.keys() & base.keys())
            one, none = (np.array([of[seed][who] for seed in seeds]) for of in (own, base))
            cells = [_cells(one[:, number], none[:, number]) for number in range(len(MEASURES))]
            lines.append(f"| {runs} | {labels} | {len(seeds)} | {name} | " + " | ".join(cells) + " |")
    return lines


def _cells(one: Any, none: Any) -> str:
    """Of samples x (width, squared error, held): relative to none, with the standard error of coverage."""
    width, square, held = one.mean(axis=0)
    width_of_none, square_of_none, _ = none.mean(axis=0)
    error = 100.0 * one[:, 2].std(ddof=1) / np.sqrt(len(one)) if len(one) > 1 else 0.0
    return f"{width / width_of_none:.2f} | {np.sqrt(square / square_of_none):.2f} | {100 * held:.1f} ± {error:.1f}"


if __name__ == "__main__":
    main()
