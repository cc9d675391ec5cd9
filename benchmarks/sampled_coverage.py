"""What sampled judgments are worth: the paper's intervals and [Y08]'s comparison of estimators, on any collection.

    python benchmarks/sampled_coverage.py QRELS RUNS [--trials 100] [--design-trials 10] [--seed 1]

The complete judgments are the truth. Runs contributed to the pool if their whole top 100 is judged. Prints tables in
Markdown: coverage of the 95 % interval of mean infAP with the Kolmogorov-Smirnov test of its standardised errors;
depth-k pools plus as many random judgments, in two and in four strata, against uniform samples of equal size; how long
100 trials with intervals take; and the coverage of bootstrap intervals over topics, drawn from the collection's own.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import pairwise

import numpy as np
from scipy.stats import kendalltau, kstest, norm

import poolwise as pw
from poolwise.errors import PoolwiseWarning
from poolwise.pool.judgments import POOLED
from poolwise.scores.intervals import topics_interval

FRACTIONS = (0.1, 0.2, 0.3)
DEPTHS = (10, 5, 1)
RESAMPLES = 1000
BAND_RATIOS = (3, 1.5, 1)  # of the extra judgments, [Y08] section 5


class Collection:
    """A campaign with complete judgments, and what designs need to know of its pool."""

    def __init__(self, qrels: str, runs: str) -> None:
        self.pool = pw.read(qrels, runs)
        self.labels, self.offsets = self.pool.judgments.labels, self.pool.judgments.offsets
        self.contributed = [run for run in range(len(self.pool.runs)) if self._top_is_judged(run)]
        self.best = self._best_ranks()

    def _known(self, run: int, topic: int) -> tuple[np.ndarray, np.ndarray]:
        ranks, documents = self.pool.core.known_documents(run, topic)
        return np.asarray(ranks), np.asarray(documents).astype(int)

    def _top_is_judged(self, run: int) -> bool:
        retrieved = np.asarray(self.pool.core.retrieved())[run]
        return all(
            (self._known(run, topic)[0] <= 100).sum() == min(100, count) for topic, count in enumerate(retrieved)
        )

    def _best_ranks(self) -> np.ndarray:
        best = np.full(len(self.labels), 10**6)
        for run in self.contributed:
            for topic in range(len(self.pool.topics)):
                ranks, documents = self._known(run, topic)
                np.minimum.at(best, self.offsets[topic] + documents, ranks)
        return best

    def sample(self, chosen: np.ndarray, strata: np.ndarray | None = None) -> pw.Judgments:
        labels = np.where(chosen, self.labels, POOLED).astype(np.int32)
        return pw.Judgments(self.pool, labels, strata=None if strata is None else strata.astype(np.int32))

    def topics(self) -> list[tuple[int, int]]:
        return list(pairwise(self.offsets.tolist()))

    def uniform(self, draw: np.random.Generator, sizes: list[int]) -> pw.Judgments:
        chosen = np.zeros(len(self.labels), bool)
        for (begin, end), size in zip(self.topics(), sizes, strict=True):
            chosen[begin + draw.permutation(end - begin)[:size]] = True
        return self.sample(chosen)

    def depth_plus_random(self, draw: np.random.Generator, depth: int) -> tuple[pw.Judgments, list[int]]:
        chosen = self.best <= depth
        strata = np.where(chosen, 1, 2)
        sizes = []
        for begin, end in self.topics():
            rest = begin + np.flatnonzero(strata[begin:end] == 2)
            chosen[draw.permutation(rest)[: end - begin - len(rest)]] = True
            sizes.append(int(chosen[begin:end].sum()))
        return self.sample(chosen, strata), sizes

    def four_strata(self, draw: np.random.Generator, depth: int) -> tuple[pw.Judgments, list[int]]:
        """The depth pool in full; the rest in three bands of equal size by best rank, judged 3 : 1.5 : 1."""
        chosen = self.best <= depth
        strata = np.ones(len(self.labels))
        sizes = []
        for begin, end in self.topics():
            rest = begin + np.flatnonzero(~chosen[begin:end])
            bands = np.array_split(rest[np.argsort(self.best[rest], kind="stable")], 3)
            budget, spill, asked = end - begin - len(rest), 0, 0.0
            for number, (band, ratio) in enumerate(zip(bands, BAND_RATIOS, strict=True)):
                strata[band] = number + 2
                before, asked = round(asked), asked + budget * ratio / sum(BAND_RATIOS)
                wanted = round(asked) - before + spill
                chosen[draw.permutation(band)[:wanted]] = True
                spill = max(0, wanted - len(band))
            sizes.append(int(chosen[begin:end].sum()))
        return self.sample(chosen, strata), sizes


def row(*cells: object) -> None:
    print(
        "| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |", flush=True
    )


def header(*names: str) -> None:
    row(*names)
    row(*("---" for _ in names))


def coverage_table(collection: Collection, trials: int, seed: int) -> None:
    pool = collection.pool
    truth = pool.score("AP").means()[:, 0]
    print(f"\n## 95 % interval of mean infAP ([Y08]), {trials} trials, {len(pool.runs)} runs\n")
    header("judged", "form", "bias", "RMSE", "width", "sd estimated / true", "coverage", "5 / 50 / 95 % of runs",
           "kept by Kolmogorov-Smirnov",
           "kept with own centre and scale", "seconds")  # fmt: skip
    for fraction in FRACTIONS:
        draw = np.random.default_rng(seed)
        sizes = [max(1, round(fraction * (end - begin))) for begin, end in collection.topics()]
        sets = [collection.uniform(draw, sizes) for _ in range(trials)]
        for dependent in (False, True):
            start = time.perf_counter()
            scores = pool.score("infAP", judgments=sets, interval="judgments", dependent=dependent)
            seconds = time.perf_counter() - start
            means, low, high = scores.means()[..., 0], scores.mean_low()[..., 0], scores.mean_high()[..., 0]
            deviations = (high - low) / 2 / norm.ppf(0.975)
            covered = ((low <= truth) & (truth <= high)).mean(axis=0)
            errors = (means - truth) / np.maximum(deviations, 1e-12)
            shape = (means - means.mean(axis=0)) / means.std(axis=0, ddof=1)
            ratio = np.median(np.sqrt((deviations**2).mean(axis=0)) / means.std(axis=0, ddof=1))
            spread = " / ".join(f"{100 * share:.0f}" for share in np.percentile(covered, (5, 50, 95)))
            row(f"{100 * fraction:.0f} %", "dependent" if dependent else "independent", float((means - truth).mean()),
                float(np.sqrt(((means - truth) ** 2).mean())), float((high - low).mean()), float(ratio),
                f"{100 * covered.mean():.1f} %", spread, kept(errors), kept(shape), f"{seconds:.1f}")  # fmt: skip


def kept(errors: np.ndarray) -> str:
    """Share of runs for which the standardised errors of the trials (trials x runs) may be standard normal."""
    with np.errstate(divide="ignore", invalid="ignore"):
        tests = [kstest(np.nan_to_num(errors[:, run]), "norm").pvalue for run in range(errors.shape[1])]
    return f"{100 * np.mean([p >= 0.05 for p in tests]):.0f} %"


def quality(estimates: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    """Kendall's tau, Pearson's correlation and RMS error, averaged over trials."""
    taus = [kendalltau(each, truth).statistic for each in estimates]
    correlations = [np.corrcoef(each, truth)[0, 1] for each in estimates]
    errors = [np.sqrt(((each - truth) ** 2).mean()) for each in estimates]
    return float(np.mean(taus)), float(np.mean(correlations)), float(np.mean(errors))


def design_table(collection: Collection, trials: int, seed: int) -> None:
    pool = collection.pool
    truth = dict(zip(("AP", "nDCG"), pool.score("AP", "nDCG@1000").means().T, strict=True))
    contributed = len(collection.contributed)
    print(f"\n## Depth-k pool plus as many again, {trials} trials; {contributed} runs contributed to the pool\n")
    header("depth", "share judged", "judgments", "estimate", "tau", "Pearson", "RMS error", "RMS error of unseen runs")
    unseen = [run for run in range(len(pool.runs)) if run not in collection.contributed]
    for depth in DEPTHS:
        draw = np.random.default_rng(seed)
        two = [collection.depth_plus_random(draw, depth) for _ in range(trials)]
        four = [collection.four_strata(draw, depth) for _ in range(trials)]
        uniform = [collection.uniform(draw, sizes) for _, sizes in two]
        share = np.mean([sum(sizes) for _, sizes in two]) / len(collection.labels)
        for name, sets, estimators in (
            ("depth + random", [each for each, _ in two], ("xinfAP", "infNDCG", "infAP")),
            ("four strata", [each for each, _ in four], ("xinfAP", "infNDCG")),
            ("uniform, equal size", uniform, ("infAP", "infNDCG", "AP", "nDCG@1000")),
        ):
            scores = pool.score(*estimators, judgments=sets)
            for place, estimator in enumerate(estimators):
                target = truth["nDCG" if "DCG" in estimator else "AP"]
                estimates = scores.means()[..., place]
                missed = quality(estimates[:, unseen], target[unseen])[2]
                row(depth, f"{100 * share:.1f} %", name, estimator, *quality(estimates, target), missed)


def topics_table(collection: Collection, trials: int, seed: int) -> None:
    """Topics drawn with replacement from the collection's; their mean over the collection is the truth."""
    measures = [pw.parse(name) for name in ("AP", "nDCG@10", "P@10", "RR", "Success@10")]
    scores = collection.pool.score(*measures)
    print(f"\n## 95 % intervals over topics, {trials} trials, every tenth run\n")
    header("topics", "measure", "studentised (used)", "percentile", "width, studentised", "width, percentile")
    draw = np.random.default_rng(seed)
    for number in (10, 25, 50):
        for measure in measures:
            population = scores.array(measure)[::10]
            truth = population.mean(axis=1)
            drawn = draw.integers(0, population.shape[1], size=(trials, number))
            values = population[:, drawn].swapaxes(0, 1)[:, None]  # trials x 1 x runs x topics
            counted = np.ones(values.shape[2:], bool)
            found, _ = topics_interval(values, counted, [measure], 0.95, draw, RESAMPLES)
            weights = draw.multinomial(number, np.full(number, 1 / number), size=RESAMPLES) / number
            plain = np.quantile(np.tensordot(weights, values[:, 0], (1, 2)), (0.025, 0.975), axis=0)
            ends = (found.mean_low[:, 0], found.mean_high[:, 0]), plain
            covered = [f"{100 * np.mean((low <= truth + 1e-12) & (truth - 1e-12 <= high)):.1f} %" for low, high in ends]
            row(number, str(measure), *covered, *(float(np.mean(high - low)) for low, high in ends))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--design-trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    collection = Collection(arguments.qrels, arguments.runs)
    coverage_table(collection, arguments.trials, arguments.seed)
    design_table(collection, arguments.design_trials, arguments.seed)
    topics_table(collection, 5 * arguments.trials, arguments.seed)


if __name__ == "__main__":
    main()
