"""Groups of topics: intervals and counts by hand, interaction against an analysis of variance and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, f, t

import poolwise as pw
from poolwise.comparisons.topic_groups import topic_groups


class Table:
    """Scores as topic_groups takes them."""

    def __init__(self, values):
        self.values = np.asarray(values, dtype=float)
        self.runs = [f"r{number}" for number in range(len(self.values))]
        self.topics = [str(number) for number in range(self.values.shape[1])]
        self.measures = ["AP"]

    def array(self, measure):
        return self.values


def halves(topics, first):
    return {str(topic): "x" if topic < first else "y" for topic in range(topics)}


def test_intervals_are_bonferronis_over_runs_and_groups():
    values = np.random.default_rng(1).random((3, 20))
    found = topic_groups(Table(values), halves(20, 8), level=0.9)
    for place, part in enumerate((values[:, :8], values[:, 8:])):
        half = t.ppf(1 - 0.1 / 12, part.shape[1] - 1) * part.std(axis=1, ddof=1) / np.sqrt(part.shape[1])
        assert found.means[:, place] == pytest.approx(part.mean(axis=1))
        assert found.low[:, place] == pytest.approx(part.mean(axis=1) - half)
        assert found.high[:, place] == pytest.approx(part.mean(axis=1) + half)


def test_intervals_stay_where_means_can_be():
    values = np.random.default_rng(1).beta(0.2, 0.9, (3, 20))
    table = Table(values)
    found = topic_groups(table, halves(20, 8))
    assert found.low.min() == 0.0
    assert found.high.max() <= 1.0
    table.measures = ["clicks"]  # of which nothing is known
    assert topic_groups(table, halves(20, 8)).low.min() < 0.0


def test_wins_losses_and_ties_are_counted_by_group():
    values = [[0.5, 0.5, 0.1, 0.9, 0.3], [0.4, 0.5, 0.2, 0.1, 0.3]]
    with pytest.warns(pw.PoolwiseWarning, match="fewer than 5 topics"):
        found = topic_groups(Table(values), halves(5, 3))
    assert (found.wins.tolist(), found.losses.tolist(), found.ties.tolist()) == ([[1, 1]], [[1, 0]], [[1, 1]])
    assert found.topics == [3, 2]
    columns = found.pair_columns()
    assert columns["run_a"] == ["r0", "r0"]
    assert columns["difference"] == pytest.approx([0.0, 0.4])


def test_interaction_is_that_of_an_analysis_of_variance():
    """Sum of squares of runs x groups with topics in groups; permutations come near its F test for normal scores."""
    random = np.random.default_rng(3)
    values = random.normal(size=(4, 30)) + random.normal(size=30)
    values[0, :12] += 0.8
    found = topic_groups(Table(values), halves(30, 12), seed=1)
    cells = np.stack([values[:, :12].mean(axis=1), values[:, 12:].mean(axis=1)], axis=1)
    sizes = np.array([12, 18])
    runs = values.mean(axis=1)
    squares = float((sizes * (cells - cells.mean(axis=0) - (runs - runs.mean())[:, None]) ** 2).sum())
    assert found.interaction == pytest.approx(squares)
    within = 0.0
    for part in (values[:, :12], values[:, 12:]):
        within += float(((part - part.mean(axis=0) - part.mean(axis=1, keepdims=True) + part.mean()) ** 2).sum())
    expected = f.sf((squares / 3) / (within / (3 * 28)), 3, 3 * 28)
    assert found.p_interaction == pytest.approx(expected, abs=0.02)


def test_hard_topics_are_no_interaction():
    random = np.random.default_rng(4)
    values = np.array([[0.1], [0.3]]) + 0.01 * random.normal(size=(2, 20))
    values[:, :10] += 0.5
    assert topic_groups(Table(values), halves(20, 10)).p_interaction > 0.05


@pytest.mark.slow
def test_interaction_keeps_its_level():
    found = []
    for seed in range(400):
        values = np.random.default_rng(seed).random((3, 16))
        found.append(topic_groups(Table(values), halves(16, 6), resamples=199, seed=seed).p_interaction)
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.05, abs=0.03)


@pytest.mark.slow
def test_intervals_hold_all_means_together():
    random = np.random.default_rng(7)
    held = 0
    for _ in range(400):
        found = topic_groups(Table(random.normal(size=(4, 24))), halves(24, 10), resamples=1)
        held += bool(((found.low <= 0) & (found.high >= 0)).all())
    assert held / 400 >= 0.93


def test_one_group_or_run_has_no_interaction():
    values = np.random.default_rng(1).random((1, 12))
    found = topic_groups(Table(values), halves(12, 6))
    assert np.isnan(found.p_interaction)
    assert found.run_a == []
    assert found.columns()["group"] == ["x", "y"]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_equal_scores_of_a_group_do_not_make_its_mean_certain():
    """Three topics with a success each: Clopper and Pearson's interval at Bonferroni's level; its width was 0."""
    table = pw.Scores.from_arrays(["a"], list("123456"), {"Success@5": np.array([[1.0, 1, 1, 0, 1, 1]])})
    found = topic_groups(table, {topic: "one" if topic in "123" else "two" for topic in "123456"})
    expected = binomtest(3, 3).proportion_ci(0.975, method="exact")
    assert (found.low[0, 0], found.high[0, 0]) == pytest.approx((expected.low, 1.0))
