"""Scores: shapes, means, output, tables; scoring options."""

from __future__ import annotations

import json

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import ArgumentError, InputError
from poolwise.pool.judgments import POOLED

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUNS = {"one": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"d": 1.0, "a": 0.5}}, "two": {"1": {"c": 1.0}}}


@pytest.fixture
def pool():
    return pw.read(QRELS, RUNS)


def test_shapes_and_means(pool):
    with pytest.warns(pw.PoolwiseWarning, match="1 of 2 runs lacks topics"):
        scores = pool.score("AP", pw.P @ 2, "num_ret")
    assert scores.runs == ["one", "two"]
    assert scores.topics == ["1", "2"]
    assert scores.measures == ["AP", "P@2", "NumRet"]
    assert scores.array("map").tolist() == [[0.5, 1.0], [0.5, 0.0]]
    assert scores.means().tolist() == [[0.75, 0.5, 5.0], [0.25, 0.25, 1.0]]
    assert scores.to_dict()["two"] == {"AP": 0.25, "P@2": 0.25, "NumRet": 1.0}
    assert any("lacks topics" in warning for warning in scores.warnings)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_missing_topics_can_be_skipped(pool):
    scores = pool.score("AP", "NumRel", missing="skip")
    assert scores.means()[1].tolist() == [0.5, 2.0]
    assert [row[2] for row in scores.rows() if row[:2] == ("two", "AP")] == ["1", "all"]
    assert len(scores.to_frame()) == 6
    assert pool.score("NumRel").means()[1].tolist() == [3.0]  # trec_eval -c counts them


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_output_formats(pool):
    scores = pool.score("AP", "P@2")
    lines = scores.to_csv(per_topic=True).splitlines()
    assert lines[0] == "run,measure,topic,value"
    assert lines[1:4] == ["one,AP,1,0.5", "one,AP,2,1.0", "one,AP,all,0.75"]
    for backend in ("pandas", "polars", "pyarrow"):
        frame = scores.to_frame(backend)
        assert frame.shape == (8, 4)
    assert list(scores.to_frame().columns) == ["run", "measure", "topic", "value"]
    assert "<td>0.7500</td>" in scores._repr_html_()
    assert repr(scores) == "<Scores: 2 runs x 2 topics x 2 measures>"
    with pytest.raises(ArgumentError, match="choose one of"):
        scores.to_frame("excel")


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_many_judgments_at_once(pool):
    hidden = pool.judgments.labels.copy()
    hidden[0] = POOLED
    sample = pw.Judgments(pool, hidden)
    scores = pool.score("AP", "AP'", judgments=[pool.judgments, sample])
    assert scores.array("AP").shape == (2, 2, 2)
    assert (scores.array("AP")[0] == pool.score("AP").array("AP")).all()
    assert (scores.array("AP'")[1] == pool.score("AP'", judgments=sample).array("AP'")).all()
    assert scores.means().shape == (2, 2, 2)
    assert scores.to_frame().shape == (16, 5)


def test_wrong_arguments(pool):
    with pytest.raises(ArgumentError, match="no measure was given"):
        pool.score()
    with pytest.raises(ArgumentError, match="missing='drop'"):
        pool.score("AP", missing="drop")
    with pytest.raises(ArgumentError, match="judgments of this pool"):
        pool.score("AP", judgments=pw.read(QRELS, RUNS).judgments)
    with pytest.raises(ArgumentError, match="was not scored"), pytest.warns(pw.PoolwiseWarning):
        pool.score("AP").array("RR")
    with pytest.raises(ArgumentError, match="top=1 is lower than label 2"):
        pool.score("ERR(top=1)@10")


def test_top_comes_from_the_complete_judgments(pool):
    hidden = np.where(pool.judgments.labels == 2, POOLED, pool.judgments.labels)
    sample = pw.Judgments(pool, hidden.astype("int32"))
    assert sample.top == 2
    with pytest.warns(pw.PoolwiseWarning):
        assert pool.score("ERR@10", judgments=sample).array("ERR@10")[0, 0] == 0.25


def test_from_csv(tmp_path):
    def scores(text):
        (tmp_path / "t.csv").write_text(text)
        return pw.Scores.from_csv(tmp_path / "t.csv")

    plain = scores("a,b\n0.1,0.2\n0.3,0.4\n")
    assert plain.topics == ["1", "2"]
    assert plain.measures == ["score"]
    assert plain.array("score").tolist() == [[0.1, 0.3], [0.2, 0.4]]
    assert scores("topic,a,b\n7,0.1,0.2\n").topics == ["7"]
    assert scores('"",a,b\nx,0.1,0.2\n').topics == ["x"]
    assert scores("id,a,b\nq1,0.1,0.2\n").runs == ["a", "b"]
    assert np.isnan(scores("a,b\n0.1,\n").array("score")[1, 0])
    for text, words in [
        ("a,b\n0.1\n", "t.csv:2: 1 cell found; the header has 2"),
        ("a,b\n0.1,x\n", "t.csv:2: score 'x' is not a number"),
        ("a,a\n0.1,0.2\n", "two columns are called 'a'"),
        ("a,b\n", "at least one line of scores"),
    ]:
        with pytest.raises(InputError, match=words):
            scores(text)


def test_own_measure_works_like_a_built_in():
    @pw.measure("ShareRelevant", unjudged="count as non-relevant")
    def share_relevant(labels, judged, rel=1, weight=1.0):
        """share of the judged relevant documents that were retrieved"""
        return weight * np.sum(labels >= rel) / max(1, np.sum(judged >= rel))

    pool = pw.read(QRELS, {"one": RUNS["one"]})
    scores = pool.score("ShareRelevant", "R@1000", share_relevant(rel=2) @ 1, "ShareRelevant'@2", "AP")
    assert (scores.array("ShareRelevant") == scores.array("R@1000")).all()
    assert str(share_relevant(rel=2) @ 1) == "ShareRelevant(rel=2)@1"
    assert scores.array("ShareRelevant(rel=2)@1").tolist() == [[0.0, 0.0]]
    assert scores.array("AP").tolist() == [[0.5, 1.0]]

    @pw.measure("Broken")
    def broken(labels):
        """not a number"""
        return float("nan")

    with pytest.raises(ArgumentError, match="Broken returned nan for run 'one', topic '1'"):
        pool.score("Broken")
    with pytest.raises(ArgumentError, match="use a number or a text"):
        pw.measure("Worse")(lambda labels, choice=(1, 2): 0.0)
    assert json.dumps(scores.to_dict())


def test_one_is_said_in_the_singular():
    pool = pw.read({"1": {"a": 1}, "2": {"a": 0}}, {"mine": {"1": {"a": 1.0}}})
    assert repr(pw.read({"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}})) == "<Campaign: 1 run, 1 topic>"
    with pytest.warns(pw.PoolwiseWarning) as caught:
        pool.score("AP")
    said = [str(each.message) for each in caught]
    assert said[0] == "1 of 1 run lacks topics (1 list in all; mine lacks 2) and scores 0 there"
    assert said[1].startswith("1 of 2 topics has no document judged relevant (label 1 or more) and scores 0: 2")
