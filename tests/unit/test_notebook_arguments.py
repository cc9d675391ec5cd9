"""Arguments as notebooks give them: one name for a list, generators, numbers of numpy, and what is of no use."""

import io
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas
import pytest

import poolwise as pw

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def pool() -> pw.Campaign:
    return pw.simulate(runs=4, topics=8, depth=40, seed=3).pool()


@pytest.fixture(scope="module")
def sample(pool: pw.Campaign) -> pw.Judgments:
    return pool.judgments.sample("uniform", fraction=0.4, seed=1)


@pytest.fixture(scope="module")
def scores(pool: pw.Campaign) -> pw.Scores:
    return pool.score("AP", "nDCG@10")


def test_one_run_or_a_generator_of_runs_is_a_list(pool, sample, scores):
    a, b = pool.runs[:2]
    estimate = pool.estimate("AP", judgments=sample).to_dict()
    assert pool.estimate("AP", judgments=sample, runs=a).to_dict() == {a: estimate[a]}
    assert pool.estimate("AP", judgments=sample, runs=[a, b, a]).runs == [a, b]
    for test in ("t", "judgments"):
        expected = pool.compare("AP", test=test, judgments=sample, baseline=[a]).to_csv()
        assert pool.compare("AP", test=test, judgments=sample, baseline=(run for run in [a])).to_csv() == expected
    needed = pw.topics_needed(scores, "AP", difference=0.1, runs=[a, b])
    assert pw.topics_needed(scores, "AP", difference=0.1, runs=(run for run in (a, b))).to_dict() == needed.to_dict()


@pytest.mark.parametrize("steadied", [True, False, None])
def test_what_was_asked_for_and_not_done_is_said(pool, sample, steadied):
    found = pool.estimate("AP", judgments=sample, steadied=steadied)
    assert found.steadied is None  # of four runs
    assert any("not steadied" in note for note in found.notes()) == (steadied is True)


@pytest.mark.parametrize(
    "given", [["AP", "nDCG@10"], ("AP", "nDCG@10"), np.array(["AP", "nDCG@10"]), pandas.Series(["AP", "nDCG@10"])]
)
def test_lists_of_measures_are_measures(pool, sample, scores, given):
    assert (pool.score(given).means() == scores.means()).all()
    assert (pool.score(each for each in given).means() == scores.means()).all()
    estimate = pool.estimate("AP", "nDCG@10", judgments=sample)
    assert pool.estimate(given, judgments=sample).to_csv() == estimate.to_csv()


def test_one_measure_is_a_list_of_one(pool, tmp_path):
    fractions = [0.5, 1.0]
    expected = pw.study.robustness(pool, measures=["AP"], trials=1, fractions=fractions).to_frame("curve")
    found = pw.study.robustness(pool, measures=pw.AP, trials=1, fractions=fractions).to_frame("curve")
    pandas.testing.assert_frame_equal(found, expected)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n")
    streamed = pw.score_stream(tmp_path / "qrels.txt", tmp_path / "run.txt", measures="RR")
    assert streamed.to_dict() == {"run": {"RR": 0.5}}
    assert pw.report(pool, tmp_path / "pages", measures="AP").endswith("index.html")


def test_numbers_of_numpy_are_numbers(pool, sample):
    looks = pool.estimate("AP", judgments=sample, looks=pw.Looks(end=500)).looks
    assert pool.estimate("AP", judgments=sample, looks=pw.Looks(end=np.int64(500))).looks == looks
    qrels, runs = {"1": {"a": 1, "b": 0}}, {"mine": {"1": {"b": 2.0, "a": 1.0}}}
    assert pw.read(qrels, runs, unjudged=np.int64(0)).judgments.count() == 1


def test_a_generator_is_recorded_as_the_seed_that_was_used(scores):
    groups = {topic: "xy"[place % 2] for place, topic in enumerate(scores.topics)}
    found = pw.topic_groups(scores, groups, "AP", resamples=99, seed=np.random.default_rng(5))
    assert pw.topic_groups(scores, groups, "AP", resamples=99, seed=found.seed).to_dict() == found.to_dict()


@pytest.mark.parametrize("seed", [None, -1, "x", 1.5])
def test_seeds_that_are_none_are_refused(pool, scores, seed):
    labels = {topic: pool.judgments.of(topic) for topic in pool.topics}
    run = {topic: dict.fromkeys(own, 1.0) for topic, own in labels.items()}
    for ask in (
        lambda: pw.discriminative_power(scores, "AP", seed=seed),
        lambda: pw.assessor_effect({"ann": labels, "bob": labels}, {"a": run, "b": run}, seed=seed),
        lambda: pw.model_effect({"ann": labels, "bob": labels}, {"a": run, "b": run}, model="bob", seed=seed),
        lambda: pw.study.reusability(pool, depth=20, seed=seed),
    ):
        with pytest.raises(pw.ArgumentError, match=r"seed=.* must be a whole number from 0 on"):
            ask()


