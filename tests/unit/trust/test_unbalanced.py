"""Components from scores with holes: equal to mean squares without, right on average whatever is missing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poolwise.errors import InputError, PoolwiseWarning
from poolwise.trust.components import _solved, components, ratio_ends, unbalanced_components
from poolwise.trust.generalizability import reliability

VARIANCES = np.array([0.01, 0.03, 0.02])
quiet = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


def draw(generator: np.random.Generator, runs: int, topics: int, missing: float) -> np.ndarray:
    parts = [generator.normal(size=shape) for shape in ((runs, 1), (1, topics), (runs, topics))]
    scores = sum(math.sqrt(variance) * part for variance, part in zip(VARIANCES, parts, strict=True))
    return np.where(generator.random((runs, topics)) < missing, np.nan, scores)


def test_complete_scores_have_the_usual_components():
    scores = draw(np.random.default_rng(1), 7, 12, 0.0)
    assert unbalanced_components(scores) == pytest.approx(components(scores))


def test_expectations_are_exact():
    """E[y' Q y] = trace(Q V): each equation's coefficients against the covariance of the scores that are there."""
    generator = np.random.default_rng(2)
    held = generator.random((5, 6)) < 0.7
    held[:, 0] = held[0] = True
    places = np.argwhere(held)
    run, topic = (places[:, [side]] == places[:, side] for side in (0, 1))
    for truth in np.eye(3):
        covariance = truth[0] * run + truth[1] * topic + truth[2] * np.eye(len(places))
        root = np.linalg.cholesky(covariance + 1e-12 * np.eye(len(places)))
        # A sum of squares of normal scores has the mean of those of its columns of a root of the covariance.
        total = np.zeros(3)
        for column in root.T:
            scores = np.full(held.shape, np.nan)
            scores[held] = column
            total += _solved(scores, np.ones((1, 6)))[0]
        assert total == pytest.approx(truth, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.1, 0.4])
def test_components_are_right_on_average(missing):
    generator = np.random.default_rng(3)
    found = np.array([_solved(draw(generator, 15, 20, missing), np.ones((1, 20)))[0] for _ in range(2000)])
    assert np.all(np.abs(found.mean(axis=0) - VARIANCES) < 4 * found.std(axis=0) / math.sqrt(2000))


@pytest.mark.slow
def test_intervals_cover_for_given_runs():
    generator = np.random.default_rng(4)
    rows = generator.normal(size=25)
    rows = 0.1 * (rows - rows.mean()) / rows.std(ddof=1)
    inside, trials = np.zeros(2), 200
    for _ in range(trials):
        topics = math.sqrt(0.03) * generator.normal(size=40)
        scores = rows[:, None] + topics + math.sqrt(0.02) * generator.normal(size=(25, 40))
        scores[generator.random(scores.shape) < 0.15] = np.nan
        ends = ratio_ends(scores, 200, generator, [0.025, 0.975])
        inside += [low <= truth <= high for (low, high), truth in zip(ends, (0.01 / 0.05, 0.01 / 0.02), strict=True)]
    assert np.all(inside / trials > 0.85)


@quiet
def test_reliability_keeps_what_is_there():
    scores = draw(np.random.default_rng(5), 12, 30, 0.0)
    whole = reliability(scores)
    some = scores.copy()
    some[2, 3] = some[4, 7] = np.nan
    found = reliability(some, missing="unbalanced")
    assert (found.runs, found.topics) == (12, 30)
    assert "Henderson" in found.method
    assert found.phi() == pytest.approx(whole.phi(), abs=0.02)
    assert found.phi_interval().low < found.phi() < found.phi_interval().high
    assert found.rho2_interval().low < found.rho2() < found.rho2_interval().high
    assert reliability(scores, missing="unbalanced").components == whole.components


def test_holes_are_said_and_too_many_refused():
    scores = draw(np.random.default_rng(6), 6, 12, 0.0)
    scores[0, 1] = np.nan
    with pytest.warns(PoolwiseWarning, match="1 of 72 scores is missing"):
        reliability(scores, missing="unbalanced")
    scores[0, 1:] = np.nan
    with pytest.raises(InputError, match="run 1 has fewer than two scores"):
        reliability(scores, missing="unbalanced")
