"""`poolwise sample`: real files, exit codes and messages."""

from __future__ import annotations

import pytest
from tests.kit.campaign_files import CAMPAIGN, words_of


def test_a_uniform_sample_is_written_and_scored(poolwise, files):
    result = poolwise("sample", "qrels.txt", "runs", "--design", "uniform", "--fraction", "0.1", "-o", "s.txt")
    assert (result.code, result.err) == (0, "")
    assert result.out == "s.txt: 12 judged of 120 pooled documents (10.0 %), uniform, seed 0\n"
    rows = words_of(files / "s.txt")
    assert len(rows) == 120
    assert all(len(row) == 4 and row[1] == "0" for row in rows)
    assert sum(row[3] != "-1" for row in rows) == 12
    assert all(row[3] in ("-1", str(CAMPAIGN.truth[row[0]][row[2]])) for row in rows)
    scored = poolwise("score", "s.txt", "runs", "-m", "infAP", "--format", "csv")
    assert scored.code == 0
    assert len(scored.out.splitlines()) == 4
    assert sorted(path.name for path in files.iterdir()) == ["qrels.txt", "runs", "s.txt"]


def test_the_same_seed_writes_the_same_file(poolwise, files):
    words = ("sample", "qrels.txt", "runs", "--design", "reduce", "--fraction", "20%", "--rounding", "down")
    once, again, other, trial = (
        poolwise(*words, "--seed", seed, "--trial", number) for seed, number in ((3, 0), (3, 0), (4, 0), (3, 1))
    )
    assert once.code == 0
    assert once.out == again.out
    assert len({once.out, other.out, trial.out}) == 3


def test_strata_make_five_columns(poolwise, files):
    (files / "contributing.txt").write_text("run0\nruns/run2.txt\n\n")
    result = poolwise(
        "sample", "qrels.txt", "runs", "--design", "depth_plus_random", "--depth", 3,
        "--contributing", "contributing.txt", "-o", "s.txt",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")
    rows = words_of(files / "s.txt")
    assert all(len(row) == 5 for row in rows)
    judged = [row for row in rows if row[4] != "-1"]
    assert all((row[1] == "1") == (row[4] != "-1") for row in rows)
    assert sum(row[3] == "1" for row in judged) == sum(row[3] == "2" for row in judged)
    tops = {
        (topic, name)
        for run in ("run0", "run2")
        for topic, own in CAMPAIGN.runs[run].items()
        for name in sorted(own, key=own.__getitem__, reverse=True)[:3]
    }
    assert {(row[0], row[2]) for row in rows if row[3] == "1"} == tops


def test_stratified_by_rates_and_by_budget(poolwise, files):
    words = ("sample", "qrels.txt", "runs", "--design", "stratified", "--edges", "5,15")
    by_rates = poolwise(*words, "--rates", "1,0.5,0.1")
    rows = [line.split() for line in by_rates.out.splitlines()]
    assert all(row[4] != "-1" for row in rows if row[3] == "1")
    by_budget = poolwise(*words, "--budget", 30, "--weights", "3,1,1", "-o", "s.txt")
    assert by_budget.out.startswith("s.txt: 30 judged of 120 pooled documents (25.0 %)")


def test_pair_takes_the_two_runs_given(poolwise, files):
    pair = ("sample", "qrels.txt", "runs/run0.txt", "runs/run1.txt", "--design", "pair", "--fraction", "1")
    named = ("sample", "qrels.txt", "runs", "--design", "pair", "--pair", "run0", "run1", "--fraction", "1")
    assert poolwise(*pair).out == poolwise(*named).out != ""
    missing = poolwise("sample", "qrels.txt", "runs", "--design", "pair", "--fraction", "1")
    assert missing.code == 2
    assert "design 'pair' needs runs" in missing.err


def test_without_runs_and_groups(poolwise, files):
    (files / "groups.txt").write_text("run0 ours\nrun1 ours\nrun2 theirs\n")
    words = ("sample", "qrels.txt", "runs", "--design", "without", "--depth", 10)
    by_name = poolwise(*words, "--without", "run0", "--without", "run1")
    by_group = poolwise(*words, "--without", "ours", "--groups", "groups.txt")
    assert by_name.code == 0
    assert by_name.out == by_group.out
    assert len(by_name.out.splitlines()) < 120


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--design", "uniform"), 2, "design 'uniform' needs fraction; give for example fraction=0.1"),
        (("--design", "uniform", "--fraction", "10"), 2, "fraction='10' is not between 0 and 1; write ten percent as"),
        (("--design", "uniform", "--fraction", "x"), 2, "fraction='x' is not a number"),
        (("--design", "uniform", "--depth", "3"), 2, "design 'uniform' has no setting 'depth'; it takes fraction"),
        (("--design", "magic"), 2, "choose one of reduce, uniform, depth"),
        (("--design", "stratified", "--edges", "5,x"), 2, "--edges '5,x': give whole numbers separated by commas"),
        (("--design", "depth", "--depth", "3", "--contributing", "no.txt"), 1, "no.txt: no such file; check the path"),
        (("--design", "depth", "--depth", "3", "--contributing", "bad.txt"), 1, "bad.txt:2: no run is called 'nobody'"),
        (("--design", "depth", "--depth", "3", "--contributing", "empty.txt"), 1, "empty.txt: no run found"),
        (
            ("--design", "without", "--without", "ours", "--groups", "bad.txt"),
            1,
            "found; every line needs run and group",
        ),
        (("--design", "without", "--without", "ours"), 2, "no run is called 'ours'"),
        (
            ("--design", "uniform", "--fraction", "0.1", "-o", "no/s.txt"),
            1,
            "no/s.txt: there is no folder no; make it first",
        ),
        (("--design", "uniform", "--fraction", "0.1", "--seed", "-1"), 2, "seed=-1 must be a whole number from 0 on"),
    ],
)
def test_what_is_wrong_is_said(poolwise, files, words, code, message):
    (files / "bad.txt").write_text("run0\nnobody\n")
    (files / "empty.txt").write_text("\n")
    result = poolwise("sample", "qrels.txt", "runs", *words)
    assert result.code == code
    assert message in result.err
    assert result.out == ""
    assert "Traceback" not in result.err


def test_a_missing_design_and_missing_runs_are_usage_errors(poolwise, files):
    assert poolwise("sample", "qrels.txt", "runs").code == 2
    assert poolwise("sample", "qrels.txt", "--design", "uniform", "--fraction", "0.1").code == 2
    help_text = poolwise("sample", "--help")
    assert help_text.code == 0
    assert "poolwise sample qrels.txt runs/ --design depth_plus_random" in help_text.out


def test_the_reserved_label_is_kept(poolwise, files):
    (files / "signed.txt").write_text("1 0 d001 -1\n1 0 d002 1\n1 0 d003 -9\n1 0 d004 0\n")
    words = ("sample", "signed.txt", "runs", "--design", "uniform", "--fraction")
    kept = poolwise(*words, "0.5", "--unjudged", "-9")
    assert {line.split()[3] for line in kept.out.splitlines()} <= {"-9", "-1", "0", "1"}
    assert "-9" in kept.out
    refused = poolwise(*words, "1", "--unjudged", "none")
    assert refused.code == 2
    assert "label -1 is a label of these judgments" in refused.err
