"""Labels that do not speak for all: an error, a mark, or an interval that holds the truth; never a width of 0."""

from __future__ import annotations

import csv
import io

import pandas
import pytest

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate

MEASURES = ("nDCG@10", "AP", "P@10")
ASKED = [word for measure in MEASURES for word in ("-m", measure)]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """A campaign, a plan for part of its pool, and the labels of what was drawn, as they may come back."""
    folder = tmp_path_factory.mktemp("edges")
    simulated = simulate(runs=8, topics=20, depth=100, pool_depth=30, grades=3, seed=11)
    simulated.write(folder / "c")
    truth = simulated.pool()
    labels = {topic: truth.judgments.of(topic) for topic in truth.topics}
    pool = pw.read(None, folder / "c/runs")
    plan = pool.plan(budget=600, measure="nDCG@10", depth=30, seed=4)  # of 12 seeds 9 hold every truth
    plan.write(folder / "plan.txt")
    lines = (folder / "plan.txt").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    drawn = [row for row in rows if row[1] != "0"]
    judged = [(row[0], row[2], labels[row[0]][row[2]]) for row in drawn]
    filled = [" ".join([*row[:4], str(label)]) for row, (_, _, label) in zip(drawn, judged, strict=True)]
    (folder / "drawn-only.txt").write_text("\n".join(filled) + "\n")
    header = [line for line in lines if line.startswith("#")]
    (folder / "with-header.txt").write_text("\n".join([*header, *filled]) + "\n")
    (folder / "four.txt").write_text("".join(f"{topic} 0 {document} {label}\n" for topic, document, label in judged))
    (folder / "labels.csv").write_text("topic,document,label\n" + "".join("{},{},{}\n".format(*row) for row in judged))
    run = sorted((folder / "c/runs").iterdir())[0]
    new = "".join(_renamed(line) for line in run.read_text().splitlines())
    (folder / "brandnew.txt").write_text(new)
    return folder, truth, pandas.DataFrame(judged, columns=["topic", "document", "label"])


def _renamed(line):
    topic, q, document, *rest = line.split()
    return " ".join([topic, q, f"new-{document}", *rest]) + "\n"


def ends_of(out, columns=("run", "measure")):
    """Low and high of every row of CSV."""
    rows = csv.DictReader(io.StringIO(out))
    return {tuple(row[name] for name in columns): (float(row["low"]), float(row["high"])) for row in rows}


def holds_truth(ends, truth):
    """Every interval holds the score by all labels and has a width."""
    scores = truth.score(*MEASURES)
    means = dict(zip(scores.runs, scores.means(), strict=True))
    assert len(ends) == len(means) * len(MEASURES)
    for (run, measure), (low, high) in ends.items():
        assert low - 1e-9 <= means[run][MEASURES.index(measure)] <= high + 1e-9, (run, measure)
        assert high - low > 0.01


def test_a_plan_without_its_undrawn_lines_is_an_error(poolwise, campaign):
    folder, *_ = campaign
    for labels, said in (("with-header.txt", "have no line in the judgments"), ("drawn-only.txt", "seem to be lost")):
        for command in (["estimate"], ["compare", "--test", "judgments"]):
            result = poolwise(*command, folder / labels, folder / "c/runs", "-m", "nDCG@10")
            assert result.code == 1
            assert result.out == ""
            assert said in result.err
            assert "poolwise merge PLAN LABELS" in result.err
        with pytest.raises(pw.InputError, match="merge the labels with their plan"):
            pw.read(folder / labels, folder / "c/runs").estimate("nDCG@10")


def test_tests_over_topics_mark_what_lost_lines_could_undo(poolwise, campaign):
    folder, truth, frame = campaign
    for labels in ("with-header.txt", "drawn-only.txt", "four.txt"):
        result = poolwise("compare", folder / labels, folder / "c/runs", "-m", "nDCG@10", "--format", "csv")
        marked_or_right(list(csv.DictReader(io.StringIO(result.out))), truth)
        assert "not judged" in result.err
    with pytest.warns(pw.PoolwiseWarning, match="could be undone by unjudged documents|not judged"):
        found = pw.read(frame, folder / "c/runs").compare("nDCG@10")
    marked_or_right(found.to_frame().astype(str).to_dict("records"), truth)


def marked_or_right(rows, truth):
    """What is called significant has the sign of the truth or is marked."""
    scores = truth.score("nDCG@10")
    means = dict(zip(scores.runs, scores.means()[:, 0], strict=True))
    assert rows
    for row in rows:
        if float(row["p_corrected"]) < 0.05 and row["could_be_undone"] in ("False", "no"):
            assert float(row["difference"]) * (means[row["run_a"]] - means[row["run_b"]]) > 0


