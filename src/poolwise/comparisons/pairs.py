"""Input and output of every test: pairs of runs in, p values out; and the two loops over pairs and
resamples that the compiled core does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poolwise import _core
from poolwise.basics.numbers import student_quantile
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats, Indices

    Counts = NDArray[np.int64]

__all__ = [
    "ROUNDING",
    "Outcome",
    "Problem",
    "ResampledPairs",
    "all_pairs",
    "bootstrap_pairs",
    "count_flips",
    "pairs_against",
    "t_of_ratios",
    "whole_steps",
]

# What is smaller than this times the largest score is rounding, not a difference.
ROUNDING = 1e-12
# Differences of pairs are formed so many numbers at a time.
BLOCK = 1_000_000


@dataclass(frozen=True)
class Outcome:
    """Result of a test for every pair.

    `low` and `high` bound the difference. `smallest` is the smallest p that the test could have given to any pair
    here, whatever the scores. `share` is the share of resamples at least as extreme as the data (ASL), None where
    nothing is resampled; `error` is the Monte Carlo standard error of p; `exact` says that all `resamples` there are
    were gone through. `difference` is given by a test that has a better one than that of the mean scores, and
    `favours` (above 0: the first run) by one that may find the run with the lower mean the better. `notes` are what the
    test itself has to say against these scores.
    """

    p: Floats
    low: Floats
    high: Floats
    smallest: float
    share: Floats | None = None
    error: Floats | None = None
    resamples: int = 0
    exact: bool = False
    difference: Floats | None = None
    favours: Floats | None = None
    notes: tuple[str, ...] = ()

    @property
    def drawn(self) -> bool:
        """Whether p came from resamples drawn at random, more of which would make it finer."""
        return self.resamples > 0 and not self.exact


@dataclass(frozen=True)
class Problem:
    """Scores (runs x topics) and the pairs of rows to compare, with the settings of the test.

    `source` is what the scores were taken from, with the names of measure and runs there; tests of estimates need it.
    """

    values: Floats
    first: Indices
    second: Indices
    alpha: float = 0.05
    resamples: int = 10_000
    seed: int | np.random.Generator = 0
    threads: int = 1
    source: Any = None
    measure: str = ""
    runs: tuple[str, ...] = ()

    @property
    def topics(self) -> int:
        """How many topics the runs are paired over."""
        return int(self.values.shape[1])

    @cached_property
    def scale(self) -> float:
        """The largest score, below whose rounding differences do not count."""
        return float(np.max(np.abs(self.values), initial=0.0))

    @cached_property
    def differences(self) -> Floats:
        """Mean difference of every pair, first minus second; 0 if it is rounding."""
        # Topic means drop out of the difference but not out of the rounding.
        means = (self.values - self.values.mean(axis=0)).mean(axis=1)
        differences = means[self.first] - means[self.second]
        return np.where(np.abs(differences) <= ROUNDING * self.scale, 0.0, differences)

    @cached_property
    def deviations(self) -> Floats:
        """Standard deviation of every pair's differences over topics, with n - 1; 0 if it is rounding."""
        deviations = np.empty(self.first.size)
        for rows, z in self.blocks():
            deviations[rows] = z.std(axis=1, ddof=1)
        return np.where(deviations <= ROUNDING * self.scale, 0.0, deviations)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Differences per topic (pairs x topics), some pairs at a time, with the rows they belong to."""
        step = max(1, BLOCK // self.topics)
        for start in range(0, self.first.size, step):
            rows = slice(start, min(start + step, self.first.size))
            yield rows, self.values[self.first[rows]] - self.values[self.second[rows]]

    def rounded_blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Differences per topic in whole multiples of the rounding, so that ties are exact."""
        for rows, z in self.blocks():
            yield rows, whole_steps(z, self.scale)

    def flat(self) -> NDArray[np.bool_]:
        """Whether each pair differs by the same amount on every topic, so that it has no standard error."""
        return np.asarray((self.deviations == 0) & (self.differences != 0))

    @property
    def all_one_way(self) -> float:
        """Chance that all topics favour the same run if either is as likely to win: all that is left for flat pairs."""
        return 2.0 ** (1 - self.topics)

    def student_interval(self) -> tuple[Floats, Floats]:
        """Student's interval of each mean difference at level 1 - alpha."""
        return self.interval(student_quantile(self.topics - 1, 1 - self.alpha / 2))

    def interval(self, reach: Floats | float) -> tuple[Floats, Floats]:
        """The interval that reaches so many standard errors to either side.

        That of a flat pair agrees with its p: no width if its topics are enough to go all one way, else no ends.
        """
        errors = self.deviations / np.sqrt(self.topics)
        half = np.where(errors > 0, reach, 0.0) * errors
        half = np.where(self.flat(), 0.0 if self.all_one_way < self.alpha else np.inf, half)
        return self.differences - half, self.differences + half

    def enumerated_outcome(self, counts: NDArray[np.int64], low: Floats, high: Floats) -> Outcome:
        """Turn counts of sign choices at least as extreme, the first topic's sign held, into the exact p."""
        share = counts / 2.0 ** (self.topics - 1)
        return Outcome(share, low, high, self.all_one_way, share, np.zeros_like(share), 2**self.topics, exact=True)

    def resampled_outcome(self, counts: NDArray[np.int64], low: Floats, high: Floats) -> Outcome:
        """Turn counts of resamples at least as extreme into p = (count + 1) / (B + 1), never 0."""
        p = (counts + 1) / (self.resamples + 1)
        error = np.sqrt(p * (1 - p) / self.resamples)
        return Outcome(p, low, high, 1 / (self.resamples + 1), counts / self.resamples, error, self.resamples)


