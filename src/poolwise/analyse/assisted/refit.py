"""A topic's effects fitted anew without each of some documents, all at once."""

from __future__ import annotations

import numpy
from numpy.typing import NDArray
from scipy.special import expit

from poolwise.analyse.assisted.layout import Array

__all__ = ["without_each"]

STEPS = 6


def without_each(
    columns: Array, y: Array, fixed: Array, start: Array, precision: Array, left_out: NDArray[numpy.bool_]
) -> Array:
    """Effects (m x k) of a topic, fitted with row i of `left_out` (m x n) marking documents that do not count.

    Newton's method from the common start, at most six steps; what the shared effects say (`fixed`) stays.
    """
    count = ~left_out
    effects = numpy.tile(start, (len(left_out), 1))
    value = _objective(columns, y, fixed, effects, precision, count)
    upper = numpy.triu_indices(columns.shape[1])
    squares = columns[:, upper[0]] * columns[:, upper[1]]
    for _ in range(STEPS):
        p = expit(fixed + effects @ columns.T)
        slope = ((y - p) * count) @ columns - effects * precision
        hessian = numpy.tile(numpy.diag(precision), (len(effects), 1, 1))
        half = (p * (1.0 - p) * count) @ squares
        hessian[:, upper[0], upper[1]] += half
        hessian[:, upper[1], upper[0]] = hessian[:, upper[0], upper[1]]
        step = numpy.linalg.solve(hessian, slope[:, :, None])[:, :, 0]
        if float(numpy.abs((slope * step).sum(axis=1)).max(initial=0.0)) < 1e-6:
            break
        effects, value = _climb(columns, y, fixed, effects, step, value, precision, count)
    return effects


def _climb(
    columns: Array, y: Array, fixed: Array, effects: Array, step: Array, value: Array, precision: Array,
    count: NDArray[numpy.bool_],
) -> tuple[Array, Array]:  # fmt: skip
    """Go the step, or a half, a quarter, ... of it where the likelihood would fall."""
    share = numpy.ones((len(effects), 1))
    for _ in range(6):
        after = effects + share * step
        new = _objective(columns, y, fixed, after, precision, count)
        worse = new < value - 1e-9
        if not worse.any():
            break
        share[worse] /= 2.0
    return after, new


def _objective(
    columns: Array, y: Array, fixed: Array, effects: Array, precision: Array, count: NDArray[numpy.bool_]
) -> Array:
    eta = fixed + effects @ columns.T
    return numpy.asarray(((y * eta - numpy.logaddexp(0.0, eta)) * count).sum(axis=1) - 0.5 * (effects**2 @ precision))
