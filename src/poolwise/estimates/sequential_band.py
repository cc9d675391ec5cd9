"""Sequential bands: intervals that cover at all interim looks, whenever judging stops.

At a look the estimate has information fraction tau = variance at the planned end / variance now. O'Brien-Fleming
spending (Lan and DeMets 1983, Biometrika 70(3)) gives away alpha(tau) = 2 - 2 Phi(z / sqrt(tau)) of the error until
then. The factor c of look k solves P(|Z_j| < c_j for all j < k, |Z_k| >= c_k) = alpha(tau_k) - alpha(tau_(k-1)), Z a
Brownian motion at the taus divided by sqrt(tau). Looks are known only when they happen: the recursion over looks so far
is enough (Armitage, McPherson and Rowe 1969, Journal of the Royal Statistical Society A 132(2)); docs/theory/looking.md
says what it is for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolwise.basics.arrays import Floats


__all__ = ["factors", "information", "next_factor", "obrien_fleming", "quantile_for"]

ALL = 1 - 1e-6  # of the error: what is left is rounding
SMALLEST_STEP = 1e-4  # of the information fraction: looks nearer than that count as one
HIGHEST = 8.0  # factors beyond are no bound at all
POINTS = 6.0  # of the grid, per standard deviation of a step
LEAST_POINTS, MOST_POINTS = 301, 3001  # of the grid; odd, as Simpson's rule needs them


def obrien_fleming(tau: float, alpha: float) -> float:
    """Error spending function of O'Brien and Fleming's type, at an information fraction.

    >>> obrien_fleming(1.0, 0.05)
    0.05
    >>> round(obrien_fleming(0.25, 0.05), 6)
    8.9e-05
    """
    from scipy.special import ndtr, ndtri

    if tau >= 1:
        return alpha
    return float(2 * ndtr(ndtri(alpha / 2) / math.sqrt(tau))) if tau > 0 else 0.0


def factors(
    taus: Sequence[float], alpha: float = 0.05, spending: Callable[[float, float], float] = obrien_fleming
) -> list[float]:
    """Factors of the band in standard errors, by look. Infinite if no error may be spent yet.

    A look that adds no information has the factor of the one before.

    >>> [round(factor, 3) for factor in factors([0.5, 1.0])]
    [2.772, 1.979]
    """
    path: tuple[tuple[float, float], ...] = ()
    for tau in taus:
        path = (*path, (tau, next_factor(path, tau, alpha, spending)))
    return [factor for _, factor in path]


def next_factor(
    path: tuple[tuple[float, float], ...],
    tau: float,
    alpha: float = 0.05,
    spending: Callable[[float, float], float] = obrien_fleming,
) -> float:
    """The factor of a look, after looks at some information fractions with some factors.

    >>> round(next_factor(((0.5, 2.772),), 1.0), 3)
    1.979
    """
    before = _after(path)
    error = spending(min(tau, 1.0), alpha) - before.spent
    if min(tau, 1.0) - before.tau < SMALLEST_STEP and (tau < 1 or before.tau >= 1):
        return path[-1][1] if path else math.inf
    if before.spent >= ALL * alpha:
        return math.inf
    return before.factor(min(tau, 1.0), error)


@lru_cache(maxsize=2048)
def _after(path: tuple[tuple[float, float], ...]) -> _Motion:
    """State after some looks, cached, because looks are added one by one."""
    if not path:
        return _Motion(0.0, 0.0, np.zeros(1), np.ones(1))  # all at 0 before the first look
    (tau, factor), before = path[-1], _after(path[:-1])
    return before if min(tau, 1.0) - before.tau < SMALLEST_STEP else before.moved(min(tau, 1.0), factor)


@dataclass(frozen=True, eq=False)
class _Motion:
    """The density of a Brownian motion that has not left the band at any look so far, on a grid."""

    tau: float
    spent: float  # the probability to have left it
    points: Floats
    density: Floats

    def factor(self, tau: float, error: float) -> float:
        """Limit of the band at a look, for a given probability of crossing it then."""
        step, deviation = math.sqrt(tau - self.tau), math.sqrt(tau)
        highest = HIGHEST * deviation
        if error <= self._beyond(highest, step):
            return math.inf
        from scipy.optimize import brentq  # looks alone need it, and it takes long to load

        edge = brentq(lambda edge: self._beyond(edge, step) - error, 0.0, highest, xtol=1e-10)
        return float(edge) / deviation

    def moved(self, tau: float, factor: float) -> _Motion:
        """The state after a look: the density within the band."""
        step, edge = math.sqrt(tau - self.tau), factor * math.sqrt(tau)
        left = self._beyond(edge, step) if math.isfinite(edge) else 0.0
        reach = min(edge, float(np.abs(self.points).max()) + HIGHEST * step)
        count = int(min(max(2 * reach / step * POINTS, LEAST_POINTS), MOST_POINTS))
        nodes, weights = _simpson(count | 1)
        points = nodes * reach
        distance = (points[:, None] - self.points) / step
        density = np.exp(-0.5 * distance**2) @ self.density / (step * math.sqrt(2 * math.pi))
        return _Motion(tau, self.spent + left, points, density * weights * reach)

    def _beyond(self, edge: float, step: float) -> float:
        from scipy.special import ndtr

        outside = ndtr((self.points - edge) / step) + ndtr((-edge - self.points) / step)
        return float(outside @ self.density)


def _simpson(count: int) -> tuple[Floats, Floats]:
    """Nodes on [-1, 1] and weights of Simpson's rule."""
    weights = np.full(count, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return np.linspace(-1, 1, count), weights * (2 / (count - 1) / 3)


def quantile_for(factor: float, degrees: float) -> float:
    """A factor for normal errors as one for errors with degrees of freedom, of the same probability."""
    if not math.isfinite(factor) or not math.isfinite(degrees):
        return factor
    from scipy.special import ndtr, stdtrit

    return float(-stdtrit(degrees, ndtr(-factor)))


def information(share: float, end: float) -> float:
    """The information fraction of a sample of equal rates: var is proportional to (1 - share) / share.

    >>> round(information(0.1, 0.2), 4)
    0.4444
    """
    if share >= end:
        return 1.0
    return share * (1 - end) / (end * (1 - share))
