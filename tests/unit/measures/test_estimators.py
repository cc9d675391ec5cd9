"""Estimators for stratified samples and the variance of infAP, against the literal twins."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.kit.strategies import scored_topics
from tests.twins import TWINS

import poolwise as pw
from poolwise.errors import PoolwiseWarning
from poolwise.measures.registry import parse
from poolwise.pool.judgments import POOLED
from poolwise.scores.intervals import with_variances

LABELS = (-2, 0, 1, 2, 3)
STRATA = {1: 0, 2: 3, 3: 1_000_000}  # any numbers do
MEASURES = [
    *("xinfAP", "xinfAP(rel=2)", "xinfAP(compat='sample_eval')", "infNDCG", "infNDCG@3", "infNDCG(gain='exp')"),
    *("infNDCG(gain='binary', rel=2)@5", "infNDCG(gain={1: 3, 2: 3, 3: 10})", "infNDCG(compat='sample_eval')"),
    *("infNDCG(gain={1: 3, 2: 3, 3: 10}, compat='sample_eval')@5", "infNDCG(rel=2)", "infAP", "infAP(rel=2)"),
    *("statAP", "statAP(rel=2)", "iP@1", "iP@5", "iP@100", "iP(rel=2)@5", "iP(compat='sample_eval')@5"),
]
quiet = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


def campaign_of(topic, scored):
    """A second topic shows the highest label."""
    rows = [("anchor", "a", max(LABELS), 0)]
    rows += [("t", each, topic.labels.get(each, -1), STRATA[topic.strata[each]]) for each in topic.strata]
    lines = [f"{name} 0 {document} {stratum} {label}" for name, document, label, stratum in rows]
    return lines, {"anchor": {"a": 1.0}, **({"t": scored} if scored else {})}


def twin_value(measure, topic):
    parameters = dict(measure.parameters)
    if isinstance(parameters.get("gain"), tuple):
        parameters["gain"] = dict(parameters["gain"])
    return TWINS[measure.name](topic, measure.cutoff, **parameters)


@pytest.mark.slow
@quiet
@settings(max_examples=150, deadline=None)
@given(scored_topics(LABELS, strata=3))
def test_stratified_estimators_equal_their_twins(tmp_path_factory, drawn):
    topic, scored = drawn
    lines, run = campaign_of(topic, scored)
    path = tmp_path_factory.mktemp("strata") / "qrels.txt"
    path.write_text("\n".join(lines) + "\n")
    pool = pw.read(path, {"run": run})
    if "t" not in pool.topics:
        return
    scores = pool.score(*MEASURES)
    for measure in map(parse, MEASURES):
        expected = twin_value(measure, topic) if scored else 0.0
        assert scores.array(measure)[0, pool.topics.index("t")] == pytest.approx(expected, abs=1e-12), measure


@pytest.mark.slow
@quiet
@settings(max_examples=150, deadline=None)
@given(scored_topics(LABELS))
def test_variance_equals_its_twin(drawn):
    topic, scored = drawn
    labels = {**topic.labels, **dict.fromkeys(topic.pooled, -1)}
    if not labels or not scored:
        return
    pool = pw.read({"anchor": {"a": 3}, "t": labels}, {"run": {"anchor": {"a": 1.0}, "t": scored}})
    for dependent in (False, True):
        for rel in (1, 2):
            measure = parse(f"infAP(rel={rel})")
            values, variances = with_variances(pool, [measure], [pool.judgments], 1, dependent)
            expected = TWINS["infAP_variance"](topic, rel=rel, dependent=dependent)
            assert variances[0, 0, 0, pool.topics.index("t")] == pytest.approx(expected, abs=1e-13)
            assert values[0, 0, 0, pool.topics.index("t")] == pytest.approx(TWINS["infAP"](topic, rel=rel), abs=1e-12)


@pytest.mark.slow
@quiet
@settings(max_examples=100, deadline=None)
@given(scored_topics(LABELS, strata=3))
def test_variance_of_statAP_equals_its_twin(tmp_path_factory, drawn):
    topic, scored = drawn
    lines, run = campaign_of(topic, scored)
    path = tmp_path_factory.mktemp("strata") / "qrels.txt"
    path.write_text("\n".join(lines) + "\n")
    pool = pw.read(path, {"run": run})
    if "t" not in pool.topics or not scored:
        return
    for rel in (1, 2):
        _, variances = with_variances(pool, [parse(f"statAP(rel={rel})")], [pool.judgments], 1)
        expected = TWINS["statAP_variance"](topic, rel=rel)
        assert variances[0, 0, 0, pool.topics.index("t")] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@quiet
def test_statAP_is_unbiased_over_all_samples():
    """Over every way to judge 3 of 5 and 2 of 4 documents, sums of precisions and numbers of relevant ones are "
    "right."""
    truth = {"a": 1, "b": 0, "c": 1, "d": 1, "e": 0, "f": 1, "g": 0, "h": 1, "i": 0}
    order = {name: float(-place) for place, name in enumerate("cfaibxhe")}  # x is outside the pool, d and g not found
    strata = np.array([0] * 5 + [1] * 4, dtype=np.int32)
    pool = pw.read({"t": truth}, {"run": {"t": order}})
    weight = np.where(strata == 0, 5 / 3, 4 / 2)
    sums, numbers = [], []
    for first in combinations(range(5), 3):
        for second in combinations(range(5, 9), 2):
            labels = np.full(9, POOLED, dtype=np.int32)
            chosen = [*first, *second]
            labels[chosen] = pool.judgments.labels[chosen]
            numbers.append(weight[chosen] @ (labels[chosen] == 1))
            score = pool.score("statAP", judgments=pw.Judgments(pool, labels, strata=strata)).array("statAP")[0, 0]
            sums.append(score * numbers[-1])
    assert np.mean(numbers) == pytest.approx(5)
    assert np.mean(sums) == pytest.approx(5 * pool.score("AP").array("AP")[0, 0])


