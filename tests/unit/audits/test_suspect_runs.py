"""Copies and rankings upside down, against runs made so."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.audits.run_faults import same_as, upside_down

TOPICS = [str(topic) for topic in range(8)]
SIZE = 60


@pytest.fixture(scope="module")
def campaign():
    """Five runs of differing worth, each also negated, shifted (a copy), and one that is chance."""
    rng = np.random.default_rng(7)
    documents = [f"d{number:02d}" for number in range(SIZE)]
    qrels = {topic: dict(zip(documents, rng.binomial(1, 0.2, SIZE).tolist(), strict=True)) for topic in TOPICS}
    runs = {}
    for number in range(5):
        good = {}
        for topic in TOPICS:
            scores = rng.normal(size=SIZE) + (0.5 + number) * np.array([qrels[topic][each] for each in documents])
            good[topic] = dict(zip(documents, scores.tolist(), strict=True))
        runs[f"good{number}"] = good
        runs[f"bad{number}"] = {t: {d: -score for d, score in own.items()} for t, own in good.items()}
        runs[f"copy{number}"] = {t: {d: 3 * score + 1 for d, score in own.items()} for t, own in good.items()}
    runs["chance"] = {t: dict(zip(documents, rng.normal(size=SIZE).tolist(), strict=True)) for t in TOPICS}
    return qrels, runs


@pytest.mark.parametrize("documents", ["all", "judged"])
def test_copies_are_found(campaign, documents):
    pool = pw.read(*campaign, documents=documents)
    found = dict(zip(pool.runs, same_as(pool), strict=True))
    assert found == {run: run.replace("copy", "good") if run.startswith("copy") else "" for run in pool.runs}


def test_a_copy_that_lacks_a_topic_is_none(campaign):
    qrels, runs = campaign
    shorter = {topic: own for topic, own in runs["good0"].items() if topic != "3"}
    assert same_as(pw.read(qrels, {"good": runs["good0"], "shorter": shorter})) == ["", ""]


def test_reversed_runs_are_found(campaign):
    pool = pw.read(*campaign)
    found = {run for run, wrong in zip(pool.runs, upside_down(pool.judgments), strict=True) if wrong}
    assert found - {"bad0"} == {"bad1", "bad2", "bad3", "bad4"}  # a poor run backwards need not be twice as good
    scores = pw.read(*campaign).score("AP").to_dict()
    for run in found:
        assert scores[run.replace("bad", "good")]["AP"] >= 2 * scores[run]["AP"]


def test_few_topics_say_nothing(campaign):
    qrels, runs = campaign
    assert upside_down(pw.read({"0": qrels["0"]}, {"bad": {"0": runs["bad4"]["0"]}}).judgments) == [False]


def test_labels_with_a_point(campaign):
    qrels, runs = campaign
    halves = {topic: {document: label * 1.5 for document, label in own.items()} for topic, own in qrels.items()}
    pool = pw.read(halves, {"bad": runs["bad4"], "good": runs["good4"]})
    assert upside_down(pool.judgments) == [True, False]
