"""Names of measures: reading, writing, refusing."""

from __future__ import annotations

import pickle

import pytest

import poolwise as pw
from poolwise.errors import ArgumentError
from poolwise.measures.registry import expand, parse


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        ("nDCG(gain='exp')'@10", "nDCG'(gain='exp')@10"),
        ("nDCG'(gain='exp')@10", "nDCG'(gain='exp')@10"),
        ("cond:nDCG@10", "nDCG'@10"),
        ("nDCG(judged_only=True)@10", "nDCG'@10"),
        ("nDCG(negative='minmax', gain='exp')@20", "nDCG(gain='exp', negative='minmax')@20"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain='exp')@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(gain={2: 10, 1: 3})", "nDCG(gain={1: 3, 2: 10})"),
        ("nDCG(gains={2: 10})", "nDCG(gain={2: 10, 'other': 'linear'})"),
        ("nDCG(gain={'other': 'exp', 2: 10, 1: 3})", "nDCG(gain={1: 3, 2: 10, 'other': 'exp'})"),
        ("nDCG(discount=[1, 0.5])@2", "nDCG(discount=[1, 0.5])@2"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
        ("AP(rel=1)", "AP"),
        ("RBP(p=0.95)", "RBP(p=0.95)"),
        ("rbp", "RBP(p=0.9, gain='linear', compat='trec_eval')"),
        ("rbp_resid", "RBPres(p=0.9)"),
        ("gm_map", "GMAP"),
        ("gm_bpref", "GMbpref"),
        ("11pt_avg", "IPrec11"),
        ("iprec_at_recall_0.50", "IPrec(recall=0.5)"),
        ("IPrec@0.5", "IPrec(recall=0.5)"),
        ("IPrec'(recall=1)", "IPrec'(recall=1)"),
        ("NumRet(judged_only=True)", "NumRet(judged_only=True)"),
        ("infAP(rel=2, judged_only=True)", "infAP(rel=2, judged_only=True)"),
        ("Q(beta=10)", "Q(beta=10)"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_10", "P@10"),
        ("recall_100", "R@100"),
        ("recip_rank", "RR"),
        ("Bpref", "bpref"),
        ("bpref_relative2", "AP'"),
        ("num_rel_ret", "NumRelRet"),
        (" AP ", "AP"),
    ],
)
def test_canonical_name(text, canonical):
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)
    assert pickle.loads(pickle.dumps(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nDGC@10", "did you mean nDCG"),
        ("frobnicate", "is unknown"),
        ("AP,nDCG@10", "names several; give each by itself: 'AP', 'nDCG@10'"),
        ("AP  ndcg@10", "names several; give each by itself: 'AP', 'ndcg@10'"),
        ("AP, RBP(p=0.5)", "names several; give each by itself: 'AP', 'RBP(p=0.5)'"),
        ("AP,nothing", "is unknown"),
        ("P", "needs a cut-off"),
        ("AP@x", "whole number, found 'x'"),
        ("AP@0", "from 1 to"),
        ("bpref'", "takes no prime"),
        ("NumRet'", "takes no prime"),
        ("bpref(judged_only=True)", "not defined on condensed lists"),
        ("bpref_10", "did you mean bpref10"),
        ("IPrec", "needs recall, a number between 0 and 1; write for example IPrec(recall=0.5)"),
        ("IPrec@2", "recall=2.0 is not allowed"),
        ("IPrec@half", "whole number, found 'half'"),
        ("P_0.5", "whole number, found '0.5'"),
        ("bpref@10", "takes no cut-off"),
        ("AP(rel='a')", "rel='a' is not allowed; rel is a number of at least 0"),
        ("AP(relevance=2)", "no parameter 'relevance'; its parameters are: rel"),
        ("nDCG(gain='square')", "'linear', 'exp', 'binary'"),
        ("nDCG(gain={1: 3, 'other': 'square'})", "'linear', 'exp', 'binary'"),
        ("nDCG(gain={'other': 'linear'})", "'linear', 'exp', 'binary'"),
        ("nDCG(gains=3)", "'linear', 'exp', 'binary'"),
        ("nDCG(discount='linear')", "linear discount needs a cut-off"),
        ("nDCG(discount=[1, 0.5])@3", "needs a cut-off of at most 2"),
        ("nDCG(discount=[1, 0.5])", "needs a cut-off of at most 2"),
        ("RBP(p=1)", "both excluded"),
        ("AP(rel=2", "bracket is not closed"),
        ("nDCG@", "no cut-off stands after @; write for example nDCG@10"),
        ("AP(rel=2)@ ", "no cut-off stands after @; write for example AP(rel=2)@10"),
        ("AP)", "no opening one"),
        ("AP(__import__('os'))", "cannot be read"),
        ("AP(rel=open('x'))", "cannot be read"),
        ("", "is unknown"),
    ],
)
def test_refused_with_a_reason(text, words):
    with pytest.raises(ArgumentError, match="(?s)" + __import__("re").escape(words)):
        parse(text).require()


