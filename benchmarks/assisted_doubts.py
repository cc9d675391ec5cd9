"""How often assisted intervals hold the truth where the estimator warns: few runs, few labels, few topics.

    python benchmarks/assisted_doubts.py QRELS RUNS... [--trials 72]

Samples are drawn from complete judgments. Five runs: the model sees five runs chosen at random, 10 % of the pool is
judged. Two per cent: all runs, 2 % judged, every third estimated. Fifteen topics: topics chosen at random, 5 % judged,
every third run estimated. Prints coverage by measure, and again by the share of topics without a judged relevant
document.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Iterator
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from assisted_coverage import BARREN, barren_share, draw

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimator import prepare

MEASURES = ("AP", "nDCG@10", "P@10")
CHOICES = 12  # of runs or topics; each has an equal part of the trials


class Trial(NamedTuple):
    barren: float
    held: Any  # runs x measures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--trials", type=int, default=72)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    print("| what | topics without | trials | " + " | ".join(MEASURES) + " |\n|---|---|---|" + "---|" * len(MEASURES))
    each = max(1, arguments.trials // CHOICES)
    report("five runs, 10 % judged", few_runs(arguments.qrels, arguments.runs, each))
    everything = opened(arguments.qrels, arguments.runs)
    report("2 % judged", list(trials(everything, "uniform:0.02", arguments.trials, 2000, 3)))
    report("15 topics, 5 % judged", few_topics(arguments.qrels, arguments.runs, each))


def opened(qrels: Any, runs: Any) -> Campaign:
    return read(qrels, *runs, unjudged=None)


def few_runs(qrels: str, runs: list[str], each: int) -> list[Trial]:
    found: list[Trial] = []
    random = np.random.default_rng(77)
    files = [file for given in runs for file in sorted(Path(given).iterdir() if Path(given).is_dir() else glob(given))]
    for choice in range(CHOICES):
        five = [files[number] for number in random.choice(len(files), 5, replace=False)]
        found += trials(opened(qrels, five), "uniform:0.1", each, 1000 + choice, 1)
    return found


def few_topics(qrels: str, runs: list[str], each: int) -> list[Trial]:
    found: list[Trial] = []
    random = np.random.default_rng(78)
    lines = Path(qrels).read_text(encoding="utf-8").splitlines()
    topics = sorted({line.split()[0] for line in lines})
    with tempfile.TemporaryDirectory() as folder:
        for choice in range(CHOICES):
            chosen = set(random.choice(topics, 15, replace=False))
            part = Path(folder) / f"{choice}.txt"
            part.write_text("".join(f"{line}\n" for line in lines if line.split()[0] in chosen), encoding="utf-8")
            found += trials(opened(part, runs), "uniform:0.05", each, 3000 + choice, 3)
    return found


def trials(campaign: Campaign, design: str, count: int, seed: int, every: int) -> Iterator[Trial]:
    runs, truth = campaign.runs[::every], campaign.score(*MEASURES).means()[::every]
    features = prepare(campaign, campaign.judgments)
    for trial in range(count):
        sample = draw(campaign, design, np.random.default_rng([seed, trial]))
        found = campaign.estimate(
            MEASURES,
            judgments=sample,
            predictions=features,
            runs=runs,
            threads=1,
            steadied=False,
            outside="nonrelevant",
        )
        held = (found.mean_low() - 1e-9 <= truth) & (truth <= found.mean_high() + 1e-9)
        yield Trial(barren_share(sample), held)


def report(what: str, found: list[Trial]) -> None:
    for name, (low, high) in {"any": (0.0, 1.01), **BARREN}.items():
        chosen = [trial.held for trial in found if low <= trial.barren < high]
        if chosen:
            shares = " | ".join(f"{100 * share:.1f}" for share in np.concatenate(chosen).mean(axis=0))
            print(f"| {what} | {name} | {len(chosen)} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
