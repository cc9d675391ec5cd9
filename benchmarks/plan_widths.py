"""What plans are worth: widths of assisted intervals for the same number of labels under different plans.

    python benchmarks/plan_widths.py QRELS RUNS [--budgets 2500 5000] [--samples 12] [--measure AP] [--every 6]

The pool is what the complete judgments list. Each plan draws from it, labels are filled in, every sixth run is
estimated. `model` sets rates before any label is there; `model:0.2` spends a fifth of the budget on a uniform pilot and
sets rates from that. Prints a row per budget and plan: width, RMSE, bias, coverage.
"""

from __future__ import annotations

import argparse
import warnings
from copy import copy
from typing import Any

import numpy as np

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimator import prepare
from poolwise.pool.judgments import POOLED, Judgments

DESIGNS = ("uniform", "depth_plus_random", "stratified", "model", "model:0.2")
NO_DEEPER = 1  # the pool is what is listed; ranks add nothing to it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--budgets", type=int, nargs="+", default=[2500, 5000])
    parser.add_argument("--designs", nargs="+", default=DESIGNS)
    parser.add_argument("--samples", type=int, default=12)
    parser.add_argument("--measure", default="AP")
    parser.add_argument("--every", type=int, default=6)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    known = Known(read(arguments.qrels, *arguments.runs, unjudged=None), arguments.measure, arguments.every)
    print("| labels | plan | width | RMSE | bias | coverage |\n|---|---|---|---|---|---|")
    for budget in arguments.budgets:
        for design in arguments.designs:
            print(known.row(budget, design, arguments.samples), flush=True)


def with_labels(campaign: Campaign, judgments: Judgments) -> Campaign:
    """The same campaign with other judgments of its documents."""
    changed = copy(campaign)
    changed.judgments = judgments
    return changed


class Known:
    """A campaign with complete judgments, to draw from."""

    def __init__(self, campaign: Campaign, measure: str, every: int) -> None:
        self.campaign, self.measure, self.full = campaign, measure, campaign.judgments
        self.runs = campaign.runs[::every]
        self.truth = campaign.score(measure).means()[::every, 0]
        self.features = prepare(campaign, self.full)
        self.contributing = [run for run in campaign.runs if self.top_is_judged(run)]
        names = [campaign.documents(topic) for topic in campaign.topics]
        sizes = np.diff(self.full.offsets)
        self.place = {
            (topic, document): begin + number
            for topic, own, begin, size in zip(campaign.topics, names, self.full.offsets, sizes, strict=False)
            for number, document in enumerate(own[:size])
        }
        self.best = np.concatenate(
            [np.asarray(campaign.core.rank_summary(topic))[:, 3] for topic in range(len(campaign.topics))]
        )

    def top_is_judged(self, run: str) -> bool:
        """Whether the first document of each topic is in the judgments, so that a plan to depth 1 adds none."""
        number = self.campaign.run_number(run)
        firsts = (np.asarray(self.campaign.all_documents(number, t))[:1] for t in range(len(self.full.offsets) - 1))
        return all((first < size).all() for first, size in zip(firsts, np.diff(self.full.offsets), strict=True))

    def row(self, budget: int, design: str, samples: int) -> str:
        found = [self.estimated(self.judged(budget, design, seed)) for seed in range(samples)]
        errors, widths, held = (np.array(column) for column in zip(*found, strict=True))
        return (
            f"| {budget} | {design} | {widths.mean():.4f} | {np.sqrt((errors**2).mean()):.4f} "
            f"| {errors.mean():+.4f} | {100 * held.mean():.1f} |"
        )

    def estimated(self, sample: Judgments) -> tuple[Any, Any, Any]:
        scores = self.campaign.estimate(
            self.measure, judgments=sample, runs=self.runs, predictions=self.features, threads=1, steadied=False,
            outside="nonrelevant",
        )  # fmt: skip
        value, low, high = (end[:, 0] for end in (scores.means(), scores.mean_low(), scores.mean_high()))
        return value - self.truth, high - low, (low <= self.truth) & (self.truth <= high)

    def judged(self, budget: int, design: str, seed: int) -> Judgments:
        name, _, share = design.partition(":")
        if name == "depth_plus_random":
            return self.by_depth(budget, seed)
        nothing = Judgments(self.campaign, np.full(len(self.full.labels), POOLED, dtype=np.int32))
        pilot = int(budget * float(share or 0))
        first = self.filled(nothing, pilot, "uniform", seed) if pilot else nothing
        return self.filled(first, budget - pilot, name, 1000 + seed)

    def filled(self, known: Judgments, budget: int, design: Any, seed: int) -> Judgments:
        edges = (5, 20, 50) if design == "stratified" else None
        made = with_labels(self.campaign, known).plan(
            budget=budget, design=design, depth=NO_DEEPER, edges=edges, measure=self.measure,
            seed=seed, contributing=self.contributing,
        )  # fmt: skip
        places = np.array([self.place[pair] for pair in zip(made.topic, made.document, strict=True)])
        rounds, strata = (np.zeros(len(self.full.labels), dtype=np.int32) for _ in range(2))
        rounds[places], strata[places] = made.round, made.stratum
        labels = np.where(rounds > 0, self.full.labels, POOLED).astype(np.int32)
        return Judgments(self.campaign, labels, strata=strata, rounds=rounds, top=self.full.top)

    def by_depth(self, budget: int, seed: int) -> Judgments:
        """Half the budget for the deepest pool it can judge in full, half at random below."""
        random, best = np.random.default_rng(seed), np.where(self.best > 0, self.best, np.inf)
        depth = max(k for k in range(1, 101) if (best <= k).sum() <= budget // 2 or k == 1)
        strata = (best > depth).astype(np.int32)
        labels = np.where(strata == 0, self.full.labels, POOLED).astype(np.int32)
        each = max(1, (budget - int((strata == 0).sum())) // len(self.campaign.topics))
        for begin, end in zip(self.full.offsets[:-1], self.full.offsets[1:], strict=True):
            rest = begin + np.flatnonzero(strata[begin:end])
            chosen = random.choice(rest, min(each, len(rest)), replace=False)
            labels[chosen] = self.full.labels[chosen]
        return Judgments(self.campaign, labels, strata=strata, top=self.full.top)


if __name__ == "__main__":
    main()
