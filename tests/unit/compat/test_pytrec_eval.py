"""The interface of pytrec_eval with poolwise behind it, beside pytrec_eval itself."""

from __future__ import annotations

import io
import random

import pytest
import pytrec_eval as theirs

from poolwise.compat import pytrec_eval as ours
from poolwise.errors import ArgumentError, InputError

QREL = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}


def campaign(seed: int) -> tuple[dict, dict]:
    """Random labels, also below 0, and scores with ties; topics that one side lacks."""
    draw = random.Random(seed)
    documents = [f"d{number}" for number in range(40)]
    qrel = {str(t): {d: draw.choice([-1, 0, 0, 1, 2, 3]) for d in draw.sample(documents, 25)} for t in range(6)}
    run = {str(t): {d: float(draw.randrange(20)) for d in draw.sample(documents, 30)} for t in range(1, 8)}
    return qrel, run


@pytest.mark.parametrize(
    ("measures", "options"),
    [
        ({"all_trec"}, {}),
        ({"all_trec"}, {"relevance_level": 2}),
        ({"official", "set", "ndcg"}, {"judged_docs_only_flag": True}),
        ({"P_7", "P.3,5", "ndcg_cut.1,2,3,1000", "map", "iprec_at_recall.0.33,0.5", "Rprec_mult_1.20"}, {}),
        ({"set_F.2", "recall_5,10", "success"}, {}),
    ],
)
def test_equals_pytrec_eval(measures, options):
    for seed in range(3):
        qrel, run = campaign(seed)
        found = ours.RelevanceEvaluator(qrel, measures, **options).evaluate(run)
        expected = theirs.RelevanceEvaluator(qrel, measures, **options).evaluate(run)
        assert found.keys() == expected.keys()
        for topic, values in expected.items():
            assert found[topic].keys() == values.keys()
            for name, value in values.items():
                if name not in ("runid", "relstring"):  # which have no value there, and 0 here
                    assert found[topic][name] == pytest.approx(value, abs=1e-9), (topic, name)
        for name in ("map", "num_rel_ret", "gm_map"):
            if name in found["1"]:
                values = [each[name] for each in expected.values()]
                assert ours.compute_aggregated_measure(name, values) == pytest.approx(
                    theirs.compute_aggregated_measure(name, values), abs=1e-12
                )


def test_no_measure_gives_topics_without_values():
    qrel, run = {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 1.0}, "q3": {"d1": 1.0}}
    found = ours.RelevanceEvaluator(qrel, set()).evaluate(run)
    assert found == theirs.RelevanceEvaluator(qrel, set()).evaluate(run) == {"q1": {}}


def test_names_are_those_of_pytrec_eval():
    assert ours.supported_measures >= theirs.supported_measures
    for name in ("official", "set", "all_trec"):
        assert ours.supported_nicknames[name] == theirs.supported_nicknames[name]


def test_ndcg_by_rank():
    evaluator = ours.RelevanceEvaluator(QREL, {"map", "ndcg"})
    for scores, expected in (((1.0, 0.0, 1.5), 0.5), ((1.0, 2.0, 1.5), 1.0), ((4.0, 2.0, 1.5), 0.6309297535714575)):
        run = {"q1": dict(zip(("d1", "d2", "d3"), scores, strict=True)), "q2": {}}
        assert evaluator.evaluate(run)["q1"]["ndcg"] == pytest.approx(expected)


def test_empty_rankings_have_values():
    found = ours.RelevanceEvaluator(QREL, {"all_trec"}).evaluate({"q1": {}, "q2": {}})
    assert found["q1"]["map"] == 0
    assert found["q2"]["num_rel"] == 2
    assert ours.RelevanceEvaluator(QREL, {"map"}).evaluate({}) == {}
    assert ours.RelevanceEvaluator({"q1": {}, **QREL, "q9": {}}, {"map"}).evaluate({"q9": {"a": 1.0}}) == {}


def test_lines_are_read_as_there():
    qrel, run = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n", "q1 Q0 d1 1 2.5 x\nq2 Q0 d3 1 1e3 x\n"
    assert ours.parse_qrel(io.StringIO(qrel)) == theirs.parse_qrel(io.StringIO(qrel))
    assert ours.parse_run(io.StringIO(run)) == theirs.parse_run(io.StringIO(run))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("q1 0 d1\n", "line 1: 3 fields found"),
        ("q1 0 d1 1\nq1 0 d1 1\n", "line 2: document 'd1' of topic 'q1' is listed twice"),
        ("q1 0 d1 x\n", "line 1: 'x' is not a number"),
    ],
)
def test_wrong_lines_are_named(text, words):
    with pytest.raises(InputError, match=words):
        ours.parse_qrel(text.splitlines())


def test_unknown_measures():
    with pytest.raises(ArgumentError, match="unsupported measure mapp"):
        ours.RelevanceEvaluator(QREL, {"mapp"})
