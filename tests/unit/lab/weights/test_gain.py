"""The most stable gains: against the twin, brute force, and the jumps that gains of 0 make."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.pools import UNJUDGED, LabelPool, random_pool

from poolwise.errors import ArgumentError, PoolwiseWarning
from poolwise.lab.weights.discount_gain import optimal_gain
from poolwise.lab.weights.grades import GradeProblem, Peak, peaks
from poolwise.lab.weights.labels import RankedLabels, discounts_of, gains_of

LOG2 = discounts_of("log2", 10)


def problem_of(pool: LabelPool, cutoff: int = 10, negative: str = "zero") -> GradeProblem:
    return GradeProblem.from_labels(RankedLabels.from_pool(pool, cutoff), discounts_of("log2", cutoff), negative)


def distinct(found: list[Peak]) -> list[Peak]:
    kept: list[Peak] = []
    for peak in found:
        if all(abs(peak.value - other.value) > 1e-9 for other in kept):
            kept.append(peak)
    return kept


@pytest.mark.parametrize("negative", ["zero", "keep", "minmax"])
def test_scores_are_those_of_the_twin_in_any_order_of_gains(negative: str) -> None:
    pool = random_pool(1, labels=(-2, -1, 0, 1, 2, 3))
    problem = problem_of(pool, negative=negative)
    generator = np.random.default_rng(2)
    for _ in range(5):
        gains = generator.random(len(problem.labels)) * np.sign(problem.labels)
        gains[generator.integers(len(gains))] = 0.0
        named = dict(zip(problem.labels.tolist(), gains.tolist(), strict=True))
        expected = np.array(pool.scores(LOG2, named, negative))
        assert problem.scores(gains) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_no_point_of_a_fine_line_is_better(seed: int, monotone: bool) -> None:
    pool = random_pool(seed, runs=12, topics=14)
    result = optimal_gain(pool, 10, monotone=monotone, splits=0)
    problem = problem_of(pool)
    shares = np.linspace(0.5 if monotone else 0.0, 1.0, 2001)
    values = [problem.value(np.array([1 - share, share])) for share in shares]
    assert max(values) <= result.phi + 1e-12
    assert result.phi - max(values) < 1e-5
    assert result.phi == pytest.approx(pool.phi(LOG2, result.gains))
    assert sum(result.gains.values()) == pytest.approx(1.0)
    assert result.converged
    assert result.perturbed < 1e-12


def two_peaked() -> LabelPool:
    """Half of the runs are good at label 1 and bad at label 2, so that one of the labels must be chosen."""
    generator = np.random.default_rng(3)
    quality = np.linspace(0.1, 0.9, 12)
    chance = generator.random((2, 12, 20, 10)) * generator.uniform(0.6, 1.4, size=(1, 1, 20, 1))
    labels = np.where(chance[0] < quality[:, None, None] / 2, 1, 0)
    labels = np.where(chance[1] < (1 - quality)[:, None, None] / 2, 2, labels)
    return LabelPool(labels.astype(np.int32), np.array([0, 1, 2]), np.tile([30, 8, 8], (20, 1)))


@pytest.mark.slow
def test_both_of_two_maxima_are_seen_and_the_higher_is_taken() -> None:
    problem = problem_of(two_peaked())
    shares = np.linspace(0, 1, 1001)
    values = np.array([problem.value(np.array([1 - share, share])) for share in shares])
    inner = (values[1:-1] > values[:-2]) & (values[1:-1] > values[2:])
    ends = [values[0] > values[1], values[-1] > values[-2]]
    assert inner.sum() + sum(ends) == 2
    found = distinct(peaks(problem, {}, monotone=False))
    assert found[0].value == pytest.approx(values.max(), abs=1e-5)
    tops = np.sort(np.concatenate([values[1:-1][inner], values[[0, -1]][ends]]))
    assert any(peak.value == pytest.approx(tops[0], abs=1e-5) for peak in found[1:])


@pytest.mark.slow
@pytest.mark.parametrize("negative", ["zero", "keep", "minmax"])
@pytest.mark.parametrize("monotone", [True, False])
def test_no_random_gains_of_many_labels_are_better(monotone: bool, negative: str) -> None:
    pool = random_pool(5, runs=12, topics=14, labels=(-2, 0, 1, 2, 3))
    result = optimal_gain(pool, 10, monotone=monotone, negative=negative, splits=0)
    problem = problem_of(pool, negative=negative)
    generator = np.random.default_rng(1)
    for _ in range(400):
        gains = generator.dirichlet(np.full(len(problem.labels), 0.6)) * np.sign(problem.labels)
        if monotone:
            gains = np.sort(gains)
        assert problem.value(gains) <= result.phi + 1e-10
    assert result.converged
    assert result.phi >= max(result.others.values())
    assert sum(abs(gain) for gain in result.gains.values()) == pytest.approx(1.0)
    values = [result.gains.get(label, 0.0) for label in problem.labels.tolist()]
    assert all(gain * label >= 0 for gain, label in zip(values, problem.labels, strict=True))
    assert not monotone or values == sorted(values)


def test_negative_labels_have_no_gain_unless_asked() -> None:
    pool = random_pool(5, labels=(-2, 0, 1, 2))
    assert -2 not in optimal_gain(pool, 10, splits=0).gains
    assert optimal_gain(pool, 10, negative="minmax", splits=0).gains[-2] <= 0.0


def test_more_grades_than_all_orders_are_searched_by_exchange() -> None:
    pool = random_pool(2, runs=12, topics=14, depth=20, labels=(0, 1, 2, 3, 4, 5))
    free = optimal_gain(pool, 15, monotone=False, splits=0)
    assert free.phi >= optimal_gain(pool, 15, splits=0).phi
    problem = problem_of(pool, 15)
    order = np.argsort([free.gains.get(label, 0.0) for label in (1, 2, 3, 4, 5)])
    for place in range(4):
        values = np.array([free.gains.get(label, 0.0) for label in (1, 2, 3, 4, 5)])
        values[order[place]], values[order[place + 1]] = values[order[place + 1]], values[order[place]]
        assert problem.value(values) <= free.phi + 1e-12


def half_binary() -> LabelPool:
    """Half of the topics have no document of label 2, and on these every run finds the same."""
    pool = two_peaked()
    at_rank = pool.at_rank.copy()
    at_rank[:, 10:] = np.where(np.arange(10) < 5, 1, UNJUDGED)
    counts = pool.counts.copy()
    counts[10:, 2] = 0
    return LabelPool(at_rank, pool.labels, counts)


def test_gains_of_exactly_0_are_tried_where_scores_jump() -> None:
    """Without label 1 half of the topics score 0 for all runs: not the limit of ever smaller gains."""
    pool = half_binary()
    problem = problem_of(pool)
    result = optimal_gain(pool, 10, splits=0)
    shares = np.append(np.linspace(0.5, 1.0, 501), 1 - np.geomspace(1e-9, 1e-2, 50))
    values = [problem.value(np.array([1 - share, share])) for share in shares]
    assert max(values) <= result.phi + 1e-9
    jump = problem.value(np.array([0.0, 1.0])) - problem.value(np.array([1e-9, 1.0]))
    assert abs(jump) > 1e-3


def test_one_label_leaves_nothing_to_choose() -> None:
    with pytest.warns(PoolwiseWarning, match="no gains to choose"):
        result = optimal_gain(random_pool(1, labels=(0, 1)), 10, splits=0)
    assert result.gains == {1: 1.0}


def test_held_out_gains_are_compared_with_linear() -> None:
    result = optimal_gain(random_pool(4, runs=12, topics=16), 10, splits=2)
    assert [part.facet for part in result.held_out] == ["topics", "runs"]
    assert list(result.held_out[0].phi) == ["optimal", "linear", "exp", "binary"]
    assert result.held_out[0].difference["optimal"] == 0.0


def test_discounts_are_taken_as_given() -> None:
    pool = random_pool(1)
    named, listed = (optimal_gain(pool, 10, discount=given, splits=0) for given in ("zipf", discounts_of("zipf", 12)))
    assert named.phi == pytest.approx(listed.phi, rel=1e-12)
    assert named.discounts == pytest.approx(discounts_of("zipf", 10))
    for given, message in (
        ([1.0, 0.5], "cut-off of at most 2"),
        ("cosine", "'log2', 'jk', 'zipf'"),
        ([0.0] * 10, "all be 0"),
    ):
        with pytest.raises(ArgumentError, match=message):
            optimal_gain(pool, 10, discount=given)


def test_tables_hold_the_pinned_columns() -> None:
    result = optimal_gain(random_pool(1), 10, splits=0)
    table = result.table("gains")
    assert list(table) == ["cutoff", "grade", "optimal", "linear", "exp", "binary"]
    assert table["grade"] == [1, 2]
    assert table["linear"] == pytest.approx([1 / 3, 2 / 3])
    assert result.table()["variant"] == ["optimal", "linear", "exp", "binary"]
    assert gains_of(np.array([1, 2]), result.gains, "zero") == pytest.approx(list(result.gains.values()))
