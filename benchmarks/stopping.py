"""Stopping while judging: is a prefix of the page's order a sample, and do bands hold at every look?

    python benchmarks/stopping.py prefix QRELS RUNS [--trials 300]
    python benchmarks/stopping.py looks QRELS RUNS [--trials 300] [--least 3] [--seed looks]

Small campaigns are drawn from a collection whose judgments are the truth; documents of a pool that it does not judge
are non-relevant. `prefix`: ten runs, pools of depth 50, a plan of 3,000 documents, judged in the order of the page and
stopped at a share of the plan; intervals of all ten runs and of a difference. `looks`: two runs, 30 topics, pools of
depth 20, thirteen nested uniform samples of 6 to 50 % of the pool, and rules of when to stop. Prints Markdown.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import poolwise as pw
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimator import prepare
from poolwise.estimates.interim_looks import Looks
from poolwise.estimates.sequential_band import factors, quantile_for
from poolwise.judging.work import read_work
from poolwise.plans.judging_order import in_blocks
from poolwise.pool.judgments import POOLED
from poolwise.sampling.hashed_random import HashedRandom

MEASURES = ("AP", "nDCG@10")
SHARES = (0.1, 0.25, 0.5, 0.75)
FRACTIONS = np.linspace(0.06, 0.5, 13).round(4).tolist()
NARROW = 0.08
KEPT = 100  # ranks of a run
SEED = "looks"


class Collection:
    """Judgments and runs; a run is read when it is first drawn."""

    def __init__(self, qrels: str, runs: str) -> None:
        self.paths = sorted(path for path in Path(runs).iterdir() if path.is_file())
        self.labels: dict[str, dict[str, int]] = {}
        with open(qrels) as file:
            for topic, _, document, label in map(str.split, file):
                self.labels.setdefault(topic, {})[document] = int(label)
        self._read: dict[Path, dict[str, dict[str, float]]] = {}

    def runs(self, chance: random.Random, number: int, topics: list[str]) -> dict[str, dict[str, dict[str, float]]]:
        return {
            path.stem: {topic: ranked[topic] for topic in topics if topic in ranked}
            for path in chance.sample(self.paths, number)
            for ranked in [self._run(path)]
        }

    def _run(self, path: Path) -> dict[str, dict[str, float]]:
        if path not in self._read:
            found: dict[str, dict[str, float]] = {}
            with open(path) as file:
                for topic, _, document, _, score, _ in map(str.split, file):
                    found.setdefault(topic, {})[document] = float(score)
            self._read[path] = {
                topic: dict(sorted(listed.items(), key=lambda pair: (-pair[1], pair[0]))[:KEPT])
                for topic, listed in found.items()
            }
        return self._read[path]

    def known(self, plan: pw.Plan) -> dict[str, dict[str, int]]:
        """Complete labels of a plan's pool."""
        known: dict[str, dict[str, int]] = {}
        for topic, document in zip(plan.topic, plan.document, strict=True):
            known.setdefault(topic, {})[document] = self.labels[topic].get(document, 0)
        return known


# ---- A prefix is a sample -------------------------------------------------------------------------------------------


def prefix(collection: Collection, trials: int, budget: int = 3000) -> None:
    held = {measure: np.zeros((len(SHARES), 3)) for measure in MEASURES}
    labels = np.zeros(len(SHARES))
    for trial in range(trials):
        chance = random.Random(f"prefix {trial}")
        runs = collection.runs(chance, 10, sorted(collection.labels))
        plan = pw.read(None, runs).plan(budget=budget, depth=50, seed=trial)
        pool = pw.read(collection.known(plan), runs)
        truth = pool.score(*MEASURES).means()
        features = prepare(pool, pool.judgments, threads=1)
        pair = tuple(chance.sample(list(pool.runs), 2))
        for place, judgments in enumerate(prefixes(pool, plan)):
            found = pool.estimate(
                MEASURES, judgments=judgments, steadied=False, difference=pair, predictions=features, threads=1
            )
            labels[place] += judgments.count()
            for column, measure in enumerate(MEASURES):
                low, high = found.mean_low()[:, column], found.mean_high()[:, column]
                inside = (low <= truth[:, column] + 1e-12) & (truth[:, column] <= high + 1e-12)
                a, b = (pool.runs.index(run) for run in pair)
                gap, pairs = truth[a, column] - truth[b, column], found.differences
                of_pair = pairs.low[column] - 1e-12 <= gap <= pairs.high[column] + 1e-12
                held[measure][place] += np.array([inside.mean(), of_pair, np.mean(high - low)])
        if reports(trial, trials):
            prefix_table(held, labels, trial + 1)


