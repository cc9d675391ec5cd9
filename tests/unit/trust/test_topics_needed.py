"""Power and topics needed: known values, simulation, and the variance they start from."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import integrate, stats

from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.trust.topics_needed import (
    anova_power,
    paired_t_power,
    topics_for_anova,
    topics_for_paired_t,
    topics_needed,
)


@pytest.mark.parametrize(("effect", "topics"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_paired_t_needs_what_the_textbook_says(effect: float, topics: int) -> None:
    # Small, medium and large effects (Cohen 1988) at alpha 0.05 and power 0.8, two-sided, as G*Power 3.1 prints them.
    assert topics_for_paired_t(effect, 1.0) == topics
    assert topics_for_paired_t(-0.1 * effect, 0.1) == topics


def test_anova_needs_what_the_textbook_says() -> None:
    # Three groups, f = 0.25, alpha 0.05, power 0.8: 159 in all, 53 per group (G*Power 3.1).
    # f^2 m = D^2 / (2 sigma^2) for the least favourable arrangement with range D.
    assert topics_for_anova(np.sqrt(2 * 3 * 0.25**2), 1.0, 3) == 53


def test_one_topic_fewer_has_too_little_power() -> None:
    topics = topics_for_paired_t(0.04, 0.13, power=0.9, alpha=0.01)
    assert paired_t_power(topics, 0.04, 0.13, 0.01) >= 0.9 > paired_t_power(topics - 1, 0.04, 0.13, 0.01)
    topics = topics_for_anova(0.2, 0.06, 8, power=0.7, alpha=0.1)
    assert anova_power(topics, 0.2, 0.06, 8, 0.1) >= 0.7 > anova_power(topics - 1, 0.2, 0.06, 8, 0.1)


def test_two_groups_of_anova_are_the_two_sample_t_test() -> None:
    edge = stats.t.ppf(0.975, 58)
    centre = 0.5 / np.sqrt(2 / 30)
    t_power = stats.nct.sf(edge, 58, centre) + stats.nct.cdf(-edge, 58, centre)
    assert anova_power(30, 0.5, 1.0, 2) == pytest.approx(t_power, rel=1e-6)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("topics", [2, 5, 40, 1000])
def test_without_a_difference_power_is_alpha(topics: int, alpha: float) -> None:
    # Both tails of the t test count: half of alpha lies in each.
    assert paired_t_power(topics, 0.0, 1.0, alpha) == pytest.approx(alpha, rel=1e-9)
    assert paired_t_power(topics, 1e-9, 1.0, alpha) == pytest.approx(alpha, rel=1e-6)
    assert anova_power(topics, 0.0, 1.0, 4, alpha) == pytest.approx(alpha, rel=1e-9)
    assert anova_power(topics, 1e-9, 1.0, 4, alpha) == pytest.approx(alpha, rel=1e-6)


def integrated_power(topics: int, centre: float, alpha: float) -> float:
    """P(|Z + centre| > edge S), S the standard deviation that n - 1 degrees of freedom give, by integration over S."""
    df, edge = topics - 1, stats.t.isf(alpha / 2, topics - 1)

    def density(s: float) -> float:
        beyond = stats.norm.cdf(centre - edge * s) + stats.norm.cdf(-centre - edge * s)
        return float(beyond * stats.chi.pdf(s * np.sqrt(df), df) * np.sqrt(df))

    return float(integrate.quad(density, 0, 2, limit=200)[0] + integrate.quad(density, 2, 12, limit=200)[0])


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.01, 0.2])
@pytest.mark.parametrize("topics", [3, 10, 100])
def test_power_is_the_integral_over_the_standard_deviation(topics: int, alpha: float) -> None:
    for centre in (0.0, 0.3, 1.0, 3.0, 7.0, 10.0, 30.0):
        power = paired_t_power(topics, centre / np.sqrt(topics), 1.0, alpha)
        assert power == pytest.approx(integrated_power(topics, centre, alpha), abs=1e-9), centre


def test_power_is_what_simulated_experiments_find() -> None:
    generator = np.random.default_rng(1)
    z = generator.normal(0.05, 0.15, size=(20_000, 40))
    found = np.mean(stats.ttest_1samp(z, 0.0, axis=1).pvalue < 0.05)
    assert paired_t_power(40, 0.05, 0.15) == pytest.approx(found, abs=4 * np.sqrt(0.25 / 20_000))
    centres = np.array([-0.1, 0.0, 0.0, 0.1])[:, None, None]
    groups = centres + generator.normal(0, 0.3, size=(4, 5_000, 40))
    rejected = np.mean(stats.f_oneway(*groups, axis=1).pvalue < 0.05)
    assert anova_power(40, 0.2, 0.09, 4) == pytest.approx(rejected, abs=4 * np.sqrt(0.25 / 5_000))


def test_the_variance_is_that_of_the_pairs() -> None:
    values = np.random.default_rng(2).random((4, 30))
    found = topics_needed(values, difference=0.1)
    variances = [np.var(values[i] - values[j], ddof=1) for i, j in combinations(range(4), 2)]
    assert found.deviation == pytest.approx(np.sqrt(np.mean(variances)))
    assert found.variance == pytest.approx(np.mean(np.var(values, axis=1, ddof=1)))
    pair = topics_needed(values, difference=0.1, runs=["4", "2"])
    assert pair.runs == ("4", "2")
    assert pair.deviation == pytest.approx(np.std(values[3] - values[1], ddof=1))
    assert pair.paired == topics_for_paired_t(0.1, pair.deviation)


def test_the_detectable_difference_has_the_wanted_power() -> None:
    found = topics_needed(np.random.default_rng(2).random((4, 30)), difference=0.1, power=0.9)
    assert paired_t_power(30, found.detectable, found.deviation) == pytest.approx(0.9)
    assert found.power_today == pytest.approx(paired_t_power(30, 0.1, found.deviation))
    assert found.to_frame()["paired"].tolist() == [found.paired]
    assert found.to_dict()["anova"] == found.anova
    assert "detectable" in found._repr_html_()


def test_wrong_plans_are_named() -> None:
    values = np.random.default_rng(2).random((3, 12))
    with pytest.raises(ArgumentError, match="difference must be a number other than 0"):
        topics_needed(values, difference=0.0)
    with pytest.raises(ArgumentError, match="0 < alpha < power < 1"):
        topics_needed(values, difference=0.1, power=0.01)
    with pytest.raises(ArgumentError, match="no run is called '9'; there are 3, the first is '1'"):
        topics_needed(values, difference=0.1, runs=["1", "9"])
    with pytest.raises(ArgumentError, match="more than 10000000 topics"):
        topics_for_paired_t(1e-6, 1.0)
    with pytest.raises(InputError, match="differ alike on every topic"):
        topics_needed([values[0], values[0] + 0.1], difference=0.1)
    with pytest.raises(ArgumentError, match="runs=1 must be a whole number of at least 2"):
        topics_for_anova(0.1, 0.1, 1)
    with pytest.raises(InputError, match="at least two runs, found 1"):
        topics_needed(values[:1], difference=0.1)
    with pytest.warns(PoolwiseWarning, match="only 5 topics"):
        assert topics_needed(values[:, :5], difference=0.1).warnings


@pytest.mark.slow
def test_intervals_hold_what_the_true_variance_needs():
    """Heavy tails and unlike topics included; truth from the variance that scores were drawn with."""
    generator = np.random.default_rng(7)
    truth = topics_for_paired_t(0.3, np.sqrt(2.0))
    inside, trials = 0, 60
    for _ in range(trials):
        found = topics_needed(generator.laplace(size=(6, 40)) / np.sqrt(2), difference=0.3)
        inside += found.paired_low <= truth <= found.paired_high
        assert found.paired_low <= found.paired <= found.paired_high
        assert found.anova_low <= found.anova <= found.anova_high
    assert 0.88 < inside / trials <= 1


def test_few_topics_leave_the_number_open_and_a_higher_level_widens():
    values = np.random.default_rng(8).random((3, 30))
    with pytest.warns(PoolwiseWarning):
        few = topics_needed(values[:, :3], difference=0.2)
    assert (few.paired_low, few.paired_high) == (0.0, float("inf"))
    wide, narrow = (topics_needed(values, difference=0.1, level=level) for level in (0.99, 0.8))
    assert wide.paired_low < narrow.paired_low < narrow.paired_high < wide.paired_high
    assert f"({narrow.paired_low:g} to {narrow.paired_high:g}" in narrow.headline()
