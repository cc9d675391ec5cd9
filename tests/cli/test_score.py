"""`poolwise score`: formats, options, habits of trec_eval, starting fast."""

from __future__ import annotations

import gzip
import json

import pytest

from poolwise.comparisons.significance_tests import TESTS
from poolwise.lab.simulate.drawing import simulate


def test_trec_format_of_one_run(poolwise, small):
    result = poolwise("score", "qrels.txt", "runs/one.txt", "-m", "map", "-m", "P.1,2", "-m", "num_ret")
    assert result.code == 0
    assert result.out.splitlines() == [
        "map                   \tall\t0.7500",
        "P_1                   \tall\t1.0000",
        "P_2                   \tall\t0.5000",
        "num_ret               \tall\t5",
    ]
    assert result.err == (
        "poolwise: note: part of all that was retrieved is not judged and counts as non-relevant: 20 % for one "
        "(their labels could make AP 0.7500 to 0.7778)\n"
    )


def test_several_runs_get_a_column_and_topics_with_q(poolwise, small):
    result = poolwise("score", "qrels.txt", "runs", "-m", "AP", "-q")
    assert result.out.splitlines() == [
        "one\tAP                    \t1\t0.5000",
        "one\tAP                    \t2\t1.0000",
        "one\tAP                    \tall\t0.7500",
        "two\tAP                    \t1\t0.5000",
        "two\tAP                    \t2\t0.5000",
        "two\tAP                    \tall\t0.5000",
    ]


def test_csv_json_parquet_and_table(poolwise, small):
    csv = poolwise("score", "qrels.txt", "runs", "-m", "map", "--format", "csv").out
    assert csv == "run,measure,topic,value\none,AP,all,0.75\ntwo,AP,all,0.5\n"
    assert poolwise("score", "qrels.txt", "runs", "-m", "map", "-o", "scores.csv").out == ""
    assert (small / "scores.csv").read_text() == csv
    rows = json.loads(poolwise("score", "qrels.txt", "runs", "-m", "AP", "--format", "json").out)
    assert rows[1] == {"run": "two", "measure": "AP", "topic": "all", "value": 0.5}
    assert poolwise("score", "qrels.txt", "runs", "-m", "AP", "-o", "scores.parquet").code == 0
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(small / "scores.parquet").to_pylist() == rows
    table = poolwise("score", "qrels.txt", "runs", "-m", "AP", "--format", "table").out
    assert table.splitlines()[1:] == ["run      AP", "-----------", "one  0.7500", "two  0.5000"]
    refused = poolwise("score", "qrels.txt", "runs", "--format", "parquet")
    assert (refused.code, refused.err) == (2, "poolwise: --format parquet needs -o FILE\n")


def test_default_measures(poolwise, small):
    lines = poolwise("score", "qrels.txt", "runs/one.txt").out.splitlines()
    assert [line.split()[0] for line in lines] == ["AP", "nDCG", "nDCG@10", "bpref", "P@10", "Judged@10"]


def test_habits_of_trec_eval(poolwise, small):
    def value(*options):
        return poolwise("score", "qrels.txt", "runs/one.txt", "-m", "map", *options).out.split()[-1]

    assert value("-c") == "0.7500"
    assert value("-l", "2") == "0.0000"
    assert value("-M", "1") == "0.7500"
    assert (
        poolwise("score", "-J", "qrels.txt", "runs/one.txt", "-m", "num_ret", "-m", "P_3").out.split()[-1] == "0.3333"
    )


