"""How good forecasts of widths are: plans are made with a forecast, judged, and estimated.

    python benchmarks/plan_forecasts.py QRELS RUNS [--budgets 430 860] [--samples 8] [--measures AP nDCG@10 P@10]

The pool is what the complete judgments list. `none` plans before anything is judged, `0.3` after three tenths of the
budget were drawn at random and judged. Prints, per measure, budget and design, the mean over runs of the width
forecast, of the width there was, their ratio, and between which ratios four of five runs lie; and the means of
differences. Forecasts for other budgets than the plan's are left out, and all runs on one core.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from plan_widths import NO_DEEPER, Known, with_labels

from poolwise.campaign.campaign import read
from poolwise.errors import PoolwiseWarning
from poolwise.plans import planned_widths
from poolwise.plans.plan_request import MOST_PAIRS
from poolwise.pool.judgments import POOLED, Judgments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--budgets", type=int, nargs="+", default=[430, 860, 1720])
    parser.add_argument("--designs", nargs="+", default=["stratified", "model"])
    parser.add_argument("--pilots", nargs="+", default=["none", "0.3"])
    parser.add_argument("--measures", nargs="+", default=["AP", "nDCG@10", "P@10"])
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--topic-shares", default="equal")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    planned_widths.SHARES = (1.0,)  # type: ignore[assignment]
    campaign = read(arguments.qrels, *arguments.runs, unjudged=None)
    print("| measure | labels | design | pilot | forecast | was | ratio | of runs | A - B: forecast | was | ratio |")
    print("|---|---:|---|---|---:|---:|---:|---|---:|---:|---:|")
    for measure in arguments.measures:
        known = Known(campaign, measure, 1)
        for budget in arguments.budgets:
            for design in arguments.designs:
                for pilot in arguments.pilots:
                    found = [
                        one(known, budget, design, pilot, seed, arguments.topic_shares)
                        for seed in range(arguments.samples)
                    ]
                    print(f"| {measure} | {budget} | {design} | {pilot} | {_row(found)} |", flush=True)


def _row(found: list[tuple[Any, Any, Any, Any]]) -> str:
    """Means over samples, and ratios of runs."""
    forecast, was, forecast_apart, was_apart = (np.stack(column) for column in zip(*found, strict=True))
    a, b, c, d = (float(part.mean()) for part in (forecast, was, forecast_apart, was_apart))
    low, high = np.quantile(forecast.mean(axis=0) / was.mean(axis=0), [0.1, 0.9])
    return f"{a:.3f} | {b:.3f} | {a / b:.2f} | {low:.2f} to {high:.2f} | {c:.3f} | {d:.3f} | {c / d:.2f}"


def one(known: Known, budget: int, design: Any, pilot: str, seed: int, shares: Any) -> tuple[Any, Any, Any, Any]:
    """Widths forecast and found, of runs and of differences."""
    nothing = Judgments(known.campaign, np.full(len(known.full.labels), POOLED, dtype=np.int32))
    first = 0 if pilot == "none" else int(budget * float(pilot))
    start = known.filled(nothing, first, "uniform", seed) if first else nothing
    runs = known.campaign.runs
    random = np.random.default_rng(0)  # as the forecast of a typical difference draws them
    pairs = [tuple(runs[n] for n in sorted(random.choice(len(runs), 2, replace=False))) for _ in range(MOST_PAIRS)]
    made = with_labels(known.campaign, start).plan(
        budget=budget - first, design=design, depth=NO_DEEPER,
        edges=(5, 20, 50) if design == "stratified" else None, measure=known.measure, seed=1000 + seed,
        contributing=known.contributing, forecast=True, difference=None, topic_shares=shares,
    )  # fmt: skip
    places = np.array([known.place[pair] for pair in zip(made.topic, made.document, strict=True)])
    rounds, strata = (np.zeros(len(known.full.labels), dtype=np.int32) for _ in range(2))
    rounds[places], strata[places] = made.round, made.stratum
    labels = np.where(rounds > 0, known.full.labels, POOLED).astype(np.int32)
    sample = Judgments(known.campaign, labels, strata=strata, rounds=rounds, top=known.full.top)
    found = known.campaign.estimate(
        known.measure, judgments=sample, predictions=known.features, threads=1, steadied=False,
        outside="nonrelevant", difference=pairs,
    )  # fmt: skip
    forecast, apart = made.forecast, found.differences
    at = forecast.labels.index(forecast.planned)
    return (
        forecast.widths[:-1, at], (found.mean_high() - found.mean_low())[:, 0], forecast.widths[-1, at],
        (apart.high - apart.low).mean(),
    )  # fmt: skip


if __name__ == "__main__":
    main()
