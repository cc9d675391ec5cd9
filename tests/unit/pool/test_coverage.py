"""Judgments whose lines of undrawn documents are gone are recognised, however far judging has come."""

from __future__ import annotations

import pytest
from tests.kit.campaign_files import CAMPAIGN

import poolwise as pw
from poolwise.pool.coverage import looks_cut

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


def test_a_line_in_a_stratum_that_the_plan_lacks_is_refused(tmp_path):
    text = PLAN.merge(LABELS).to_text().decode()
    (tmp_path / "more.txt").write_text(text + f"{PLAN.topic[0]} 1 elsewhere 99 1\n")
    with pytest.raises(pw.InputError, match=r"stratum 99 of topic .* has 1 document in the judgments and 0 in their"):
        pw.read(tmp_path / "more.txt", CAMPAIGN.runs).estimate("AP")
