"""Differences of two runs, with intervals that use what both have in common.

docs/theory/assisted.md, section *The interval*, paragraph *Differences*.

docs/theory/assisted.md, section *The interval*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import nearest_possible
from poolwise.basics.results import Result
from poolwise.basics.rows import rows_of
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.estimates.combine import Combined
from poolwise.estimates.layout import Array, squares
from poolwise.estimates.notes import guessed_apart
from poolwise.estimates.shrinkage import ShrunkEstimates
from poolwise.estimates.standard_errors import tempered, with_other_topics, without_common
from poolwise.estimates.targets import Target
from poolwise.estimates.unpooled import ScoreRange, UnpooledDocuments
from poolwise.sampling.variance import Variance, quantile, variance_of


def score_ends(
    values: Array, half: Array, reach: ScoreRange, bounds: tuple[float, float] = (0.0, 1.0), share: bool = True
) -> tuple[Array, Array]:
    """Ends of intervals of scores, `half` being half the width of a symmetric interval.

    A score is a kind of share, and a sample that finds little shows a small value and a small error together, so that
    a symmetric interval misses the truth above more often than below. Wilson's interval (1927) holds each share that
    the value lies within reach of, by the error of that share: the variance goes with share (1 - share). The sample is
    worth as many independent observations as give the error at hand (Korn and Graubard 1998). At 0 and 1, where no
    error would be left, it is that of a share half a width away. Scores that are no `share`
    have symmetric intervals, cut to `bounds`.
    """
    if not share:
        values = nearest_possible(values, half, *bounds)
        return np.clip(values - half - reach.fall, *bounds), np.clip(values + half + reach.rise, *bounds)
    value, away = np.clip(values, 0.0, 1.0), np.minimum(half, 0.5)
    spread = np.maximum(value * (1.0 - value), away * (1.0 - away))
    pull = np.divide(half**2, spread, out=np.zeros(np.shape(half)), where=spread != 0.0)
    around = np.sqrt(pull * value * (1.0 - value) + pull**2 / 4.0)
    low, high = ((value + pull / 2.0 + side * around) / (1.0 + pull) for side in (-1.0, 1.0))
    return np.clip(low - reach.fall, 0.0, 1.0), np.clip(high + reach.rise, 0.0, 1.0)


def difference_ends(values: Array, half: Array, reach: ScoreRange, most: float = 1.0) -> tuple[Array, Array]:
    """Ends of intervals of differences, which are symmetric; none is larger than `most`."""
    values = nearest_possible(values, half, -most, most)
    return np.clip(values - half - reach.fall, -most, most), np.clip(values + half + reach.rise, -most, most)


DETERMINED_BELOW = 1e-3  # a standard error this small says that labels, not sampling, decide
DETERMINED = "determined by complete judgments"
ROUNDING = 1e-12  # copies of a run differ by no more
AT_ONCE = 256  # pairs
# In strata with one label doubts of two runs differ by this share of what their errors do; fitted:
# benchmarks/calibrate.py
LONE_APART = 0.2


@dataclass(frozen=True, repr=False)
class Differences(Result):
    """Estimated differences of mean scores, run_a - run_b, one entry per measure and pair.

    `low` and `high` reach as far as documents outside the pool could move the difference, those of both runs moving
    both; `plain_low` and `plain_high` leave them out. `note` says "determined by complete judgments" where no such
    document moves the difference and the standard error is below .001: what differs between the two runs is judged in
    full, and the interval is no statement about sampling. `band_low` and `band_high` are there if looks were given: the
    band that holds at every look, NaN where nothing can be said yet.
    """

    run_a: tuple[str, ...]
    run_b: tuple[str, ...]
    measure: tuple[str, ...]
    difference: Array
    low: Array
    high: Array
    standard_error: Array
    df: Array
    steadied: Array  # the difference of steadied values; NaN where there are none
    steadied_low: Array
    steadied_high: Array
    plain_low: Array
    plain_high: Array
    note: tuple[str, ...]
    farthest: Array  # the largest difference that two scores can have
    band_low: Array | None = None  # the band that holds at every look, where looks are kept
    band_high: Array | None = None

    def columns(self) -> dict[str, Any]:
        """One row per measure and pair."""
        columns: dict[str, Any] = {
            "run_a": list(self.run_a),
            "run_b": list(self.run_b),
            "measure": list(self.measure),
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
        }
        if self.band_low is not None and self.band_high is not None:
            columns.update(band_low=self.band_low, band_high=self.band_high)
        if np.isfinite(self.steadied).any():
            columns.update(steadied=self.steadied, steadied_low=self.steadied_low, steadied_high=self.steadied_high)
        columns.update(plain_low=self.plain_low, plain_high=self.plain_high)
        return {**columns, "note": list(self.note)}

    def details(self) -> dict[str, Any]:
        """The columns."""
        return self.columns()

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Rows of plain values in the order of the columns."""
        return iter(rows_of(self.columns()))

    def headline(self) -> str:
        """How many differences there are."""
        return counted(len(self.run_a), "estimated difference")


def wanted_pairs(difference: Any, runs: Sequence[str], others: Sequence[str] = ()) -> list[tuple[int, int]]:
    """Read what `difference` asks for: "all", one run (against all others), one pair, or a list of pairs.

    `others` are runs that are not reported.

    >>> wanted_pairs("b", ["a", "b", "c"])
    [(1, 0), (1, 2)]
    """
    if difference is None:
        return []
    if isinstance(difference, str) and difference == "all" and "all" not in runs:
        return list(combinations(range(len(runs)), 2))
    if isinstance(difference, str):
        first = _number(difference, runs, others)
        return [(first, other) for other in range(len(runs)) if other != first]
    return [(_number(a, runs, others), _number(b, runs, others)) for a, b in checks.pairs(difference)]


