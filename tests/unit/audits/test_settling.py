"""Lists of documents that settle a comparison, tried with the labels they get."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign

import poolwise as pw
from poolwise.audits.hole_scores import HoleDraws, list_holes
from poolwise.scores.score_notes import Unjudged

QRELS = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 0, "d": 1}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 2.0, "a": 1.0}},
    "two": {"1": {"c": 2.0, "y": 1.0}, "2": {"x": 1.0}},
}


@pytest.fixture(scope="module")
def old():
    pool = small_campaign(runs=12, topics=20, documents=200, depth=40, share=0.2)
    campaign = pw.Campaign(pool.core, pool.runs)
    campaign.judgments = pool.judgments.sample("depth", depth=6, contributing=pool.runs[:6])
    return pool, campaign


def judged(pool, plan):
    """The plan filled in with the labels there are."""
    labels = {
        (topic, name): int(label)
        for number, topic in enumerate(pool.topics)
        for name, label in zip(
            pool.documents(topic), pool.judgments.labels[pool.judgments.offsets[number] :], strict=False
        )
    }
    return plan.merge([(topic, name, labels[topic, name]) for topic, name in plan.to_judge()])


@pytest.mark.slow
def test_the_list_settles_what_the_holes_left_open(old):
    pool, campaign = old
    found = campaign.holes("P@10")
    open_pairs = np.flatnonzero(found.pairs.could_turn)
    a, b = found.pairs.run_a[open_pairs[0]], found.pairs.run_b[open_pairs[0]]
    settled = found.settle(a, b)
    assert settled.lowest <= 0 <= settled.highest
    assert 0 < settled.median <= len(settled.topic) <= settled.holes
    runs = {
        run: {
            topic: {name: -float(rank) for rank, name in enumerate(pool.ranking(run, topic))} for topic in pool.topics
        }
        for run in (a, b)
    }
    after = pw.read(judged(pool, settled.plan), runs).holes("P@10")
    truth = dict(zip(pool.runs, pool.score("P@10").means()[:, 0], strict=True))
    if not after.pairs.could_turn[0]:
        leader = after.pairs.run_a[0] if after.pairs.lowest[0] > 0 else after.pairs.run_b[0]
        assert truth[leader] == max(truth[a], truth[b])


@pytest.mark.slow
def test_lists_settle_as_often_as_they_say(old):
    """Labels drawn from the model once more, by another seed, for the listed documents; then bounds are asked."""
    _, campaign = old
    found = campaign.holes("P@10")
    place = np.flatnonzero(found.pairs.could_turn)[4]
    pair = found.pairs.run_a[place], found.pairs.run_b[place]
    settled = found.settle(*pair)
    listed = list_holes(campaign.judgments, 10, pair)
    names = listed.named(listed.holes)
    chosen = np.array([names.index(name) for name in zip(settled.topic, settled.document, strict=True)])
    done = []
    for labels in HoleDraws(listed, found.offset, 100, 77).labels():
        judgments = listed.with_labels(listed.holes[chosen], labels[chosen])
        low, high = Unjudged(judgments).reach(pw.parse("P@10"), [0], [1])[0]
        done.append(low > 0 or high < 0)
    assert 0.78 <= np.mean(done) <= 1


def test_moves_are_what_one_label_does():
    found = pw.read(QRELS, RUNS).holes("P@3").settle("one", "two")
    start = np.diff(pw.read(QRELS, RUNS).score("P@3").means()[::-1, 0])[0]
    for topic, name, moves in zip(found.topic, found.document, found.moves, strict=True):
        labels = {key: dict(row) for key, row in QRELS.items()}
        labels[topic][name] = 1
        one, two = pw.read(labels, RUNS).score("P@3").means()[:, 0]
        assert moves == pytest.approx(one - two - start)


def test_no_list_is_shorter_than_one_that_settles_whatever_comes():
    """By brute force over all labels: one hole alone cannot be enough where the list says it takes more."""
    found = pw.read(QRELS, RUNS).holes("P@3").settle("one", "two")
    names = {("1", "x"), ("1", "y"), ("2", "x")}
    assert set(zip(found.topic, found.document, strict=True)) <= names
    assert found.holes == 3
    signs = set()
    for labels in itertools.product((0, 1), repeat=3):
        table = {key: dict(row) for key, row in QRELS.items()}
        for (topic, name), label in zip(sorted(names), labels, strict=True):
            table[topic][name] = label
        one, two = pw.read(table, RUNS).score("P@3").means()[:, 0]
        signs.add(np.sign(round(one - two, 9)))
    assert (found.lowest <= 0) == bool({0.0, -1.0} & signs)


def test_what_is_settled_needs_no_list():
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"good": {"1": {"a": 1.0}}, "bad": {"1": {"b": 1.0}}}
    found = pw.read(qrels, runs).holes("P@1").settle("good", "bad")
    assert found.topic == []
    assert "is settled" in found.headline()


@pytest.mark.slow
def test_the_plan_is_read_again_and_estimates_need_no_model_where_it_is_judged(old):
    pool, campaign = old
    found = campaign.holes("P@10")
    place = np.flatnonzero(found.pairs.could_turn)[0]
    settled = found.settle(found.pairs.run_a[place], found.pairs.run_b[place])
    plan = settled.plan
    assert plan.to_judge() != []
    assert set(plan.to_judge()) == set(zip(settled.topic, settled.document, strict=True))
    again = pw.read(
        judged(pool, plan), {run: {t: dict.fromkeys(pool.documents(t)[:3], 1.0) for t in pool.topics} for run in "ab"}
    )
    assert again.judgments.plan.design == "settle"
    assert (again.judgments.inclusion() == 1).all()


def test_a_run_is_not_settled_against_itself(old):
    with pytest.raises(pw.ArgumentError, match="against itself"):
        old[1].holes("P@10").settle(old[0].runs[0], old[0].runs[0])
