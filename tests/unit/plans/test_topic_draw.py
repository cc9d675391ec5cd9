"""Budgets below one label per topic: topics are drawn, and the file says so."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from tests.kit.campaigns import known_campaign

import poolwise
from poolwise import ArgumentError
from poolwise.plans.plan_strata import draw_topics
from poolwise.sampling.cells import topics_in_mean

CAMPAIGN = known_campaign(2, topics=20, runs=4, documents=60, depth=30)


@pytest.fixture(scope="module")
def pool():
    return poolwise.read(None, CAMPAIGN.runs)


@pytest.fixture
def judge(tmp_path):
    def read_back(plan):
        (tmp_path / "plan.txt").write_bytes(CAMPAIGN.fill_text(plan.to_text()))
        return poolwise.read(tmp_path / "plan.txt", CAMPAIGN.runs)

    return read_back


def topics_of(plan):
    return Counter(topic for topic, _ in plan.to_judge())


@pytest.mark.parametrize(("budget", "topics"), [(4, 2), (10, 5), (13, 5), (19, 5)])
def test_few_labels_go_to_some_topics(pool, budget, topics):
    plan = pool.plan(budget=budget, seed=3)
    drawn = topics_of(plan)
    assert (sum(drawn.values()), len(drawn)) == (budget, topics)
    assert max(drawn.values()) - min(drawn.values()) <= 1
    assert plan.settings["topics"] == (topics, 20)
    assert len(set(plan.topic)) == 20  # the others are listed, to be drawn later
    assert not plan.warnings


def test_larger_budgets_give_four_labels_to_each_topic():
    many = known_campaign(5, topics=60, runs=3, documents=40, depth=20)
    drawn = topics_of(poolwise.read(None, many.runs).plan(budget=50))
    assert (len(drawn), set(drawn.values())) == (12, {4, 5})


def test_every_topic_is_drawn_as_often():
    listing = SimpleNamespace(topic=np.repeat(np.arange(20), 6), round=np.zeros(120, dtype=int))
    drawn = [draw_topics(listing, None, 10, seed) for seed in range(2000)]
    times, deviation = np.bincount(np.concatenate(drawn), minlength=20), (2000 * 0.25 * 0.75) ** 0.5
    assert {len(np.unique(one)) for one in drawn} == {5}
    assert np.abs(times - 2000 / 4).max() < 3.7 * deviation


def test_rounds_draw_further_topics_until_all_are_drawn(pool, judge):
    first = pool.plan(budget=10, seed=1)
    known = judge(first)
    assert [known.topics[number] for number in topics_in_mean(known.judgments)] == [
        topic for topic in known.topics if topic in topics_of(first)
    ]
    second = known.plan(budget=12, seed=2)
    assert not topics_of(first).keys() & topics_of(second).keys()
    assert second.settings["topics"] == (10, 20)
    third = judge(second).plan(budget=40, seed=3)
    assert len(topics_of(third)) == 20
    assert "topics" not in third.settings
    assert len(topics_in_mean(judge(third).judgments)) == 20


def test_a_plan_keeps_how_many_topics_were_drawn(pool, tmp_path):
    plan = pool.plan(budget=10, seed=1)
    plan.write(tmp_path / "plan.txt")
    assert b"# poolwise plan topics 5 of 20\n" in plan.to_text()
    merged = poolwise.merge(tmp_path / "plan.txt", [(t, d, CAMPAIGN.truth[t][d]) for t, d in plan.to_judge()])
    assert merged.header.topics == (5, 20)
    assert len(topics_in_mean(poolwise.read(merged, CAMPAIGN.runs).judgments)) == 5


def test_rounds_that_reach_only_some_of_the_drawn_topics_are_fine(pool, judge):
    """All topics have labels; where a few more go does not depend on these."""
    later = judge(pool.plan(budget=40, seed=1)).plan(budget=7, seed=2)
    assert (len(later.to_judge()), "topics" in later.settings) == (7, False)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"budget": 3},
            "a budget of 3 judgments is less than one for each of 20 topics, and too little to draw topics",
        ),
        ({"budget": 10, "forecast": True}, "so topics are drawn; widths cannot be told then"),
        ({"budget": 10, "design": "depth"}, "nor pools judged in full"),
    ],
)
def test_what_cannot_be_is_said(pool, settings, words):
    with pytest.raises(ArgumentError, match=words):
        pool.plan(**settings)


def test_topics_that_were_judged_for_reasons_of_their_own_are_no_sample():
    """A pilot of some topics that no plan drew."""
    judged = {topic: dict(list(own.items())[:3]) for topic, own in list(CAMPAIGN.truth.items())[:4]}
    rows = [(t, d, judged.get(t, {}).get(d, -1)) for t, own in CAMPAIGN.truth.items() for d in own]
    pool = poolwise.read(rows, CAMPAIGN.runs, unjudged=-1)
    with pytest.raises(ArgumentError, match="a budget of 10 judgments is less than one for each of 20 topics"):
        pool.plan(budget=10)


def test_a_plain_plan_would_lose_that_topics_were_drawn(pool, tmp_path):
    """Nothing else in the file says so: estimates guessed at the other topics, and covered in 60 %."""
    plan = pool.plan(budget=18, seed=4)
    with pytest.raises(ArgumentError, match="a plain plan would lose that 5 of 20 topics were drawn"):
        plan.write(tmp_path / "plain.txt", plain=True)
    assert not (tmp_path / "plain.txt").exists()
    judged = plan.merge([(t, d, CAMPAIGN.truth[t][d]) for t, d in plan.to_judge()])
    lines = [line for line in judged.to_text().decode().splitlines(keepends=True) if not line.startswith("#")]
    (tmp_path / "bare.txt").write_text("".join(lines))
    known = poolwise.read(tmp_path / "bare.txt", CAMPAIGN.runs)
    with pytest.raises(ArgumentError, match="earlier rounds drew them, as their plan says"):
        known.plan(budget=10)
    whole = pool.plan(budget=20)
    assert whole.to_text(plain=True).count(b"\n") == len(whole.topic)


def test_estimates_are_of_drawn_topics_and_speak_of_all(pool, judge):
    known = judge(pool.plan(budget=18, seed=4))
    with pytest.warns(poolwise.PoolwiseWarning, match="5 of 20 topics were drawn; intervals speak of all of them"):
        found = known.estimate("AP", "P@5", difference=["run0", "run3"])
    assert len(found.topics) == 5
    within = [row[3] for row in found.table_rows(per_topic=True) if row[:2] == ("run0", "AP") and row[2] != "all"]
    assert len(within) == 5
    assert found.means()[0, 0] == pytest.approx(min(max(np.mean(within), 0.0), 1.0))
    assert found.topics_in_words() == "5 topics drawn of 20"
    assert found.steadied is None
    assert not any("strata of which nothing is judged" in note for note in found.warnings)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_a_comparison_says_of_how_many_topics_its_own_were_drawn(pool, judge):
    found = judge(pool.plan(budget=18, seed=4)).compare("AP", test="judgments")
    assert (found.topics, found.topics_drawn_of) == (5, 20)
    assert "in AP on 5 topics drawn of 20 (" in found.conclusion
    assert "on 5 topics drawn of 20, two-sided" in found.method
    whole = judge(pool.plan(budget=60, seed=4)).compare("AP", test="judgments")
    assert "in AP on these 20 topics (" in whole.conclusion


def test_looks_wait_until_all_topics_are_drawn(pool, judge):
    known = judge(pool.plan(budget=18, seed=4))
    with pytest.raises(ArgumentError, match="looks need every topic to be drawn"):
        known.estimate("AP", looks=poolwise.Looks(200))
