"""Phi as a function of scores and of weights: values against the twin, derivatives against differences."""

from __future__ import annotations

import numpy as np
import pytest
from tests.twins import reliability as twin

from poolwise.lab.weights.stability import Ratio, ascend, curvature, stabilities, stability, violation


def tables() -> list[np.ndarray]:
    """One with topic effects and one whose topic variance is negative before it is cut off."""
    generator = np.random.default_rng(1)
    effects = generator.normal(size=(6, 1)) + 2 * generator.normal(size=8)
    return [effects + generator.normal(size=(6, 8)), np.linspace(0, 1, 6)[:, None] + generator.normal(size=(6, 8)) / 3]


def some_ratio(seed: int = 3, size: int = 4) -> Ratio:
    generator = np.random.default_rng(seed)
    return Ratio(generator.random((7, 9, size)) + np.arange(7)[:, None, None] / 9, 0.5 + generator.random((9, size)))


@pytest.mark.parametrize("scores", tables())
def test_the_value_is_that_of_the_twin(scores: np.ndarray) -> None:
    assert stability(scores).value == pytest.approx(twin.phi(scores.tolist(), 1), rel=1e-12)
    assert stabilities(np.stack([scores, 2 * scores - 1], axis=2)) == pytest.approx([stability(scores).value] * 2)


@pytest.mark.parametrize("scores", tables())
def test_phi_is_the_smaller_of_its_two_sides(scores: np.ndarray) -> None:
    sides = [stability(scores, topic).value for topic in (True, False)]
    assert stability(scores).value == min(sides)
    assert sides[0] != sides[1]


@pytest.mark.parametrize("topic", [None, True, False])
@pytest.mark.parametrize("scores", tables())
def test_the_slope_is_that_of_differences(scores: np.ndarray, topic: bool | None) -> None:
    slope = stability(scores, topic).slope
    for run, place in ((0, 0), (2, 5), (5, 7)):
        step = np.zeros_like(scores)
        step[run, place] = 1e-5
        difference = stability(scores + step, topic).value - stability(scores - step, topic).value
        assert slope[run, place] == pytest.approx(difference / 2e-5, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("scores", tables())
def test_the_curvature_is_that_of_differences(scores: np.ndarray) -> None:
    directions = np.random.default_rng(2).normal(size=(6, 8, 3))
    found = curvature(stability(scores), directions)
    flat = directions.reshape(-1, 3)
    for place in range(3):
        ahead, behind = (stability(scores + sign * 1e-5 * directions[:, :, place]).slope for sign in (1, -1))
        assert found[place] == pytest.approx((ahead - behind).reshape(-1) @ flat / 2e-5, rel=1e-5, abs=1e-8)


def test_equal_scores_have_no_stability() -> None:
    found = stability(np.full((4, 5), 0.3))
    assert found.value == 0.0
    assert not found.slope.any()
    assert stabilities(np.full((4, 5, 2), 0.3)).tolist() == [0.0, 0.0]


def test_slope_and_curvature_of_a_ratio_are_those_of_differences() -> None:
    ratio, weights = some_ratio(), np.array([0.1, 0.4, 0.2, 0.3])
    value, slope, second = ratio.curvature(weights)
    assert ratio.slope(weights)[0] == value == pytest.approx(twin.phi(ratio.scores(weights).tolist(), 1))
    assert ratio.slope(weights)[1] == pytest.approx(slope, abs=1e-12)
    for place in range(4):
        step = 1e-5 * (np.arange(4) == place)
        ahead, behind = ratio.slope(weights + step), ratio.slope(weights - step)
        assert slope[place] == pytest.approx((ahead[0] - behind[0]) / 2e-5, rel=1e-6, abs=1e-9)
        assert second[place] == pytest.approx((ahead[1] - behind[1]) / 2e-5, rel=1e-5, abs=1e-8)


def test_a_ratio_does_not_know_scale() -> None:
    ratio, weights = some_ratio(), np.array([0.1, 0.4, 0.2, 0.3])
    assert ratio.slope(7 * weights)[0] == pytest.approx(ratio.slope(weights)[0], rel=1e-12)
    assert ratio.slope(weights)[1] @ weights == pytest.approx(0.0, abs=1e-12)
    points = np.column_stack([weights, np.eye(4)[2]])
    assert ratio.values(points)[1] == pytest.approx(ratio.slope(np.eye(4)[2])[0])


def test_a_topic_without_ideal_gain_scores_0() -> None:
    ratio = some_ratio()
    barren = Ratio(ratio.numerators, ratio.denominators * (np.arange(9) != 4)[:, None])
    assert not barren.scores(np.ones(4))[:, 4].any()


@pytest.mark.parametrize("seed", range(6))
def test_the_ascent_never_falls_and_ends_at_a_maximum(seed: int) -> None:
    ratio = some_ratio(seed, 5)
    for start in (np.full(5, 0.2), np.eye(5)[seed % 5], np.array([0.5, 0.5, 0, 0, 0])):
        end = ascend(ratio, start)
        value, slope = ratio.slope(end)
        assert value >= ratio.slope(start)[0]
        assert violation(slope, end) < 1e-9
        assert end.min() >= 0
        assert end.sum() == pytest.approx(1.0)
        around = np.random.default_rng(seed).dirichlet(np.ones(5), size=200)
        assert ratio.values((0.99 * end + 0.01 * around).T).max() <= value + 1e-12
