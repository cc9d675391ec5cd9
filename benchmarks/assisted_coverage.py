"""How often assisted intervals hold the truth: draw many samples from complete judgments and estimate from each.

    python benchmarks/assisted_coverage.py QRELS RUNS -o DIR [--trials 300] [--every 3] [--designs uniform:0.1 ...]

All runs feed the relevance model; every third one is estimated. Each trial is kept in DIR/trials as soon as it is done,
and one that is there is not done again, so the work can be stopped and taken up at any time; trial n draws the same
sample whatever was done before. Writes DIR/coverage.csv and DIR/coverage.md, a row per design, measure and form
(assisted, pooled, differences of 100 random pairs assisted and pooled, the papers' estimators): bias, RMSE, width,
coverage over runs (mean and 5th, 50th, 95th percentile), the share of runs between 92 and 97 %, tau to the truth.
DIR/doubts.md has the coverage of single runs where the estimator warns: by the share of topics without a judged
relevant document, and of estimates below .03.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimator import prepare
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments

DESIGNS = (
    "uniform:0.05", "uniform:0.1", "uniform:0.2", "uniform:0.3", "depth:10", "strata:0.4/0.2/0.1/0.04",
)  # fmt: skip
MEASURES = ("AP", "nDCG", "nDCG@10", "nDCG@20", "P@10")
PAPERS = {"AP": ("infAP", "xinfAP"), "nDCG": ("infNDCG",), "P": ("iP",)}
BANDS = (5, 20, 50)  # best ranks that part the four strata
PAIRS = 100
# Shares of topics without a judged relevant document, from and below.
BARREN = {"below 10 %": (0.0, 0.1), "10 to 15 %": (0.1, 0.15), "15 % or more": (0.15, 1.01)}
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
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    study = Study(arguments)
    for trial in range(arguments.trials):
        for design in arguments.designs:
            study.run(design, trial)
        if trial % 20 == 19:
            write(study, arguments.output)
    write(study, arguments.output)


class Study:
    """Trials of all designs on one collection, kept in files."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        # Labels below 0 are labels here: TREC-COVID has two of -1, which no sample could ever find out.
        self.campaign = read(arguments.qrels, *arguments.runs, unjudged=None)
        self.measures = list(arguments.measures)
        self.runs = self.campaign.runs[:: arguments.every]
        self.truth = self.campaign.score(*self.measures).means()[:: arguments.every]
        chosen = np.random.default_rng(5)
        self.pairs = [tuple(chosen.choice(len(self.runs), 2, replace=False)) for _ in range(PAIRS)]
        self.features = prepare(self.campaign, self.campaign.judgments)

    def path(self, design: str, trial: int) -> Path:
        """Where a trial is kept."""
        name = design.replace(":", "-").replace("/", "-")
        return Path(self.arguments.output) / "trials" / name / f"{self.arguments.seed}-{trial:04d}.npz"

    def run(self, design: str, trial: int) -> None:
        """Draw a sample, estimate, and keep what was found, unless that was done before."""
        path = self.path(design, trial)
        if path.exists():
            return
        random = np.random.default_rng([self.arguments.seed, trial, self.numbered(design)])
        sample = draw(self.campaign, design, random)
        start = time.process_time()
        found = self.campaign.estimate(
            self.measures, judgments=sample, runs=self.runs, predictions=self.features, outside="nonrelevant",
            difference=[(self.runs[a], self.runs[b]) for a, b in self.pairs], threads=self.arguments.threads,
        )  # fmt: skip
        seconds = time.process_time() - start
        path.parent.mkdir(parents=True, exist_ok=True)
        parts = {f"{measure} {form}": table for measure, form, table in self.forms(found, sample)}
        unfinished = path.with_suffix(".part.npz")
        share = sample.count() / (sample.labels != OUTSIDE).sum()
        np.savez(unfinished, about=np.array([share, seconds, barren_share(sample)]), **parts)
        unfinished.rename(path)

    def numbered(self, design: str) -> int:
        """The same number for a design, whichever others are asked for."""
        return DESIGNS.index(design) if design in DESIGNS else len(DESIGNS) + sum(design.encode())

    def forms(self, found: Any, sample: Judgments) -> Iterator[tuple[str, str, Any]]:
        """Measure, form, and a table of value, low, high by run or pair."""
        pairs = found.differences
        for m, measure in enumerate(self.measures):
            ends = found.mean_low(), found.mean_high()
            yield measure, "assisted", np.stack([found.means()[:, m], ends[0][:, m], ends[1][:, m]])
            part = slice(m * PAIRS, (m + 1) * PAIRS)
            yield measure, "difference", np.stack([pairs.difference[part], pairs.low[part], pairs.high[part]])
            if found.steadied is not None:
                yield (
                    measure,
                    "pooled",
                    np.stack([found.steadied[:, m], found.steadied_low[:, m], found.steadied_high[:, m]]),
                )
                yield (
                    measure,
                    "pooled difference",
                    np.stack([pairs.steadied[part], pairs.steadied_low[part], pairs.steadied_high[part]]),
                )
            yield from self.papers(measure, sample)

    def papers(self, measure: str, sample: Judgments) -> Iterator[tuple[str, str, Any]]:
        """The papers' estimators of the measure; only infAP has an interval."""
        name, _, cutoff = measure.partition("@")
        for paper in PAPERS.get(name, ()):
            interval: Any = "judgments" if paper == "infAP" else None
            asked = f"{paper}@{cutoff}" if cutoff else paper
            scores = self.campaign.score(asked, judgments=sample, interval=interval, threads=1)
            values = scores.means()[:: self.arguments.every, 0]
            ends = (scores.mean_low(), scores.mean_high()) if interval else (np.full((999, 1), np.nan),) * 2
            low, high = (end[:: self.arguments.every, 0] if interval else end[: len(values), 0] for end in ends)
            yield measure, paper, np.stack([values, low, high])

    def rows(self) -> list[dict[str, Any]]:
        """What all trials that are kept say, a row per design, measure and form."""
        found = []
        for design in self.arguments.designs:
            trials = self.kept(design)
            about = np.array([trial.pop("about") for trial in trials])
            for key in list(trials[0]) if trials else ():
                measure, _, form = key.partition(" ")
                tables = np.array([trial[key] for trial in trials if key in trial])
                found.append(row(design, about, measure, form, tables, self.truths(measure, form)))
        return found

    def kept(self, design: str) -> list[dict[str, Any]]:
        """All trials of a design that are on disk."""
        paths = sorted(self.path(design, 0).parent.glob("*-[0-9][0-9][0-9][0-9].npz"))
        return [dict(np.load(path)) for path in paths]

    def doubts(self) -> Iterator[str]:
        """Lines of a table of doubtful conditions."""
        for design in self.arguments.designs:
            trials = self.kept(design)
            barren = np.array([trial["about"][2] for trial in trials])
            for measure in self.measures:
                tables = np.array([trial[f"{measure} assisted"] for trial in trials])
                yield from doubtful(f"| {design} | {measure}", tables, barren, self.truths(measure, "assisted"))

    def truths(self, measure: str, form: str) -> Any:
        """The true values by run or pair."""
        truth = self.truth[:, self.measures.index(measure)]
        return np.array([truth[a] - truth[b] for a, b in self.pairs]) if "difference" in form else truth