def test_one_share_is_a_series_of_one(pool):
    expected = pool.judgments.sample("uniform", fraction=0.1, seed=1)
    for share in (0.1, "0.1", [0.1], np.float32(0.1)):
        (found,) = pool.judgments.samples("uniform", fractions=share, seed=1)
        assert found.equals(expected)
    assert not expected.equals(5)


def test_topics_of_groups_may_be_numbers(scores):
    groups = {topic: "xy"[place % 2] for place, topic in enumerate(scores.topics)}
    numbered = {int(topic): group for topic, group in groups.items()}
    assert pw.topic_groups(scores, numbered, "AP").to_dict() == pw.topic_groups(scores, groups, "AP").to_dict()


def test_several_columns_of_predictions_are_a_list_or_a_text(pool, sample):
    draw = np.random.default_rng(1)
    rows = [(topic, document) for topic in pool.topics for document in pool.documents(topic)]
    table = pandas.DataFrame(rows, columns=["topic", "document"]).assign(gpt=draw.random(len(rows)))
    table["llama"] = draw.random(len(rows))
    listed, written = (
        pool.estimate("AP", judgments=sample, predictions=table, columns={"value": names}).to_csv()
        for names in (["gpt", "llama"], "gpt,llama")
    )
    assert listed == written


def test_rows_that_are_dicts_are_predictions(pool, sample):
    draw = np.random.default_rng(1)
    rows = [(topic, document, draw.random()) for topic in pool.topics for document in pool.documents(topic)]
    expected = pool.estimate("AP", judgments=sample, predictions=rows).to_csv()
    for value in ("value", "gpt"):
        records = [{"topic": topic, "document": document, value: number} for topic, document, number in rows]
        columns = None if value == "value" else {"value": value}
        assert pool.estimate("AP", judgments=sample, predictions=records, columns=columns).to_csv() == expected


def test_runs_by_name_whatever_holds_their_documents():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}}
    expected = pw.read(qrels, {"mine": run}).score("AP").to_dict()
    series, views = ({topic: kind(own) for topic, own in run.items()} for kind in (pandas.Series, MappingProxyType))
    for held in (series, views):
        assert pw.read(qrels, {"mine": held}).score("AP").to_dict() == expected
    as_series = {topic: pandas.Series(own) for topic, own in qrels.items()}
    assert pw.read(as_series, {"mine": run}).score("AP").to_dict() == expected
    with pytest.raises(pw.InputError, match="mine: topic '1': document 'a': score 'nan'"):
        pw.read(qrels, {"mine": {"1": pandas.Series({"b": 1.0, "a": float("nan")})}})
    assert pw.read(qrels, {"none": {}, "mine": run}, bad_runs="skip").score("AP").to_dict() == expected
    assert pw.read(qrels, {"1": {}, "2": {"c": 1.0}}).runs == ["run"]  # one run, whose first topic is empty


def test_labels_of_assessors_in_a_list(pool):
    first = {topic: pool.judgments.of(topic) for topic in pool.topics}
    second = {topic: {document: max(label, 0) for document, label in own.items()} for topic, own in first.items()}
    named = pw.label_agreement({"1": first, "2": second})
    assert pw.label_agreement([first, second]).to_csv() == named.to_csv()
    assert pw.label_agreement(labels for labels in (first, second)).to_csv() == named.to_csv()


def test_scores_of_arrays_have_names_of_their_own():
    values = [[0.1, 0.2, 0.4], [0.3, 0.1, 0.2]]
    numbered = pw.Scores.from_arrays([1, 2], [10, 20, 30], {"AP": values})
    assert (numbered.runs, numbered.topics) == (["1", "2"], ["10", "20", "30"])
    named = pw.Scores.from_arrays(["1", "2"], ["10", "20", "30"], {"AP": values})
    assert pw.compare(numbered, test="t", baseline="1").to_csv() == pw.compare(named, test="t", baseline="1").to_csv()


