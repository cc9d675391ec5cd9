"""Plans: what they list, what they draw, and how they come back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.kit.campaigns import known_campaign
from tests.kit.plans import best_ranks, ranked, rows
from tests.kit.small_campaigns import campaign_tables
from tests.twins.designs import best_rank, random_number

import poolwise
from poolwise import ArgumentError, PoolwiseWarning
from poolwise.pool.judgments import POOLED

CAMPAIGN = known_campaign(1)


@pytest.fixture(scope="module")
def pool():
    return poolwise.read(None, CAMPAIGN.runs)


def test_the_whole_pool_is_listed_with_strata_by_best_rank(pool):
    plan = pool.plan(budget=80, depth=30, edges=(5, 12), seed=1)
    lists = ranked(CAMPAIGN.runs)
    expected = {}
    for topic, own in CAMPAIGN.truth.items():
        for document in own:
            rank = best_rank(lists, list(lists), topic, document)
            if rank <= 30:
                expected[topic, document] = 1 + (rank > 5) + (rank > 12)
    assert {(topic, document): stratum for topic, document, stratum, _, _ in rows(plan)} == expected
    assert len(plan.topic) == len(expected)
    assert set(plan.label) == {None}
    assert {row["stratum"]: row["ranks"] for row in plan.allocation()} == {1: "1-5", 2: "6-12", 3: "13-30"}


@pytest.mark.parametrize("discount", ["'zipf'", "'linear'", "[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]"])
def test_a_discount_has_a_plan_of_its_own(pool, discount):
    usual, other = (
        pool.plan(budget=80, depth=100, edges=(5, 20), measure=measure, seed=1).to_judge()
        for measure in ("nDCG@10", f"nDCG(discount={discount})@10")
    )
    assert len(usual) == len(other) == 80
    assert set(usual) != set(other)


def test_drawn_documents_come_first_in_an_order_that_reaches_all_topics_and_strata(pool):
    plan = pool.plan(budget=80, seed=1)
    drawn = [round == 1 for round in plan.round]
    assert drawn == sorted(drawn, reverse=True)
    assert sum(drawn) == 80
    topics = plan.topic[:80]
    assert all(topics.count(topic) == 10 for topic in set(topics))
    assert set(topics[:8]) == set(pool.topics)
    cells = set(zip(topics, plan.stratum[:80], strict=True))
    most = max(plan.stratum[:80])
    assert set(zip(topics[: 8 * most], plan.stratum[: 8 * most], strict=True)) == cells
    half = [topics[:40].count(topic) for topic in pool.topics]
    assert max(half) - min(half) <= 4  # a block
    # Neither the order of ids nor that of strata, nor the order by which they were drawn.
    ten = [(document, stratum) for topic, document, stratum, *_ in rows(plan)[:80] if topic == "1"]
    documents, strata = (list(column) for column in zip(*ten, strict=True))
    assert documents != sorted(documents)
    assert strata != sorted(strata)
    assert documents != sorted(documents, key=lambda document: random_number(1, 0, "1", document))


def test_the_first_of_each_stratum_by_random_number_are_drawn(pool):
    plan = pool.plan(budget=80, edges=(5, 20), seed=7)
    for topic in pool.topics:
        for stratum in (1, 2, 3):
            cell = [
                (random_number(7, 0, topic, document), round)
                for own, document, other, round, _ in rows(plan)
                if own == topic and other == stratum
            ]
            rounds = [round for _, round in sorted(cell)]
            assert rounds == sorted(rounds, reverse=True)
            assert rounds.count(1) >= 2


def test_a_plan_depends_on_its_seed_only(pool):
    text = pool.plan(budget=60, seed=3).to_text()
    assert text == pool.plan(budget=60, seed=3).to_text()
    assert text != pool.plan(budget=60, seed=4).to_text()
    shuffled = {
        name: {topic: dict(reversed(own.items())) for topic, own in reversed(topics.items())}
        for name, topics in reversed(CAMPAIGN.runs.items())
    }
    assert poolwise.read(None, shuffled).plan(budget=60, seed=3).to_text() == text


def test_a_larger_budget_draws_what_a_smaller_does(pool):
    drawn = [set(pool.plan(budget=n, edges=(5, 20), seed=2).to_judge()) for n in (48, 49, 55, 100, 300)]
    assert [len(each) for each in drawn] == [48, 49, 55, 100, 300]
    for smaller, larger in pairwise(drawn):
        assert smaller < larger


def test_strata_are_as_many_as_the_budget_feeds(pool):
    strata = [len(pool.plan(budget=n).allocation()) for n in (8, 24, 32, 48, 64, 640)]
    assert strata == [1, 2, 2, 3, 4, 4]


def test_depth_plans_judge_the_deepest_pool_they_can(pool):
    lists = ranked(CAMPAIGN.runs)
    ranks = [best_rank(lists, list(lists), t, d) for t, own in CAMPAIGN.truth.items() for d in own]
    sizes = [sum(rank <= k for rank in ranks) for k in range(61)]
    budget = sizes[4] + 3
    with pytest.warns(PoolwiseWarning, match=f"only {sizes[4]} of {budget} judgments are used"):
        plan = pool.plan(budget=budget, design="depth")
    assert len(plan.to_judge()) == len(plan.topic) == sizes[4]
    plan = pool.plan(budget=2 * sizes[3] + 5, design="depth_plus_random", seed=2)
    assert len(plan.to_judge()) == 2 * sizes[3] + 5
    first, second = plan.allocation()
    assert (first["pooled"], first["now"]) == (sizes[3], sizes[3])
    assert (second["ranks"], second["now"]) == ("4-60", sizes[3] + 5)


def test_a_difference_is_planned_where_the_runs_differ():
    """Two runs that agree but for their last documents need labels there, not at the top."""
    names = [f"d{place:02d}" for place in range(60)]
    same = {name: 100.0 - place for place, name in enumerate(names[:40])}
    runs = {
        "a": {str(t): {**same, **{name: 10.0 - p for p, name in enumerate(names[40:50])}} for t in range(4)},
        "b": {str(t): {**same, **{name: 10.0 - p for p, name in enumerate(names[50:60])}} for t in range(4)},
    }
    pool = poolwise.read(None, runs)
    mean = pool.plan(budget=48, edges=(20, 40), measure="nDCG")
    difference = pool.plan(budget=48, edges=(20, 40), measure="nDCG", difference=("a", "b"))
    share = [[row["now"] for row in plan.allocation()] for plan in (mean, difference)]
    assert share[0][0] > share[0][2]
    assert share[1][2] > 2 * share[1][0]


@pytest.mark.slow
def test_a_width_says_how_many_judgments_it_needs(pool):
    back = poolwise.read(CAMPAIGN.fill(pool.plan(budget=96, seed=5).to_frame()), CAMPAIGN.runs)
    needed = [back.plan(target_width=width, measure="nDCG").needed for width in (0.2, 0.1, 0.05)]
    labels = [each.labels for each in needed]
    assert labels == sorted(labels)
    assert labels[0] < labels[-1]
    for each in needed:
        assert each.low <= each.labels <= each.high
        assert each.width_with <= each.width < each.width_now
    plan = back.plan(target_width=0.1, measure="nDCG")
    assert len(plan.to_judge()) == plan.needed.labels
    given = back.plan(target_width=0.1, budget=100, measure="nDCG")
    assert len(given.to_judge()) == 100
    assert given.needed.labels == plan.needed.labels
    assert "a 95 % interval of width 0.1 (mean over 6 runs) needs about" in str(given.needed)
    assert given.to_dict()["needed"]["labels"] == plan.needed.labels


def test_a_plan_shows_itself(pool):
    plan = pool.plan(budget=80, seed=1)
    assert repr(plan) == f"<Plan: round 1, 80 of {len(plan.topic)} pooled documents to judge>"
    assert "<th>stratum</th><th>ranks</th>" in plan._repr_html_()
    assert plan.settings["seed"] == 1
    assert plan.settings["version"] == poolwise.__version__


def test_nothing_more_to_draw_is_said(pool):
    with pytest.warns(PoolwiseWarning, match="no more documents are left"):
        plan = pool.plan(budget=10**6, depth=5)
    assert len(plan.to_judge()) == len(plan.topic)


def test_strata_without_judgments_are_said(pool):
    with pytest.warns(PoolwiseWarning, match="strata of topics get no judgment"):
        pool.plan(budget=16, edges=(2, 4, 8, 16))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "a plan needs a budget, or a target width"),
        ({"budget": 3}, "a budget of 3 judgments is less than one for each of 8 topics"),
        ({"budget": 0}, "budget=0 must be a whole number of at least 1"),
        (
            {"budget": 50, "design": "reduce"},
            "a plan cannot use design 'reduce'; choose one of stratified, model, uniform",
        ),
        ({"budget": 50, "depth": 0}, "depth=0 must be"),
        ({"budget": 50, "edges": (3, 3)}, "must ascend"),
        ({"budget": 50, "measure": "GMAP"}, "a plan cannot be made for GMAP: it is no mean over topics"),
        ({"budget": 50, "difference": ("run0", "run0")}, "must be two different runs"),
        (
            {"budget": 50, "difference": ("run0", "run1", "run2")},
            "is not understood; give a run, a pair of runs, pairs",
        ),
        ({"budget": 50, "difference": 7}, "difference=7 is not understood"),
        ({"budget": 50, "difference": ("run0", "nobody")}, "no run is called 'nobody'"),
        ({"budget": 50, "target_width": 0.1}, "a target width needs pilot labels"),
        ({"budget": 50, "target_width": -1}, "target_width=-1 must be a number above 0"),
        ({"budget": 50, "level": 95}, "level=95 must lie between 0 and 1"),
        ({"budget": 9, "design": "depth"}, "budget=9 is too small for design 'depth'"),
    ],
)
def test_what_is_wrong_is_said(pool, settings, words):
    with pytest.raises(ArgumentError, match=words):
        pool.plan(**settings)


def test_pools_that_cannot_be_planned_from_are_refused(pool):
    pilot = poolwise.read(CAMPAIGN.fill(pool.plan(budget=50).to_frame()), CAMPAIGN.runs)
    assert (pilot.judgments.labels != POOLED).any()
    with pytest.raises(ArgumentError, match="design 'depth' cannot continue from judgments"):
        pilot.plan(budget=50, design="depth")


def test_the_pool_is_as_deep_as_the_measure_looks():
    pool = poolwise.read(None, CAMPAIGN.runs)
    deep, flat, asked = (
        pool.plan(budget=60, **options) for options in ({}, {"measure": "P@5"}, {"measure": "P@5", "depth": 20})
    )
    within = {(t, d) for run in pool.runs for t in pool.topics for d in pool.ranking(run, t)[:5]}
    assert set(zip(flat.topic, flat.document, strict=True)) == within
    assert [plan.settings["depth"] for plan in (deep, flat, asked)] == [100, 5, 20]
    assert len(deep.topic) > len(asked.topic) > len(flat.topic)
    assert pool.plan(budget=400, design="depth", measure="P@1").settings["depth"] > 1


def first_stratum(pool, measure, design="stratified"):
    plan = pool.plan(budget=160, depth=100, edges=(5,), measure=measure, design=design, seed=1)
    return plan.allocation()[0]["now"]


def test_several_measures_share_a_plan(pool):
    """What goes to the first ranks lies between what either measure alone would send there."""
    few, many = sorted(first_stratum(pool, measure) for measure in ("AP", "P@5"))
    assert few < first_stratum(pool, ["AP", "P@5"]) < many
    shared, turned, twice, once = (
        pool.plan(budget=80, measure=measure, design="model", seed=1)
        for measure in (["AP", "P@5"], ["P@5", "AP"], ["AP", "AP"], "AP")
    )
    assert shared.to_judge() == turned.to_judge()
    assert twice.to_judge() == once.to_judge() != shared.to_judge()
    assert (shared.settings["measure"], shared.settings["depth"]) == ("AP, P@5", 100)


def test_a_target_width_is_of_one_measure(pool):
    with pytest.raises(ArgumentError, match="a target width is of one measure, not of AP, P@5"):
        pool.plan(budget=80, measure=["AP", "P@5"], target_width=0.1)
    with pytest.raises(ArgumentError, match="no measure was given"):
        pool.plan(budget=80, measure=[])


def test_a_depth_without_a_budget_is_the_whole_pool_of_that_depth() -> None:
    pool = poolwise.read(None, campaign_tables(4, 5, 80, 40, 0.2, 1, 1.0, 3)[1])
    best = best_ranks(pool)
    for depth in (3, 20):
        plan = pool.plan(design="depth", depth=depth)
        assert {*plan.to_judge()} == {key for key, rank in best.items() if rank <= depth}
        assert plan.warnings == ()
    assert plan.pool_sizes == {k: sum(rank <= k for rank in best.values()) for k in (1, 5, 10, 20)}
    with pytest.raises(ArgumentError, match="or a depth"):
        pool.plan(design="depth")


def test_what_is_left_of_a_budget_has_the_right_reason() -> None:
    pool = poolwise.read(None, campaign_tables(4, 5, 80, 40, 0.2, 1, 1.0, 3)[1])
    best = best_ranks(pool)
    size = sum(rank <= 20 for rank in best.values())
    with pytest.warns(PoolwiseWarning, match=f"only {size} of 5000 .* no more documents are left down to depth 20"):
        pool.plan(budget=5000, design="depth", depth=20)
    with pytest.warns(PoolwiseWarning, match="the next rank would take more"):
        pool.plan(budget=size - 1, design="depth", depth=20)


def test_edges_that_make_no_stratum_are_told_of(pool):
    with pytest.warns(PoolwiseWarning, match="edges have no stratum behind, as the pool ends at rank 10: 10, 50"):
        plan = pool.plan(budget=48, depth=10, edges=(5, 10, 50))
    assert [row["ranks"] for row in plan.allocation()] == ["1-5", "6-10"]
    assert pool.plan(budget=48, depth=11, edges=(5, 10)).warnings == ()
    with pytest.warns(PoolwiseWarning, match="edges are for design stratified; uniform has no strata by rank"):
        pool.plan(budget=48, design="uniform", edges=(5,))


def test_options_that_a_design_has_no_use_for_are_told_of(pool):
    for design in ("uniform", "depth"):
        with pytest.warns(PoolwiseWarning, match=f"by worth are for designs stratified and model; {design} has no use"):
            pool.plan(budget=400, design=design, topic_shares="worth")
    for design in ("depth", "depth_plus_random"):
        with pytest.raises(ArgumentError, match=f"forecasts are for .*, not for {design}"):
            pool.plan(budget=400, design=design, forecast=True)


def test_edges_other_than_those_of_the_pilot_are_told_of(pool):
    plan = pool.plan(budget=48, depth=20, edges=(5, 10), seed=1)
    labels = [(topic, document, CAMPAIGN.truth[topic][document]) for topic, document in plan.to_judge()]
    judged = poolwise.read(plan.merge(labels), CAMPAIGN.runs)
    with pytest.warns(PoolwiseWarning, match="the pilot has strata, which stay; edges are for documents that are new"):
        other = judged.plan(budget=48, depth=20, edges=(3, 10))
    assert [row["ranks"] for row in other.allocation()] == ["1-5", "6-10", "11-20"]
    assert judged.plan(budget=48, depth=20, edges=(5, 10)).warnings == ()
    assert judged.plan(budget=48, depth=20, edges=(5,)).warnings == ()  # strata of the pilot are finer
