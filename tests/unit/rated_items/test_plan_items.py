"""Plans of items: what is drawn, and that estimates from them are right."""

from __future__ import annotations

import warnings

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


def two_systems(seed, items=500):
    """Ratings of two systems, a model's and people's; items differ more than systems."""
    g = np.random.default_rng([8, seed])
    ease = g.normal(size=items)
    rows = []
    for system, better in (("old", 0.0), ("new", 0.2)):
        score = np.clip(np.round(3.4 + better + ease + g.normal(0, 0.6, items)), 1, 5)
        told = score + g.normal(0, 0.8, items)
        rows += [{"item": n, "system": system, "score": score[n], "prediction": told[n]} for n in range(items)]
    return rows, g


def only(rows, chosen):
    return [{**row, "score": row["score"] if at in chosen else None} for at, row in enumerate(rows)]


def test_a_width_gives_every_system_the_labels_it_needs():
    rows, g = two_systems(1)
    chosen = {at for n in g.choice(500, 30, replace=False).tolist() for at in (n, n + 500)}
    needed = pw.estimate_items(only(rows, chosen), width=0.3).columns()["labels_needed"]
    plan = pw.plan_items(only(rows, chosen), width=0.3)
    assert plan.to_label == 2 * plan.items == 2 * (max(needed) - 30)
    assert f"{plan.to_label} labels to give on {plan.items} items, of 1000 rows" in plan.headline()


def test_a_width_of_a_difference_is_that_of_pairs():
    rows, g = two_systems(1)
    chosen = {at for n in g.choice(500, 30, replace=False).tolist() for at in (n, n + 500)}
    found = pw.estimate_items(only(rows, chosen), width=0.3, difference=("new", "old")).differences
    plan = pw.plan_items(only(rows, chosen), width=0.3, difference=("new", "old"))
    assert plan.to_label == found.columns()["labels_needed_paired"][0] - 60
    with pytest.raises(pw.ArgumentError, match="difference goes with a width"):
        pw.plan_items(rows, budget=10, difference=("new", "old"))


def test_a_width_of_several_differences_is_that_of_the_one_that_needs_most():
    rows, g = two_systems(1)
    rows += [
        {**row, "system": "wild", "score": float(score)}
        for row, score in zip(rows[:500], g.permutation([row["score"] for row in rows[:500]]), strict=True)
    ]
    chosen = {at for n in g.choice(500, 30, replace=False).tolist() for at in (n, n + 500, n + 1000)}
    pairs = [("new", "old"), ("wild", "old"), ("new", "wild")]

    def items_for(difference):
        return pw.plan_items(only(rows, chosen), width=0.4, difference=difference).items

    alone = [items_for(pair) for pair in pairs]
    assert max(alone) > min(alone)
    assert items_for(pairs) == items_for("all") == max(alone)


def test_a_plan_of_one_stratum_has_an_overview_of_one_row():
    plan = pw.plan_items([{"item": n, "score": None} for n in range(10)], budget=4)
    overview = plan.overview()
    assert (overview["items"], overview["now"]) == ([10], [4])


