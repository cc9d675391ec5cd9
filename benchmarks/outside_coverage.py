"""How often ranges of `estimate` hold the truth by all labels when runs are left out of the pool.

    python benchmarks/outside_coverage.py QRELS RUNS --depth 100 [--left-out 10] [--trials 20] [--shares 0.1 1]

The runs that are judged in full down to the depth made the pool; only of these is the truth known, so only these are
read (--all reads the others too). Each trial leaves some of them out: labels of documents that no other run has within
the depth are taken away. Of the rest of the pool a share is judged, drawn at random in each topic. Then runs that were
left out, as many others, and pairs are estimated, with all runs given. Prints a table: how often intervals hold the
score by all labels, how wide they are, and both for the plain intervals, which speak of the pool alone.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict
from typing import Any

import numpy as np

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments, covered_ranks

MEASURES = ("AP", "nDCG", "nDCG@10", "P@10")
KINDS = ("left out", "pooled", "left out - pooled", "left out - left out")
ROUNDING = 1e-9
Row = tuple[bool, float, bool, float]  # holds, width, plain holds, plain width


def main() -> None:
    """Run the trials and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--left-out", type=int, default=10)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--shares", type=float, nargs="+", default=(0.1, 1.0))
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    parser.add_argument(
        "--nearly", type=float, default=1.0, help="share judged down to the depth that makes a pooled run"
    )
    parser.add_argument("--all", action="store_true", help="read runs that did not make the pool too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    campaign = read(arguments.qrels, *arguments.runs)
    pooled = runs_of_pool(campaign, arguments.depth, arguments.nearly)
    if not arguments.all:
        campaign = only(campaign, pooled)
    print(f"{len(campaign.runs)} runs, {len(pooled)} made the pool, {len(campaign.topics)} topics", flush=True)
    found: dict[tuple[float, str, str], list[Row]] = defaultdict(list)
    start = time.perf_counter()
    for trial in range(arguments.trials):
        for share in arguments.shares:
            one_trial(campaign, pooled, arguments, trial, share, found)
    print_table(found, arguments, time.perf_counter() - start)


def runs_of_pool(campaign: Campaign, depth: int, nearly: float) -> list[str]:
    """Name the runs of which all documents, or nearly all, are judged down to the depth."""
    if nearly >= 1.0:
        covered = covered_ranks(campaign.judgments)
        return [run for run, rank in zip(campaign.runs, covered, strict=True) if rank >= depth]
    judged = campaign.score(f"Judged@{depth}").means()[:, 0]
    return [run for run, share in zip(campaign.runs, judged, strict=True) if share >= nearly]


def only(campaign: Campaign, runs: list[str]) -> Campaign:
    """Read some runs again, without files."""
    lists = {run: {topic: _scores(campaign, run, topic) for topic in campaign.topics} for run in runs}
    labels = {topic: campaign.judgments.of(topic) for topic in campaign.topics}
    return read(labels, lists)


def _scores(campaign: Campaign, run: str, topic: str) -> dict[str, float]:
    return {document: -float(rank) for rank, document in enumerate(campaign.ranking(run, topic))}


def one_trial(
    campaign: Campaign,
    pooled: list[str],
    arguments: argparse.Namespace,
    trial: int,
    share: float,
    found: dict[tuple[float, str, str], list[Row]],
) -> None:
    """Leave runs out, draw labels, estimate, and note what held."""
    random = np.random.default_rng([7, trial])
    chosen = random.permutation(pooled).tolist()
    number = min(arguments.left_out, len(pooled) // 2)
    out, others = chosen[:number], chosen[number : 2 * number]
    left = campaign.judgments.sample("without", runs=out, depth=arguments.depth, contributing=pooled)
    judgments = drawn(campaign, left, share, random)
    pairs = [*zip(out, others, strict=True), *zip(out[::2], out[1::2], strict=False)]
    result = campaign.estimate(
        arguments.measures, judgments=judgments, runs=out + others, difference=pairs, steadied=False
    )
    truth = dict(zip(campaign.runs, campaign.score(*arguments.measures).means(), strict=True))
    differences: Any = result.differences
    for m, measure in enumerate(arguments.measures):
        for r, run in enumerate(result.runs):
            ends = result.mean_low()[r, m], result.mean_high()[r, m], result.plain_low[r, m], result.plain_high[r, m]
            found[share, measure, KINDS[r >= number]].append(held(truth[run][m], *ends))
        for p, (a, b) in enumerate(pairs):
            at = m * len(pairs) + p
            ends = tuple(getattr(differences, end)[at] for end in ("low", "high", "plain_low", "plain_high"))
            found[share, measure, KINDS[2 + (p >= number)]].append(held(truth[a][m] - truth[b][m], *ends))


def drawn(campaign: Campaign, left: Judgments, share: float, random: Any) -> Judgments:
    """Judge a share of what is left of the pool in each topic."""
    labels = left.labels.copy()
    for begin, end in zip(left.offsets[:-1], left.offsets[1:], strict=True):
        pool = begin + np.flatnonzero(labels[begin:end] != OUTSIDE)
        labels[random.permutation(pool)[int(np.ceil(share * len(pool))) :]] = POOLED
    return Judgments(campaign, labels, top=campaign.judgments.top)


def held(truth: float, low: float, high: float, plain_low: float, plain_high: float) -> Row:
    """Whether intervals hold the truth, and how wide they are."""
    inside = (low - ROUNDING <= truth <= high + ROUNDING, plain_low - ROUNDING <= truth <= plain_high + ROUNDING)
    return bool(inside[0]), high - low, bool(inside[1]), plain_high - plain_low


def print_table(found: dict[Any, list[Row]], arguments: argparse.Namespace, seconds: float) -> None:
    """Print a row per share, measure and kind."""
    print(f"{arguments.trials} trials, {arguments.left_out} runs left out, {seconds:.0f} s\n")
    print("| judged | measure | what | cases | holds | width | plain holds | plain width |")
    print("|---:|---|---|---:|---:|---:|---:|---:|")
    for (share, measure, kind), rows in sorted(found.items(), key=lambda item: (item[0][0], KINDS.index(item[0][2]))):
        holds, width, plain_holds, plain_width = np.nanmean(np.array(rows, dtype=float), axis=0)
        print(
            f"| {100 * share:g} % | {measure} | {kind} | {len(rows)} | {100 * holds:.1f} % | {width:.3f} "
            f"| {100 * plain_holds:.1f} % | {plain_width:.3f} |"
        )


if __name__ == "__main__":
    main()
