"""How far squared errors are from what probabilities say of them: against a literal sum, and with a known truth."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise.estimates.model_errors import error_scales


def literal(closeness: list[float], rows: list[int], residuals: list[float], left_out: list[float]) -> list[float]:
    """Eight groups of judged documents by closeness with equal sums of p (1 - p), each steadied by the mean of all."""
    told = [p * (1 - p) for p in left_out]
    judged = sorted(range(len(rows)), key=lambda i: (closeness[rows[i]], i))
    groups: list[list[int]] = [[] for _ in range(8)]
    before = 0.0
    for i in judged:
        groups[min(7, int(8 * (before + told[i] / 2) / sum(told)))].append(i)
        before += told[i]
    whole = (sum(e * e for e in residuals) + 5) / (sum(told) + 5)
    scales = [(sum(residuals[i] ** 2 for i in g) + 5 * whole) / (sum(told[i] for i in g) + 5) for g in groups]
    found = []
    for value in closeness:
        last = 0
        for number, group in enumerate(groups):
            if group and closeness[rows[group[0]]] <= value:
                last = number
        found.append(scales[last])
    return found


def test_scales_are_the_literal_ones() -> None:
    random = np.random.default_rng(3)
    closeness = random.normal(size=400)
    rows = np.sort(random.choice(400, 150, replace=False))
    left_out = random.uniform(0.05, 0.95, 150)
    residuals = (random.uniform(size=150) < left_out) - left_out
    found = error_scales(closeness, rows, residuals, left_out)
    expected = literal(closeness.tolist(), rows.tolist(), residuals.tolist(), left_out.tolist())
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert len(set(found.tolist())) == 8


def test_errors_that_are_larger_at_the_top_are_found_there() -> None:
    """Probabilities of .9 where one in two is relevant, at the top only: squares are 4.6 times what is expected."""
    random = np.random.default_rng(4)
    closeness = random.uniform(size=20_000)
    high = closeness > 0.8
    left_out = np.where(high, 0.9, 0.2)
    relevant = random.uniform(size=20_000) < np.where(high, 0.5, 0.2)
    found = error_scales(closeness, np.arange(20_000), relevant - left_out, left_out)
    true = (0.5 * 0.1**2 + 0.5 * 0.9**2) / 0.09
    assert found[closeness > 0.9].mean() == pytest.approx(true, rel=0.1)
    assert found[closeness < 0.6].mean() == pytest.approx(1.0, rel=0.05)


def test_few_labels_hardly_move_it_and_none_leave_it() -> None:
    closeness = np.linspace(0.0, 1.0, 10)
    nothing = np.zeros(0)
    assert error_scales(closeness, np.zeros(0, dtype=int), nothing, nothing).tolist() == [1.0] * 10
    certain = error_scales(closeness, np.array([3]), np.array([0.0]), np.array([1.0]))
    assert certain.tolist() == [1.0] * 10
    one = error_scales(closeness, np.array([3]), np.array([0.9]), np.array([0.1]))
    assert 1.0 < one.min() <= one.max() < 1.4
