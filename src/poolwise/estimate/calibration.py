"""How far the relevance model is from what it says of itself: squares of residuals against their expectation.

The probabilities at the fitted effects lie too near 0 and 1 where effects are uncertain, and by how much depends on
what was judged: under uniform samples documents at the top of rankings are few, and errors there are up to a third
larger than the model says. Judged documents, each left out of the fit, show it. docs/theory/assisted.md, section *The
interval*, paragraph *Tempering*.
"""

from __future__ import annotations

import numpy as np

from poolwise.estimate.layout import Array

__all__ = ["error_scales"]

GROUPS = 8
PRIOR = 5.0  # what the mean over all groups is worth in a group, in expected squares


def error_scales(closeness: Array, rows: Array, residuals: Array, left_out: Array) -> Array:
    """Of all pooled documents: mean square of residuals as a share of p (1 - p), by how close to the top runs have it.

    `rows` are judged documents, `residuals` theirs with each left out, `left_out` their probabilities then. They are
    put into groups by closeness that expect equal sums of squares.
    """
    squares, expected = residuals**2, left_out * (1.0 - left_out)
    order = np.argsort(closeness[rows], kind="stable")
    sums = np.cumsum(expected[order])
    if not len(rows) or sums[-1] <= 0.0:
        return np.ones(len(closeness))
    group = np.minimum((sums - expected[order] / 2.0) / sums[-1] * GROUPS, GROUPS - 1).astype(int)
    seen, told = (np.bincount(group, each[order], GROUPS) for each in (squares, expected))
    whole = (seen.sum() + PRIOR) / (told.sum() + PRIOR)
    scale = (seen + PRIOR * whole) / (told + PRIOR)
    ends = np.searchsorted(group, np.arange(1, GROUPS))
    edges = closeness[rows][order][np.minimum(ends, len(rows) - 1)]
    return np.asarray(scale[np.searchsorted(edges, closeness, side="right")])
