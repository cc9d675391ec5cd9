"""`compare` and `reliability`: formats, options, messages."""

from __future__ import annotations

import csv
import io
import json

import pytest

from poolwise.lab.simulate.drawing import simulate

pytestmark = pytest.mark.slow


@pytest.fixture
def campaign(tmp_path):
    simulate(runs=5, topics=12, depth=60, pool_depth=20, seed=4).write(tmp_path / "c")
    return ["c/qrels.txt", "c/runs"]


def test_compare_prints_a_table_and_a_conclusion(poolwise, campaign):
    result = poolwise("compare", *campaign, "-m", "nDCG@10")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].split() == ["run", "nDCG@10", "group", "better", "than", "worse", "than"]
    means = [float(line.split()[1]) for line in lines[2:7]]
    assert means == sorted(means, reverse=True)
    assert "in nDCG@10 on 12 topics (randomisation test, Holm correction, alpha 0.05)" in lines[-1]


def test_compare_pairs_as_csv_and_json(poolwise, campaign):
    text = poolwise("compare", *campaign, "-m", "AP", "--test", "t", "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 10
    assert list(rows[0])[:5] == ["run_a", "run_b", "difference", "p", "p_corrected"]
    assert all(float(row["p"]) <= float(row["p_corrected"]) <= 1 for row in rows)
    again = json.loads(poolwise("compare", *campaign, "-m", "AP", "--test", "t", "--format", "json").out)
    assert again[3]["difference"] == float(rows[3]["difference"])
    scores = poolwise("score", *campaign, "-m", "AP", "--format", "csv").out.splitlines()[1:]
    mean = {line.split(",")[0]: float(line.split(",")[3]) for line in scores}
    for row in rows:
        assert float(row["difference"]) == pytest.approx(mean[row["run_a"]] - mean[row["run_b"]])


def test_compare_against_baselines_is_seeded(poolwise, campaign):
    run = poolwise("score", *campaign, "-m", "AP", "--format", "csv").out.splitlines()[1].split(",")[0]
    options = ["-m", "AP", "--baseline", run, "--format", "csv", "--resamples", "500", "--test", "bootstrap"]
    first, second = (poolwise("compare", *campaign, *options, "--seed", "3").out for _ in range(2))
    assert first == second
    assert len(first.splitlines()) == 5
    unknown = poolwise("compare", *campaign, "--baseline", "nobody")
    assert unknown.code == 2
    assert "'nobody' is not among the runs" in unknown.err


@pytest.mark.parametrize(
    ("ending", "start"), [("md", "| run | AP |"), ("tex", r"\begin{tabular}{lrlrr}"), ("html", "<!doctype html>")]
)
def test_compare_writes_for_papers_and_browsers(poolwise, campaign, tmp_path, ending, start):
    assert poolwise("compare", *campaign, "-m", "AP", "-o", f"out.{ending}").code == 0
    assert (tmp_path / f"out.{ending}").read_text().startswith(start)


def test_compare_shows_tiers_where_letters_are_too_many(poolwise, tmp_path):
    rows = (",".join(f"{run + 0.01 * (topic % (run + 2)):.4f}" for run in range(9)) for topic in range(20))
    (tmp_path / "scores.csv").write_text("\n".join([",".join(f"r{run}" for run in range(9)), *rows]) + "\n")
    shown = poolwise("compare", "scores.csv", "--test", "t").out
    assert shown.splitlines()[0].split() == ["run", "score", "tier", "better", "than", "worse", "than"]
    assert [line.split()[2] for line in shown.splitlines()[2:11]] == list("123456789")
    assert "\nTier 1 is the best run and those that cannot be told apart from it; every further" in shown
    letters = poolwise("compare", "scores.csv", "--test", "t", "--letters").out
    assert [line.split()[-1] for line in letters.splitlines()[2:11]] == list("abcdefghi")
    assert "\nRuns that share a letter cannot be told apart.\n" in letters


def test_reliability_from_a_table(poolwise, tmp_path):
    (tmp_path / "scores.csv").write_text("a,b,c\n0.1,0.3,0.2\n0.2,0.5,0.3\n0.0,0.4,0.2\n0.3,0.6,0.4\n")
    rows = list(csv.DictReader(io.StringIO(poolwise("reliability", "scores.csv", "--format", "csv").out)))
    assert list(rows[0])[:8] == [
        "measure",
        "system",
        "topic",
        "interaction",
        "topics",
        "phi",
        "rho2",
        "topics_for_phi95",
    ]
    # By hand: row means .15 .45 .275 (x4), column means .2, .3333, .2, .4333; MS as in the definition.
    values = [[0.1, 0.2, 0.0, 0.3], [0.3, 0.5, 0.4, 0.6], [0.2, 0.3, 0.2, 0.4]]
    grand = sum(map(sum, values)) / 12
    systems = [sum(row) / 4 for row in values]
    topics = [sum(row[t] for row in values) / 3 for t in range(4)]
    ms_s = 4 * sum((m - grand) ** 2 for m in systems) / 2
    ms_q = 3 * sum((m - grand) ** 2 for m in topics) / 3
    ms_sq = sum((values[s][t] - systems[s] - topics[t] + grand) ** 2 for s in range(3) for t in range(4)) / 6
    assert float(rows[0]["system"]) == pytest.approx((ms_s - ms_sq) / 4)
    assert float(rows[0]["topic"]) == pytest.approx((ms_q - ms_sq) / 3)
    assert float(rows[0]["interaction"]) == pytest.approx(ms_sq)
    table = poolwise("reliability", "scores.csv").out
    assert "4 (today)" in table
    assert poolwise("reliability", "scores.csv", "-o", "page.html").code == 0
    assert "Variance components" in (tmp_path / "page.html").read_text()


def test_reliability_of_copies_of_a_run_has_no_ratio(poolwise, tmp_path):
    """No variance between runs and none within: E rho^2 is 0 / 0, in the table and in the figure of the page."""
    rows = [f"{topic},{score},{score},{score}" for topic, score in enumerate([0.1, 0.5, 0.3, 0.9])]
    (tmp_path / "scores.csv").write_text("\n".join(["topic,a,b,c", *rows]) + "\n")
    table = poolwise("reliability", "scores.csv").out
    assert "nan" not in table
    assert [line.split() for line in table.splitlines() if line.startswith("10 ")] == [
        ["10", "0.000", "0.000", "to", "0.000", "-", "-"]
    ]
    assert poolwise("reliability", "scores.csv", "-o", "page.html").code == 0


def test_reliability_refuses_empty_cells_unless_told(poolwise, tmp_path):
    (tmp_path / "scores.csv").write_text("topic,a,b,c\n1,0.1,,0.2\n2,0.2,0.5,0.3\n3,0.0,0.4,0.2\n4,0.3,0.6,0.4\n")
    refused = poolwise("reliability", "scores.csv")
    assert refused.code == 1
    assert "run b on topic 1; estimate from what is there with --missing unbalanced, or leave out" in refused.err
    assert "with --missing drop-topics (1 topic) or --missing drop-runs (1 run)" in refused.err
    for advised in ("unbalanced", "drop-topics", "drop-runs"):
        assert poolwise("reliability", "scores.csv", "--missing", advised).code == 0


def test_study_writes_tables_and_a_page(poolwise, campaign, tmp_path):
    result = poolwise("study", "robustness", *campaign, "-o", "out", "--trials", "2", "--fractions", "0.5,1")
    assert result.code == 0
    assert "Pages and tables are in out/index.html" in result.out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "tables" / "curve.csv").read_text())))
    assert {row["fraction"] for row in rows} == {"0.5", "1.0"}
    changed = poolwise("study", "robustness", *campaign, "-o", "other", "--trials", "1", "-l", "2")
    assert changed.code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "other" / "tables" / "curve.csv").read_text())))
    assert "AP(rel=2)" in {row["measure"] for row in rows}