def test_judged_only_reaches_counts_and_infap_and_says_what_it_leaves(poolwise, small):
    (small / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 d 1\n")
    (small / "run.txt").write_text("".join(f"1 Q0 {name} 0 {-rank} x\n" for rank, name in enumerate("zyba")))
    whole, judged = (
        poolwise("score", *option, "qrels.txt", "run.txt", "-q", "-m", "num_ret", "-m", "infAP", "-m", "Judged@2")
        for option in ([], ["-J"])
    )
    assert "num_ret               \t1\t4\n" in whole.out
    rows = {tuple(line.split()[:2]): line.split()[-1] for line in judged.out.splitlines()}
    assert rows["num_ret", "1"] == "2"
    assert rows["infAP", "1"] == "0.5000"  # a follows b alone
    assert rows["Judged@2", "1"] == "0.0000"
    assert "-J leaves Judged@2 on full lists" in judged.err
    assert "-J" not in whole.err


def test_what_speaks_of_all_topics_has_no_row_per_topic_as_in_trec_eval(poolwise, small):
    measures = ("-m", "num_q", "-m", "gm_map", "-m", "gm_bpref", "-m", "num_ret")
    printed = poolwise("score", "qrels.txt", "runs/one.txt", "-q", *measures).out.splitlines()
    topics = {line.split()[0]: [] for line in printed}
    for line in printed:
        topics[line.split()[0]].append(line.split()[1])
    assert topics["num_q"] == topics["gm_map"] == topics["gm_bpref"] == ["all"]
    assert len(topics["num_ret"]) > 1
    table = poolwise("score", "qrels.txt", "runs/one.txt", "-q", *measures, "--format", "csv").out
    assert table.count("GMAP") == len(topics["num_ret"])


def test_unjudged_label_and_missing_topics(poolwise, small):
    (small / "qrels.txt").write_text("1 0 a 1\n1 0 b -1\n2 0 d 1\n3 0 e 1\n")
    judged = poolwise("score", "qrels.txt", "runs/one.txt", "-m", "Judged@2", "-q", "--unjudged", "none")
    assert judged.out.splitlines()[0].split()[-1] == "1.0000"
    hidden = poolwise("score", "qrels.txt", "runs/one.txt", "-m", "Judged@2", "-q", "--unjudged", "-1")
    assert hidden.out.splitlines()[0].split()[-1] == "0.5000"
    assert hidden.err == "poolwise: note: 1 of 1 run lacks topics (1 list in all; one lacks 3) and scores 0 there\n"
    skipped = poolwise("score", "qrels.txt", "runs/one.txt", "-m", "AP", "--missing", "skip")
    assert skipped.out.split()[-1] == "1.0000"


def test_standard_input_and_compressed_files(process, small):
    text = (small / "runs" / "one.txt").read_bytes()
    plain = process("score", "qrels.txt", "runs/one.txt", "-m", "AP")
    assert process("score", "qrels.txt", "-", "-m", "AP", stdin=text).out == plain.out
    assert process("score", "qrels.txt", "-", "-m", "AP", stdin=gzip.compress(text)).out == plain.out
    (small / "one.txt.gz").write_bytes(gzip.compress(text))
    assert (
        process("score", "qrels.txt", "one.txt.gz", "-m", "AP", "--format", "csv")
        .out.splitlines()[1]
        .startswith("one,")
    )


def test_runs_from_a_list_and_by_glob(poolwise, small):
    (small / "list.txt").write_text("runs/two.run\n\nruns/one.txt\n")
    listed = poolwise("score", "qrels.txt", "--runs-from", "list.txt", "-m", "AP").out
    assert [line.split()[0] for line in listed.splitlines()] == ["two", "one"]
    assert poolwise("score", "qrels.txt", "runs/*.run", "-m", "AP").out == "AP                    \tall\t0.5000\n"


def test_plugin(poolwise, small):
    (small / "mine.py").write_text(
        "import poolwise\n\n@poolwise.measure('First')\ndef first(labels, rel=1):\n"
        "    'whether the first document is relevant'\n    return float(labels[0] >= rel)\n"
    )
    result = poolwise("score", "qrels.txt", "runs/two.run", "-m", "First(rel=2)", "--plugin", "mine:first", "-q")
    assert [line.split()[-1] for line in result.out.splitlines()] == ["1.0000", "0.0000", "0.5000"]
    assert poolwise("score", "qrels.txt", "runs/two.run", "--plugin", "mine:nothing").code == 2
    nameless = poolwise("score", "qrels.txt", "runs/two.run", "--plugin", "mine")
    assert nameless.code == 2
    assert "name the measure as well as its module, as in mine:Mine" in nameless.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["score", "qrels.txt", "runs", "-m", "nDGC"], 2, "did you mean nDCG"),
        (["score", "nowhere.txt", "runs"], 1, "nowhere.txt: no such file"),
        (["score", "qrels.txt"], 2, "no run was given"),
        (["score", "qrels.txt", "runs", "--unjudged", "maybe"], 2, "give a label, negative or none"),
        (["score", "qrels.txt", "runs", "--threads", "0"], 2, "threads=0"),
        (["frobnicate"], 2, "no command 'frobnicate'"),
        (["score", "qrels.txt", "runs", "-o", "no/such/folder/x.csv"], 1, "there is no folder no/such/folder"),
    ],
)
def test_errors_have_a_code_and_no_traceback(poolwise, small, arguments, code, words):
    result = poolwise(*arguments)
    assert result.code == code
    assert words in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


