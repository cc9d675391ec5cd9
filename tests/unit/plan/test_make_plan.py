"""Plans: what they list, what they draw, and how they come back."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from tests.kit.campaigns import known_campaign
from tests.kit.small_campaigns import campaign_tables
from tests.twins.designs import best_rank, random_number

import poolwise
from poolwise import ArgumentError, PoolwiseWarning
from poolwise.judge.judgments import POOLED
from poolwise.plan.listing import list_pool
from poolwise.plan.plan_strata import make_cells, set_model_strata, set_strata
from poolwise.plan.worth import LabelWorth

CAMPAIGN = known_campaign(1)


@pytest.fixture(scope="module")
def pool():
    return poolwise.read(None, CAMPAIGN.runs)


def rows(plan):
    return list(zip(plan.topic, plan.document, plan.stratum, plan.round, plan.label, strict=True))


def ranked(runs):
    return {
        name: {topic: sorted(own, key=own.__getitem__, reverse=True) for topic, own in topics.items()}
        for name, topics in runs.items()
    }


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
    assert strata == [1, 1, 2, 3, 4, 4]


def test_a_filled_plan_comes_back_as_stratified_judgments(pool, tmp_path):
    plan = pool.plan(budget=96, edges=(5, 20), seed=5)
    frame = CAMPAIGN.fill(plan.to_frame())
    back = poolwise.read(frame, CAMPAIGN.runs)
    judgments = back.judgments
    assert judgments.count() == 96
    assert back.warnings == ()
    size = frame.groupby(["topic", "stratum"]).size()
    drawn = frame[frame["round"] == 1].groupby(["topic", "stratum"]).size()
    stratum = {(topic, document): own for topic, document, own, _, _ in rows(plan)}
    listed = sorted(stratum, key=lambda key: (int(key[0]), key[1]))
    cells = [(topic, stratum[topic, document]) for topic, document in listed]
    assert judgments.inclusion().tolist() == [drawn[cell] / size[cell] for cell in cells]
    # The same by way of a file.
    text = plan.to_text().decode().splitlines()
    lines = [
        " ".join([*line.split()[:4], str(CAMPAIGN.truth[line.split()[0]][line.split()[2]])])
        if line.split()[1] == "1"
        else line
        for line in text
    ]
    (tmp_path / "filled.txt").write_text("\n".join(lines))
    assert poolwise.read(tmp_path / "filled.txt", CAMPAIGN.runs).judgments.equals(judgments)


def test_a_partly_filled_plan_is_read_with_a_warning(pool):
    plan = pool.plan(budget=96, edges=(5, 20), seed=5)
    frame = CAMPAIGN.fill(plan.to_frame(), share=0.7)
    with pytest.warns(PoolwiseWarning, match="of 96 drawn documents have no label"):
        back = poolwise.read(frame, CAMPAIGN.runs)
    judgments = back.judgments
    assert judgments.nonresponse().sum() == 96 - judgments.count()
    assert judgments.inclusion().sum() == pytest.approx(judgments.count())
    with pytest.warns(PoolwiseWarning, match=r"documents of earlier rounds have no label"):
        later = back.plan(budget=32)
    missing = [(topic, document) for topic, document, _, round, label in rows(later) if round == 1 and label is None]
    assert len(missing) == 96 - judgments.count()
    assert not set(missing) & set(later.to_judge())


def test_a_second_round_continues_the_first(pool):
    first = pool.plan(budget=64, seed=5)
    back = poolwise.read(CAMPAIGN.fill(first.to_frame()), CAMPAIGN.runs)
    second = back.plan(budget=80, seed=6)
    before = {(t, d): (s, r) for t, d, s, r, _ in rows(first)}
    after = {(t, d): (s, r, y) for t, d, s, r, y in rows(second)}
    assert second.number == 2
    assert set(before) == set(after)
    for key, (stratum, round) in before.items():
        assert after[key][0] == stratum
        assert after[key][1] == round or (round == 0 and after[key][1] == 2)
        assert after[key][2] == (CAMPAIGN.truth[key[0]][key[1]] if round else None)
    assert len(second.to_judge()) == 80
    judged = poolwise.read(CAMPAIGN.fill(second.to_frame()), CAMPAIGN.runs).judgments
    assert judged.count() == 144
    assert judged.inclusion().sum() == pytest.approx(144)
    assert sorted(set(judged.rounds.tolist())) == [0, 1, 2]


def test_a_topics_own_labels_do_not_decide_how_much_of_it_is_drawn(pool):
    """What makes all rounds together a simple random sample within each stratum of each topic."""
    frame = CAMPAIGN.fill(pool.plan(budget=96, edges=(5, 20), seed=5).to_frame())
    other = frame.copy()
    own = (other["topic"] == "3") & (other["round"] > 0)
    other.loc[own, "label"] = 1 - other.loc[own, "label"]

    def drawn(given):
        plan = poolwise.read(given, CAMPAIGN.runs).plan(budget=400, seed=1)
        return {
            topic: [(s, sum(r == 2 for t, _, own, r, _ in rows(plan) if t == topic and own == s)) for s in (1, 2, 3)]
            for topic in pool.topics
        }

    before, after = drawn(frame), drawn(other)
    assert before["3"] == after["3"]
    assert before != after


def test_complete_judgments_are_a_stratum_of_their_own():
    judged = {topic: {document: own[document] for document in list(own)[:20]} for topic, own in CAMPAIGN.truth.items()}
    plan = poolwise.read(judged, CAMPAIGN.runs).plan(budget=80, edges=(10,), seed=1)
    for topic, document, stratum, round, label in rows(plan):
        if document in judged[topic]:
            assert (stratum, round, label) == (1, 1, judged[topic][document])
        else:
            assert stratum in (2, 3)
            assert label is None
            assert round in (0, 2)
    assert len(plan.to_judge()) == 80


def test_a_uniform_pilot_is_stratified_afterwards():
    whole = poolwise.read(CAMPAIGN.truth, CAMPAIGN.runs)
    pilot = whole.judgments.sample("uniform", fraction=0.1, seed=1)
    pilot_qrels = {
        topic: {document: pilot.of(topic).get(document, -1) for document in own}
        for topic, own in CAMPAIGN.truth.items()
    }
    plan = poolwise.read(pilot_qrels, CAMPAIGN.runs).plan(budget=80, edges=(5, 20), seed=1)
    assert {row["stratum"] for row in plan.allocation()} == {1, 2, 3}
    assert sum(label is not None for label in plan.label) == pilot.count()
    assert all((label is not None) == (round == 1) for _, _, _, round, label in rows(plan))
    assert plan.number == 2


def test_new_runs_bring_new_strata(pool):
    some = {name: CAMPAIGN.runs[name] for name in ("run0", "run1")}
    first = poolwise.read(None, some).plan(budget=64, depth=20, edges=(5,), seed=1)
    second = poolwise.read(CAMPAIGN.fill(first.to_frame()), CAMPAIGN.runs).plan(budget=96, depth=20, edges=(5,), seed=2)
    old = {(t, d): s for t, d, s, _, _ in rows(first)}
    new = {(t, d): s for t, d, s, _, _ in rows(second)}
    assert set(old) < set(new)
    assert all(new[key] == stratum for key, stratum in old.items())
    assert {new[key] for key in set(new) - set(old)} == {3, 4}


def test_uniform_plans_draw_at_one_rate(pool):
    plan = pool.plan(budget=80, design="uniform", seed=1)
    assert [row["stratum"] for row in plan.allocation()] == [1]
    back = poolwise.read(CAMPAIGN.fill(plan.to_frame()), CAMPAIGN.runs)
    later = back.plan(budget=40, design="uniform", seed=2)
    assert len(later.to_judge()) == 40
    stratified = pool.plan(budget=64, edges=(5, 20), seed=1)
    back = poolwise.read(CAMPAIGN.fill(stratified.to_frame()), CAMPAIGN.runs)
    even = poolwise.read(CAMPAIGN.fill(back.plan(budget=480, design="uniform").to_frame()), CAMPAIGN.runs).judgments
    inclusion = even.inclusion()
    for begin, end in pairwise(even.offsets):
        assert np.ptp(inclusion[begin:end]) < 0.05


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
        ({"budget": 3}, "budget=3 is less than one judgment for each of 8 topics"),
        ({"budget": 0}, "budget=0 must be a whole number of at least 1"),
        (
            {"budget": 50, "design": "reduce"},
            "a plan cannot use design 'reduce'; choose one of stratified, model, uniform",
        ),
        ({"budget": 50, "depth": 0}, "depth=0 must be"),
        ({"budget": 50, "edges": (3, 3)}, "must ascend"),
        ({"budget": 50, "measure": "GMAP"}, "a plan cannot be made for GMAP: it is no mean over topics"),
        ({"budget": 50, "difference": ("run0", "run0")}, "must be two different runs"),
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
    few = poolwise.read(CAMPAIGN.truth, CAMPAIGN.runs, documents="judged")
    with pytest.raises(ArgumentError, match="read the runs with documents='all'"):
        few.plan(budget=50)
    pilot = poolwise.read(CAMPAIGN.fill(pool.plan(budget=50).to_frame()), CAMPAIGN.runs)
    assert (pilot.judgments.labels != POOLED).any()
    with pytest.raises(ArgumentError, match="design 'depth' cannot continue from judgments"):
        pilot.plan(budget=50, design="depth")


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
    drawn = [(topic, stratum) for topic, stratum, round in zip(plan.topic, plan.stratum, plan.round) if round]
    strata = {(topic, stratum) for topic, stratum in zip(plan.topic, plan.stratum)}
    assert len(drawn) == len(set(drawn)) == budget
    assert set(drawn) == strata
    of_runs = pool.plan(budget=budget, design="model", seed=2)
    labels = Counter(topic for topic, _ in drawn)
    assert len(set(zip(of_runs.topic, of_runs.stratum))) == sum(number // 2 for number in labels.values())


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


def test_holes_of_old_judgments_never_share_a_stratum_with_what_was_judged():
    """A line without a label makes old judgments look like a sample; no draw of theirs could have chosen the holes."""
    runs = {"new": {t: {f"d{i:02d}": -float(i) for i in range(20)} for t in "12345"}}
    judged = {t: {f"d{i:02d}": int(i < 4) for i in range(10)} for t in "12345"}
    judged["1"]["d09"] = -1
    for design in ("stratified", "model", "uniform"):
        plan = poolwise.read(judged, runs).plan(budget=20, depth=20, design=design, seed=1)
        old = {stratum for _, name, stratum, _, _ in rows(plan) if name < "d10"}
        new = {stratum for _, name, stratum, _, _ in rows(plan) if name >= "d10"}
        assert not old & new
        drawn = [name for _, name, _, number, label in rows(plan) if number == plan.number and label is None]
        assert sum(name >= "d10" for name in drawn) >= 19


def test_few_labels_for_holes_are_not_spread_over_strata_that_get_none():
    """The number of strata follows from what can be judged in them, not from the labels that are there."""
    runs = {"new": {str(t): {f"d{i:03d}": -float(i) for i in range(100)} for t in range(20)}}
    judged = {str(t): {f"d{i:03d}": int(i % 3 == 0) for i in range(0, 100, 2)} for t in range(20)}
    plan = poolwise.read(judged, runs).plan(budget=40, depth=100)
    assert plan.warnings == ()
    new = {stratum for _, _, stratum, _, label in rows(plan) if label is None}
    assert len(new) == 1


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


def test_predictions_set_the_strata_before_any_label(monkeypatch):
    """Where few are relevant, those predicted to be are uncertain, and those predicted hopeless hardly matter."""
    monkeypatch.setattr("poolwise.plan.chance.RELEVANT", 5.0)
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


def test_what_a_pilot_says_of_predictions_counts_more_than_the_prior():
    """Predictions that say the opposite get a slope below 0 once labels are there; several count as their mean."""
    pool = poolwise.read(None, CAMPAIGN.runs)
    pilot = poolwise.read(CAMPAIGN.fill(pool.plan(budget=400, design="uniform").to_frame()), CAMPAIGN.runs)
    listing = set_strata(list_pool(pilot, pilot.judgments, 100, None, 0), ())
    wrong = {topic: {d: -float(label) for d, label in labels.items()} for topic, labels in CAMPAIGN.truth.items()}
    before = LabelWorth(pool, list_of(pool), make_cells(list_of(pool)), "AP", None, 1, wrong)
    after = LabelWorth(pilot, listing, make_cells(listing), "AP", None, 1, wrong)
    twice = LabelWorth(pilot, listing, make_cells(listing), "AP", None, 1, [wrong, wrong])
    assert before.model.slopes[2] == 1.0
    assert after.model.slopes[2] < -0.5
    assert twice.model.slopes == pytest.approx(after.model.slopes)


def list_of(pool):
    return set_strata(list_pool(pool, None, 100, None, 0), ())


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


def test_strata_of_a_model_keep_to_the_cutoff(pool):
    """What no run ranks within the cut-off shares no stratum with what some run does, whatever both are worth."""
    plan = pool.plan(budget=80, design="model", measure="nDCG@10", depth=40, seed=1)
    best = {
        (topic, document): min(places.index(document) + 1 for places in by_topic if document in places)
        for topic, by_topic in ((t, [own[t] for own in ranked(CAMPAIGN.runs).values()]) for t in set(plan.topic))
        for document in {name for places in by_topic for name in places}
    }
    inside: dict[int, set[bool]] = {}
    for topic, document, stratum in zip(plan.topic, plan.document, plan.stratum, strict=True):
        inside.setdefault(stratum, set()).add(best[topic, document] <= 10)
    assert all(len(kinds) == 1 for kinds in inside.values())
    assert {kind for kinds in inside.values() for kind in kinds} == {True, False}
    mixed = pool.plan(budget=80, design="model", measure=["nDCG@10", "AP"], depth=40, seed=1)
    assert len(set(mixed.stratum)) == len(inside)


def best_ranks(pool):
    """The best rank of every document of a topic over all runs, counted from the rankings."""
    best: dict[tuple[str, str], int] = {}
    for run in pool.runs:
        for topic in pool.topics:
            for rank, document in enumerate(pool.ranking(run, topic), 1):
                best[topic, document] = min(rank, best.get((topic, document), rank))
    return best


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


@pytest.mark.parametrize(("pilot", "said"), [("stratified", True), ("uniform", False), ("model", False)])
def test_strata_of_a_pilot_that_the_model_keeps_are_told_of(pilot, said) -> None:
    labels, runs = campaign_tables(4, 5, 80, 40, 0.2, 1, 1.0, 3)
    first = poolwise.read(None, runs).plan(budget=40, design=pilot, depth=20)
    judged = first.merge(labels, drawn_only=True, conflicts="first")
    plan = poolwise.read(judged, runs).plan(budget=30, design="model", depth=20)
    assert any("the pilot has strata, which stay" in words for words in plan.warnings) == said
