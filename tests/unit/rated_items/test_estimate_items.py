"""Systems, groups, shares and differences of tables of items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poolwise as pw
from poolwise.rated_items.sampled_mean import SampledItems, interval_of_mean, sampled_mean


def table(seed=1, items=400, labelled=60, bias=0.3):
    """Two systems on the same items; a model that likes the second better than people do."""
    g = np.random.default_rng(seed)
    ease = g.normal(size=items)
    drawn = set(g.choice(items, labelled, replace=False).tolist())
    rows, truth = [], {}
    for place, system in enumerate(("old", "new")):
        score = np.clip(np.round(3 + ease + 0.2 * place + g.normal(0, 0.7, items)), 1, 5)
        truth[system] = score
        told = score + bias * place + g.normal(0, 0.5, items)
        rows += [
            {"item": n, "system": system, "kind": "ab"[n % 2], "prediction": told[n],
             "score": score[n] if n in drawn else None}
            for n in range(items)
        ]  # fmt: skip
    return rows, truth


@pytest.mark.slow
def test_a_model_that_favours_a_system_does_not_bias():
    """60 trials: the mean error of the difference is far below the model's favour of .3, and 95 in 100 hold."""
    errors, held, ratio = [], 0, []
    for seed in range(60):
        rows, truth = table(seed)
        found = pw.estimate_items(rows, difference=[("new", "old")])
        (difference,) = found.differences.columns()["difference"]
        low, high = (found.differences.columns()[name][0] for name in ("low", "high"))
        exact = truth["new"].mean() - truth["old"].mean()
        errors.append(difference - exact)
        held += low <= exact <= high
        ratio.append((high - low) / (found.differences.rows[0][2].plain_high - found.differences.rows[0][2].plain_low))
    assert abs(np.mean(errors)) < 0.03
    assert held >= 53
    assert np.mean(ratio) < 0.9


def by_hand(rows, items=400):
    of = {(row["system"], row["item"]): row for row in rows}
    return [
        {
            "score": None if of["new", n]["score"] is None else of["new", n]["score"] - of["old", n]["score"],
            "prediction": of["new", n]["prediction"] - of["old", n]["prediction"],
        }
        for n in range(items)
    ]


def test_a_difference_is_that_of_its_items():
    """A twin: subtract by hand, estimate the table of differences; only the interval is bent by half as much,
    and holds two labels more that tell the systems apart."""
    rows, _ = table()
    subtracted = by_hand(rows)
    expected = pw.estimate_items(subtracted).columns()
    found = pw.estimate_items(rows, difference=("new", "old")).differences.columns()
    assert found["difference"] == pytest.approx(expected["value"])
    value = np.array([np.nan if row["score"] is None else row["score"] for row in subtracted])
    known = np.array([[row["prediction"]] for row in subtracted])
    twin = sampled_mean(SampledItems(value, np.zeros(400, dtype=np.int64), np.full(400, np.nan), known))
    n, apart = twin.labelled, int((value[~np.isnan(value)] != 0).sum())
    more = ((apart + 2) / (n + 2)) / (apart / n)
    low, high = interval_of_mean(replace(twin, skewness=twin.skewness / 2, variance=twin.variance * more), 0.95)
    assert (found["low"], found["high"]) == ([pytest.approx(low)], [pytest.approx(high)])


def test_one_pair_or_pairs():
    rows, _ = table()
    one, pairs, everything = (
        pw.estimate_items(rows, difference=given).differences.columns()
        for given in (("old", "new"), [("old", "new")], "all")
    )
    assert one == pairs == everything
    with pytest.raises(pw.ArgumentError, match="give a pair of systems, pairs, or 'all'"):
        pw.estimate_items(rows, difference="new")


def unpaired(seed, items=500, labels=60):
    """Scores of random rows: few items have one for both systems."""
    rows, truth = table(seed, items, items)
    drawn = set(np.random.default_rng([seed, 5]).choice(2 * items, labels, replace=False).tolist())
    return [{**row, "score": row["score"] if at in drawn else None} for at, row in enumerate(rows)], truth


