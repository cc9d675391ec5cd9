"""Strata by what a model of relevance says of documents, before any label and after a pilot."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.kit.campaigns import known_campaign
from tests.kit.plans import best_ranks, rows
from tests.kit.small_campaigns import campaign_tables

import poolwise
from poolwise.plans.label_value import LabelValue
from poolwise.plans.listing import list_pool
from poolwise.plans.plan_strata import make_cells, set_model_strata, set_strata, usual_edges

CAMPAIGN = known_campaign(1)


@pytest.fixture(scope="module")
def pool():
    return poolwise.read(None, CAMPAIGN.runs)


def test_model_strata_have_equal_sums_of_spreads(pool):
    listing = list_pool(pool, None, 30, None, 1)
    spreads = np.random.default_rng(1).random(len(listing.topic)) + 0.05
    strata = set_model_strata(listing, spreads, np.full(len(pool.topics), 4)).stratum
    for topic in range(len(pool.topics)):
        own = listing.topic == topic
        sums = np.bincount(strata[own], spreads[own])[1:]
        assert len(sums) == 4
        assert sums == pytest.approx(np.full(4, spreads[own].sum() / 4), abs=1.05)  # one document's spread
        assert all(
            spreads[own & (strata == stratum)].min() >= spreads[own & (strata == stratum + 1)].max()
            for stratum in (1, 2, 3)
        )


def test_plans_for_differences_have_a_stratum_for_every_label(pool):
    budget = 5 * len(pool.topics) + 7
    plan = pool.plan(budget=budget, design="model", difference="all", seed=2)
    drawn = [(topic, stratum) for topic, _, stratum, number, _ in rows(plan) if number]
    assert len(drawn) == len(set(drawn)) == budget
    assert set(drawn) == {(topic, stratum) for topic, _, stratum, _, _ in rows(plan)}
    of_runs = pool.plan(budget=budget, design="model", seed=2)
    labels = Counter(topic for topic, _ in drawn)
    assert len(set(zip(of_runs.topic, of_runs.stratum, strict=True))) == sum(each // 2 for each in labels.values())


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("difference", [None, "all"])
def test_estimates_tell_what_plans_for_differences_cost_single_runs(pool, difference):
    plan = pool.plan(budget=5 * len(pool.topics), design="model", difference=difference, seed=2)
    judged = poolwise.read(CAMPAIGN.fill(plan.to_frame()), CAMPAIGN.runs)
    told = [line for line in judged.estimate("AP", "P@10", "nDCG@10").warnings if "most strata have one label" in line]
    assert [line.partition(":")[0] for line in told] == ([] if difference is None else ["AP", "nDCG@10"])


@pytest.mark.parametrize("difference", [None, "all"])
def test_every_stratum_has_a_label_though_those_of_a_pilot_may_lie_in_one(pool, difference):
    topics = len(pool.topics)
    for seed in range(4):
        drawn = pool.plan(budget=2 * topics, design="uniform", seed=seed)
        pilot = poolwise.read(CAMPAIGN.fill(drawn.to_frame()), CAMPAIGN.runs)
        plan = pilot.plan(budget=4 * topics, design="model", difference=difference, seed=seed)
        strata = Counter((topic, stratum) for topic, _, stratum, _, _ in rows(plan))
        reached = {(topic, stratum) for topic, _, stratum, number, _ in rows(plan) if number}
        assert reached == set(strata)
        assert not any("get no judgment" in words for words in plan.warnings)
        most = max(Counter(topic for topic, _ in strata).values())
        assert most == (3 if difference is None else 5)


def test_shares_by_worth_leave_labels_for_the_topics_worth_most():
    """Labels of topics on which all runs agree tell nothing of differences."""
    chance = np.random.default_rng(3)
    same = {f"d{d:02d}": -float(d) for d in range(40)}
    runs = {
        f"run{r}": {t: same if t < "d" else dict(zip(same, chance.random(40), strict=True)) for t in "abcdef"}
        for r in range(4)
    }
    plan = poolwise.read(None, runs).plan(budget=36, design="model", difference="all", topic_shares="worth", seed=2)
    labels = Counter(topic for topic, _ in plan.to_judge())
    assert max(labels[t] for t in "abc") < 6 < min(labels[t] for t in "def")


def test_a_uniform_pilot_may_still_be_given_strata_by_the_model(pool):
    pilot = poolwise.read(CAMPAIGN.fill(pool.plan(budget=80, design="uniform", seed=1).to_frame()), CAMPAIGN.runs)
    plan = pilot.plan(budget=120, design="model", seed=2)
    assert len(set(plan.stratum)) == 8
    assert sum(round == 1 for round in plan.round) == 80
    assert len(plan.to_judge()) == 120
    again = poolwise.read(CAMPAIGN.fill(plan.to_frame()), CAMPAIGN.runs)
    # The rates of the file: what is judged of each stratum of each topic, whichever round it was judged in.
    table = plan.to_frame()
    table["judged"] = table["round"] > 0
    shares = table.groupby(["topic", "stratum"])["judged"].mean()
    first = again.topics[0]
    offsets = again.judgments.offsets
    for document, stratum, share in zip(
        again.documents(first), again.judgments.strata.tolist(), again.judgments.inclusion()[: offsets[1]], strict=False
    ):
        assert share == pytest.approx(shares[first, stratum]), document
    # Strata that were set stay: another round does not split them again.
    third = again.plan(budget=40, design="model", seed=3)
    assert dict(zip(zip(third.topic, third.document, strict=True), third.stratum, strict=True)) == dict(
        zip(zip(plan.topic, plan.document, strict=True), plan.stratum, strict=True)
    )


def test_a_topics_own_labels_have_no_say_in_its_model_strata(pool):
    frame = CAMPAIGN.fill(pool.plan(budget=80, design="uniform", seed=1).to_frame())
    turned = frame.copy()
    own = (turned["topic"] == pool.topics[0]) & (turned["round"] > 0)
    turned.loc[own, "label"] = 1 - turned.loc[own, "label"]
    plans = [poolwise.read(table, CAMPAIGN.runs).plan(budget=120, design="model", seed=2) for table in (frame, turned)]
    strata = [
        {document: (stratum, round) for topic, document, stratum, round, _ in rows(plan) if topic == pool.topics[0]}
        for plan in plans
    ]
    assert strata[0] == strata[1]


def test_predictions_set_the_strata_before_any_label(monkeypatch):
    """Where few are relevant, those predicted to be are uncertain, and those predicted hopeless hardly matter."""
    monkeypatch.setattr("poolwise.plans.relevance_prior.RELEVANT", 5.0)
    pool = poolwise.read(None, CAMPAIGN.runs)
    random = np.random.default_rng(2)
    half = {topic: {d: float(random.random() < 0.5) for d in pool.documents(topic)} for topic in pool.topics}
    plain, told = (pool.plan(budget=120, design="model", predictions=given) for given in (None, half))
    first = [half[t][d] for t, d, s in zip(told.topic, told.document, told.stratum, strict=True) if s == 1]
    likewise = [half[t][d] for t, d, s in zip(plain.topic, plain.document, plain.stratum, strict=True) if s == 1]
    assert np.mean(first) > 0.65
    assert 0.35 < np.mean(likewise) < 0.65
    assert told.settings["predictions"]
    assert not plain.settings["predictions"]


def test_a_plan_says_what_has_no_prediction_in_the_words_of_estimates():
    pool = poolwise.read(None, CAMPAIGN.runs)
    pilot = poolwise.read(CAMPAIGN.fill(pool.plan(budget=200, design="uniform").to_frame()), CAMPAIGN.runs)
    told = {topic: dict(list(labels.items())[::2]) for topic, labels in CAMPAIGN.truth.items()}
    pooled = {(topic, document) for topic in pool.topics for document in pool.documents(topic)}
    without = len(pooled) - sum((topic, document) in pooled for topic, part in told.items() for document in part)
    wanted = f"{without} of {len(pooled)} pooled documents have no prediction; the model does without for these"
    assert 0 < without < len(pooled)
    found = []
    for ask in (
        lambda: pool.plan(budget=120, predictions=told, depth=1000),
        lambda: pilot.estimate("AP", predictions=told),
    ):
        with pytest.warns(poolwise.PoolwiseWarning, match=wanted):
            found.append(ask())
    assert [each.warnings.count(wanted) for each in found] == [1, 1]
    whole = pool.plan(budget=120, predictions=CAMPAIGN.truth)
    assert not any("prediction" in note for note in whole.warnings)


@pytest.mark.parametrize("factor", [1e300, 1e-300])
def test_the_size_of_predictions_does_not_matter(factor):
    pool = poolwise.read(None, CAMPAIGN.runs)
    told = {topic: {d: 3.0 + label for d, label in part.items()} for topic, part in CAMPAIGN.truth.items()}
    other = {topic: {d: factor * value for d, value in part.items()} for topic, part in told.items()}
    one, same, none = (pool.plan(budget=120, design="model", predictions=given) for given in (told, other, None))
    assert (same.document, same.stratum, same.round) == (one.document, one.stratum, one.round)
    assert none.document != one.document


def test_what_a_pilot_says_of_predictions_counts_more_than_the_prior():
    """Predictions that say the opposite get a slope below 0 once labels are there; several count as their mean."""
    pool = poolwise.read(None, CAMPAIGN.runs)
    pilot = poolwise.read(CAMPAIGN.fill(pool.plan(budget=400, design="uniform").to_frame()), CAMPAIGN.runs)
    listing = set_strata(list_pool(pilot, pilot.judgments, 100, None, 0), ())
    wrong = {topic: {d: -float(label) for d, label in labels.items()} for topic, labels in CAMPAIGN.truth.items()}
    before = LabelValue(pool, list_of(pool), make_cells(list_of(pool)), "AP", None, 1, wrong)
    after = LabelValue(pilot, listing, make_cells(listing), "AP", None, 1, wrong)
    twice = LabelValue(pilot, listing, make_cells(listing), "AP", None, 1, [wrong, wrong])
    assert before.model.slopes[2] == 1.0
    assert after.model.slopes[2] < -0.5
    assert twice.model.slopes == pytest.approx(after.model.slopes)


def list_of(pool):
    return set_strata(list_pool(pool, None, 100, None, 0), ())


def test_strata_of_a_model_keep_to_the_cutoff(pool):
    """What no run ranks within the cut-off shares no stratum with what some run does, whatever both are worth."""
    plan = pool.plan(budget=80, design="model", measure="nDCG@10", depth=40, seed=1)
    best = best_ranks(pool)
    inside: dict[int, set[bool]] = {}
    for topic, document, stratum in zip(plan.topic, plan.document, plan.stratum, strict=True):
        inside.setdefault(stratum, set()).add(best[topic, document] <= 10)
    assert all(len(kinds) == 1 for kinds in inside.values())
    assert {kind for kinds in inside.values() for kind in kinds} == {True, False}
    mixed = pool.plan(budget=80, design="model", measure=["nDCG@10", "AP"], depth=40, seed=1)
    assert len(set(mixed.stratum)) == len(inside)


@pytest.mark.parametrize(("pilot", "said"), [("stratified", True), ("uniform", False), ("model", False)])
def test_strata_of_a_pilot_that_the_model_keeps_are_told_of(pilot, said) -> None:
    labels, runs = campaign_tables(4, 5, 80, 40, 0.2, 1, 1.0, 3)
    first = poolwise.read(None, runs).plan(budget=40, design=pilot, depth=20)
    judged = first.merge(labels, drawn_only=True, conflicts="first")
    plan = poolwise.read(judged, runs).plan(budget=30, design="model", depth=20)
    assert any("the pilot has strata, which stay" in words for words in plan.warnings) == said


@pytest.mark.parametrize(("pilot", "said"), [("stratified", False), ("uniform", True)])
def test_a_pilot_of_one_stratum_gets_no_strata_by_rank_and_is_told_of(pilot, said) -> None:
    labels, runs = campaign_tables(4, 5, 80, 40, 0.2, 1, 1.0, 3)
    first = poolwise.read(None, runs).plan(budget=40, design=pilot, depth=20)
    judged = first.merge(labels, drawn_only=True, conflicts="first")
    plan = poolwise.read(judged, runs).plan(budget=30, depth=20)
    assert any("the pilot is one stratum, which stays" in words for words in plan.warnings) == said
    assert (len(set(plan.stratum)) == 1) == said


def test_the_last_stratum_by_rank_is_at_least_half_of_any_depth():
    """Of four labels a topic in a pool of depth 30, two went to ranks 21 to 30."""
    for depth in range(2, 101):
        for labels in range(1, 13):
            edges = usual_edges(labels * 50, 50, depth)
            assert list(edges) == sorted(set(edges))
            assert all(3 <= edge <= (depth + 1) // 2 for edge in edges)
            assert len(edges) + 1 <= max(labels // 2, min(labels, 2))
    assert usual_edges(3 * 50, 50, 100) == usual_edges(2 * 50, 50, 100) == (20,)
    assert usual_edges(2 * 50 - 1, 50, 100) == ()
    assert usual_edges(8 * 50, 50, 1000) == usual_edges(8 * 50, 50, 100) == (5, 20, 50)


@pytest.mark.parametrize(
    ("worths", "number", "cutoff", "new", "expected"),
    [
        ([1.0] * 6, 2, None, "a d f", [3, 1, 2, 4, 2, 4]),  # new documents after the others, in strata of their own
        ([1.0, 1.0, 1.5, 1.5, 1.5, 1.5], 4, 2, "", [1, 1, 2, 3, 3, 4]),  # a fourth of all is worth one stratum of four
        ([3.0, 3.0, 0.5, 0.5, 0.5, 0.5], 4, 2, "", [1, 3, 4, 4, 4, 4]),  # three fourths are worth three
    ],
)
def test_model_strata_by_hand(worths, number, cutoff, new, expected):
    pool = poolwise.read(None, {"mine": {"1": {name: -float(rank) for rank, name in enumerate("abcdef")}}})
    listing = list_pool(pool, None, 6, None, 0)
    assert [pool.documents("1")[place] for place in listing.document] == list("abcdef")
    listing = replace(listing, new=np.array([name in new.split() for name in "abcdef"]))
    assert set_model_strata(listing, np.array(worths), np.array([number]), cutoff).stratum.tolist() == expected
