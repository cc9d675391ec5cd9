"""What a few labels of holes give: interval and coverage after 50, 100 and 200 of them, on covid-holes.

    python benchmarks/hole_labels.py FOLDER KEPT.npz [--trials 1000] [--minutes 60] [--seed 1]

FOLDER holds the set covid-holes: old judgments, and those made later of the holes of three dense runs, by which the
truth is known. Holes are drawn as `poolwise holes --budget N --plan FILE` draws them, labelled, and put into
`estimate`. Trials are kept in KEPT.npz, so that the same command goes on where it was stopped; trial n draws the same
however many there are. Prints what the kept trials show, which another process may ask for at any time (--trials 0).
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from functools import cached_property
from pathlib import Path

import numpy as np
from reproduce.data import campaign, qrels_of

import poolwise as pw
from poolwise.audits.hole_scores import list_holes
from poolwise.campaign.campaign import Campaign
from poolwise.estimates.estimator import estimate, prepare
from poolwise.pool.judgments import POOLED, Judgments

MEASURE = "nDCG@10"
LABELS = (50, 100, 200)
KEEP_EVERY = 10  # trials


class Trials:
    """What all trials share: the pool with its holes listed, their labels, and how many holes each topic gives."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.before = campaign(folder, "qrels-incomplete.txt")
        self.listed = list_holes(self.before.judgments, 10)
        self.campaign = Campaign(self.listed.pool.whole, self.listed.pool.runs)
        self.topic = self.listed.topic_of(self.listed.holes)

    @cached_property
    def truth(self) -> np.ndarray:
        """Scores by complete labels."""
        return campaign(self.folder, "qrels-complete.txt").score(MEASURE).means()[:, 0]

    @cached_property
    def complete(self) -> np.ndarray:
        """All labels; a hole that stayed unjudged counts as non-relevant, as it does in the truth."""
        known = qrels_of(self.folder / "qrels-complete.txt")
        labels = self.listed.judgments.labels.copy()
        labels[self.listed.holes] = [
            max(known[topic].get(document, 0), 0) for topic, document in self.listed.named(self.listed.holes)
        ]
        return labels

    @cached_property
    def strata(self) -> np.ndarray:
        """What was judged before is one stratum, the holes another."""
        return np.where(np.isin(np.arange(len(self.complete)), self.listed.holes), 2, 1).astype(np.int32)

    @cached_property
    def features(self):
        """Columns of the relevance model, which depend on no label."""
        return prepare(self.campaign, self.judgments(self.complete))

    @cached_property
    def drawn(self) -> list[dict[str, int]]:
        """For each number of labels, how many holes of each topic the plan takes: the same whatever its seed."""
        found = []
        for number in LABELS:
            plan = self.before.plan(budget=number, depth=10, measure=MEASURE)
            topics = [topic for topic, _ in plan.to_judge()]
            found.append({topic: topics.count(topic) for topic in self.campaign.topics})
        return found

    def judgments(self, labels: np.ndarray) -> Judgments:
        return Judgments(self.campaign, labels, strata=self.strata, top=self.listed.judgments.top)

    def trial(self, number: int) -> np.ndarray:
        """Numbers of labels x (value, low, high) x runs; more labels include the fewer ones."""
        random = np.random.default_rng([self.seed, number])
        shuffled = [random.permutation(self.listed.holes[self.topic == t]) for t in range(len(self.campaign.topics))]
        found = []
        for drawn in self.drawn:
            labels = self.complete.copy()
            for topic, own in zip(self.campaign.topics, shuffled, strict=True):
                labels[own[drawn[topic] :]] = POOLED
            result = estimate(
                self.campaign, MEASURE, judgments=self.judgments(labels), steadied=False, predictions=self.features,
                threads=1,
            )  # fmt: skip
            found.append([result.means()[:, 0], result.mean_low()[:, 0], result.mean_high()[:, 0]])
        return np.array(found)


def kept_trials(path: Path, trials: Trials, number: int, minutes: float) -> np.ndarray:
    """Trials of the file and as many more as asked for, or as the minutes allow."""
    found = list(np.load(path)["trials"]) if path.exists() else []
    begin = time.time()
    while len(found) < number and time.time() - begin < 60 * minutes:
        found.append(trials.trial(len(found)))
        if len(found) % KEEP_EVERY == 0 or len(found) == number:
            part = path.with_suffix(".part.npz")
            np.savez(part, trials=np.array(found))
            os.replace(part, path)
    return np.array(found)


def print_table(found: np.ndarray, truth: np.ndarray, runs: list[str]) -> None:
    print("| labels | trials | run | bias | RMSE | mean width | held |\n|---|---|---|---|---|---|---|")
    for place, number in enumerate(LABELS):
        for run, name in enumerate(runs):
            value, low, high = found[:, place, :, run].T
            error = value - truth[run]
            held = np.mean((low <= truth[run] + 1e-9) & (truth[run] <= high + 1e-9))
            numbers = f"{error.mean():+.4f} | {np.sqrt((error**2).mean()):.4f} | {(high - low).mean():.4f}"
            print(f"| {number} | {len(found)} | {name} | {numbers} | {100 * held:.1f} % |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    trials = Trials(asked.folder / "covid-holes", asked.seed)
    found = kept_trials(asked.kept, trials, asked.trials, asked.minutes)
    print_table(found, trials.truth, trials.before.runs)


if __name__ == "__main__":
    main()
