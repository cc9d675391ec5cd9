"""Equality with pytrec_eval (trec_eval's code) and ir-measures, with ties and unjudged documents."""

from __future__ import annotations

import random

import ir_measures
import numpy as np
import pytest
import pytrec_eval
import ranx
from pyNTCIREVAL import metrics
from pyNTCIREVAL.labeler import Labeler

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate

pytestmark = pytest.mark.filterwarnings("ignore:.*lacks? topics:poolwise.errors.PoolwiseWarning")

# pytrec_eval's name, ours
TREC = {
    "map": "AP",
    "map_cut_100": "AP@100",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut_1000": "nDCG@1000",
    "P_5": "P@5",
    "P_1000": "P@1000",
    "recall_100": "R@100",
    "success_5": "Success@5",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "infAP": "infAP",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelRet",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
    "set_relative_P": "SetRelativeP",
    "relative_P_30": "RelativeP@30",
    "utility": "Utility",
    "Rprec_mult_0.20": "Rprec(times=0.2)",
    "Rprec_mult_1.80": "Rprec(times=1.8)",
    "binG": "binG",
    "G": "G",
    "ndcg_rel": "nDCGrel",
    "Rndcg": "RnDCG",
}

IR_MEASURES = [
    "AP(rel=2)@100",
    "nDCG(dcg='exp-log2')@10",
    "nDCG@20",
    "nDCG(gains={2: 7})",
    "nDCG(gains={0: 1, 1: 4})@10",
    "P(rel=2)@10",
    "R(rel=2)@50",
    "RR@10",
    "Rprec(rel=2)",
    "Bpref(rel=2)",
    "Judged@10",
    "Success@1",
    "AP(judged_only=True)",
    "nDCG(judged_only=True)@10",
]


@pytest.fixture(scope="module")
def pool():
    campaign = simulate(runs=6, topics=8, depth=150, pool_depth=20, seed=5, negative=0.0)
    qrels = campaign.qrels()
    for documents in qrels.values():  # every seventh is pooled, not judged
        for document in sorted(documents)[::7]:
            documents[document] = -1
    runs = {name: campaign.run(name) for name in campaign.runs}
    return qrels, runs, pw.read(qrels, runs)


# pytrec_eval is trec_eval 9, which makes a share of recall a number of documents in another way than 10.
BEFORE_10 = {
    f"iprec_at_recall_{recall}": f"IPrec(recall={recall}, compat='trec_eval9')" for recall in ("0.00", "0.30", "1.00")
}
BEFORE_10["11pt_avg"] = "IPrec11(compat='trec_eval9')"


@pytest.mark.parametrize("name", [*TREC, *BEFORE_10])
def test_equals_trec_eval(name, pool):
    qrels, runs, joined = pool
    measure = BEFORE_10.get(name, name)
    scores = joined.score(measure)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name.rpartition("_")[0] if name[-1].isdigit() else name})
    compared = 0
    for r, run in enumerate(joined.runs):
        for topic, theirs in evaluator.evaluate(runs[run]).items():
            ours = scores.array(measure)[r, joined.topics.index(topic)]
            assert ours == pytest.approx(theirs[name], abs=1e-12), (run, topic)
            compared += 1
    assert compared >= 40
    assert scores.measures == [str(pw.parse(measure if name in BEFORE_10 else TREC[name]))]


@pytest.mark.parametrize(("name", "ours"), [("gm_map", "GMAP"), ("gm_bpref", "GMbpref")])
def test_geometric_means_equal_trec_eval_s(name, ours, pool):
    qrels, runs, joined = pool
    scores = joined.score(name, missing="skip")
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name})
    for r, run in enumerate(joined.runs):
        logarithms = [values[name] for values in evaluator.evaluate(runs[run]).values()]
        expected = pytrec_eval.compute_aggregated_measure(name, logarithms)
        assert scores.means()[r, 0] == pytest.approx(expected, abs=1e-12)
        assert scores.means()[r, 0] < np.nanmean(scores.array(name)[r])  # topics left out are NaN
    assert scores.measures == [ours]


@pytest.mark.parametrize("name", ["map", "num_ret", "infAP", "ndcg", "bpref", "P_10", "num_rel_ret"])
def test_judged_only_is_trec_eval_without_unjudged_documents(name, pool):
    """trec_eval's -J removes unjudged documents from rankings before anything else."""
    qrels, runs, joined = pool
    measure = pw.parse(name)
    measure = measure.on_judged_only() if measure.declaration.judged_only else measure
    ours = joined.score(measure).array(measure)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name.rpartition("_")[0] if name[-1].isdigit() else name})
    for r, run in enumerate(joined.runs):
        kept = {
            topic: {document: score for document, score in ranking.items() if qrels[topic].get(document, -1) >= 0}
            for topic, ranking in runs[run].items()
        }
        for topic, theirs in evaluator.evaluate(kept).items():
            assert ours[r, joined.topics.index(topic)] == pytest.approx(theirs[name], abs=1e-12), (run, topic)