def test_help_and_version(poolwise):
    assert poolwise("--version").out.startswith("poolwise 0.")
    assert "usage: poolwise COMMAND" in poolwise("--help").out
    assert poolwise().code == 2
    for command in ("score", "check", "compare", "reliability", "measures", "simulate", "demo"):
        shown = poolwise(command, "--help")
        assert shown.code == 0
        assert f"example:\n  poolwise {command}" in shown.out


@pytest.mark.parametrize("extra", [[], ["-q", "--format", "csv"], ["-m", "nDCG(gain='exp')'@10"]])
def test_score_loads_no_heavy_library(small, extra):
    import subprocess
    import sys

    command = [sys.executable, "-X", "importtime", "-m", "poolwise", "score", "qrels.txt", "runs", *extra]
    finished = subprocess.run(command, capture_output=True, cwd=small, text=True)
    assert finished.returncode == 0
    loaded = {line.split("|")[-1].strip() for line in finished.stderr.splitlines() if line.startswith("import time:")}
    assert "poolwise._core" in loaded
    heavy = {
        "numpy",
        "scipy",
        "pandas",
        "polars",
        "pyarrow",
        "dataclasses",
        "inspect",
        "rich",
        "jinja2",
        "pickle",
        "plotly",
        "typing",
        "threading",
        "concurrent.futures",
        "distributed",
    }
    assert not heavy & loaded


@pytest.mark.parametrize(
    "command",
    [
        ["compare"],
        ["compare", "-m", "AP", "-m", "P@10", "--baseline", "one", "--correction", "bh", "--format", "csv"],
        *(["compare", "--test", name] for name in TESTS),
        ["estimate", "-m", "AP", "-m", "RR"],
    ],
    ids=" ".join,
)
def test_comparisons_and_estimates_do_without_scipy(small, command):
    import subprocess
    import sys

    name, *extra = command
    called = [sys.executable, "-X", "importtime", "-m", "poolwise", name, "qrels.txt", "runs", *extra]
    finished = subprocess.run(called, capture_output=True, cwd=small, text=True)
    assert finished.returncode == 0
    loaded = {line.split("|")[-1].strip() for line in finished.stderr.splitlines() if line.startswith("import time:")}
    assert "numpy" in loaded
    assert not [module for module in loaded if module.split(".")[0] == "scipy"]


def test_the_tests_are_listed_without_numpy(small):
    import subprocess
    import sys

    called = [sys.executable, "-X", "importtime", "-m", "poolwise", "compare", "--help"]
    finished = subprocess.run(called, capture_output=True, cwd=small, text=True)
    assert finished.returncode == 0
    assert "sign: how many topics each run wins" in " ".join(finished.stdout.split())
    assert "numpy" not in finished.stderr


def test_defined_measures(poolwise, small):
    (small / "mine.json").write_text('{"halves": "nDCG(discount=[1, 0.5])@2"}')
    typed = poolwise("score", "qrels.txt", "runs/one.txt", "-m", "halves", "--define", "mine.json")
    written = poolwise("score", "qrels.txt", "runs/one.txt", "-m", "nDCG(discount=[1, 0.5])@2")
    assert typed.out.split() == ["halves", *written.out.split()[-2:]]


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_bad_runs_are_left_out_and_said(poolwise, small, stream):
    (small / "runs" / "bad.txt").write_text("1 Q0 a 1 3 x\n2 Q0 d 1 nan x\n")
    words = ["score", "qrels.txt", "runs", "-m", "AP", *stream]
    refused = poolwise(*words)
    assert (refused.code, refused.out) == (1, "")
    left = poolwise(*words, "--bad-runs", "skip")
    assert left.code == 3
    assert left.out == "one\tAP                    \tall\t0.7500\ntwo\tAP                    \tall\t0.5000\n"
    assert "poolwise: note: run 'bad' is left out: runs/bad.txt:2: score 'nan' cannot be ranked" in left.err
    last = poolwise(*words, "--nan", "last")
    assert last.code == 0
    assert "bad\tAP" in last.out
    assert "poolwise: note: 1 score that is NaN ranked last, in 1 of 3 runs\n" in last.err


