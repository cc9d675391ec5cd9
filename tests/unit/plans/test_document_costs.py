"""Costs of documents: who gets labels, and what that costs."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.plans.listing import list_pool
from poolwise.plans.plan_strata import make_cells, set_strata
from poolwise.sampling.allocate import Allocation

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
    added = Allocation(cells, squares, costs).added(240)
    dear, cheap = added[cells.stratum == 1], added[cells.stratum == 2]
    np.testing.assert_allclose(dear / cheap, 0.5, atol=0.06)
    spent = float(added @ costs)
    assert 240 - 3 * 4 <= spent <= 240


def test_without_costs_nothing_changes():
    cells = cells_of(pw.read(None, RUNS))
    squares = np.arange(1.0, len(cells.size) + 1)
    same = Allocation(cells, squares, np.ones(len(squares))).added(30)
    np.testing.assert_array_equal(Allocation(cells, squares).added(30), same)


def test_topics_may_get_more_where_labels_are_worth_more():
    cells = cells_of(pw.read(None, RUNS))
    squares = np.where(cells.parent == 0, 100.0, 1.0)
    equal, worth = (Allocation(cells, squares, shares=shares).added(60) for shares in ("equal", "worth"))
    assert equal.sum() == worth.sum() == 60
    by_topic = np.bincount(cells.parent, worth)
    assert np.bincount(cells.parent, equal).tolist() == [20, 20, 20]
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


def test_a_budget_is_filled_topic_by_topic():
    """Nothing that is left would pay for the next judgment of any topic, and topics cost about the same."""
    cells = cells_of(pw.read(None, RUNS))
    random = np.random.default_rng(4)
    for budget in (7, 30, 111, 240):
        costs = random.uniform(0.5, 6.0, len(cells.size))
        paths = Allocation(cells, random.uniform(1.0, 9.0, len(costs)), costs)
        added = paths.added(budget)
        left = budget - added @ costs
        by_topic = np.bincount(cells.parent, added * costs)
        dearest = float(costs.max())
        assert 0.0 <= left < dearest
        assert np.ptp(by_topic) <= 2 * dearest
        assert paths.capacity == np.ceil(cells.size @ costs)


def test_every_topic_has_a_judgment_before_any_has_two():
    cells = cells_of(pw.read(None, RUNS))
    costs = np.where(cells.parent == 1, 5.0, 1.0)  # a topic that is dear
    added = Allocation(cells, np.ones(len(costs)), costs).added(9)
    assert np.bincount(cells.parent, added).tolist() == [2, 1, 2]
    assert added @ costs == 9


def test_costs_that_pay_for_less_than_a_judgment_a_topic_have_topics_drawn():
    """As a budget of as many judgments does without costs."""
    many = {name: {str(t): own["0"] for t in range(30)} for name, own in RUNS.items()}
    pool = pw.read(None, many)
    costs = {str(t): {f"d{n}": 100.0 for n in range(97)} for t in range(30)}
    dear, plain = pool.plan(budget=2000, costs=costs, seed=3), pool.plan(budget=20, seed=3)
    assert dear.settings["topics"] == plain.settings["topics"] == (5, 30)
    assert dear.to_judge() == plain.to_judge()
    assert dear.settings["cost"] == 2000


def test_what_is_not_spent_or_has_no_cost_is_said():
    pool = pw.read(None, RUNS)
    costs = {topic: {f"d{n}": 2.0 for n in range(90)} for topic in ("0", "1", "2")}
    documents = sum(len(pool.documents(topic)) for topic in pool.topics)
    missing = sum(int(d[1:]) >= 90 for topic in pool.topics for d in pool.documents(topic))
    assert missing
    with pytest.warns(pw.PoolwiseWarning) as said:
        made = pool.plan(budget=5000, costs=costs)
    words = [str(one.message) for one in said]
    assert f"only {2 * documents} of 5000 units of cost are spent; no more documents are left" in words
    assert f"{missing} of {documents} pooled documents have no cost; the mean of the others is taken" in words
    assert made.settings["cost"] == 2 * documents


def test_strata_of_a_stratified_plan_go_by_what_the_budget_pays_for():
    pool = pw.read(None, RUNS)
    costs = {topic: {f"d{n}": 10.0 for n in range(97)} for topic in ("0", "1", "2")}
    dear, plain = pool.plan(budget=120, costs=costs, seed=1), pool.plan(budget=12, seed=1)
    assert dear.stratum == plain.stratum
    assert dear.to_judge() == plain.to_judge()


def test_forecasts_of_costs_are_by_cost():
    pool = pw.read(None, RUNS)
    costs = {topic: {f"d{n}": 3.0 for n in range(97)} for topic in ("0", "1", "2")}
    dear, plain = pool.plan(budget=90, costs=costs, forecast=True), pool.plan(budget=30, forecast=True)
    assert dear.forecast.headline().endswith("to expect, by cost of labels")
    assert "labels" not in dear.forecast.columns()
    at = [one.columns() for one in (dear.forecast, plain.forecast)]
    widths = [dict(zip(zip(own["run"], own[unit], strict=True), own["width"], strict=True))
              for own, unit in zip(at, ("cost", "labels"), strict=True)]  # fmt: skip
    for run in ("a", "b", "c"):
        assert widths[0][run, 90] == pytest.approx(widths[1][run, 30])


def test_a_document_has_one_cost():
    pool = pw.read(None, RUNS)
    rows = [(topic, f"d{n}", 2.0) for topic in ("0", "1", "2") for n in range(97)]
    twice = pool.plan(budget=40, costs=[*rows, rows[0]], seed=1)
    assert twice.to_judge() == pool.plan(budget=40, costs=rows, seed=1).to_judge()
    with pytest.raises(pw.PoolwiseError, match="costs: topic '0': document 'd0' costs 2 and 7; remove one of the two"):
        pool.plan(budget=40, costs=[*rows, ("0", "d0", 7.0)])


def test_costs_that_are_no_numbers_are_refused_without_talk_of_ranks():
    pool = pw.read(None, RUNS)
    with pytest.raises(
        pw.PoolwiseError, match=r"costs: row 1: value inf is not finite; leave the cell empty for none$"
    ):
        pool.plan(budget=40, costs=[("0", "d0", float("inf"))])


VALUES = ((1, 2, 10), (0.5, 1, 30), (1, 100), (3, 3.5))


@pytest.mark.parametrize("design", ["stratified", "model"])
@pytest.mark.parametrize("values", VALUES)
def test_a_plan_is_never_over_its_budget_and_one_document_more_would_be(design, values):
    runs = {name: {str(t): dict(own["0"]) for t in range(6)} for name, own in RUNS.items()}
    pool, random = pw.read(None, runs), np.random.default_rng(len(values))
    rows = [(topic, document, random.choice(values)) for topic in pool.topics for document in pool.documents(topic)]
    of = {(topic, document): cost for topic, document, cost in rows}
    labels = {(topic, document): 0 for topic, document, _ in rows}
    for seed in range(3):
        first = None
        for budget in (int(25 * max(values)), int(9 * max(values))):
            if first is not None:
                pilot = first.merge([(*pair, labels[pair]) for pair in first.to_judge()])
            made = (pool if first is None else pw.read(pilot, runs)).plan(
                budget=budget, costs=rows, seed=seed, design=design, depth=60
            )
            spent = sum(of[pair] for pair in made.to_judge())
            assert budget - max(values) < spent <= budget * (1 + 1e-9)
            assert made.settings["cost"] == pytest.approx(spent)
            assert len({topic for topic, _ in made.to_judge()}) == 6 or first is not None
            assert made.columns()["cost"] == [of[pair] for pair in zip(made.topic, made.document, strict=True)]
            first = made


def means_of_cells(paths, values, costs, budget, random, trials, go_on=False):
    """Over random orders of documents: the mean of what is drawn of each cell, less the mean of all of it."""
    cells = paths.cells
    ends = np.cumsum(cells.size)
    found = []
    for _ in range(trials):
        order = np.concatenate(
            [random.permutation(np.arange(end - size, end)) for end, size in zip(ends, cells.size, strict=True)]
        )
        if go_on:
            taken, left = [[] for _ in ends], budget
            position = list(ends - cells.size)
            for cell in paths._sequence:
                document = order[position[cell]]
                position[cell] += 1
                if costs[document] <= left:
                    left -= costs[document]
                    taken[cell].append(document)
            found.append([values[each].mean() for each in taken])
            continue
        added = paths.paid(budget, costs[order])
        assert (
            costs[order][
                np.concatenate([np.arange(e - n, e - n + k) for e, n, k in zip(ends, cells.size, added, strict=True)])
            ].sum()
            <= budget
        )
        found.append([values[order[e - n : e - n + k]].mean() for e, n, k in zip(ends, cells.size, added, strict=True)])
    truth = [values[e - n : e].mean() for e, n in zip(ends, cells.size, strict=True)]
    return np.asarray(found) - truth


def test_where_a_budget_ends_favours_no_document():
    """Means of strata are unbiased where dear documents are the relevant ones; going on with cheaper ones is not."""
    cells = cells_of(pw.read(None, RUNS))
    random = np.random.default_rng(2)
    costs = random.choice([1.0, 2.0, 30.0], int(cells.size.sum()), p=[0.5, 0.3, 0.2])
    values = (costs > 2) * 1.0
    paths = Allocation(
        cells, np.ones(len(cells.size)), np.array([c.mean() for c in np.split(costs, np.cumsum(cells.size)[:-1])])
    )
    errors = {}
    for go_on in (False, True):
        off = means_of_cells(paths, values, costs, 400.0, random, 1500, go_on)
        errors[go_on] = off.mean(axis=0) / (off.std(axis=0) / np.sqrt(len(off)))
    assert np.abs(errors[False]).max() < 3.5
    assert errors[True].min() < -6


def test_a_refusal_speaks_of_cost():
    runs = {name: {str(t): own["0"] for t in range(20)} for name, own in RUNS.items()}
    pool, random = pw.read(None, runs), np.random.default_rng(0)
    rows = [(topic, document, random.choice([1, 100])) for topic in pool.topics for document in pool.documents(topic)]
    with pytest.raises(pw.ArgumentError) as refused:
        pool.plan(budget=200, costs=rows, depth=60)
    assert str(refused.value).startswith("a budget of 200 pays for about 3 documents, at 5")
    assert "judgment" not in str(refused.value)


def test_a_budget_that_ends_before_every_topic_is_reached_is_refused():
    """A topic that is dearer than all others together, of which nothing told beforehand."""
    cells = cells_of(pw.read(None, RUNS))
    costs = np.ones(int(cells.size.sum()))
    costs[np.repeat(cells.parent, cells.size) == 2] = 50.0
    paths = Allocation(cells, np.ones(len(cells.size)))
    with pytest.raises(
        pw.ArgumentError,
        match="a budget of 20 does not pay for a document of each topic: the first 3 in the order of the draw cost 52",
    ):
        paths.paid(20, costs)
    assert paths.paid(52, costs).sum() == 3
