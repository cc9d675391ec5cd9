"""A campaign of some of its topics is the one that files with these topics alone would give."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.lab.study.conduct import digest
from poolwise.study import on_topics

LABELS = {
    "9": {"a": 1, "b": 0, "p": -1},
    "10": {"a": 2, "d": 0},
    "x-1": {"a": 1, "e": 0, "f": 1},
    "11": {"b": 1, "c": -2},
}
RUNS = {
    "one": {"9": {"z": 3.0, "a": 2.0, "b": 2.0}, "10": {"d": 1.0, "y": 1.0, "a": 0.5}, "11": {"w": 1.0, "b": 0.9}},
    "two": {"11": {"c": 2.0, "v": 2.0, "b": 2.0}, "x-1": {"u": 3.0, "f": 2.0}, "9": {"p": 1.0, "b": 0.5}},
}


def of_files(topics):
    labels = {topic: LABELS[topic] for topic in topics}
    return pw.read(labels, {run: {t: each for t, each in lists.items() if t in topics} for run, lists in RUNS.items()})


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize(
    ("asked", "topics"),
    [
        ("9-11", ["9", "10", "11"]),
        ("11, x-1", ["11", "x-1"]),
        (["9", "10-11"], ["9", "10", "11"]),
        (range(9, 11), ["9", "10"]),
        ("x-1,0-9,9", ["9", "x-1"]),
    ],
)
def test_is_what_files_of_these_topics_give(asked, topics):
    cut, read = on_topics(pw.read(LABELS, RUNS), asked), of_files(topics)
    assert cut.topics == read.topics == topics
    names = ["AP", "nDCG", "ERR", "bpref", "infAP", "RBP(gain='linear')", "rpref_N", "Judged@3", "NumRet"]
    assert np.array_equal(cut.score(*names).array("AP"), read.score(*names).array("AP"))
    assert cut.score(*names).to_dict() == read.score(*names).to_dict()
    assert cut.score("AP", ties="range").mean_low().tolist() == read.score("AP", ties="range").mean_low().tolist()
    assert cut.judgments.top == read.judgments.top
    assert cut.judgments.distinct_labels() == read.judgments.distinct_labels()
    assert [cut.documents(t) for t in topics] == [read.documents(t) for t in topics]
    for run in RUNS:
        for topic in set(topics) & set(RUNS[run]):
            assert cut.ranking(run, topic) == read.ranking(run, topic)
    samples = [pool.judgments.sample("uniform", fraction=0.5, seed=3).labels.tolist() for pool in (cut, read)]
    assert samples[0] == samples[1]


def test_all_topics_are_the_campaign_itself():
    pool = pw.simulate(runs=4, topics=6, depth=30, pool_depth=10, seed=2).pool()
    study, cut = (pw.study.robustness(one, trials=2, fractions=[0.3, 1]) for one in (pool, on_topics(pool, "101-106")))
    assert study.tables["curve"].columns == cut.tables["curve"].columns
    assert digest(on_topics(pool, "101-106")) == digest(on_topics(pool, pool.topics))
    assert digest(on_topics(pool, "101-105")) != digest(on_topics(pool, "102-106"))


@pytest.mark.parametrize("asked", ["12-40", "x", "9;10", "", "11-9", []])
def test_what_no_topic_is_called_is_refused(asked):
    with pytest.raises(pw.ArgumentError, match="in 303,601-650"):
        on_topics(pw.read(LABELS, RUNS), asked)


def test_a_run_without_any_of_them_is_refused():
    with pytest.raises(pw.InputError, match=r"two: no documents for the 1 topic chosen"):
        on_topics(pw.read(LABELS, RUNS), ["10"])
