"""Shared and topic columns of a regression as one dense matrix, for checks of what is solved topic by topic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def dense(shared: Floats, topic: Floats, bounds: NDArray[np.int64]) -> Floats:
    """All columns in one matrix: shared ones, then each topic's own."""
    k, topics = topic.shape[1], len(bounds) - 1
    wide = np.zeros((len(shared), k * topics))
    for t in range(topics):
        wide[bounds[t] : bounds[t + 1], k * t : k * (t + 1)] = topic[bounds[t] : bounds[t + 1]]
    return np.hstack([shared, wide])
