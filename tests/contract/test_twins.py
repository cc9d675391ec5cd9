"""The slow twins against values worked out by hand, the edges, and the laws of the definitions."""

from __future__ import annotations

from math import log, log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kit.worked_topics import GRADED, WORKED, score
from tests.twins import TWINS, Topic, sort_ranking

from poolwise.measures.registry import measures

EXAMPLES = settings(max_examples=100, deadline=None)


C = {"condensed": True}
HAND_RANK = [
    ("P", 3, {}, 1 / 3),  # b
    ("P", 10, {}, 2 / 10),  # b d, divided by 10 though 7 are retrieved
    ("P", 2, C, 1 / 2),  # a b
    ("P", 10, {"rel": 2}, 1 / 10),
    ("R", 3, {}, 1 / 3),
    ("R", 10, {}, 2 / 3),
    ("R", 2, C, 1 / 3),
    ("R", 10, {"rel": 3}, 0),
    ("Rprec", None, {}, 1 / 3),  # top 3: a u b
    ("Rprec", None, {"rel": 2}, 0),  # R = 2, top 2: a u
    ("Rprec", None, {"rel": 2, **C}, 1 / 2),  # top 2: a b
    ("RR", None, {}, 1 / 3),
    ("RR", 2, {}, 0),
    ("RR", 2, C, 1 / 2),  # condensed first, then cut
    ("Success", 2, {}, 0),
    ("Success", 3, {}, 1),
    ("Success", 2, C, 1),
    ("AP", None, {}, 2 / 9),  # (1/3 + 2/6) / 3
    ("AP", 5, {}, 1 / 9),  # (1/3) / 3, still divided by R
    ("AP", None, C, 1 / 3),  # (1/2 + 2/4) / 3
    ("AP", 2, C, 1 / 6),  # (1/2) / 3
    ("Judged", 2, {}, 1 / 2),  # a
    ("Judged", 5, {}, 3 / 5),  # a b c; p is pooled only
    ("Judged", 10, {}, 5 / 7),  # divided by the 7 retrieved
    ("ERR", None, {}, 53 / 384),  # (3/8) / 3 + (5/8) (1/8) / 6
    ("ERR", 5, {}, 1 / 8),
    ("ERR", None, {"top": 4}, 3 / 16 / 3 + 13 / 16 * 1 / 16 / 6),
    ("ERR", 2, C, 3 / 16),  # (3/8) / 2
    ("RBP", None, {"p": 0.5}, 0.140625),  # 1/2 (1/4 + 1/32)
    ("RBP", None, {}, 0.2 * (0.64 + 0.32768)),  # 0.8^2, 0.8^5
    ("RBP", None, {"p": 0.5, "rel": 2}, 0.125),
    ("RBPres", None, {"p": 0.5}, 0.2890625),  # u: 1/4, p: 1/32, beyond 7: 1/128
    ("RBPres", 3, {"p": 0.5}, 0.375),  # u: 1/4, beyond 3: 1/8
    ("RBPres", None, {"p": 0.5, **C}, 1 / 32),  # nothing unjudged, beyond 5
    ("NumQ", None, {}, 1),
    ("NumRet", None, {}, 7),
    ("NumRel", None, {}, 3),
    ("NumRel", None, {"rel": 2}, 2),
    ("NumRelRet", None, {}, 2),
    ("NumNonrelRet", None, {}, 3),  # a c e
    ("Rprec", None, {"times": 2}, 1 / 3),  # top 6: b d
    ("IPrec11", None, {"points": [0, 1]}, 1 / 6),  # the best precision 1/3, and 0 for all three
    ("SetP", None, {}, 2 / 7),
    ("SetP", None, C, 2 / 5),
    ("SetR", None, {}, 2 / 3),
    ("SetF", None, {}, 2 * 2 / (7 + 3)),
    ("SetF", None, {"beta": 2}, 3 * 2 / 7 * 2 / 3 / (2 * 2 / 7 + 2 / 3)),
    ("F1", 3, {}, 2 / (3 / 1 + 3 / 1)),  # b: precision and recall 1/3
    ("SetAP", None, {}, 4 / 21),
    ("SetRelativeP", None, {}, 2 / 3),
    ("RelativeP", 2, {}, 0),
    ("RelativeP", 3, {}, 1 / 3),
    ("RelativeP", 10, {}, 2 / 3),
    ("Utility", None, {}, 2 - 5),
    ("Utility", None, {"hit": 3, "missed": -2, "rejected": 0.5, "collection": 100}, 6 - 5 - 2 + 0.5 * 92),
    ("binG", None, {}, (1 / 2 + 1 / log2(6)) / 3),  # 2 and 4 others before
    ("YAAP", None, {}, log((1 + 2 / 3) / (4 - 2 / 3))),
]
HAND_GAIN = [
    ("DCG", None, {}, 1 + 1 / log2(7)),  # b at 3: 2/2, d at 6
    ("DCG", 3, {"gain": "exp"}, 3 / 2),
    ("IDCG", None, {}, 3 + 2 / log2(3) + 1 / 2),
    ("IDCG", 2, {}, 3 + 2 / log2(3)),
    ("nDCGrel", None, {}, (1 + 2 * (1 + 1 / log2(7))) / 3 / (3 + 2 / log2(3) + 1 / 2)),  # at 3, 6 and for m at the end
    ("RnDCG", None, {}, (1 + 1 + 1 / log2(7)) / 4 / (3 + 2 / log2(3) + 1 / 2)),  # at 1 2 3, nothing at the first two
    ("G", None, {}, (2 / log2(2 + 6 - 2) + 1 / log2(2 + 9 - 3)) / 6),  # ranks after the third cost 1 each
    # DCG: b at 3: 2/2, d at 6. The ideal 3 2 1 runs over m, which was not retrieved.
    ("nDCG", None, {}, (1 + 1 / log2(7)) / (3 + 2 / log2(3) + 1 / 2)),
    ("nDCG", 3, {}, 1 / (3 + 2 / log2(3) + 1 / 2)),
    ("nDCG", 2, C, (2 / log2(3)) / (3 + 2 / log2(3))),
    ("nDCG", None, {"gain": "exp"}, (3 / 2 + 1 / log2(7)) / (7 + 3 / log2(3) + 1 / 2)),
    (
        "nDCG",
        None,
        {"gain": "exp", "negative": "keep"},
        (1.5 + 1 / log2(7) - 3 / log2(5)) / (7.5 + 3 / log2(3)),
    ),
    ("nDCG", None, {"gain": "binary"}, (1 / 2 + 1 / log2(7)) / (1 + 1 / log2(3) + 1 / 2)),
    ("nDCG", None, {"gain": "binary", "rel": 2}, (1 / 2) / (1 + 1 / log2(3))),
    ("nDCG", None, {"rel": 3}, (1 + 1 / log2(7)) / (3 + 2 / log2(3) + 1 / 2)),  # rel is for binary gain
    ("nDCG", 3, {"gain": {1: 3, 2: 10}}, 5 / (10 + 3 / log2(3))),  # label 3 is not in the mapping: 0
    ("nDCG", None, {"gain": {-2: -6, 2: 10}, "discount": "zipf", "negative": "keep"}, 11 / 60),  # 10/3 - 6/4
    ("nDCG", None, {"discount": "zipf"}, 5 / 26),  # (2/3 + 1/6) / (3 + 1 + 1/3)
    ("nDCG", None, {"discount": "zipf", "negative": "keep"}, 1 / 13),  # (5/6 - 2/4) / (13/3)
    ("nDCG", None, {"discount": "zipf", "negative": "minmax"}, 7 / 19),  # (1/3 + 2) / (13/3 + 2)
    ("nDCG", 1, {"discount": "zipf", "negative": "minmax"}, 2 / 5),  # a(0): (0 + 2) / (3 + 2)
    ("nDCG", 4, {"discount": "linear"}, 1 / 5),  # 1 3/4 1/2 1/4: 1 / (3 + 3/2 + 1/2)
    ("nDCG", 4, {"discount": "linear", "negative": "keep"}, 1 / 10),
    ("nDCG", 4, {"discount": "linear", "negative": "minmax"}, 5 / 14),  # (1/2 + 2) / (5 + 2)
    ("nDCG", None, {"discount": "jk"}, (2 / log2(3) + 1 / log2(6)) / (3 + 2 + 1 / log2(3))),
    ("nDCG", None, {"discount": "jk", "base": 4, **C}, 3 / 6),  # ranks 2 and 4 without discount
    ("nDCG", None, {"discount": "jk", "base": 4}, (2 + log2(4) / log2(6)) / 6),
    ("nDCG", 3, {"discount": [1, 0.5, 0.25]}, (2 / 4) / (3 + 2 / 2 + 1 / 4)),
    ("nDCG", 3, {"discount": [1, 0.5, 0.25, 9]}, 2 / 17),  # longer than k is fine
    ("Q", None, {}, 1 / 4),  # ((2 + 1) / (6 + 3) + (3 + 2) / (6 + 6)) / 3
    ("Q", 3, {}, 1 / 9),  # (3/9) / min(3, 3)
    ("Q", None, C, 13 / 42),  # ((2 + 1) / (5 + 2) + (3 + 2) / (6 + 4)) / 3
    ("Q", 2, C, 3 / 14),  # (3/7) / min(3, 2)
    ("Q", None, {"beta": 0}, 2 / 9),
    ("Q", None, {"beta": 2}, (5 / 15 + 8 / 18) / 3),
    ("Q", None, {"gain": "exp"}, (4 / 14 + 6 / 17) / 3),  # 7 3 1 the ideal gains
    ("Q", None, {"rel": 2}, (3 / 8) / 2),  # only b and m: ideal 3 2, d adds nothing
]
HAND_PREFERENCE = [
    # b: r' = 2, n = 1. d: r' = 4, n = 2. m is missing.
    ("bpref", None, {}, 1 / 3),  # (2/3 + 1/3) / 3
    ("bpref_R", None, {}, 1 / 3),
    ("bpref_N", None, {}, 5 / 12),  # (3/4 + 2/4) / 3
    ("bpref_old", None, {}, 1 / 3),  # retrieved non-relevant: a c e
    ("bpref10", None, {}, 23 / 39),  # (12/13 + 11/13) / 3
    ("bpref_relative", None, {}, 1 / 9),  # (1 - 1/1 + 1 - 2/3) / 3
    ("bpref", None, {"rel": 2}, 1 / 4),  # R = 2, N = 5: (1/2) / 2
    # cgI = 6, gain(H) = 3, divisor 7 - 6/3 = 5; penalty of b: 1, of d: 2 (b is no penalty)
    ("rpref_N", None, {}, 11 / 30),  # (2 (4/5) + 1 (3/5)) / 6
    ("rpref_N", None, {"top": 6}, 7 / 18),  # divisor 7 - 6/6 = 6: (2 (5/6) + 4/6) / 6
    ("rpref_relative", None, {}, 1 / 18),  # (0 + 1 (1 - 2/3)) / 6
    ("rpref_relative2", None, {}, 1 / 4),  # (2 (1/2) + 1 (1/2)) / 6
    ("rpref_relative2", None, {"gain": "binary"}, 1 / 3),
]


