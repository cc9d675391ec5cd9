"""How often assisted intervals hold the truth: draw many samples from complete judgments and estimate from each.

    python benchmarks/assisted_coverage.py QRELS RUNS -o DIR [--trials 300] [--every 3] [--designs uniform:0.1 ...]

All runs feed the relevance model; every third one is estimated. Writes DIR/coverage.csv and DIR/coverage.md, a row per
design, measure and form (assisted, pooled, difference of 100 random pairs, infAP): bias, RMSE, width, coverage over
runs (mean and 5th, 50th, 95th percentile), the share of runs between 92 and 97 %, tau to the truth.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy
from scipy.stats import kendalltau

from poolwise.analyse.assisted.estimate import estimate, prepare
from poolwise.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.judge.judgments import OUTSIDE, POOLED, Judgments

DESIGNS = (
    "uniform:0.05", "uniform:0.1", "uniform:0.2", "uniform:0.3", "depth:10", "strata:0.4/0.2/0.1/0.04",
)  # fmt: skip
MEASURES = ("AP", "nDCG", "nDCG@10", "nDCG@20", "P@10")
BANDS = (5, 20, 50)  # best ranks that part the four strata
COLUMNS = (
    "design", "share_judged", "measure", "form", "trials", "bias", "rmse", "width", "coverage", "coverage_5",
    "coverage_50", "coverage_95", "runs_92_to_97", "tau", "standard_error_of_coverage", "seconds",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--designs", nargs="+", default=DESIGNS)
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    campaign = read(arguments.qrels, *arguments.runs, documents="judged")
    rows: list[dict[str, Any]] = []
    for design in arguments.designs:
        rows += study(campaign, design, arguments)
        write(rows, arguments.output)


def study(campaign: Campaign, design: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """All trials of one design."""
    runs = campaign.runs[:: arguments.every]
    truth = campaign.score(*arguments.measures).means()[:: arguments.every]
    random = numpy.random.default_rng(arguments.seed)
    chosen = numpy.random.default_rng(5)
    pairs = [tuple(chosen.choice(len(runs), 2, replace=False)) for _ in range(100)] if len(runs) > 1 else []
    features = prepare(campaign, campaign.judgments)
    log: dict[tuple[str, str], list[tuple[Any, Any, float]]] = {}
    shares, start = [], time.perf_counter()
    for _ in range(arguments.trials):
        sample = draw(campaign, design, random)
        shares.append(sample.count() / (sample.labels != OUTSIDE).sum())
        found = estimate(
            campaign, arguments.measures, sample, runs=runs, features=features,
            difference=[(runs[a], runs[b]) for a, b in pairs] or None,
        )  # fmt: skip
        record(log, found, truth, pairs)
        plain = campaign.score("infAP", judgments=sample).means()[:: arguments.every, 0]
        if "AP" in arguments.measures:
            target = truth[:, list(arguments.measures).index("AP")]
            log.setdefault(("AP", "infAP"), []).append((plain - target, None, kendalltau(plain, target)[0]))
    seconds = (time.perf_counter() - start) / arguments.trials
    return [row(design, shares, key, part, seconds) for key, part in log.items()]


def record(log: dict[tuple[str, str], list[Any]], found: Any, truth: Any, pairs: list[Any]) -> None:
    """Errors, whether intervals held the truth with their widths, and tau."""
    forms = [("assisted", found.values, found.low, found.high)]
    if found.pooled is not None:
        forms.append(("pooled", found.pooled, found.pooled_low, found.pooled_high))
    for form, values, low, high in forms:
        for m, measure in enumerate(found.measures):
            log.setdefault((measure, form), []).append(
                entry(values[:, m], low[:, m], high[:, m], truth[:, m], kendalltau(values[:, m], truth[:, m])[0])
            )
    if found.differences is not None:
        apart = numpy.array([truth[a] - truth[b] for a, b in pairs])
        for m, measure in enumerate(found.measures):
            part = slice(m * len(pairs), (m + 1) * len(pairs))
            d = found.differences
            log.setdefault((measure, "difference"), []).append(
                entry(d.difference[part], d.low[part], d.high[part], apart[:, m], numpy.nan)
            )


def entry(values: Any, low: Any, high: Any, truth: Any, tau: float) -> tuple[Any, Any, float]:
    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    return values - truth, (held, high - low), tau


def row(design: str, shares: list[float], key: tuple[str, str], part: list[Any], seconds: float) -> dict[str, Any]:
    errors = numpy.array([trial[0] for trial in part])
    found: dict[str, Any] = {
        "design": design,
        "share_judged": float(numpy.mean(shares)),
        "measure": key[0],
        "form": key[1],
        "trials": len(part),
        "bias": float(errors.mean()),
        "rmse": float(numpy.sqrt((errors**2).mean())),
        "tau": float(numpy.mean([trial[2] for trial in part])),
        "seconds": seconds,
    }
    if part[0][1] is not None:
        held = numpy.array([trial[1][0] for trial in part])
        by_run = 100 * held.mean(axis=0)
        found.update(
            width=float(numpy.nanmean([trial[1][1] for trial in part])),
            coverage=float(100 * held.mean()),
            runs_92_to_97=float(100 * ((by_run >= 92) & (by_run <= 97)).mean()),
            standard_error_of_coverage=float(100 * held.mean(axis=1).std() / numpy.sqrt(len(part))),
            **{f"coverage_{q}": float(numpy.percentile(by_run, q)) for q in (5, 50, 95)},
        )
    return found


def draw(campaign: Campaign, design: str, random: numpy.random.Generator) -> Judgments:
    """Hide labels by a design: uniform:SHARE, depth:K (and as many again at random), strata:RATES of four strata."""
    full = campaign.judgments
    kind, _, setting = design.partition(":")
    labels, strata = full.labels.copy(), numpy.zeros(len(full.labels), dtype=int)
    for topic, (begin, end) in enumerate(pairwise(full.offsets)):
        best = numpy.asarray(campaign.core.rank_summary(topic))[:, 3]
        best[best == 0] = numpy.inf
        strata[begin:end] = {
            "uniform": lambda best: 0 * (best > 0),
            "depth": lambda best: best > float(setting),
            "strata": lambda best: numpy.searchsorted(BANDS, best),
        }[kind](best)
        known = (labels[begin:end] != POOLED) & (labels[begin:end] != OUTSIDE)
        order = random.permutation(end - begin)
        for stratum in range(4):
            places = order[(strata[begin:end] == stratum)[order] & known[order]] + begin
            labels[places[judged(kind, setting, stratum, places, strata[begin:end][known]) :]] = POOLED
    return Judgments(campaign, labels, strata=strata, top=full.top)


def judged(kind: str, setting: str, stratum: int, places: Any, strata: Any) -> int:
    """How many of a stratum's documents are judged."""
    if kind == "depth":
        return len(places) if stratum == 0 else int((strata == 0).sum())
    rate = float(setting if kind == "uniform" else setting.split("/")[stratum])
    return max(1, round(rate * len(places)))


def write(rows: list[dict[str, Any]], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "coverage.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    lines = [
        "| design | judged | measure | form | bias | RMSE | width | coverage | 5/50/95 | runs in 92-97 | tau |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [line(row) for row in rows]
    (folder / "coverage.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def line(row: dict[str, Any]) -> str:
    cells = [row["design"], f"{100 * row['share_judged']:.0f} %", row["measure"], row["form"]]
    cells += [f"{row['bias']:+.4f}", f"{row['rmse']:.4f}"]
    if "coverage" in row:
        spread = "/".join(f"{row[f'coverage_{q}']:.0f}" for q in (5, 50, 95))
        cells += [f"{row['width']:.3f}", f"{row['coverage']:.1f}", spread, f"{row['runs_92_to_97']:.0f} %"]
    else:
        cells += ["", "", "", ""]
    return f"| {' | '.join([*cells, '' if numpy.isnan(row['tau']) else format(row['tau'], '.3f')])} |"


if __name__ == "__main__":
    main()
