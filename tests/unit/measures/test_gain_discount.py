"""What labels and ranks are worth, against the formulas written out."""

from __future__ import annotations

import math

import pytest
from tests.twins.topic import discount_at, gain_of_label

import poolwise as pw
from poolwise import _core
from poolwise.errors import ArgumentError
from poolwise.measures.measure import label_gains, rank_discounts
from poolwise.measures.parameters import DISCOUNTS, GAINS, NEGATIVE

LABELS = [-3, -1, 0, 1, 2, 5]


@pytest.mark.parametrize("discount", [*DISCOUNTS, [3, 2, 2, 1, 0, 5, 1]])
@pytest.mark.parametrize("base", [2, 3.5])
def test_discounts_by_rank(discount, base):
    found = rank_discounts(pw.nDCG(discount=discount, base=base) @ 7, 10).tolist()
    assert found == pytest.approx([discount_at(rank, discount, base, 7) for rank in range(1, 8)] + [0.0] * 3)


def test_discounts_without_a_cutoff_go_on():
    assert rank_discounts(pw.nDCG, 1500)[1499] == pytest.approx(1 / math.log2(1501))
    assert rank_discounts(pw.RBP(p=0.5), 3).tolist() == [0.5, 0.25, 0.125]
    assert rank_discounts(pw.AP, 3).tolist() == [1.0, 1.0, 1.0]
    assert rank_discounts(pw.P @ 2, 3).tolist() == [1.0, 1.0, 0.0]
    with pytest.raises(ArgumentError, match="needs a cut-off"):
        rank_discounts(pw.nDCG(discount="linear"), 3)


@pytest.mark.parametrize("gain", [*GAINS, {1: 3, 5: 10, -3: -1}])
def test_gains_by_label(gain):
    assert label_gains(pw.nDCG(gain=gain, rel=2), LABELS) == [gain_of_label(label, gain, 2) for label in LABELS]


def test_measures_without_gains_ask_what_is_relevant():
    assert label_gains(pw.AP(rel=2), LABELS) == [0, 0, 0, 0, 1, 1]
    assert label_gains(pw.ERR, [0, 2], highest_label=3) == [0, 3 / 8]


def test_gains_of_rbp_are_shares_of_the_highest():
    assert label_gains(pw.RBP, LABELS) == [0, 0, 0, 1, 1, 1]
    assert label_gains(pw.RBP(gain="linear"), LABELS, highest_label=5) == pytest.approx([0, 0, 0, 0.2, 0.4, 1])
    assert label_gains(pw.RBP(gain="exp", top=5), [2], highest_label=2) == pytest.approx([3 / 31])
    assert label_gains(pw.RBP(gain={1: 1, 2: 4}), LABELS, highest_label=5) == pytest.approx([0, 0, 0, 0.25, 1, 0])


def test_names_are_those_of_the_core():
    assert set(DISCOUNTS) == {"log2", "jk", "zipf", "linear", "uniform"}
    assert NEGATIVE == ("zero", "keep", "minmax")
    assert all(repr(name) in pw.nDCG.declaration.parameter("discount").allowed() for name in DISCOUNTS)
    for name, numbers in (("square", []), ("jk", []), ("geometric", [])):
        with pytest.raises(ValueError, match=name):
            _core.discounts(name, numbers, 3)


def test_graded_rbp_by_hand():
    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 1}, "3": {"d": 4}}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 2.0, "c": 1.0}, "3": {"d": 1.0}}
    measures = ["RBP(p=0.5)", "RBP(p=0.5, gain='linear')", "RBP(p=0.5, gain='linear', compat='trec_eval')"]
    scores = pw.read(qrels, {"run": run}).score(*measures)
    assert scores.array(measures[0])[0].tolist() == [0.75, 0.25, 0.5]
    assert scores.array(measures[1])[0].tolist() == [0.5 / 4 + 0.25 / 2, 0.25 / 4, 0.5]
    assert scores.array(measures[2])[0].tolist() == [0.25 + 0.25, 0.25, 0.5]  # labels of the topic: 2, 1, 4
