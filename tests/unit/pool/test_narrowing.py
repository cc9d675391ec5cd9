"""Judgments on a pool of a few runs alone give what the design `pair` gives on the whole pool."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.kit.judged_campaigns import as_dicts, random_campaign, read_campaign
from tests.kit.measures import base_of

import poolwise as pw
from poolwise.measures.registry import REGISTRY, parse
from poolwise.pool.coverage import narrowed
from poolwise.scores.scoring import score_values

FRACTIONS = [0.05, 0.4, 1.0]
MEASURES = [
    base_of(given) if given.cutoff != "required" else base_of(given) @ 5
    for given in REGISTRY.values()
    if not given.subtopics and given.function is None
]


def both_ways(pool: pw.Campaign, measures, first: int = 0, second: int = 2):
    """Samples and scores of a pair by the design on the whole pool, and on the pool of the two runs."""
    names = [pool.runs[first], pool.runs[second]]
    drawn = pool.judgments.samples("pair", runs=names, fractions=FRACTIONS, trials=[2], seed=3)
    alone = narrowed(pool, pool.judgments, [first, second])
    again = alone.samples("reduce", fractions=FRACTIONS, trials=[2], seed=3)
    wanted = [parse(measure) for measure in measures]
    whole = np.asarray(score_values(pool, wanted, drawn, 1, runs=[first, second]))
    return drawn, again, whole, np.asarray(score_values(alone.pool, wanted, again, 1))


@pytest.mark.parametrize("seed", range(5))
def test_samples_and_scores_are_those_of_the_design(seed):
    pool = read_campaign(*random_campaign(seed))
    for second in (2, 3):  # the last run lacks a topic
        drawn, again, whole, alone = both_ways(pool, MEASURES, 0, second)
        assert list(map(as_dicts, again)) == list(map(as_dicts, drawn))
        np.testing.assert_array_equal(alone, whole)


def test_only_the_two_runs_and_what_they_retrieved_are_left():
    labels, runs = random_campaign(7)
    pool = read_campaign(labels, runs)
    alone = narrowed(pool, pool.judgments, [3, 1])
    assert alone.pool.runs == ["run3", "run1"]
    for topic in pool.topics:
        seen = {*runs["run3"].get(topic, ()), *runs["run1"][topic]}
        assert as_dicts(alone)[topic] == {d: label for d, label in labels[topic].items() if d in seen}
    assert alone.top == 2
    assert alone.distinct_labels() == pool.judgments.distinct_labels()


def test_labels_that_none_of_the_two_retrieved_still_count_as_the_highest():
    labels = {"1": {"a": 1, "b": 0, "c": 3, "d": 2}}
    runs = {"one": {"1": {"a": 2.0, "b": 1.0}}, "two": {"1": {"b": 2.0, "a": 1.0}}, "three": {"1": {"c": 1.0}}}
    _, _, whole, alone = both_ways(pw.read(labels, runs), ["ERR", "nDCG(gain='exp')"], 0, 1)
    np.testing.assert_array_equal(alone, whole)
    assert alone[-1, 0, 0, 0] == pytest.approx(1 / 8)  # (2^1 - 1) / 2^3


def test_strata_subtopics_and_measures_of_ones_own_go_along(tmp_path):
    chance = random.Random(5)
    names = [f"d{number}" for number in range(30)]
    runs = {run: {t: {d: chance.random() for d in chance.sample(names, 15)} for t in "12"} for run in "abc"}
    graded = pw.read({t: {d: chance.choice([0, 1, 2, 5]) for d in names} for t in "12"}, runs)
    own = pw.measure("LastLabel")(lambda labels, judged: float(np.nansum(labels) - judged.sum()))
    _, _, whole, alone = both_ways(graded, ["nDCG", own])
    np.testing.assert_array_equal(alone, whole)
    rows = [
        (t, s, d, chance.choice([-1, 0, 1, 2])) for t in "12" for d in names for s in "xyz" if chance.random() < 0.6
    ]
    diverse = pw.read(rows, runs, subtopics=True)
    alone = narrowed(diverse, diverse.judgments, [0, 2])
    for topic in "12":
        seen = runs["a"][topic].keys() | runs["c"][topic].keys()
        expected = {d: row for d, row in diverse.judgments.subtopics_of(topic).items() if d in seen}
        assert alone.subtopics_of(topic) == expected
    drawn = pw.read({t: dict.fromkeys(names, 1) for t in "12"}, runs).judgments.sample("depth_plus_random", depth=2)
    drawn.write(tmp_path / "qrels.txt")
    again = pw.read(tmp_path / "qrels.txt", runs)
    few = narrowed(again, again.judgments, [0, 2])
    for topic in range(2):
        listed = again.core.listed_names(topic)
        strata = dict(zip(listed, again.judgments.strata[again.judgments.offsets[topic] :], strict=False))
        own_strata = few.strata[few.offsets[topic] : few.offsets[topic + 1]]
        assert [strata[name] for name in few.pool.core.listed_names(topic)] == own_strata.tolist()
