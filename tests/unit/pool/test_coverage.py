"""Judgments whose lines of undrawn documents are gone are recognised, however far judging has come."""

from __future__ import annotations

import pytest
from tests.kit.campaign_files import CAMPAIGN

import poolwise as pw
from poolwise.pool.coverage import covered_ranks, looks_cut, pool_depth

PLAN = pw.read(None, CAMPAIGN.runs).plan(budget=24, seed=1)
LABELS = [(topic, document, CAMPAIGN.truth[topic][document]) for topic, document in PLAN.to_judge()]


@pytest.mark.filterwarnings("ignore:.*drawn documents have no label yet")
@pytest.mark.parametrize("labelled", [24, 18, 6])
def test_lost_lines_are_recognised_while_drawn_documents_are_still_open(tmp_path, labelled):
    """Open lines are of drawn documents here; only one that was not drawn shows that lines are complete."""
    lines = PLAN.merge(LABELS[:labelled]).to_text(plain=True).decode().splitlines()
    drawn = [line for line in lines if line.split()[1] != "0"]
    assert sum(line.split()[4] == "-1" for line in drawn) == 24 - labelled
    for kept, cut in ((drawn, True), (lines, False)):
        (tmp_path / "labels.txt").write_text("\n".join(kept) + "\n")
        campaign = pw.read(tmp_path / "labels.txt", CAMPAIGN.runs)
        assert looks_cut(campaign.judgments) == cut
        if cut:
            with pytest.raises(pw.InputError, match="seem to be lost"):
                campaign.estimate("AP")


@pytest.mark.parametrize(
    ("listed", "cut"), [("ab", False), ("abcd", False), ("abd", True), ("acd", True), ("bcd", True)]
)
def test_lines_are_lost_where_every_run_has_gaps_above_its_deepest_listed_document(tmp_path, listed, cut):
    (tmp_path / "labels.txt").write_text("".join(f"1 1 {name} 1 {name in 'ac':d}\n" for name in listed))
    run = {"1": {name: -float(rank) for rank, name in enumerate("abcde")}}
    assert looks_cut(pw.read(tmp_path / "labels.txt", {"mine": run}).judgments) == cut


@pytest.mark.parametrize("depth", [9, 10, 33, 50, 70, 71, 100, 163])
def test_the_depth_of_a_pool_does_not_end_at_a_gap(depth):
    """A document at rank 8 of 20 topics was never judged; below that all is, down to a depth."""
    run = {str(topic): {f"d{rank}": -float(rank) for rank in range(1, 201)} for topic in range(20)}
    qrels = {topic: dict.fromkeys(list(documents)[:depth], 0) for topic, documents in run.items()}
    del qrels["3"]["d8"]
    assert covered_ranks(pw.read(qrels, {"mine": run}).judgments) == [7]
    assert depth <= pool_depth(pw.read(qrels, {"mine": run}).judgments) <= 1.1 * depth


def test_a_line_in_a_stratum_that_the_plan_lacks_is_refused(tmp_path):
    text = PLAN.merge(LABELS).to_text().decode()
    (tmp_path / "more.txt").write_text(text + f"{PLAN.topic[0]} 1 elsewhere 99 1\n")
    with pytest.raises(pw.InputError, match=r"stratum 99 of topic .* has 1 document in the judgments and 0 in their"):
        pw.read(tmp_path / "more.txt", CAMPAIGN.runs).estimate("AP")
