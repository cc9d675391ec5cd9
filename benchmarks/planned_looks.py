"""Do bands hold at every look while a plan for the difference of two runs is judged in its order?

    python benchmarks/planned_looks.py QRELS RUNS [--design model] [--labels 400] [--trials 100] [--first 0]

Two runs drawn at random, 30 topics, pools of depth 20, a plan for A - B in AP and in nDCG@10 in turn, judged in its own
order with thirteen looks from a quarter of its labels to all. What the judgments do not list is non-relevant; the truth
is the difference by complete labels of the pool. Prints how often bands hold at all looks, between which shares usual
intervals and bands hold at single looks, the mean width of the last band and that of the usual interval there.
"""

from __future__ import annotations

import argparse
import random
import warnings
from typing import Any

import numpy as np
from stopping import MEASURES, Collection

import poolwise as pw
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.interim_looks import Looks

SHARES = np.linspace(0.25, 1.0, 13)
TOPICS, DEPTH = 30, 20
ROUNDING = 1e-12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs")
    parser.add_argument("--design", default="model")
    parser.add_argument("--labels", type=int, default=400)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the number of the first trial, which draws others")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    collection = Collection(arguments.qrels, arguments.runs)
    numbers = range(arguments.first, arguments.first + arguments.trials)
    paths = np.array([path(collection, trial, arguments.design, arguments.labels) for trial in numbers])
    print(
        "| measure | campaigns | band at all looks | usual at single looks | band at single looks | last band | usual |"
    )
    print("|---|---:|---:|---|---|---:|---:|")
    for number, measure in enumerate(MEASURES):
        print(f"| {measure} | {row(paths[[trial % len(MEASURES) == number for trial in numbers]])} |")


def path(collection: Collection, trial: int, design: Any, labels: int) -> Any:
    """Looks x (truth, ends of the usual interval, ends of the band, which are NaN where there is none)."""
    chance, measure = random.Random(f"planned {trial}"), MEASURES[trial % len(MEASURES)]
    topics = chance.sample(sorted(collection.labels), min(TOPICS, len(collection.labels)))
    runs = collection.runs(chance, 2, topics)
    plan = pw.read(None, runs).plan(
        budget=labels, depth=DEPTH, seed=trial, design=design, measure=measure, difference=tuple(runs)
    )
    known, todo = collection.known(plan), plan.to_judge()
    complete = pw.read(known, runs)
    a, b = (complete.score(measure).means()[complete.run_number(run), 0] for run in runs)
    looks, found = Looks(plan), []
    for share in SHARES:
        judged: Any = plan.merge([(t, d, known[t][d]) for t, d in todo[: round(share * len(todo))]])
        estimate = pw.read(judged, runs).estimate(measure, steadied=False, difference=tuple(runs), looks=looks)
        pair, looks = estimate.differences, estimate.looks or looks
        assert pair is not None
        assert pair.band_low is not None
        assert pair.band_high is not None
        found.append([a - b, pair.low[0], pair.high[0], pair.band_low[0], pair.band_high[0]])
    return found


def row(paths: Any) -> str:
    """Shares held and widths; a look without a band leaves nothing out."""
    truth, low, high, band_low, band_high = np.moveaxis(paths, 2, 0)
    usual = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
    band = np.isnan(band_low) | ((band_low <= truth + ROUNDING) & (truth <= band_high + ROUNDING))
    single = " | ".join(f"{100 * each.mean(0).min():.0f} to {100 * each.mean(0).max():.0f} %" for each in (usual, band))
    widths = " | ".join(f"{np.nanmean(each[:, -1]):.3f}" for each in (band_high - band_low, high - low))
    return f"{len(paths)} | {100 * band.all(axis=1).mean():.1f} % | {single} | {widths}"


if __name__ == "__main__":
    main()