def prefix_table(held: dict[str, np.ndarray], labels: np.ndarray, trials: int) -> None:
    print(f"\n{trials} trials\n")
    print(
        "| stopped at | labels | " + " | ".join(f"{measure} runs | difference | width" for measure in MEASURES) + " |"
    )
    print("|---|---|" + "---|---|---|" * len(MEASURES))
    for place, share in enumerate(SHARES):
        cells = [
            f"{100 * runs:.1f} % | {100 * pairs:.1f} % | {width:.3f}"
            for runs, pairs, width in (held[measure][place] / trials for measure in MEASURES)
        ]
        print(f"| {100 * share:.0f} % | {labels[place] / trials:.0f} | {' | '.join(cells)} |")


def prefixes(pool: pw.Campaign, plan: Any):
    """Judgments after each share of a plan, in the order of the page."""
    work = read_work(plan)
    items = work.items
    order = [item.number for block in in_blocks(items, HashedRandom(work.plan)) for item in block]
    place, begin = {}, 0
    for topic in pool.topics:
        count = int(np.diff(pool.judgments.offsets)[pool.topics.index(topic)])
        place.update({(topic, document): begin + n for n, document in enumerate(pool.documents(topic)[:count])})
        begin += count
    strata = np.ones(begin, dtype=np.int32)
    for topic, document, stratum, *_ in work.rows:
        strata[place[topic, document]] = stratum
    for share in SHARES:
        labels = np.full(begin, POOLED, dtype=np.int32)
        chosen = [place[items[n].topic, items[n].document] for n in order[: round(share * len(order))]]
        labels[chosen] = pool.judgments.labels[chosen]
        yield pw.Judgments(pool, labels, strata=strata)


# ---- Looks ----------------------------------------------------------------------------------------------------------


class Along(NamedTuple):
    """One difference along thirteen looks."""

    truth: float
    value: np.ndarray
    labels: np.ndarray
    halves: dict[str, np.ndarray]  # of each interval


def pocock(tau: float, alpha: float) -> float:
    return alpha * math.log(1 + (math.e - 1) * min(tau, 1.0))


def small_campaign(collection: Collection, chance: random.Random, least: int) -> pw.Campaign:
    """Two runs and 30 topics (fewer if there are no more) whose pools have so many relevant documents at least."""
    order = chance.sample(sorted(collection.labels), len(collection.labels))
    runs = collection.runs(chance, 2, order)
    plan = pw.read(None, runs).plan(budget=len(order), depth=20, design="uniform")
    known = collection.known(plan)
    topics = [topic for topic in order if sum(label > 0 for label in known.get(topic, {}).values()) >= least][:30]
    kept = {name: {topic: run[topic] for topic in topics if topic in run} for name, run in runs.items()}
    return pw.read({topic: known[topic] for topic in topics}, kept)


def path_of(collection: Collection, trial: int, least: int, seed: str = SEED) -> list[Along]:
    pool = small_campaign(collection, random.Random(f"{seed} {trial}"), least)
    draw = trial if seed == SEED else trial + 100_000
    truth = pool.score(*MEASURES).means()
    features = prepare(pool, pool.judgments, threads=1)
    looks, seen, labels = Looks(FRACTIONS[-1]), [], []
    for fraction in FRACTIONS:
        judgments = pool.judgments.sample("uniform", fraction=fraction, seed=draw)
        found = pool.estimate(
            MEASURES, judgments=judgments, steadied=False, difference=tuple(pool.runs), predictions=features,
            looks=looks, threads=1,
        )  # fmt: skip
        looks = found.looks or looks
        seen.append(found.differences)
        labels.append(judgments.count())
    return [along(seen, column, float(truth[0, column] - truth[1, column]), labels, looks) for column in (0, 1)]


