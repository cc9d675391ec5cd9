"""Intervals that hold at every look: how wide a band must be when people look while they judge and stop as they please.

At a look the estimate has information fraction tau = variance at the planned end / variance now. O'Brien-Fleming
spending (Lan and DeMets 1983, Biometrika 70(3)) gives away alpha(tau) = 2 - 2 Phi(z / sqrt(tau)) of the error until
then. The factor c of look k solves P(|Z_j| < c_j for all j < k, |Z_k| >= c_k) = alpha(tau_k) - alpha(tau_(k-1)), Z a
Brownian motion at the taus divided by sqrt(tau). Looks are known only when they happen: the recursion over looks so far
is enough (Armitage, McPherson and Rowe 1969, Journal of the Royal Statistical Society A 132(2)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolwise.arrays import Floats


__all__ = ["Looks", "factors", "information", "obrien_fleming", "quantile_for"]

SMALLEST_STEP = 1e-4  # of the information fraction: looks nearer than that count as one
HIGHEST = 8.0  # factors beyond are no bound at all
POINTS = 6.0  # of the grid, per standard deviation of a step
LEAST_POINTS, MOST_POINTS = 301, 3001


def obrien_fleming(tau: float, alpha: float) -> float:
    """The error that may be given away until an information fraction.

    >>> obrien_fleming(1.0, 0.05)
    0.05
    >>> round(obrien_fleming(0.25, 0.05), 6)
    8.9e-05
    """
    if tau >= 1:
        return alpha
    return float(2 * ndtr(ndtri(alpha / 2) / math.sqrt(tau))) if tau > 0 else 0.0


def factors(
    taus: Sequence[float], alpha: float = 0.05, spending: Callable[[float, float], float] = obrien_fleming
) -> list[float]:
    """The factor of each look, in standard errors; infinite where nothing may be given away yet.

    A look that adds no information has the factor of the one before.

    >>> [round(factor, 3) for factor in factors([0.5, 1.0])]
    [2.772, 1.979]
    """
    looks = _Motion(alpha, spending)
    return [looks.look(tau) for tau in taus]


class _Motion:
    """The density of a Brownian motion that has not left the band at any look so far, on a grid."""

    def __init__(self, alpha: float, spending: Callable[[float, float], float]) -> None:
        self.alpha, self.spending = alpha, spending
        self.tau, self.spent, self.factor = 0.0, 0.0, math.inf
        self.points, self.density = np.zeros(1), np.ones(1)  # all at 0 before the first look

    def look(self, tau: float) -> float:
        tau = min(tau, 1.0)
        if tau - self.tau < SMALLEST_STEP and (tau < 1 or self.tau == 1):
            return self.factor
        step = math.sqrt(tau - self.tau)
        error = self.spending(tau, self.alpha) - self.spent
        edge = self._edge(step, error, math.sqrt(tau))
        self._move(step, edge)
        self.tau, self.factor = tau, edge / math.sqrt(tau)
        if math.isfinite(edge):
            self.spent += error
        return self.factor

    def _edge(self, step: float, error: float, deviation: float) -> float:
        """Where to end the band so that the motion leaves it now with the error's probability."""

        def beyond(edge: float) -> float:
            outside = ndtr((self.points - edge) / step) + ndtr((-edge - self.points) / step)
            return float(outside @ self.density)

        highest = HIGHEST * deviation
        if error <= beyond(highest):
            return math.inf
        return float(brentq(lambda edge: beyond(edge) - error, 0.0, highest, xtol=1e-10))

    def _move(self, step: float, edge: float) -> None:
        """The density after the step, within the band."""
        reach = min(edge, float(np.abs(self.points).max()) + HIGHEST * step)
        count = int(min(max(2 * reach / step * POINTS, LEAST_POINTS), MOST_POINTS))
        nodes, weights = _simpson(count | 1)
        points = nodes * reach
        distance = (points[:, None] - self.points) / step
        density = np.exp(-0.5 * distance**2) @ self.density / (step * math.sqrt(2 * math.pi))
        self.points, self.density = points, density * weights * reach


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
    return float(-stdtrit(degrees, ndtr(-factor)))


def information(share: float, end: float) -> float:
    """The information fraction of a sample of equal rates: var is proportional to (1 - share) / share.

    >>> round(information(0.1, 0.2), 4)
    0.4444
    """
    if share >= end:
        return 1.0
    return share * (1 - end) / (end * (1 - share))


@dataclass(frozen=True)
class Looks:
    """The looks there were, as information fractions; `see` adds one.

    >>> looks = Looks().see(0.3).see(0.2)
    >>> looks.taus
    (0.3, 0.3)
    """

    taus: tuple[float, ...] = ()
    alpha: float = 0.05

    def see(self, tau: float) -> Looks:
        """One look more; information never falls."""
        return Looks((*self.taus, max([tau, *self.taus])), self.alpha)

    @property
    def factor(self) -> float:
        """The factor of the last look, in standard errors of a normal estimate."""
        return factors(self.taus, self.alpha)[-1] if self.taus else math.inf