@quiet
def test_variance_of_statAP_is_that_of_many_samples():
    pool = simulated(documents=300)
    scores, variances = [], []
    for trial in range(300):
        drawn = pool.judgments.sample("uniform", fraction=0.4, trial=trial)
        value, variance = with_variances(pool, [parse("statAP")], [drawn], 1)
        scores.append(value[0, 0])
        variances.append(variance[0, 0])
    seen = np.var(scores, axis=0, ddof=1)
    assert np.mean(variances) / seen.mean() == pytest.approx(1, abs=0.12)
    error = np.mean(scores, axis=0) - pool.score("AP").array("AP")
    assert np.abs(error.mean()) < 0.01  # a ratio is biased by the order of one over the relevant ones judged


def simulated(seed=5, topics=6, documents=80, runs=4):
    """Complete judgments of simulated topics, and runs that find relevant documents first more or less."""
    draw = np.random.default_rng(seed)
    qrels, rankings = {}, {f"run{number}": {} for number in range(runs)}
    for topic in map(str, range(1, topics + 1)):
        labels = draw.choice([0, 0, 0, 0, 1, 2], size=documents)
        qrels[topic] = {f"d{number:03d}": int(label) for number, label in enumerate(labels)}
        for skill, ranking in enumerate(rankings.values()):
            scores = labels * skill / 2 + draw.normal(size=documents)
            found = draw.permutation(documents)[: documents - 10]
            ranking[topic] = {f"d{number:03d}": float(scores[number]) for number in found}
            ranking[topic] |= {f"outside{number}": float(draw.normal()) for number in range(15)}
    return pw.read(qrels, rankings)


def sample(pool, share, seed, strata=None):
    draw = np.random.default_rng(seed)
    labels = np.where(draw.random(len(pool.judgments.labels)) < share, pool.judgments.labels, POOLED)
    return pw.Judgments(pool, labels.astype(np.int32), strata=strata)


