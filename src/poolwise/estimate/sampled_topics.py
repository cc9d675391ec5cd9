"""Topics that were drawn at random from all of a campaign: what they differ by belongs to the error of the mean.

Of T topics m are drawn, f = m / T, and the score of each is estimated with error. The mean over drawn topics has the
variance (1 - f) S^2 / m + f V: S^2 is the variance of estimated scores over drawn topics, which holds part of the
error within topics already, V the variance of the mean if there were no other topics (two-stage sampling; Cochran
1977, section 10.4).
"""

from __future__ import annotations

import numpy as np

from poolwise.estimate.layout import Array, Layout
from poolwise.estimate.standard_errors import Variance

__all__ = ["with_other_topics"]


def with_other_topics(layout: Layout, per_topic: Array, within: Variance) -> Variance:
    """The variance of means over all topics, `per_topic` (rows x m) being estimates of those that were drawn.

    Degrees of freedom are Satterthwaite's, those of the first part being m - 1.
    """
    drawn, share = len(layout.in_mean), layout.share_of_topics
    if share == 1.0:
        return within
    between = (1.0 - share) * per_topic.var(axis=1, ddof=1) / drawn
    inside = share * within.value
    value = between + inside
    squares = between**2 / (drawn - 1) + inside**2 / within.df
    return Variance(value, np.divide(value**2, squares, out=np.full(len(value), np.inf), where=squares > 0.0))
