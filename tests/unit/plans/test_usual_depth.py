"""How deep pools of plans are: differences of few runs come out as by all labels; other measures keep their cut-off."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import poolwise
from poolwise import simulate
from poolwise.plans.plan_strata import usual_edges

CAMPAIGN = simulate(runs=12, topics=12, depth=60, pool_depth=60, grades=3, seed=4)
TABLES = {name: CAMPAIGN.run(name) for name in CAMPAIGN.runs}
ALL = CAMPAIGN.pool().judgments
LABELS = {
    topic: {d: int(label) for d, label in zip(CAMPAIGN.pool().documents(topic), own, strict=False)}
    for topic, own in zip(CAMPAIGN.topics, np.split(ALL.labels, ALL.offsets[1:-1]), strict=True)
}


def apart(labels, names):
    """A - B by nDCG@10 and these labels."""
    means = poolwise.read(labels, {name: TABLES[name] for name in names}).score("nDCG@10").means()[:, 0]
    return float(means[0] - means[1])


def times_too_large(depth):
    """The slope of differences of two runs by labels of the pool of a plan against those by all labels."""
    found, true = [], []
    for names in combinations(CAMPAIGN.runs[::3], 2):
        plan = pool_of(names).plan(budget=10_000, measure="nDCG@10", depth=depth)
        pooled = {topic: {} for topic in CAMPAIGN.topics}
        for topic, document in plan.to_judge():
            pooled[topic][document] = LABELS[topic].get(document, 0)
        found.append(apart(pooled, names))
        true.append(apart(LABELS, names))
    return float(np.dot(found, true) / np.dot(true, true))


def pool_of(names):
    return poolwise.read(None, {name: TABLES[name] for name in names})


def planned_depth(runs, measure, **options):
    return pool_of(CAMPAIGN.runs[:runs]).plan(budget=60, measure=measure, **options).settings["depth"]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_differences_of_two_runs_are_hardly_larger_than_by_all_labels():
    """A pool of the cut-off alone finds too little of the ideal of few runs."""
    assert times_too_large(None) < 1.2 < 1.35 < times_too_large(10)


def test_the_fewer_runs_make_the_pool_the_deeper_it_is_where_an_ideal_has_to_be_known():
    assert [planned_depth(runs, "nDCG@10") for runs in (1, 2, 3, 9, 10)] == [30, 30, 20, 20, 10]
    assert planned_depth(12, "nDCG@10", contributing=CAMPAIGN.runs[:2]) == 30
    assert [planned_depth(2, measure) for measure in ("AP@5", "R@10", "nERR@10", "nDCG@60", "nDCG@200")] == [
        15, 30, 30, 100, 200,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "depth"), [("P@10", 10), ("RR@10", 10), ("Success@5", 5), ("ERR@20", 20), ("RR", 20), ("AP", 100)]
)
def test_measures_without_an_ideal_keep_their_cutoff(measure, depth):
    assert planned_depth(2, measure) == depth


def test_the_deepest_of_several_measures_counts():
    assert planned_depth(2, ["P@20", "nDCG@10"]) == 30
    assert planned_depth(2, ["P@50", "nDCG@10"]) == 50


def test_what_no_run_ranks_within_the_cutoff_has_a_stratum_of_its_own():
    """Its labels tell of the ideal only; one rate for both kinds would spend labels where they tell little."""
    plan = pool_of(CAMPAIGN.runs[:2]).plan(budget=8 * len(CAMPAIGN.topics), measure="nDCG@10")
    pool = pool_of(CAMPAIGN.runs[:2])
    near = {(t, d) for run in pool.runs for t in pool.topics for d in pool.ranking(run, t)[:10]}
    kinds = {}
    for topic, document, stratum in zip(plan.topic, plan.document, plan.stratum, strict=True):
        kinds.setdefault(stratum, set()).add((topic, document) in near)
    assert sorted(map(tuple, kinds.values())) == [(False,), (True,), (True,)]
    # Not where few labels, or few ranks, are below: a stratum more would cost more than it tells.
    assert 10 not in usual_edges(4 * 50, 50, 30, cutoff=10)
    assert 10 not in usual_edges(8 * 50, 50, 18, cutoff=10)
    assert usual_edges(8 * 50, 50, 20, cutoff=10) == (5, 10)