HAND = [*HAND_RANK, *HAND_GAIN, *HAND_PREFERENCE]


@pytest.mark.parametrize(("measure", "cutoff", "parameters", "value"), HAND)
def test_worked_example(measure: str, cutoff: int | None, parameters: dict[str, Any], value: float) -> None:
    assert score(measure, WORKED, cutoff, **parameters) == pytest.approx(value, rel=1e-12, abs=1e-15)


def test_graded_penalties() -> None:
    # Penalty of A: 0; of B: (3 - 1) / 3; of C: (2 - 1) / 2, B above it is better. Divisor 4 - 6/3 = 2.
    assert score("rpref_N", GRADED) == pytest.approx((1 + 3 * (1 - 1 / 3) + 2 * (1 - 1 / 4)) / 6)
    assert score("rpref_N", GRADED, top=4) == pytest.approx(0.8)  # 4 - 6/4 = 5/2: (1 + 2.2 + 1.6) / 6
    assert score("rpref_relative", GRADED) == pytest.approx((3 * (1 - 2 / 3) + 2 * (1 - 1 / 4)) / 6)
    assert score("rpref_relative2", GRADED) == pytest.approx((1 + 3 * (1 - 1 / 3) + 2 * (1 - 1 / 6)) / 6)


def test_terms_without_penalty_need_no_divisor() -> None:
    perfect = Topic(ranking=["x", "y"], labels={"x": 1, "y": 1}, top=1)  # N = 0
    for measure in ("bpref", "bpref_R", "bpref_N", "bpref_old", "bpref10", "rpref_N", "rpref_relative2"):
        assert score(measure, perfect) == 1
    assert score("bpref_relative", perfect) == 1 / 2  # (R - 1) / R, Sakai 2007
    assert score("rpref_relative", perfect) == 1 / 2


