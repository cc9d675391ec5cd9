"""The relevance model: leaving documents out against fitting again, and against the algebra of it."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from tests.kit.dense_columns import dense
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise import _core
from poolwise.basics.logistic import without_each
from poolwise.estimates.layout import Layout, rank_features
from poolwise.estimates.model import LabelModel, fit_model
from poolwise.estimates.targets import target_of
from poolwise.measures.registry import parse

Floats = NDArray[np.float64]


def model() -> LabelModel:
    campaign = small_campaign(seed=12, topics=6, runs=6)
    layout = Layout.of(campaign, uniform_sample(campaign, 0.5, 3))
    target = target_of(parse("AP"), layout)
    return fit_model(layout, rank_features(layout), target.classes(layout), 1)


def test_left_out_probabilities_are_near_those_of_a_new_fit() -> None:
    fitted = model()
    stage, features = fitted.stages[0], fitted.features
    columns = dense(features.shared[stage.rows], features.topic[stage.rows], stage.bounds)
    precision = np.concatenate([stage.fit.shared_precision, np.tile(stage.fit.topic_precision, 6)])
    start = np.concatenate([stage.fit.shared, stage.fit.topic.reshape(-1)])
    found, expected = [], []
    for place in range(0, len(stage.rows), 9):
        keep = np.arange(len(stage.rows)) != place
        found.append(stage.left_out[place])
        expected.append(expit(columns[place] @ refitted(columns[keep], stage.y[keep], precision, start)))
    plain = stage.p[stage.rows[::9]]
    assert np.abs(np.array(found) - expected).max() < 0.1
    assert np.abs(np.array(found) - expected).mean() < 0.25 * np.abs(plain - expected).mean()


def test_pairs_left_out_solve_two_equations_in_two_unknowns() -> None:
    """Without the rows S a Newton step gives S the residuals (I - W Q)^-1 r, Q = X H^-1 X' of S (Woodbury)."""
    random = np.random.default_rng(9)
    columns, eta = random.normal(size=(40, 5)), random.normal(size=40)
    p = expit(eta)
    variance, residual, weight = p * (1 - p), (random.random(40) < p) - p, random.uniform(0.5, 4.0, 40)
    hessian = columns.T @ (columns * variance[:, None]) + np.eye(5)
    chosen = slice(0, 12)
    q = columns[chosen] @ np.linalg.solve(hessian, columns[chosen].T)
    r, w = residual[chosen], variance[chosen]
    both, change, pairs = (np.asarray(part) for part in _core.leave_pairs_out(q, r, w * np.diag(q), w, weight[chosen]))
    for i, j in permutations(range(12), 2):
        two = [i, j]
        n_ij, n_ji = np.linalg.solve(np.eye(2) - w[two][:, None] * q[np.ix_(two, two)], r[two])
        step = np.linalg.solve(
            hessian - columns[two].T @ (columns[two] * variance[two][:, None]), -columns[two].T @ r[two]
        )
        assert r[i] - w[i] * (columns[i] @ step) == pytest.approx(n_ij, abs=1e-9)
        assert both[i, j] == pytest.approx(n_ij, abs=1e-9)
        assert change[i, j] == pytest.approx(n_ij - r[i] / (1 - w[i] * q[i, i]), abs=1e-9)
        assert pairs[i, j] == pytest.approx(weight[i] * weight[j] * n_ij * n_ji, abs=1e-9)
    assert not np.diag(both).any()
    assert not np.diag(change).any()
    assert not np.diag(pairs).any()


def test_pairs_that_carry_each_other_are_not_divided_by_nothing() -> None:
    """Two rows that hold each other up leave next to no determinant; it counts as at least 0.05."""
    q, r, w = np.array([[3.8, 3.7], [3.7, 3.8]]), np.array([0.5, -0.25]), np.full(2, 0.25)
    both, _, _ = _core.leave_pairs_out(q, r, w * 3.8, w, np.ones(2))
    assert 0.05**2 - (0.25 * 3.7) ** 2 < 0.05
    assert both[0, 1] == pytest.approx((0.05 * 0.5 - 0.925 * 0.25) / 0.05)


def test_pairs_left_out_are_near_those_of_a_new_fit() -> None:
    fitted = model()
    stage, features, state = fitted.stages[0], fitted.features, fitted.state(2)
    columns = dense(features.shared[stage.rows], features.topic[stage.rows], stage.bounds)
    precision = np.concatenate([stage.fit.shared_precision, np.tile(stage.fit.topic_precision, 6)])
    start = np.concatenate([stage.fit.shared, stage.fit.topic.reshape(-1)])
    first, alone, both = int(stage.bounds[2]), [], []
    for i, j in [(0, 5), (3, 11), (7, 1), (12, 2), (4, 9)]:
        keep = ~np.isin(np.arange(len(stage.rows)), [first + i, first + j])
        effects = refitted(columns[keep], stage.y[keep], precision, start)
        exact = stage.y[first + i] - expit(columns[first + i] @ effects)
        both.append(abs(state.pair_residuals[0][i, j] - exact))
        alone.append(abs(stage.residual[first + i] - exact))
    assert sum(both) < 0.5 * sum(alone)


