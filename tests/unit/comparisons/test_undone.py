"""Differences that unjudged documents could undo are not called settled."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables, uniform_sample

import poolwise as pw
from poolwise.pool.judgments import POOLED

QRELS, LISTS = campaign_tables(5, 30, 100, 40, 0.2, 2, 1.0, 5)
NEW = {topic: {f"new-{d}": score for d, score in part.items()} for topic, part in LISTS["run0"].items()}
POOL = pw.read(QRELS, {**LISTS, "new": NEW})


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_a_run_that_nobody_judged_is_not_worse_for_certain() -> None:
    found = pw.compare(POOL.score("nDCG@10"), "nDCG@10", test="t")
    with_new = np.array([("new" in pair) for pair in zip(found.run_a, found.run_b, strict=True)])
    assert found.significant[with_new].all()
    assert (found.could_be_undone == with_new).all()
    assert found.to_frame()["could_be_undone"].tolist() == with_new.tolist()
    assert "5 of the" in found.conclusion
    assert "could be undone by unjudged documents" in found.conclusion
    assert any("up to 100 % of the top 10 is not judged (new)" in note for note in found.warnings)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_one_pair() -> None:
    pool = pw.read(QRELS, {"mine": LISTS["run0"], "new": NEW})
    found = pw.compare(pool.score("nDCG@10"), "nDCG@10", test="t")
    assert found.conclusion.endswith(" This is not settled: it could be undone by unjudged documents.")


def test_judged_runs_are_settled() -> None:
    found = pw.compare(pw.read(QRELS, LISTS).score("AP"), "AP", test="t")
    assert found.significant.any()
    assert not found.could_be_undone.any()
    assert "undone" not in found.conclusion
    assert not pw.compare(np.random.default_rng(1).random((3, 40))).could_be_undone.any()


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_marks_follow_from_what_labels_reach() -> None:
    """Some labels hidden: exactly the significant pairs whose range holds 0 are marked."""
    labels = POOL.judgments.labels.copy()
    random = np.random.default_rng(2)
    labels[random.random(len(labels)) < 0.1] = POOLED
    scores = POOL.score("AP", judgments=pw.Judgments(POOL, labels))
    found = pw.compare(scores, "AP", test="t", correction="none")
    ends = scores.unjudged.reach(pw.parse("AP"), found.first.tolist(), found.second.tolist())
    expected = [bool(s) and low <= 0 <= high for s, (low, high) in zip(found.significant, ends, strict=True)]
    assert found.could_be_undone.tolist() == expected
    assert 0 < sum(expected) < found.significant.sum()


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize(("measure", "deeper"), [("AP", True), ("nDCG@10", False)])
def test_the_note_says_that_deeper_documents_are_not_looked_at(measure: str, deeper: bool) -> None:
    """Without a cut-off it is the pool's depth, here rank 20: what only stands below undoes nothing."""
    run_of = {
        name: {topic: sorted(part, key=part.__getitem__, reverse=True) for topic, part in lists.items()}
        for name, lists in LISTS.items()
    }
    pooled = {topic: {d for run in run_of.values() for d in run[topic][:20]} for topic in QRELS}
    labels = {topic: {d: QRELS[topic].get(d, 0) for d in pooled[topic]} for topic in QRELS}
    found = pw.compare(pw.read(labels, {**LISTS, "new": NEW}).score(measure), measure, test="t")
    note = next(note for note in found.warnings if "could be undone" in note)
    assert note.endswith("(new); deeper ones are not looked at") == deeper
    assert ("down to rank 20 (where judging seems to have stopped)" in note) == deeper
    with_new = np.array([("new" in pair) for pair in zip(found.run_a, found.run_b, strict=True)])
    assert not found.could_be_undone[~with_new].any()


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_what_documents_outside_the_pool_could_turn_is_not_significant() -> None:
    estimates = POOL.estimate("nDCG@10", judgments=uniform_sample(POOL, 0.5, 1), difference="all")
    found = pw.compare(estimates, "nDCG@10", test="judgments", correction="none")
    with_new = np.array([("new" in pair) for pair in zip(found.run_a, found.run_b, strict=True)])
    assert (found.p[with_new] == 1.0).all()
    assert (found.low[with_new] < 0).all()
    assert (found.high[with_new] > 0).all()
    assert found.significant[~with_new].any()
    assert not found.could_be_undone.any()
    assert any("5 of 15 pairs would differ by what is in the pool" in note for note in found.warnings)
