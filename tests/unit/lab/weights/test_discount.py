"""The most stable discounts: against the twin, differences, brute force, and the conditions of a maximum."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.kit.pools import UNJUDGED, LabelPool, random_pool

from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.lab.weights.discount_gain import optimal_discount
from poolwise.lab.weights.labels import RankedLabels, discounts_of, gains_of
from poolwise.lab.weights.ranks import RankProblem, climb, flat_weights, mixture

LINEAR = {1: 1.0, 2: 2.0}
GRADED = {-2: -2.0, 1: 1.0, 2: 2.0}


def problem_of(pool: LabelPool, cutoff: int, gain: str = "linear", negative: str = "zero") -> RankProblem:
    labels = RankedLabels.from_pool(pool, cutoff)
    return RankProblem.from_labels(labels, gains_of(labels.labels, gain, negative), negative)


@pytest.mark.parametrize("negative", ["zero", "keep", "minmax"])
@pytest.mark.parametrize("discount", ["log2", "zipf", "linear", "uniform", "jk"])
def test_scores_and_phi_are_those_of_the_twin(negative: str, discount: str) -> None:
    pool = random_pool(1, labels=(-2, 0, 1, 2))
    pool.counts[3] = [2, 5, 0, 0]  # a topic without a relevant document
    pool.at_rank[:, 3] = np.where(pool.at_rank[:, 3] > 0, 0, pool.at_rank[:, 3])
    problem, discounts = problem_of(pool, 9, negative=negative), discounts_of(discount, 9)
    assert problem.scores(discounts) == pytest.approx(np.array(pool.scores(discounts, GRADED, negative)), abs=1e-12)
    assert problem.value(discounts) == pytest.approx(pool.phi(discounts, GRADED, negative), rel=1e-10)


@pytest.mark.parametrize("negative", ["zero", "keep", "minmax"])
def test_the_slope_is_that_of_differences(negative: str) -> None:
    problem = problem_of(random_pool(2, labels=(-2, 0, 1, 2)), 8, negative=negative)
    discounts = np.random.default_rng(1).random(8)
    slope = problem.slope(discounts)[1]
    for rank in range(8):
        step = 1e-5 * (np.arange(8) == rank)
        difference = problem.value(discounts + step) - problem.value(discounts - step)
        assert slope[rank] == pytest.approx(difference / 2e-5, rel=1e-6, abs=1e-9)


def test_flat_weights_and_mixtures_are_inverse() -> None:
    discounts = np.array([0.4, 0.25, 0.25, 0.1, 0.0])
    weights = flat_weights(discounts)
    assert weights == pytest.approx([0.15, 0.0, 0.45, 0.4, 0.0])
    assert mixture(weights) == pytest.approx(discounts)


@pytest.mark.parametrize("seed", range(4))
def test_every_start_ends_at_the_same_optimum(seed: int) -> None:
    problem = problem_of(random_pool(seed, runs=20, topics=25), 12)
    starts = [discounts_of(name, 12) for name in ("log2", "zipf", "linear", "uniform")]
    starts += [mixture(weights) for weights in np.random.default_rng(seed).dirichlet(np.full(12, 0.3), size=6)]
    ends = [climb(problem, start) for start in starts]
    for start, end in zip(starts, ends, strict=True):
        assert end.value >= problem.value(start)
        assert end.value == pytest.approx(ends[0].value, abs=1e-10)
        assert end.discounts == pytest.approx(ends[0].discounts, abs=1e-6)
        assert end.violation < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("negative", ["zero", "minmax"])
def test_the_conditions_of_a_maximum_hold_by_differences(negative: str) -> None:
    """The slope towards every flat discount is not above 0, and 0 where the discount has a step."""
    pool = random_pool(5, runs=20, topics=25, labels=(-2, 0, 1, 2))
    result = optimal_discount(pool, 12, negative=negative, splits=0)
    found = np.array(result.discounts)
    for place in range(12):
        flat = np.where(np.arange(12) <= place, 1 / (place + 1), 0.0)
        ahead, behind = (pool.phi(found + sign * 1e-4 * (flat - found), GRADED, negative) for sign in (1, -1))
        slope = (ahead - behind) / 2e-4
        step = found[place] - (found[place + 1] if place < 11 else 0.0)
        assert slope < 1e-6
        if step > 1e-9:
            assert slope == pytest.approx(0.0, abs=1e-6)
    assert result.converged
    assert result.violation < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_no_point_of_a_grid_is_better(seed: int, monotone: bool) -> None:
    pool = random_pool(seed, runs=8, topics=10, depth=4)
    result = optimal_discount(pool, 4, monotone=monotone, splits=0)
    assert pool.phi(np.array(result.discounts), LINEAR) == pytest.approx(result.phi, rel=1e-10)
    parts = range(9)
    grid = [point for point in itertools.product(parts, repeat=4) if sum(point) == 8 and point[0] > 0]
    if monotone:
        grid = [point for point in grid if list(point) == sorted(point, reverse=True)]
    best = max(pool.phi(np.array(point, dtype=float), LINEAR) for point in grid)
    assert best <= result.phi + 1e-12
    assert result.perturbed < 1e-12


@pytest.mark.parametrize("monotone", [True, False])
def test_the_optimum_is_feasible_and_beats_what_it_starts_from(monotone: bool) -> None:
    result = optimal_discount(random_pool(3, runs=16, topics=20, depth=30), 30, monotone=monotone, splits=0)
    assert list(result.others) == ["log2", "zipf", "linear", "uniform"]
    assert result.phi > max(result.others.values())
    assert min(result.discounts) >= 0
    assert sum(result.discounts) == pytest.approx(1.0)
    falling = all(np.diff(result.discounts) <= 0)
    assert falling == monotone


def test_free_discounts_are_at_least_as_stable_and_may_pass_1() -> None:
    pool = random_pool(4, depth=8)
    free = optimal_discount(pool, 8, monotone=False, splits=0)
    assert free.phi >= optimal_discount(pool, 8, splits=0).phi
    scores = np.array(pool.scores(np.array(free.discounts), LINEAR))
    assert (scores.max() > 1) == any("pass 1" in note for note in free.warnings)


def test_the_optimum_does_not_know_scale_or_order() -> None:
    pool = random_pool(6)
    generator = np.random.default_rng(1)
    shuffled = pool.take(generator.permutation(10).tolist(), generator.permutation(12).tolist())
    first = optimal_discount(pool, 10, splits=0)
    second = optimal_discount(shuffled, 10, gain={1: 35.0, 2: 70.0}, splits=0)
    assert second.phi == pytest.approx(first.phi, rel=1e-10)
    assert second.discounts == pytest.approx(first.discounts, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [9, 36, 47])
def test_an_optimum_where_phi_has_a_kink_is_found(seed: int) -> None:
    """Topics are alike, so the topic variance is about 0 and Phi is not smooth at its maximum."""
    generator = np.random.default_rng(seed)
    found = generator.random((8, 8, 6)) < np.linspace(0.2, 0.8, 8)[:, None, None]
    pool = LabelPool(found.astype(np.int32), np.array([0, 1]), np.tile([9, 6], (8, 1)))
    problem, result = problem_of(pool, 6), optimal_discount(pool, 6, splits=0)
    best = np.array(result.discounts)
    assert climb(problem, best).violation > 1e-4  # the smooth conditions do not hold there
    assert result.converged
    assert {round(start.reached, 10) for start in result.starts} == {round(result.phi, 10)}
    for size in (1e-1, 1e-3, 1e-5):
        around = [mixture(weights) for weights in generator.dirichlet(np.full(6, 0.5), size=300)]
        assert max(problem.value(best + size * (other - best)) for other in around) <= result.phi + 1e-12


def test_a_single_rank_has_one_discount() -> None:
    result = optimal_discount(random_pool(1), 1, splits=0)
    assert result.discounts == (1.0,)
    assert result.phi == pytest.approx(result.others["log2"])


@pytest.mark.slow
def test_held_out_halves_are_valued_by_the_twin() -> None:
    pool = random_pool(7, runs=10, topics=13)
    result = optimal_discount(pool, 6, splits=2, starts=0, seed=5)
    assert [part.facet for part in result.held_out] == ["topics", "runs"]
    generator = np.random.default_rng(5)
    for part, size in zip(result.held_out, (13, 10), strict=True):
        optimal, plain = [], []
        for _ in range(2):
            order = generator.permutation(size)
            halves = [sorted(order[: size // 2].tolist()), sorted(order[size // 2 : 2 * (size // 2)].tolist())]
            for fitted, tested in (halves, halves[::-1]):
                fit, test = (pool.take(**{part.facet: half}) for half in (fitted, tested))
                best = optimal_discount(fit, 6, splits=0, starts=0)
                optimal.append(test.phi(np.array(best.discounts), LINEAR))
                plain.append(test.phi(discounts_of("log2", 6), LINEAR))
        assert part.phi["optimal"] == pytest.approx(np.mean(optimal), abs=1e-6)
        assert part.phi["log2"] == pytest.approx(np.mean(plain), rel=1e-9)
        assert part.difference["log2"] == pytest.approx(np.mean(optimal) - np.mean(plain), abs=1e-6)
        apart = np.array(optimal) - plain
        assert part.spread["log2"] == pytest.approx(np.std(apart, ddof=1), abs=1e-6)
        assert part.ahead["log2"] == pytest.approx(np.mean(np.array(optimal) > plain))
        assert part.fits == 4


def test_overfitting_is_warned_of() -> None:
    pool = random_pool(11, runs=6, topics=6, depth=12)
    result = optimal_discount(pool, 12, splits=3)
    worse = [part.facet for part in result.held_out if part.difference["log2"] < 0]
    assert worse
    for facet in worse:
        assert any(f"on held-out {facet} the optimum is less stable than log2" in note for note in result.warnings)


def test_results_are_repeatable_and_record_their_settings() -> None:
    pool = random_pool(1)
    first, second = (optimal_discount(pool, 6, seed=9, splits=2) for _ in range(2))
    assert first == second
    assert (first.seed, first.monotone, first.negative, first.cutoff) == (9, True, "zero", 6)
    assert first.gains == LINEAR
    assert optimal_discount(pool, 6, gain="exp", splits=0).gains == {1: 1.0, 2: 3.0}


def test_tables_hold_the_pinned_columns() -> None:
    result = optimal_discount(random_pool(1), 6, splits=1)
    assert list(result.table("discounts"))[:6] == ["cutoff", "rank", "optimal", "log2", "zipf", "linear"]
    assert sum(result.table("discounts")["log2"]) == pytest.approx(1.0)
    assert list(result.table()) == ["cutoff", "variant", "phi_1", "phi_50", "topics_for_95"]
    row = dict(zip(result.table()["variant"], result.table()["topics_for_95"], strict=True))
    ratio = result.phi / (1 - result.phi)
    assert row["optimal"] == pytest.approx(19 / ratio)
    assert result.phi_for(result.topics_for(0.9)) == pytest.approx(0.9)
    assert result.table("curve")["optimal"][8] == pytest.approx(result.phi_for(50))
    assert result.to_frame("polars", "starts").shape == (6, 4)
    assert result.to_frame("polars", "held_out").shape == (10, 7)
    assert result.to_dict()["converged"] is True
    assert result._repr_html_().count("<tr>") == 6
    with pytest.raises(ArgumentError, match="comparison, curve, discounts, gains"):
        result.table("weights")


def test_wrong_arguments_say_what_is_allowed() -> None:
    pool = random_pool(1)
    for settings, message in (
        ({"cutoff": 0}, "cutoff=0 must be a whole number of at least 1"),
        ({"cutoff": 5, "gain": "square"}, "'linear', 'exp', 'binary'"),
        ({"cutoff": 5, "negative": "drop"}, "zero, keep, minmax"),
        ({"cutoff": 5, "splits": -1}, "splits=-1 must be a whole number of at least 0"),
    ):
        with pytest.raises(ArgumentError, match=message):
            optimal_discount(pool, **settings)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least two runs"):
        optimal_discount(pool.take(runs=[1]), 5)
    empty = LabelPool(np.full((4, 4, 3), UNJUDGED, dtype=np.int32), pool.labels, pool.counts[:4])
    with pytest.raises(InputError, match="no run retrieves"):
        optimal_discount(empty, 3)
    unknown = LabelPool(np.full((4, 4, 3), 7, dtype=np.int32), pool.labels, pool.counts[:4])
    with pytest.raises(InputError, match="label 7 is retrieved"):
        optimal_discount(unknown, 3)


def test_runs_that_cannot_be_told_apart_are_warned_of() -> None:
    generator = np.random.default_rng(1)
    row = generator.integers(0, 2, size=(1, 8, 5), dtype=np.int32)
    pool = LabelPool(np.repeat(row, 4, axis=0), np.array([0, 1]), np.tile([5, 5], (8, 1)))
    with pytest.warns(PoolwiseWarning, match="Phi is 0"):
        result = optimal_discount(pool, 5, splits=0)
    assert result.phi == 0.0
    assert result.topics_for() == math.inf