@pytest.mark.parametrize("name", IR_MEASURES)
def test_equals_ir_measures(name, pool):
    qrels, runs, _ = pool
    judged = {t: {d: label for d, label in documents.items() if label >= 0} for t, documents in qrels.items()}
    joined = pw.read(judged, runs)
    measure = ir_measures.parse_measure(name)
    ours = joined.score(name).array(name)
    compared = 0
    for r, run in enumerate(joined.runs):
        for result in ir_measures.iter_calc([measure], judged, runs[run]):
            value = ours[r, joined.topics.index(result.query_id)]
            digits = 5.1e-6 if "exp" in name else 1e-9  # gdeval, which ir-measures calls for it, prints five decimals
            assert value == pytest.approx(result.value, abs=digits), (run, result.query_id)
            compared += 1
    assert compared >= 40


def test_trec_eval_on_empty_and_degenerate_topics():
    qrels = {"1": {"a": 0, "b": 0}, "2": {"a": 1}, "3": {"a": 2, "b": -1, "c": 1}, "4": {"a": 1, "b": 1}}
    run = {"1": {"a": 1.0}, "2": {"z": 1.0, "y": 1.0}, "3": {"c": 1.0, "a": 1.0, "b": 1.0, "z": 2.0}, "4": {"b": 0.5}}
    names = ["map", "ndcg", "bpref", "infAP", "Rprec", "recip_rank", "P_10", "ndcg_cut_10"]
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "ndcg", "bpref", "infAP", "Rprec", "recip_rank", "P", "ndcg_cut"}
    ).evaluate(run)
    pool = pw.read(qrels, run)
    with pytest.warns(pw.PoolwiseWarning, match="1 of 4 topics has no document judged relevant"):
        scores = pool.score(*names)
    for name in names:
        for topic, values in theirs.items():
            assert scores.array(name)[0, pool.topics.index(topic)] == pytest.approx(values[name], abs=1e-12), (
                name,
                topic,
            )


NTCIREVAL = {
    "NCUguP": lambda levels, grades: metrics.NCUguP(levels, grades, grades),
    "NCUguBR": lambda levels, grades: metrics.NCUguBR(levels, grades, grades, 1.0),
    "NCUrbP": lambda levels, grades: metrics.NCUrbP(levels, grades, 0.95),
    "NCUrbBR": lambda levels, grades: metrics.NCUrbBR(levels, grades, 0.95, 1.0),
    "O-measure": lambda levels, grades: metrics.OMeasure(levels, grades, 1.0),
    "P-measure": lambda levels, grades: metrics.PMeasure(levels, grades, 1.0),
    "P+": lambda levels, grades: metrics.PPlusMeasure(levels, grades, 1.0),
    "RBP(p=0.95, gain='linear')": lambda levels, grades: metrics.RBP(levels, grades, 0.95),
}


@pytest.mark.parametrize("name", NTCIREVAL)
def test_equals_ntcireval_s(name, graded):
    labels, ranking = graded
    labeler = Labeler(labels)
    theirs = NTCIREVAL[name](labeler.compute_per_level_doc_num(4), [1, 2, 3])
    ours = pw.read({"1": labels}, {"1": {d: -float(at) for at, d in enumerate(ranking)}}).score(name)
    assert ours.means().item() == pytest.approx(theirs.compute(labeler.label(ranking)), abs=1e-12)


@pytest.mark.parametrize("cutoff", [3, 10, 1000])
def test_nerr_is_ntcireval_s_with_exponential_gains(cutoff, graded):
    labels, ranking = graded
    labeler = Labeler(labels)
    theirs = metrics.nERR(labeler.compute_per_level_doc_num(4), [1, 3, 7], cutoff).compute(labeler.label(ranking))
    ours = pw.read({"1": labels}, {"1": {d: -float(at) for at, d in enumerate(ranking)}}).score(f"nERR@{cutoff}")
    assert ours.means().item() == pytest.approx(theirs, abs=1e-12)


@pytest.fixture(params=range(5))
def graded(request):
    """Labels from 0 to 3, and a ranking that has some documents without one and lacks some with one."""
    draw = random.Random(request.param)
    labels = {f"d{number}": draw.choice([0, 0, 1, 2, 3]) for number in range(20)} | {"best": 3}
    return labels, draw.sample([*labels, *(f"u{number}" for number in range(8))], 22)


@pytest.mark.parametrize("parameters", ["p=0.95", "p=0.8", "p=0.9, normalize=False"])
def test_compatibility_equals_ir_measures_s(parameters, graded):
    labels, ranking = graded
    run = {"1": {d: float(100 - at) for at, d in enumerate(ranking)}}
    measure = ir_measures.parse_measure(f"Compat({parameters})")
    theirs = ir_measures.calc_aggregate([measure], {"1": labels}, run)[measure]
    name = f"Compat({parameters}, compat='ir_measures')"
    assert pw.read({"1": labels}, run).score(name).means().item() == pytest.approx(theirs, abs=1e-12)


