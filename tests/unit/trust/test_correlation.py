"""Correlations against scipy, literal twins and their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats
from tests.twins import comparisons as twins

from poolwise.trust import rank_correlation as correlation

# Few levels make many ties; eighths are exact.
TIED = arrays.arrays(np.float64, st.just(6), elements=st.integers(0, 4).map(lambda i: i / 8))
SYMMETRIC = [correlation.kendall_tau, correlation.kendall_tau_b, correlation.tau_ap_b, correlation.spearman_rho]


@given(TIED, TIED)
@settings(deadline=None)
def test_tau_equals_the_literal_definition(a: np.ndarray, b: np.ndarray) -> None:
    tau, swapped = twins.kendall(a, b)
    assert correlation.kendall_tau(a, b) == pytest.approx(tau)
    assert correlation.swapped_pairs(a, b) == swapped


@given(TIED, TIED)
@settings(deadline=None)
def test_tau_b_and_rho_equal_scipy_with_ties(a: np.ndarray, b: np.ndarray) -> None:
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        assert np.isnan(correlation.kendall_tau_b(a, b))
        assert np.isnan(correlation.spearman_rho(a, b))
    else:
        assert correlation.kendall_tau_b(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-12)
        assert correlation.spearman_rho(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)


@given(TIED, TIED)
@settings(deadline=None, max_examples=40)
def test_tau_ap_is_the_mean_over_orders_of_tied_runs(a: np.ndarray, b: np.ndarray) -> None:
    a, b = a[:4], b[:4]
    assert correlation.tau_ap(a, b) == pytest.approx(twins.tau_ap(a, b))


@given(TIED, TIED)
@settings(deadline=None)
def test_symmetric_coefficients_do_not_depend_on_which_comes_first(a: np.ndarray, b: np.ndarray) -> None:
    for coefficient in SYMMETRIC:
        assert coefficient(a, b) == pytest.approx(coefficient(b, a), nan_ok=True)


@given(TIED)
@settings(deadline=None)
def test_a_ranking_agrees_with_itself_and_not_with_its_reverse(a: np.ndarray) -> None:
    if np.ptp(a) == 0:
        return
    for coefficient in (correlation.kendall_tau_b, correlation.spearman_rho, correlation.pearson_r):
        assert coefficient(a, a) == pytest.approx(1.0)
        assert coefficient(a, -a) == pytest.approx(-1.0)
    assert correlation.tau_ap_b(a, a) == pytest.approx(1.0)
    assert correlation.tau_ap_b(a, -a) == pytest.approx(-1.0)


def test_tau_ap_without_ties_runs_from_minus_one_to_one() -> None:
    a = np.array([0.5, 0.4, 0.3, 0.2, 0.1])
    assert correlation.tau_ap(a, a) == pytest.approx(1.0)
    assert correlation.tau_ap(a, -a) == pytest.approx(-1.0)


def test_tau_ap_counts_a_swap_at_the_top_more_than_tau_does() -> None:
    reference = np.array([0.5, 0.4, 0.3, 0.2, 0.1])
    top, bottom = reference[[1, 0, 2, 3, 4]], reference[[0, 1, 2, 4, 3]]
    assert correlation.kendall_tau(reference, top) == correlation.kendall_tau(reference, bottom)
    assert correlation.tau_ap(reference, top) < correlation.tau_ap(reference, bottom)


def test_the_first_argument_of_tau_ap_is_the_reference() -> None:
    # b moves the worst run to the top: all four others have it above them wrongly. In the other direction
    # only the last rank is wrong.
    a = np.array([0.5, 0.4, 0.3, 0.2, 0.1])
    b = np.array([0.5, 0.4, 0.3, 0.2, 0.6])
    shares = [0 / 1, 1 / 2, 2 / 3, 3 / 4]
    assert correlation.tau_ap(a, b) == pytest.approx(2 * sum(shares) / 4 - 1)
    assert correlation.tau_ap(b, a) == pytest.approx(2 * (1 + 1 + 1 + 0) / 4 - 1)


def test_means_within_rounding_tie() -> None:
    a = np.array([0.3, 0.1 + 0.2, 0.1])
    assert a[0] != a[1]
    assert correlation.signs(a).tolist() == [[0, 0, 1], [0, 0, 1], [-1, -1, 0]]
    assert correlation.signs([0.3, 0.3 + 2e-12]).tolist() == [[0, -1], [1, 0]]
    assert correlation.mean_ranks(a).tolist() == [1.5, 1.5, 3.0]


def test_pearson_and_error_equal_their_formulas() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.random(20), generator.random(20)
    assert correlation.pearson_r(a, b) == pytest.approx(stats.pearsonr(a, b).statistic)
    assert correlation.root_mean_square_error(a, b) == pytest.approx(np.sqrt(sum((a - b) ** 2) / 20))
    assert np.isnan(correlation.pearson_r(a, np.full(20, 0.1)))


def test_leading_axes_are_worked_through_one_by_one() -> None:
    generator = np.random.default_rng(2)
    a, b = generator.integers(0, 5, (2, 3, 4, 7)) / 8
    for coefficient in (*SYMMETRIC, correlation.tau_ap, correlation.pearson_r, correlation.swapped_pairs):
        whole = coefficient(a, b)
        assert whole.shape == (3, 4)
        assert whole[2, 1] == pytest.approx(coefficient(a[2, 1], b[2, 1]), nan_ok=True)