def test_bpref_variants_differ() -> None:
    short = Topic(ranking=["z", "x"], labels={"x": 1, "y": 1, "z": 0, "w": 0})
    assert score("bpref", short) == 1 / 4  # (1 - 1/2) / 2
    assert score("bpref_old", short) == 0  # (1 - 1/1) / 2: only one non-relevant was retrieved
    late = Topic(ranking=["s", "t", "x"], labels={"x": 1, "s": 0, "t": -2, "w": 0})
    assert score("bpref", late) == 0  # 1 - min(2, 1) / 1
    assert score("bpref_N", late) == pytest.approx(1 / 3)
    assert score("bpref10", late) == pytest.approx(9 / 11)


def test_q_with_cut_off_below_r() -> None:
    perfect = Topic(ranking=["x", "y", "z"], labels={"x": 3, "y": 2, "z": 1})
    assert score("Q", perfect, 2) == pytest.approx(1)  # divided by min(3, 2)
    assert score("Q", perfect, 9) == pytest.approx(1)
    assert score("AP", perfect, 2) == pytest.approx(2 / 3)  # divided by R


REQUIRED = [each for each in measures() if each.cutoff == "required"]
NEEDS_CUTOFF = {each.kernel: 5 for each in REQUIRED if each.kernel in TWINS}
NEEDS = {"IPrec": {"recall": 0.5}}
EDGES = {
    "empty ranking": (
        Topic([], {"x": 1, "y": 0}, {"p"}, top=1),
        {"NumQ": 1, "NumRel": 1, "RBPres": 1, "IDCG": 1, "YAAP": log(1 / 2)},
    ),
    "nothing judged": (
        Topic(["u", "v"], {}, set(), top=1),
        {"NumQ": 1, "NumRet": 2, "RBPres": 1, "Unjudged": 0.4, "Utility": -2},
    ),
    "pooled only": (
        Topic(["p", "v"], {}, {"p", "q"}, {"p": 1, "q": 2}, top=1),
        {
            "NumQ": 1,
            "NumRet": 2,
            "RBPres": 1,
            "Unjudged": 0.4,
            "Utility": -2,
            "iP": 1 / 10,
        },  # p counts 1/2, divided by 5
    ),
    "no relevant": (
        Topic(["x", "y"], {"x": 0, "y": -2}, set(), top=1),
        {
            "NumQ": 1,
            "NumRet": 2,
            "NumNonrelRet": 2,
            "Utility": -2,
            "Judged": 1,
            "RBPres": 0.64,
            "iP": 2 * 1e-5 / (2 + 2e-5) / 5,
        },
    ),
    "relevant not retrieved": (
        Topic(["y"], {"x": 1, "y": 0}, set(), top=1),
        {
            "NumQ": 1,
            "NumRet": 1,
            "NumRel": 1,
            "NumNonrelRet": 1,
            "Utility": -1,
            "IDCG": 1,
            "YAAP": log(1 / 2),
            "Judged": 1,
            "RBPres": 0.8,
            "iP": 1e-5 / (1 + 2e-5) / 5,
        },
    ),
}


