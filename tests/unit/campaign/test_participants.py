"""What participants are told, counted from the rankings."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign

import poolwise as pw
from poolwise.campaign.participants import Participants


@pytest.fixture(scope="module")
def pool():
    return small_campaign(runs=7, topics=9, grades=2)


@pytest.fixture(scope="module")
def found(pool):
    return Participants(pool, pool.score("AP", "P@10"), 10)


def relevant_at(pool, run, topic, depth):
    number = pool.topics.index(topic)
    begin = pool.judgments.offsets[number]
    labels = dict(
        zip(pool.documents(topic), pool.judgments.labels[begin : pool.judgments.offsets[number + 1]], strict=False)
    )
    return {name for name in pool.ranking(run, topic)[:depth] if labels.get(name, 0) >= 1}


def test_found_and_found_alone_are_those_of_the_rankings(pool, found):
    number, alone = found.found
    for t, topic in enumerate(pool.topics):
        own = [relevant_at(pool, run, topic, 10) for run in pool.runs]
        assert number[:, t].tolist() == [len(names) for names in own]
        for r, names in enumerate(own):
            others = set().union(*(other for place, other in enumerate(own) if place != r))
            assert alone[r, t] == len(names - others)
    assert alone.sum() > 0


def test_ranks_share_places_and_count_from_one():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    lists = {"good": {"a": 2.0, "b": 1.0}, "same": {"a": 2.0, "c": 1.0}, "bad": {"b": 2.0, "a": 1.0}}
    pool = pw.read(qrels, {run: {"1": one, "2": one} for run, one in lists.items()})
    found = Participants(pool, pool.score("AP"), 10)
    assert found.ranks.tolist() == [1, 1, 3]
    assert found.topic_ranks.tolist() == [[1, 1], [1, 1], [3, 3]]


def test_topics_of_a_run_stand_against_median_and_best(pool, found):
    columns = found.topics_of(2)
    array = pool.score("AP").array("AP")
    assert columns["median"] == pytest.approx(np.median(array, axis=0).tolist())
    assert columns["best"] == pytest.approx(array.max(axis=0).tolist())
    assert columns["above_median"] == pytest.approx((array[2] - np.median(array, axis=0)).tolist())
    assert columns["holes"] == found.holes[2].tolist()


def test_the_others_are_compared_as_compare_does(pool, found):
    expected = pw.compare(pool.score("AP"), "AP")
    better = sum(
        int(significant and difference > 0)
        for significant, difference in zip(expected.significant, expected.difference, strict=True)
    )
    columns = found.run_columns()
    worse = int((expected.significant & (expected.difference < 0)).sum())
    assert sum(columns["better_than"]) == sum(columns["worse_than"]) == better + worse
    own = found.against(0)
    assert own["difference"] == pytest.approx([found.means[0] - mean for mean in own["AP"]])


def test_one_run_has_nobody_to_be_compared_with():
    pool = pw.read({"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}})
    found = Participants(pool, pool.score("AP"), 10)
    assert found.against(0) == {}
    assert "better_than" not in found.run_columns()


def test_only_topics_below_the_median_are_behind_it(pool, found):
    array = pool.score("AP").array("AP")
    for run in range(len(pool.runs)):
        behind = [
            topic
            for topic, own, middle in zip(pool.topics, array[run], np.median(array, axis=0), strict=True)
            if own < middle
        ]
        (said,) = [words for words in found.run_words(run) if "falls farthest behind" in words] or [""]
        named = said.rpartition("topics ")[2].rstrip(".").split(", ") if said else []
        assert len(named) == min(len(behind), 5)
        assert {*named} <= {*behind}


@pytest.mark.parametrize(("unjudged", "said"), [(0, False), (1, True)])
def test_nearly_complete_judgments_are_called_so_on_the_page(unjudged, said, tmp_path):
    labels = {f"d{rank:02}": -1 if rank < unjudged else int(rank % 3 == 0) for rank in range(40)}
    lists = {"one": {name: -float(place) for place, name in enumerate(labels)}, "two": dict.fromkeys(labels, 1.0)}
    pool = pw.read(dict.fromkeys("12", labels), {name: dict.fromkeys("12", own) for name, own in lists.items()})
    with pytest.warns(pw.PoolwiseWarning, match="only 2 topics"):
        pw.report(pool, tmp_path, measures=["P@20"])
    words = "78 of 80 pooled documents are judged: from 95\N{NO-BREAK SPACE}% on judgments are taken for complete"
    assert (words in (tmp_path / "index.html").read_text()) == said
