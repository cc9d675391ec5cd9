"""Sums over shares of error, beside the matrices that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from poolwise import _core
from poolwise.estimates.shrinkage import ShrinkageLine, ShrunkEstimates
from poolwise.estimates.standard_errors import steadier_df
from poolwise.sampling.variance import Variance, variance_of


@pytest.mark.parametrize("documents", [1, 3, 63, 64, 65, 200])
def test_noise_variance_and_shares_are_those_of_the_hat_matrix(documents: int) -> None:
    random = np.random.default_rng(documents)
    estimates, plug_ins, kept = *random.normal(size=(2, 11, documents)), random.random(11)
    x, slope = random.random(11), 0.8
    columns = np.column_stack([np.ones(11), x])
    hat = columns @ np.linalg.solve(columns.T @ columns, columns.T)
    apart = estimates - slope * plug_ins
    on_line, rest = hat @ apart + slope * plug_ins, (np.eye(11) - hat) @ apart
    line = ShrinkageLine(estimates, plug_ins, slope, x - x.mean())
    together = on_line + kept[:, None] * rest
    np.testing.assert_allclose(line.noise(), (rest**2).sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(line.shares(kept), together, rtol=1e-10, atol=1e-12)
    found = line.variance(kept)
    np.testing.assert_allclose(found.value, (together**2).sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(found.df, 2 * (together**2).sum(axis=1) ** 2 / (together**4).sum(axis=1), rtol=1e-10)


def _unmoved(stopped: bool) -> tuple[ShrunkEstimates, Variance, Variance]:
    """Eleven runs of which the whole rest is kept; what differences show, and twice that, tempered."""
    random = np.random.default_rng(3)
    estimates, x = random.normal(size=(11, 40)), random.random(11)
    line = ShrinkageLine(estimates, np.zeros((11, 40)), 0.8, x - x.mean())
    ones, seen = np.ones(11), variance_of(estimates[[0, 1, 2]] - estimates[[3, 4, 2]])
    alone = Variance(2.0 * seen.value + np.array([0.0, 0.0, 1.0]), steadier_df(np.minimum(seen.df, 1e6)))
    return (
        ShrunkEstimates(
            ones, line, ones, 0 * ones, ones < stopped + 1, Variance(ones, ones), ones, seen, np.arange(11)
        ),
        seen,
        alone,
    )


@pytest.mark.parametrize("stopped", [False, True])
def test_differences_that_pooling_leaves_alone_keep_their_width(stopped: bool) -> None:
    pooled, seen, alone = _unmoved(stopped)
    found = pooled.half_width_apart(np.array([0, 1, 2]), np.array([3, 4, 2]), seen, alone, 0.95)
    np.testing.assert_allclose(found, alone.half_width(0.95), rtol=1e-9)
    assert seen.value[2] == 0.0 < found[2]  # a run and itself: no document tells them apart


def test_a_run_that_was_held_back_has_its_own_interval_at_least_and_so_have_its_differences() -> None:
    """The first of two runs was; pooling would make intervals far narrower than those of the runs alone."""
    pooled, seen, alone = _unmoved(stopped=False)
    few = Variance(np.full(11, 4.0), np.full(11, 7.0))
    held_back = replace(pooled, stopped=np.arange(11) == 0, alone=few, seen=few, growth=np.full(11, 1e-6))
    half = held_back.half_width(0.95)
    assert half[0] == pytest.approx(t.ppf(0.975, 7) * 2.0)
    assert (half[1:] < 0.1).all()
    wide = Variance(np.full(2, 100.0), alone.df[:2])
    between = held_back.half_width_apart(
        np.array([0, 3]), np.array([1, 4]), Variance(1e6 * wide.value, seen.df[:2]), wide, 0.95
    )
    assert between[0] == pytest.approx(wide.half_width(0.95)[0])
    assert between[1] < between[0] / 10


def test_what_pooling_leaves_open_of_both_runs_widens_differences() -> None:
    pooled, seen, alone = _unmoved(stopped=False)
    wider = replace(pooled, left=np.full(11, 0.5))
    half = wider.half_width_apart(np.array([0, 1, 2]), np.array([3, 4, 2]), seen, alone, 0.95)
    expected = alone.half_width(0.95)[:2] * np.sqrt((alone.value[:2] + 1.0) / alone.value[:2])
    np.testing.assert_allclose(half[:2], expected, rtol=1e-9)


@pytest.mark.parametrize("columns", [0, 1, 3, 4, 5, 9])
def test_power_sums_are_those_of_each_row(columns: int) -> None:
    shares = np.random.default_rng(columns).normal(size=(3, columns))
    second, fourth = _core.power_sums(shares)
    np.testing.assert_allclose(second, [sum(v**2 for v in row) for row in shares.tolist()], rtol=1e-14)
    np.testing.assert_allclose(fourth, [sum(v**4 for v in row) for row in shares.tolist()], rtol=1e-14)


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.power_sums(np.ones(3)),
        lambda: _core.pooled_sums(np.ones((3, 4)), np.ones((3, 5)), np.ones(3), 1.0, np.ones(3), np.ones(3)),
        lambda: _core.pooled_sums(np.ones((3, 4)), np.ones((3, 4)), np.ones(2), 1.0, np.ones(3), np.ones(3)),
        lambda: _core.pooled_sums(np.ones((3, 4)), np.ones((3, 4)), np.ones(3), 1.0, np.ones(3), np.ones(2)),
    ],
)
def test_the_core_refuses_what_does_not_fit(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="needed"):
        call()


def test_weights_of_pairs_are_those_of_residuals_without_both() -> None:
    random = np.random.default_rng(5)
    n = 40
    errors = random.normal(size=(n, 4)) / 4
    q, residual, leverage, spread, weight = errors @ errors.T, *random.random((4, n)) * 0.8
    cell, together = random.integers(0, 3, n), random.random(n)
    found = np.asarray(_core.pair_weights(q, residual, leverage, spread, weight, cell, together))
    both = np.asarray(_core.leave_pairs_out(q, residual, leverage, spread, weight)[0])
    for i in range(n):
        for j in range(n):
            alike = together[max(i, j)] if cell[i] == cell[j] else 1.0
            expected = weight[i] * weight[j] * alike * both[i, j] * both[j, i]
            assert found[i, j] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match="one cell per document"):
        _core.pair_weights(q, residual, leverage, spread, weight, cell[1:], together)
