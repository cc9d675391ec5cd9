"""Few runs and few topics: how estimates from small pools err, and how often their intervals hold.

    python benchmarks/small_campaigns.py QRELS RUNS [--trials 40] [--shares .1 .2 .4] [--measures nDCG@10 nDCG]
                                         [--runs 2] [--topics 30] [--depth 20] [--planned 2 3 6]

Each campaign has some runs of the collection and some of its topics, drawn at random, and a pool of which a share is
judged at random within topics, or with --planned so many labels per topic by a plan for AP; documents that QRELS does
not judge are non-relevant. Samples without an interval are counted, and left out of what is held.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.pool.judgments import POOLED, Judgments

SEED = 900
ROUNDING = 1e-9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("folder")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.2, 0.4])
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "nDCG"])
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--topics", type=int, default=30)
    parser.add_argument("--depth", type=int, default=20)
    parser.add_argument("--planned", type=int, nargs="+")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    qrels, files = table(arguments.qrels, 3), sorted(Path(arguments.folder).glob("*.txt"))
    found: dict[float, list[Any]] = {wanted: [] for wanted in arguments.planned or arguments.shares}
    for seed in range(arguments.trials):
        random = np.random.default_rng([SEED, seed])
        chosen = [table(str(files[place]), 4) for place in random.choice(len(files), arguments.runs, False)]
        known = Drawn.of(qrels, chosen, arguments.topics, arguments.depth, random)
        sample: Any = known.planned if arguments.planned else known.shared
        for wanted, rows in found.items():
            rows.append(known.errors(sample(wanted, seed), arguments.measures))
    print("| judged | measure | no interval | bias | RMSE | width | held | A - B: RMSE | width | held |")
    for wanted, rows in found.items():
        numbers = np.array(rows)
        means, none = np.nanmean(numbers, axis=0), np.isnan(numbers[:, :, 2]).sum(axis=0)
        judged = f"{wanted:g} each" if arguments.planned else f"{wanted:.0%}"
        for measure, without, own in zip(arguments.measures, none, means, strict=True):
            bias, square, width, held, *pair = own
            print(
                f"| {judged} | {measure} | {without} | {bias:+.3f} | {np.sqrt(square):.3f} | {width:.3f} | "
                f"{100 * held:.0f} | {np.sqrt(pair[0]):.3f} | {pair[1]:.3f} | {100 * pair[2]:.0f} |"
            )


def table(path: str, column: int) -> dict[str, dict[str, float]]:
    """Values of a column by topic and document."""
    found: dict[str, dict[str, float]] = {}
    for line in Path(path).read_text("utf-8").splitlines():
        cells = line.split()
        found.setdefault(cells[0], {})[cells[2]] = float(cells[column])
    return found


class Drawn(NamedTuple):
    """A campaign of some topics and runs, its pool judged in full."""

    labels: dict[str, dict[str, int]]
    runs: dict[str, Any]
    depth: int

    @classmethod
    def of(cls, qrels: Any, runs: list[Any], number: int, depth: int, random: np.random.Generator) -> Drawn:
        """Topics at random of those that all these runs have."""
        common = [topic for topic in qrels if all(topic in run for run in runs)]
        topics = [common[place] for place in random.permutation(len(common))[:number]]
        labels = {}
        for topic in topics:
            pool = {d for run in runs for d in sorted(run[topic], key=run[topic].get, reverse=True)[:depth]}
            labels[topic] = {document: max(int(qrels[topic].get(document, 0)), 0) for document in sorted(pool)}
        return cls(labels, {f"run{n}": {topic: run[topic] for topic in topics} for n, run in enumerate(runs)}, depth)

    def shared(self, share: float, seed: int) -> tuple[Campaign, Judgments]:
        """A share of each topic's pool."""
        campaign, random = read(self.labels, self.runs, unjudged=None), np.random.default_rng([5, seed])
        full = campaign.judgments
        labels = np.full(len(full.labels), POOLED, dtype=np.int32)
        for begin, end in zip(full.offsets[:-1], full.offsets[1:], strict=True):
            places = begin + random.permutation(end - begin)[: max(1, round(share * (end - begin)))]
            labels[places] = full.labels[places]
        return campaign, Judgments(campaign, labels, top=full.top)

    def planned(self, each: int, seed: int) -> tuple[Campaign, Judgments]:
        """So many labels per topic by a plan."""
        plan = read(None, self.runs).plan(budget=each * len(self.labels), depth=self.depth, seed=seed)
        campaign = read(plan.merge([(topic, d, self.labels[topic][d]) for topic, d in plan.to_judge()]), self.runs)
        return campaign, campaign.judgments

    def errors(self, sample: tuple[Campaign, Judgments], measures: list[str]) -> Any:
        """Of each measure: bias, squared error, width and share held of runs; squared error, width, held of A - B."""
        truth = read(self.labels, self.runs, unjudged=None).score(*measures).means()
        found = sample[0].estimate(measures, judgments=sample[1], threads=1, outside="nonrelevant", difference="all")
        apart = found.differences
        assert apart is not None
        first, second = np.triu_indices(len(self.runs), 1)
        value, low, high = (
            np.asarray(each).reshape(len(measures), -1).T for each in (apart.difference, apart.low, apart.high)
        )
        own = _errors(found.means(), found.mean_low(), found.mean_high(), truth)
        return np.stack([*own, *_errors(value, low, high, truth[first] - truth[second])[1:]], axis=1)


def _errors(value: Any, low: Any, high: Any, truth: Any) -> list[Any]:
    """By measure: the means over rows of error, squared error, width, and whether held; NaN without an interval."""
    error, none = value - truth, np.isnan(low)
    held = np.where(none, np.nan, (low <= truth + ROUNDING) & (truth <= high + ROUNDING))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return [np.nanmean(each, axis=0) for each in (error, error**2, high - low, held)]


if __name__ == "__main__":
    main()
