"""`poolwise items`."""

from __future__ import annotations

import csv
import io
import json


def answers(folder, drawn=None):
    """Ninety questions, two systems, a model's scores of all and people's of some."""
    lines = ["item,system,score,prediction,kind"]
    for n in range(90):
        for system, good in (("old", n % 3 > 0), ("new", n % 5 > 0)):
            known = n % 4 == 0 if drawn is None else n in drawn
            lines.append(f"{n},{system},{int(good) if known else ''},{0.8 if good else 0.3},{'xy'[n % 2]}")
    (folder / "answers.csv").write_text("\n".join(lines) + "\n")


def test_estimate_prints_means_and_differences(poolwise, tmp_path):
    answers(tmp_path)
    shown = poolwise(
        "items", "estimate", "answers.csv", "--difference", "new", "old", "--width", "0.1", "--format", "table"
    )
    assert shown.code == 0
    assert "Mean of all items from the labelled ones, helped by prediction, 95 % intervals" in shown.out
    assert "labels_needed: labels needed are labels of that system in all" in shown.out
    assert "labels_needed_paired, labels_needed_apart: labels needed are labels of both systems together" in shown.out
    assert "system_a" in shown.out
    rows = list(csv.DictReader(io.StringIO(poolwise("items", "estimate", "answers.csv", "--format", "csv").out)))
    assert [row["system"] for row in rows] == ["old", "new"]
    assert abs(float(rows[0]["value"]) - 60 / 90) < 1e-9
    assert abs(float(rows[1]["value"]) - 72 / 90) < 1e-9
    both = poolwise("items", "estimate", "answers.csv", "--by", "kind", "--format", "json")
    assert [row["group"] for row in json.loads(both.out)["rows"]] == ["all", "x", "y"] * 2


def test_a_plan_is_filled_in_and_estimated(poolwise, tmp_path):
    answers(tmp_path, drawn=())
    made = poolwise("items", "plan", "answers.csv", "--budget", "60", "-o", "todo.csv")
    assert made.code == 0
    assert "todo.csv: round 1: 60 labels to give on 30 items, of 180 rows" in made.out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "todo.csv").read_text())))
    for row in rows:
        good = int(row["item"]) % (3 if row["system"] == "old" else 5) > 0
        row["score"] = int(good) if row["round"] != "0" else ""
    with (tmp_path / "done.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    found = poolwise("items", "estimate", "done.csv", "--format", "csv")
    values = [float(row["value"]) for row in csv.DictReader(io.StringIO(found.out))]
    assert abs(values[0] - 2 / 3) < 1e-9
    assert abs(values[1] - 0.8) < 1e-9


def test_a_page_has_a_figure(poolwise, tmp_path):
    answers(tmp_path)
    assert poolwise("items", "estimate", "answers.csv", "-o", "items.html").code == 0
    page = (tmp_path / "items.html").read_text()
    assert "Values with intervals" in page
    assert "plain mean" in page


def test_options_of_the_other_verb_are_refused(poolwise, tmp_path):
    answers(tmp_path)
    assert "--budget is not for items estimate" in poolwise("items", "estimate", "answers.csv", "--budget", "3").err
    assert "--by is not for items plan" in poolwise("items", "plan", "answers.csv", "--budget", "3", "--by", "kind").err
    assert poolwise("items", "weigh", "answers.csv").code == 2


def test_all_alone_stands_for_every_pair(poolwise, tmp_path):
    answers(tmp_path)
    ask = ("items", "estimate", "answers.csv", "--difference", "all")
    once = poolwise(*ask, "--format", "csv")
    assert once.code == 0, once.err
    assert once.out == poolwise(*ask, "all", "--format", "csv").out
    assert once.out == poolwise("items", "estimate", "answers.csv", "--difference", "old", "new", "--format", "csv").out
    shown = poolwise(*ask)
    assert "it need not be the difference of the two means" in shown.out
    assert "need not" not in poolwise("items", "estimate", "answers.csv").out
    missing = poolwise("items", "estimate", "answers.csv", "--difference", "old")
    assert missing.code == 2
    assert "a value is missing" in missing.err


def test_predictions_may_be_named_among_the_columns(poolwise, tmp_path):
    answers(tmp_path)
    expected = poolwise("items", "estimate", "answers.csv", "--format", "csv").out
    text = (tmp_path / "answers.csv").read_text().replace("prediction", "gpt", 1)
    (tmp_path / "answers.csv").write_text(text)
    named = poolwise("items", "estimate", "answers.csv", "--columns", "prediction=gpt", "--format", "csv")
    assert named.out == expected
    assert poolwise("items", "estimate", "answers.csv", "--format", "csv").out != expected
    wrong = poolwise("items", "estimate", "answers.csv", "--columns", "prediction=none")
    assert "no column is called 'none'" in wrong.err


def test_a_plan_for_the_width_of_a_difference_agrees_with_the_estimate(poolwise, tmp_path):
    rows = ["item,system,score,prediction"]
    for n in range(90):
        for system, score in (("old", n * 7 % 5 + 1), ("new", min(n * 7 % 5 + 1 + n * 3 % 4 % 2, 5))):
            rows.append(f"{n},{system},{score if n < 20 else ''},{n * 11 % 7}")
    (tmp_path / "answers.csv").write_text("\n".join(rows) + "\n")
    ask = ("answers.csv", "--difference", "new", "old", "--width", "0.3")
    needed = poolwise("items", "estimate", *ask, "--scale", "1", "5", "--format", "csv")
    assert needed.code == 0, needed.err
    (row,) = csv.DictReader(io.StringIO(needed.out))
    planned = poolwise("items", "plan", *ask, "-o", "todo.csv")
    assert f"{int(row['labels_needed_paired']) - 40} labels to give" in planned.out, planned.err
    off = poolwise("items", "estimate", "answers.csv", "--scale", "2", "5")
    assert "score 1 is not on the scale from 2 to 5" in off.err
