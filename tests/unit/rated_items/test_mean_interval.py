"""Intervals of means: known ends, and how often they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from poolwise.rated_items.sampled_mean import (
    SampledItems,
    interval_of_difference,
    interval_of_mean,
    interval_of_share,
    labels_for,
    sampled_mean,
    with_labels,
)


def mean_of(labels, items=10**5):
    value = np.full(items, np.nan)
    value[: len(labels)] = labels
    return sampled_mean(
        SampledItems(value, np.zeros(items, dtype=np.int64), np.full(items, np.nan), np.zeros((items, 0)))
    )


def test_symmetric_labels_have_students_interval():
    labels = [-3.0, -1.0, 0.0, 1.0, 3.0]
    low, high = interval_of_mean(mean_of(labels), 0.9)
    expected = stats.t.interval(0.9, 4, 0, np.std(labels, ddof=1) / np.sqrt(5))
    assert (low, high) == pytest.approx(expected, rel=1e-3)


def test_skewed_labels_reach_farther_where_the_tail_is():
    low, high = interval_of_mean(mean_of([0.0, 0.0, 0.0, 0.1, 0.2, 5.0]), 0.95)
    middle = 5.3 / 6
    assert high - middle > middle - low


def test_hall_solves_his_cubic():
    """Ends put back into Hall's (1992) cubic give Student's quantile."""
    found = mean_of([0.0, 1.0, 1.0, 2.0, 9.0, 3.0, 0.5])
    error = np.sqrt(found.variance)
    skewness = np.sum(found.shares**3) / found.variance**1.5
    for end, sign in zip(interval_of_mean(found, 0.95), (1, -1), strict=True):
        t = (found.value - end) / error
        bent = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
        assert bent == pytest.approx(sign * stats.t.ppf(0.975, found.freedom))


def test_shares_have_wilsons_interval():
    """Wilson's with Student's quantile, and n - 1 in place of n, which is what an estimated variance has."""
    found = mean_of([1.0] * 7 + [0.0] * 13)
    ours = interval_of_share(found, 0.95)
    n, p = 19, 7 / 20
    q = stats.t.ppf(0.975, 19) ** 2
    middle, half = (p + q / 2 / n) / (1 + q / n), np.sqrt(q * p * (1 - p) / n + q**2 / 4 / n**2) / (1 + q / n)
    assert ours == pytest.approx((middle - half, middle + half), rel=1e-3)


def test_equal_labels_leave_a_share_open():
    low, high = interval_of_share(mean_of([1.0] * 30), 0.95)
    assert high == pytest.approx(1)
    assert 0.85 < low < 0.92
    assert np.isnan(interval_of_mean(mean_of([2.0] * 30), 0.95)).all()
    low, high = interval_of_difference(mean_of([0.0] * 30), 0.95)
    assert -0.1 < low < 0 < high < 0.1


@pytest.mark.parametrize(("items", "labelled"), [(100, 20), (100, 60), (1000, 20), (1000, 300), (50, 5)])
def test_equal_labels_on_a_scale_are_seldom_drawn_where_the_interval_misses(items, labelled):
    """Of so many others that the mean is outside, the exact chance of a draw without any: 1 in 20, or little more, as
    Wilson's interval is not exact."""
    low, high = interval_of_mean(mean_of([4.0] * labelled, items), 0.95, scale=(1.0, 5.0))
    for end, reached in ((1.0, lambda mean: mean < low), (5.0, lambda mean: mean > high)):
        others = next(number for number in range(items) if reached(4 + (end - 4) * number / items))
        assert 0.005 < stats.hypergeom.pmf(0, items, others, labelled) < 0.065
    assert np.isnan(interval_of_mean(mean_of([4.0] * labelled, items), 0.95)).all()


def test_nothing_is_open_when_all_is_labelled():
    found = mean_of([1.0, 0.0, 1.0], 3)
    for kind in (interval_of_mean, interval_of_share, interval_of_difference):
        assert kind(found, 0.95) == (found.value, found.value)
    assert labels_for(found, interval_of_mean, 0.1, 0.95) is None


def test_labels_for_a_width_give_that_width():
    g = np.random.default_rng(4)
    score = g.normal(size=5000)
    needed = labels_for(mean_of(score[:100], 5000), interval_of_mean, 0.2, 0.95)
    low, high = interval_of_mean(mean_of(score[:needed], 5000), 0.95)
    assert high - low == pytest.approx(0.2, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "kind"),
    [
        (lambda g: g.exponential(size=500), interval_of_mean),
        (lambda g: g.choice(np.arange(1.0, 6.0), 500, p=[0.03, 0.04, 0.08, 0.15, 0.7]), interval_of_mean),
        (lambda g: (g.random(500) < 0.1).astype(float), interval_of_share),
    ],
)
def test_intervals_hold(draw, kind):
    """400 trials with 25 labels: 95 in 100 within three standard errors, where Student's hold 86 to 92."""
    held = 0
    for trial in range(400):
        g = np.random.default_rng([2, trial])
        score = draw(g)
        value = np.full(500, np.nan)
        value[:25] = score[:25]
        known = (score + g.normal(0, score.std(), 500))[:, None]
        found = sampled_mean(SampledItems(value, np.zeros(500, dtype=np.int64), np.full(500, np.nan), known))
        low, high = kind(found, 0.95)
        held += bool(low <= score.mean() <= high)
    assert 0.917 < held / 400 < 0.985


@pytest.mark.parametrize("more", [0.0, 0.004])
def test_differences_have_the_interval_of_agresti_and_min(more):
    """One more label for either; variance from elsewhere too speaks of items without end, all of which are open."""
    labels = [1.0] * 8 + [-1.0] * 3 + [0.0] * 9
    found = mean_of(labels, 50)
    low, high = interval_of_difference(found, 0.9, more)
    variance = np.var(labels, ddof=1) / 20 * (1 - 20 / 50) + more
    half = stats.t.ppf(0.95, 19) * np.sqrt(variance * (20 / 22) ** 2 + (1.0 if more else 0.6) / 22**2)
    assert (low, high) == pytest.approx((5 / 22 - half, 5 / 22 + half))


@pytest.mark.parametrize(("now", "then"), [(30, 60), (60, 30), (30, 30), (30, 100), (100, 100)])
def test_equal_labels_leave_open_what_so_many_of_them_would(now, then):
    forecast = with_labels(mean_of([1.0] * now, 100), then, 0.0)
    assert forecast.labelled == then
    assert forecast.homogeneous_weight == pytest.approx(mean_of([1.0] * then, 100).homogeneous_weight)
    assert forecast.homogeneous_weight == pytest.approx(1 / then - 1 / 100)
