"""What planning computes with: influences, the relevance model, anticipated variances."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.kit.campaigns import known_campaign

import poolwise
from poolwise.plans.label_value import Influence, LabelValue
from poolwise.plans.listing import NOT_SET, list_pool
from poolwise.plans.plan_strata import make_cells, set_strata
from poolwise.plans.relevance_prior import PRECISION, TOPIC_VARIANCE, Labels, feature, fit, prior_effects

RANK = np.array([3.0, 0, 1, 7, 2, 0, 12, 5])
CHANCE = np.array([[0.9, 0.2, 0.6, 0.4, 0.8, 0.5, 0.3, 0.7]])


def expected_ap(weights, cutoff=math.inf):
    """AP when documents count with weights: literal sums."""
    total = 0.0
    for own, rank in zip(weights, RANK, strict=True):
        if 0 < rank <= cutoff:
            above = sum(other for other, place in zip(weights, RANK, strict=True) if 0 < place < rank)
            total += own * (1 + above) / rank
    return total / sum(weights)


@pytest.mark.parametrize("cutoff", [None, 5])
def test_influence_on_ap_is_its_derivative(cutoff):
    influence = Influence("AP" if cutoff is None else f"AP@{cutoff}", 1)
    found = influence.at(RANK, np.ones(1), CHANCE)[0]
    for place in range(len(RANK)):
        step = np.zeros(len(RANK))
        step[place] = 1e-6
        slope = (
            expected_ap(CHANCE[0] + step, cutoff or math.inf) - expected_ap(CHANCE[0] - step, cutoff or math.inf)
        ) / 2e-6
        assert found[place] == pytest.approx(slope, abs=1e-7)


DISCOUNTS = {
    "nDCG(gain='exp')": lambda rank: 1 / math.log2(rank + 1),
    "nDCG(gain='exp')@5": lambda rank: 1 / math.log2(rank + 1) if rank <= 5 else 0.0,
    "nDCG(gain='exp', discount='zipf')": lambda rank: 1 / rank,
    "nDCG(gain='exp', discount='linear')@5": lambda rank: max(0.0, (6 - rank) / 5),
    "nDCG(gain='exp', discount=[1, 0.25, 0, 0.5])@4": lambda rank: [1, 0.25, 0, 0.5][rank - 1] if rank <= 4 else 0.0,
    "nDCG(gain='exp', discount=[0, 1])@2": lambda rank: float(rank == 2),
}


def ideal(numbers, gains, discount):
    """Fill ranks one by one, best gain first, a rank taking fractions of several gains."""
    left, total, rank, room = dict(zip(gains, numbers, strict=True)), 0.0, 1, 1.0
    for gain in sorted(gains, reverse=True):
        while left[gain] > 1e-12:
            taken = min(room, left[gain])
            total += taken * gain * discount(rank)
            left[gain] -= taken
            room -= taken
            if room <= 1e-12:
                rank, room = rank + 1, 1.0
    return total


@pytest.mark.parametrize("measure", DISCOUNTS)
def test_influence_on_ndcg_is_that_of_one_more_document(measure):
    influence = Influence(measure, 2)
    gains = [influence.gain(label) for label in (1, 2)]
    assert gains == [1, 3]
    assert influence.gain(0) == influence.gain(-2) == 0
    chance = np.stack([0.7 * CHANCE[0], 0.3 * CHANCE[0]])
    found = influence.at(RANK, np.array(gains, dtype=float), chance)
    numbers, weight = chance.sum(axis=1).tolist(), DISCOUNTS[measure]
    best = ideal(numbers, gains, weight)
    discount = [weight(int(rank)) if rank > 0 else 0.0 for rank in RANK]
    score = (
        sum(g * p * d for row, g in zip(chance, gains, strict=True) for p, d in zip(row, discount, strict=True)) / best
    )
    for place, gain in enumerate(gains):
        more = ideal([n + (other == place) for other, n in enumerate(numbers)], gains, weight) - best
        for document in range(len(RANK)):
            assert found[place, document] == pytest.approx((gain * discount[document] - score * more) / best)


def test_influence_on_precision_is_one_in_k():
    found = Influence("P(rel=2)@5", 2)
    assert found.gain(1) == 0
    assert found.gain(2) == 1
    expected = [0.2 if 0 < rank <= 5 else 0 for rank in RANK]
    assert found.at(RANK, np.ones(1), CHANCE)[0].tolist() == expected


def test_influence_on_persistence_is_its_weight():
    found = Influence("RBP(p=0.5)", 2)
    expected = [0.5 * 0.5 ** (rank - 1) if rank > 0 else 0 for rank in RANK]
    assert found.at(RANK, np.ones(1), CHANCE)[0] == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["RR", "RR@4", "Success@3", "ERR"])
def test_influence_on_readers_who_stop_is_the_derivative(measure):
    influence = Influence(measure, 1)
    gain, cutoff = influence.gain(1), influence.measure.cutoff or 10**6

    def score(chance):
        total = 0.0
        left = 1.0
        for rank, p in sorted(zip(RANK, chance, strict=True)):
            if 0 < rank <= cutoff:
                total += left * gain * p * (1.0 if measure.startswith("Success") else 1.0 / rank)
                left *= 1.0 - gain * p
        return total

    found = influence.at(RANK, np.array([gain]), CHANCE)[0]
    for document, own in enumerate(found):
        more = CHANCE[0].copy()
        more[document] += 1e-6
        assert own == pytest.approx((score(more) - score(CHANCE[0])) / 1e-6, abs=1e-5)


def labels_of(seed, topics=5, count=60):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=200)
    place = rng.choice(200, count, replace=False)
    topic = np.sort(rng.integers(0, topics, count))
    gain = (rng.random(count) < 1 / (1 + np.exp(1.5 - x[place] - 0.4 * topic))).astype(float)
    return x, Labels(place, topic, gain)


def penalised(parameters, x, labels):
    """Minus the logarithm of the posterior density, but for a constant."""
    slopes, effects = parameters[:2], parameters[2:]
    logit = slopes[0] + slopes[1] * x[labels.rows] + effects[labels.topic]
    likelihood = (labels.gain * logit - np.logaddexp(0, logit)).sum()
    prior = prior_effects(x, 5)
    return -likelihood + (PRECISION * (slopes - prior) ** 2).sum() / 2 + (effects**2).sum() / TOPIC_VARIANCE / 2


@pytest.mark.parametrize("seed", range(3))
def test_the_relevance_model_is_the_posterior_mode(seed):
    x, labels = labels_of(seed)
    model = fit(x, labels, 5)
    best = minimize(penalised, np.zeros(7), args=(x, labels), tol=1e-12)
    assert np.concatenate([model.slopes, model.effects]) == pytest.approx(best.x, abs=1e-4)
    again = fit(x, labels.without([2]), 5, model)
    assert again.effects[2] == pytest.approx(0, abs=1e-7)


def test_without_labels_the_model_is_its_prior():
    model = fit(np.zeros(3), Labels(*(np.zeros(0, dtype=int),) * 2, np.zeros(0)), 4)
    assert model.slopes == pytest.approx(prior_effects(np.zeros(3), 4))
    assert model.effects.tolist() == [0] * 4
    assert model.chance(np.zeros(1), np.zeros(1, dtype=int), 1.0)[0] == pytest.approx(1 / (1 + math.exp(-1)))


@pytest.mark.parametrize(("pooled", "relevant"), [(4000, 80), (400, 80), (100, 50)])
def test_before_any_label_a_topic_has_eighty_relevant_documents_or_half_of_its_pool(pooled, relevant):
    topics, rng = 3, np.random.default_rng(2)
    for x in (rng.normal(size=pooled * topics), rng.normal(size=(pooled * topics, 2))):
        model = fit(x, Labels(*(np.zeros(0, dtype=int),) * 2, np.zeros(0)), topics)
        chances = model.chance(x, np.repeat(np.arange(topics), pooled))
        assert chances.sum() / topics == pytest.approx(relevant, rel=1e-6)


def test_the_feature_is_the_mean_reciprocal_rank():
    campaign = known_campaign(2, topics=2, runs=3)
    pool = poolwise.read(None, campaign.runs)
    listing = list_pool(pool, None, 40, None, 0)
    raw = []
    for topic, document in zip(listing.topic, listing.document, strict=True):
        name = pool.documents(pool.topics[topic])[document]
        lists = [pool.ranking(run, pool.topics[topic]) for run in pool.runs]
        raw.append(math.log(1e-4 + sum(1 / (own.index(name) + 11) for own in lists if name in own) / 3))
    raw = np.array(raw)
    assert feature(pool, listing) == pytest.approx((raw - raw.mean()) / raw.std())


def test_spreads_are_the_anticipated_variance(monkeypatch):
    """Over many labellings drawn from the model, the mean of N times the sum of (label - chance)^2 x influence^2."""
    monkeypatch.setattr("poolwise.plans.label_value.SHIFTS", (0.0, 0.0))
    campaign = known_campaign(3, topics=2, runs=2, documents=300, depth=200)
    pool = poolwise.read(None, campaign.runs)
    listing = set_strata(list_pool(pool, None, 200, None, 0), (20,))
    cells = make_cells(listing)
    worth = LabelValue(pool, listing, cells, "P@30", None, 1)
    chance = worth.model.chance(feature(pool, listing), listing.topic)
    names = [pool.documents(topic) for topic in pool.topics]
    listed = [(topic, names[topic][document]) for topic, document in zip(listing.topic, listing.document, strict=True)]
    tops = []
    for run in pool.runs:
        lists = [pool.ranking(run, topic)[:30] for topic in pool.topics]
        tops.append(np.array([name in lists[topic] for topic, name in listed]))
    rng, trials = np.random.default_rng(1), 400
    totals = np.zeros(len(cells.size))
    for _ in range(trials):
        label = rng.random(len(chance)) < chance
        for top in tops:
            value = (label - chance) ** 2 * top / 30**2
            for cell in range(len(totals)):
                totals[cell] += cells.size[cell] * value[cells.of == cell].sum() / len(tops)
    assert worth.for_allocation() == pytest.approx(totals / trials, rel=0.12)


@pytest.mark.parametrize(("folds", "together"), [(100, [[0], [1], [2], [3], [4]]), (2, [[0, 2, 4], [1, 3]])])
def test_a_topics_worth_never_comes_from_its_own_labels(monkeypatch, folds, together):
    monkeypatch.setattr("poolwise.plans.label_value.FOLDS", folds)
    x, labels = labels_of(2)
    worth = LabelValue.__new__(LabelValue)
    worth._cells, worth._pool = SimpleNamespace(parent=np.array([0, 0, 1, 2, 3, 4])), SimpleNamespace(topics=range(5))
    worth._x, worth._labels, worth.model = x, labels, fit(x, labels, 5)
    found = list(worth._left_out())
    assert [topic for topic, _, _ in found] == list(range(5))
    for topic, others, model in found:
        (own,) = [fold for fold in together if topic in fold]
        kept = [place for place, of in enumerate(labels.topic.tolist()) if of not in own]
        assert others.rows.tolist() == labels.rows[kept].tolist()
        alone = fit(x, Labels(labels.rows[kept], labels.topic[kept], labels.gain[kept]), 5)
        assert model.slopes == pytest.approx(alone.slopes, abs=1e-6)
    assert len({id(model) for _, _, model in found}) == len(together)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_worths_for_all_differences_are_the_mean_over_all_pairs(measure, monkeypatch):
    """By going through the pairs one by one."""
    monkeypatch.setattr("poolwise.plans.label_value.SHIFTS", (0.5, 0.5))
    campaign = known_campaign(4, topics=3, runs=5, documents=150, depth=60)
    pool = poolwise.read(None, campaign.runs)
    listing = set_strata(list_pool(pool, None, 60, None, 0), (20,))
    cells = make_cells(listing)
    pairs = list(itertools.combinations(pool.runs, 2))
    by_pair = [LabelValue(pool, listing, cells, measure, pair, 1) for pair in pairs]
    every = LabelValue(pool, listing, cells, measure, "all", 1)
    assert every.by_document() ** 2 == pytest.approx(np.mean([own.by_document() ** 2 for own in by_pair], axis=0))
    assert every.for_allocation() == pytest.approx(np.mean([own.for_allocation() for own in by_pair], axis=0))
    spelled = LabelValue(pool, listing, cells, measure, pairs, 1)
    assert every.for_allocation() == pytest.approx(spelled.for_allocation())
    assert not np.allclose(every.by_document(), LabelValue(pool, listing, cells, measure, None, 1).by_document())


def test_before_any_label_a_fifth_of_what_is_relevant_has_label_2():
    """Gains of labels 1 and 2 as the measure has them; equal ones are one."""
    nothing = (np.zeros(0, dtype=int),) * 2
    gains, shares = Labels(*nothing, np.zeros(0), (1.0, 3.0)).mixture
    assert (gains.tolist(), shares.tolist()) == ([1.0, 3.0], [0.8, 0.2])
    gains, shares = Labels(*nothing, np.zeros(0), (1.0, 1.0)).mixture
    assert (gains.tolist(), shares.tolist()) == ([1.0], [1.0])
    known = Labels(*nothing, np.array([0.0, 1.0, 1.0, 2.0]), (1.0, 3.0)).mixture
    assert known[0].tolist() == [1.0, 2.0]
    assert known[1] == pytest.approx([2 / 3, 1 / 3])


def test_worths_are_of_topics_with_less_and_with_more_in_equal_parts(monkeypatch):
    campaign = known_campaign(4, topics=3, runs=3, documents=200, depth=60)
    pool = poolwise.read(None, campaign.runs)
    listing = set_strata(list_pool(pool, None, 60, None, 0), (20,))
    cells = make_cells(listing)

    def squares(*shifts):
        monkeypatch.setattr("poolwise.plans.label_value.SHIFTS", shifts)
        return LabelValue(pool, listing, cells, "nDCG@10", None, 1).by_document() ** 2

    low, high, both = squares(-1.0, -1.0), squares(1.0, 1.0), squares(-1.0, 1.0)
    for topic in range(3):
        own = listing.topic == topic
        first, second = low[own].sum(), high[own].sum()
        expected = (low[own] / first + high[own] / second) * (first + second) / 4
        assert both[own] == pytest.approx(expected)
        assert not np.allclose(low[own] / first, high[own] / second, rtol=0.1)


def test_strata_go_by_the_best_rank_in_any_run():
    """What a run that feeds no pool ranks first is as important as what others do."""
    runs = {"a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"1": {"z": 3.0, "y": 2.0, "x": 1.0}}}
    pool = poolwise.read(None, runs)
    listing = list_pool(pool, None, 3, ["a"], 0)
    names = pool.documents("1")
    assert {names[d]: int(r) for d, r in zip(listing.document, listing.rank, strict=True)} == {"x": 1, "y": 2, "z": 3}
    assert {names[d]: int(r) for d, r in zip(listing.document, listing.best, strict=True)} == {"x": 1, "y": 2, "z": 1}
    strata = set_strata(listing, (1,)).stratum.tolist()
    assert {names[d]: s for d, s in zip(listing.document, strata, strict=True)} == {"x": 1, "y": 2, "z": 1}


def test_new_documents_have_strata_after_those_of_the_earlier_pool():
    """By edges of their own if these are given; what has a stratum keeps it."""
    runs = {"a": {"1": {name: -float(rank) for rank, name in enumerate("abcdef")}}}
    pool = poolwise.read(None, runs)
    listing = list_pool(pool, None, 6, None, 0)
    assert [pool.documents("1")[d] for d in listing.document] == list("abcdef")
    listing = replace(listing, new=np.array([True, False, False, True, False, True]))
    assert set_strata(listing, (2,)).stratum.tolist() == [3, 1, 2, 4, 2, 4]
    assert set_strata(listing, (2,), (1, 4)).stratum.tolist() == [3, 1, 2, 4, 2, 5]
    kept = np.array([NOT_SET, 7, NOT_SET, NOT_SET, NOT_SET, NOT_SET], dtype=np.int32)
    assert set_strata(replace(listing, stratum=kept), (2,)).stratum.tolist() == [10, 7, 9, 11, 9, 11]
