"""`poolwise holes`: what it prints, the plans it writes, and what comes of them."""

from __future__ import annotations

import csv
import io
import json

import pytest

from poolwise.lab.simulate.drawing import simulate


@pytest.fixture
def old(tmp_path):
    """Judgments that four of six runs made."""
    campaign = simulate(runs=6, topics=12, depth=60, pool_depth=20, seed=4)
    campaign.write(tmp_path / "c")
    pool = campaign.pool()
    pool.judgments.sample("depth", depth=10, contributing=pool.runs[:4]).write(tmp_path / "old.txt")
    return tmp_path, pool


def test_runs_pairs_and_whose_word_it_is(poolwise, old):
    result = poolwise("holes", "old.txt", "c/runs", "-m", "P@10")
    assert result.code == 0
    assert "holes could turn" in result.out
    assert "a model's word, guaranteed by no draw" in result.out
    rows = list(csv.DictReader(io.StringIO(poolwise("holes", "old.txt", "c/runs", "--format", "csv").out)))
    assert [row["run"] for row in rows] == old[1].runs
    assert {row["judged@10"] for row in rows[:4]} == {"1.0"}
    assert float(rows[5]["lowest"]) <= float(rows[5]["model"]) <= float(rows[5]["highest"])


def test_a_list_that_settles_two_runs_is_a_plan_to_judge(poolwise, old):
    folder, pool = old
    found = json.loads(poolwise("holes", "old.txt", "c/runs", "-m", "P@10", "--format", "json").out)["pairs"]
    place = found["could_turn"].index(True)
    pair = (found["run_a"][place], found["run_b"][place])
    result = poolwise(
        "holes", "old.txt", "c/runs", "-m", "P@10", "--settle", *pair, "--plan", "plan.txt", "--format", "json"
    )
    assert result.code == 0
    settled = json.loads(result.out)["settle"]
    lines = [line.split() for line in (folder / "plan.txt").read_text().splitlines() if not line.startswith("#")]
    asked = {(topic, document) for topic, _, document, _, label in lines if label == "-1"}
    assert asked == set(zip(settled["topic"], settled["document"], strict=True))
    assert f"{len(asked)} document{'s' * (len(asked) != 1)} to judge" in result.err
    labels = [line for line in (folder / "c/qrels.txt").read_text().splitlines() if tuple(line.split()[:3:2]) in asked]
    (folder / "labels.txt").write_text("\n".join(labels) + "\n")
    merged = poolwise("merge", "plan.txt", "labels.txt", "-o", "judged.txt")
    assert merged.code == 0, merged.err
    estimated = poolwise("estimate", "judged.txt", "c/runs", "-m", "P@10", "--difference", *pair)
    assert estimated.code == 0, estimated.err
    low, high = (float(word) for word in estimated.out.split()[-3:-1])
    scores = dict(zip(pool.runs, pool.score("P@10").means()[:, 0], strict=True))
    assert low - 1e-4 <= scores[pair[0]] - scores[pair[1]] <= high + 1e-4


def test_a_budget_draws_from_the_holes(poolwise, old):
    folder = old[0]
    result = poolwise("holes", "old.txt", "c/runs", "-m", "P@10", "--budget", 24, "--plan", "plan.txt")
    assert result.code == 0, result.err
    known = {tuple(line.split()[:3:2]) for line in (folder / "old.txt").read_text().splitlines()}
    lines = [line.split() for line in (folder / "plan.txt").read_text().splitlines() if not line.startswith("#")]
    drawn = [(topic, document) for topic, round, document, _, label in lines if round == "2" and label == "-1"]
    assert len(drawn) == 24
    assert not set(drawn) & known


def test_a_page_with_figures(poolwise, old):
    assert poolwise("holes", "old.txt", "c/runs", "-o", "page.html").code == 0
    text = (old[0] / "page.html").read_text()
    for title in ("nDCG@10 with holes", "Runs and their holes", "Judged share", "Comparisons"):
        assert f"{title}</h2>" in text


@pytest.mark.parametrize("budget", ["0", "-3"])
def test_a_budget_of_nothing_is_called_so(poolwise, old, budget):
    result = poolwise("holes", "old.txt", "c/runs", "--budget", budget, "--plan", "plan.txt")
    assert (result.code, result.out) == (2, "")
    assert f"--budget {budget} draws nothing; give a number from 1 on" in result.err


