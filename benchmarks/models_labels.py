"""What labels of language models are worth: as qrels, as predictions for estimates, as predictions for plans.

    python benchmarks/models_labels.py QRELS RUNS --models A.txt B.txt [--runs 20] [--labels 200] [--trials 12]
                                       [--parts naive estimates plans]

QRELS holds all labels; the pool is what it lists. `naive` scores with each model's labels in place of people's: bias of
mean scores, and the share of pairs of runs in the wrong order. `estimates` draws samples in two strata (best rank 1 to
10, and the rest, equally many of each in every topic) and estimates with and without each model's labels, with all of
them, and with noise: width, RMSE and coverage. `plans` spends the same number of labels by several plans: RMSE.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimate.estimator import estimate, prepare
from poolwise.judge.judgments import POOLED, Judgments
from poolwise.plan.make_plan import plan

MEASURES = ("AP", "nDCG@10", "P@10")
TOP = 10  # the last rank of the first stratum
PAIRS = 60
NO_DEEPER = 1  # the pool is what is listed; ranks add nothing to it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("folder")
    parser.add_argument("--models", nargs="+", default=[])
    parser.add_argument("--auc", type=float, help="simulate a predictor: whether a label is positive, plus noise")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--labels", type=int, nargs="+", default=[200])
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--parts", nargs="+", default=["naive", "estimates", "plans"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    known = Known(arguments.qrels, arguments.folder, arguments.runs)
    guesses = {Path(name).stem: labels_of(name) for name in arguments.models}
    if arguments.auc:
        guesses[f"AUC {arguments.auc:g}"] = known.simulated(arguments.auc)
    if "naive" in arguments.parts:
        for name in guesses:
            print(known.naive(name, guesses[name]), flush=True)
    for labels in arguments.labels:
        if "estimates" in arguments.parts:
            print("\n".join(known.estimates(guesses, labels, arguments.trials)), flush=True)
        if "plans" in arguments.parts:
            print("\n".join(known.plans(guesses, labels, arguments.trials)), flush=True)


def labels_of(path: str) -> dict[str, dict[str, float]]:
    """Lines of topic, anything, document, label."""
    table: dict[str, dict[str, float]] = {}
    for line in Path(path).read_text("utf-8").splitlines():
        topic, _, document, label = line.split()
        table.setdefault(topic, {})[document] = float(label)
    return table


class Known:
    """A campaign with complete judgments, to draw from."""

    def __init__(self, qrels: str, folder: str, number: int) -> None:
        files = sorted(Path(folder).glob("*.txt"))
        chosen = [files[place * len(files) // number] for place in range(min(number, len(files)))]
        self.runs = [str(file) for file in chosen]
        self.campaign: Campaign = read(qrels, *self.runs, unjudged=None)
        self.full = self.campaign.judgments
        self.truth = self.campaign.score(*MEASURES).means()
        random = np.random.default_rng(0)
        self.pairs = np.array([random.choice(len(self.runs), 2, replace=False) for _ in range(PAIRS)])
        best = [np.asarray(self.campaign.core.rank_summary(t))[:, 3] for t in range(len(self.campaign.topics))]
        ranks = np.concatenate(best)
        self.stratum = np.where((ranks > 0) & (ranks <= TOP), 1, 2).astype(np.int32)
        self.place = {
            (topic, document): begin + number
            for topic, begin, size in zip(
                self.campaign.topics, self.full.offsets, np.diff(self.full.offsets), strict=False
            )
            for number, document in enumerate(self.campaign.documents(topic)[:size])
        }
        self.contributing = [run for run in self.campaign.runs if self._top_is_judged(run)]

    def _top_is_judged(self, run: str) -> bool:
        number, sizes = self.campaign.run_number(run), np.diff(self.full.offsets)
        firsts = (np.asarray(self.campaign.core.all_documents(number, t))[:1] for t in range(len(sizes)))
        return all((first < size).all() for first, size in zip(firsts, sizes, strict=True))

    def simulated(self, auc: float) -> dict[str, dict[str, float]]:
        """Whether a label is positive, plus normal noise that gives this chance of the right order."""
        from scipy.stats import norm

        random, noise = np.random.default_rng(3), 1.0 / (np.sqrt(2.0) * float(norm.ppf(auc)))
        return {
            topic: {d: float(label > 0) + noise * float(random.normal()) for d, label in self.full.of(topic).items()}
            for topic in self.campaign.topics
        }

    def naive(self, name: str, guess: dict[str, dict[str, float]]) -> str:
        """Scores with a model's labels, decimals rounded, in place of people's."""
        labels = {topic: {d: round(v) for d, v in own.items()} for topic, own in guess.items()}
        common = [topic for topic in self.campaign.topics if topic in labels]
        theirs = read({topic: labels[topic] for topic in common}, *self.runs)
        ours = read({topic: dict(self.full.of(topic)) for topic in common}, *self.runs)
        scored, truth = theirs.score(*MEASURES).means(), ours.score(*MEASURES).means()
        a, b = np.triu_indices(len(self.runs), 1)
        cells = []
        for number, measure in enumerate(MEASURES):
            wrong = np.sign(scored[a, number] - scored[b, number]) != np.sign(truth[a, number] - truth[b, number])
            cells.append(f"{measure} {(scored - truth)[:, number].mean():+.3f}, {100 * wrong.mean():.1f} %")
        return f"naive | {name} | {len(common)} topics | " + " | ".join(cells)

    def estimates(self, guesses: dict[str, Any], labels: int, trials: int) -> list[str]:
        """One row per model: width, RMSE relative to none, coverage; of runs and of differences."""
        random = np.random.default_rng(5)
        noise = {t: {d: float(random.normal()) for d in self.full.of(t)} for t in self.campaign.topics}
        asked = {"none": None, **guesses, "noise": noise}
        if len(guesses) > 1:
            asked["all"] = list(guesses.values())
        features = {name: prepare(self.campaign, self.full, given) for name, given in asked.items()}
        found: dict[str, list[Any]] = {name: [] for name in asked}
        for seed in range(trials):
            sample = self.sample(labels, seed)
            for name in asked:
                found[name].append(self.errors(sample, features[name]))
        base = [summary(found["none"], number) for number in range(len(MEASURES))]
        return [
            f"estimates | {len(self.runs)} runs | {labels} labels | {trials} trials | {name} | "
            + " | ".join(
                f"{measure} {cells(summary(found[name], number), base[number])}"
                for number, measure in enumerate(MEASURES)
            )
            for name in asked
        ]

    def sample(self, labels: int, seed: int) -> Judgments:
        """Equally many of both strata in every topic."""
        random, topics = np.random.default_rng(seed), len(self.campaign.topics)
        kept = np.full(len(self.full.labels), POOLED, dtype=np.int32)
        each = np.full(topics, labels // topics)
        each[random.permutation(topics)[: labels - int(each.sum())]] += 1
        for topic, (begin, end) in enumerate(zip(self.full.offsets[:-1], self.full.offsets[1:], strict=True)):
            for stratum, share in ((1, (each[topic] + 1) // 2), (2, each[topic] // 2)):
                own = begin + np.flatnonzero(self.stratum[begin:end] == stratum)
                drawn = random.choice(own, min(int(share), len(own)), replace=False)
                kept[drawn] = self.full.labels[drawn]
        return Judgments(self.campaign, kept, strata=self.stratum, top=self.full.top)

    def errors(self, sample: Judgments, features: Any) -> tuple[Any, ...]:
        """Error, width, whether the truth is held: of runs, then of differences; each ... x measures."""
        pairs = [(self.campaign.runs[a], self.campaign.runs[b]) for a, b in self.pairs]
        found = estimate(
            self.campaign, MEASURES, sample, features=features, threads=1, pooled=False, outside="nonrelevant",
            difference=pairs,
        )  # fmt: skip
        value, low, high = found.means(), found.mean_low(), found.mean_high()
        apart = found.differences
        assert apart is not None
        gap, below, above = (
            np.asarray(column).reshape(len(MEASURES), -1).T for column in (apart.difference, apart.low, apart.high)
        )
        truth = self.truth[self.pairs[:, 0]] - self.truth[self.pairs[:, 1]]
        own = value - self.truth, high - low, (low <= self.truth) & (self.truth <= high)
        return (*own, gap - truth, above - below, (below <= truth) & (truth <= above))

    def plans(self, guesses: dict[str, Any], labels: int, trials: int) -> list[str]:
        """One row per plan: RMSE of runs and of differences, coverage of both."""
        first = next(iter(guesses.items()), ("none", None))
        plain, helped = prepare(self.campaign, self.full), prepare(self.campaign, self.full, first[1])
        rows = []
        for design, given, features in (
            ("uniform", None, plain), ("stratified", None, plain), ("model", None, plain), ("stratified", None, helped),
            ("model", first[1], helped),
        ):  # fmt: skip
            for number, measure in enumerate(MEASURES[:2]):
                found = [
                    self.errors(self.planned(labels, design, measure, given, seed), features) for seed in range(trials)
                ]
                one = summary(found, number)
                who = "" if features is plain else f", estimated with {first[0]}"
                rows.append(
                    f"plans | {len(self.runs)} runs | {labels} labels | {trials} trials | {design}{who} | {measure} | "
                    f"RMSE {one[1]:.4f} | coverage {one[2]:.1f} | A - B: RMSE {one[4]:.4f} | coverage {one[5]:.1f}"
                )
        return rows

    def planned(self, labels: int, design: str, measure: str, given: Any, seed: int) -> Judgments:
        nothing = Judgments(self.campaign, np.full(len(self.full.labels), POOLED, dtype=np.int32))
        made = plan(
            self.campaign, nothing, budget=labels, design=design, depth=NO_DEEPER, measure=measure, seed=seed,
            predictions=given, contributing=self.contributing,
            edges=(TOP,) if design == "stratified" else None,
        )  # fmt: skip
        places = np.array([self.place[pair] for pair in zip(made.topic, made.document, strict=True)])
        rounds, strata = (np.zeros(len(self.full.labels), dtype=np.int32) for _ in range(2))
        rounds[places], strata[places] = made.round, made.stratum
        kept = np.where(rounds > 0, self.full.labels, POOLED).astype(np.int32)
        return Judgments(self.campaign, kept, strata=strata, rounds=rounds, top=self.full.top)


def summary(found: list[Any], measure: int) -> list[float]:
    """Width, RMSE, coverage of runs; the same of differences."""
    columns = [np.array(column)[:, :, measure] for column in zip(*found, strict=True)]
    result = []
    for error, width, held in (columns[:3], columns[3:]):
        result += [float(width.mean()), float(np.sqrt((error**2).mean())), 100.0 * float(held.mean())]
    return result


def cells(one: list[float], base: list[float]) -> str:
    return (
        f"width {one[0] / base[0]:.2f}, RMSE {one[1] / base[1]:.2f}, {one[2]:.1f} %, "
        f"A - B {one[3] / base[3]:.2f}, {one[4] / base[4]:.2f}, {one[5]:.1f} %"
    )


if __name__ == "__main__":
    main()