@quiet
def test_complete_judgments_give_what_is_estimated():
    pool = simulated()
    strata = np.arange(len(pool.judgments.labels), dtype=np.int32) % 3
    complete = pw.Judgments(pool, pool.judgments.labels, strata=strata)
    pairs = {"xinfAP": "AP", "infAP": "AP", "infNDCG": "nDCG@1000", "infNDCG(gain='exp')@20": "nDCG(gain='exp')@20"}
    pairs |= {"iP@10": "P@10", "iP(rel=2)@50": "P(rel=2)@50"}
    for estimator, measure in pairs.items():
        estimated = pool.score(estimator, judgments=complete).array(estimator)
        tolerance = 1e-12 if estimator.startswith("infNDCG") else 2e-5  # the smoothing of 1e-5
        assert estimated == pytest.approx(pool.score(measure).array(measure), abs=tolerance)


@quiet
def test_one_stratum_gives_infAP():
    pool = simulated()
    plain = sample(pool, 0.3, 1)
    one = pw.Judgments(pool, plain.labels, strata=np.full(len(plain.labels), 9, dtype=np.int32))
    for given_judgments in (plain, one):
        scores = pool.score("xinfAP", "infAP", judgments=given_judgments)
        assert scores.array("xinfAP") == pytest.approx(scores.array("infAP"), abs=1e-14)


@quiet
def test_many_samples_may_have_different_strata():
    pool = simulated()
    size = len(pool.judgments.labels)
    strata = [None, np.arange(size) % 2, np.arange(size) % 5 * 7]
    sets = [sample(pool, 0.4, number, each) for number, each in enumerate(strata)]
    together = pool.score("xinfAP", "infNDCG", "iP@10", judgments=sets, threads=2)
    for number, each in enumerate(sets):
        alone = pool.score("xinfAP", "infNDCG", "iP@10", judgments=each, threads=1)
        for measure in alone.measures:
            assert (together.array(measure)[number] == alone.array(measure)).all()


@quiet
def test_documents_outside_the_pool_are_in_no_stratum():
    qrels = {"1": {"a": 1, "b": -1, "c": 0, "d": 1}}
    pool = pw.read(qrels, {"run": {"1": {"b": 4.0, "x": 3.0, "a": 2.0, "c": 1.0}}})
    strata = np.asarray([1, 2, 2, 1], dtype=np.int32)
    # a at rank 3: itself, and of b's stratum nothing is judged above, so half of b is relevant; d is not retrieved.
    value = pool.score("xinfAP", judgments=pw.Judgments(pool, pool.judgments.labels, strata=strata)).array("xinfAP")
    assert value[0, 0] == pytest.approx((1 / 3 + 0.5 / 3) / 2, abs=1e-12)


def test_a_stratum_without_a_judged_document_adds_nothing_and_is_named(tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 a 5 1\n1 0 b 5 0\n1 0 c 8 -1\n2 0 a 8 -1\n2 0 b 9 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 c 1 3 x\n1 Q0 a 2 2 x\n2 Q0 b 1 1 x\n")
    pool = pw.read(tmp_path / "qrels.txt", tmp_path / "run.txt")
    with pytest.warns(PoolwiseWarning, match=r"2 strata .* stratum 8 of topic 1, stratum 8 of topic 2") as caught:
        scores = pool.score("xinfAP", "infNDCG")
    assert str(caught[0].message) in scores.warnings
    assert scores.array("infNDCG")[0, 0] == pytest.approx((1 / np.log2(3)) / 1.0)  # c adds nothing
    assert not any("strata" in message for message in pool.score("AP").warnings)


def test_infAP_on_strata_is_warned_of():
    pool = simulated()
    stratified = sample(pool, 0.5, 1, np.arange(len(pool.judgments.labels)) % 2)
    with pytest.warns(PoolwiseWarning, match="infAP takes judgments for a uniform sample"):
        pool.score("infAP", judgments=stratified)
    assert not any("uniform" in message for message in pool.score("xinfAP", judgments=stratified).warnings)
    assert not any("uniform" in message for message in pool.score("infAP", judgments=sample(pool, 0.5, 1)).warnings)


@quiet
def test_threads_do_not_matter():
    pool = simulated()
    sets = [sample(pool, 0.3, number, np.arange(len(pool.judgments.labels)) % 3) for number in range(5)]
    one, three = (pool.score("xinfAP", "infNDCG", "iP@7", judgments=sets, threads=n) for n in (1, 3))
    assert all((one.array(measure) == three.array(measure)).all() for measure in one.measures)
