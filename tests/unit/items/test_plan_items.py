"""Plans of items: what is drawn, and that estimates from them are right."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw


def rows_of(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def shares(g, items=1000):
    """Chances that a model predicts well, most of them near 0 or 1, and what came of them."""
    chance = g.beta(0.3, 0.3, items)
    return chance, (g.random(items) < chance).astype(float)


def test_drawn_items_come_first_and_keep_all_columns():
    rows = [{"item": n, "text": f"t{n}", "prediction": n / 100} for n in range(100)]
    plan = pw.plan_items(rows, budget=30, seed=2)
    columns = plan.columns()
    assert list(columns) == ["item", "text", "prediction", "stratum", "round", "score"]
    assert columns["round"] == [1] * 30 + [0] * 70
    assert columns["text"] == [f"t{n}" for n in columns["item"]]
    assert sum(row["now"] for row in plan.strata) == 30
    assert pw.plan_items(rows, budget=30, seed=2).columns() == columns
    assert pw.plan_items(rows, budget=30, seed=3).columns() != columns


def test_a_further_round_keeps_strata_and_draws_others():
    g = np.random.default_rng(1)
    chance, truth = shares(g)
    first = rows_of(pw.plan_items([{"item": n, "prediction": chance[n]} for n in range(1000)], budget=60).columns())
    for row in first:
        row["score"] = truth[row["item"]] if row["round"] else None
    second = rows_of(pw.plan_items(first, budget=40).columns())
    assert {row["item"]: row["stratum"] for row in first} == {row["item"]: row["stratum"] for row in second}
    assert [row["round"] for row in second].count(2) == 40
    assert [row["round"] for row in second].count(1) == 60


def test_systems_are_drawn_together():
    rows = [{"item": n, "system": system, "score": None} for n in range(50) for system in "ab"]
    columns = pw.plan_items(rows, budget=21).columns()
    drawn = [item for item, number in zip(columns["item"], columns["round"], strict=True) if number]
    assert len(drawn) == 20
    assert all(drawn.count(item) == 2 for item in drawn)


def test_a_width_gives_the_number_of_labels():
    g = np.random.default_rng(5)
    score = g.normal(size=3000)
    rows = [{"item": n, "score": score[n] if n < 60 else None} for n in range(3000)]
    plan = pw.plan_items(rows, width=0.2)
    needed = pw.estimate_items(rows, width=0.2).columns()["labels_needed"][0]
    assert plan.to_label == needed - 60


@pytest.mark.slow
def test_plans_by_predictions_are_narrower_and_hold():
    """60 trials of a plan of 80 labels against 80 drawn at random: narrower, and 95 in 100 hold."""
    held, width, plain = 0, [], []
    for seed in range(60):
        g = np.random.default_rng([6, seed])
        chance, truth = shares(g)
        rows = [{"item": n, "prediction": chance[n]} for n in range(1000)]
        planned = rows_of(pw.plan_items(rows, budget=80, seed=seed).columns())
        for row in planned:
            row["score"] = truth[row["item"]] if row["round"] else None
        found = pw.estimate_items(planned).columns()
        held += found["low"][0] <= truth.mean() <= found["high"][0]
        width.append(found["high"][0] - found["low"][0])
        chosen = g.choice(1000, 80, replace=False)
        uniform = [{"score": truth[n] if n in chosen else None, "prediction": chance[n]} for n in range(1000)]
        uniform = pw.estimate_items(uniform).columns()
        plain.append(uniform["high"][0] - uniform["low"][0])
    assert held >= 53
    assert np.mean(width) < np.mean(plain)


def test_a_budget_or_a_width():
    with pytest.raises(pw.ArgumentError, match="a budget or a width"):
        pw.plan_items([{"score": 1}])
