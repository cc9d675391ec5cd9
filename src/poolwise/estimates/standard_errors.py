"""From corrections to standard errors: each judged document's share in the error of the mean.

docs/theory/assisted.md, section *The interval*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise import _core
from poolwise.basics.distributions import student_quantile
from poolwise.estimates.layout import Array
from poolwise.estimates.ordered_sums import squares

__all__ = [
    "Variance",
    "few_at_once",
    "quantile",
    "share_scale",
    "shares",
    "squares_of",
    "steadier_df",
    "tempered",
    "variance_from",
    "variance_of",
    "without_common",
]

ROWS_AT_ONCE = 4
PRIOR_DF = 30.0  # what the model's expectation is worth, in degrees of freedom
MOST_COMMON = 0.5  # of a variance


@dataclass(frozen=True)
class Variance:
    """Variance and its degrees of freedom, one of each per row."""

    value: Array
    df: Array

    @property
    def standard_error(self) -> Array:
        """The square root of the variance."""
        return np.sqrt(self.value)

    def half_width(self, level: float) -> Array:
        """Half the width of the interval; 0 where the variance is."""
        return quantile(self.df, level) * self.standard_error


def share_scale(inclusion: Array, topics: int) -> Array:
    """sqrt(1 - pi) / pi / T: what one unit of u adds to the standard error of the mean."""
    return np.asarray(np.sqrt(1.0 - inclusion) / inclusion / topics)


def shares(
    first: Array, bend: Array, inclusion: Array, topics: int, out: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """a_i for u' = u + B / w, and the same for the B part alone (runs x n); in arrays that are given, or new ones."""
    scale = share_scale(inclusion, topics)
    both, of_bend = (np.empty(first.shape), np.empty(first.shape)) if out is None else out
    np.multiply(bend, scale * inclusion / (1.0 - inclusion), out=of_bend)
    np.multiply(first, scale, out=both)
    both += of_bend
    return both, of_bend


def variance_of(a: Array) -> Variance:
    """V = sum of a^2; df = 2 V^2 / sum of a^4 (Satterthwaite, for few large shares that come by chance)."""
    variance, fourth = (np.asarray(part) for part in _core.power_sums(np.ascontiguousarray(a)))
    return variance_from(variance, fourth)


def variance_from(second: Array, fourth: Array) -> Variance:
    """The same from the sums of squares and of fourth powers."""
    df = np.divide(2.0 * second**2, fourth, out=np.full(len(second), np.inf), where=fourth > 0)
    return Variance(second, df)


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
    """The mean of the variance seen, which counts as much as its degrees of freedom, and the model's, worth thirty.

    A sample that missed the few documents that matter shows a small variance, one that hit them a large one, though
    the error is the same. What the model expects of the first-order part hardly moves from sample to sample; `first` is
    that part as seen.
    """
    df = np.where(seen.value > 0.0, seen.df, 0.0)
    value = (df * seen.value + PRIOR_DF * np.maximum(expected + seen.value - first, 0.0)) / (df + PRIOR_DF)
    return Variance(value, np.where(value > 0.0, df + PRIOR_DF, np.inf))


def without_common(variance: Variance, common: Array) -> Variance:
    """Less the squares of what documents of a stratum err by together, which no sample of so many of them moves."""
    less = squares(common)
    return Variance(np.maximum(variance.value - less, MOST_COMMON * variance.value), variance.df)


def steadier_df(df: Array) -> Array:
    """Degrees of freedom after tempering: those of what was seen and those that the model is worth."""
    return np.asarray(df + PRIOR_DF)


def quantile(df: Array, level: float) -> Array:
    """Quantile of Student's t for a two-sided interval."""
    return student_quantile(np.minimum(df, 1e9), 0.5 + level / 2.0)
