"""How few labels the best plan could do with: documents drawn by what each label would move, which no plan knows.

    python benchmarks/plan_oracle.py QRELS RUNS (--models LABELS ... | --auc .8) [--runs 20] [--labels 400]
                                     [--measures AP nDCG@10]

To first order, the error of A - B is the sum over documents of (1 - rate) / rate times the square of a label's residual
times what it moves (`prediction_gain.py`). The oracle sets every document's rate, at equal labels per topic, in
proportion to the root of what it expects of that: it knows what labels move, and their probabilities from a model that
was told nine tenths of all labels and the predictions. Prints squared errors as shares of those of `stratified` without
predictions, which are shares of labels for the same error. In between stand the plan's own worths, each document having
a rate of its own in place of its stratum's, before any label and when the labels of all other topics are known: a plan
may not learn from a topic's own labels how to draw from it. A second round might, if it stood for itself: what round 1
judged is known, the rest is drawn anew, and both rounds' estimates count by their variances. That is tried with half of
the labels in each round, every document with a rate of its own in round 2. (For measures with a cut-off these three say
nothing: documents that are worth next to nothing to a plan get next to no rate of their own.)
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from plan_savings import NO_DEEPER, PLANS, Planned
from prediction_gain import influences, unexplained

from poolwise.errors import PoolwiseWarning
from poolwise.plans.label_value import LabelValue
from poolwise.plans.listing import list_pool
from poolwise.plans.plan_strata import make_cells, set_strata
from poolwise.pool.judgments import POOLED, Judgments

LEAST = 1e-9  # no document is without a chance
HALVINGS = 60
FIRST_ROUNDS = 6  # drawn, to see what a second one could learn from each
OURS = "model for A - B, with predictions"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("folder")
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--auc", type=float, default=0.8)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--labels", type=int, default=400)
    parser.add_argument("--measures", nargs="+", default=["AP", "nDCG@10"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    files = sorted(Path(arguments.folder).glob("*.txt"))
    planned = Planned(arguments.qrels, [str(files[n * len(files) // arguments.runs]) for n in range(arguments.runs)])
    planned.predictions = planned.given(arguments.models, arguments.auc)
    print(
        "| measure | stratified with predictions | model for A - B, with predictions | each document by itself | "
        "told of other topics | two rounds | oracle |"
    )
    for measure in arguments.measures:
        print(
            f"| {measure} | "
            + " | ".join(f"{share:.2f}" for share in shares(planned, measure, arguments.labels))
            + " |"
        )


def shares(planned: Planned, measure: str, labels: int) -> list[float]:
    """Squared errors by the plans' own rates and by the oracle's, relative to `stratified` without predictions."""
    plain, helped = (moved(planned, measure, given) for given in (None, planned.predictions))
    stratified, model = (rates(planned, labels, name, measure) for name in ("stratified", OURS))
    nothing = Judgments(planned.campaign, np.full(len(planned.full.labels), POOLED, dtype=np.int32))
    scores = [worths(planned, measure, known) for known in (nothing, planned.full)]
    single = [in_proportion(planned, score, labels) for score in (*scores, np.sqrt(expected(planned, measure)))]
    *squares, oracle = (left(helped, rate) for rate in (stratified, model, *single))
    base = left(plain, stratified)
    return [square / base for square in (*squares, two_rounds(planned, measure, labels, helped), oracle)]


def two_rounds(planned: Planned, measure: str, labels: int, squares: Any) -> float:
    """What stays open of both rounds' estimates together, on average over first rounds."""
    first, found = left(squares, rates(planned, labels // 2, OURS, measure)), []
    for seed in range(FIRST_ROUNDS):
        sample = planned.sample_of(labels // 2, PLANS[OURS], measure, seed)
        known = sample.labels != POOLED
        rate = in_proportion(planned, np.where(known, 0.0, worths(planned, measure, sample, ByOwnLabels)), labels // 2)
        second = left(np.where(known, 0.0, squares), rate)
        found.append(1.0 / (1.0 / first + 1.0 / second))
    return float(np.mean(found))


class ByOwnLabels(LabelValue):
    """Worths from all labels, those of the topic itself among them."""

    def by_document(self) -> Any:
        topics = range(len(self._pool.topics))
        return np.sqrt(np.concatenate([self._left_of_documents(t, self._labels, self.model, 0.0) for t in topics]))


def worths(planned: Planned, measure: str, known: Judgments, kind: type[LabelValue] = LabelValue) -> Any:
    """What the plan takes each document's label to be worth, from the labels of other topics."""
    pool = planned.campaign
    listing = set_strata(list_pool(pool, known, NO_DEEPER, planned.contributing, 0), ())
    worth = kind(pool, listing, make_cells(listing), measure, "all", known.top, planned.predictions)
    return worth.by_document()


def moved(planned: Planned, measure: str, given: Any) -> Any:
    """Of each document: the mean over pairs of runs of its squared residual times what its label moves."""
    of_runs = (influences(planned, measure) * unexplained(planned, measure, given)).sum(axis=2)
    return ((of_runs[planned.pairs[:, 0]] - of_runs[planned.pairs[:, 1]]) ** 2).mean(axis=0)


def expected(planned: Planned, measure: str) -> Any:
    """The same as the oracle expects it: by probabilities, not by residuals; steps of classes count one by one."""
    steps = influences(planned, measure)
    apart = steps[planned.pairs[:, 0]] - steps[planned.pairs[:, 1]]
    truth = unexplained(planned, measure, planned.predictions)
    chance = np.where(truth > 0.0, 1.0 - truth, -truth)  # of class g or more: a residual is 1 - p, or -p
    return ((apart**2).mean(axis=0) * chance * (1.0 - chance)).sum(axis=1)


def rates(planned: Planned, labels: int, name: str, measure: str) -> Any:
    """The share that a plan draws of each stratum of each topic."""
    sample = planned.sample_of(labels, PLANS[name], measure, 0)
    topic = np.repeat(np.arange(len(planned.campaign.topics)), np.diff(planned.full.offsets))
    cell = topic * (int(sample.strata.max()) + 1) + sample.strata
    drawn, size = (np.bincount(cell, each) for each in (sample.labels != POOLED, np.ones(len(cell))))
    return (drawn / np.maximum(size, 1.0))[cell]


def in_proportion(planned: Planned, score: Any, labels: int) -> Any:
    """Rates in proportion to a score, none above 1, with equal labels per topic."""
    each, rate = labels / len(planned.campaign.topics), np.ones(len(score))
    for begin, end in zip(planned.full.offsets[:-1], planned.full.offsets[1:], strict=True):
        own = score[begin:end] + LEAST
        factor = each / own.sum()
        for _ in range(HALVINGS):
            factor *= min(each, end - begin) / np.minimum(factor * own, 1.0).sum()
        rate[begin:end] = np.minimum(factor * own, 1.0)
    return rate


def left(squares: Any, rate: Any) -> float:
    """The sum that stays open."""
    open_rates = np.maximum(rate, 1e-6)
    return float((squares * (1.0 - open_rates) / open_rates).sum())


if __name__ == "__main__":
    main()
