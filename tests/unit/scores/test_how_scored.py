"""Sentences on how scores were computed follow from what was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign

import poolwise as pw
from poolwise.scores.scores_shown import how_scored, scores_table

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def pool():
    return small_campaign(runs=3, topics=5)


def test_unjudged_documents_by_measure(pool):
    said = " ".join(how_scored(pool.score("AP", "nDCG'", "bpref", "infAP", "Judged@10")))
    assert "count as non-relevant in AP; are left out in nDCG', bpref; are estimated in infAP" in said
    assert f"of 3 runs on 5 topics, computed by poolwise {pw.__version__}." in said


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "Topics that a run lacks score 0."),
        ({"missing": "skip"}, "Topics that a run lacks are left out of its mean."),
        ({}, "ordered by their ids, descending, as by trec_eval."),
        ({"ties": "expected"}, "means over all orders of documents that have one score."),
        ({"ties": "range"}, "the lowest and highest score over all orders of them."),
        (
            {"interval": "topics", "seed": 7, "resamples": 500, "level": 0.9},
            "are 90 % intervals over topics (500 resamples, seed 7).",
        ),
        ({"interval": "bounds"}, "are the range that unjudged documents leave open."),
    ],
)
def test_settings_are_said(pool, settings, words):
    assert words in " ".join(how_scored(pool.score("AP", **settings)))


def test_scores_from_elsewhere_say_what_is_known(tmp_path):
    (tmp_path / "scores.csv").write_text("topic,a,b\n1,0.5,0.25\n2,0.5,0.75\n")
    assert how_scored(pw.Scores.from_csv(tmp_path / "scores.csv")) == ["score of 2 runs on 2 topics."]


def test_means_stand_from_best_to_worst_by_the_first_measure_and_topics_in_the_order_of_runs():
    values = {
        "AP": np.array([[0.1, 0.3], [0.5, 0.7], [0.4, 0.2]]),
        "RR": np.array([[1.0, 1.0], [0.2, 0.2], [0.5, 0.1]]),
    }
    scores = pw.Scores.from_arrays(["a", "b", "c"], ["1", "2"], values)
    columns = scores_table(scores).columns
    assert columns["run"] == ["b", "c", "a"]
    topics = scores_table(scores, per_topic=True).columns
    assert [*zip(topics["run"], topics["topic"], strict=True)] == [
        (run, topic) for run in "abc" for topic in ("1", "2", "all")
    ]
