"""Judgments that list holes, against the rankings themselves."""

from __future__ import annotations

import numpy as np
from tests.kit.small_campaigns import small_campaign

import poolwise as pw
from poolwise.audits.hole_scores import list_holes
from poolwise.pool.judgments import POOLED

QRELS = {"1": {"a": 1, "b": 0, "é": 2}, "2": {"c": 0}}
RUNS = {
    "one": {"1": {"x": 3.0, "a": 2.0, "y": 1.0}, "2": {"c": 1.0, "z": 0.5}},
    "two": {"1": {"a": 3.0, "é": 2.0, "w": 1.0}, "2": {}},
}


def test_holes_are_what_runs_rank_high_and_nobody_judged():
    listed = list_holes(pw.read(QRELS, RUNS).judgments, 2)
    assert listed.named(listed.holes) == [("1", "x"), ("2", "z")]
    assert listed.is_hole.sum(axis=(1, 2)).tolist() == [2, 0]
    assert [listed.pool.ranking("one", "1"), listed.pool.ranking("two", "1")] == [["x", "a", "y"], ["a", "é", "w"]]


def test_scores_stay_as_they_were():
    pool = small_campaign(runs=5, topics=4, grades=2)
    thin = pool.judgments.sample("depth", depth=3, contributing=pool.runs[:2])
    listed = list_holes(thin, 10, pool.runs[1:])
    before = pool.score("AP", "nDCG@10", judgments=thin).means()[1:]
    after = pw.Campaign.score(listed.pool, "AP", "nDCG@10", judgments=listed.judgments).means()
    assert np.allclose(before, after)


def test_labels_of_holes_count_as_if_they_had_been_judged():
    pool = small_campaign(runs=5, topics=4, grades=2)
    thin = pool.judgments.sample("without", runs=[pool.runs[0]], depth=10)
    listed = list_holes(thin, 10, pool.runs[:1])
    truth = {
        (topic, name): label
        for number, topic in enumerate(pool.topics)
        for name, label in zip(
            pool.documents(topic), pool.judgments.labels[pool.judgments.offsets[number] :], strict=False
        )
    }
    filled = listed.with_labels(listed.holes, [truth[name] for name in listed.named(listed.holes)])
    assert len(listed.holes) > 5
    assert not (filled.labels == POOLED).any()
    expected = pool.score("P@5", "P@10").means()[0]
    assert np.allclose(pw.Campaign.score(listed.pool, "P@5", "P@10", judgments=filled).means()[0], expected)
