"""Plans, tables of plans and lists to judge of release 0.1.0 are still read; the files lie beside this one."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from tests.kit.campaigns import known_campaign

import poolwise
from poolwise.plans.plan import read_plan

FILES = Path(__file__).parent / "previous"
CAMPAIGN = known_campaign(7, topics=6, runs=2, documents=14, depth=8)
pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


def estimated(judged):
    found = poolwise.read(judged, CAMPAIGN.runs).estimate("AP", "nDCG@5", difference=("run0", "run1"))
    pairs = found.differences
    return np.concatenate([pairs.difference, pairs.low, pairs.high, found.means().ravel()]), found.topics_in_words()


def test_labels_are_merged_with_a_plan_of_then():
    merged = poolwise.merge(FILES / "round1.txt", FILES / "todo1.csv")
    assert merged.to_text() == (FILES / "judged1.txt").read_bytes()
    assert merged.header.earlier == ()
    again = poolwise.merge(FILES / "judged1.txt", FILES / "todo1.csv")  # a plan with labels is a plan
    assert again.to_text() == merged.to_text()


def test_a_table_of_then_has_no_design_and_is_a_plan_by_its_rounds():
    from_table, words = estimated(FILES / "judged1.csv")
    from_lines, _ = estimated(FILES / "judged1.txt")
    np.testing.assert_allclose(from_table, from_lines, rtol=0, atol=1e-12)
    assert words == "6 topics"
    made = poolwise.merge(FILES / "judged1.csv", FILES / "todo1.csv")
    assert made.header is None
    assert sum(label is not None for label in made.label) == 16


def test_rounds_and_drawn_topics_of_then_are_known():
    second, drawn = read_plan(FILES / "judged2.txt"), read_plan(FILES / "drawn.judged.txt")
    assert (second.header.round, second.header.number) == (2, second.settings["number"])
    assert {sum(cell.drawn) for cell in second.header.strata} != {0}
    assert sum(sum(cell.drawn) for cell in second.header.strata) == 24
    assert drawn.header.topics == (2, 6)
    for plan, words in ((second, "6 topics"), (drawn, "2 topics drawn of 6")):
        own, said = estimated(plan)
        assert said == words
        np.testing.assert_allclose(estimated(plan.to_frame())[0], own, rtol=0, atol=1e-12)


def test_a_plan_of_then_goes_on():
    later = poolwise.read(FILES / "judged1.txt", CAMPAIGN.runs).plan(budget=6, depth=6, seed=4)
    first = read_plan(FILES / "round1.txt").header.number
    assert later.header.earlier == (first,)
    with (FILES / "todo1.csv").open() as file:
        late = [(row["topic"], row["document"], int(row["label"])) for row in csv.DictReader(file)]
    labels = [(*pair, 0) for pair in later.to_judge()]
    assert sum(label is not None for label in later.merge(labels, late).label) == 22