def test_several_studies_have_an_index(poolwise, campaign, tmp_path):
    result = poolwise("study", "robustness,reliability", *campaign, "-o", "out", "--trials", "1")
    assert result.code == 0
    page = (tmp_path / "out" / "index.html").read_text()
    assert 'href="robustness/index.html"' in page
    assert 'href="reliability/index.html"' in page


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nonsense"], 2, "no study is called 'nonsense'"),
        (["reliability", "--fractions", "0.1"], 2, "--fractions: reliability does not use it"),
        (["robustness", "--fractions", "much"], 2, "give numbers with commas"),
        (["robustness", "--figures", "gif"], 2, "svg, png, pdf"),
    ],
)
def test_wrong_words_of_a_study(poolwise, campaign, words, code, said):
    result = poolwise("study", words[0], *campaign, "-o", "out", *words[1:])
    assert result.code == code
    assert said in result.err


@pytest.mark.parametrize("command", ["score", "compare", "reliability"])
def test_tables_have_the_names_that_were_asked_for_and_files_ours(poolwise, campaign, command):
    ask = (command, *campaign, "-m", "map", "-m", "ndcg_cut.10")
    for form in ("table", "latex", "markdown"):
        shown = poolwise(*ask, "--format", form).out.replace(r"\_", "_")
        assert "map" in shown, form
        assert "ndcg_cut_10" in shown, form
        assert "AP" not in shown, form
        assert "nDCG@10" not in shown, form
    rows = csv.DictReader(io.StringIO(poolwise(*ask, "--format", "csv").out))
    assert {row["measure"] for row in rows} == {"AP", "nDCG@10"}