@pytest.mark.parametrize("edge", list(EDGES))
@pytest.mark.parametrize("measure", list(TWINS))
def test_edges(edge: str, measure: str) -> None:
    topic, values = EDGES[edge]
    value = score(measure, topic, NEEDS_CUTOFF.get(measure), **NEEDS.get(measure, {}))
    assert value == pytest.approx(values.get(measure, 0), abs=1e-15)


def test_ndcg_of_a_topic_with_only_negative_labels() -> None:
    topic = Topic(ranking=["u", "x"], labels={"x": -2, "y": -1})
    assert score("nDCG", topic) == 0
    assert score("nDCG", topic, negative="keep") == 0  # the ideal gain is 0
    # zipf: DCG = -2/2, worst = -2 - 1/2, best = 0
    assert score("nDCG", topic, discount="zipf", negative="minmax") == pytest.approx(1.5 / 2.5)
    assert score("nDCG", topic, 1, discount="zipf", negative="minmax") == 1
    assert score("nDCG", Topic([], {"x": -2}), negative="minmax") == 1
    assert score("nDCG", Topic(["x"], {"x": 0}), negative="minmax") == 0  # best = worst


def test_errors() -> None:
    for measure in NEEDS_CUTOFF:
        with pytest.raises(ValueError, match="cut-off"):
            score(measure, WORKED)
    with pytest.raises(ValueError, match="cut-off"):
        score("nDCG", WORKED, discount="linear")
    with pytest.raises(ValueError, match="cut-off"):
        score("nDCG", WORKED, discount=[1.0, 0.5])
    with pytest.raises(ValueError, match="one number for each rank"):
        score("nDCG", WORKED, 3, discount=[1.0, 0.5])
    with pytest.raises(ValueError, match="highest label"):
        score("ERR", Topic(["x"], {"x": 1}))


def test_sort_ranking() -> None:
    assert sort_ranking({"a": 1, "b": 1, "c": 2}) == ["c", "b", "a"]
    assert sort_ranking({"a": 0.0, "b": -0.0}) == ["b", "a"]  # equal, so by id
    assert sort_ranking({"a": 1.0 + 1e-12, "b": 1.0}) == ["a", "b"]  # equal only as 32-bit floats
    assert sort_ranking({"z": 1, "é": 1, "Z": 1, "z1": 1}) == ["é", "z1", "z", "Z"]  # by bytes
    assert sort_ranking({"a": float("-inf"), "b": float("inf"), "c": 0}) == ["b", "c", "a"]
    assert sort_ranking({}) == []


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=3), st.sampled_from([-1.5, 0.0, 2.0])))
@EXAMPLES
def test_sort_ranking_is_a_sort(scored: dict[str, float]) -> None:
    expected = sorted(scored, key=lambda each: (scored[each], each.encode("utf-8")), reverse=True)
    assert sort_ranking(scored) == expected