def test_labels_of_one_system_count_in_a_difference():
    """60 scores on random rows: those of items that have both would give an interval that tells nothing."""
    rows, _ = unpaired(3)
    (row,) = pw.estimate_items(rows, difference=("new", "old")).differences.rows
    mean = row[2]
    assert mean.labelled_a + mean.labelled_b == 60
    assert mean.labelled_both < 6
    assert mean.labelled == 60 - mean.labelled_both
    assert mean.high - mean.low < 1
    assert mean.high - mean.low < mean.plain_high - mean.plain_low


@pytest.mark.slow
def test_differences_of_random_rows_hold():
    """100 trials of 60 scores on random rows of two systems: 95 in 100 hold, and the model's favour does not bias."""
    held, errors = 0, []
    for seed in range(100):
        rows, truth = unpaired(seed)
        mean = pw.estimate_items(rows, difference=("new", "old")).differences.rows[0][2]
        exact = truth["new"].mean() - truth["old"].mean()
        held += mean.low <= exact <= mean.high
        errors.append(mean.value - exact)
    assert held >= 89
    assert abs(np.mean(errors)) < 4 * np.std(errors) / 10


def test_intervals_are_cut_to_what_is_possible():
    scores = [1, 5, 5, 5, 5]
    rows = [{"item": n, "score": scores[n % 5] if n < 10 else None} for n in range(50)]
    seen = pw.estimate_items(rows)
    assert seen.scale == (1, 5)
    assert (seen.columns()["low"][0] >= 1, seen.columns()["high"][0]) == (True, 5)
    assert pw.estimate_items(rows, scale=(0, 10)).columns()["high"][0] > 5
    two = [{**row, "system": system, "score": row["score"] and (row["score"] if system == "a" else 6 - row["score"])}
           for row in rows for system in "ab"]  # fmt: skip
    (row,) = pw.estimate_items(two, difference=("a", "b")).differences.rows
    assert row[2].low >= -4
    assert row[2].high == 4
    with pytest.raises(pw.InputError, match="score 5 is not on the scale from 1 to 4"):
        pw.estimate_items(rows, scale=(1, 4))


def test_few_labels_have_not_met_the_ends_of_their_scale():
    """Ratings of 1 to 5, all as likely, three of them given: cut to what was given, intervals held in 73 %."""
    generator, held = np.random.default_rng(1), []
    for _ in range(200):
        scores = generator.integers(1, 6, 100)
        rows = [{"score": int(score) if n < 3 else None} for n, score in enumerate(scores)]
        with pytest.warns(pw.PoolwiseWarning, match="few"):
            (row,) = pw.estimate_items(rows).rows
        held.append(np.isnan(row.low) or row.low <= scores.mean() <= row.high)
    assert np.mean(held) > 0.88


def test_a_scale_that_is_given_makes_no_share_of_labels_that_are_0_and_1():
    rows = [{"score": n % 2 if n < 4 else None} for n in range(50)]
    with pytest.warns(pw.PoolwiseWarning, match="few"):
        found = pw.estimate_items(rows, scale=(0, 3))
    assert found.scale == (0, 3)
    assert found.rows[0].high > 1


def test_labels_needed_of_differences_say_both_ways():
    rows, _ = table()
    found = pw.estimate_items(rows, width=0.2, difference=("new", "old"))
    (paired,), (apart,) = (found.differences.columns()[f"labels_needed_{way}"] for way in ("paired", "apart"))
    assert paired < apart  # items differ more than systems
    assert paired % 2 == 0
    assert found.overview()["labels_needed"] == [*found.columns()["labels_needed"], paired]
    assert max(pw.estimate_items(rows, width=9).columns()["labels_needed"]) < 6


