"""Topics that were drawn at random from all of a campaign: what they differ by belongs to the error of the mean.

Of T topics m are drawn, f = m / T, and the score of each is estimated with error. The mean over drawn topics has the
variance (1 - f) S^2 / m + f V: S^2 is the variance of estimated scores over drawn topics, which holds part of the
error within topics already, V the variance of the mean if there were no other topics (two-stage sampling; Cochran
1977, section 10.4).

With five topics of four labels S^2 is made of a few numbers, most of them noise: samples that happened to find nothing,
or nothing else, show a small one. What is expected of it, m V for the noise and what topics differ by themselves,
hardly moves.
"""

from __future__ import annotations

import numpy as np

from poolwise.estimates.layout import Array, Layout
from poolwise.estimates.standard_errors import Variance

__all__ = ["with_other_topics"]

# Both as benchmarks/drawn_topics.py says of DL 2019 and TREC-COVID 5; tried on TREC-8 (docs/theory/assisted.md).
WORTH = 4.0  # degrees of freedom that what is expected of S^2 counts as
BETWEEN = 0.25  # variance of true scores over topics, as a share of mean (1 - mean)


def with_other_topics(layout: Layout, per_topic: Array, within: Variance, share: bool = False) -> Variance:
    """The variance of means over all topics, `per_topic` (rows x m) being estimates of those that were drawn.

    What topics differ by is known beforehand only of scores that are a `share`. Degrees of freedom are Satterthwaite's,
    those of the first part being m - 1, and what the expectation is worth.
    """
    drawn, f = len(layout.in_mean), layout.share_of_topics
    if f == 1.0:
        return within
    seen, noise = per_topic.var(axis=1, ddof=1), drawn * within.value
    if share:
        mean = (np.clip(per_topic.mean(axis=1), 0.0, 1.0) * drawn + 1.0) / (drawn + 2.0)
        expected, worth = noise + BETWEEN * mean * (1.0 - mean), np.full(len(seen), WORTH)
    else:  # no less than the noise
        expected = np.maximum(seen, noise)
        worth = WORTH * np.divide(noise, expected, out=np.zeros(len(seen)), where=expected > 0.0)
    known = drawn - 1.0 + worth
    between = (1.0 - f) * ((drawn - 1.0) * seen + worth * expected) / known / drawn
    inside = f * within.value
    value = between + inside
    squares = between**2 / known + inside**2 / within.df
    return Variance(value, np.divide(value**2, squares, out=np.full(len(value), np.inf), where=squares > 0.0))
