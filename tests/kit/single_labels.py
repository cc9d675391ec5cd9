"""Strata of which some have one label: sizes, labels, means, and how often a 95 % interval must at least hold.

The last number is what Student's t gives for the variance of collapsed strata in 4,000 draws. One label that speaks for
four fifths of all units cannot do better.
"""

from __future__ import annotations

import numpy as np

__all__ = ["TABLE", "draws", "least"]

TABLE = [
    ((100, 10), (1, 10), (0, 3), 0.99),
    ((300, 60, 20), (1, 6, 12), (0, 1, 4), 0.85),
    ((20, 60, 300), (6, 6, 1), (4, 1, 0), 0.84),
    ((50,) * 8, (1,) * 8, tuple(range(8)), 0.99),
    ((50,) * 8, (4, 1, 4, 1, 4, 1, 4, 4), (0,) * 8, 0.93),
    ((50,) * 8, (4, 4, 4, 1, 4, 4, 4, 4), (0,) * 8, 0.95),
]


def draws(sizes, labels, means, number=400):
    """Stratum and value of every unit, and so many draws: which units are labelled."""
    generator = np.random.default_rng(1)
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    value = np.concatenate([generator.normal(mean, 1, size) for mean, size in zip(means, sizes, strict=True)])
    chosen = np.zeros((number, len(value)), dtype=bool)
    for row in chosen:
        for place, count in enumerate(labels):
            row[generator.choice(np.flatnonzero(stratum == place), count, replace=False)] = True
    return stratum, value, chosen


def least(share, number=400):
    """The share of intervals less four standard errors of so many draws."""
    return share - 4 * np.sqrt(share * (1 - share) / number) - 1e-12
