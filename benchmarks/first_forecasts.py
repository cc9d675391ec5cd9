"""How good forecasts of widths for two runs are before any label: real width of A - B over the width forecast.

    python benchmarks/first_forecasts.py DATA [--sets simulated dl19 trec8 trec-covid5] [--pairs 30] [--runs 2]
                                         [--measures nDCG@10 AP] [--labels 200 400] [--designs stratified]

DATA has a folder for each set, with qrels.txt and a folder runs; `simulated` needs none (three campaigns of 24 runs and
40 topics as `poolwise simulate` makes them). Runs are drawn at random, a plan is made from them alone with a forecast,
its documents are judged as the complete judgments say, and the difference is estimated. Prints Markdown: mean widths
forecast and found, the mean of their ratios over pairs, and between which ratios four of five pairs lie.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from plan_depth import Collection

import poolwise as pw
from poolwise.errors import PoolwiseWarning
from poolwise.plans import planned_widths

SEED = 77


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--sets", nargs="+", default=["simulated", "dl19", "trec8", "trec-covid5"])
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "AP"])
    parser.add_argument("--labels", type=int, nargs="+", default=[200, 400])
    parser.add_argument("--designs", nargs="+", default=["stratified"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    planned_widths.SHARES = (1.0,)  # type: ignore[assignment]
    print("| set | measure | labels | design | forecast | was | mean ratio | of four in five |")
    print("|---|---|---:|---|---:|---:|---:|---|")
    for name in arguments.sets:
        simulated = [Simulated(seed) for seed in range(3)] if name == "simulated" else []
        of_set: list[Any] = simulated or [Collection(Path(arguments.data) / name, 100)]
        for measure in arguments.measures:
            for labels in arguments.labels:
                for design in arguments.designs:
                    found = [
                        one(of_set[trial % len(of_set)], arguments.runs, measure, labels, design, trial)
                        for trial in range(arguments.pairs)
                    ]
                    print(f"| {name} | {measure} | {labels} | {design} | {_row(np.array(found))} |", flush=True)


class Simulated:
    """A simulated campaign, of which every label is known."""

    def __init__(self, seed: int) -> None:
        campaign = pw.simulate(runs=24, topics=40, depth=100, pool_depth=100, seed=seed)
        self.labels = {t: {d: max(int(label), 0) for d, label in own.items()} for t, own in campaign.truth().items()}
        self.paths, self.run = list(campaign.runs), campaign.run


def one(collection: Any, number: int, measure: str, labels: int, design: Any, trial: int) -> tuple[float, float]:
    """The width of differences forecast before any label, and that found."""
    random = np.random.default_rng([SEED, trial])
    chosen = [collection.paths[place] for place in random.choice(len(collection.paths), number, replace=False)]
    runs: Any = {getattr(name, "stem", name): collection.run(name) for name in chosen}
    plan = pw.read(None, runs).plan(
        budget=labels, measure=measure, difference="all" if number > 2 else tuple(runs), design=design, seed=trial,
        forecast=True,
    )  # fmt: skip
    judged: Any = plan.merge([(t, d, collection.labels[t].get(d, 0)) for t, d in plan.to_judge()])
    found = pw.read(judged, runs).estimate(measure, difference="all", outside="nonrelevant").differences
    assert found is not None
    assert plan.forecast is not None
    return plan.forecast.mean(difference=True), float(np.mean(found.high - found.low))


def _row(found: Any) -> str:
    ratio = found[:, 1] / found[:, 0]
    low, high = np.quantile(ratio, [0.1, 0.9])
    return f"{found[:, 0].mean():.3f} | {found[:, 1].mean():.3f} | {ratio.mean():.2f} | {low:.2f} to {high:.2f}"


if __name__ == "__main__":
    main()