@pytest.mark.parametrize("shared", [0, 3, 4])
def test_labels_needed_in_pairs_are_told_where_enough_items_have_both(shared):
    """With hardly any pair nothing tells how alike the systems are; the number would be that of labels apart."""
    rows, _ = table(2, 500, 500)
    there = {("old", n) for n in range(30)} | {("new", n) for n in range(30 - shared, 60 - shared)}
    some = [{**row, "score": row["score"] if (row["system"], row["item"]) in there else None} for row in rows]
    told = "fewer labels may do than needed says" if shared > 3 else "labels needed in pairs are not told"
    with pytest.warns(pw.PoolwiseWarning, match=told):
        found = pw.estimate_items(some, width=0.3, difference=("new", "old")).differences.columns()
    assert found["labelled_both"] == [shared]
    assert (found["labels_needed_paired"][0] is not None) == (shared > 3)
    assert found["labels_needed_apart"][0] > 100
    pairs = {(system, n) for system in ("old", "new") for n in range(3)}
    few = [{**row, "score": row["score"] if (row["system"], row["item"]) in pairs else None} for row in rows]
    with pytest.warns(pw.PoolwiseWarning, match="few"):
        alike = pw.estimate_items(few, width=1.5, difference=("new", "old")).differences.columns()
    assert alike["labels_needed_paired"][0] is not None  # all labels are in pairs, and these vary as they do


def test_a_width_that_items_like_these_do_not_allow_has_no_number():
    rows, _ = table()
    assert pw.estimate_items(rows, width=0.01, interval="both").columns()["labels_needed"] == [None, None]
    assert pw.estimate_items(rows, width=0.01).columns()["labels_needed"] == [
        pytest.approx(400, abs=10), pytest.approx(400, abs=10)
    ]  # fmt: skip


@pytest.mark.slow
def test_labels_needed_give_the_width():
    """40 trials: a pilot of 30 items says how many; with so many labels intervals are as wide as wanted, on average."""
    widths = {"old": [], "new": [], "paired": [], "apart": []}
    for seed in range(40):
        rows, _ = table(seed, 500, 500)
        g = np.random.default_rng([seed, 6])
        order, other = g.permutation(500), g.permutation(500)

        def labelled(old, new, chosen, rows=rows, order=order):
            there = {("old", n) for n in order[:old].tolist()} | {("new", n) for n in chosen[:new].tolist()}
            return [{**row, "score": row["score"] if (row["system"], row["item"]) in there else None} for row in rows]

        pilot = pw.estimate_items(labelled(30, 30, order), width=0.3, difference=("new", "old"))
        for row in pw.estimate_items(labelled(*pilot.columns()["labels_needed"], order)).rows:
            widths[row.system].append(row.high - row.low)
        for way, chosen in (("paired", order), ("apart", other)):
            each = pilot.differences.columns()[f"labels_needed_{way}"][0] // 2
            mean = pw.estimate_items(labelled(each, each, chosen), difference=("new", "old")).differences.rows[0][2]
            widths[way].append(mean.high - mean.low)
    assert {name: np.mean(each) for name, each in widths.items()} == pytest.approx(dict.fromkeys(widths, 0.3), rel=0.1)


def test_results_are_drawn_and_shown_whole():
    rows, _ = table()
    found = pw.estimate_items(rows, difference=("new", "old"))
    drawn = found.plot()
    assert [list(trace.y) for trace in drawn.data] == [found.columns()["value"], found.columns()["plain"]]
    gap = found.differences.plot()
    assert list(gap.data[0].y) == found.differences.columns()["difference"]
    assert gap.layout.shapes[0].y0 == 0
    assert found.overview()["system"] == ["old", "new", "new - old"]
    assert "new - old" in found._repr_html_()
    (row,) = found.differences.rows
    assert f"{row[2].low:.4g} to {row[2].high:.4g}" in repr(found.differences)


