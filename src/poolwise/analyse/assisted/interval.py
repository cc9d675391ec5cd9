"""From corrections to standard errors: each judged document's share in the error of the mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy
from scipy.special import gammaincinv, stdtrit

from poolwise.analyse.assisted.layout import Array

__all__ = ["Spread", "quantile", "share_scale", "shares", "spread_of", "steadied", "steadier_df"]

MOST_SECOND_ORDER = 4.0  # times the first-order variance
LEAST_KEPT = 0.7  # of the variance seen
TOO_SURE = 1.2  # the model's probabilities lie too near 0 and 1
NEAR_ZERO = 0.03  # estimates below rest on so few documents that intervals are doubtful
DOUBT = 0.05  # the variance is not taken above the upper limit, at this level, of what was seen
PRIOR_DF = 10.0  # what the model's expectation is worth, in degrees of freedom


@dataclass(frozen=True)
class Spread:
    """Variance and its degrees of freedom, one of each per row."""

    variance: Array
    df: Array

    @property
    def standard_error(self) -> Array:
        """The square root of the variance."""
        return numpy.sqrt(self.variance)

    def half_width(self, level: float) -> Array:
        """Half the width of the interval; 0 where the variance is."""
        return quantile(self.df, level) * self.standard_error


def share_scale(inclusion: Array, topics: int) -> Array:
    """sqrt(1 - pi) / pi / T: what one unit of u adds to the standard error of the mean."""
    return numpy.asarray(numpy.sqrt(1.0 - inclusion) / inclusion / topics)


def shares(first: Array, bend: Array, inclusion: Array, topics: int) -> tuple[Array, Array]:
    """a_i for u' = u + B / w, and the same for the B part alone (runs x n)."""
    scale = share_scale(inclusion, topics)
    of_bend = bend * (scale * inclusion / (1.0 - inclusion))
    return first * scale + of_bend, of_bend


def spread_of(a: Array) -> Spread:
    """V = sum of a^2; df = 2 V^2 / sum of a^4 (Satterthwaite, for few large shares that come by chance)."""
    square = a * a
    variance = square.sum(axis=-1)
    fourth = numpy.einsum("...n,...n->...", square, square)
    df = numpy.divide(2.0 * variance**2, fourth, out=numpy.full(numpy.shape(variance), numpy.inf), where=fourth > 0)
    return Spread(variance, df)


def steadied(spread: Spread, first: Array, expected: Array, values: Array) -> Spread:
    """Temper the variance seen in the sample with the one that the model expects.

    A sample that missed the few documents that matter shows a small variance, one that hit them a large one, though
    the error is the same. The model's expectation of the first-order part hardly moves from sample to sample (`first`
    is that part as seen; for the second order it is scaled up as the variance seen is). The two are averaged on the
    scale of logarithms, the one seen weighing df / (df + 10): the fewer documents it rests on, the less. The result is
    at least what the model expects. So that a wrong model costs little, it is at least .7 of what was seen, and at most
    the upper 95 % limit of a variance seen with so many degrees of freedom. That last limit does not hold for estimates
    (`values`) near 0: such a score rests on a few documents, which most samples miss. Measured, not proven.
    """
    seen = spread.variance
    order = numpy.divide(seen, first, out=numpy.ones(len(seen)), where=first > 0.0)
    model = TOO_SURE * expected * numpy.clip(order, 1.0, MOST_SECOND_ORDER)
    weight = numpy.divide(1.0, 1.0 + PRIOR_DF / spread.df)
    mean = seen**weight * model ** (1.0 - weight)
    most = numpy.where(values < NEAR_ZERO, numpy.inf, upper_limit(spread.df))
    variance = numpy.clip(numpy.maximum(model, mean), LEAST_KEPT * seen, numpy.where(seen > 0.0, seen, 1.0) * most)
    return Spread(numpy.where(seen > 0.0, variance, 0.0), steadier_df(spread.df))


def upper_limit(df: Array) -> Array:
    """By what factor a variance may exceed its estimate with df degrees of freedom, at 95 %."""
    half = numpy.minimum(df, 1e6) / 2.0
    return numpy.asarray(half / gammaincinv(half, DOUBT))


def steadier_df(df: Array) -> Array:
    """Degrees of freedom after tempering: the logarithm's variance shrinks by the square of the weight."""
    return numpy.asarray(df * (1.0 + PRIOR_DF / df) ** 2)


def quantile(df: Array, level: float) -> Array:
    """Quantile of Student's t for a two-sided interval."""
    return numpy.asarray(stdtrit(numpy.minimum(df, 1e9), 0.5 + level / 2.0))
