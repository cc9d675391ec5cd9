"""Two runs and few topics: how estimates of nDCG from small pools err, and how often their intervals hold.

    python benchmarks/small_campaigns.py QRELS RUNS [--trials 40] [--shares .1 .2 .4] [--measures nDCG@10 nDCG]

Each campaign has two runs of the collection and 30 of its topics, drawn at random, and pools of depth 20, of which a
share is judged at random within topics; documents that QRELS does not judge are non-relevant.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimate.estimator import estimate
from poolwise.judge.judgments import POOLED, Judgments

TOPICS, DEPTH = 30, 20
SEED = 900


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("folder")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.2, 0.4])
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "nDCG"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    qrels, files = table(arguments.qrels, 3), sorted(Path(arguments.folder).glob("*.txt"))
    found: dict[float, list[Any]] = {share: [] for share in arguments.shares}
    for seed in range(arguments.trials):
        random = np.random.default_rng([SEED, seed])
        campaign = drawn(qrels, [table(str(files[place]), 4) for place in random.choice(len(files), 2, False)], random)
        for share, rows in found.items():
            rows.append(errors(campaign, share, arguments.measures, seed))
    print("| judged | measure | bias | RMSE | width | held | A - B: RMSE | width | held |")
    for share, rows in found.items():
        means = np.array(rows).mean(axis=0)
        for measure, (bias, square, width, held, *pair) in zip(arguments.measures, means, strict=True):
            print(
                f"| {share:.0%} | {measure} | {bias:+.3f} | {np.sqrt(square):.3f} | {width:.3f} | {100 * held:.0f} | "
                f"{np.sqrt(pair[0]):.3f} | {pair[1]:.3f} | {100 * pair[2]:.0f} |"
            )


def table(path: str, column: int) -> dict[str, dict[str, float]]:
    """Values of a column by topic and document."""
    found: dict[str, dict[str, float]] = {}
    for line in Path(path).read_text("utf-8").splitlines():
        cells = line.split()
        found.setdefault(cells[0], {})[cells[2]] = float(cells[column])
    return found


def drawn(qrels: Any, runs: list[Any], random: np.random.Generator) -> Campaign:
    """A campaign of some topics, its pool judged in full."""
    common = [topic for topic in qrels if all(topic in run for run in runs)]
    topics = [common[place] for place in random.permutation(len(common))[:TOPICS]]
    labels = {}
    for topic in topics:
        pool = {d for run in runs for d in sorted(run[topic], key=run[topic].get, reverse=True)[:DEPTH]}
        labels[topic] = {document: max(int(qrels[topic].get(document, 0)), 0) for document in sorted(pool)}
    lists = {f"run{number}": {topic: run[topic] for topic in topics} for number, run in enumerate(runs)}
    return read(labels, lists, unjudged=None)


def errors(campaign: Campaign, share: float, measures: list[str], seed: int) -> Any:
    """Of each measure: bias, squared error, width and share held of runs; squared error, width, held of A - B."""
    full, random = campaign.judgments, np.random.default_rng([5, seed])
    labels = np.full(len(full.labels), POOLED, dtype=np.int32)
    for begin, end in zip(full.offsets[:-1], full.offsets[1:], strict=True):
        places = begin + random.permutation(end - begin)[: max(1, round(share * (end - begin)))]
        labels[places] = full.labels[places]
    sample, truth = Judgments(campaign, labels, top=full.top), campaign.score(*measures).means()
    pair = (campaign.runs[0], campaign.runs[1])
    found = estimate(campaign, measures, sample, threads=1, outside="nonrelevant", difference=pair)
    low, high, apart = found.mean_low(), found.mean_high(), found.differences
    assert apart is not None
    error, difference = found.means() - truth, truth[0] - truth[1]
    columns = [error, error**2, high - low, (low <= truth) & (truth <= high)]
    of_pair = [(apart.difference - difference) ** 2, apart.high - apart.low]
    held = (apart.low <= difference) & (difference <= apart.high)
    return np.stack([*(each.mean(axis=0) for each in columns), *of_pair, held], axis=1)


if __name__ == "__main__":
    main()
