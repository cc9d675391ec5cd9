"""Scores as a wide table and as a figure."""

from __future__ import annotations

import pytest

import poolwise as pw

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUNS = {
    "low": {"1": {"b": 2.0, "a": 1.0}, "2": {"d": 1.0}},
    "high": {"1": {"a": 2.0}, "2": {"c": 1.0}},
}


@pytest.fixture
def scores():
    return pw.read(QRELS, RUNS).score("AP", "P@1", interval="topics")


def test_means_are_a_wide_table_best_first(scores):
    table = scores.means_frame()
    assert list(table.columns) == ["run", "AP", "AP low", "AP high", "P@1", "P@1 low", "P@1 high"]
    assert table["run"].tolist() == ["high", "low"]
    assert table["AP"].tolist() == [1.0, 0.25]
    assert (table["AP low"] <= table["AP"]).all()


def test_many_samples_have_no_one_table():
    pool = pw.read(QRELS, RUNS)
    with pytest.raises(pw.ArgumentError, match="2 samples"):
        pool.score("AP", judgments=[pool.judgments, pool.judgments]).means_frame()


def test_runs_are_drawn_with_their_intervals(scores):
    figure = scores.plot("P_1")
    (trace,) = figure.data
    assert list(trace.x) == ["high", "low"]
    assert list(trace.y) == [1.0, 0.0]
    ends = scores.mean_high()[[1, 0], 1]
    assert list(trace.error_y.array) == pytest.approx(list(ends - [1.0, 0.0]))
    assert figure.layout.title.text == "Runs by P@1"
    with pytest.raises(pw.ArgumentError, match="was not scored"):
        scores.plot("RR")


def test_runs_without_intervals_are_bars():
    figure = pw.read(QRELS, RUNS).score("AP").plot()
    assert figure.data[0].type == "bar"
    assert list(figure.data[0].y) == [1.0, 0.25]


def test_comparisons_reliability_and_studies_are_drawn(tmp_path):
    from poolwise.lab.simulate.drawing import simulate

    pool = simulate(runs=6, topics=10, depth=30, pool_depth=10, seed=1).pool()
    scores = pool.score("AP")
    matrix = pw.compare(scores, "AP", test="t").plot()
    assert (matrix.data[0].type, len(matrix.data[0].x)) == ("heatmap", 6)
    assert {trace.name for trace in pw.reliability(scores, "AP").plot().data if trace.name} == {"Phi", "E ρ²"}
    study = pw.study.robustness(pool, measures=["AP"], trials=2, fractions=[0.5, 1.0])
    assert study.plot().layout.title.text == next(iter(study.figures.values())).title
    with pytest.raises(pw.ArgumentError, match="no figure 'pie'"):
        study.plot("pie")


def test_measures_may_be_listed_and_have_several_cutoffs():
    pool = pw.read(QRELS, RUNS)
    assert pool.score(["AP", "RR"], "P@1,2").measures == ["AP", "RR", "P@1", "P@2"]
    with pytest.raises(pw.ArgumentError, match="no measure was given"):
        pool.score([])
