"""Estimators and intervals on simulated campaigns whose truth is known; seeds are fixed.

Tolerances are a few standard errors of the simulation around the values that the definitions give.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import norm

import poolwise as pw
from poolwise.measures.registry import parse
from poolwise.pool.judgments import POOLED
from poolwise.scores.intervals import both_interval, judgments_interval, with_variances

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")]
RUNS, TOPICS, DOCUMENTS, TRIALS = 5, 20, 300, 200
RATES = (1.0, 0.5, 0.3, 0.15)  # by stratum


def rising_runs(seed, topics=TOPICS, runs=RUNS, outside=50):
    """Better and better runs, each with documents outside the pool."""
    draw = np.random.default_rng(seed)
    qrels, rankings = {}, {f"run{number}": {} for number in range(runs)}
    for topic in map(str, range(1, topics + 1)):
        relevant = draw.random(DOCUMENTS) < np.clip(draw.beta(2, 10), 0.03, 0.6)
        labels = relevant * draw.choice([1, 2], size=DOCUMENTS)
        qrels[topic] = {f"d{number:03d}": int(label) for number, label in enumerate(labels)}
        for skill, ranking in enumerate(rankings.values()):
            scores = relevant * (0.4 + 0.6 * skill) + draw.normal(size=DOCUMENTS)
            ranking[topic] = {f"d{each:03d}": float(scores[each]) for each in draw.permutation(DOCUMENTS)[:250]}
            ranking[topic] |= {f"outside{each}": float(draw.normal()) for each in range(outside)}
    return pw.read(qrels, rankings)


def samples(pool, draw, strata, rates, trials):
    """Samples that judge a share of each stratum of each topic."""
    complete, offsets = pool.judgments.labels, pool.judgments.offsets
    for _ in range(trials):
        labels = np.full(len(complete), POOLED, dtype=np.int32)
        for begin, end in pairwise(offsets):
            for stratum, rate in enumerate(rates):
                members = begin + np.flatnonzero(strata[begin:end] == stratum)
                drawn = draw.permutation(members)[: max(1, round(rate * len(members)))]
                labels[drawn] = complete[drawn]
        yield pw.Judgments(pool, labels, strata=strata)


@pytest.fixture(scope="module")
def pool():
    return rising_runs(1)


@pytest.fixture(scope="module")
def half(pool):
    """Uniform samples of half the pool."""
    one = np.zeros(len(pool.judgments.labels), dtype=np.int32)
    return list(samples(pool, np.random.default_rng(5), one, (0.5,), TRIALS))


def best_ranks(pool):
    offsets = pool.judgments.offsets
    best = np.full(len(pool.judgments.labels), DOCUMENTS)
    for run in range(len(pool.runs)):
        for topic in range(len(pool.topics)):
            ranks, documents = (np.asarray(each) for each in pool.core.known_documents(run, topic))
            np.minimum.at(best, offsets[topic] + documents.astype(int), ranks)
    return best


def test_stratified_estimators_have_little_bias_where_infAP_has_much(pool):
    strata = np.digitize(best_ranks(pool), [11, 41, 101]).astype(np.int32)
    sets = list(samples(pool, np.random.default_rng(9), strata, RATES, TRIALS))
    pairs = {"xinfAP": "AP", "infNDCG": "nDCG@1000", "iP@20": "P@20", "infAP": "AP"}
    scores, truth = pool.score(*pairs, judgments=sets), pool.score(*pairs.values())
    for estimator, measure in pairs.items():
        bias = scores.array(estimator).mean(axis=(0, 2)) - truth.array(measure).mean(axis=1)
        if estimator == "infAP":  # which takes the sample for a uniform one
            assert bias.min() > 0.04
        else:
            assert np.abs(bias).max() < 0.004, estimator


def test_uniform_samples_of_half_the_pool_have_little_bias(pool, half):
    pairs = {"infAP": "AP", "infNDCG": "nDCG@1000", "iP@20": "P@20"}
    scores, truth = pool.score(*pairs, judgments=half), pool.score(*pairs.values())
    for estimator, measure in pairs.items():
        bias = scores.array(estimator).mean(axis=(0, 2)) - truth.array(measure).mean(axis=1)
        assert np.abs(bias).max() < (0.015 if estimator == "infAP" else 0.006), estimator


@pytest.mark.parametrize(("dependent", "expected"), [(False, 0.67), (True, 0.81)])
def test_the_paper_s_standard_deviation_is_too_small_by_a_known_factor(dependent, expected):
    """Half of each ranking is outside the pool. The dependent form tells wrong formulas: 0.99 without the factor
    pooled / (k - 1), 0.90 without the finite population in v_k, 1.03 without the factor 1 - p.
    """
    pool = rising_runs(1, outside=250)
    one = np.zeros(len(pool.judgments.labels), dtype=np.int32)
    sets = list(samples(pool, np.random.default_rng(5), one, (0.5,), TRIALS))
    scores = pool.score("infAP", judgments=sets, interval="judgments", dependent=dependent)
    deviations = (scores.mean_high() - scores.mean_low())[:, :, 0] / (2 * norm.ppf(0.975))
    ratio = np.sqrt((deviations**2).mean(axis=0)) / scores.means()[:, :, 0].std(axis=0, ddof=1)
    assert ratio.mean() == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(("dependent", "low", "high"), [(False, 0.65, 0.85), (True, 0.80, 0.93)])
def test_the_paper_s_interval_does_not_cover(pool, half, dependent, low, high):
    truth = pool.score("AP").means()[:, 0]
    scores = pool.score("infAP", judgments=half, interval="judgments", dependent=dependent)
    covered = (scores.mean_low()[:, :, 0] <= truth) & (truth <= scores.mean_high()[:, :, 0])
    assert low < covered.mean() < high


def test_topics_interval_covers_skewed_scores():
    """Reciprocal ranks of 15 topics at a time; every run is one trial with topics of its own."""
    draw = np.random.default_rng(3)
    topics, trials = 15, 600

    def ranks(size):
        return np.round(1 / np.maximum(draw.beta(0.7, 2.0, size=size), 0.02)).astype(int)

    truth = (1 / ranks(400_000)).mean()
    rankings = {
        f"trial{number}": {
            str(topic): {"hit" if place == rank else f"miss{place}": -float(place) for place in range(1, rank + 1)}
            for topic, rank in enumerate(row)
        }
        for number, row in enumerate(ranks((trials, topics)).tolist())
    }
    pool = pw.read({str(topic): {"hit": 1} for topic in range(topics)}, rankings)
    scores = pool.score("RR", interval="topics", resamples=2000, seed=4)
    covered = (scores.mean_low()[:, 0] <= truth) & (truth <= scores.mean_high()[:, 0])
    assert 0.92 < covered.mean() < 0.975


def test_both_covers_the_mean_over_all_topics_where_judgments_alone_do_not():
    """Half of the pool judged, on 15 topics drawn from 150."""
    pool = rising_runs(8, topics=150, runs=3)
    truth = pool.score("AP").means()[:, 0]
    one = np.zeros(len(pool.judgments.labels), dtype=np.int32)
    sets = list(samples(pool, np.random.default_rng(6), one, (0.5,), 60))
    values, variances = with_variances(pool, [parse("infAP")], sets, 2)
    draw = np.random.default_rng(7)
    covered = {both_interval: [], judgments_interval: []}
    for number in np.repeat(np.arange(len(sets)), 5):
        topics = draw.integers(0, 150, size=15)
        scores, noise = (each[number : number + 1, ..., topics] for each in (values, variances))
        for make, found in covered.items():
            interval = make(scores, noise, np.ones((3, 15), bool), 0.95)
            found.append((interval.mean_low[0, 0] <= truth) & (truth <= interval.mean_high[0, 0]))
    assert 0.90 < np.mean(covered[both_interval]) < 0.97
    assert np.mean(covered[judgments_interval]) < 0.6
