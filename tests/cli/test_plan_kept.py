"""Files of plans and samples: what is in them is not lost, and what they lack is told of."""

from __future__ import annotations

import pytest

from poolwise.lab.simulate.drawing import simulate

pytestmark = pytest.mark.slow


def test_a_file_with_labels_is_not_replaced_by_one_without(poolwise, tmp_path):
    simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "plan.txt")
    poolwise("merge", "plan.txt", "c/qrels.txt", "--drawn-only", "-o", "judged.txt")
    before = (tmp_path / "judged.txt").read_text()
    refused = poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "judged.txt")
    assert refused.code == 1
    assert "judged.txt: holds 20 labels that the new file would not have" in refused.err
    assert (tmp_path / "judged.txt").read_text() == before
    topic, document = next(
        line.split()[0:3:2] for line in (tmp_path / "plan.txt").read_text().splitlines() if " 1 " in line[:9]
    )
    (tmp_path / "one.csv").write_text(f"topic,document,label\n{topic},{document},0\n")
    for words in (
        ("merge", "plan.txt", "one.csv"),
        ("sample", "c/qrels.txt", "c/runs", "--design", "uniform", "--fraction", "0.1"),
    ):
        target = "judged.txt" if words[0] == "merge" else "c/qrels.txt"
        assert "that the new file would not have" in poolwise(*words, "-o", target).err
    again = ("plan", "c/runs", "--pilot", "judged.txt", "--budget", "20", "--depth", "10", "-o", "judged.txt")
    assert (
        "judged.txt: holds another plan, number" in poolwise(*again).err
    )  # labels of the pilot stay, but not its plan
    assert poolwise(*again, "--overwrite").code == 0
    assert (tmp_path / "judged.txt.previous").read_text() == before
    assert poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "judged.txt", "--overwrite").code == 0
    assert len(list(tmp_path.glob("judged.txt.previous*"))) == 2


def test_a_list_to_judge_that_was_filled_in_is_not_replaced(poolwise, tmp_path):
    simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    asked = ("plan", "c/runs", "--budget", "20", "--depth", "10", "--to-judge", "todo.csv")
    assert poolwise(*asked, "-o", "plan.txt").code == 0
    empty = (tmp_path / "todo.csv").read_text()
    assert poolwise(*asked, "-o", "plan.txt").code == 0  # nothing is lost yet
    for label, found in (("1", "holds 20 labels that the new file would not have"), ("yes", "label 'yes'")):
        (tmp_path / "todo.csv").write_text(empty.replace(",\n", f",{label}\n"))
        filled = (tmp_path / "todo.csv").read_text()
        refused = poolwise(*asked, "--seed", "1", "-o", "other.txt")
        assert (refused.code, f"{found}" in refused.err) == (1, True), refused.err
        assert (tmp_path / "todo.csv").read_text() == filled
        assert not (tmp_path / "other.txt").exists()
    (tmp_path / "todo.csv").write_text(empty.replace(",\n", ",1\n"))
    poolwise("merge", "plan.txt", "todo.csv", "-o", "judged.txt")
    again = (*asked, "--pilot", "judged.txt", "-o", "next.txt")
    assert "todo.csv: holds another plan, number" in poolwise(*again).err  # though the labels are in the pilot
    assert poolwise(*again, "--overwrite").code == 0
    assert (tmp_path / "todo.csv.previous").read_text() == empty.replace(",\n", ",1\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "a.csv", "--to-judge", "./a.csv"), "./a.csv: -o and --to-judge both write this file; name two"),
        (("--to-judge", "a.csv", "--forecast", "a.csv"), "a.csv: --to-judge and --forecast both write this file; name"),
        (("-o", "a.txt", "--to-judge", "none/a.csv"), "none/a.csv: there is no folder none"),
        (("-o", "a.txt", "--to-judge", "-"), "--to-judge - names no file; name one, such as todo.csv"),
    ],
)
def test_files_of_a_plan_do_not_take_each_others_place(poolwise, files, words, message):
    refused = poolwise("plan", "runs", "--budget", 24, *words)
    assert (refused.code, message in refused.err) == (1 if "folder" in message else 2, True), refused.err
    assert not list(files.glob("a.*"))


