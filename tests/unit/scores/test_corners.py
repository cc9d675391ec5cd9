"""Corners that other tests pass by: texts as parameters, labels by rule, views of pools and scores, progress."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import poolwise as pw
from poolwise.measures.registry import REGISTRY, expand

QRELS = {"1": {"a": 1, "b": 0, "c": -2}, "2": {"a": -1, "d": 1}}
RUNS = {
    "one": {"1": {"c": 3.0, "a": 2.0, "b": 1.0}, "2": {"d": 2.0, "a": 1.0}},
    "two": {"1": {"b": 1.0}, "2": {"d": 1.0}},
}


@pytest.fixture
def forgotten():
    """Measures that a test declares are gone afterwards."""
    before = set(REGISTRY)
    yield
    for name in set(REGISTRY) - before:
        del REGISTRY[name]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("name", ["ERR", "nERR@3", "RBP(gain='linear')", "RBP(gain='exp')", "rpref_N"])
def test_the_highest_label_may_be_below_1(name):
    """By default the highest label is the highest in the judgments, as it is when it is given as a number."""
    labels, run = {"a": 0.9, "b": 0.3, "c": 0.5, "d": 0.0}, {"1": {"b": 4.0, "d": 3.0, "a": 2.0, "x": 1.0}}
    pool = pw.read({"1": labels}, {"run": run})
    values = pool.score(name, pw.parse(name)(top=0.9), pw.parse(name)(top=1)).means()[0]
    assert values[0] == values[1] != values[2]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_err_of_decimal_labels_by_hand():
    pool = pw.read({"1": {"a": 0.9, "b": 0.3}}, {"run": {"1": {"b": 3.0, "x": 2.0, "a": 1.0}}})
    stops = [(2**0.3 - 1) / 2**0.9, (2**0.9 - 1) / 2**0.9]
    assert pool.score("ERR").means().item() == pytest.approx(stops[0] + (1 - stops[0]) * stops[1] / 3, abs=1e-15)


@pytest.mark.usefixtures("forgotten")
def test_a_text_may_be_a_parameter_of_one_s_own_measure():
    @pw.measure("Side")
    def side(labels, end="first"):
        return float(labels[0 if end == "first" else -1] == 1)

    pool = pw.read({"1": {"a": 1, "b": 0}}, {"run": {"1": {"a": 2.0, "b": 1.0}}})
    assert pool.score("Side", "Side(end='last')").means().tolist() == [[1.0, 0.0]]
    assert str(side(end="last")) == "Side(end='last')"
    with pytest.raises(pw.ArgumentError, match=r"Side: end=5 is not allowed; end is a text"):
        side(end=5)


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("returned", [None, "high", [1.0, 2.0]])
def test_one_s_own_measure_must_return_a_number(returned):
    pw.measure("Odd")(lambda labels: returned)
    with pytest.raises(pw.ArgumentError, match=r"Odd returned .* a measure returns a finite number"):
        pw.read({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}}).score("Odd")


@pytest.mark.parametrize(
    ("rule", "judged"), [(-1, [1.0, 0.5, 1.0, 1.0]), (None, [1.0, 1.0, 1.0, 1.0]), ("negative", [2 / 3, 0.5, 1.0, 1.0])]
)
def test_labels_that_mean_not_judged(rule, judged):
    scores = pw.read(QRELS, RUNS, unjudged=rule).score("Judged@3")
    assert scores.array("Judged@3").ravel().tolist() == pytest.approx(judged)


def test_objects_expand_to_themselves():
    assert expand(pw.nDCG @ 10) == [("nDCG@10", pw.nDCG @ 10)]


def test_views():
    pool = pw.read(QRELS, RUNS)
    assert repr(pool) == "<Campaign: 2 runs, 2 topics>"
    many = pool.score("AP", judgments=[pool.judgments] * 3)
    assert "<td>one</td><td>0.7500</td>" in many._repr_html_()  # the mean of the samples
    assert "3 samples x 2 runs x 2 topics x 1 measure" in many._repr_html_()
    assert many.number_of_topics == 2


def test_progress_counts_the_files(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("1 Q0 a 1 2 x\n")
    seen: list[tuple[int, int]] = []
    pw.read({"1": {"a": 1}}, tmp_path, threads=1, progress=lambda done, every: seen.append((done, every)))
    assert seen == [(4, 5), (5, 5)]


def test_scores_of_a_simulated_campaign_are_those_of_its_runs():
    campaign = pw.simulate(runs=2, topics=2, depth=5, seed=1)
    shown = campaign.scores
    assert shown.shape == (2, 2, 5)
    for r, name in enumerate(campaign.runs):
        for t, ranking in enumerate(campaign.run(name).values()):
            assert sorted(ranking.values(), reverse=True) == pytest.approx(shown[r, t][np.isfinite(shown[r, t])])


@pytest.mark.parametrize("text", ["AP(rel=1e999)", "nDCG(gain={1e999: 1})", "AP@" + "9" * 5000, "nDCG@4294967296"])
def test_numbers_without_bounds_are_refused_in_words(text):
    with pytest.raises(
        pw.ArgumentError, match=r"is not allowed|the cut-off must be a whole number from 1 to 2147483647"
    ):
        pw.read(QRELS, RUNS).score(text)


def test_cut_offs_may_be_numbers_of_numpy():
    assert pw.nDCG @ np.int64(10) == pw.nDCG @ 10
    assert type((pw.nDCG @ np.int32(10)).cutoff) is int
    for cutoff in (True, 2.0, np.float64(2), "10"):
        with pytest.raises(pw.ArgumentError, match="the cut-off must be a whole number"):
            pw.nDCG @ cutoff


def test_scores_are_pickled_and_copied():
    pool = pw.read(QRELS, {"one": RUNS["one"], "two": {"1": RUNS["two"]["1"]}})
    for scores in (pool.score("AP", "P@2"), pool.score("AP", missing="skip"), pool.score("AP", interval="bounds")):
        for copied in (pickle.loads(pickle.dumps(scores)), copy.deepcopy(scores)):
            assert list(copied.all_rows(True)) == list(scores.all_rows(True))
            assert (copied.means() == scores.means()).all()
            assert np.array_equal(copied.array("AP"), scores.array("AP"), equal_nan=True)


@pytest.mark.parametrize("judgments", ["x", [1], [None], [QRELS]])
def test_what_are_no_judgments_of_the_pool_is_refused(judgments):
    with pytest.raises(pw.ArgumentError, match="judgments of this pool are needed"):
        pw.read(QRELS, RUNS).score("AP", judgments=judgments)


@pytest.mark.parametrize("seed", [-1, "x", 1.5, None, True, 2**64])
def test_seeds_are_whole_numbers_or_generators(seed):
    pool, table = pw.read(QRELS, RUNS), np.random.default_rng(1).random((4, 12))
    for ask in (
        lambda: pool.score("AP", interval="topics", seed=seed),
        lambda: pw.reliability(table, seed=seed),
        lambda: pw.compare(table, seed=seed),
    ):
        with pytest.raises(pw.ArgumentError, match="must be a whole number from 0 on, or a numpy Generator"):
            ask()


@pytest.mark.parametrize("value", ["x", [0.5]])
def test_a_frame_with_words_for_scores_says_where(value):
    import pandas

    frame = pandas.DataFrame({"run": ["a", "a"], "topic": ["1", "2"], "value": [0.5, value]})
    with pytest.raises(pw.InputError, match=r"scores:3: score .* is not a number"):
        pw.Scores.from_frame(frame)
