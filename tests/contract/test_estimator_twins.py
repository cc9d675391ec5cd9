"""The slow twins of estimators against values worked out by hand, and against another script."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import pytest
from tests.kit.worked_topics import STRATIFIED, WORKED, score
from tests.twins import Topic


def test_infap_and_its_variance() -> None:
    # Precision at b (3): 1/3, nothing relevant above. At d (6): 4 pooled above, 3 judged, 1 relevant:
    # 1/6 + 4/6 1/3 = 7/18. At m: 0. Smoothing moves all by about 1e-5.
    assert score("infAP", WORKED) == pytest.approx((1 / 3 + 7 / 18) / 3, abs=1e-5)
    # s^2 of 1/3, 7/18, 0 is 43/972; p = 7/9; v_3 = 0 (one pooled above);
    # v_6 = (5/6)^2 (4/5)^2 (1/3 2/3) / 3 (1 - 2/3) = 8/729. 2/9 43/972 / 3 + 8/729 / 9 = 59/13122.
    assert score("infAP_variance", WORKED) == pytest.approx(59 / 13122, abs=1e-6)
    # With m at 8, after n: v_8 is left to the twin, but v_6 counts once more, 2 6/8 times, for the pair of d and m.
    longer = replace(WORKED, ranking=[*WORKED.ranking, "m"])
    pair = score("infAP_variance", longer, dependent=True) - score("infAP_variance", longer)
    assert pair == pytest.approx(2 * (6 / 8) * (8 / 729) / 9, abs=1e-6)


def test_infap_variance_of_dependent_precisions() -> None:
    topic = Topic(ranking=["f", "g", "x", "h", "y"], labels={"x": 1, "y": 1}, pooled={"f", "g", "h"})
    # x at 3: 2 pooled, none judged: share 1/2, precision 2/3, v_3 = (2/3)^2 1/4 = 1/9.
    # y at 5: 4 pooled, x judged and relevant: share 1, precision 1, v_5 = 0. s^2 = 1/18, p = 2/5.
    assert score("infAP", topic) == pytest.approx(5 / 6, abs=1e-5)
    independent = (1 - 2 / 5) * (1 / 18) / 2 + (1 / 9) / 4
    assert score("infAP_variance", topic) == pytest.approx(independent, abs=1e-5)
    pair = 2 * (3 / 5) * (1 / 9) / 4
    assert score("infAP_variance", topic, dependent=True) == pytest.approx(independent + pair, abs=1e-5)


def test_infap_variance_of_one_relevant_document() -> None:
    topic = Topic(ranking=["f", "g", "x"], labels={"x": 1}, pooled={"f", "g"})
    assert score("infAP_variance", topic) == pytest.approx(1 / 9)  # s^2 = 0, v_3 as above
    judged = Topic(ranking=["f", "g", "x"], labels={"x": 1, "f": 0, "g": 1, "y": 1})
    assert score("infAP_variance", judged) == 0  # all the pool is judged
    one = Topic(ranking=["f", "u", "x"], labels={"x": 1}, pooled={"f", "g"})
    assert score("infAP_variance", one) == 0  # a single pooled document above
    assert score("infAP", one) == pytest.approx(1 / 3 + 1 / 3 * 1 / 2)


def test_xinfap_by_strata() -> None:
    # Stratum 1: N 4, n 3, r 2, so 8/3; stratum 2: N 5, n 4, r 1, so 5/4. Precision at b: 1/3 (a above).
    # At d: stratum 1 has a b p above: 3 1/2; stratum 2 has c: 0. So (1 + 3/2) / 6 = 5/12. m: 0.
    value = (8 / 3 * (1 / 3 + 0) / 2 + 5 / 4 * (5 / 12)) / (8 / 3 + 5 / 4)
    assert score("xinfAP", WORKED) == pytest.approx(value, abs=1e-5)
    # Top 5: a b p of stratum 1: 3 1/2; c of stratum 2: 0. Top 10: 3/2 and c d e: 3 1/3.
    assert score("iP", WORKED, 5) == pytest.approx(1.5 / 5, abs=1e-5)
    assert score("iP", WORKED, 10) == pytest.approx(2.5 / 10, abs=1e-5)


def test_xinfap_with_a_stratum_of_which_nothing_is_judged() -> None:
    # Stratum 1: N 3, n 2, r 2: 3. Stratum 2: N 5, n 3, r 2: 10/3. Stratum 3: 0, but f above counts 1/2.
    # a at 4: f b c each 1/2: (1 + 3/2) / 4 = 5/8. d at 6: f 1/2, b a 2, c 1/2: 4/6.
    # j at 8: f 1/2, b a 2, c d e 3 1/2: 5/8. h: 0.
    value = (3 * (5 / 8 + 0) / 2 + 10 / 3 * (4 / 6 + 5 / 8) / 2) / (3 + 10 / 3)
    assert score("xinfAP", STRATIFIED) == pytest.approx(value, abs=1e-5)
    assert score("iP", STRATIFIED, 5) == pytest.approx((1 / 2 + 2 + 1 / 2) / 5, abs=1e-5)


def test_infndcg_by_strata() -> None:
    # Stratum 1: a b p retrieved, a b judged: 3/2 times 2/log2(4). Stratum 2: c d e, all judged.
    # Ideal: 4/3 documents of gain 3, 4/3 of gain 2, 5/4 of gain 1: ranks 3, 7/3, 5/3, 11/12.
    ideal = 3 + 7 / 3 / log2(3) + 5 / 3 / 2 + 11 / 12 / log2(5)
    assert score("infNDCG", WORKED) == pytest.approx((3 / 2 + 1 / log2(7)) / ideal)
    assert score("infNDCG", WORKED, 3) == pytest.approx(1 / (3 + 7 / 3 / log2(3) + 5 / 3 / 2))
    # Stratum 1: a judged of b a: 2; stratum 2: d e j of c d e j: 4/3; stratum 3 adds 0.
    # Ideal: 5/3 of gain 2, 3 + 5/3 of gain 1.
    found = 2 / log2(5) + 4 / 3 * (2 / log2(7) + 1 / log2(9))
    ideal = 2 + (2 * 2 / 3 + 1 / 3) / log2(3) + sum(1 / log2(rank + 1) for rank in (3, 4, 5, 6)) + 1 / 3 / 3
    assert score("infNDCG", STRATIFIED) == pytest.approx(found / ideal)


def test_infndcg_rounds_half_up_and_counts_per_gain() -> None:
    half = Topic(ranking=["x"], labels={"x": 1, "y": 0}, pooled={"f", "g", "h"})  # 1 5/2 = 2.5 relevant
    assert score("infNDCG", half) == pytest.approx(1 / (1 + 1 / log2(3) + 0.5 / 2))
    assert score("infNDCG", half, compat="sample_eval") == pytest.approx(1 / (1 + 1 / log2(3) + 1 / 2))
    two = Topic(ranking=["x"], labels={"x": 1, "y": 2}, pooled={"f"})  # 1.5 of each label, 3 of the gain
    value = score("infNDCG", two, gain={1: 1, 2: 1}, compat="sample_eval")
    assert value == pytest.approx(1 / (1 + 1 / log2(3) + 1 / 2))


def test_infndcg_stops_at_depth_1000() -> None:
    ranking = [f"d{number:04d}" for number in range(1100)]
    topic = Topic(ranking=ranking, labels=dict.fromkeys(ranking, 1))
    assert score("infNDCG", topic) == pytest.approx(1)
    late = Topic(ranking=ranking, labels={each: int(each >= "d1000") for each in ranking})
    assert score("infNDCG", late) == 0
    assert score("infNDCG", late, 1100) > 0


# From a shortened Perl transcription of NIST's sample_eval.pl as changed on 10 October 2011, with
# twelve decimals for its four; not the script itself. The label -2 became 0 in the qrels it read,
# because the script takes every negative label for "not judged".
SAMPLE_EVAL = {
    "WORKED": (WORKED, 0.246455168396, 0.389807213826, 0.300000499963, 0.249999250011),
    "STRATIFIED": (STRATIFIED, 0.438227677362, 0.423588668157, 0.533325333573, 0.499994666800),
}


@pytest.mark.parametrize("name", list(SAMPLE_EVAL))
def test_compat_agrees_with_sample_eval(name: str) -> None:
    topic, *values = SAMPLE_EVAL[name]
    ours = [
        score("xinfAP", topic, compat="sample_eval"),
        score("infNDCG", topic, compat="sample_eval"),
        score("iP", topic, 5, compat="sample_eval"),
        score("iP", topic, 10, compat="sample_eval"),
    ]
    assert ours == pytest.approx(values, abs=1e-11)
