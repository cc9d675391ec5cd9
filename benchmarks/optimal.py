"""Reliability of collections, and the claims of [K09] about gains and discounts, on one's own data.

    python benchmarks/optimal.py reliability --set NAME=QRELS:RUNS ... --scores DIR
    python benchmarks/optimal.py timings    [--set NAME=QRELS:RUNS]  (a simulated one if none is given)
    python benchmarks/optimal.py claims      --set NAME=QRELS:RUNS[:FIRST-LAST] [--splits 25]

RUNS is a directory of runs, FIRST-LAST a range of topics (TREC 2003 Robust has graded labels for 601-650 only).
Prints Markdown tables. [K09]: Kanoulas and Aslam, Empirical justification of the gain and discount function for nDCG.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import poolwise as pw
from poolwise.comparisons.discrimination import discriminative_power
from poolwise.lab.simulate.drawing import simulate
from poolwise.lab.weights.both import optimal_both
from poolwise.lab.weights.discount_gain import OTHER_DISCOUNTS, optimal_discount, optimal_gain
from poolwise.lab.weights.labels import RankedLabels, discounts_of, gains_of
from poolwise.lab.weights.optimum import Optimum
from poolwise.lab.weights.ranks import RankProblem
from poolwise.trust.generalizability import reliability
from poolwise.trust.ranking_agreement import agreement

MEASURES = ("AP", "nDCG", "nDCG@10", "nDCG@20", "nDCG@100", "P@10", "bpref")
TOP = 30


class Collection(NamedTuple):
    """Labels by rank, the labels and their counts, and the scores that choose the best runs."""

    name: str
    at_rank: np.ndarray
    labels: np.ndarray
    counts: np.ndarray
    precision: np.ndarray  # AP, runs x topics

    def label_matrix(self, cutoff: int) -> np.ndarray:
        return self.at_rank[:, :, :cutoff]

    def label_counts(self) -> tuple[np.ndarray, np.ndarray]:
        return self.labels, self.counts

    def top(self, number: int = TOP) -> np.ndarray:
        return np.sort(np.argsort(-self.precision.mean(axis=1), kind="stable")[:number])

    def of_runs(self, runs: np.ndarray) -> Collection:
        return self._replace(at_rank=self.at_rank[runs], precision=self.precision[runs])

    def scores(self, discounts: Any, gains: Any) -> np.ndarray:
        labels = RankedLabels.from_pool(self, len(discounts))
        problem = RankProblem.from_labels(labels, gains_of(labels.labels, gains, "zero"), "zero")
        return problem.scores(np.asarray(discounts))


def read(argument: str) -> tuple[pw.Campaign, Collection]:
    name, _, rest = argument.partition("=")
    qrels, runs, *topics = rest.split(":")
    pool = pw.read(qrels, runs)
    kept = np.arange(len(pool.topics))
    if topics:
        first, last = (int(end) for end in topics[0].split("-"))
        kept = np.array([place for place, topic in enumerate(pool.topics) if first <= int(topic) <= last])
    labels, counts = pool.label_counts()
    precision = pool.score("AP").array("AP")[:, kept]
    return pool, Collection(name, pool.label_matrix(1000)[:, kept], labels, counts[kept], precision)


def table(head: list[str], rows: list[list[Any]]) -> None:
    def cell(value: Any) -> str:
        return (
            f"{value:.4f}"
            if isinstance(value, float) and abs(value) < 1
            else f"{value:.4g}"
            if isinstance(value, float)
            else str(value)
        )

    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(cell(value) for value in row) + " |")
    print()


def reliability_row(name: str, scores: Any, measure: str) -> list[Any]:
    found = reliability(scores, measure)
    low, high = found.phi_interval()
    fewest, most = found.topics_for_interval(phi=0.95)
    below, above = found.rho2_interval()
    return [
        name,
        found.measure,
        f"{found.runs} x {found.topics}",
        *(f"{part:.6f}" for part in found.components),
        f"{found.phi():.3f} ({low:.3f} to {high:.3f})",
        f"{found.rho2():.3f} ({below:.3f} to {above:.3f})",
        f"{enough(found.topics_for(phi=0.95))} ({enough(fewest)} to {enough(most)})",
        enough(found.topics_for(rho2=0.95)),
    ]


def enough(topics: float) -> str:
    """So many topics that the coefficient is reached: with fewer it is below."""
    return str(math.ceil(topics)) if math.isfinite(topics) else "any number"


def show_reliability(sets: list[str], folder: str | None) -> None:
    tables = sorted(Path(folder).glob("*.csv")) if folder else []
    rows = [reliability_row(path.stem, pw.Scores.from_csv(path), "score") for path in tables]
    for argument in sets:
        pool, collection = read(argument)
        scores = pool.score(*MEASURES)
        rows += [reliability_row(collection.name, scores, measure) for measure in MEASURES]
    head = ["collection", "measure", "runs x topics", "system", "topic", "interaction", "Phi", "E rho^2"]
    table([*head, "topics for Phi 0.95", "for E rho^2 0.95"], rows)


def timed(task: Any) -> tuple[float, float, Any]:
    """Wall clock and processor time of the best of three, and the result."""
    best, spent, result = np.inf, np.inf, None
    for _ in range(3):
        wall, processor = time.perf_counter(), time.process_time()
        result = task()
        best, spent = min(best, time.perf_counter() - wall), min(spent, time.process_time() - processor)
    return best, spent, result


def show_timings(sets: list[str]) -> None:
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n")
    rows = []
    for argument in sets:
        _, pool = read(argument)
        tasks = {
            "discounts at 20": lambda pool=pool: optimal_discount(pool, 20),
            "discounts at 100": lambda pool=pool: optimal_discount(pool, 100),
            "discounts at 1000": lambda pool=pool: optimal_discount(pool, 1000),
            "discounts at 100, nothing held out": lambda pool=pool: optimal_discount(pool, 100, splits=0),
            "discounts at 1000, nothing held out": lambda pool=pool: optimal_discount(pool, 1000, splits=0),
            "free discounts at 100": lambda pool=pool: optimal_discount(pool, 100, monotone=False, splits=0),
            "gains at 100": lambda pool=pool: optimal_gain(pool, 100),
            "both at 20": lambda pool=pool: optimal_both(pool, 20),
            "reliability of AP": lambda pool=pool: reliability(pool.precision),
        }
        for name, task in tasks.items():
            wall, processor, found = timed(task)
            starts = getattr(found, "starts", ())
            apart = max((found.phi - start.reached for start in starts), default=0.0) if starts else 0.0
            miss = getattr(found, "violation", 0.0)
            rows.append([pool.name, name, f"{wall:.2f} s", f"{processor:.2f} s", f"{miss:.0e}", f"{apart:.0e}"])
    table(["collection", "task", "wall", "processor", "violation", "starts apart"], rows)


def mean_rank(discounts: Any) -> float:
    weights = np.asarray(discounts)
    return float(weights @ np.arange(1, len(weights) + 1) / weights.sum())


def shares(discounts: Any) -> np.ndarray:
    return np.asarray(discounts) / np.sum(discounts)


def show_discounts(pool: Collection, cutoff: int, splits: int) -> Optimum:
    found = optimal_discount(pool, cutoff, splits=splits)
    gains = found.gains
    best_scores = pool.scores(found.discounts, gains)
    rows = []
    for name, phi in {"optimal": found.phi, **found.others}.items():
        discounts = found.discounts if name == "optimal" else discounts_of(name, cutoff)
        apart = float(np.abs(shares(discounts) - shares(found.discounts)).sum() / 2)
        both = agreement(best_scores, pool.scores(discounts, gains))
        held = {part.facet: part for part in found.held_out}
        first = float(shares(discounts)[: max(1, cutoff // 10)].sum())
        rows.append([name, phi, 19 * (1 - phi) / phi, mean_rank(discounts), first, apart, both.tau, both.rmse])
        for facet in ("topics", "runs"):
            rows[-1] += [held[facet].phi[name], f"{held[facet].ahead[name]:.0%}"]
    print(f"\n{pool.name}, discounts at {cutoff}, linear gains: steps after ranks {steps_of(found)}\n")
    head = ["discount", "Phi(1)", "topics for 0.95", "mean rank", "weight of first tenth", "distance", "tau", "rms"]
    table([*head, "held-out topics", "optimum ahead", "held-out runs", "optimum ahead"], rows)
    return found


def steps_of(found: Optimum) -> str:
    values = np.append(found.discounts, 0.0)
    places = np.flatnonzero(values[:-1] - values[1:] > 1e-9) + 1
    return ", ".join(str(place) for place in places)


def show_gains(pool: Collection, cutoffs: tuple[int, ...], splits: int) -> None:
    rows: list[list[Any]] = []
    for cutoff in cutoffs:
        held = optimal_gain(pool, cutoff, splits=splits)
        free = optimal_gain(pool, cutoff, splits=0, monotone=False)
        joint = optimal_both(pool, cutoff)
        needed = [19 * (1 - phi) / phi for phi in (held.phi, *held.others.values(), free.phi, joint.phi)]
        ratio = [found.gains.get(2, 0.0) / max(found.gains.get(1, 0.0), 1e-12) for found in (held, free, joint)]
        topics = held.held_out[0]
        rows.append([cutoff, *ratio, held.phi, *held.others.values(), free.phi, joint.phi])
        rows[-1] += [" / ".join(f"{number:.0f}" for number in needed)]
        rows[-1] += [f"{topics.phi['optimal']:.4f} / {topics.phi['linear']:.4f} / {topics.phi['binary']:.4f}"]
    head = ["cut-off", "ratio", "free ratio", "joint ratio", "Phi optimal", "linear", "exp", "binary", "free", "joint"]
    print(f"\n{pool.name}, gains with the log2 discount\n")
    table([*head, "topics for 0.95, in that order", "held-out topics: optimal / linear / binary"], rows)


def show_power(pool: Collection, cutoff: int) -> None:
    """Stability beside discriminative power, over the best runs by AP ([K09] section 3.4)."""
    part = pool.of_runs(pool.top(min(TOP, len(pool.at_rank))))
    joint, fitted = optimal_both(pool, cutoff), optimal_both(part, cutoff)
    given: dict[str, tuple[Any, Any]] = {"optimal gain and discount": (joint.discounts, joint.gains)}
    given["optimum of these runs alone"] = (fitted.discounts, fitted.gains)
    for discount in OTHER_DISCOUNTS:
        for gain in ("linear", "exp", "binary") if np.sum(pool.labels > 0) > 1 else ("linear",):
            given[f"{gain} gain, {discount} discount"] = (discounts_of(discount, cutoff), gain)
    rows = []
    for name, (discounts, gains) in given.items():
        scores = part.scores(discounts, gains)
        power = discriminative_power(scores, seed=1)
        phi = reliability(scores)
        whole = reliability(pool.scores(discounts, gains))
        rows.append([name, whole.phi(1), phi.phi(1), phi.rho2(1), power.power, float(np.mean(power.asl))])
    numbers = np.array([row[1:] for row in rows[2:]])
    print(f"\n{pool.name}, top {len(part.at_rank)} runs by AP, cut-off {cutoff}\n")
    table(["variant", "Phi(1), all runs", "Phi(1), top", "E rho^2(1), top", "power at 0.05", "mean ASL"], rows)
    for column, name in ((0, "Phi, all runs"), (1, "Phi, top"), (2, "E rho^2, top")):
        found = agreement(numbers[:, column], numbers[:, 3])
        print(f"tau between {name} and power over the {len(numbers)} common variants: {found.tau:.3f}")
    print()


def show_claims(sets: list[str], splits: int) -> None:
    for argument in sets:
        _, pool = read(argument)
        for cutoff in (10, 20, 100, 1000):
            show_discounts(pool, cutoff, splits)
        if np.sum(pool.labels > 0) > 1:
            show_gains(pool, (3, 10, 20, 100, 200), splits)
        for cutoff in (20, 100):
            show_power(pool, cutoff)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["reliability", "timings", "claims"])
    parser.add_argument("--set", action="append", default=[], dest="sets", metavar="NAME=QRELS:RUNS")
    parser.add_argument("--scores", metavar="DIR", help="a folder of CSV tables, topics x systems")
    parser.add_argument("--splits", type=int, default=25)
    given = parser.parse_args()
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    if given.what == "reliability":
        show_reliability(given.sets, given.scores)
    elif given.what == "timings" and given.sets:
        show_timings(given.sets)
    elif given.what == "timings":
        with tempfile.TemporaryDirectory() as folder:
            simulate(runs=100, topics=50, depth=1000, seed=1, negative=0.0).write(Path(folder))
            show_timings([f"simulated={folder}/qrels.txt:{folder}/runs"])
    else:
        show_claims(given.sets, given.splits)


if __name__ == "__main__":
    main()
