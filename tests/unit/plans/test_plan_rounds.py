"""Plans that go on from labels: filled plans that come back, later rounds, pilots, old judgments."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from tests.kit.campaigns import known_campaign
from tests.kit.plans import rows

import poolwise
from poolwise import PoolwiseWarning

CAMPAIGN = known_campaign(1)


@pytest.fixture(scope="module")
def pool():
    return poolwise.read(None, CAMPAIGN.runs)


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


def test_a_plan_that_lost_lines_is_not_gone_on_with(pool, tmp_path):
    """What was drawn by chance would be taken for a pool judged in full, and what was not drawn for new documents."""
    plan = pool.plan(budget=96, edges=(5, 20), seed=5)
    judged = plan.merge([(topic, document, CAMPAIGN.truth[topic][document]) for topic, document in plan.to_judge()])
    lines = judged.to_text().decode().splitlines()
    drawn = [line for line in lines if line.startswith("#") or line.split()[1] == "1"]
    undrawn = len(lines) - len(drawn)
    for kept, message in (
        (drawn, f"{undrawn} documents that the plan pooled have no line"),
        ([line for line in drawn if line[0] != "#"], "seem to be lost.*or leave out strata and rounds if the pool is"),
    ):
        (tmp_path / "cut.txt").write_text("\n".join(kept) + "\n")
        with pytest.raises(poolwise.PoolwiseError, match=message):
            poolwise.read(tmp_path / "cut.txt", CAMPAIGN.runs).plan(budget=32)
    (tmp_path / "whole.txt").write_text("\n".join(lines) + "\n")
    some = {name: dict(list(run.items())[:3]) for name, run in CAMPAIGN.runs.items()}  # fewer topics, nothing lost
    assert len(poolwise.read(tmp_path / "whole.txt", some).plan(budget=32).to_judge()) == 32
    deep = pool.plan(design="depth", depth=3)  # judged in full: deeper plans go on from it
    full = deep.merge([(topic, document, 0) for topic, document in deep.to_judge()])
    lines = full.to_text().decode().splitlines(keepends=True)
    (tmp_path / "full.txt").write_text("".join(line for line in lines if not line.startswith("#")))
    assert len(poolwise.read(tmp_path / "full.txt", CAMPAIGN.runs).plan(budget=32).to_judge()) == 32


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
    drawn = Counter((topic, stratum) for topic, _, stratum, number, label in rows(plan) if number and label is None)
    assert len(new) == 2
    assert drawn == {(str(topic), stratum): 1 for topic in range(20) for stratum in new}
