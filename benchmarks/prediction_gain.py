"""What predictions add to a model that knows nearly all labels: the first-order error that is left with and without.

    python benchmarks/prediction_gain.py QRELS RUNS --models A.txt B.txt [--runs 20] [--labels 200]

The relevance model learns from nine tenths of all labels and predicts the rest, ten times over, with and without each
model's labels. The residuals, times how much each label moves a score at the true labels, are what a sample in the two
strata of `models_labels.py` leaves to chance. Prints the error with predictions relative to that without, of runs and
of differences. Where labels are few predictions also say how topics differ, and may bring more than that.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from models_labels import MEASURES, Known, labels_of

from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimator import prepare
from poolwise.estimates.layout import Layout
from poolwise.estimates.model import fit_model
from poolwise.estimates.targets import target_of
from poolwise.measures.registry import parse
from poolwise.plans.label_value import Influence
from poolwise.pool.judgments import POOLED, Judgments

FOLDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("folder")
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--labels", type=int, default=200)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    files = sorted(Path(arguments.folder).glob("*.txt"))
    known = Known(arguments.qrels, [str(files[n * len(files) // arguments.runs]) for n in range(arguments.runs)])
    spoken_for = weights(known, arguments.labels)
    print("| predictions | " + " | ".join(f"{measure}: runs | A - B" for measure in MEASURES) + " |")
    without = {measure: left(known, measure, None, spoken_for) for measure in MEASURES}
    for name in arguments.models:
        cells = []
        for measure in MEASURES:
            own = left(known, measure, labels_of(name), spoken_for)
            cells += [f"{np.mean(one / none):.2f}" for one, none in zip(own, without[measure], strict=True)]
        print(f"| {Path(name).stem} | " + " | ".join(cells) + " |", flush=True)


def weights(known: Known, labels: int) -> Any:
    """(1 - pi) / pi of every document, each stratum of each topic getting half of the topic's labels."""
    each, rate = labels / len(known.campaign.topics) / 2, np.ones(len(known.full.labels))
    for begin, end in zip(known.full.offsets[:-1], known.full.offsets[1:], strict=True):
        for stratum in (1, 2):
            own = begin + np.flatnonzero(known.stratum[begin:end] == stratum)
            rate[own] = min(each / max(len(own), 1), 1.0)
    return (1.0 - rate) / rate


def left(known: Known, measure: str, given: Any, spoken_for: Any) -> tuple[Any, Any]:
    """What is left to chance of each run and of each difference: the root of the first-order variance."""
    residuals, steps = unexplained(known, measure, given), influences(known, measure)
    of_runs = (steps * residuals).sum(axis=2)
    of_pairs = of_runs[known.pairs[:, 0]] - of_runs[known.pairs[:, 1]]
    topics = len(known.campaign.topics)
    both = [np.sqrt(part**2 @ spoken_for) / topics for part in (of_runs, of_pairs)]
    return both[0], both[1]


def unexplained(known: Known, measure: str, given: Any) -> Any:
    """Documents x classes: whether the class is g or more, less its chance by a model that has not seen the label."""
    features = prepare(known.campaign, known.full, given, threads=1)
    fold = np.random.default_rng(0).integers(0, FOLDS, len(known.full.labels))
    parts = []
    for number in range(FOLDS):
        labels = np.where(fold == number, POOLED, known.full.labels).astype(np.int32)
        layout = Layout.of(known.campaign, Judgments(known.campaign, labels, top=known.full.top))
        target = target_of(parse(measure), layout)
        model = fit_model(layout, features, target.classes(layout), target.grades)
        parts.append(np.cumprod([stage.p for stage in model.stages], axis=0).T)
    truth = target_of(parse(measure), Layout.of(known.campaign, known.full))
    classes = truth.classes(Layout.of(known.campaign, known.full))
    predicted = np.stack(parts)[fold, np.arange(len(fold))]
    return (classes[:, None] > np.arange(predicted.shape[1])) - predicted


def influences(known: Known, measure: str) -> Any:
    """Runs x documents x classes: how much a score moves from class g - 1 to class g, at the true labels."""
    influence, full = Influence(measure, int(known.full.top)), known.full
    gain = np.array([influence.gain(int(label)) for label in full.labels])
    gains = np.unique(gain[gain > 0])
    found = np.zeros((len(known.campaign.runs), len(gain), len(gains)))
    for topic, (begin, end) in enumerate(zip(full.offsets[:-1], full.offsets[1:], strict=True)):
        certain = (gain[begin:end] == gains[:, None]).astype(float)
        for run in range(len(found)):
            ranking = np.asarray(known.campaign.all_documents(run, topic))
            rank, listed = np.zeros(end - begin), ranking < end - begin
            rank[ranking[listed]] = np.flatnonzero(listed) + 1
            found[run, begin:end] = influence.at(rank, gains, certain).T
    return np.diff(found, axis=2, prepend=0.0)


if __name__ == "__main__":
    main()
