"""Judging by plans, on campaigns whose truth is known: estimates over rounds are unbiased, forecasts come true."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from tests.kit.campaigns import known_campaign

import poolwise
from poolwise.pool.judgments import POOLED

pytestmark = pytest.mark.slow

CAMPAIGN = known_campaign(11, topics=10, runs=5, documents=150, depth=100)
POOL = poolwise.read(None, CAMPAIGN.runs)


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """Fill in a plan and read it back; as files, since that takes a tenth of the time that tables do."""
    folder = tmp_path_factory.mktemp("plans")
    CAMPAIGN.write(folder)

    def read_back(plan):
        (folder / "plan.txt").write_bytes(CAMPAIGN.fill_text(plan.to_text()))
        return poolwise.read(folder / "plan.txt", folder / "runs")

    return read_back


@pytest.fixture(scope="module")
def judged(judge):
    """A round of judging: plan, fill in, read back."""
    return lambda pool, seed, **settings: judge(pool.plan(seed=seed, **settings))


def test_budgets_below_one_label_per_topic_hold_what_topics_differ_by():
    """Nine of 40 topics, 38 labels: intervals of differences hold, and would not if these topics were all there are."""
    known = known_campaign(3, topics=40, runs=4, documents=80, depth=40)
    pool, truth = poolwise.read(None, known.runs), poolwise.read(known.truth, known.runs).score("AP").means()[:, 0]
    held, held_without, errors = [], [], []
    for seed in range(40):
        plan = pool.plan(budget=38, design="model", seed=seed)
        judged = plan.merge([(topic, document, known.truth[topic][document]) for topic, document in plan.to_judge()])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", poolwise.PoolwiseWarning)
            found = poolwise.read(judged, known.runs).estimate("AP", difference=["run0", "run3"])
        apart, of_truth = found.differences, truth[0] - truth[3]
        held.append(apart.low[0] <= of_truth <= apart.high[0])
        scores = np.array([row[3] for row in found.table_rows(per_topic=True) if row[2] != "all"]).reshape(4, -1)
        between = (1 - 9 / 40) * (scores[0] - scores[3]).var(ddof=1) / 9
        rest = max(apart.standard_error[0] ** 2 - between, 0.0) ** 0.5
        held_without.append(abs(apart.difference[0] - of_truth) <= 2.0 * rest)
        errors.append(apart.difference[0] - of_truth)
    assert 0.87 <= np.mean(held) <= 1.0
    assert np.mean(held_without) < 0.8
    assert abs(np.mean(errors)) < 3.0 * np.std(errors) / np.sqrt(len(errors)) + 0.02


def relevant(campaign):
    """Estimated number of relevant documents: labels by inclusion probability."""
    labels, inclusion = campaign.judgments.labels, campaign.judgments.inclusion()
    shown = labels != POOLED
    return float((labels[shown] / inclusion[shown]).sum())


def ndcg(campaign):
    """Mean nDCG of each run, its sums estimated by weights of 1 / inclusion probability."""
    judgments = campaign.judgments
    weight = np.where(judgments.labels == POOLED, 0, judgments.labels) / np.maximum(judgments.inclusion(), 1e-9)
    totals = np.zeros(len(campaign.runs))
    for number, topic in enumerate(campaign.topics):
        own = weight[judgments.offsets[number] : judgments.offsets[number + 1]]
        names = dict(zip(campaign.documents(topic), own.tolist(), strict=False))
        count = float(own.sum())
        whole = int(count)
        best = sum(1 / math.log2(rank + 1) for rank in range(1, whole + 1)) + (count - whole) / math.log2(whole + 2)
        for run in range(len(campaign.runs)):
            ranking = campaign.ranking(campaign.runs[run], topic)
            gain = sum(names.get(name, 0) / math.log2(rank + 1) for rank, name in enumerate(ranking, 1))
            totals[run] += gain / best if best else 0.0
    return totals / len(campaign.topics)


def variance(judged, design):
    """Of estimates of nDCG over draws of a plan, the mean of all runs."""
    estimates = [ndcg(judged(POOL, seed, budget=200, design=design, measure="nDCG")) for seed in range(30)]
    return np.var(estimates, axis=0, ddof=1).mean()


@pytest.fixture(scope="module")
def uniform_variance(judged):
    return variance(judged, "uniform")


def pooled_relevant():
    """How many relevant documents the pool of depth 100 holds."""
    listed = POOL.plan(budget=10**6, design="uniform")
    return sum(CAMPAIGN.truth[t][d] for t, d in zip(listed.topic, listed.document, strict=True))


@pytest.mark.filterwarnings("ignore:only")
def test_two_rounds_estimate_the_number_of_relevant_documents_without_bias(judged):
    truth = pooled_relevant()
    estimates = []
    for seed in range(50):
        first = judged(POOL, seed, budget=80)
        estimates.append(relevant(judged(first, 1000 + seed, budget=80)))
    error = np.std(estimates, ddof=1) / math.sqrt(len(estimates))
    assert abs(np.mean(estimates) - truth) < 3.5 * error
    assert error < 0.03 * truth  # so that a bias of a tenth would be noticed


def test_looking_at_a_stratums_own_labels_biases_it():
    """Why plans do not: go on only where something relevant was found, and the estimate is far too low."""
    rng = np.random.default_rng(1)
    size, truth, first, second = 40, 4, 4, 16
    by_rule, by_chance = [], []
    for _ in range(4000):
        label = rng.permutation(size) < truth
        early = int(label[:first].sum())
        late = int(label[: first + second].sum())
        by_chance.append(late * size / (first + second))
        by_rule.append(late * size / (first + second) if early else 0.0)
    assert abs(np.mean(by_chance) - truth) < 0.1
    assert np.mean(by_rule) < 0.8 * truth


def test_forecast_widths_come_true(judge, judged):
    forecasts, estimates = [], []
    for seed in range(30):
        pilot = judged(POOL, seed, budget=100, measure="nDCG", edges=(5, 20))
        asked = {"target_width": 0.1} if seed % 4 == 0 else {}  # a forecast takes as long as a dozen estimates
        plan = pilot.plan(budget=200, measure="nDCG", seed=1000 + seed, **asked)
        forecasts += [plan.needed.width_with] if asked else []
        estimates.append(ndcg(judge(plan)))
    actual = 2 * 1.96 * math.sqrt(np.var(estimates, axis=0, ddof=1).mean())
    assert 0.75 < np.mean(forecasts) / actual < 1.35
    assert np.std(forecasts) < 0.2 * np.mean(forecasts)


@pytest.mark.parametrize("design", ["stratified", "model"])
def test_strata_and_rates_from_the_model_earn_their_keep(judged, uniform_variance, design):
    """At equal cost, and before any label, estimates vary much less than under the uniform plan."""
    assert variance(judged, design) < 0.6 * uniform_variance


@pytest.mark.filterwarnings("ignore:only")
def test_strata_from_a_fitted_model_leave_estimates_unbiased(judged):
    """A uniform pilot, then strata and rates from the model fitted to the pilot's labels of the other topics."""
    truth = pooled_relevant()
    estimates = []
    for seed in range(40):
        first = judged(POOL, seed, budget=60, design="uniform")
        second = judged(first, 1000 + seed, budget=140, design="model")
        assert len(set(second.judgments.strata.tolist())) > 2
        estimates.append(relevant(second))
    error = np.std(estimates, ddof=1) / math.sqrt(len(estimates))
    assert abs(np.mean(estimates) - truth) < 3.5 * error
    assert error < 0.03 * truth
