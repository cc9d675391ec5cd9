"""Decisions at complete and sampled judgments."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from poolwise.comparisons.decisions import Confusion, confusion, decisions, random_pairs
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.scores.scores import Scores


def test_names_and_rates_follow_the_definition() -> None:
    # H0 kept at complete judgments: C11 kept, C12 rejected at the sample; rejected: C21 kept, C22 rejected.
    c11, c12, c21, c22 = 40, 10, 30, 220
    table = Confusion(c11, c12, c21, c22)
    assert table.pairs == 300
    assert table.accuracy == (c11 + c22) / 300
    assert table.g_mean == pytest.approx(sqrt(c11 / (c11 + c12) * c11 / (c11 + c21)))
    assert table.false_positive == c21 / (c21 + c22)
    assert table.false_negative == c12 / (c11 + c12)
    assert Confusion(0, 0, 0, 5).to_dict() == {
        "kept_kept": 0,
        "kept_rejected": 0,
        "rejected_kept": 0,
        "rejected_rejected": 5,
        "pairs": 5,
        "accuracy": 1.0,
        "g_mean": 0.0,
        "false_positive": 0.0,
        "false_negative": 0.0,
    }
    assert table + table == Confusion(2 * c11, 2 * c12, 2 * c21, 2 * c22)


def test_a_p_of_alpha_keeps_the_hypothesis() -> None:
    assert confusion([0.05, 0.049], [0.049, 0.05], alpha=0.05) == Confusion(0, 1, 1, 0)
    with pytest.raises(ArgumentError, match="same pairs"):
        confusion([0.1], [0.1, 0.2])


def test_p_is_from_scipys_wilcoxon_on_each_side() -> None:
    generator = np.random.default_rng(1)
    complete = generator.random((6, 25)) + 0.06 * np.arange(6)[:, None]
    sample = np.round(complete + 0.3 * generator.random((6, 25)), 1)
    found = decisions(complete, sample).confusion
    expected = np.zeros((2, 2), dtype=int)
    for i in range(6):
        for j in range(i + 1, 6):
            rejected = [
                int(stats.wilcoxon(np.round(side[i] - side[j], 10)).pvalue < 0.05) for side in (complete, sample)
            ]
            expected[rejected[0], rejected[1]] += 1
    cells = [found.kept_kept, found.kept_rejected, found.rejected_kept, found.rejected_rejected]
    assert cells == expected.ravel().tolist()
    assert min(cells[0], cells[3]) > 0


def test_random_pairs_are_distinct_and_repeat_with_the_seed() -> None:
    first, second = random_pairs(50, 300, seed=1)
    assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == 300
    assert np.all(first < second)
    assert np.array_equal(first, random_pairs(50, 300, seed=1)[0])
    assert not np.array_equal(first, random_pairs(50, 300, seed=2)[0])
    assert len(random_pairs(20)[0]) == 190
    with pytest.raises(ArgumentError, match="pairs=0 must be a whole number of at least 1"):
        random_pairs(5, 0)


def test_the_same_scores_decide_the_same_and_views_work() -> None:
    values = np.random.default_rng(1).random((5, 30)) + 0.1 * np.arange(5)[:, None]
    scores = Scores.from_arrays(list("abcde"), [str(i) for i in range(30)], {"AP": values})
    found = decisions(scores, scores, "AP", pairs=6, seed=3)
    assert found.confusion.pairs == 6
    assert found.confusion.accuracy == 1.0
    assert found.to_frame()["accuracy"].tolist() == [1.0]
    assert found.to_dict()["seed"] == 3
    assert "g_mean" in found._repr_html_()


def test_both_sides_must_match() -> None:
    values = np.random.default_rng(1).random((3, 12))
    topics = [str(i) for i in range(12)]
    complete = Scores.from_arrays(list("abc"), topics, {"AP": values})
    other = Scores.from_arrays(list("abd"), topics, {"AP": values})
    with pytest.raises(InputError, match="need the same runs in the same order"):
        decisions(complete, other)
    with pytest.warns(PoolwiseWarning, match="only 4 topics"):
        assert decisions(values[:, :4], values[:, :4]).warnings
