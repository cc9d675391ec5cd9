"""[Y08]: what its footnote on smoothing leaves out, and judgments shared out as the Terabyte track did in 2006."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from benchmarks.reproduce.findings import Finding, clear, mean_error, verdict
from benchmarks.reproduce.plan import TREC8, Workbench
from scipy.special import ndtri

import poolwise as pw
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments
from poolwise.trust.rank_correlation import kendall_tau, root_mean_square_error

SHARES = (10, 20, 30)
LITTLE = 0.02  # of a variance: what is negligible
SMOOTHING_TRIALS, ALLOCATION_TRIALS, DEPTH = 30, 30, 5


def smoothing(bench: Workbench) -> Finding:
    """How much of the variance of mean infAP comes from relevant documents above which nothing is judged.

    The formula has 0 / 0 there; smoothed, the precision is that of one judged document, half relevant.
    """
    trials = min(SMOOTHING_TRIALS, bench.most.get("trials", SMOOTHING_TRIALS))
    found = bench.kept(
        "y08-smoothing", lambda: np.stack([_variances(bench.pool(TREC8), share, trials) for share in SHARES])
    )
    texts, checks = [], []
    for share, (whole, added) in zip(SHARES, found, strict=True):
        more = 100 * (np.sqrt(whole / (whole - added)) - 1)
        texts.append(f"{np.median(more):.0f} % ({more.min():.0f} to {more.max():.0f}) at {share} %")
        checks.append(bool(np.median(added / (whole - added)) <= LITTLE))
    text = "the standard deviation of mean infAP with smoothing is larger by, median over runs (range): "
    rule = f"adds at most {100 * LITTLE:.0f} % to the variance"
    return Finding("Y27", TREC8, text + ", ".join(texts), verdict(*checks), trials, rule)


def _variances(pool: pw.Campaign, share: int, trials: int) -> np.ndarray:
    """The variance of each run's mean infAP, and the part that smoothing adds; means over samples."""
    found = []
    for trial in range(trials):
        sample = pool.judgments.sample("uniform", fraction=share / 100, seed=0, trial=trial)
        scores = pool.score("infAP", judgments=sample, interval="judgments")
        half = (scores.mean_high() - scores.mean_low())[:, 0] / 2
        found.append([(half / ndtri(0.975)) ** 2, _added(pool, sample)])
    return np.array(found).mean(axis=0)


def _added(pool: pw.Campaign, sample: Judgments) -> np.ndarray:
    """What relevant documents without a judged one above them add to the variance of each run's mean.

    At rank k below P pooled documents, p (1 - p) / n = 1/4 times (P / k)^2, divided by R^2; at most one in a list.
    """
    labels, offsets = sample.labels, sample.offsets
    added = np.zeros(len(pool.runs))
    for topic in range(len(pool.topics)):
        own = labels[offsets[topic] : offsets[topic + 1]]
        relevant = int((own > 0).sum())
        for run in range(len(pool.runs)):
            ranks, documents = (np.asarray(values) for values in pool.known(run, topic))
            listed = own[documents]
            ranks, listed = ranks[listed != OUTSIDE], listed[listed != OUTSIDE]
            judged = np.flatnonzero(listed != POOLED)
            if judged.size and listed[judged[0]] > 0 and judged[0] >= 2:
                added[run] += (judged[0] / ranks[judged[0]] / relevant) ** 2 / 4
    return added / len(pool.topics) ** 2


def allocation(bench: Workbench, contributing: Collection[str]) -> Finding:
    """Random judgments in proportion to the relevant documents of the depth pool, as the Terabyte track had in 2006."""
    trials = min(ALLOCATION_TRIALS, bench.most.get("trials", ALLOCATION_TRIALS))
    found = bench.kept("y08-allocation", lambda: _allocated(bench.pool(TREC8), sorted(contributing), trials))
    tau, error = found[:, :, 0], found[:, :, 1]
    names = ("xinfAP, all judgments", "infAP, random ones alone")
    text = "; ".join(
        f"{name}: tau {mean_error(tau[:, place])}, RMS {mean_error(error[:, place])}"
        for place, name in enumerate(names)
    )
    said = verdict(clear(tau[:, 0] - tau[:, 1]), clear(error[:, 1] - error[:, 0]))
    text = f"pool of depth {DEPTH} and as many at random, more where it holds more relevant documents: {text}"
    return Finding("Y28", TREC8, text, said, trials, "xinfAP better in both")


def _allocated(pool: pw.Campaign, contributing: list[str], trials: int) -> np.ndarray:
    """Tau and RMS error of xinfAP on all judgments and of infAP on the random ones, trials x 2 x 2."""
    truth = pool.score("AP").means()[:, 0]
    found = []
    for trial in range(trials):
        sample = pool.judgments.sample("depth_plus_random", depth=DEPTH, contributing=contributing, seed=0, trial=trial)
        every, random = _shared_out(pool, sample, np.random.default_rng([0, trial]))
        estimates = (pool.score("xinfAP", judgments=every), pool.score("infAP", judgments=random))
        means = [each.means()[:, 0] for each in estimates]
        found.append([[float(kendall_tau(truth, m)), float(root_mean_square_error(truth, m))] for m in means])
    return np.array(found)


def _shared_out(pool: pw.Campaign, sample: Judgments, generator: np.random.Generator) -> tuple[Judgments, Judgments]:
    """The judgments of a depth pool with as many others, shared out by the relevant ones; and these others alone."""
    complete, strata, offsets = pool.judgments.labels, np.asarray(sample.strata), sample.offsets
    deep = strata == strata[sample.labels != POOLED].min()
    parts = [slice(offsets[topic], offsets[topic + 1]) for topic in range(len(pool.topics))]
    relevant = np.array([1 + np.count_nonzero(complete[part][deep[part]] > 0) for part in parts])
    wanted = np.floor(np.count_nonzero(deep) * relevant / relevant.sum()).astype(int)
    every = np.where(deep, complete, POOLED)
    random = np.full_like(every, POOLED)
    for part, number in zip(parts, wanted, strict=True):
        rest = np.flatnonzero(~deep[part] & (complete[part] != OUTSIDE)) + part.start
        chosen = generator.permutation(rest)[:number]
        every[chosen] = random[chosen] = complete[chosen]
    return Judgments(pool, every, strata=strata), Judgments(pool, random)
