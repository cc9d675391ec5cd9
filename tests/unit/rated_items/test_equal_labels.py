"""Labels that are all the same, and predictions that fit them all: nothing varies, and that may be chance."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw

FLAGGED, OTHERS = 100, 900  # items, of which 20 and 10 are labelled
HOW = {"stratum": lambda flagged: str(flagged), "rate": lambda flagged: 0.2 if flagged else 10 / OTHERS}


@pytest.mark.parametrize("scores", [(0, 1), (5, 1)])
@pytest.mark.parametrize("column", HOW)
def test_equal_labels_of_the_largest_part_do_not_make_sure(column, scores):
    """Ten labels say little of 900 items, one in twenty of which is unlike; intervals held in 37 to 43 %."""
    generator, held = np.random.default_rng(2), []
    for _ in range(150):
        rows, truth = [], []
        for flagged, items, labels, chance in ((True, FLAGGED, 20, 0.5), (False, OTHERS, 10, 0.05)):
            values = np.where(generator.random(items) < chance, scores[1], scores[0])
            truth += values.tolist()
            rows += [
                {"score": int(value) if n < labels else None, column: HOW[column](flagged)}
                for n, value in enumerate(values)
            ]
        (row,) = pw.estimate_items(rows).rows
        held.append(row.low <= np.mean(truth) <= row.high)
    assert np.mean(held) > 0.92


@pytest.mark.parametrize("apart", [0, 15])
def test_equal_differences_of_the_largest_part_do_not_make_sure(apart):
    """As above, of two systems in pairs, and on other items."""
    generator, held = np.random.default_rng(3), []
    for _ in range(100):
        rows, truth = [], 0.0
        for stratum, items, labels, chances in (("f", FLAGGED, 20, (0.6, 0.4)), ("o", OTHERS, 10, (0.15, 0.02))):
            for system, chance, first in zip("ab", chances, (0, apart), strict=True):
                values = generator.random(items) < chance
                truth += values.sum() * (1 if system == "a" else -1) / (FLAGGED + OTHERS)
                rows += [
                    {"item": f"{stratum}{n}", "system": system, "stratum": stratum,
                     "score": int(value) if first <= n < first + labels else None}
                    for n, value in enumerate(values)
                ]  # fmt: skip
        ((_, _, row),) = pw.estimate_items(rows, difference=("a", "b")).differences.rows
        held.append(row.low <= truth <= row.high)
    assert np.mean(held) > 0.92


def rated(scores, items=100, told=None, **more):
    """A table of items, the first of them labelled, with a prediction for each if there are any."""
    rows = [{"item": n, "score": scores[n] if n < len(scores) else None, **more} for n in range(items)]
    return rows if told is None else [{**row, "prediction": each} for row, each in zip(rows, told, strict=True)]


def ends(columns):
    return [columns[name][0] for name in ("low", "high", "plain_low", "plain_high")]


@pytest.mark.parametrize("told", [None, [3.5] * 100, [n % 7 for n in range(100)]])
@pytest.mark.parametrize("score", [4, 0.1])
def test_equal_labels_have_no_interval(told, score):
    """80 of 100 items are unknown, and nothing says how they are scored; with constant predictions or others."""
    with pytest.warns(pw.PoolwiseWarning, match="all labels are the same, so nothing tells .* no interval; .*--scale"):
        found = pw.estimate_items(rated([score] * 20, told=told), width=0.2).columns()
    assert (found["value"], found["plain"]) == ([pytest.approx(score)], [pytest.approx(score)])
    assert np.isnan(ends(found)).all()
    assert found["labels_needed"] == [None]


def test_equal_labels_on_a_scale_leave_as_many_others_as_a_share_does():
    """A twin: the share of items scored 4, of which all 20 labelled ones are, says how many may be 1 or 5."""
    low, high = (pw.estimate_items(rated([1] * 20)).columns()[name][0] for name in ("low", "high"))
    assert (low < 0.9, high) == (True, 1)
    found = pw.estimate_items(rated([4] * 20, told=list(range(100))), scale=(1, 5), width=0.3)
    wanted = [4 - 3 * (1 - low), 4 + (1 - low)]
    assert ends(found.columns()) == pytest.approx(wanted * 2)
    (needed,) = found.columns()["labels_needed"]
    low, high = ends(pw.estimate_items(rated([4] * needed), scale=(1, 5)).columns())[:2]
    assert high - low <= 0.3 < wanted[1] - wanted[0]


def test_equal_labels_of_all_items_are_sure_of_these_items_only():
    whole = rated([4] * 100)
    assert ends(pw.estimate_items(whole, scale=(1, 5)).columns()) == pytest.approx([4] * 4, abs=1e-12)
    low, high = ends(pw.estimate_items(whole, scale=(1, 5), interval="both").columns())[:2]
    assert low < 4 < high
    (share,) = pw.estimate_items(rated([1] * 100), interval="both").columns()["low"]
    assert low == pytest.approx(4 - 3 * (1 - share))


def test_labels_that_are_the_same_in_strata_have_no_interval():
    rows = [
        {**row, "stratum": row["item"] % 2, "score": row["score"] and 2 + row["item"] % 2} for row in rated([1] * 20)
    ]
    with pytest.warns(pw.PoolwiseWarning, match="the same within every stratum, .* no interval$"):
        found = pw.estimate_items(rows, scale=(1, 5)).columns()
    assert np.isnan(ends(found)).all()


@pytest.mark.parametrize("worse", [0, 1])
@pytest.mark.parametrize(
    "scores", [[n % 5 for n in range(100)], [0.1 * (n % 3) for n in range(100)], [n % 2 for n in range(100)]]
)
def test_predictions_without_error_do_not_make_sure(worse, scores):
    """Residuals are the same, labels are not: as wide as without predictions, about the value that these give."""
    told = [score + worse for score in scores]
    with pytest.warns(pw.PoolwiseWarning, match="predictions fit every labelled item without error"):
        found = pw.estimate_items(rated(scores[:20], told=told), width=0.3).columns()
    assert found["value"] == [pytest.approx(np.mean(scores))]
    low, high, plain_low, plain_high = ends(found)
    assert high - low == pytest.approx(plain_high - plain_low, rel=0.05)
    alone = pw.estimate_items(rated(scores[:20]), width=0.3).columns()
    assert found["labels_needed"] == pytest.approx(alone["labels_needed"], abs=2)


def test_differences_that_are_all_the_same():
    """New is 1 better than old on all labelled items; so is a model that says by how much."""
    base = [2 + n % 3 for n in range(100)]
    rows = rated(base[:20], system="old") + rated([score + 1 for score in base[:20]], system="new")
    (found,) = pw.estimate_items(rows, difference=("new", "old"), scale=(1, 6), width=0.3).differences.rows
    low = pw.estimate_items(rated([1] * 20)).columns()["low"][0]
    assert (found[2].low, found[2].high) == pytest.approx((1 - 6 * (1 - low), 1 + 4 * (1 - low)))
    assert found[2].needed > 40
    apart = [{**row, "score": None if (row["item"] < 10) == (row["system"] == "new") else 4} for row in rows
             if row["item"] < 20] + [row for row in rows if row["item"] >= 20]  # fmt: skip
    with pytest.warns(pw.PoolwiseWarning, match="new - old: labels do not vary, .* no interval$"):
        asked = pw.estimate_items(apart, difference=("new", "old"), scale=(1, 6))
    (found,) = asked.differences.rows
    assert asked.differences.headline() == "new - old: 0 (no interval)"
    assert np.isnan([found[2].low, found[2].high]).all()


def test_predictions_of_differences_without_error_do_not_make_sure():
    g = np.random.default_rng(7)
    scores = {system: g.integers(1, 6, 100).tolist() for system in ("old", "new")}
    rows = [row for system, each in scores.items() for row in rated(each[:20], told=each, system=system)]
    with pytest.warns(pw.PoolwiseWarning, match="new - old: predictions fit every labelled item"):
        (found,) = pw.estimate_items(rows, difference=("new", "old"), width=0.5).differences.rows
    mean = found[2]
    assert mean.value == pytest.approx(np.mean(scores["new"]) - np.mean(scores["old"]))
    assert mean.high - mean.low == pytest.approx(mean.plain_high - mean.plain_low)
    assert 40 < mean.needed < 200


def test_predictions_that_are_the_same_on_labelled_items_move_nothing():
    """However far those of other items are off: nothing says what a step of such predictions means."""
    g = np.random.default_rng(3)
    scores = g.random(21).tolist()
    found = pw.estimate_items(rated(scores, told=[0.3] * 21 + [1e6] * 79)).columns()
    assert found["value"] == found["plain"] == [pytest.approx(np.mean(scores))]
