"""How far a figure would move with other topics, where nothing else is drawn: the topics are resampled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.reproduce.findings import decided

from poolwise.trust.rank_correlation import spearman_rho

DRAWS = 1000


def resamples(topics: int) -> np.ndarray:
    """Places of topics, with repeats, the same whenever they are asked for."""
    return np.random.default_rng(0).integers(0, topics, (DRAWS, topics))


def deviations(drawn: np.ndarray, value: float | None = None) -> bool | None:
    """Whether a difference is above 0 by more than two of its standard deviations over resamples.

    `value` is the difference on the topics as they are; that of the resamples unless given.
    """
    kept = drawn[np.isfinite(drawn)]
    return decided(float(kept.mean()) if value is None else value, float(kept.std(ddof=1)))


def phis(tables: Sequence[np.ndarray]) -> np.ndarray:
    """Phi of one topic of tables of scores, runs x topics, in all resamples: draws x tables."""
    return np.stack([[_phi(table[:, places]) for table in tables] for places in resamples(tables[0].shape[1])])


def _phi(table: np.ndarray) -> float:
    """The share of the variance of single scores that is due to runs, from the mean squares of two ways."""
    runs, topics = table.shape
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    residual = (rest**2).sum() / ((runs - 1) * (topics - 1))
    system = max(0.0, table.mean(axis=1).var(ddof=1) - residual / topics)
    topic = max(0.0, table.mean(axis=0).var(ddof=1) - residual / runs)
    return float(system / (system + topic + residual))


def rhos(tables: Sequence[np.ndarray], pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Spearman's rho of the means of pairs of tables in all resamples: draws x pairs."""
    found = []
    for places in resamples(tables[0].shape[1]):
        means = [table[:, places].mean(axis=1) for table in tables]
        found.append([float(spearman_rho(means[a], means[b])) for a, b in pairs])
    return np.array(found)