def test_a_plan_needs_what_to_judge(poolwise, old):
    result = poolwise("holes", "old.txt", "c/runs", "--plan", "plan.txt")
    assert (result.code, "--settle" in result.err) == (2, True)
    result = poolwise("holes", "old.txt", "c/runs", "--budget", "20")
    assert (result.code, "--plan FILE" in result.err) == (2, True)


def test_without_holes_nothing_is_said_of_a_model(poolwise, tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "one.txt").write_text("1 Q0 a 1 2.0 one\n1 Q0 b 2 1.0 one\n")
    said = poolwise("holes", tmp_path / "qrels.txt", tmp_path / "one.txt", "-m", "P@2").out
    assert "no holes: all of the top 2 documents of the run are judged" in said
    assert "logit" not in said
    (tmp_path / "one.txt").write_text("1 Q0 a 1 2.0 one\n1 Q0 c 2 1.0 one\n")
    said = poolwise("holes", tmp_path / "qrels.txt", tmp_path / "one.txt", "-m", "AP").out
    assert "is not judged (one)." in said
    assert "AP looks below rank" in said


def test_what_stands_below_the_pool_is_told_without_holes_too(poolwise, tmp_path):
    simulate(runs=6, topics=8, depth=40, pool_depth=10, negative=0.0, seed=3).write(tmp_path)
    said = poolwise("holes", tmp_path / "qrels.txt", tmp_path / "runs", "-m", "AP").out
    assert said.startswith("no holes: all of the top 10 documents of 6 runs are judged.")
    assert "AP looks below rank 10 too" in said


def test_a_plan_of_what_is_settled_is_not_sent_to_estimate(poolwise, tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    for name, first in (("one", "a"), ("two", "b")):
        (tmp_path / f"{name}.txt").write_text(f"1 Q0 {first} 1 2.0 {name}\n1 Q0 c 2 1.0 {name}\n")
    paths = [tmp_path / name for name in ("qrels.txt", "one.txt", "two.txt")]
    result = poolwise("holes", *paths, "-m", "P@1", "--settle", "one", "two", "--plan", tmp_path / "plan.txt")
    assert "is settled" in result.out
    assert result.err.splitlines()[-1].endswith("plan.txt: nothing is left to judge")


def test_measures_by_any_of_their_names_and_several_at_once(poolwise, old):
    ours, theirs = (poolwise("holes", "old.txt", "c/runs", "-m", name).out for name in ("nDCG@10", "ndcg_cut.10"))
    assert ours == theirs
    two = poolwise("holes", "old.txt", "c/runs", "-m", "nDCG@10", "-m", "P@5")
    assert two.code == 0
    assert f"nDCG@10: {ours.splitlines()[0]}" == two.out.splitlines()[0]
    assert any(line.startswith("P@5: up to ") for line in two.out.splitlines())
    rows = list(
        csv.DictReader(io.StringIO(poolwise("holes", "old.txt", "c/runs", "-m", "P.5,10", "--format", "csv").out))
    )
    assert [row["measure"] for row in rows] == ["P@5"] * 6 + ["P@10"] * 6
    both = json.loads(poolwise("holes", "old.txt", "c/runs", "-m", "P.5,10", "--format", "json").out)
    assert [each["measure"] for each in both] == ["P@5", "P@10"]
    assert poolwise("holes", "old.txt", "c/runs", "-m", "P.5,10", "-o", "page.html").code == 0
    assert "Comparisons (P@5)</h2>" in (old[0] / "page.html").read_text()


def test_lists_are_settled_by_one_measure(poolwise, old):
    refused = poolwise("holes", "old.txt", "c/runs", "-m", "P.5,10", "--settle", "a", "b")
    assert (refused.code, "--settle and --plan go by one measure" in refused.err) == (2, True)


def test_lists_are_cut_alike(poolwise, old):
    deep, cut = (
        poolwise("holes", "old.txt", "c/runs", "-m", "AP", *more, "--format", "csv") for more in ((), ("-M", 5))
    )
    worthless = [[float(row["worthless"]) for row in csv.DictReader(io.StringIO(each.out))] for each in (deep, cut)]
    scored = poolwise("score", "old.txt", "c/runs", "-m", "AP", "-M", 5, "--format", "csv").out
    means = [float(row["value"]) for row in csv.DictReader(io.StringIO(scored)) if row["topic"] == "all"]
    assert worthless[1] == pytest.approx(means)
    assert worthless[0] != worthless[1]
