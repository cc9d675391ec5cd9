"""What holes leave open, against scores, bounds and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign

import poolwise as pw

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 2.0, "a": 1.0}},
    "two": {"1": {"c": 2.0, "y": 1.0}, "2": {"x": 1.0}},
}


@pytest.fixture(scope="module")
def old():
    """Judgments made by half of the runs, and all labels."""
    pool = small_campaign(runs=12, topics=20, documents=200, depth=40, share=0.2, grades=2)
    return pool, pool.judgments.sample("depth", depth=10, contributing=pool.runs[:8])


def with_judgments(pool, judgments):
    campaign = pw.Campaign(pool.core, pool.runs)
    campaign.judgments = judgments
    return campaign


def test_scores_shares_and_bounds_are_those_of_score(old):
    pool, thin = old
    found = with_judgments(pool, thin).holes("nDCG@10")
    assert np.allclose(found.worthless, pool.score("nDCG@10", judgments=thin).means()[:, 0])
    bounds = pool.score("P@10", judgments=thin, interval="bounds")
    precision = with_judgments(pool, thin).holes("P@10", draws=20)
    assert np.allclose(precision.lowest, bounds.mean_low()[:, 0])
    assert np.allclose(precision.highest, bounds.mean_high()[:, 0])
    condensed = pool.score("nDCG(judged_only=True)@10", judgments=thin).means()[:, 0]
    assert np.allclose(found.condensed, condensed)
    judged = pool.score("Judged@5", "Judged@100", judgments=thin, missing="skip").means()
    assert np.allclose(found.judged[5], judged[:, 0])
    assert sum(found.holes[:8]) == 0 < min(found.holes[8:])


def test_pooled_runs_have_no_doubt_and_others_lie_within_their_bounds(old):
    pool, thin = old
    found = with_judgments(pool, thin).holes("nDCG@10")
    assert np.allclose(found.model_low[:8], found.worthless[:8])
    assert (found.lowest - 1e-9 <= found.model_low).all()
    assert (found.model_low <= found.model + 1e-9).all()
    assert (found.model <= found.model_high + 1e-9).all()
    assert (found.model_high <= found.highest + 1e-9).all()


def test_the_offset_is_learned_from_runs_that_are_judged(old):
    pool, thin = old
    assert with_judgments(pool, thin).holes("nDCG@10").offset.groups == 8
    assert pw.read(QRELS, RUNS).holes("P@2").offset.source == "four collections"


def test_pairs_turn_just_where_labels_can_turn_them():
    pool = pw.read(QRELS, RUNS)
    found = pool.holes("P@3").pairs
    assert (found.run_a, found.run_b) == (["one"], ["two"])
    differences = []
    for x1, x2, y in itertools.product((0, 1), repeat=3):
        labels = {"1": {**QRELS["1"], "x": x1, "y": y}, "2": {**QRELS["2"], "x": x2}}
        one, two = pw.read(labels, RUNS).score("P@3").means()[:, 0]
        differences.append(one - two)
    assert found.lowest[0] == pytest.approx(min(differences))
    assert found.highest[0] == pytest.approx(max(differences))
    assert bool(found.could_turn[0]) == (min(differences) <= 0)


def test_without_holes_there_is_nothing_to_say():
    found = pw.read({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}}).holes("P@2")
    assert found.headline().startswith("no holes")
    assert found.model.tolist() == found.lowest.tolist() == found.highest.tolist() == [0.5]
    assert found.pairs.run_a == []


def test_judgments_that_are_all_relevant_have_no_model():
    runs = {"mine": {"1": {"a": 2.0, "x": 1.0}}, "yours": {"1": {"y": 1.0}}}
    with pytest.warns(pw.PoolwiseWarning, match="no model of the holes"):
        found = pw.read({"1": {"a": 1}}, runs).holes("P@2")
    assert np.isnan(found.model).all()
    assert found.highest.tolist() == [1.0, 0.5]


def test_a_sample_is_told_from_complete_judgments(old):
    pool, _ = old
    with pytest.warns(pw.PoolwiseWarning, match="use estimate"):
        found = with_judgments(pool, pool.judgments.sample("uniform", fraction=0.5, seed=1)).holes("P@10")
    assert np.isnan(found.model).all()
    assert np.isnan(found.model_low).all()
    assert (found.lowest <= found.worthless + 1e-12).all()
    assert (found.worthless <= found.highest + 1e-12).all()
    assert "unsure" not in found.headline()


def test_the_same_seed_finds_the_same(old):
    pool, thin = old
    campaign = with_judgments(pool, thin)
    one, other, third = (campaign.holes("nDCG@10", seed=seed, draws=50) for seed in (1, 1, 2))
    assert one.to_dict() == other.to_dict()
    assert one.model.tolist() != third.model.tolist()


@pytest.mark.parametrize("measure", ["Judged@10", "nDCG(judged_only=True)@10", "infAP"])
def test_measures_that_holes_do_not_move_are_refused(measure):
    with pytest.raises(pw.ArgumentError, match="holes say nothing of"):
        pw.read(QRELS, RUNS).holes(measure)


@pytest.mark.slow
def test_intervals_hold_the_score_by_all_labels_about_as_often_as_they_say():
    """Simulated collections: half of the runs made the pool; the others' scores are looked for by the model."""
    held, number = 0, 0
    for seed in range(12):
        pool = small_campaign(runs=14, topics=25, documents=200, depth=40, share=0.2, seed=seed)
        thin = pool.judgments.sample("depth", depth=10, contributing=pool.runs[:9])
        found = with_judgments(pool, thin).holes("P@10", draws=200, seed=seed)
        truth = pool.score("P@10").means()[9:, 0]
        held += int(((found.model_low[9:] <= truth) & (truth <= found.model_high[9:])).sum())
        number += 5
    assert held / number > 0.8


def test_runs_that_lack_topics_are_told_and_shares_are_of_their_own_lists():
    """The second run has one document, of one topic, and nobody judged it."""
    runs = {"one": RUNS["one"], "two": {"1": {"y": 1.0}}}
    pool = pw.read(QRELS, runs, documents="all")
    with pytest.warns(pw.PoolwiseWarning, match=r"1 of 2 runs lacks topics \(1 list in all; two lacks 2\) and"):
        found = pool.holes("P@10", draws=20)
    assert any("lacks topics" in note for note in found.warnings)
    assert found.headline().startswith("up to 100 % of the top 10 is not judged (two)")
    assert found.judged[10] == [0.8, 0.0]
