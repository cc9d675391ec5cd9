"""From corrections to standard errors: each judged document's share in the error of the mean.

docs/theory/assisted.md, section *The interval*.

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

from poolwise.estimates.layout import Array, Layout, squares
from poolwise.sampling.variance import Variance, two_stages

ROWS_AT_ONCE = 4  # runs, whose shares stay in the processor's cache
PRIOR_DF = 30.0  # weight of the model's expectation, in degrees of freedom; fitted: benchmarks/calibrate.py
MOST_COMMON = 0.5  # of a variance that errors common to a stratum may make up; fitted: benchmarks/calibrate.py


def share_scale(inclusion: Array, topics: int) -> Array:
    """sqrt(1 - pi) / pi / T: what one unit of u adds to the standard error of the mean."""
    return np.asarray(np.sqrt(1.0 - inclusion) / inclusion / topics)


def shares(
    first: Array, curvature: Array, inclusion: Array, topics: int, out: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """a_i for u' = u + B / w, and the same for the B part alone (runs x n); in arrays that are given, or new ones."""
    scale = share_scale(inclusion, topics)
    both, of_curvature = (np.empty(first.shape), np.empty(first.shape)) if out is None else out
    np.multiply(curvature, scale * inclusion / (1.0 - inclusion), out=of_curvature)
    np.multiply(first, scale, out=both)
    both += of_curvature
    return both, of_curvature


def squares_of(a: Array, less: Array) -> Array:
    """Sums of (a - less)^2 over the columns of each row."""
    sums = np.empty(len(a))
    for rows in few_at_once(len(a)):
        rest = a[rows] - less[rows]
        sums[rows] = squares(rest)
    return sums


def few_at_once(rows: int) -> list[slice]:
    """So few that they stay in the processor's cache on the way."""
    return [slice(begin, begin + ROWS_AT_ONCE) for begin in range(0, rows, ROWS_AT_ONCE)]


def tempered(seen: Variance, first: Array, expected: Array) -> Variance:
    """Weighted mean of the sample's variance (by its degrees of freedom) and the model's (30 degrees).

    A sample that missed the few documents that matter shows a small variance, one that hit them a large one, though
    the error is the same. What the model expects of the first-order part hardly moves from sample to sample; `first` is
    that part as seen.
    """
    df = np.where(seen.value > 0.0, seen.df, 0.0)
    value = (df * seen.value + PRIOR_DF * np.maximum(expected + seen.value - first, 0.0)) / (df + PRIOR_DF)
    return Variance(value, np.where(value > 0.0, df + PRIOR_DF, np.inf))


def without_common(variance: Variance, common: Array) -> Variance:
    """Variance without the common errors of documents in a stratum, which a fixed number of labels removes."""
    less = squares(common)
    return Variance(np.maximum(variance.value - less, MOST_COMMON * variance.value), variance.df)


def steadier_df(df: Array) -> Array:
    """Degrees of freedom after tempering: those of what was seen and those that the model is worth."""
    return np.asarray(df + PRIOR_DF)


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
    return two_stages(Variance(between, known), within, f)