def test_objects_build_the_same_measures():
    assert pw.nDCG(gain="exp") @ 20 == parse("nDCG(gain='exp')@20")
    assert pw.nDCG(gain="exp").condensed @ 20 == parse("nDCG'(gain='exp')@20")
    assert pw.nDCG(gain={1: 3}) == parse("nDCG(gain={1: 3})")
    assert len({pw.AP, parse("map"), pw.AP(rel=1)}) == 1
    with pytest.raises(ArgumentError, match="not a measure"):
        parse(3)


def test_groups_and_families_expand_as_in_trec_eval():
    assert [name for name, _ in expand("P.5,10")] == ["P_5", "P_10"]
    assert len(expand("P")) == 9
    assert [str(measure) for _, measure in expand("official")][:4] == ["NumQ", "NumRet", "NumRel", "NumRelRet"]
    assert len(expand("all_trec")) == 98  # the 99 of trec_eval less runid, which is a word
    assert [name for name, _ in expand("set")][4:] == [
        *("utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F")
    ]
    assert [name for name, _ in expand("Rprec_mult.5.0,0.35")] == ["Rprec_mult_5.00", "Rprec_mult_0.35"]
    assert expand("relative_P.5") == [("relative_P_5", parse("RelativeP@5"))]
    assert expand("iprec_at_recall.0.25,.5") == [
        ("iprec_at_recall_0.25", parse("IPrec(recall=0.25)")),
        ("iprec_at_recall_0.50", parse("IPrec(recall=0.5)")),
    ]
    assert [name for name, _ in expand("iprec_at_recall")][::5] == [
        "iprec_at_recall_0.00",
        "iprec_at_recall_0.50",
        "iprec_at_recall_1.00",
    ]
    with pytest.raises(ArgumentError, match="between commas"):
        expand("P.5,x")
    with pytest.raises(ArgumentError, match=r"give shares between commas, as in iprec_at_recall\.0\.10,0\.20"):
        expand("iprec_at_recall.a")


def test_parameters_as_trec_eval_writes_them():
    assert expand("rbp.p=0.8") == [("rbp_p=0.8", parse("rbp")(p=0.8))]
    assert expand("ndcg.1=3,2=10") == [("ndcg_1=3,2=10", parse("nDCG(gain={1: 3, 2: 10, 'other': 'linear'})"))]
    assert expand("ndcg.0=-1")[0][1] == parse("nDCG(gain={0: -1, 'other': 'linear'}, negative='keep')")
    assert expand("G.1=3")[0][1] == parse("G(gain={1: 3, 'other': 'linear'})")
    assert expand("set_F.2") == [("set_F_2", parse("SetF(beta=2)"))]
    assert expand("utility.2,-1,0,0.5")[0][1] == parse("Utility(hit=2, rejected=0.5)")
    assert expand("11pt_avg..25,.5") == [("11pt_avg_.25,.5", parse("IPrec11(points=[0.25, 0.5])"))]
    with pytest.raises(ArgumentError, match="expected 4 numbers between commas"):
        expand("utility.1,2")
    assert expand("ndcg_cut.5") == [("ndcg_cut_5", parse("nDCG@5"))]
    for text, words in (("rbp.q=1", "no parameter 'q'"), ("ndcg.1=x", "cannot be read"), ("nothing.1=2", "is unknown")):
        with pytest.raises(ArgumentError, match=words):
            expand(text)


@pytest.mark.parametrize(
    "text",
    ["p=0.9, gain='linear', compat='trec_eval'", "recall=.5", "rel=2", "k=05", "a='x y'", "a=1,", "a=-1", "a=1, a=2"],
)
def test_simple_parameters_are_what_all_parameters_are(text):
    from poolwise.measures import registry

    simple = registry._simple_arguments(text)
    if simple is not None:
        written = registry._written_arguments(text, text)
        assert (simple, list(map(type, simple.values()))) == (written, list(map(type, written.values())))
    assert (simple is None) == (text in ("k=05", "a='x y'", "a=1,", "a=-1", "a=1, a=2"))


