"""A topic's effects fitted anew without each of some documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from poolwise import _core
from poolwise.analyse.assisted.layout import Array

__all__ = ["without_each"]

STEPS = 6


def without_each(
    columns: Array, y: Array, fixed: Array, start: Array, precision: Array, left_out: Sequence[int]
) -> Array:
    """Effects (m x k) of a topic, each fitted without one of the n documents (-1: without none).

    Newton's method from the common start, at most six steps; what the shared effects say (`fixed`) stays.
    """
    columns, y, fixed, start, precision = (
        numpy.ascontiguousarray(part, dtype=float) for part in (columns, y, fixed, start, precision)
    )
    return numpy.asarray(_core.fit_without_each(columns, y, fixed, start, precision, list(left_out), STEPS))