def _number(name: str, runs: Sequence[str], others: Sequence[str]) -> int:
    if name in others and name not in runs:
        raise ArgumentError(f"difference asks for {name!r}, which runs={list(runs)} leaves out; name it there too")
    return checks.known_name("run", name, runs)


def differences_of(
    combined: Sequence[Combined],
    pooled: Sequence[ShrunkEstimates | None],
    outside: UnpooledDocuments,
    runs: Sequence[str],
    level: float,
) -> Differences:
    """Estimate the differences of pairs by every measure."""
    pairs = outside.pairs
    spoken_for = np.concatenate([_spoken_for(c, outside) for c in combined])
    parts = [_of_measure(c, p, np.array(pairs).reshape(-1, 2), level) for c, p in zip(combined, pooled, strict=True)]
    joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Differences(
        tuple(runs[a] for _ in combined for a, _ in pairs),
        tuple(runs[b] for _ in combined for _, b in pairs),
        tuple(str(c.target.measure) for c in combined for _ in pairs),
        joined[0],
        joined[1],
        joined[2],
        joined[3],
        joined[4],
        joined[5],
        joined[6],
        joined[7],
        joined[8],
        joined[9],
        tuple(
            DETERMINED if error < DETERMINED_BELOW and known else ""
            for error, known in zip(joined[3].tolist(), spoken_for.tolist(), strict=True)
        ),
        np.repeat([farthest_apart(c.target) for c in combined], len(pairs)),
    )


def _spoken_for(combined: Combined, outside: UnpooledDocuments) -> Array:
    """Pairs of runs whose difference needs neither the model alone nor documents outside the pool."""
    none = outside.counts(outside.depth(combined.target))[list(outside.runs)].sum(axis=1) == 0
    pairs = np.array(outside.pairs).reshape(-1, 2)
    first, second = pairs.T
    still = (combined.pair_reach.fall <= ROUNDING) & (combined.pair_reach.rise <= ROUNDING)
    return np.asarray(none[first] & none[second] & still & ~guessed_apart(combined, pairs))


def _of_measure(combined: Combined, pooled: ShrunkEstimates | None, pairs: Any, level: float) -> tuple[Array, ...]:
    chunks = [slice(begin, begin + AT_ONCE) for begin in range(0, len(pairs), AT_ONCE)]
    return tuple(
        np.concatenate(column)
        for column in zip(*(_chunk(combined, pooled, pairs, chunk, level) for chunk in chunks), strict=True)
    )


def _chunk(
    combined: Combined, pooled: ShrunkEstimates | None, pairs: Any, chunk: slice, level: float
) -> tuple[Array, ...]:
    a, b = pairs[chunk, 0], pairs[chunk, 1]
    reach = ScoreRange(*(end[chunk] for end in combined.pair_reach))
    value = combined.values[a] - combined.values[b]
    value[np.abs(value) < ROUNDING] = 0.0
    seen, variance = _variances(combined, pairs, chunk)
    error = variance.standard_error
    error[error < ROUNDING] = 0.0
    width = quantile(variance.df, level) * error
    most = farthest_apart(combined.target)
    plain = difference_ends(value, width, ScoreRange.none(1), most)
    with_outside = value, *difference_ends(value, width, reach, most), error, variance.df
    return (*with_outside, *_pooled_chunk(pooled, a, b, seen, variance, reach, most, level), *plain)


def variance_of_pairs(combined: Combined, pairs: Any, chunk: slice) -> Variance:
    """Variance of differences, shrunken towards the model's, with the uncertainty of its second order."""
    return _variances(combined, pairs, chunk)[1]


def _variances(combined: Combined, pairs: Any, chunk: slice) -> tuple[Variance, Variance]:
    """Variance of differences: estimated from the sample, and shrunken."""
    a, b = pairs[chunk, 0], pairs[chunk, 1]
    shares, curvature = (part[a] - part[b] for part in (combined.shares, combined.curvature_shares))
    first, seen = shares - curvature, variance_of(shares)
    known = tempered(seen, squares(first), combined.between[chunk])
    apart = without_common(known, combined.common[a] - combined.common[b])
    doubt = (combined.doubt[a] - combined.doubt[b]) ** 2 + LONE_APART * _single_label_error(combined, a, b, chunk)
    per_topic = combined.per_topic[a] - combined.per_topic[b]
    drawn = squares(combined.noise[a] - combined.noise[b]) + combined.pair_joint_variance[chunk]
    within = Variance(apart.value + doubt + drawn, apart.df)
    return seen, with_other_topics(combined.model.layout, per_topic, within)


def _single_label_error(combined: Combined, a: Any, b: Any, chunk: slice) -> Array:
    """Uncertainty from strata with one label, if correlated between runs like their errors."""
    alone = combined.expected[a] + combined.expected[b]
    apart = np.divide(combined.between[chunk], alone, out=np.zeros(len(alone)), where=alone > 0.0)
    return np.asarray(2.0 * np.minimum(apart, 1.0) * combined.single_label_error[a] * combined.single_label_error[b])


def farthest_apart(target: Target) -> float:
    """The largest difference that two scores can have."""
    low, high = target.bounds
    return high - low


def _pooled_chunk(
    pooled: ShrunkEstimates | None,
    a: Any,
    b: Any,
    seen: Variance,
    alone: Variance,
    reach: ScoreRange,
    most: float,
    level: float,
) -> tuple[Array, ...]:
    if pooled is None:
        nothing = np.full(len(a), np.nan)
        return nothing, nothing, nothing
    value = pooled.values[a] - pooled.values[b]
    return (value, *difference_ends(value, pooled.half_width_apart(a, b, seen, alone, level), reach, most))
