"""`--groups` of score, estimate, compare and reliability."""

from __future__ import annotations

import csv
import io
import itertools
import json

import pytest

from poolwise.campaign.campaign import read
from poolwise.comparisons.topic_groups import topic_groups
from poolwise.lab.simulate.drawing import simulate


@pytest.fixture
def grouped(tmp_path):
    simulate(runs=4, topics=12, depth=60, pool_depth=20, seed=4).write(tmp_path / "c")
    pool = read(tmp_path / "c/qrels.txt", str(tmp_path / "c/runs"))
    lines = [f"{topic} {'odd' if int(topic) % 2 else 'even'}" for topic in pool.topics]
    (tmp_path / "groups.txt").write_text("\n".join(lines) + "\n")
    return pool


@pytest.mark.parametrize("command", ["score", "estimate"])
def test_means_are_those_of_the_groups_topics(poolwise, grouped, command):
    result = poolwise(command, "c/qrels.txt", "c/runs", "-m", "P@10", "--groups", "groups.txt", "--format", "csv")
    assert result.code == 0, result.err
    rows = list(csv.DictReader(io.StringIO(result.out)))
    array = grouped.score("P@10").array("P@10")
    for row in rows:
        chosen = [int(topic) % 2 == (row["group"] == "odd") for topic in grouped.topics]
        assert float(row["mean"]) == pytest.approx(array[grouped.runs.index(row["run"])][chosen].mean())
        assert float(row["low"]) < float(row["mean"]) < float(row["high"])
    assert len(rows) == 8


def test_pairs_have_wins_losses_and_ties(poolwise, grouped):
    result = poolwise("compare", "c/qrels.txt", "c/runs", "-m", "P@10", "--groups", "groups.txt", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert len(rows) == 12
    assert all(int(row["wins"]) + int(row["losses"]) + int(row["ties"]) == int(row["topics"]) for row in rows)
    text = poolwise("compare", "c/qrels.txt", "c/runs", "-m", "P@10", "--groups", "groups.txt").out
    assert "on the group of topics (p " in text


def test_json_and_text_have_every_group_and_pair(poolwise, grouped):
    words = ("compare", "c/qrels.txt", "c/runs", "-m", "P@10", "-m", "AP", "--groups", "groups.txt")
    held = json.loads(poolwise(*words, "--format", "json").out)
    assert [each["measure"] for each in held] == ["P@10", "AP"]
    alone = topic_groups(grouped.score("AP"), {t: "odd" if int(t) % 2 else "even" for t in grouped.topics}, "AP")
    assert sorted(held[1]) == sorted(alone.to_dict())
    rows = {tuple(line.split()[:3]) for line in poolwise(*words).out.splitlines()}
    pairs = itertools.combinations(sorted(grouped.runs), 2)
    assert {(*pair, group) for pair in pairs for group in ("odd", "even")} <= rows


def test_reliability_has_a_row_per_group(poolwise, grouped):
    result = poolwise("reliability", "c/qrels.txt", "c/runs", "-m", "AP", "--groups", "groups.txt", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert [(row["group"], row["measure"]) for row in rows] == [("odd", "AP"), ("even", "AP")]
    assert "AP (odd)" in poolwise("reliability", "c/qrels.txt", "c/runs", "-m", "AP", "--groups", "groups.txt").out


def test_a_page_has_groups(poolwise, grouped, tmp_path):
    assert poolwise("score", "c/qrels.txt", "c/runs", "-m", "AP", "--groups", "groups.txt", "-o", "g.html").code == 0
    assert "Runs by AP and group" in (tmp_path / "g.html").read_text()


@pytest.mark.parametrize(
    ("command", "option"),
    [
        *(("estimate", each) for each in ("--difference all", "--steadied", "--looks l.json --end 30", "-q")),
        *(("score", each) for each in ("--interval topics", "-q")),
        *(("compare", each) for each in ("--baseline man01a", "--letters")),
    ],
)
def test_options_that_groups_do_not_know_are_refused(poolwise, grouped, command, option):
    asked = (command, "c/qrels.txt", "c/runs", "-m", "AP", "--groups", "groups.txt", *option.split())
    result = poolwise(*asked)
    assert result.code == 2
    assert f"takes no {option.split()[0]}; leave out one of the two" in result.err


def test_intervals_of_estimates_stay_on_the_scale(poolwise, grouped):
    drawn = ("--design", "uniform", "--fraction", "0.08", "--seed", "1", "-o", "sample.txt")
    assert poolwise("sample", "c/qrels.txt", "c/runs", *drawn).code == 0
    asked = ("estimate", "sample.txt", "c/runs", "-m", "AP", "--groups", "groups.txt", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(poolwise(*asked).out)))
    assert any(float(row["low"]) == 0.0 or float(row["high"]) == 1.0 for row in rows)
    assert all(0.0 <= float(row["low"]) <= float(row["mean"]) <= float(row["high"]) <= 1.0 for row in rows)
