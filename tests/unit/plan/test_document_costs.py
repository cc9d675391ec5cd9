"""Costs of documents: who gets labels, and what that costs."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.plan.allocation import Paths
from poolwise.plan.listing import list_pool
from poolwise.plan.plan_strata import make_cells, set_strata

RUNS = {
    name: {str(t): {f"d{(step * n) % 97}": 100.0 - n for n in range(60)} for t in range(3)}
    for name, step in (("a", 5), ("b", 7), ("c", 11))
}


def cells_of(pool):
    return make_cells(set_strata(list_pool(pool, None, 60, None, 0), (20,)))


def test_labels_go_by_the_root_of_worth_over_cost():
    """With equal worth, a stratum four times as dear gets half as many."""
    cells = cells_of(pw.read(None, RUNS))
    costs = np.where(cells.stratum == 1, 4.0, 1.0)
    squares = np.full(len(costs), 100.0)
    added = Paths(cells, squares, costs).added(240)
    dear, cheap = added[cells.stratum == 1], added[cells.stratum == 2]
    np.testing.assert_allclose(dear / cheap, 0.5, atol=0.06)
    spent = float(added @ costs)
    assert 240 - 3 * 4 <= spent <= 240


def test_without_costs_nothing_changes():
    cells = cells_of(pw.read(None, RUNS))
    squares = np.arange(1.0, len(cells.pooled) + 1)
    same = Paths(cells, squares, np.ones(len(squares))).added(30)
    np.testing.assert_array_equal(Paths(cells, squares).added(30), same)


def test_topics_may_get_more_where_labels_are_worth_more():
    cells = cells_of(pw.read(None, RUNS))
    squares = np.where(cells.topic == 0, 100.0, 1.0)
    equal, worth = (Paths(cells, squares, shares=shares).added(60) for shares in ("equal", "worth"))
    assert equal.sum() == worth.sum() == 60
    by_topic = np.bincount(cells.topic, worth)
    assert np.bincount(cells.topic, equal).tolist() == [20, 20, 20]
    assert by_topic[0] > 2 * by_topic[1]
    left = [np.sum(squares / np.maximum(added, 1)) for added in (equal, worth)]
    assert left[1] < left[0]


def test_a_plan_keeps_to_its_cost():
    pool = pw.read(None, RUNS)
    costs = {topic: {f"d{n}": 1.0 + n % 9 for n in range(97)} for topic in ("0", "1", "2")}
    for design in ("stratified", "model"):
        made = pool.plan(budget=150, design=design, costs=costs)
        drawn = [costs[topic][document] for topic, document in made.to_judge()]
        assert made.settings["cost"] == pytest.approx(sum(drawn))
        assert 0.6 * 150 < sum(drawn) < 1.4 * 150
    plain = pool.plan(budget=30, design="model")
    mean = np.mean([costs[topic][document] for topic, document in plain.to_judge()])
    assert np.mean(drawn) < mean
