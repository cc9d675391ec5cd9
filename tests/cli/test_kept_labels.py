"""No command replaces labels, a plan or a list of one that somebody may have in hand, unless it is told to."""

from __future__ import annotations

import pytest

PLAN = ("plan", "runs", "--depth", "10")


@pytest.fixture
def planned(poolwise, files):
    """A plan and a list of it, as they were handed out."""
    assert poolwise(*PLAN, "--budget", 24, "--seed", 10, "-o", "plan.txt", "--to-judge", "todo.csv").code == 0
    return files


def texts(folder) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.name.startswith(("plan", "todo", "other"))}


@pytest.mark.parametrize(
    "words",
    [
        (*PLAN, "--budget", 24, "--seed", 11, "-o", "plan.txt"),
        (*PLAN, "--budget", 12, "--seed", 10, "-o", "plan.txt"),
        (*PLAN, "--budget", 12, "--seed", 10, "-o", "other.txt", "--to-judge", "todo.csv"),
        (*PLAN, "--budget", 24, "--seed", 11, "-o", "todo.csv"),
        (*PLAN, "--budget", 24, "--seed", 10, "--design", "uniform", "-o", "other.txt", "--to-judge", "todo.csv"),
        ("sample", "qrels.txt", "runs", "--design", "uniform", "--fraction", "0.5", "-o", "plan.txt"),
    ],
)
def test_a_plan_that_was_handed_out_stays(poolwise, planned, words):
    before = texts(planned)
    refused = poolwise(*words)
    assert (refused.code, "name another file, or --overwrite" in refused.err) == (1, True), refused.err
    assert texts(planned) == before
    done = poolwise(*words, "--overwrite")
    assert done.code == 0, done.err
    name = words[-1]
    assert f"note: {name}: what it held is kept as {name}.previous" in done.err
    after = texts(planned)
    assert after[f"{name}.previous"] == before[name] != after[name]


def test_the_same_plan_may_be_written_again(poolwise, planned):
    before = texts(planned)
    again = poolwise(*PLAN, "--budget", 24, "--seed", 10, "-o", "plan.txt", "--to-judge", "todo.csv")
    assert again.code == 0, again.err
    assert texts(planned) == before


def test_labels_that_are_changed_are_not_lost(poolwise, planned):
    for label in (1, 2):
        filled = (planned / "todo.csv").read_text().replace(",\n", f",{label}\n")
        (planned / f"filled{label}.csv").write_text(filled)
    assert poolwise("merge", "plan.txt", "filled1.csv", "-o", "judged.txt").code == 0
    refused = poolwise("merge", "plan.txt", "filled2.csv", "-o", "judged.txt")
    assert (refused.code, "holds 24 labels that the new file would not have, such as 1 of" in refused.err) == (1, True)
    chosen = poolwise("merge", "judged.txt", "filled2.csv", "--conflicts", "last", "-o", "judged.txt")
    assert chosen.code == 0, chosen.err


def test_a_gate_keeps_its_scores_elsewhere(poolwise, files):
    first, second, *_ = sorted(path.name for path in (files / "runs").iterdir())
    labels = "topic,document,label\n1,a,1\n"
    (files / "labels.csv").write_text(labels)
    ask = ("gate", f"runs/{first}", f"runs/{second}", "--qrels", "qrels.txt", "--margin", 1, "--keep")
    refused = poolwise(*ask, "labels.csv")
    assert (refused.code, "labels.csv: holds 1 label that the new file" in refused.err) == (2, True), refused.err
    assert "--overwrite" not in refused.err  # which it does not have
    assert (files / "labels.csv").read_text() == labels
    for _ in range(2):
        assert poolwise(*ask, "scores.csv").code == 0


def test_a_list_of_disagreements_that_was_settled_in_its_columns_stays(poolwise, tmp_path):
    for name, label in (("ann", 1), ("bob", 0)):
        (tmp_path / f"{name}.csv").write_text(f"topic,document,label\n1,a,{label}\n1,b,1\n1,c,{1 - label}\n")
    ask = ("agreement", "ann.csv", "bob.csv", "--disagreements", "list.csv", "--combined", "one.qrels")
    for _ in range(2):
        done = poolwise(*ask)
        assert done.code == 0, done.err
    header, *rows = (tmp_path / "list.csv").read_text().splitlines()
    assert (header, len(rows)) == ("topic,document,ann,bob", 2)
    filled = "\n".join([f"{header},chair", f"{rows[0]},2", f"{rows[1]},"]) + "\n"
    (tmp_path / "list.csv").write_text(filled)
    refused = poolwise(*ask)
    assert (refused.code, "list.csv: holds 1 label that the new file" in refused.err) == (1, True), refused.err
    assert (tmp_path / "list.csv").read_text() == filled
    (tmp_path / "one.qrels").write_text("9 0 other 1\n")
    refused = poolwise("agreement", "ann.csv", "bob.csv", "--combined", "one.qrels")
    assert (refused.code, "one.qrels: holds 1 label that the new file" in refused.err) == (1, True), refused.err


@pytest.mark.parametrize("systems", [("only",), ("old", "new")])
def test_a_table_of_items_that_was_filled_in_stays(poolwise, tmp_path, systems):
    rows = [(f"{system},q{item}", item / 40) for system in systems for item in range(40)]
    (tmp_path / "items.csv").write_text("system,item,prediction\n" + "".join(f"{row},{p}\n" for row, p in rows))
    ask = ("items", "plan", "items.csv", "--budget", 20, "-o", "todo.csv")
    for _ in range(2):
        done = poolwise(*ask)
        assert done.code == 0, done.err
    header, *lines = (tmp_path / "todo.csv").read_text().splitlines()
    at = header.split(",").index("score")
    cells = [line.split(",") for line in lines]
    for row in cells[:5]:
        row[at] = "1"
    filled = "\n".join([header, *map(",".join, cells)]) + "\n"
    (tmp_path / "todo.csv").write_text(filled)
    refused = poolwise(*ask)
    found = "todo.csv: holds 5 labels that the new file would not have, such as 1 of item"
    assert (refused.code, found in refused.err) == (1, True), refused.err
    assert (tmp_path / "todo.csv").read_text() == filled
    again = poolwise("items", "plan", "todo.csv", "--budget", 10, "-o", "todo.csv")
    assert again.code == 0, again.err  # its labels stay
