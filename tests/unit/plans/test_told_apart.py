"""Which differences a plan is to tell best."""

from __future__ import annotations

import pytest
from tests.kit.campaigns import known_campaign

import poolwise
from poolwise.plans.plan_request import as_written, named_pairs

CAMPAIGN = known_campaign(1, topics=3, runs=3, documents=40, depth=20)


@pytest.fixture(scope="module")
def pool():
    return poolwise.read(None, CAMPAIGN.runs)


@pytest.mark.parametrize(
    ("difference", "pairs"),
    [
        (None, []),
        ("all", []),
        (["run0", "run2"], [("run0", "run2")]),
        ([("run0", "run2"), ("run1", "run2")], [("run0", "run2"), ("run1", "run2")]),
        ("run1", [("run1", "run0"), ("run1", "run2")]),
    ],
)
def test_pairs_are_named_in_several_ways(pool, difference, pairs):
    assert named_pairs(difference, pool) == pairs


def test_plans_say_which_differences_they_are_for(pool):
    assert as_written("all", pool) == "all"
    assert as_written(None, pool) is None
    assert as_written(("run0", "run1"), pool) == ["run0", "run1"]
    assert as_written("run1", pool) == [["run1", "run0"], ["run1", "run2"]]
    assert pool.plan(budget=9, difference="all").settings["difference"] == "all"


def test_all_differences_are_of_two_runs_or_more(pool):
    alone = poolwise.read(None, {"run0": CAMPAIGN.runs["run0"]})
    with pytest.raises(poolwise.PoolwiseError, match=r"difference='all' needs two runs or more; there is one"):
        alone.plan(budget=9, difference="all")
    with pytest.raises(poolwise.PoolwiseError, match=r"no run is called 'run7'"):
        pool.plan(budget=9, difference="run7")


def test_what_all_runs_rank_alike_is_not_judged_for_differences():
    """Forty documents at the same ranks in three runs, then ten of each run's own: labels go to these, but for two of
    every stratum of the four topics."""
    names = [f"d{place:02d}" for place in range(70)]
    same = {name: 100.0 - place for place, name in enumerate(names[:40])}
    runs = {
        run: {str(t): {**same, **{d: 10.0 - p for p, d in enumerate(names[40 + 10 * n : 50 + 10 * n])}} for t in "1234"}
        for n, run in enumerate("abc")
    }
    pool = poolwise.read(None, runs)
    plans = [pool.plan(budget=48, edges=(20, 40), measure="nDCG", difference=which) for which in (None, "all")]
    alone, apart = ([row["now"] for row in plan.allocation()] for plan in plans)
    assert apart == [8, 8, 32]
    assert alone[0] > 8
    assert alone[2] < 32
