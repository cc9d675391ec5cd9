"""The variance of a mean over topics that were drawn, against all samples there are, and against simulated errors."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from poolwise.estimate.sampled_topics import with_other_topics
from poolwise.estimate.standard_errors import Variance


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
    assert ((found.df > 3.0) & (found.df < 12.0)).all()


def test_where_all_topics_are_drawn_nothing_is_added():
    within = Variance(np.array([0.1]), np.array([7.0]))
    assert with_other_topics(layout(4, 4), np.array([[0.1, 0.9, 0.5, 0.2]]), within) is within
