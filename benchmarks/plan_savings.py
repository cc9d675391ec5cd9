"""How many labels plans save: the same error of A - B with uniform draws, strata, a model, predictions, or a deep pool.

    python benchmarks/plan_savings.py QRELS RUNS --keep FILE (--models LABELS ... | --auc .8) [--runs 20]
                                      [--labels 100 200] [--trials 50] [--measures AP nDCG@10] [--plans stratified ...]
                                      [--judged 1]
    python benchmarks/plan_savings.py --table FILE [FILE] [--steadied]

The pool is what QRELS lists, and plans are made before anything is judged. Every sample is a line of the file that
`--keep` names, so that work goes on where it ended. `--table` prints RMSE and coverage, and how many labels each plan
needs for the error of `stratified`, as squared errors fall in proportion to labels: the ratio of squared errors, its
geometric mean over numbers of labels, and its standard error over samples. Plain values, or with `--steadied` those
that are steadied by all runs; both are kept.
`--judged .4` stops when the first 40 % of a plan are judged. `depth` judges pools of depth 1, 2, ... in full and scores
with all else non-relevant: no chance, but an error all the same.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from models_labels import Known, Table, kept, labels_of
from plan_widths import with_labels

from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimator import prepare
from poolwise.estimates.shrinkage import LEAST_RUNS
from poolwise.plans.plan_strata import usual_edges
from poolwise.pool.judgments import POOLED, Judgments

STEADIED = "steadied_"  # before the names of columns
NO_DEEPER = 1  # the pool is what is listed; ranks add nothing to it


class Way(NamedTuple):
    """A design, the last rank of the first of two strata, whether it is made for differences of runs, and whether plans
    and estimates know the predictions."""

    design: Any
    edges: tuple[int, ...] | None = None
    apart: bool = False
    told: bool = False
    used: bool = False


PLANS = {
    "uniform": Way("uniform"),
    "stratified": Way("stratified"),
    "two strata": Way("stratified", (10,)),
    "model": Way("model"),
    "model for A - B": Way("model", apart=True),
    "stratified, estimated with predictions": Way("stratified", used=True),
    "two strata, estimated with predictions": Way("stratified", (10,), used=True),
    "model, with predictions": Way("model", told=True, used=True),
    "model for A - B, with predictions": Way("model", apart=True, told=True, used=True),
}
DEPTHS = range(1, 21)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--models", nargs="+", help="one file of labels, or several for all of them at once")
    parser.add_argument("--auc", type=float, default=0.8, help="simulate a predictor: whether relevant, plus noise")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--labels", type=int, nargs="+", default=[100, 200, 400])
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--measures", nargs="+", default=["AP", "nDCG@10"])
    parser.add_argument("--plans", nargs="+", default=list(PLANS))
    parser.add_argument("--judged", type=float, default=1.0)
    parser.add_argument("--keep")
    parser.add_argument("--steadied", action="store_true", help="tables of values steadied by all runs")
    parser.add_argument("--table", nargs="+")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    if arguments.table:
        rows = [one for file in arguments.table for one in kept(file)]
        print("\n".join(table(rows, STEADIED * arguments.steadied)))
        return
    files = sorted(Path(arguments.folder).glob("*.txt"))
    chosen = [str(files[place * len(files) // arguments.runs]) for place in range(arguments.runs)]
    planned = Planned(arguments.qrels, chosen)
    planned.judged = arguments.judged
    planned.predictions = planned.given(arguments.models, arguments.auc)
    predictions = [Path(model).stem for model in arguments.models or ()] or [f"AUC {arguments.auc}"]
    about = {"predictions": predictions, "judged": arguments.judged}
    before = kept(arguments.keep)
    if any(one.get(name, value) != value for one in before for name, value in about.items()):
        parser.error(f"{arguments.keep} holds samples with other predictions or another share; name another file")
    done = {(one["measure"], one["labels"], one["plan"], one["seed"]) for one in before}
    with open(arguments.keep, "a", encoding="utf-8") as file:
        for measure in arguments.measures:
            rows = [] if (measure, 0, "depth", 1) in done else planned.depths(measure)
            file.write("".join(json.dumps(row) + "\n" for row in rows))
        for seed in range(arguments.trials):
            asked = [(m, n, name) for m in arguments.measures for n in arguments.labels for name in arguments.plans]
            for one in asked:
                if (*one, seed) not in done:
                    file.write(json.dumps({**planned.error(*one, seed), **about}) + "\n")
                    file.flush()


class Planned(Known):
    """A campaign with complete judgments, and plans of it."""

    predictions: list[Table]
    judged = 1.0  # the share of a plan that is judged, in its order

    @cached_property
    def plain(self) -> Any:
        return prepare(self.campaign, self.full, threads=1)

    @cached_property
    def helped(self) -> Any:
        return prepare(self.campaign, self.full, self.predictions, threads=1)

    @cached_property
    def contributing(self) -> list[str]:
        """Runs whose first documents are all listed, so that plans of depth 1 add nothing to the pool."""
        sizes = np.diff(self.full.offsets)
        return [
            run
            for number, run in enumerate(self.campaign.runs)
            if all(
                (np.asarray(self.campaign.all_documents(number, topic))[:1] < size).all()
                for topic, size in enumerate(sizes)
            )
        ]

    @cached_property
    def place(self) -> dict[tuple[str, str], int]:
        sizes = np.diff(self.full.offsets)
        return {
            (topic, document): int(begin) + number
            for topic, begin, size in zip(self.campaign.topics, self.full.offsets, sizes, strict=False)
            for number, document in enumerate(self.campaign.documents(topic)[:size])
        }

    def given(self, models: list[str] | None, auc: float) -> list[Table]:
        return [labels_of(name) for name in models] if models else [self.simulated(auc)]

    def simulated(self, auc: float) -> Table:
        """Whether a label is positive, plus normal noise that gives this chance of the right order."""
        from scipy.stats import norm

        random, noise = np.random.default_rng(3), 1.0 / (np.sqrt(2.0) * float(norm.ppf(auc)))
        return {
            topic: {d: float(label > 0) + noise * float(random.normal()) for d, label in self.full.of(topic).items()}
            for topic in self.campaign.topics
        }

    def depths(self, measure: str) -> list[dict[str, Any]]:
        """The error of scores from pools of each depth, judged in full."""
        truth, rows = self.truth((measure,)), []
        for depth in DEPTHS:
            within = (self.best_rank > 0) & (self.best_rank <= depth)
            kept_labels = np.where(within, self.full.labels, POOLED).astype(np.int32)
            scored = self.campaign.score(measure, judgments=Judgments(self.campaign, kept_labels, top=self.full.top))
            error = scored.means() - truth
            apart = error[self.pairs[:, 0]] - error[self.pairs[:, 1]]
            squares = {
                "runs_of": [0.0, float((error**2).mean()), 0.0],
                "pairs_of": [0.0, float((apart**2).mean()), 0.0],
            }
            found = {"measure": measure, "labels": int(within.sum()), "plan": "depth", "seed": depth, **squares}
            rows.append(found)
        return [*rows, {**rows[0], "labels": 0}]

    def error(self, measure: str, labels: int, name: str, seed: int) -> dict[str, Any]:
        """Mean width, mean squared error, share of truths held: of runs and of differences."""
        way = PLANS[name]
        sample = self.sample_of(labels, way, measure, seed)
        enough = len(self.campaign.runs) >= LEAST_RUNS
        found = self.estimated(sample, self.helped if way.used else self.plain, (measure,), enough)
        row: dict[str, Any] = {"measure": measure, "labels": labels, "plan": name, "seed": seed}
        for steadied in (False, True) if enough else (False,):
            for who, (error, width, held) in zip(
                ("runs_of", "pairs_of"), self.errors(found, (measure,), steadied), strict=True
            ):
                row[STEADIED * steadied + who] = [float(np.mean(one)) for one in (width, error**2, held)]
        return row

    def sample_of(self, labels: int, way: Way, measure: str, seed: int) -> Judgments:
        """What a plan draws, with its labels."""
        edges = way.edges
        nothing = Judgments(self.campaign, np.full(len(self.full.labels), POOLED, dtype=np.int32))
        if way.design == "stratified" and edges is None:  # as for a pool of depth 100
            edges = usual_edges(labels, len(self.campaign.topics), 100)
        made = with_labels(self.campaign, nothing).plan(
            budget=labels, design=way.design, depth=NO_DEEPER, measure=measure, seed=seed,
            predictions=self.predictions if way.told else None, contributing=self.contributing, edges=edges,
            difference="all" if way.apart else None,
        )  # fmt: skip
        places = np.array([self.place[pair] for pair in zip(made.topic, made.document, strict=True)])
        rounds, strata = (np.zeros(len(self.full.labels), dtype=np.int32) for _ in range(2))
        rounds[places], strata[places] = made.round, made.stratum
        drawn = np.full(len(self.full.labels), POOLED, dtype=np.int32)
        first = places[np.array(made.round) > 0][
            : round(self.judged * labels)
        ]  # a plan lists them in the order to judge
        drawn[first] = self.full.labels[first]
        return Judgments(self.campaign, drawn, strata=strata, rounds=rounds, top=self.full.top)


def table(rows: list[dict[str, Any]], form: str = "") -> list[str]:
    """RMSE and coverage by plan and number of labels; then labels needed."""
    found: dict[Any, dict[int, Any]] = defaultdict(dict)
    for row in rows:
        if row["labels"] and form + "pairs_of" in row:
            found[row["measure"], row["plan"], row["labels"]][row["seed"]] = row
    lines = ["| measure | plan | labels | samples | RMSE | % | A - B: RMSE | % |"]
    for (measure, name, labels), own in sorted(found.items()):
        runs, pairs = (np.array([one[form + who] for one in own.values()]) for who in ("runs_of", "pairs_of"))
        error = 100.0 * pairs[:, 2].std() / np.sqrt(max(len(pairs) - 1, 1))
        lines.append(
            f"| {measure} | {name} | {labels} | {len(own)} | {np.sqrt(runs[:, 1].mean()):.4f} | "
            f"{100 * runs[:, 2].mean():.1f} | {np.sqrt(pairs[:, 1].mean()):.4f} | {100 * pairs[:, 2].mean():.1f} "
            f"± {error:.1f} |"
        )
    squares = {key: {seed: one[form + "pairs_of"][1] for seed, one in own.items()} for key, own in found.items()}
    return lines + _needed(squares)


def _needed(squares: dict[Any, dict[int, float]]) -> list[str]:
    """Labels for the error of `stratified`, as a share of its own: errors being squared, they fall as labels grow."""
    lines = ["", "| measure | plan | samples | labels for the same error of A - B |"]
    for measure, name in dict.fromkeys(key[:2] for key in sorted(squares)):
        both = [
            (squares[key], squares[measure, "stratified", key[2]])
            for key in sorted(squares)
            if key[:2] == (measure, name) and (measure, "stratified", key[2]) in squares
        ]
        seeds = sorted(set.intersection(*(set(own) & set(base) for own, base in both))) if both else []
        if len(seeds) > 1:
            table = np.array([[[part[seed] for part in pair] for seed in seeds] for pair in both])
            share, error = _share(table), _jackknife(table)
            lines.append(f"| {measure} | {name} | {len(seeds)} | {share:.2f} ({error:.2f}) |")
    return lines


def _share(table: Any) -> float:
    """The geometric mean over numbers of labels of one mean squared error over the other: labels x seeds x 2."""
    own, base = table.mean(axis=1).T
    return float(np.exp(np.log(own / base).mean()))


def _jackknife(table: Any) -> float:
    """Standard error of that, seeds being left out one by one."""
    seeds = table.shape[1]
    without = [_share(np.delete(table, seed, axis=1)) for seed in range(seeds)]
    return float(np.sqrt((seeds - 1) * np.var(without)))


if __name__ == "__main__":
    main()