def test_a_name_can_be_taken_once_only():
    @pw.measure("OnlyOnce")
    def only_once(labels):
        """Nothing of use."""
        return 0.0

    with pytest.raises(ArgumentError, match="exists already"):
        pw.measure("OnlyOnce")(lambda labels: 0.0)


@pytest.mark.parametrize(
    ("nickname", "name"),
    [("mrr", "RR"), ("recall@100", "R@100"), ("hit@10", "Success@10"), ("hit_rate@10", "Success@10"),
     ("precision@5", "P@5"), ("success@5", "Success@5"), ("HR@10", "Success@10"), ("acc@20", "Success@20"),
     ("Prec@10", "P@10"), ("R-Prec", "Rprec"), ("r_precision", "Rprec"), ("mean_reciprocal_rank", "RR"),
     ("average_precision", "AP")],
)  # fmt: skip
def test_nicknames_of_engineers(nickname, name):
    assert str(parse(nickname)) == name
    assert expand(nickname) == [(nickname, parse(name))]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("ndcg_at_10", "nDCG@10"), ("recall_at_100", "R@100"), ("hit_rate_at_5", "Success@5"),  # MTEB
        ("accuracy@1", "Success@1"), ("R_cap@10", "RelativeP@10"), ("J@10", "Judged@10"),  # BEIR, TREC-COVID
        ("map@100-l2", "AP(rel=2)@100"), ("map-l3", "AP(rel=3)"), ("r-precision", "Rprec"),  # ranx
        ("ndcg_burges@10", "nDCG(gain='exp')@10"), ("dcg_burges@5", "DCG(gain='exp')@5"),
        ("MSnDCG@0010", "nDCG@10"), ("Hit@0005", "Success@5"),  # NTCIREVAL
        ("NumRet(rel=2)", "NumRelRet(rel=2)"), ("SetRelP", "SetRelativeP"), ("nDCG @ 10", "nDCG@10"),  # ir-measures
        ("P_IA@5", "P_IA@5"), ("coverage@20", "StRecall@20"), ("old_bpref", "bpref_old"),
        ("judged@10", "Judged@10"), ("INFNDCG", "infNDCG"), ("Ndcg'@5", "nDCG'@5"), ("p(rel=2)@5", "P(rel=2)@5"),
        ("nDCG(gain=exp)@10", "nDCG(gain='exp')@10"), ("nDCG(dcg=exp-log2)", "nDCG(gain='exp')"),
        ("RBP(p=.5, gain=linear)", "RBP(p=0.5, gain='linear')"),
    ],
)  # fmt: skip
def test_names_as_users_of_other_tools_write_them(theirs, ours):
    assert str(parse(theirs)) == ours
    assert expand(theirs) == [(theirs, parse(ours))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("runid", "is not here: it is a word"),
        ("relstring.20", "is not here: it is a word"),
        ("prefs_simp_ret", "preference and judgment-group formats"),
        ("map_avgjg", "preference and judgment-group formats"),
        ("INST", "cwl-eval"),
        ("nauc_ndcg_at_10_max", "MTEB"),
        ("rbp.95", "write for example RBP(p=0.95)"),
        ("Rbp", "did you mean"),  # RBP and rbp are two measures
        ("ndcg10", "did you mean ndcg@10?"),
        ("ndcg@10-l2", "nDCG takes labels as gains; name those that count"),
        ("foo_at_10", "measure 'foo@10' is unknown"),
        ("map_at_0", "from 1 to"),
    ],
)
def test_what_others_have_and_is_not_here_is_said(text, words):
    with pytest.raises(ArgumentError) as caught:
        parse(text).require()
    assert words in str(caught.value)


def test_several_cutoffs():
    assert [name for name, _ in expand("nDCG(gain='exp')@10,20")] == ["nDCG(gain='exp')@10", "nDCG(gain='exp')@20"]
    with pytest.raises(ArgumentError, match="cut-off"):
        expand("nDCG@10,x")


@pytest.mark.parametrize(
    ("text", "offered"), [("ndcg@10-l2", "nDCG(gain={2: 2, 3: 3})@10"), ("ndcg-l2", "nDCG(gain={2: 2, 3: 3})")]
)
def test_what_is_offered_for_a_level_keeps_the_cutoff(text, offered):
    with pytest.raises(ArgumentError) as caught:
        parse(text)
    assert str(caught.value).endswith(f"as in {offered}")
    assert str(parse(offered)) == offered
