"""Newton's method for the stability of a ratio, over weights that are not negative and sum to 1.

The stability does not change with the scale of the weights, so the sum is a convention, not a
restriction: its multiplier is 0, and at a maximum the slope is 0 for every positive weight and not above
0 for the others. Fixing the sum keeps the method from drifting in scale.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolwise.basics.arrays import Floats
    from poolwise.lab.weights.score_ratio import Ratio


__all__ = ["CONVERGED", "TOLERANCE", "ascend", "violation"]

# The largest violation of the Karush-Kuhn-Tucker conditions that counts as converged.
CONVERGED = 1e-7
# Far below it, so that what is added up later does not eat it.
TOLERANCE = 1e-11
# Below this expected gain the value itself is rounding, and the slope decides.
ROUNDING = 1e-13


def violation(slope: Floats, weights: Floats) -> float:
    """Return how far weights are from satisfying the Karush-Kuhn-Tucker conditions.

    >>> violation(np.array([0.0, -0.5, 0.125]), np.array([0.75, 0.0, 0.25]))
    0.125
    """
    return float(np.max(np.where(weights > 0, np.abs(slope), slope), initial=0.0))


def ascend(ratio: Ratio, weights: Floats, tolerance: float = TOLERANCE, iterations: int = 100) -> Floats:
    """Climb from weights until the violation is within a tolerance; the stability never falls.

    Steps follow the second derivatives with their signs turned downhill, so that they lead up also where
    the stability is not concave.
    """
    for _ in range(iterations):
        value, slope, second = ratio.curvature(weights)
        distance = violation(slope, weights)
        if distance <= tolerance:
            break
        step = _step(slope, second, weights)
        for candidate in _candidates(weights, step):
            new_value, new_slope = ratio.slope(candidate)
            expected = float(slope @ (candidate - weights))
            if new_value > value + 1e-4 * max(expected, 0.0) and expected > ROUNDING:
                break
            if abs(expected) <= ROUNDING and violation(new_slope, candidate) < 0.5 * distance:
                break
        else:
            return weights
        weights = candidate
    return weights


def _step(slope: Floats, second: Floats, weights: Floats) -> Floats:
    """Return the Newton step that keeps the sum and leaves weights of 0 alone that it would push below."""
    free = np.flatnonzero((weights > 0) | (slope > 0))
    while True:
        part = _direction(slope[free], second[np.ix_(free, free)])
        blocked = (weights[free] <= 0) & (part < 0)
        if not blocked.any():
            break
        free = free[~blocked]
    step = np.zeros_like(weights)
    step[free] = part
    return step


def _direction(slope: Floats, second: Floats) -> Floats:
    """Return the step of a modified Newton method among directions that sum to 0."""
    if len(slope) == 1:
        return np.zeros(1)
    basis = _sum_zero_basis(len(slope))
    values, vectors = np.linalg.eigh(basis.T @ second @ basis)
    sizes = np.maximum(np.abs(values), max(float(np.abs(values).max()) * 1e-13, 1e-300))
    direction: Floats = basis @ (vectors @ ((vectors.T @ (basis.T @ slope)) / sizes))
    return direction


def _sum_zero_basis(size: int) -> Floats:
    """Return an orthonormal basis of the vectors that sum to 0: a Householder reflection of the axes."""
    mirror = np.full(size, size**-0.5)
    mirror[0] += 1.0
    basis: Floats = (np.eye(size) - np.outer(mirror, mirror) / mirror[0])[:, 1:]
    return basis


def _candidates(weights: Floats, step: Floats) -> Iterator[Floats]:
    """Yield the full step cut off at 0, then steps up to the first bound, halved and halved again."""
    yield _normal(np.maximum(weights + step, 0.0))
    falling = step < 0
    limits = np.full_like(weights, np.inf)
    limits[falling] = weights[falling] / -step[falling]
    first = float(limits.min(initial=np.inf))
    length = min(1.0, first)
    for _ in range(50):
        candidate = np.maximum(weights + length * step, 0.0)
        candidate[limits <= length] = 0.0
        yield _normal(candidate)
        length /= 2.0


def _normal(weights: Floats) -> Floats:
    scaled: Floats = weights / weights.sum()
    return scaled
