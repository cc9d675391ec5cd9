"""From values and half widths to the ends of intervals, reaching as far as documents outside the pool could move them.

docs/theory/assisted.md, section *The interval*.
"""

from __future__ import annotations

import numpy as np

from poolwise.basics.magnitude import nearest_possible
from poolwise.estimates.layout import Array
from poolwise.estimates.outside import Reach

__all__ = ["difference_ends", "score_ends"]


def score_ends(
    values: Array, half: Array, reach: Reach, bounds: tuple[float, float] = (0.0, 1.0), share: bool = True
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


def difference_ends(values: Array, half: Array, reach: Reach, most: float = 1.0) -> tuple[Array, Array]:
    """Ends of intervals of differences, which are symmetric; none is larger than `most`."""
    values = nearest_possible(values, half, -most, most)
    return np.clip(values - half - reach.fall, -most, most), np.clip(values + half + reach.rise, -most, most)
