"""Identities and bounds that the definitions imply, checked on the slow twins."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kit.strategies import topics
from tests.twins import TWINS, Topic

pytestmark = pytest.mark.slow

EXAMPLES = settings(max_examples=100, deadline=None)
BINARY = (0, 1)
NOT_NEGATIVE = (0, 1, 2, 3)
RELEVANCE = st.integers(1, 3)
CUTOFFS = st.one_of(st.none(), st.integers(1, 12))


def score(measure: str, topic: Topic, cutoff: int | None = None, **parameters: object) -> float:
    return TWINS[measure](topic, cutoff, **parameters)


def same(value: float) -> object:
    return pytest.approx(value, rel=1e-12, abs=1e-13)


def counts(topic: Topic, rel: int) -> tuple[int, int]:
    relevant = len([label for label in topic.labels.values() if label >= rel])
    return relevant, len(topic.labels) - relevant


@given(topics(BINARY))
@EXAMPLES
def test_rpref_on_binary_labels(topic: Topic) -> None:
    assert score("rpref_N", topic) == same(score("bpref_N", topic))
    assert score("rpref_relative", topic) == same(score("bpref_relative", topic))
    assert score("rpref_relative2", topic) == same(score("AP", topic, condensed=True))


@given(topics(), RELEVANCE)
@EXAMPLES
def test_rpref_with_binary_gain(topic: Topic, rel: int) -> None:
    assert score("rpref_N", topic, gain="binary", rel=rel) == same(score("bpref_N", topic, rel=rel))
    condensed = score("AP", topic, rel=rel, condensed=True)
    assert score("rpref_relative2", topic, gain="binary", rel=rel) == same(condensed)


@given(topics())
@EXAMPLES
def test_rpref_relative2_of_an_ideal_list_is_one(topic: Topic) -> None:
    best_first = sorted(topic.labels, key=lambda each: -topic.labels[each])
    ideal = replace(topic, ranking=best_first)
    relevant, _ = counts(topic, 1)
    assert score("rpref_relative2", ideal) == same(1.0 if relevant else 0.0)
    assert score("rpref_N", ideal) == same(1.0 if relevant else 0.0)


@given(topics(), RELEVANCE)
@EXAMPLES
def test_bpref_is_two_measures(topic: Topic, rel: int) -> None:
    relevant, nonrelevant = counts(topic, rel)
    if relevant <= nonrelevant:
        assert score("bpref", topic, rel=rel) == same(score("bpref_R", topic, rel=rel))
    if relevant >= nonrelevant:
        assert score("bpref", topic, rel=rel) == same(score("bpref_N", topic, rel=rel))


@given(topics(), RELEVANCE, st.booleans())
@EXAMPLES
def test_q_without_beta_is_average_precision(topic: Topic, rel: int, condensed: bool) -> None:
    expected = score("AP", topic, rel=rel, condensed=condensed)
    assert score("Q", topic, beta=0, rel=rel, condensed=condensed) == same(expected)


@given(topics(), RELEVANCE, st.sampled_from([None, "sample_eval"]))
@EXAMPLES
def test_xinfap_of_one_stratum_is_infap(topic: Topic, rel: int, compat: str | None) -> None:
    expected = score("infAP", topic, rel=rel, compat=compat)
    assert score("xinfAP", topic, rel=rel, compat=compat) == same(expected)
    one = dict.fromkeys([*topic.labels, *topic.pooled], 7)
    assert score("xinfAP", replace(topic, strata=one), rel=rel, compat=compat) == same(expected)


@given(topics(pooled=False, strata=3), st.integers(1, 12))
@EXAMPLES
def test_estimators_of_complete_judgments(topic: Topic, cutoff: int) -> None:
    assert score("infAP", topic) == pytest.approx(score("AP", topic), abs=1e-4)
    assert score("xinfAP", topic) == pytest.approx(score("AP", topic), abs=1e-4)
    assert score("iP", topic, cutoff) == pytest.approx(score("P", topic, cutoff), abs=1e-4)
    assert score("infNDCG", topic) == same(score("nDCG", topic))
    assert score("infNDCG", topic, cutoff) == same(score("nDCG", topic, cutoff))
    assert score("infNDCG", topic, gain="exp", compat="sample_eval") == same(score("nDCG", topic, gain="exp"))
    assert score("infAP_variance", topic) == 0
    assert score("infAP_variance", topic, dependent=True) == 0


@given(topics(), RELEVANCE)
@EXAMPLES
def test_infap_variance_is_not_negative_and_grows_with_dependence(topic: Topic, rel: int) -> None:
    independent = score("infAP_variance", topic, rel=rel)
    assert 0 <= independent <= score("infAP_variance", topic, rel=rel, dependent=True)


@given(topics(NOT_NEGATIVE), CUTOFFS, st.sampled_from(["linear", "exp", "binary"]), st.booleans())
@EXAMPLES
def test_ndcg_without_negative_labels(topic: Topic, cutoff: int | None, gain: str, condensed: bool) -> None:
    expected = score("nDCG", topic, cutoff, gain=gain, condensed=condensed)
    for negative in ("keep", "minmax"):
        value = score("nDCG", topic, cutoff, gain=gain, condensed=condensed, negative=negative)
        assert value == same(expected)


@given(topics((-3, -2, 0, 1, 2)), CUTOFFS, st.sampled_from(["log2", "jk", "zipf"]))
@EXAMPLES
def test_ndcg_minmax_is_a_share(topic: Topic, cutoff: int | None, discount: str) -> None:
    for gain in ("linear", "exp"):
        value = score("nDCG", topic, cutoff, gain=gain, discount=discount, negative="minmax")
        assert -1e-12 <= value <= 1 + 1e-12


@given(topics(), CUTOFFS, RELEVANCE)
@EXAMPLES
def test_condensing_is_leaving_out_unjudged_documents(topic: Topic, cutoff: int | None, rel: int) -> None:
    short = replace(topic, ranking=[each for each in topic.ranking if each in topic.labels])
    for measure in ("AP", "RR", "Q", "RBP", "nDCG"):
        expected = score(measure, short, cutoff, rel=rel)
        assert score(measure, topic, cutoff, rel=rel, condensed=True) == expected
    for measure in ("bpref", "bpref_N", "bpref_old", "rpref_N", "rpref_relative2"):
        assert score(measure, topic, cutoff, rel=rel) == score(measure, short, cutoff, rel=rel)


@given(topics(), st.integers(1, 12))
@EXAMPLES
def test_rbp_and_its_residual_are_bounds(topic: Topic, cutoff: int) -> None:
    """Judging every unjudged document relevant uses up all of the residual but the tail."""
    unjudged = [each for each in topic.ranking if each not in topic.labels]
    best = Topic(topic.ranking, {**topic.labels, **dict.fromkeys(unjudged, 1)}, top=topic.top)
    depth = min(cutoff, len(topic.ranking))
    most = score("RBP", best, cutoff, p=0.7) + 0.7**depth
    assert score("RBP", topic, cutoff, p=0.7) + score("RBPres", topic, cutoff, p=0.7) == same(most)


SHARES = ("P", "R", "Rprec", "RR", "Success", "AP", "Judged", "ERR", "RBP", "RBPres", "nDCG", "Q")
PREFERENCES = ("bpref", "bpref_R", "bpref_N", "bpref_old", "bpref10", "bpref_relative")
GRADED = ("rpref_N", "rpref_relative", "rpref_relative2")


@given(topics(strata=3), st.integers(1, 12))
@EXAMPLES
def test_range(topic: Topic, cutoff: int) -> None:
    for measure in (*SHARES, *PREFERENCES, *GRADED, "infAP", "xinfAP", "iP"):
        assert -1e-12 <= score(measure, topic, cutoff) <= 1 + 1e-12, measure
