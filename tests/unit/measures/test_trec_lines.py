"""The lines that trec_eval prints for what is asked with -m."""

from __future__ import annotations

import pytest

from poolwise.errors import ArgumentError
from poolwise.measures.other_names import TREC_MEASURES, lines_of
from poolwise.measures.registry import parse


def shown(*wanted: str, **options: object) -> list[tuple[str, str]]:
    return [(line.name, str(line.measure)) for line in lines_of(wanted, **options)]


def test_lines_stand_in_the_order_of_trec_eval_each_once():
    assert shown("P.10,5", "map", "P.1", "map") == [("map", "AP"), ("P_5", "P@5"), ("P_10", "P@10")]
    assert [line.name for line in lines_of(["official"])][:3] == ["runid", "num_q", "num_ret"]
    names = [line.name for line in lines_of(["unj", "yaap", "dcg", "all_trec"])]
    assert len(names) == len(set(names)) == 102  # the 99 of all topics, relstring, yaap and dcg
    assert [name for name in TREC_MEASURES if name in names] == [name for name in names if name in TREC_MEASURES]


def test_numbers_are_read_as_c_reads_them():
    assert shown("ndcg_cut.10,23.4x") == [("ndcg_cut_10", "nDCG@10"), ("ndcg_cut_23", "nDCG@23")]
    assert shown("Rprec_mult.5.0,0.2")[0] == ("Rprec_mult_0.20", "Rprec(times=0.2)")
    assert [line.length for line in lines_of(["relstring.20"])] == [20]
    assert [line.length for line in lines_of(["relstring.-3"])] == [0]
    for text in ("P.0", "P.x", "P.-5"):
        with pytest.raises(ArgumentError, match="not positive"):
            lines_of([text])


def test_options_reach_the_measures():
    assert shown("map", "num_q", "ndcg", level=2, judged_only=True) == [
        *(("num_q", "NumQ"), ("map", "AP'(rel=2)"), ("ndcg", "nDCG'(rel=2)"))
    ]
    assert lines_of(["utility"], collection=7)[0].measure == parse("Utility(collection=7)")
    assert lines_of(["utility"])[0].measure.parameters["collection"] == 0


def test_what_is_a_count_and_what_speaks_of_all():
    kinds = {
        line.name: (line.is_count, line.summary_only)
        for line in lines_of(["runid", "num_q", "num_ret", "gm_map", "map"])
    }
    assert kinds == {
        "runid": (False, True), "num_q": (True, True), "num_ret": (True, False),
        "map": (False, False), "gm_map": (False, True),
    }  # fmt: skip
