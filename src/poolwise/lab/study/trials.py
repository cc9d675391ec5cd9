"""Results of many trials: units, means, spreads, and tables with one row per measure and setting."""

from __future__ import annotations

import numpy as np

from poolwise.trust.ranking_agreement import knee

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure

LEAST_TRIALS = 4  # of fewer, an interval of the mean says no more than that they are few
BANDS = "Bands are 95 % intervals of the mean."


def trial_units(trials: int) -> list[str]:
    """Names of trials, which sort in their order.

    >>> trial_units(2)
    ['00000', '00001']
    """
    return [f"{trial:05d}" for trial in range(trials)]


def names(measures: Sequence[Measure]) -> list[str]:
    """What measures are called in tables, whichever way they were given."""
    return [str(measure) for measure in measures]


def mean_and_spread(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation over the first axis; 0 for a single trial.

    >>> [numbers.tolist() for numbers in mean_and_spread(np.array([[1.0, 2.0], [3.0, 2.0]]))]
    [[2.0, 2.0], [1.4142135623730951, 0.0]]
    """
    mean = values.mean(axis=0)
    return mean, values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros_like(mean)


def mean_ends(values: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """Ends of Student's interval of the mean over trials (first axis); the mean itself for a single trial.

    >>> low, high = mean_ends(np.array([1.0, 2.0, 3.0]))
    >>> round(float(low), 3), round(float(high), 3)
    (-0.484, 4.484)
    """
    from poolwise.basics.distributions import student_quantile

    mean, spread = mean_and_spread(values)
    half = student_quantile(max(1, len(values) - 1), (1 + level) / 2) * spread / np.sqrt(len(values))
    return mean - half, mean + half


def mean_bands(values: Mapping[str, Floats], within: tuple[float, float]) -> dict[str, tuple[Floats, Floats]]:
    """Bands around means over trials, by name; none of so few trials that a band would fill the figure.

    >>> mean_bands({"AP": np.array([[0.1], [0.9]])}, (0.0, 1.0))
    {}
    """
    enough = {name: each for name, each in values.items() if len(each) >= LEAST_TRIALS}
    ends = {name: mean_ends(each) for name, each in enough.items()}
    return {name: (np.clip(low, *within), np.clip(high, *within)) for name, (low, high) in ends.items()}


def measure_rows(measures: Sequence[str], name: str, values: Sequence[Any]) -> dict[str, list[Any]]:
    """The first two columns of a table with a row for every measure and value.

    >>> measure_rows(["AP", "Q"], "topics", [5, 10])
    {'measure': ['AP', 'AP', 'Q', 'Q'], 'topics': [5, 10, 5, 10]}
    """
    return {"measure": [m for m in measures for _ in values], name: [v for _ in measures for v in values]}


def knee_columns(
    stays: str, exceeds: str, fractions: Sequence[float], curves: Iterable[Floats], threshold: float
) -> dict[str, list[Any]]:
    """Two columns: where each curve comes to stay above a threshold, and where it first exceeds it.

    >>> knee_columns("knee", "exceeds", [0.1, 0.5, 1.0], [np.array([0.95, 0.8, 1.0])], 0.9)
    {'knee': [1.0], 'exceeds': [0.1]}
    """
    listed = list(curves)
    return {
        stays: [knee(fractions, curve, threshold) for curve in listed],
        exceeds: [knee(fractions, curve, threshold, stays=False) for curve in listed],
    }
