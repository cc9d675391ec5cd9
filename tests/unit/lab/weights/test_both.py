"""Discounts and gains at once: against brute force, the separate optima, and the conditions of a minimax."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.kit.pools import LabelPool, random_pool

import poolwise as pw
from poolwise.errors import ArgumentError
from poolwise.lab.weights.both import optimal_both
from poolwise.lab.weights.discount_gain import optimal_discount, optimal_gain
from poolwise.lab.weights.optimum import Optimum
from poolwise.trust.components import components


def worst(pools: list[LabelPool], discounts: np.ndarray, gains: dict[int, float]) -> float:
    return min(pool.phi(discounts, gains) for pool in pools)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_point_of_a_grid_is_better(seed: int) -> None:
    pools = [random_pool(10 * seed + place, runs=8, topics=8, depth=3) for place in range(2)]
    result = optimal_both(pools, 3)
    assert result.phi == pytest.approx(worst(pools, np.array(result.discounts), result.gains), rel=1e-9)
    assert min(result.phis) == result.phi
    steps = np.linspace(0, 1, 6)
    for second, third, share in itertools.product(steps, steps, np.linspace(0.5, 1, 7)):
        discounts = np.array([1.0, second, second * third])
        assert worst(pools, discounts, {1: 1 - share, 2: share}) <= result.phi + 1e-10
    assert result.perturbed < 1e-10
    assert result.converged


def test_one_pool_is_at_least_as_stable_as_each_separate_optimum() -> None:
    pool = random_pool(3, runs=16, topics=20)
    result = optimal_both(pool, 10)
    assert result.phi >= optimal_discount(pool, 10, splits=0).phi - 1e-12
    assert result.phi >= optimal_gain(pool, 10, splits=0).phi - 1e-12
    assert result.phi >= max(result.others.values())
    assert list(np.diff(result.discounts) <= 1e-15) == [True] * 9
    assert result.converged


@pytest.mark.slow
def test_two_pools_that_bind_have_slopes_that_cancel() -> None:
    """At a minimax no change of the discounts raises both worst objectives, by differences of the twin."""
    pools = [random_pool(seed, runs=14, topics=16) for seed in (1, 2)]
    result = optimal_both(pools, 8)
    assert result.converged
    best = np.array(result.discounts)
    generator = np.random.default_rng(1)
    for _ in range(60):
        other = -np.sort(-generator.dirichlet(np.full(8, 0.4)))
        moved = best + 1e-3 * (other - best)
        assert worst(pools, moved, result.gains) <= result.phi + 1e-9


@pytest.mark.slow
def test_nested_cutoffs_collapse_to_the_smaller_optimum() -> None:
    pool = random_pool(4, runs=16, topics=20)
    nested = optimal_both([pool, pool], [10, 4])
    assert nested.cutoff == 10
    assert nested.phi == pytest.approx(optimal_both(pool, 4).phi, abs=1e-8)


@pytest.mark.slow
def test_every_start_ends_at_the_same_optimum() -> None:
    result = optimal_both([random_pool(seed, runs=16, topics=20) for seed in (5, 6)], 8)
    assert len(result.starts) == 6
    for start in result.starts:
        assert start.reached == pytest.approx(result.phi, abs=1e-8)
        assert start.reached >= start.phi


def test_pools_with_different_labels_are_combined() -> None:
    pools = [random_pool(1, labels=(0, 1, 2)), random_pool(2, labels=(0, 1, 3))]
    result = optimal_both(pools, 6)
    assert set(result.gains) <= {1, 2, 3}
    assert result.phi == pytest.approx(worst(pools, np.array(result.discounts), result.gains), rel=1e-9)


def test_wrong_arguments_say_what_is_allowed() -> None:
    with pytest.raises(ArgumentError, match="found 2 pools and 1 cut-offs"):
        optimal_both([random_pool(1), random_pool(2)], [5])
    with pytest.raises(ArgumentError, match="found 0 pools"):
        optimal_both([], 5)


def as_campaign(pool: LabelPool) -> pw.Campaign:
    """The same rankings as files would hold them: every judged document gets a name and a place."""
    qrels: dict[str, dict[str, int]] = {}
    for topic, numbers in enumerate(pool.counts):
        labels = np.repeat(pool.labels, numbers).tolist()
        qrels[str(topic)] = {f"{label}-{place}": label for place, label in enumerate(labels)}
    runs = {f"run{run}": ranked(pool.at_rank[run], qrels) for run in range(len(pool.at_rank))}
    return pw.read(qrels, runs, unjudged=None)


def ranked(rows: np.ndarray, qrels: dict[str, dict[str, int]]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for topic, row in enumerate(rows):
        left = {label: [name for name, x in qrels[str(topic)].items() if x == label] for label in set(row.tolist())}
        names = [(left[label].pop() if left[label] else f"unjudged{rank}") for rank, label in enumerate(row.tolist())]
        found[str(topic)] = {name: -float(rank) for rank, name in enumerate(names)}
    return found


def scored(pool: pw.Campaign, result: Optimum) -> float:
    measure = pw.nDCG(discount=result.discounts, gain=result.gains, negative=result.negative) @ result.cutoff
    system, topic, interaction = components(pool.score(measure).array(measure))
    return system / (system + topic + interaction)


@pytest.mark.slow
@pytest.mark.parametrize("negative", ["zero", "keep", "minmax"])
def test_the_result_is_a_measure_with_that_phi(negative: str) -> None:
    """What the optimisation says of its weights, nDCG with these weights says too."""
    labels = random_pool(9, labels=(-2, 0, 1, 2))
    pool = as_campaign(labels)
    for result in (
        optimal_discount(pool, 8, negative=negative, splits=0),
        optimal_gain(pool, 8, negative=negative, splits=0),
        optimal_both(pool, 8, negative=negative),
    ):
        assert scored(pool, result) == pytest.approx(result.phi, rel=1e-9)
    again = optimal_discount(labels, 8, negative=negative, splits=0)
    assert again.phi == pytest.approx(optimal_discount(pool, 8, negative=negative, splits=0).phi, rel=1e-12)
