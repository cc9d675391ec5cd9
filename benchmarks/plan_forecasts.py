"""How good forecasts of widths are: plans are made with a forecast, judged, and estimated.

    python benchmarks/plan_forecasts.py QRELS RUNS [--budgets 430 860] [--samples 5] [--measures AP nDCG@10 P@10]

The pool is what the complete judgments list. `none` plans before anything is judged, `0.3` after three tenths of the
budget were drawn at random and judged. Prints, per measure, budget and design, the mean over runs of the width
forecast, of the width there was, their ratio, and how far the ratio spreads over runs; and the same for differences.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from plan_widths import NO_DEEPER, Known

from poolwise.campaign import read
from poolwise.errors import PoolwiseWarning
from poolwise.estimate.estimator import estimate
from poolwise.judge.judgments import POOLED, Judgments
from poolwise.plan.make_plan import MOST_PAIRS, plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--budgets", type=int, nargs="+", default=[430, 860, 1720])
    parser.add_argument("--designs", nargs="+", default=["stratified", "model"])
    parser.add_argument("--pilots", nargs="+", default=["none", "0.3"])
    parser.add_argument("--measures", nargs="+", default=["AP", "nDCG@10", "P@10"])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--topic-shares", default="equal")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    campaign = read(arguments.qrels, *arguments.runs, unjudged=None)
    print("| measure | labels | design | pilot | forecast | was | ratio | A - B: forecast | was | ratio | RMSE |")
    print("|---|---:|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for measure in arguments.measures:
        known = Known(campaign, measure, 1)
        for budget in arguments.budgets:
            for design in arguments.designs:
                for pilot in arguments.pilots:
                    found = np.array([
                        one(known, budget, design, pilot, seed, arguments.topic_shares)
                        for seed in range(arguments.samples)
                    ])  # fmt: skip
                    a, b, c, d, square = found.mean(axis=0)
                    cells = f"{a:.3f} | {b:.3f} | {a / b:.2f} | {c:.3f} | {d:.3f} | {c / d:.2f} | {square**0.5:.4f}"
                    print(f"| {measure} | {budget} | {design} | {pilot} | {cells} |", flush=True)


def one(known: Known, budget: int, design: str, pilot: str, seed: int, shares: str) -> tuple[float, ...]:
    """Widths forecast and found, of runs and of differences, and the squared error."""
    nothing = Judgments(known.campaign, np.full(len(known.full.labels), POOLED, dtype=np.int32))
    first = 0 if pilot == "none" else int(budget * float(pilot))
    start = known.filled(nothing, first, "uniform", seed) if first else nothing
    runs = known.campaign.runs
    random = np.random.default_rng(0)  # as the forecast of a typical difference draws them
    pairs = [tuple(runs[n] for n in sorted(random.choice(len(runs), 2, replace=False))) for _ in range(MOST_PAIRS)]
    made = plan(
        known.campaign, start, budget=budget - first, design=design, depth=NO_DEEPER,
        edges=(5, 20, 50) if design == "stratified" else None, measure=known.measure, seed=1000 + seed,
        contributing=known.contributing, forecast=True, difference=None, topic_shares=shares,
    )  # fmt: skip
    places = np.array([known.place[pair] for pair in zip(made.topic, made.document, strict=True)])
    rounds, strata = (np.zeros(len(known.full.labels), dtype=np.int32) for _ in range(2))
    rounds[places], strata[places] = made.round, made.stratum
    labels = np.where(rounds > 0, known.full.labels, POOLED).astype(np.int32)
    sample = Judgments(known.campaign, labels, strata=strata, rounds=rounds, top=known.full.top)
    found = estimate(
        known.campaign, [known.measure], sample, features=known.features, threads=1, pooled=False,
        outside="nonrelevant", difference=pairs,
    )  # fmt: skip
    of_pairs = found.differences
    width = float((found.mean_high() - found.mean_low()).mean())
    return (
        made.forecast.mean(), width, made.forecast.mean(difference=True),
        float((of_pairs.high - of_pairs.low).mean()), float(((found.means()[:, 0] - known.truth) ** 2).mean()),
    )  # fmt: skip


if __name__ == "__main__":
    main()
