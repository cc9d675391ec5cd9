"""How far the relevance model is from what it says of itself: squares of residuals against their expectation.

The probabilities at the fitted effects lie too near 0 and 1 where effects are uncertain, and by how much depends on
what was judged: under uniform samples documents at the top of rankings are few, and errors there are up to a third
larger than the model says. Judged documents, each left out of the fit, show it. docs/theory/assisted.md, section *The
interval*, paragraph *Tempering*.
"""

from __future__ import annotations

import numpy as np

from poolwise.estimates.layout import Array

__all__ = ["error_scales"]

GROUPS = 8
DIGITS = 12  # sums over runs in another order differ in later ones
PRIOR = 5.0  # what the mean over all groups is worth in a group, in expected squares


def error_scales(closeness: Array, rows: Array, residuals: Array, left_out: Array) -> Array:
    """Of all pooled documents: mean square of residuals as a share of p (1 - p), by how close to the top runs have it.

    `rows` are judged documents, `residuals` theirs with each left out, `left_out` their probabilities then. They are
    put into groups by closeness that expect equal sums of squares.
    """
    squares, expected = residuals**2, left_out * (1.0 - left_out)
    closeness = np.round(closeness, DIGITS)  # equal ones go together, whatever documents are called
    values, place = np.unique(closeness[rows], return_inverse=True)
    own = np.bincount(place, expected, len(values))
    sums = np.cumsum(own)
    if not len(rows) or sums[-1] <= 0.0:
        return np.ones(len(closeness))
    group = np.minimum((sums - own / 2.0) / sums[-1] * GROUPS, GROUPS - 1).astype(int)
    seen, told = (np.bincount(group[place], each, GROUPS) for each in (squares, expected))
    whole = (seen.sum() + PRIOR) / (told.sum() + PRIOR)
    scale = (seen + PRIOR * whole) / (told + PRIOR)
    ends = np.searchsorted(group, np.arange(1, GROUPS))
    edges = values[np.minimum(ends, len(values) - 1)]
    return np.asarray(scale[np.searchsorted(edges, closeness, side="right")])