def test_a_plan_that_cannot_be_read_is_not_replaced_either(poolwise, tmp_path):
    simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "plan.txt")
    text = (tmp_path / "plan.txt").read_text()
    (tmp_path / "plan.txt").write_text(text.replace(" -1\n", " yes\n", 1))
    refused = poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "plan.txt")
    assert (refused.code, "label 'yes'" in refused.err, "--overwrite" in refused.err) == (1, True, True)
    (tmp_path / "other.txt").write_text("notes of mine\n")
    assert poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "other.txt").code == 0


def test_a_sample_may_be_drawn_again(poolwise, tmp_path):
    simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    for seed in ("1", "2"):
        drawn = poolwise(
            "sample", "c/qrels.txt", "c/runs", "--design", "uniform", "--fraction", "0.3", "--seed", seed, "-o", "s.txt"
        )
        assert drawn.code == 0, drawn.err


@pytest.mark.parametrize("command", ["score", "check"])
def test_a_sample_is_called_one(poolwise, tmp_path, command):
    simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "plan.txt")
    poolwise("merge", "plan.txt", "c/qrels.txt", "--drawn-only", "-o", "judged.txt")
    pooled = sum(not line.startswith("#") for line in (tmp_path / "plan.txt").read_text().splitlines())
    found = poolwise(command, "judged.txt", "c/runs")
    assert f"this is a sample (20 of {pooled} pooled documents judged)" in found.out + found.err
    assert "use `poolwise estimate`" in found.out + found.err


@pytest.mark.parametrize("command", ["score", "check", "estimate"])
def test_lines_that_are_lost_are_counted(poolwise, tmp_path, command):
    simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "plan.txt")
    poolwise("merge", "plan.txt", "c/qrels.txt", "--drawn-only", "-o", "judged.txt")
    lines = (tmp_path / "judged.txt").read_text().splitlines(keepends=True)
    comments = [line for line in lines if line.startswith("#")]
    pooled = len(lines) - len(comments)
    judged = [line for line in lines if not line.startswith("#") and not line.endswith(" -1\n")]
    assert len(judged) == 20 < pooled
    (tmp_path / "cut.txt").write_text("".join([*comments, *judged]))
    found = poolwise(command, "cut.txt", "c/runs", *(["-m", "AP"] if command == "estimate" else []))
    said = " ".join((found.out + found.err).split())
    if command == "estimate":
        assert f"{pooled - 20} documents that the plan pooled have no line in the judgments" in said
    else:
        lost = f"{pooled - 20} of the pool have no line here, which `poolwise merge PLAN LABELS` puts back"
        assert f"this is a sample (20 of {pooled} pooled documents judged; {lost})" in said


def test_comments_that_cannot_be_understood_do_not_stop_a_check(poolwise, tmp_path):
    simulate(runs=3, topics=4, depth=30, pool_depth=10, seed=2).write(tmp_path / "c")
    poolwise("plan", "c/runs", "--budget", "20", "--depth", "10", "-o", "plan.txt")
    poolwise("merge", "plan.txt", "c/qrels.txt", "--drawn-only", "-o", "judged.txt")
    first, *lines = (tmp_path / "judged.txt").read_text().splitlines(keepends=True)
    rows = [line for line in lines if not line.startswith("#")]
    (tmp_path / "torn.txt").write_text("".join([first, *rows]))
    assert "comments are damaged" in poolwise("estimate", "torn.txt", "c/runs", "-m", "AP").err
    found = poolwise("check", "torn.txt", "c/runs")
    assert found.code == 0
    assert f"this is a sample (20 of {len(rows)} pooled documents judged): use" in found.out