def row(design: str, about: Any, measure: str, form: str, tables: Any, truth: Any) -> dict[str, Any]:
    """Summary of tables, trials x (value, low, high) x runs or pairs."""
    values, low, high = tables[:, 0], tables[:, 1], tables[:, 2]
    errors = values - truth
    found: dict[str, Any] = {
        "design": design,
        "share_judged": float(about[:, 0].mean()),
        "measure": measure,
        "form": form,
        "trials": len(tables),
        "bias": float(errors.mean()),
        "rmse": float(np.sqrt((errors**2).mean())),
        "tau": np.nan if "difference" in form else float(np.mean([kendalltau(v, truth)[0] for v in values])),
        "seconds": float(about[:, 1].mean()),
    }
    if np.isfinite(low).any():
        held = holds(tables, truth)
        by_run = 100 * np.nanmean(held, axis=0)
        found.update(
            width=float(np.nanmean(high - low)),
            coverage=float(100 * np.nanmean(held)),
            runs_92_to_97=float(100 * ((by_run >= 92) & (by_run <= 97)).mean()),
            standard_error_of_coverage=float(100 * np.nanmean(held, axis=1).std() / np.sqrt(len(tables))),
            **{f"coverage_{q}": float(np.percentile(by_run, q)) for q in (5, 50, 95)},
        )
    return found


def doubtful(start: str, tables: Any, barren: Any, truth: Any) -> Iterator[str]:
    """A line per condition: in how many trials it was met, how often single runs' intervals held then, bias."""
    held, errors = holds(tables, truth), tables[:, 0] - truth
    met = {f"topics without: {name}": (a <= barren) & (barren < b) for name, (a, b) in BARREN.items()}
    everywhere = {name: np.repeat(where[:, None], len(truth), axis=1) for name, where in met.items()}
    for name, part in {**everywhere, "estimate below .03": tables[:, 0] < 0.03}.items():
        if part.any():
            count, coverage = part.any(axis=1).sum(), 100 * np.nanmean(held[part])
            yield f"{start} | {name} | {count} | {coverage:.1f} | {errors[part].mean():+.4f} |"