def along(seen: list, column: int, truth: float, labels: list[int], looks: Looks) -> Along:
    value, low, high, band_low, band_high, error, df = (
        np.array([getattr(look, name)[column] for look in seen])
        for name in ("difference", "low", "high", "band_low", "band_high", "standard_error", "df")
    )
    key = f"{seen[0].measure[column]} {seen[0].run_a[column]} - {seen[0].run_b[column]}"
    taus = {look.labels: look.rows[key].tau for look in looks.seen if key in look.rows}
    # A look at which there is no interval yet shows nothing.
    spent = dict(zip(taus, factors(list(taus.values()), 0.05, pocock), strict=True))
    scaled = {
        "Pocock-like spending": [spent.get(judged, math.inf) for judged in labels],
        "Bonferroni over 13 looks": [2.8905] * len(seen),
    }
    wide = {
        name: np.array([quantile_for(c, d) * e for c, d, e in zip(many, df, error, strict=True)])
        for name, many in scaled.items()
    }
    halves = {"usual": (high - low) / 2, "O'Brien-Fleming spending": (band_high - band_low) / 2, **wide}
    return Along(
        truth,
        value,
        np.array(labels),
        {name: np.where(np.isnan(half), np.inf, half) for name, half in halves.items()},
    )


class Stopped(NamedTuple):
    held: bool
    decided: bool
    wrong: bool
    labels: int


def stopped(path: Along, interval: str, rule: str) -> Stopped:
    half = path.halves[interval]
    apart = np.abs(path.value) > half
    first = {"end": np.zeros(0, int), "narrow": np.flatnonzero(2 * half < NARROW), "apart": np.flatnonzero(apart)}[rule]
    at = int(first[0]) if len(first) else len(half) - 1
    return Stopped(
        bool(abs(path.value[at] - path.truth) <= half[at] + 1e-12),
        bool(apart[at]),
        bool(apart[at] and path.value[at] * path.truth <= 0),
        int(path.labels[at]),
    )


RULES = (
    ("a number fixed before", "usual", "end"),
    (f"narrower than {NARROW}", "usual", "narrow"),
    ("leaves out 0, usual interval", "usual", "apart"),
    ("the same, O'Brien-Fleming spending", "O'Brien-Fleming spending", "apart"),
    ("the same, Pocock-like spending", "Pocock-like spending", "apart"),
    ("the same, Bonferroni over 13 looks", "Bonferroni over 13 looks", "apart"),
)


def looks(collection: Collection, trials: int, least: int = 0, seed: str = SEED) -> None:
    paths: list[list[Along]] = []
    for trial in range(trials):
        paths.append(path_of(collection, trial, least, seed))
        if reports(trial, trials):
            looks_table(paths)


def looks_table(paths: list[list[Along]]) -> None:
    for column, measure in enumerate(MEASURES):
        own = [pair[column] for pair in paths]
        each = [np.mean([abs(p.value[k] - p.truth) <= p.halves["usual"][k] + 1e-12 for p in own]) for k in range(13)]
        ends = f"{100 * min(each):.1f} to {100 * max(each):.1f} %"
        print(f"\n{len(own)} trials, {measure}: usual intervals at single looks held {ends}\n")
        print("| rule | held at the stop | wrong sign among decided | held at all looks | mean labels |")
        print("|---|---|---|---|---|")
        for name, interval, rule in RULES:
            stops = [stopped(path, interval, rule) for path in own]
            decided = [stop for stop in stops if stop.decided]
            every = [np.all(np.abs(p.value - p.truth) <= p.halves[interval] + 1e-12) for p in own]
            wrong = 100 * np.mean([stop.wrong for stop in decided]) if decided else 0.0
            print(
                f"| {name} | {100 * np.mean([stop.held for stop in stops]):.1f} % | {wrong:.2f} % of {len(decided)} "
                f"| {100 * np.mean(every):.1f} % | {np.mean([stop.labels for stop in stops]):.0f} |"
            )


BEGIN = time.monotonic()


def reports(trial: int, trials: int) -> bool:
    """Whether to print tables: at the end, and every now and then for the impatient."""
    if (trial + 1) % 10 == 0:
        print(f"{trial + 1} of {trials}, {time.monotonic() - BEGIN:.0f} s", file=sys.stderr, flush=True)
    return trial + 1 == trials or (trial + 1) % 100 == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("prefix", "looks"))
    parser.add_argument("qrels")
    parser.add_argument("runs")
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--least", type=int, default=0, help="relevant documents that a pool of looks has at least")
    parser.add_argument("--seed", default=SEED, help="a word that draws other campaigns for looks")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    collection = Collection(arguments.qrels, arguments.runs)
    if arguments.what == "prefix":
        prefix(collection, arguments.trials)
    else:
        looks(collection, arguments.trials, arguments.least, arguments.seed)


if __name__ == "__main__":
    main()
