"""The variance of a mean over topics that were drawn, against all samples there are, and against simulated errors."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from poolwise.estimates.standard_errors import with_other_topics
from poolwise.sampling.variance import Variance


def layout(drawn, topics):
    return SimpleNamespace(in_mean=np.arange(drawn), share_of_topics=drawn / topics)


def test_it_is_unbiased_over_all_samples_of_topics():
    """Scores known without error: Cochran's (1 - f) S^2 / m, on average the variance of means of all samples."""
    scores = np.array([0.1, 0.5, 0.2, 0.9, 0.4, 0.35])
    samples = np.array(list(combinations(scores, 3)))
    none = Variance(np.zeros(len(samples)), np.full(len(samples), np.inf))
    found = with_other_topics(layout(3, 6), samples, none)
    assert found.value.mean() == pytest.approx(((samples.mean(axis=1) - scores.mean()) ** 2).mean())
    assert found.df.tolist() == pytest.approx([2.0] * len(samples))


def test_errors_within_topics_count_once():
    """Two stages: scores of drawn topics have errors with variances that are known."""
    random = np.random.default_rng(1)
    topics, drawn, trials = 12, 5, 40_000
    scores, spread = random.uniform(size=topics), random.uniform(0.1, 0.6, size=topics)
    chosen = np.argsort(random.random((trials, topics)), axis=1)[:, :drawn]
    seen = scores[chosen] + spread[chosen] * random.normal(size=chosen.shape)
    within = Variance((spread[chosen] ** 2).sum(axis=1) / drawn**2, np.full(trials, 8.0))
    found = with_other_topics(layout(drawn, topics), seen, within)
    error = seen.mean(axis=1) - scores.mean()
    assert found.value.mean() == pytest.approx((error**2).mean(), rel=0.03)
    assert ((found.df > 3.0) & (found.df < 16.0)).all()


def test_where_all_topics_are_drawn_nothing_is_added():
    within = Variance(np.array([0.1]), np.array([7.0]))
    assert with_other_topics(layout(4, 4), np.array([[0.1, 0.9, 0.5, 0.2]]), within) is within


@pytest.mark.parametrize("share", [True, False])
def test_samples_that_found_nothing_have_no_narrow_intervals(share):
    """Few labels miss what is rare in most topics, and then scores of drawn topics are all alike, and too low."""
    random = np.random.default_rng(2)
    topics, drawn, trials, rare = 50, 5, 4_000, 0.2
    scores = random.beta(1.5, 2.5, size=topics)
    chosen = np.argsort(random.random((trials, topics)), axis=1)[:, :drawn]
    noise = 0.15 * np.where(random.random(chosen.shape) < rare, (1.0 - rare) / rare, -1.0)
    seen = 0.3 * scores[chosen] + noise
    within = Variance(np.full(trials, 0.15**2 * (1.0 - rare) / rare / drawn), np.full(trials, 30.0))
    found = with_other_topics(layout(drawn, topics), seen, within, share)
    error = np.abs(seen.mean(axis=1) - 0.3 * scores.mean())
    f = drawn / topics
    alone = (1.0 - f) * seen.var(axis=1, ddof=1) / drawn + f * within.value
    assert (error <= within_reach(alone, np.full(trials, drawn - 1.0))).mean() < 0.9
    assert (error <= found.half_width(0.95)).mean() > 0.95


def within_reach(variance, df):
    return Variance(variance, df).half_width(0.95)