def t_of_ratios(ratios: Floats, topics: int) -> Floats:
    """|t| of n values z from the ratio (sum of z)^2 / sum of z^2. Infinite at n, for equal values.

    >>> t_of_ratios(np.array([0.0, 1.0, 3.0]), 3).tolist()
    [0.0, 1.0, inf]
    """
    rest = topics - ratios
    squares = np.full(ratios.shape, np.inf)
    # A ratio within rounding of n means that all values are the same.
    np.divide((topics - 1) * ratios, rest, out=squares, where=rest > 1e-9 * topics)
    return np.asarray(np.sqrt(squares))


def whole_steps(differences: Floats, scale: float) -> Floats:
    """Differences in steps of the rounding of scores up to `scale`, so that what only rounding tells apart is equal.

    >>> z = np.array([0.3 - 0.2, 0.2 - 0.1, 0.1 + 0.2 - 0.3])
    >>> z[0] == z[1], np.unique(whole_steps(z, 0.3)).size
    (np.False_, 2)
    """
    return np.asarray(np.round(differences / (ROUNDING * scale or 1.0)))


def all_pairs(runs: int) -> tuple[Indices, Indices]:
    """Return the two sides of all pairs, in the order of the runs.

    >>> [side.tolist() for side in all_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(runs, k=1)
    return first.astype(np.int32), second.astype(np.int32)


def pairs_against(runs: int, baselines: list[int]) -> tuple[Indices, Indices]:
    """Return every run against every baseline, baselines second; two baselines meet once.

    >>> [side.tolist() for side in pairs_against(4, [2, 0])]
    [[0, 1, 3, 1, 3], [2, 2, 2, 0, 0]]
    """
    met: set[int] = set()
    pairs = []
    for baseline in baselines:
        met.add(baseline)
        earlier = met - {baseline}
        pairs += [(run, baseline) for run in range(runs) if run != baseline and run not in earlier]
    if not pairs:
        raise ArgumentError("there is no other run to compare the baseline with")
    sides = np.array(pairs, dtype=np.int32).T
    return sides[0], sides[1]


class ResampledPairs(NamedTuple):
    """Result of `bootstrap_pairs` for every pair."""

    counts: Counts
    ratios: Floats
    sums: Floats


def count_flips(
    values: Floats,
    signs: NDArray[np.int8],
    first: Indices,
    second: Indices,
    thresholds: Floats,
    threads: int,
) -> Counts:
    """Return for every pair in how many sign choices its runs' signed sums differ by the threshold or more.

    `values` is runs x topics, `signs` choices x topics.

    >>> values, signs = np.array([[0.5, 0.1], [0.2, 0.3]]), np.array([[1, 1], [1, -1]], dtype=np.int8)
    >>> pair = np.array([[0], [1]], dtype=np.int32)
    >>> count_flips(values, signs, pair[0], pair[1], np.array([0.4]), 1).tolist()
    [1]
    """
    values, signs = np.ascontiguousarray(values), np.ascontiguousarray(signs)
    return np.asarray(_core.count_flips(values, signs, first, second, thresholds, threads))


def bootstrap_pairs(
    centred: Floats,
    taken: NDArray[np.uint16],
    first: Indices,
    second: Indices,
    wanted: Floats,
    rank: int,
    noise: float,
    threads: int,
) -> ResampledPairs:
    """Return for every pair what its resamples show; `centred` is runs x topics, each row summing to 0.

    `taken` is resamples x topics: how often a resample takes a topic. With w the difference of a pair's
    rows, s = sum of w and r = s^2 / sum of w^2 over a resample: `counts` are the r of at least `wanted`,
    `ratios` the r in the place-th largest place, `sums` the largest |s| among the resamples that have it.
    Differences of at most `noise` are 0; a resample of nothing but zeros has r = 0.

    >>> centred, taken = np.array([[0.1, -0.1], [0.0, 0.0]]), np.array([[2, 0], [1, 1]], dtype=np.uint16)
    >>> pair = np.array([[0], [1]], dtype=np.int32)
    >>> counted = bootstrap_pairs(centred, taken, pair[0], pair[1], np.array([0.5]), 1, 0.0, 1)
    >>> [float(value[0].round(4)) for value in counted]
    [1.0, 2.0, 0.2]
    """
    centred = np.ascontiguousarray(centred)
    counted = _core.bootstrap_pairs(centred, taken, first, second, wanted, rank, noise, threads)
    return ResampledPairs(*(np.asarray(part) for part in counted))