def holds(tables: Any, truth: Any) -> Any:
    """Whether each interval holds the truth; NaN where none is given."""
    low, high = tables[:, 1], tables[:, 2]
    return np.where(np.isfinite(low), (low - 1e-9 <= truth) & (truth <= high + 1e-9), np.nan)


def draw(campaign: Campaign, design: str, random: np.random.Generator) -> Judgments:
    """Hide labels by a design: uniform:SHARE, depth:K (and as many again at random), strata:RATES of four strata."""
    full = campaign.judgments
    kind, _, setting = design.partition(":")
    labels, strata = full.labels.copy(), np.zeros(len(full.labels), dtype=int)
    for topic, (begin, end) in enumerate(pairwise(full.offsets)):
        best = np.asarray(campaign.core.rank_summary(topic))[:, 3]
        best[best == 0] = np.inf
        strata[begin:end] = {
            "uniform": lambda best: 0 * (best > 0),
            "depth": lambda best: best > float(setting),
            "strata": lambda best: np.searchsorted(BANDS, best),
        }[kind](best)
        known = (labels[begin:end] != POOLED) & (labels[begin:end] != OUTSIDE)
        order = random.permutation(end - begin)
        for stratum in range(4):
            places = order[(strata[begin:end] == stratum)[order] & known[order]] + begin
            labels[places[judged(kind, setting, stratum, places, strata[begin:end][known]) :]] = POOLED
    return Judgments(campaign, labels, strata=strata, top=full.top)


def barren_share(sample: Judgments) -> float:
    """The share of topics without a judged relevant document."""
    relevant = np.add.reduceat(sample.labels > 0, sample.offsets[:-1])
    return float((relevant == 0).mean())


def judged(kind: str, setting: str, stratum: int, places: Any, strata: Any) -> int:
    """How many of a stratum's documents are judged."""
    if kind == "depth":
        return len(places) if stratum == 0 else int((strata == 0).sum())
    rate = float(setting if kind == "uniform" else setting.split("/")[stratum])
    return max(1, round(rate * len(places)))


def write(study: Study, folder: Path) -> None:
    """All rows as CSV, a table for people with one line per design and measure, and one of doubtful conditions."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = study.rows()
    head = "| design | measure | condition | trials | coverage | bias |\n|---|---|---|---|---|---|\n"
    (folder / "doubts.md").write_text(head + "\n".join(study.doubts()) + "\n", encoding="utf-8")
    with open(folder / "coverage.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    lines: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault((row["design"], row["measure"]), {})[row["form"]] = row
    head = (
        "| design | measure | bias | RMSE | width | coverage | 5/50/95 | in 92-97 | tau "
        "| pooled: RMSE | coverage | tau | A - B: coverage | pooled | paper | RMSE | coverage | tau | trials |"
    )
    text = [head, "|---" * head.count(" | ") + "|---|", *(line(*key, forms) for key, forms in lines.items())]
    (folder / "coverage.md").write_text("\n".join(text) + "\n", encoding="utf-8")


def line(design: str, measure: str, forms: dict[str, dict[str, Any]]) -> str:
    own, pooled = forms["assisted"], forms.get("pooled", {})
    papers = [name for name in forms if name in {paper for names in PAPERS.values() for paper in names}]
    paper = "xinfAP" if "xinfAP" in papers and not design.startswith("uniform") else [*papers, ""][0]
    spread = "/".join(f"{own[f'coverage_{q}']:.0f}" for q in (5, 50, 95))
    cells = [f"{design}, {100 * own['share_judged']:.0f} %", measure, f"{own['bias']:+.4f}", f"{own['rmse']:.4f}"]
    cells += [
        f"{own['width']:.4f}",
        f"{own['coverage']:.1f}",
        spread,
        f"{own['runs_92_to_97']:.0f}",
        number(own, "tau"),
    ]
    cells += [number(pooled, "rmse", 4), number(pooled, "coverage", 1), number(pooled, "tau")]
    cells += [number(forms.get(form, {}), "coverage", 1) for form in ("difference", "pooled difference")]
    of_paper = forms.get(paper, {})
    cells += [paper, number(of_paper, "rmse", 4), number(of_paper, "coverage", 1), number(of_paper, "tau")]
    return f"| {' | '.join([*cells, str(own['trials'])])} |"


def number(row: dict[str, Any], name: str, digits: int = 3) -> str:
    return f"{row[name]:.{digits}f}" if name in row and row[name] == row[name] else ""


if __name__ == "__main__":
    main()