def test_labels_in_four_columns_give_ranges_that_hold_the_truth(poolwise, campaign):
    folder, truth, _ = campaign
    result = poolwise("estimate", folder / "four.txt", folder / "c/runs", *ASKED, "--format", "csv")
    assert result.code == 0
    holds_truth(ends_of(result.out), truth)
    assert "outside the pool" in result.err
    assert "determined" not in result.out + result.err
    table = poolwise(
        "estimate", folder / "four.txt", folder / "c/runs", *ASKED, "--difference", "all", "all", "--format", "table"
    )
    assert "determined" not in table.out + table.err


def test_a_frame_of_labels_gives_ranges_that_hold_the_truth(campaign):
    folder, truth, frame = campaign
    pool = pw.read(frame, folder / "c/runs")
    with pytest.warns(pw.PoolwiseWarning, match="outside the pool"):
        found = pool.estimate(*MEASURES, difference="all")
    rows = found.to_frame()
    holds_truth({(row.run, row.measure): (row.low, row.high) for row in rows.itertuples()}, truth)
    assert set(found.differences.note) == {""}
    assert ((found.differences.high - found.differences.low) > 0.01).all()
    means = dict(zip(truth.runs, truth.score(*MEASURES).means(), strict=True))
    for row in found.differences.to_frame().itertuples():
        place = MEASURES.index(row.measure)
        assert row.low <= means[row.run_a][place] - means[row.run_b][place] <= row.high
    with pytest.warns(pw.PoolwiseWarning, match="outside the pool"):
        tested = pool.compare("nDCG@10", test="judgments")
    marked_or_right(tested.to_frame().astype(str).to_dict("records"), truth)


def test_merged_labels_give_intervals_of_the_pool(poolwise, campaign):
    folder, truth, frame = campaign
    for labels in ("labels.csv", "four.txt"):
        merged = poolwise("merge", folder / "plan.txt", folder / labels, "-o", "merged.txt")
        assert merged.code == 0
        result = poolwise("estimate", "merged.txt", folder / "c/runs", *ASKED, "--format", "csv")
        ends = ends_of(result.out)
        scores = truth.score(*MEASURES)
        means = dict(zip(scores.runs, scores.means(), strict=True))
        held = [low <= means[run][MEASURES.index(measure)] <= high for (run, measure), (low, high) in ends.items()]
        assert sum(held) >= 2 / 3 * len(held)
        assert max(high - low for low, high in ends.values()) < 0.6
    plan = pw.read(None, folder / "c/runs").plan(budget=600, measure="nDCG@10", depth=30, seed=4)
    plan.merge(frame).write(folder / "merged-in-python.txt")
    assert pw.read(folder / "merged-in-python.txt", folder / "c/runs").judgments.count() == len(frame)


def test_a_run_of_which_nothing_is_pooled(poolwise, campaign):
    folder, _, frame = campaign
    new, runs = folder / "brandnew.txt", folder / "c/runs"
    poolwise("merge", folder / "plan.txt", folder / "labels.csv", "-o", "merged.txt")
    for labels in (folder / "c/qrels.txt", "merged.txt", folder / "four.txt"):
        for given in ([new], [new, runs]):
            result = poolwise("estimate", labels, *given, *ASKED, "--format", "csv")
            if result.code == 0:
                ends = {measure: end for (run, measure), end in ends_of(result.out).items() if run == "brandnew"}
                assert all(low == 0.0 for low, _ in ends.values())
                assert min(ends["nDCG@10"][1], ends["P@10"][1]) > 0.8  # some lists are short
                assert "100 % for brandnew" in result.err
            assert "determined by complete judgments of all top 10 documents for brandnew" not in result.err
        compared = poolwise("compare", labels, new, runs, "-m", "nDCG@10", "--format", "csv", "--test", "t")
        rows = [row for row in csv.DictReader(io.StringIO(compared.out)) if "brandnew" in (row["run_a"], row["run_b"])]
        assert rows
        assert all(float(row["p_corrected"]) >= 0.05 or row["could_be_undone"] == "True" for row in rows)
        shown = poolwise("compare", labels, new, runs, "-m", "nDCG@10", "--test", "t")
        assert "could be undone" in shown.out + shown.err
        scored = poolwise("score", labels, new, runs, "-m", "nDCG@10")
        assert "100 % for brandnew (their labels could make nDCG@10 0.0000 to 0." in scored.err
    pool = pw.read(frame, new, runs)
    with pytest.warns(pw.PoolwiseWarning, match="100 % for brandnew"):
        found = pool.estimate("nDCG@10", difference="brandnew")
    at = found.runs.index("brandnew")
    assert found.mean_low()[at, 0] == 0.0
    assert found.mean_high()[at, 0] > 0.8
    assert (found.differences.low < 0).all()
    assert (found.differences.high > 0).all()
