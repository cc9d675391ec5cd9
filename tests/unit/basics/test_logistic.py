"""The arrow-shaped fit against a dense one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit
from tests.kit.dense_columns import dense

from poolwise import _core
from poolwise.basics import logistic
from poolwise.basics.logistic import Groups, LogisticFit, LogisticRows, climb, fit_logistic

Floats = NDArray[np.float64]


def data(seed: int = 0) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    bounds = np.array([0, 60, 60, 110, 200])  # the second topic has no row
    shared = np.hstack([np.ones((200, 1)), random.normal(size=(200, 4))])
    topic = np.hstack([np.ones((200, 1)), random.normal(size=(200, 2))])
    y = (random.random(200) < expit(shared @ [-1, 1, 0, 0.5, 0] + topic[:, 1])).astype(float)
    return shared, topic, y, bounds


GROUPS = Groups(((slice(1, 3), 0.2), (slice(3, 5), 1.0)), ((slice(0, 1), 1.5), (slice(1, 3), 0.5)))


def dense_hessian(fit: LogisticFit, columns: Floats) -> tuple[Floats, Floats]:
    effects = np.concatenate([fit.shared, fit.topic.reshape(-1)])
    precision = np.concatenate([fit.shared_precision, np.tile(fit.topic_precision, len(fit.topic))])
    p = expit(columns @ effects)
    return columns.T @ (columns * (p * (1 - p))[:, None]) + np.diag(precision), columns.T @ -p - precision * effects


def test_effects_are_where_the_penalised_likelihood_is_flat() -> None:
    shared, topic, y, bounds = data()
    fit = fit_logistic(shared, topic, y, bounds, GROUPS)
    columns = dense(shared, topic, bounds)
    slope = dense_hessian(fit, columns)[1] + columns.T @ y
    assert np.abs(slope).max() < 1e-3
    assert fit.topic[1].tolist() == [0, 0, 0]


def test_arrow_solves_the_dense_system() -> None:
    shared, topic, y, bounds = data(1)
    fit = fit_logistic(shared, topic, y, bounds, GROUPS)
    hessian, _ = dense_hessian(fit, dense(shared, topic, bounds))
    right = np.random.default_rng(2).normal(size=(len(hessian), 2))
    first, own = fit.arrow.solve(right[:5], right[5:].reshape(4, 3, 2))
    expected = np.linalg.solve(hessian, right)
    assert np.abs(np.concatenate([first, own.reshape(-1, 2)]) - expected).max() < 1e-6


def test_variances_are_a_step_of_em_from_the_dense_posterior() -> None:
    shared, topic, y, bounds = data(3)
    fit = fit_logistic(shared, topic, y, bounds, GROUPS)
    # At the fixed point the prior variance is the mean of estimate^2 + posterior variance; six steps come close.
    inverse = np.diag(np.linalg.inv(dense_hessian(fit, dense(shared, topic, bounds))[0]))
    own = (fit.topic**2 + inverse[5:].reshape(4, 3))[:, 1:].mean()
    assert 1.0 / fit.topic_precision[1] == pytest.approx(own, rel=0.15)


def test_a_known_prior_mean_is_an_offset() -> None:
    """A prior with mean m is one with mean 0 around it: the same posterior mode as by a general optimiser."""
    shared, topic, y, bounds = data(4)
    mean, precision = np.array([-1.0, 0.5, 0.0, 0.0, 2.0]), (np.full(5, 2.0), np.array([1.5, 4.0, 0.7]))
    start = np.zeros(5), np.zeros((4, 3))
    (effects, by_topic), _ = climb(LogisticRows(shared, topic, y, bounds, shared @ mean), start, precision, 1e-16)
    columns = dense(shared, topic, bounds)
    centre = np.concatenate([mean, np.zeros(12)])
    weights = np.concatenate([precision[0], np.tile(precision[1], 4)])

    def loss(values: Floats) -> float:
        eta = columns @ values
        return float(np.logaddexp(0, eta).sum() - y @ eta + 0.5 * (weights @ (values - centre) ** 2))

    best = minimize(loss, centre, tol=1e-12).x
    assert np.concatenate([mean + effects, by_topic.reshape(-1)]) == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize("columns", [1, 2, 6, 7, 8, 22])
@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_are_sums_over_the_rows_of_each_topic(columns: int, threads: int) -> None:
    random = np.random.default_rng(3)
    bounds = np.array([0, 4, 4, 9, 12])  # the second topic has no rows
    shared, topic = random.normal(size=(12, columns)), np.ones((12, 1))
    rows = logistic.LogisticRows(shared, topic, (random.random(12) < 0.4).astype(float), bounds, threads=threads)
    point = logistic.Point.at(rows, (random.normal(size=columns), random.normal(size=(4, 1))))
    weight, both = point.p * (1.0 - point.p), np.hstack([topic, shared])
    expected = [(both[a:b].T * weight[a:b]) @ both[a:b] for a, b in pairwise(bounds)]
    np.testing.assert_allclose(point.blocks, expected, rtol=1e-12, atol=1e-14)
    assert not point.blocks[1].any()
    assert point.blocks.tolist() == logistic.Point(rows, point.shared, point.topic, point.eta).blocks.tolist()


@pytest.mark.parametrize("columns", [1, 7, 8, 9, 16, 17, 23])
@pytest.mark.parametrize("threads", [1, 3])
def test_weighted_squares_are_sums_over_the_rows_of_each_topic(columns: int, threads: int) -> None:
    random = np.random.default_rng(columns)
    bounds = np.array([0, 6, 6, 11, 20])  # the second topic has no row
    matrix, weight = random.normal(size=(20, columns)), random.random(20)
    found = np.asarray(_core.weighted_squares(matrix, weight, bounds, threads))
    for topic, (begin, end) in enumerate(pairwise(bounds)):
        literal = sum((weight[i] * np.outer(matrix[i], matrix[i]) for i in range(begin, end)), np.zeros((columns,) * 2))
        np.testing.assert_allclose(found[topic], literal, rtol=1e-13, atol=1e-14)


def test_the_logistic_function_and_its_inverse_are_those_of_scipy() -> None:
    x = np.array([-800.0, -700.0, -40.0, -3.0, -1e-9, 0.0, 0.3, 30.0, 800.0])
    np.testing.assert_allclose(logistic.expit(x), expit(x), rtol=1e-15, atol=1e-300)
    p = np.array([0.0, 1e-300, 1e-9, 0.2, 0.5, 0.7, 1.0 - 1e-12])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(logistic.logit(p), logit(p), rtol=1e-14, atol=1e-15)