ITEMS = {"item": list("abcdef"), "score": [1, 2, 3, 1, None, None], "prediction": [1, 2, 3, 2, 2, 1]}
ONE = {"AP": [[0.1, 0.2]]}
LABELS = {"1": {"a": 1}}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda pool, scores: pool.estimate("AP", runs=[]), "runs names no run"),
        (lambda pool, scores: pool.estimate("AP", runs=5), "runs=5 must be a name"),
        (lambda pool, scores: pool.estimate("AP", looks=300), r"looks=300 are none; give poolwise.Looks\(end=300\)"),
        (lambda pool, scores: pw.Looks(end=None), "end=None: give a number of labels"),
        (lambda pool, scores: pw.compare(scores, "AP", baseline=0), "baseline=0 must be a name"),
        (lambda pool, scores: pool.compare("AP", test="judgments", baseline=0), "baseline=0 must be a name"),
        (lambda pool, scores: pw.error_rates(scores, "AP", sizes="24"), "sizes='24' must be a whole number"),
        (lambda pool, scores: pw.error_rates(scores, "AP", sizes=[2.7]), "sizes=2.7 must be a whole number"),
        (lambda pool, scores: pw.error_rates(scores, "AP", sizes=[]), "sizes names no number of topics"),
        (lambda pool, scores: pw.topic_groups(scores, None, "AP"), "a dict from topic to group"),
        (lambda pool, scores: pw.estimate_items(ITEMS, scale="15"), "scale='15' is not understood"),
        (lambda pool, scores: pw.estimate_items(ITEMS, share_from=float("nan")), "share_from=nan must be a number"),
        (lambda pool, scores: pw.estimate_items(ITEMS, share_from="2"), "share_from='2' must be a number"),
        (lambda pool, scores: pw.estimate_items(ITEMS, predictions=np.ones(6)), "predictions names columns"),
        (lambda pool, scores: pw.estimate_items(ITEMS, predictions=5), "predictions names columns"),
        (lambda pool, scores: pw.Scores.from_arrays(["a", "a"], ["1"], {"AP": [[1], [2]]}), "two runs are called 'a'"),
        (lambda pool, scores: pw.Scores.from_arrays(["a"], ["1", "1"], ONE), "two topics are called '1'"),
        (lambda pool, scores: pw.Scores.from_arrays(["a"], ["1", "2"], np.ones((1, 2))), "given by measure"),
        (lambda pool, scores: pw.Scores.from_arrays(["a"], ["1", "2"], ONE | {"RR": [[0.1]]}), r"of shape \(1, 1\)"),
        (lambda pool, scores: pw.Scores.from_arrays(["a"], ["1"], {"AP": [["x"]]}), "scores by AP must be numbers"),
        (lambda pool, scores: pw.Scores.from_csv(pandas.DataFrame()), "DataFrame found where a file is needed"),
        (lambda pool, scores: scores.to_csv(io.StringIO()), "StringIO found where a file is needed"),
        (lambda pool, scores: pool.judgments.write(5), "int found where a file is needed"),
        (lambda pool, scores: pw.report(pool, None), "NoneType found where a file is needed"),
        (lambda pool, scores: pw.Scores.from_frame("scores.csv"), "str is no data frame; Scores.from_csv reads files"),
        (lambda pool, scores: pw.Scores.from_frame({"run": ["a"]}), "dict is no data frame"),
        (lambda pool, scores: pool.estimate("AP", runs=pool.runs[1:], difference=pool.runs[:2]), "name it there too"),
        (lambda pool, scores: pw.Looks.read(None), "NoneType found where a file is needed"),
        (lambda pool, scores: pool.judgments.sample("depth", depth=5, contributing=3), "contributing=3 must be a list"),
        (lambda pool, scores: pw.load_measures(None), "NoneType found where a file is needed"),
        (lambda pool, scores: pw.define(5, "AP"), "5 cannot name a measure"),
        (lambda pool, scores: pw.read(LABELS, LABELS, columns=["topic"]), "must be a dict"),
        (lambda pool, scores: pw.read(LABELS, LABELS, columns={"topic": None}), "must be the name of a column"),
        (lambda pool, scores: pw.label_agreement(None), "NoneType are not by assessor"),
        (lambda pool, scores: pw.label_agreement(pandas.DataFrame({"topic": ["1"]})), "DataFrame are not by assessor"),
        (lambda pool, scores: pw.label_agreement({"a": LABELS, "b": LABELS}, rel="x"), "rel='x' must be a number"),
        (lambda pool, scores: pool.holes(groups=["a"]), "must be a dict from run to group"),
        (lambda pool, scores: pool.plan(budget=5, measure=None), "None is not a measure"),
        (lambda pool, scores: pw.rank_biased_overlap(["a", "b"], ["b", "a"]), "a must be numbers"),
        (lambda pool, scores: pw.knee("ab", "cd"), "fractions must be numbers"),
        (lambda pool, scores: pw.reliability(scores, "AP").phi("x"), "n must be numbers"),
        (lambda pool, scores: pw.audit(scores), "Scores found where runs and judgments are needed"),
        (lambda pool, scores: pw.report(scores, "pages"), "Scores found where runs and judgments are needed"),
        (lambda pool, scores: pw.optimal_discount([pool], 5), "list found where runs and judgments are needed"),
        (lambda pool, scores: pw.optimal_both(scores, 5), "Scores found where runs and judgments are needed"),
        (lambda pool, scores: pw.study.robustness(scores), "Scores found where runs and judgments are needed"),
        (lambda pool, scores: pw.study.gain_discount(None), "NoneType found where runs and judgments are needed"),
        (lambda pool, scores: pw.study.robustness(pool, fractions="a,b"), "fractions='a,b' are not shares"),
    ],
)
def test_what_is_of_no_use_is_refused_in_our_words(pool: Any, scores: Any, ask: Any, message: str):
    with pytest.raises(pw.ArgumentError, match=message):
        ask(pool, scores)


def test_groups_of_runs_that_are_not_here_are_refused(pool):
    with pytest.raises(pw.InputError, match="no run has a group"):
        pool.holes(groups={"other": "team"})