def test_pairs_are_left_out_of_every_stage() -> None:
    """The residual of class 2 or more against fits of both stages without i and j, and without i alone."""
    campaign = small_campaign(seed=12, topics=6, runs=6, grades=2, share=0.5)
    layout = Layout.of(campaign, uniform_sample(campaign, 0.5, 3))
    target = target_of(parse("nDCG"), layout)
    fitted = fit_model(layout, rank_features(layout), target.classes(layout), 2)
    state, part = fitted.state(2), layout.part(2)
    places = state.counted + part.start
    second = [place for place, grade in enumerate(state.classes[state.counted]) if grade >= 1]
    of_pair, of_one = [], []
    for j in second[:6]:
        for i in [k for k in (0, 1, *second[6:9]) if k != j]:
            exact = (state.classes[state.counted[i]] >= 2) - chance_without(fitted, places[i], {places[i], places[j]})
            of_pair.append(state.pair_tail_chance[1][i, j] - exact)
            of_one.append(state.own_residuals[i, 1] - exact)
    assert len(of_pair) >= 20
    assert np.abs(of_pair).sum() < 0.5 * np.abs(of_one).sum()


def chance_without(fitted: LabelModel, place: int, left_out: set[int]) -> float:
    """The probability of the highest class of a document, every stage being fitted anew without some documents."""
    chance, topic_of = 1.0, fitted.layout.topic_of
    for stage in fitted.stages:
        k = stage.fit.topic.shape[1]
        keep = ~np.isin(stage.rows, list(left_out))
        rows = stage.rows[keep]
        bounds = np.searchsorted(topic_of[rows], np.arange(fitted.layout.topics + 1))
        columns = dense(fitted.features.shared[rows], fitted.features.topic[rows, :k], bounds)
        precision = np.concatenate([stage.fit.shared_precision, np.tile(stage.fit.topic_precision, 6)])
        effects = refitted(
            columns, stage.y[keep], precision, np.concatenate([stage.fit.shared, stage.fit.topic.reshape(-1)])
        )
        shared = len(stage.fit.shared)
        own = effects[shared + k * topic_of[place] : shared + k * (topic_of[place] + 1)]
        chance *= float(
            expit(fitted.features.shared[place] @ effects[:shared] + fitted.features.topic[place, :k] @ own)
        )
    return chance


def refitted(columns: Floats, y: Floats, precision: Floats, start: Floats) -> Floats:
    """Effects that maximise the penalised likelihood, by a general optimiser."""

    def loss(effects: Floats) -> tuple[float, Floats]:
        eta = columns @ effects
        value = np.logaddexp(0, eta).sum() - y @ eta + 0.5 * (precision @ effects**2)
        return float(value), columns.T @ (expit(eta) - y) + precision * effects

    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x)


def test_topics_effects_without_each_document() -> None:
    random = np.random.default_rng(5)
    columns = np.hstack([np.ones((40, 1)), random.normal(size=(40, 2))])
    y, fixed = (random.random(40) < 0.3).astype(float), random.normal(size=40) - 1
    precision, start = np.array([0.7, 2.0, 1.0]), np.zeros(3)
    left_out = [3, 8, 21, -1]
    found = without_each(columns, y, fixed, start, precision, left_out)
    for row, counts in zip(found, [np.arange(40) != skip for skip in left_out], strict=True):

        def loss(effects: Floats, keep: NDArray[np.bool_] = counts) -> float:
            eta = fixed[keep] + columns[keep] @ effects
            return float(np.logaddexp(0, eta).sum() - y[keep] @ eta + 0.5 * (precision @ effects**2))

        assert np.abs(row - minimize(loss, start, tol=1e-10).x).max() < 1e-4


def test_products_of_pairs_are_literal() -> None:
    random = np.random.default_rng(3)
    n, grades = 71, 3  # more than two of the squares that pairs are taken in
    parts = [random.normal(size=(n, n)) for _ in range(grades)]
    weight, together = random.random(n), 1.0 + random.random(3)
    cell = random.integers(0, 3, n)
    found = np.asarray(_core.pair_products(parts, weight, cell, together[cell]))
    for g, h, i, j in product(range(grades), range(grades), range(0, n, 7), range(0, n, 5)):
        both = weight[i] * weight[j] * (together[cell[i]] if cell[i] == cell[j] else 1.0)
        assert found[g, h, i, j] == pytest.approx(0.0 if i == j else both * parts[g][i, j] * parts[h][j, i], abs=1e-14)


def test_pairs_left_out_solve_their_two_equations() -> None:
    random = np.random.default_rng(4)
    n = 70
    q = random.normal(size=(n, n)) * 0.02
    q += q.T
    residual, leverage, spread = random.normal(size=n), random.random(n) * 0.5, random.random(n) * 0.25
    weight = random.random(n)
    both, change, pairs = map(np.asarray, _core.leave_pairs_out(q, residual, leverage, spread, weight))
    for i, j in product(range(0, n, 3), range(0, n, 4)):
        if i == j:
            assert both[i, i] == change[i, i] == pairs[i, i] == 0.0
            continue
        pull = np.array([[1 - leverage[i], -spread[i] * q[i, j]], [-spread[j] * q[i, j], 1 - leverage[j]]])
        left = np.linalg.solve(pull, residual[[i, j]])
        assert both[i, j] == pytest.approx(left[0], abs=1e-12)
        assert change[i, j] == pytest.approx(left[0] - residual[i] / (1 - leverage[i]), abs=1e-12)
        assert pairs[i, j] == pytest.approx(weight[i] * weight[j] * left[0] * left[1], abs=1e-12)


def test_parts_of_pairs_fit_each_other() -> None:
    cell = np.zeros(3, np.int64)
    for part, cells in ((np.ones((2, 3)), cell), (np.ones((3, 3)), cell[:2])):
        with pytest.raises(ValueError, match="needed"):
            _core.pair_products([part], np.ones(3), cells, np.ones(3))
