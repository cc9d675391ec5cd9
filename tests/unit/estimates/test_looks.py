"""Factors of looks: published boundaries, a simulated Brownian motion, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t

from poolwise.estimates.sequential_band import factors, information, next_factor, obrien_fleming, quantile_for


def each_side(tau, alpha):
    """The spending of Lan and DeMets for two one-sided boundaries of alpha / 2 each."""
    return 4 - 4 * norm.cdf(norm.ppf(1 - alpha / 4) / np.sqrt(tau))


def test_published_boundaries():
    # Five equal looks, alpha .05, two-sided (as printed by the programs ld98 and gsDesign).
    found = factors([0.2, 0.4, 0.6, 0.8, 1.0], 0.05, each_side)
    assert found == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=1.5e-3)


def test_one_look_is_the_usual_interval():
    assert factors([1.0]) == pytest.approx([norm.ppf(0.975)])
    assert factors([1.0], 0.1) == pytest.approx([norm.ppf(0.95)])


@pytest.mark.slow
@pytest.mark.parametrize("taus", [[0.1, 0.3, 0.35, 0.8, 1.0], [0.5, 0.500001, 0.9], np.linspace(0.03, 1, 30).tolist()])
def test_a_simulated_motion_leaves_the_band_as_often_as_was_given_away(taus):
    generator = np.random.default_rng(5)
    steps = np.sqrt(np.diff([0.0, *taus]))
    motion = np.cumsum(generator.standard_normal((200_000, len(taus))) * steps, axis=1)
    bands = np.array(factors(taus)) * np.sqrt(taus)
    left = (np.abs(motion) > bands).any(axis=1).mean()
    assert left == pytest.approx(obrien_fleming(taus[-1], 0.05), abs=4 * np.sqrt(0.05 / 200_000))


@pytest.mark.slow
def test_many_looks_never_give_away_more_than_alpha():
    taus = np.linspace(0.005, 1, 200)
    bands = np.array(factors(taus))
    assert (np.diff(bands[np.isfinite(bands)]) < 1e-6).all()
    assert norm.ppf(0.975) < bands[-1] < 2.3


def test_a_look_without_news_keeps_its_factor():
    path = ((0.4, factors([0.4])[0]),)
    assert next_factor(path, 0.4) == path[0][1]
    assert next_factor(path, 0.7) == pytest.approx(factors([0.4, 0.7])[-1])
    assert next_factor((), 0.0) == np.inf


def test_information_of_equal_rates_is_the_ratio_of_variances():
    share, end = 0.13, 0.4
    assert information(share, end) == pytest.approx(((1 - end) / end) / ((1 - share) / share))
    assert information(0.5, 0.4) == 1.0


def test_quantiles_of_t_have_the_same_probability():
    assert t.sf(quantile_for(2.3, 7.0), 7) == pytest.approx(norm.sf(2.3))
    assert quantile_for(2.3, np.inf) == 2.3
    assert quantile_for(np.inf, 7.0) == np.inf
