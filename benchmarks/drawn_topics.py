"""How often intervals hold where a budget is below a label per topic, and topics are drawn.

    python benchmarks/drawn_topics.py QRELS RUNS [--every 8] [--depth 30] [--labels 20 28] [--trials 200]

Runs keep their judged documents, so that every label of a plan is known; the truth are the scores of all topics by all
labels of the plan's pool. Every trial is another plan, judged in full. Prints what is held with the ends as they are,
and with symmetric ones, and the truth above and below; mean squared errors over variances; and what is held of A - B.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

import poolwise as pw
from poolwise.basics.numbers import student_quantile

MEASURES = ("AP", "nDCG@10", "P@10")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--depth", type=int, default=30)
    parser.add_argument("--labels", type=int, nargs="+", default=[20, 28])
    parser.add_argument("--trials", type=int, default=200)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    labels, runs = judged_runs(arguments)
    full = pw.read({topic: {d: labels[topic][d] for d in pooled(runs, topic)} for topic in labels}, runs)
    truth = full.score(*MEASURES).means()
    print("| labels | measure | trials | held | symmetric | above | below | MSE / V | A - B | MSE / V |")
    for count in arguments.labels:
        trials = [trial(labels, runs, count, seed) for seed in range(arguments.trials)]
        for number, measure in enumerate(MEASURES):
            print(row(count, measure, number, trials, truth), flush=True)


def judged_runs(
    arguments: argparse.Namespace,
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """All labels, and the first judged documents of some runs."""
    whole = pw.read(arguments.qrels, *arguments.runs)
    labels = {topic: whole.judgments.of(topic) for topic in whole.topics}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for number in range(0, len(whole.runs), arguments.every):
        own = runs[whole.runs[number]] = {}
        for place, topic in enumerate(whole.topics):
            documents = whole.documents(topic)
            _, found = (np.asarray(part, dtype=np.int64) for part in whole.known(number, place))
            own[topic] = {documents[d]: -float(rank) for rank, d in enumerate(found[: arguments.depth].tolist())}
    return labels, runs


def pooled(runs: dict[str, Any], topic: str) -> set[str]:
    return {document for run in runs.values() for document in run[topic]}


def trial(labels: dict[str, dict[str, int]], runs: dict[str, Any], count: int, seed: int) -> tuple[np.ndarray, ...]:
    """Values, ends, errors and degrees of freedom of runs, and of differences of all pairs."""
    plan = pw.read(None, runs).plan(budget=count, measure="AP", depth=1000, seed=seed)
    judged = plan.merge([(topic, document, labels[topic][document]) for topic, document in plan.to_judge()])
    found = pw.read(judged, runs).estimate(*MEASURES, difference="all", steadied=False, outside="nonrelevant")
    pairs = found.differences
    assert pairs is not None
    alone = np.stack([found.means(), found.mean_low(), found.mean_high(), found.standard_error, found.df])
    return alone, np.stack([pairs.difference, pairs.low, pairs.high, pairs.standard_error, pairs.df])


def row(count: int, measure: str, number: int, trials: list[tuple[np.ndarray, ...]], truth: np.ndarray) -> str:
    alone = np.stack([one[0][:, :, number] for one in trials])
    size = trials[0][1].shape[1] // len(MEASURES)
    pairs = np.stack([one[1][:, number * size : (number + 1) * size] for one in trials])
    true = truth[:, number]
    first, second = np.triu_indices(len(true), 1)
    value, low, high, error, df = (alone[:, part] for part in range(5))
    known = np.isfinite(low)
    half = student_quantile(np.minimum(df, 1e9), 0.975) * error
    held = (low - 1e-9 <= true) & (true <= high + 1e-9)
    symmetric = np.abs(value - true) <= half + 1e-9
    difference, low_d, high_d, error_d = (pairs[:, part] for part in range(4))
    held_d = (low_d - 1e-9 <= (true[first] - true[second])) & ((true[first] - true[second]) <= high_d + 1e-9)
    noise = 100 * held.mean(axis=1).std() / np.sqrt(len(held))
    return (
        f"| {count} | {measure} | {len(trials)} | {100 * held[known].mean():.1f} ({noise:.1f}) | "
        f"{100 * symmetric[known].mean():.1f} | {100 * (true > high + 1e-9)[known].mean():.1f} | "
        f"{100 * (true < low - 1e-9)[known].mean():.1f} | "
        f"{((value - true) ** 2)[known].mean() / (error**2)[known].mean():.2f} | "
        f"{100 * held_d[np.isfinite(low_d)].mean():.1f} | "
        f"{np.nanmean((difference - true[first] + true[second]) ** 2) / np.nanmean(error_d**2):.2f} | "
        f"width {np.nanmean(high - low):.3f} bias {np.nanmean(value - true):+.3f} none {100 * (~known).mean():.0f} %"
    )


if __name__ == "__main__":
    main()