def test_groups_of_topics_have_the_names_that_were_asked_for(poolwise, campaign, tmp_path):
    topics = sorted({line.split()[0] for line in (tmp_path / "c/qrels.txt").read_text().splitlines()})
    (tmp_path / "groups.txt").write_text("".join(f"{topic} {'ab'[int(topic) % 2]}\n" for topic in topics))
    ask = ("compare", *campaign, "-m", "map", "--groups", "groups.txt")
    assert "Differences of runs in map " in poolwise(*ask).out
    assert {row["measure"] for row in csv.DictReader(io.StringIO(poolwise(*ask, "--format", "csv").out))} == {"AP"}


def test_scores_of_a_file_are_named_as_asked(poolwise, campaign):
    assert poolwise("score", *campaign, "-m", "AP", "-q", "-o", "scores.csv").code == 0
    shown = poolwise("compare", "scores.csv", "-m", "map", "-m", "AP").out  # one measure, by the first of its names
    assert shown.count(" map ") == 2
    assert "AP" not in shown


def test_an_unknown_baseline_of_many_runs_is_answered_with_the_like(poolwise, tmp_path):
    simulate(runs=7, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    first, *_ = sorted(path.stem for path in (tmp_path / "c/runs").iterdir())
    found = poolwise("compare", "c/qrels.txt", "c/runs", "--baseline", first.upper())
    assert found.code == 2
    assert f"baseline {first.upper()!r} is not among the runs; did you mean {first}" in found.err
    assert len(found.err) < 200


def test_letters_asked_for_are_on_the_page(poolwise, tmp_path):
    simulate(runs=4, topics=6, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    poolwise("compare", "c/qrels.txt", "c/runs", "-m", "AP", "--letters", "-o", "with.html")
    poolwise("compare", "c/qrels.txt", "c/runs", "-m", "AP", "-o", "without.html")
    assert "Letters, by AP" in (tmp_path / "with.html").read_text()
    assert "Letters, by AP" not in (tmp_path / "without.html").read_text()


def test_differences_from_a_sample_speak_of_these_topics(poolwise, tmp_path):
    simulate(runs=4, topics=6, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    poolwise("sample", "c/qrels.txt", "c/runs", "--design", "uniform", "--fraction", "0.5", "-o", "s.txt")
    assert "on these 6 topics" in poolwise("compare", "s.txt", "c/runs", "--test", "judgments").out
    assert "on 6 topics" in poolwise("compare", "c/qrels.txt", "c/runs").out


def test_measures_say_what_they_make_of_labels(poolwise):
    rows = {line.split("[")[0].split("@")[0].strip(): line for line in poolwise("measures").out.splitlines()}
    assert " binary  " in rows["AP"]
    assert " graded, negative  " in rows["nDCG"]
    assert " graded  " in rows["ERR"]
