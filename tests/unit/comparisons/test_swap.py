"""The swap method against a literal count, and against scores whose order is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from poolwise.comparisons.discrimination import BINS, swap_method
from poolwise.errors import ArgumentError, InputError


def literal(values: np.ndarray, draws: int, seed: int) -> tuple[list[int], list[int]]:
    """Swaps and comparisons by bin."""
    generator, half = np.random.default_rng(seed), values.shape[1] // 2
    swaps, comparisons = [0] * BINS, [0] * BINS
    for _ in range(draws):
        order = generator.permutation(values.shape[1]).tolist()
        for a, b in combinations(range(len(values)), 2):
            here = np.mean([values[a, t] for t in order[:half]]) - np.mean([values[b, t] for t in order[:half]])
            there = np.mean([values[a, t] - values[b, t] for t in order[half : 2 * half]])
            place = min(int(abs(here) / 0.01), BINS - 1)
            comparisons[place] += 1
            swaps[place] += here * there < 0
    return swaps, comparisons


def test_rates_are_those_of_a_literal_count():
    values = np.random.default_rng(2).normal(size=(5, 21)) * 0.08 + 0.03 * np.arange(5)[:, None]
    found = swap_method(values, draws=50, seed=3)
    swaps, comparisons = literal(values, 50, 3)
    assert found.rates == pytest.approx([s / c if c else 0.0 for s, c in zip(swaps, comparisons, strict=True)])
    required = round(found.difference_required / 0.01)
    assert all(s <= 0.05 * c for s, c in zip(swaps[required:], comparisons[required:], strict=True))
    assert swaps[required - 1] > 0.05 * comparisons[required - 1]
    assert found.sensitivity == pytest.approx(sum(comparisons[required:]) / sum(comparisons))


def test_runs_far_apart_never_swap_and_equal_ones_swap_half_of_the_time():
    apart = np.arange(4)[:, None] + 0.001 * np.random.default_rng(1).random((4, 20))
    assert swap_method(apart, draws=20).sensitivity == 1.0
    alike = np.random.default_rng(1).normal(size=(6, 40))
    found = swap_method(alike, draws=300)
    assert found.sensitivity == 0.0
    assert np.isnan(found.difference_required)
    assert 0.35 < found.rates[0] < 0.65


def test_wrong_arguments():
    with pytest.raises(ArgumentError, match="draws"):
        swap_method(np.ones((2, 4)), draws=0)
    with pytest.raises(InputError, match="two"):
        swap_method(np.ones((1, 4)))