@pytest.mark.parametrize("command", ["check", "compare", "sample"])
def test_other_commands_leave_bad_runs_out_too(poolwise, small, command):
    (small / "runs" / "bad.txt").write_text("none\n")
    more = {
        "sample": ["--design", "uniform", "--fraction", "0.5", "-o", "s.txt"],
        "compare": ["-m", "AP", "--test", "t"],
    }
    words = [command, "qrels.txt", "runs", *more.get(command, [])]
    assert poolwise(*words).code == (3 if command == "check" else 1)  # which goes on by itself
    left = poolwise(*words, "--bad-runs", "skip")
    assert left.code == 3
    assert "run 'bad' is left out: runs/bad.txt:1: 1 column found" in left.err
    (small / "runs" / "bad.txt").unlink()
    assert poolwise(*words, "--bad-runs", "skip").code == 0


def test_judgments_with_probabilities(poolwise, tmp_path):
    (tmp_path / "prels").write_text("1 a 1 1 0.5\n1 b 0 1 0.5\n1 c 1 1 1.0\n")
    (tmp_path / "run").write_text("1 Q0 b 1 3 x\n1 Q0 a 2 2 x\n1 Q0 c 3 1 x\n")
    found = poolwise("score", "--prels", "prels", "run", "-m", "statAP", "--format", "csv")
    assert float(found.out.splitlines()[1].rpartition(",")[2]) == pytest.approx((2 / 2 + 3 / 3) / 3)
    refused = poolwise("score", "--prels", "prels", "run", "-m", "statAP", "--stream")
    assert refused.code == 2
    assert "--prels" in refused.err


def test_ties_in_any_order(poolwise, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 x\n1 Q0 b 2 1 x\n1 Q0 c 3 1 x\n")
    scores = {
        ties: poolwise("score", "qrels", "run", "-m", "RR", "--ties", ties, "--format", "csv").out.splitlines()[1]
        for ties in ("id", "expected", "range")
    }
    mean = (1 + 1 / 2 + 1 / 3) / 3
    assert scores["id"] == f"run,RR,all,{1 / 3!r}"
    assert float(scores["expected"].rpartition(",")[2]) == pytest.approx(mean, abs=1e-12)
    assert scores["range"] == f"run,RR,all,{1 / 3!r},{1 / 3!r},1.0"
    refused = poolwise("score", "qrels", "run", "--ties", "range", "--stream")
    assert refused.code == 2
    assert "--stream goes without --interval, --ties range, --prels and --dask" in refused.err
    streamed = poolwise("score", "qrels", "run", "-m", "RR", "--ties", "expected", "--stream", "--format", "csv")
    assert streamed.out.splitlines()[1] == scores["expected"]
    checked = poolwise("check", "qrels", "run", "--format", "csv")
    assert "ties_move_AP" in checked.out
    assert "0.6666" in checked.out


def test_tables_say_which_label_is_relevant_and_lines_keep_the_names_of_trec_eval(poolwise, small):
    asked = ("score", "qrels.txt", "runs", "-m", "map", "-m", "RR", "-l", 2)
    table = poolwise(*asked, "--format", "latex").out
    assert r"run & AP(rel=2) & RR(rel=2) \\" in table
    assert "map                   \tall" in poolwise(*asked).out
    assert "map" in poolwise("score", "qrels.txt", "runs", "-m", "map", "--format", "latex").out
    assert "AP'" in poolwise("score", "qrels.txt", "runs", "-m", "map", "-J", "--format", "latex").out
    head = poolwise("compare", "qrels.txt", "runs", "-m", "map", "-l", 2).out.splitlines()[0]
    assert head.split()[:2] == ["run", "AP(rel=2)"]


@pytest.mark.parametrize(("ending", "begins"), [(".md", ""), (".tex", "% "), (".html", "")])
def test_tables_for_papers_say_how_scores_were_computed(poolwise, tmp_path, ending, begins):
    simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    poolwise("score", "c/qrels.txt", "c/runs", "-m", "AP", "-m", "bpref", "--missing", "skip", "-o", f"scores{ending}")
    text = (tmp_path / f"scores{ending}").read_text()
    assert f"{begins}Unjudged documents count as non-relevant in AP; are left out in bpref." in text
    assert "Topics that a run lacks are left out of its mean." in text


def test_topics_that_a_run_lacks_do_not_both_count_and_stay_out(poolwise, small):
    result = poolwise("score", "qrels.txt", "runs", "-m", "map", "-c", "--missing", "skip")
    assert (result.code, result.out) == (2, "")
    assert "-c counts topics that a run lacks as 0, --missing skip leaves them out; give one of them" in result.err
    assert poolwise("score", "qrels.txt", "runs", "-m", "map", "-c", "--missing", "zero").code == 0