def test_groups_are_tables_of_their_own():
    rows, _ = table()
    found = pw.estimate_items(rows, by="kind").columns()
    assert found["group"] == ["all", "a", "b"] * 2
    alone = pw.estimate_items([row for row in rows if row["kind"] == "b" and row["system"] == "old"]).columns()
    assert found["value"][2] == pytest.approx(alone["value"][0])


def test_shares_count_scores_from_a_threshold():
    rows, truth = table(labelled=400)
    found = pw.estimate_items(rows, share_from=4).columns()
    assert found["value"] == [pytest.approx((truth[name] >= 4).mean()) for name in ("old", "new")]
    assert found["low"] == found["value"]
    few = pw.estimate_items(table()[0], share_from=4).columns()
    assert all(0 <= low < high <= 1 for low, high in zip(few["low"], few["high"], strict=True))


def test_both_adds_the_variance_of_items():
    rows, _ = table()
    labels, both = (pw.estimate_items(rows, interval=kind).columns() for kind in ("labels", "both"))
    assert both["value"] == labels["value"]
    assert all(b > a for a, b in zip(labels["high"], both["high"], strict=True))
    whole = pw.estimate_items(table(labelled=400)[0], interval="both").columns()
    assert whole["low"][0] < whole["value"][0] < whole["high"][0]


def test_labels_that_were_picked_are_left_out():
    rows, _ = table()
    for row in rows:
        row["round"] = int(row["score"] is not None)
    expected = pw.estimate_items(rows).columns()["value"]
    picked = next(row for row in rows if row["score"] is None)
    picked["score"] = 5
    with pytest.warns(pw.PoolwiseWarning, match="1 score left out: their items were not drawn"):
        found = pw.estimate_items(rows)
    assert found.columns()["value"] == expected


def test_one_label_gives_no_estimate():
    with pytest.warns(pw.PoolwiseWarning, match="1 label of 3 items; no estimate"):
        found = pw.estimate_items([{"score": 1}, {"score": None}, {"score": None}])
    assert np.isnan(found.columns()["value"][0])


@pytest.mark.parametrize("ask", [pw.estimate_items, lambda rows, **more: pw.plan_items(rows, width=0.1, **more)])
def test_a_system_is_not_compared_with_itself(ask):
    rows, _ = table()
    for given in (("new", "new"), [("old", "new"), ("new", "new")]):
        with pytest.raises(pw.ArgumentError, match=r"difference=\['new', 'new'\] must be two different systems"):
            ask(rows, difference=given)


def test_the_size_of_predictions_does_not_matter():
    rows, _ = table()
    large = [{**row, "prediction": 2.0**1000 * row["prediction"]} for row in rows]
    one, same = (pw.estimate_items(given, difference="all") for given in (rows, large))
    assert same.columns() == one.columns()
    assert same.differences.columns() == one.differences.columns()
    assert one.columns()["value"] != one.columns()["plain"]
    assert pw.plan_items(large, budget=40).columns()["item"] == pw.plan_items(rows, budget=40).columns()["item"]


def test_without_a_column_of_scores_the_error_says_so():
    with pytest.raises(pw.InputError, match=r"no column is called score.* found item, people: .* --columns score="):
        pw.estimate_items([{"item": "a", "people": 1}])


def test_rates_that_do_not_fit_the_number_of_labels_are_told_of():
    rows = [{"score": float(n % 3) if n < 30 else None, "rate": 0.3} for n in range(100)]
    assert not pw.estimate_items(rows).warnings
    with pytest.warns(pw.PoolwiseWarning, match="rates say that 90 of 100 rows were drawn, but 30 have a score"):
        pw.estimate_items([{**row, "rate": 0.9} for row in rows])


def test_a_share_lies_within_its_interval():
    rows = [{"score": 4.0 if n < 40 else None} for n in range(300)]
    for at in (4, 5):
        row = pw.estimate_items(rows, share_from=at).rows[0]
        assert row.low <= row.value <= row.high
