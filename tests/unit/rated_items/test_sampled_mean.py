"""The mean of items against slow twins: textbook formulas, and fitting again without each item."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise.rated_items.sampled_mean import SampledItems, sampled_mean


def drawn(value, known=None, cell=None, rate=None):
    n = len(value)
    return SampledItems(
        np.asarray(value, dtype=float),
        np.zeros(n, dtype=np.int64) if cell is None else np.asarray(cell),
        np.full(n, np.nan) if rate is None else np.asarray(rate, dtype=float),
        np.zeros((n, 0)) if known is None else np.asarray(known, dtype=float).reshape(n, -1),
    )


def some(seed=1, n=12, total=60):
    g = np.random.default_rng(seed)
    score = g.exponential(size=total)
    value = np.full(total, np.nan)
    value[g.choice(total, n, replace=False)] = 0
    return g, score, np.where(np.isnan(value), np.nan, score)


def test_without_predictions_it_is_the_textbook_mean():
    _, _, value = some()
    labels = value[~np.isnan(value)]
    found = sampled_mean(drawn(value))
    assert found.value == pytest.approx(labels.mean())
    assert found.variance == pytest.approx(labels.var(ddof=1) / 12 * (1 - 12 / 60))
    assert found.freedom == pytest.approx(11)
    assert found.spread == pytest.approx(labels.var(ddof=1))


def test_strata_are_the_textbook_stratified_mean():
    g = np.random.default_rng(3)
    value, cell = np.full(100, np.nan), np.repeat([0, 1], [80, 20])
    value[:10], value[80:86] = g.normal(size=10), g.normal(5, 3, size=6)
    a, b = value[:10], value[80:86]
    found = sampled_mean(drawn(value, cell=cell))
    assert found.value == pytest.approx(0.8 * a.mean() + 0.2 * b.mean())
    parts = 0.64 * a.var(ddof=1) / 10 * (1 - 10 / 80), 0.04 * b.var(ddof=1) / 6 * (1 - 6 / 20)
    assert found.variance == pytest.approx(sum(parts))
    assert found.freedom == pytest.approx(sum(parts) ** 2 / (parts[0] ** 2 / 9 + parts[1] ** 2 / 5))


def test_errors_are_those_of_fits_without_the_item():
    """A twin that fits again without each labelled item, and searches the weight on a grid."""
    g, score, value = some(5, 15, 80)
    known = score + g.normal(size=80)
    at = np.flatnonzero(~np.isnan(value))
    plain, assisted = np.zeros(15), np.zeros(15)
    for place, item in enumerate(at):
        others = at[at != item]
        slope, start = np.polyfit(known[others], value[others], 1)
        plain[place] = value[item] - value[others].mean()
        assisted[place] = value[item] - start - slope * known[item]
    grid = np.linspace(0, 1, 10001)
    best = grid[np.argmin([np.sum((plain + w * (assisted - plain)) ** 2) for w in grid])]
    found = sampled_mean(drawn(value, known))
    assert found.weight == pytest.approx(best, abs=2e-4)
    errors = plain + best * (assisted - plain)
    assert found.variance == pytest.approx(np.sum(errors**2) * 14 / 15**3 * (1 - 15 / 80), rel=1e-3)
    slope = np.polyfit(known[at], value[at], 1)[0]
    corrected = value[at].mean() + best * slope * (known.mean() - known[at].mean())
    assert found.value == pytest.approx(corrected, abs=1e-4)


def test_predictions_that_know_everything_leave_nothing_open():
    _, score, value = some()
    found = sampled_mean(drawn(value, 3 - 2 * score))
    assert found.value == pytest.approx(score.mean())
    assert found.variance == pytest.approx(0, abs=1e-20)
    assert found.weight == pytest.approx(1)


def test_predictions_never_widen():
    for seed in range(30):
        g, _, value = some(seed)
        noise = g.normal(size=(60, 2))
        assert sampled_mean(drawn(value, noise)).variance <= sampled_mean(drawn(value)).variance * (1 + 1e-12)


def test_rates_weigh_items():
    """Hajek's mean with rates that differ within a cell, and its variance with independent draws."""
    g = np.random.default_rng(9)
    rate, score = g.uniform(0.2, 0.9, 50), g.normal(size=50)
    value = np.where(g.random(50) < rate, score, np.nan)
    at = ~np.isnan(value)
    weight = (1 / rate[at]) / np.sum(1 / rate[at])
    found = sampled_mean(drawn(value, rate=rate))
    assert found.value == pytest.approx(weight @ value[at])
    left_out = [(y - (weight @ value[at] - w * y) / (1 - w)) for y, w in zip(value[at], weight, strict=True)]
    n = at.sum()
    assert found.variance == pytest.approx(np.sum(weight**2 * (1 - rate[at]) * np.square(left_out)) * (n - 1) / n)


def test_all_labelled_is_exact():
    found = sampled_mean(drawn([1.0, 2.0, 6.0], [3.0, 1.0, 2.0]))
    assert (found.value, found.variance) == (3.0, 0.0)


def test_equal_labels_might_vary_as_much_as_so_many_draws():
    """Sum of w^2 (1 - rate): four of eight, each for a quarter of all; no prediction explains what does not vary."""
    value = np.array([1.0] * 4 + [np.nan] * 4)
    for known in (None, np.arange(8.0)):
        found = sampled_mean(drawn(value, known))
        assert found.homogeneous_weight == pytest.approx(4 * (1 / 4) ** 2 * (1 - 1 / 2))
        assert found.homogeneous_labels == 4