def overlap_to_1000(ranking, ideal, p):
    """As the authors' program sums it: at each depth to 1000, whatever the lengths, the share of documents in both."""
    both = weights = 0.0
    for depth in range(1, 1001):
        both += p ** (depth - 1) * len({*ranking[:depth]} & {*ideal[:depth]}) / depth
        weights += p ** (depth - 1)
    return both / weights


@pytest.mark.parametrize("p", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("length", [0, 3, 22, 1100])
def test_compatibility_goes_down_to_rank_1000_as_its_authors_program_does(length, p, graded):
    labels, ranking = graded
    ranking = [*ranking, *(f"x{number}" for number in range(1100 - len(ranking)))]
    ranking = [*ranking[21:1050], *ranking[:21], *ranking[1050:]] if length == 1100 else ranking[: max(1, length)]
    relevant = [document for document, label in labels.items() if label > 0]
    at = {document: place for place, document in enumerate(ranking)}
    ideal = sorted(relevant, key=lambda document: (-labels[document], at.get(document, len(at))))
    raw, best = overlap_to_1000(ranking, ideal, p), overlap_to_1000(ideal, ideal, p)
    run = {"1": {d: -float(place) for d, place in at.items()}}
    scores = pw.read({"1": labels}, run).score(f"Compat(p={p})", f"Compat(p={p}, normalize=False)")
    assert scores.means()[0].tolist() == pytest.approx([raw / best, raw], abs=1e-12)


def test_compatibility_of_a_short_list_is_what_its_authors_program_says():
    """What their program prints for three documents, two of them relevant with one label, at p = 0.95."""
    pool = pw.read({"1": {"d0": 0, "d2": 2}}, {"1": {"d0": 3.0, "d1": 2.0, "d2": 1.0}})
    assert pool.score("Compat", "Compat(compat='ir_measures')").means()[0] == pytest.approx([0.5323, 0.1694], abs=5e-5)


def test_compatibility_by_hand():
    """Ideal a, b; ranking b, x, a. In common at depths 1 to 3: 0, 1, 2 of the ideal's 1, 2, 2."""
    pool = pw.read({"1": {"a": 2, "b": 1}}, {"1": {"b": 3.0, "x": 2.0, "a": 1.0}})
    weights = [1, 0.5, 0.25]
    found = 0 * weights[0] + 1 / 2 * weights[1] + 2 / 3 * weights[2]
    ideal = 1 * weights[0] + 2 / 2 * weights[1] + 2 / 3 * weights[2]
    ends = ("compat='ir_measures'", "compat='ir_measures', normalize=False")
    scores = pool.score(*(f"Compat(p=0.5, {end})" for end in ends)).means()[0]
    assert scores.tolist() == pytest.approx([found / ideal, found / sum(weights)], abs=1e-15)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", ["map", "map@10", "mrr@10", "precision@5", "recall@10", "hit_rate@3", "r-precision"])
def test_names_of_ranx_mean_what_ranx_says(name, level):
    """Also with its relevance levels, as in map@10-l2; on lists without ties."""
    drawn = random.Random(7)
    documents = [f"d{n}" for n in range(30)]
    qrels = {str(topic): {d: drawn.randint(1, 3) for d in drawn.sample(documents, 12)} for topic in range(5)}
    run = {topic: {d: drawn.random() for d in drawn.sample(documents, 20)} for topic in qrels}
    asked = f"{name}-l{level}"
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), asked)
    with pytest.warns(pw.PoolwiseWarning):
        assert pw.read(qrels, run).score(asked).means().item() == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", ["ndcg_burges@10", "dcg_burges@10", "dcg", "f1@10"])
def test_gains_of_ranx(name):
    qrels, run = {"1": {"a": 3, "b": 1, "c": 2}}, {"1": {"c": 4.0, "u": 3.0, "a": 2.0}}
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name)
    with pytest.warns(pw.PoolwiseWarning):
        assert pw.read(qrels, run).score(name).means().item() == pytest.approx(theirs, abs=1e-12)


def test_hits_and_holes_are_those_of_ranx_and_beir():
    """hits: relevant documents of the top k, averaged. hole: the share of the top k that is not judged."""
    qrels = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1}}
    run = {"1": {"a": 4.0, "u": 3.0, "c": 2.0}, "2": {"v": 2.0, "d": 1.0}}
    found = pw.read(qrels, run).score("hits@3", "hole@2", "R_cap@2", "NumRelRet").to_dict()["run"]
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "hits@3")
    assert found == {"Hits@3": theirs, "Unjudged@2": 0.5, "RelativeP@2": 0.75, "NumRelRet": 3.0}
