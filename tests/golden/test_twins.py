"""The slow twins against other people's tools: trec_eval, ir-measures, gdeval and pyNTCIREVAL."""

from __future__ import annotations

import random
import shutil

import ir_measures
import pytest
import pytrec_eval
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ir_measures import ERR, RR, Judged, nDCG
from tests.kit.strategies import scored_topics
from tests.twins import TWINS, Topic, sort_ranking

EXAMPLES = settings(max_examples=100, deadline=None)
NOT_NEGATIVE = (0, 1, 2, 3)
RELEVANCE = st.integers(1, 3)
CUTOFFS = st.integers(1, 12)
Drawn = tuple[Topic, dict[str, float]]


def score(measure: str, topic: Topic, cutoff: int | None = None, **parameters: object) -> float:
    return TWINS[measure](topic, cutoff, **parameters)


def trec_eval(drawn: Drawn, measure: str, *, rel: int = 1, condensed: bool = False) -> float:
    """trec_eval's value; documents that are pooled only have label -1 in its qrels.

    A topic with no label of 0 or more is left out: trec_eval then reads counts it never set, and
    crashes or loops without end.
    """
    topic, scored = drawn
    qrels = {**topic.labels, **dict.fromkeys(topic.pooled, -1)}
    assume(any(label >= 0 for label in topic.labels.values()))
    evaluator = pytrec_eval.RelevanceEvaluator(
        {"t": qrels}, {measure}, relevance_level=rel, judged_docs_only_flag=condensed
    )
    (value,) = evaluator.evaluate({"t": scored})["t"].values()
    return value


def same(value: float) -> object:
    return pytest.approx(value, rel=1e-12, abs=1e-13)


NAMES = {"AP": "map", "RR": "recip_rank", "Rprec": "Rprec"}
NAMES_CUT = {"P": "P", "R": "recall", "Success": "success", "AP": "map_cut"}


@pytest.mark.parametrize("measure", list(NAMES))
@given(drawn=scored_topics(), rel=RELEVANCE)
@EXAMPLES
def test_rank_measures(measure: str, drawn: Drawn, rel: int) -> None:
    assert score(measure, drawn[0], rel=rel) == same(trec_eval(drawn, NAMES[measure], rel=rel))


@pytest.mark.parametrize("measure", list(NAMES_CUT))
@given(drawn=scored_topics(), rel=RELEVANCE, cutoff=CUTOFFS)
@EXAMPLES
def test_rank_measures_with_cut_off(measure: str, drawn: Drawn, rel: int, cutoff: int) -> None:
    expected = trec_eval(drawn, f"{NAMES_CUT[measure]}_{cutoff}", rel=rel)
    assert score(measure, drawn[0], cutoff, rel=rel) == same(expected)


@given(scored_topics(NOT_NEGATIVE), RELEVANCE, CUTOFFS)
@EXAMPLES
def test_condensed_lists(drawn: Drawn, rel: int, cutoff: int) -> None:
    """trec_eval takes every negative label for "not judged", so there is none here."""
    for measure, name in NAMES.items():
        value = score(measure, drawn[0], rel=rel, condensed=True)
        assert value == same(trec_eval(drawn, name, rel=rel, condensed=True))
    for measure, name in NAMES_CUT.items():
        value = score(measure, drawn[0], cutoff, rel=rel, condensed=True)
        assert value == same(trec_eval(drawn, f"{name}_{cutoff}", rel=rel, condensed=True))
    value = score("nDCG", drawn[0], cutoff, condensed=True)
    assert value == same(trec_eval(drawn, f"ndcg_cut_{cutoff}", condensed=True))


@given(scored_topics(), CUTOFFS)
@EXAMPLES
def test_ndcg(drawn: Drawn, cutoff: int) -> None:
    """Negative labels too: trec_eval gives them no gain, as negative="zero" does."""
    assert score("nDCG", drawn[0]) == same(trec_eval(drawn, "ndcg"))
    assert score("nDCG", drawn[0], cutoff) == same(trec_eval(drawn, f"ndcg_cut_{cutoff}"))


@given(scored_topics(NOT_NEGATIVE), RELEVANCE)
@EXAMPLES
def test_bpref(drawn: Drawn, rel: int) -> None:
    assert score("bpref", drawn[0], rel=rel) == same(trec_eval(drawn, "bpref", rel=rel))


@given(scored_topics(NOT_NEGATIVE), RELEVANCE)
@EXAMPLES
def test_infap(drawn: Drawn, rel: int) -> None:
    assert score("infAP", drawn[0], rel=rel) == same(trec_eval(drawn, "infAP", rel=rel))


