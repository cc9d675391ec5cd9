"""Significance of tau: against every order of few runs, against scipy, and against the published threshold."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import kendalltau

from poolwise.trust.rank_correlation import ENUMERATED_RUNS, kendall_tau, significant_tau, swap_chances, tau_p
from poolwise.trust.ranking_agreement import agreement

TIED = [
    ((0, 0, 0, 1, 1, 2), (0, 0, 0, 1, 1, 1)),
    ((1, 1, 2, 3, 4), (1, 2, 3, 5, 4)),
    ((1, 2, 2), (3, 1, 3)),
    ((1, 1, 2, 3, 3, 4, 5), (2, 1, 3, 3, 4, 4, 5)),
]


def test_p_counts_orders_that_are_as_far_from_even():
    truth = np.arange(6.0)
    orders = np.array(list(permutations(truth)))
    taus = np.abs(kendall_tau(truth, orders))
    for order in orders[::37]:
        share = np.mean(taus >= abs(kendall_tau(truth, order)) - 1e-12)
        assert tau_p(truth, order) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("runs", [5, 12, 30, 129])
def test_p_is_that_of_scipy(runs):
    generator = np.random.default_rng(runs)
    a = generator.random(runs)
    b = a + generator.random(runs)
    method = "exact" if runs < 100 else "auto"
    assert tau_p(a, b) == pytest.approx(kendalltau(a, b, method=method).pvalue, rel=0.02, abs=1e-12)
    tied = np.round(b, 1)
    if runs > ENUMERATED_RUNS:
        assert tau_p(a, tied) == pytest.approx(kendalltau(a, tied).pvalue)


def test_threshold_is_the_least_tau_with_a_small_p():
    assert significant_tau(30, 0.01) == pytest.approx(0.34, abs=0.01)  # [S07] section 6
    assert np.isnan(significant_tau(3, 0.05))
    least = significant_tau(9, 0.05)
    chances = swap_chances(9)
    swapped = round((1 - least) * 36 / 2)
    assert 2 * chances[: swapped + 1].sum() <= 0.05 < 2 * chances[: swapped + 2].sum()


def test_agreement_has_it_and_constant_means_have_none():
    found = agreement([5.0, 4, 3, 2, 1], [4.0, 5, 3, 2, 1])
    assert found.tau_p == pytest.approx(10 / 120)
    assert np.isnan(tau_p([1.0, 1, 1], [1.0, 2, 3]))


@pytest.mark.parametrize(("a", "b"), TIED)
def test_with_ties_few_runs_are_told_by_all_orders(a, b):
    """Scipy's normal approximation gives p below 0.05 to rankings that every tenth order is as far from even as."""
    pairs = [(i, j) for i in range(len(a)) for j in range(i)]

    def far(order):
        return abs(sum(int(np.sign(a[i] - a[j]) * np.sign(order[i] - order[j])) for i, j in pairs))

    every = [far(order) for order in permutations(b)]
    assert tau_p(a, b) == pytest.approx(sum(each >= far(b) for each in every) / len(every))
