"""Variance components of scores: how much systems, topics and their interaction vary.

Two-way random effects with one score a cell ([K09] section 2, Bodoff and Li 2007). The expected mean
squares give the estimates; a negative estimate becomes 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poolwise.basics.closeness import TIE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.basics.arrays import Floats


# A mean square that is this small a part of the mean of squared scores is what rounding leaves of equal scores.
ROUNDING = 1e-20

__all__ = ["Components", "MeanSquares", "components", "mean_squares", "resampled_ratios"]


class Components(NamedTuple):
    """Variance due to systems, to topics, and to their interaction (with what is left unexplained)."""

    system: float
    topic: float
    interaction: float


class MeanSquares(NamedTuple):
    """Mean squares of the two-way layout; scalars, or one value per resample."""

    system: float | Floats
    topic: float | Floats
    interaction: float | Floats


def mean_squares(scores: Floats) -> MeanSquares:
    """Return the mean squares of a runs x topics array; what is rounding is 0.

    >>> mean_squares(np.array([[1.0, 2.0], [3.0, 5.0]]))
    MeanSquares(system=6.25, topic=2.25, interaction=0.25)
    """
    runs, topics = scores.shape
    centred = _centred(scores)
    rows = centred.mean(axis=1)
    columns = centred.mean(axis=0)
    rest = centred - rows[:, None] - columns
    squares = (
        float(topics * (rows @ rows) / (runs - 1)),
        float(runs * (columns @ columns) / (topics - 1)),
        float(np.sum(rest * rest) / ((runs - 1) * (topics - 1))),
    )
    rounding = ROUNDING * float(np.mean(scores * scores))
    return MeanSquares(*(square if square > rounding else 0.0 for square in squares))


def components(scores: Floats) -> Components:
    """Return the variance components of a runs x topics array; negative estimates become 0.

    >>> components(np.array([[1.0, 2.0], [3.0, 5.0]]))
    Components(system=3.0, topic=1.0, interaction=0.25)
    """
    runs, topics = scores.shape
    system, topic, interaction = (float(square) for square in mean_squares(scores))
    return Components(
        _beyond(system, interaction) / topics,
        _beyond(topic, interaction) / runs,
        interaction,
    )


def _beyond(square: float, interaction: float) -> float:
    """By how much a mean square is larger than the interaction's; what is rounding is 0."""
    beyond = square - interaction
    return float(beyond) if beyond > TIE * square else 0.0


def resampled_ratios(scores: Floats, resamples: int, generator: np.random.Generator) -> Floats:
    """Return system variance / (topic + interaction variance) of topic resamples with replacement.

    A resample holds topics twice, which makes topics look (n - 1) / n as different as they are, and
    adds the error of the observed means, interaction / n, to the system variance. Both are taken back
    (Brennan 2001, chapter 6); uncorrected percentiles miss the truth up to a third of the time.
    """
    runs, topics = scores.shape
    counts = generator.multinomial(topics, np.full(topics, 1.0 / topics), size=resamples).astype(np.float64)
    system, topic, interaction = _resampled_mean_squares(scores, counts)
    inflate = topics / (topics - 1)
    signal = np.maximum((system - interaction) / topics - interaction / (topics - 1), 0.0)
    noise = inflate * (np.maximum(topic - interaction, 0.0) / runs + interaction)
    ratios: Floats = np.divide(signal, noise, out=np.where(signal > 0, np.inf, 0.0), where=noise > 0)
    return ratios


def _resampled_mean_squares(scores: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean squares when topic q is taken counts[b, q] times in resample b, without copying columns."""
    runs, topics = scores.shape
    centred = _centred(scores)
    rows = counts @ centred.T / topics
    grand = rows.mean(axis=1)
    columns = centred.mean(axis=0)
    system = topics * np.sum((rows - grand[:, None]) ** 2, axis=1)
    system[system <= ROUNDING * np.mean(scores * scores)] = 0.0
    topic = runs * (counts @ columns**2 - topics * grand**2)
    total = counts @ np.sum(centred**2, axis=0) - runs * topics * grand**2
    rest = np.maximum(total - system - topic, 0.0)
    return system / (runs - 1), topic / (topics - 1), rest / ((runs - 1) * (topics - 1))


def _centred(scores: Floats) -> Floats:
    """Take off the mean, from differences to one score, so that equal scores leave exactly nothing."""
    centred = scores - scores[0, 0]
    centred -= centred.mean()
    return centred
