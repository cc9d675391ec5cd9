"""poolwise as a provider of ir_measures."""

from __future__ import annotations

import ir_measures
import pytest
from ir_measures import AP, ERR, RR, Accuracy, IPrec, Judged, NumRet, P, SetP, alpha_nDCG, nDCG

from poolwise.compat import ir_measures as compat
from poolwise.errors import ArgumentError

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": -1}, "2": {"e": 1, "f": 0}, "3": {"g": 1}}
RUN = {"1": {"b": 4.0, "a": 3.0, "x": 2.0, "c": 1.0}, "2": {"f": 2.0, "e": 1.0}}
MEASURES = [
    *(AP, AP(rel=2), AP(judged_only=True), nDCG @ 2, nDCG(dcg="exp-log2") @ 10, nDCG(gains={0: 1, 1: 4}), P @ 3, RR),
    *(SetP, SetP(relative=True), SetP(relative=True, judged_only=True), IPrec @ 0.4, NumRet, NumRet(rel=2)),
    *(Judged @ 2, ERR @ 20),
]


@pytest.fixture
def used():
    compat.use()
    yield
    compat.leave()


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_equals_what_ir_measures_says_itself(measure):
    expected = {each.query_id: each.value for each in ir_measures.iter_calc([measure], QRELS, RUN)}
    found = {each.query_id: each.value for each in compat.provider.iter_calc([measure], QRELS, RUN)}
    assert found == pytest.approx(expected, abs=5.1e-6)  # gdeval prints five decimals


def test_it_is_registered_and_used_when_asked(used):
    assert ir_measures.providers.registry["poolwise"] is compat.provider
    evaluator = ir_measures.evaluator([AP, nDCG @ 10], QRELS)
    assert type(evaluator).__module__ == compat.__name__
    assert ir_measures.calc_aggregate([AP], QRELS, RUN)[AP] == pytest.approx(((1 / 2 + 2 / 4) / 2 + 1 / 2) / 3)
    assert ir_measures.calc_aggregate([Accuracy], QRELS, RUN)[Accuracy] >= 0  # which poolwise has not
    compat.use()
    names = [each.NAME for each in ir_measures.DefaultPipeline.providers]
    assert names.count("poolwise") == 1


def test_it_can_be_left():
    compat.use()
    compat.leave()
    assert "poolwise" not in [each.NAME for each in ir_measures.DefaultPipeline.providers]


def test_empty_input():
    assert compat.provider.calc_aggregate([AP], QRELS, {}) == {AP: 0.0}
    assert list(compat.provider.iter_calc([AP], {}, RUN)) == []


def test_subtopics_are_iterations():
    """As pyndeval has it: the README's example of an ideal list that meets both subtopics, and AP of the last label."""
    qrels = [ir_measures.Qrel("1", "a", 1, "x"), ir_measures.Qrel("1", "a", 1, "y"), ir_measures.Qrel("1", "b", 1, "x")]
    run = {"1": {"b": 2.0, "c": 1.0}}
    found = compat.provider.calc_aggregate([alpha_nDCG @ 10, AP], qrels, run)
    assert found[alpha_nDCG @ 10] == pytest.approx(0.4318787168942832, abs=1e-12)
    assert found[AP] == 0.5


def test_what_is_not_here():
    assert not compat.provider.supports(Accuracy)
    with pytest.raises(ArgumentError, match="poolwise has no Accuracy"):
        compat.provider.evaluator([Accuracy], QRELS)