@given(scored_topics(), st.just(1))
@EXAMPLES
def test_counts(drawn: Drawn, rel: int) -> None:
    for measure, name in (("NumRet", "num_ret"), ("NumRel", "num_rel"), ("NumRelRet", "num_rel_ret")):
        assert score(measure, drawn[0]) == trec_eval(drawn, name, rel=rel)


def with_ir_measures(provider: object, measure: object, drawn: Drawn) -> float:
    topic, scored = drawn
    assume(topic.labels and scored)
    (result,) = provider.iter_calc([measure], {"1": topic.labels}, {"1": scored})  # type: ignore[attr-defined]
    return float(result.value)


@given(scored_topics(pooled=False, ties=False), CUTOFFS)
@EXAMPLES
def test_judged(drawn: Drawn, cutoff: int) -> None:
    """Without ties, which ir-measures breaks the other way round in its own measures."""
    cut = with_ir_measures(ir_measures.judged, Judged @ cutoff, drawn)
    assert score("Judged", drawn[0], cutoff) == same(cut)


@given(scored_topics(pooled=False, ties=False), CUTOFFS, RELEVANCE)
@EXAMPLES
def test_reciprocal_rank_with_cut_off(drawn: Drawn, cutoff: int, rel: int) -> None:
    assume(any(label >= rel for label in drawn[0].labels.values()))
    expected = with_ir_measures(ir_measures.msmarco, RR(rel=rel) @ cutoff, drawn)
    assert score("RR", drawn[0], cutoff, rel=rel) == same(expected)


def random_topics(number: int, labels: list[int], seed: int) -> dict[str, Drawn]:
    """Topics for tools that are slow to start: one call for all of them."""
    generator = random.Random(seed)
    drawn = {}
    for name in range(1, number + 1):
        documents = [f"d{each}" for each in range(30)]
        judged = {each: generator.choice(labels) for each in generator.sample(documents, 20)}
        judged["d0"] = 1
        scored = {each: float(generator.randint(0, 9)) for each in generator.sample(documents, 15)}
        drawn[str(name)] = (Topic(sort_ranking(scored), judged, top=4), scored)
    return drawn


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
@pytest.mark.parametrize("cutoff", [1, 5, 10, 20])
def test_gdeval(cutoff: int) -> None:
    """gdeval prints five decimals; its highest label is 4, its gain exponential, negative labels 0."""
    drawn = random_topics(60, [-2, 0, 0, 1, 2, 3, 4], seed=cutoff)
    exponential = nDCG(dcg="exp-log2") @ cutoff
    results = ir_measures.gdeval.iter_calc(
        [ERR @ cutoff, exponential],
        {name: topic.labels for name, (topic, _) in drawn.items()},
        {name: scored for name, (_, scored) in drawn.items()},
    )
    compared = 0
    for result in results:
        topic, _ = drawn[result.query_id]
        if result.measure == exponential:
            value = score("nDCG", topic, cutoff, gain="exp")
        else:
            value = score("ERR", topic, cutoff, top=4)
        assert value == pytest.approx(result.value, abs=6e-6)
        compared += 1
    assert compared == 120


@pytest.mark.parametrize("persistence", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("rel", [1, 2])
def test_rbp_of_ntcireval(persistence: float, rel: int) -> None:
    """Its RBP is graded, so its labels are made binary first."""
    metrics = pytest.importorskip("pyNTCIREVAL.metrics")
    for topic, _ in random_topics(100, [-2, 0, 1, 2, 3], seed=7).values():
        binary = [(each, int(topic.labels.get(each, 0) >= rel)) for each in topic.ranking]
        expected = metrics.RBP([0, 1], [1.0], persistence).compute(binary)
        assert score("RBP", topic, p=persistence, rel=rel) == same(expected)


def test_q_and_discount_of_ntcireval() -> None:
    """pyNTCIREVAL: Q-measure with and without cut-off, nDCG with the discount of Järvelin and Kekäläinen."""
    metrics = pytest.importorskip("pyNTCIREVAL.metrics")
    gains = {1: 1.0, 2: 4.0, 3: 9.0}
    for topic, _ in random_topics(100, [0, 0, 1, 2, 3], seed=11).values():
        ranking = [(each, topic.labels.get(each)) for each in topic.ranking]
        numbers = [list(topic.labels.values()).count(label) for label in range(4)]
        for cutoff in (None, 2, 5, 40):
            for beta in (0.5, 1, 10):
                expected = metrics.QMeasure(numbers, list(gains.values()), beta, cutoff).compute(ranking)
                assert score("Q", topic, cutoff, gain=gains, beta=beta) == same(expected)
            for base in (2, 3, 10):
                depth = cutoff or 100
                expected = metrics.nDCG(numbers, list(gains.values()), base, depth).compute(ranking)
                value = score("nDCG", topic, depth, gain=gains, discount="jk", base=base)
                assert value == same(expected)