def test_scores_on_random_rows_are_kept_and_completed():
    rows, g = two_systems(2)
    chosen = set(g.choice(1000, 60, replace=False).tolist())
    plan = pw.plan_items(only(rows, chosen), budget=20)
    columns = plan.columns()
    assert plan.to_label == 20
    assert columns["round"][:20] == [2] * 20
    assert columns["score"][:20] == [None] * 20
    given = [number for score, number in zip(columns["score"], columns["round"], strict=True) if score is not None]
    assert given == [1] * 60
    half = {row["item"] for at, row in enumerate(rows) if at in chosen}
    assert set(columns["item"][:20]) <= half  # they lack one label only
    assert sum(row["now"] for row in plan.strata) == plan.items == 20
    assert sum(row["partly"] + 2 * row["labelled"] for row in plan.strata) == 60
    assert [sum(trace.y) for trace in plan.plot().data][1] == 20


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("difference", [None, ("new", "old")])
def test_labels_as_planned_give_the_width(paired, difference):
    """40 trials of 60 labels, then what a plan for a width of .3 draws: the widest interval is that wide, or less.

    With few items labelled for both systems a difference is planned as if they had nothing in common: it gets narrower.
    """
    widths = []
    for seed in range(40):
        rows, g = two_systems(seed)
        chosen = {at for n in g.choice(500, 30, replace=False).tolist() for at in (n, n + 500)} if paired else (
            set(g.choice(1000, 60, replace=False).tolist())
        )  # fmt: skip
        truth = {(row["system"], row["item"]): row["score"] for row in rows}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pw.PoolwiseWarning)  # few items have both
            plan = pw.plan_items(only(rows, chosen), width=0.3, difference=difference, seed=seed)
        done = rows_of(plan.columns())
        for row in done:
            row["score"] = truth[row["system"], row["item"]] if row["round"] else None
        found = pw.estimate_items(done, difference=("new", "old"))
        means = [found.differences.rows[0][2]] if difference else found.rows
        widths.append(max(mean.high - mean.low for mean in means))
    least = 0.2 if difference and not paired else 0.255
    assert least < np.mean(widths) < 0.315


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


def test_a_width_is_not_planned_for_where_nothing_varies():
    rows = [{"item": n, "score": 4 if n < 20 else None, "prediction": n} for n in range(100)]
    with pytest.raises(pw.ArgumentError, match=r"the table: labels do not vary, .* with a budget"):
        pw.plan_items(rows, width=0.2)
    labelled, *others = [row["now"] for row in pw.plan_items(rows, budget=30).strata]
    assert labelled == 0  # of a stratum that is labelled in full
    assert sorted(others) == [7, 7, 8, 8]
    fitted = [
        {**row, "score": row["item"] % 5 if row["item"] < 20 else None, "prediction": row["item"] % 5} for row in rows
    ]
    assert 20 < pw.plan_items(fitted, width=0.4).to_label < 80


def test_a_plan_does_not_depend_on_the_order_of_rows():
    """Equal predictions stand in strata by chance, not by their place in the table."""
    g = np.random.default_rng(6)
    rows = [
        {"item": n, "system": system, "prediction": int(n % 4), "score": float(g.normal()) if n % 9 == 0 else None}
        for n in range(90)
        for system in "ab"
    ]
    first = pw.plan_items(rows, budget=40, seed=3)
    mixed = pw.plan_items([rows[place] for place in g.permutation(len(rows))], budget=40, seed=3)
    named = [
        {(row["item"], row["system"]): (row["stratum"], row["round"]) for row in rows_of(plan.columns())}
        for plan in (first, mixed)
    ]
    assert named[0] == named[1]
    drawn = [[row["item"] for row in rows_of(plan.columns()) if row["round"] == 2] for plan in (first, mixed)]
    assert list(dict.fromkeys(drawn[0])) == list(dict.fromkeys(drawn[1]))


def test_items_are_drawn_alike_often():
    """Of 12 items four are drawn, by 900 seeds: each in a third of the plans, each pair in one of eleven."""
    rows = [{"item": f"i{n}"} for n in range(12)]
    counts = np.zeros((12, 12))
    for seed in range(900):
        columns = pw.plan_items(rows, budget=4, seed=seed).columns()
        drawn = [int(name[1:]) for name, number in zip(columns["item"], columns["round"], strict=True) if number]
        counts[np.ix_(drawn, drawn)] += 1
    pairs = counts[~np.eye(12, dtype=bool)]
    assert np.abs(np.diag(counts) / 900 - 4 / 12).max() < 4 * np.sqrt(1 / 3 * 2 / 3 / 900)
    assert np.abs(pairs / 900 - 4 * 3 / (12 * 11)).max() < 4.5 * np.sqrt(1 / 11 * 10 / 11 / 900)
