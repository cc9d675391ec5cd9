"""Variance components of scores: how much systems, topics and their interaction vary.

Two-way random effects with one score a cell ([K09] section 2, Bodoff and Li 2007). The expected mean
squares give the estimates. A negative estimate becomes 0.

Both are n r / (1 + n r) for n topics, r being the ratio of signal to noise of a single topic: the variance between runs
over the variance that topics add to it (for Phi of all kinds, for E rho^2 of the interaction only).

Henderson's first method (Biometrics 9, 1953. The "analogous ANOVA" of Brennan 2001, section 7.1): sums of squares as if
nothing were missing, whose expectations are linear in the components whatever is missing, so that three equations give
three unbiased estimates. Nothing is filled in or left out, and complete scores give the usual mean squares. It takes
what is missing for missing by chance: a run that gave up on its hardest topics looks better than it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poolwise.basics.numbers import TIE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.basics.arrays import Floats


def coefficient(ratio: float, topics: Any) -> Any:
    """n r / (1 + n r) of a number of topics or of an array of them, written so that an infinite ratio gives 1.

    >>> coefficient(0.5, 2), coefficient(math.inf, 2), coefficient(0.0, 2)
    (0.5, 1.0, 0.0)
    """
    return 1.0 / (1.0 + 1.0 / (topics * ratio)) if ratio != 0.0 else 0.0 * topics


def topics_needed(ratio: float, wanted: float) -> float:
    """How many topics a wanted coefficient needs (not rounded. Infinite if none suffice)."""
    return wanted / (1.0 - wanted) / ratio if ratio != 0.0 else math.inf


def phi_for(phi: float, topics: float) -> float:
    """Phi of means over topics, from that of one topic.

    >>> phi_for(0.5, 3)
    0.75
    """
    return float(coefficient(_ratio(phi), topics))


def topics_for(phi: float, wanted: float = 0.95) -> float:
    """How many topics a wanted Phi needs, from Phi of one topic. Infinite where that is not above 0.

    >>> round(topics_for(0.5), 6), topics_for(0.0)
    (19.0, inf)
    """
    return topics_needed(_ratio(phi), wanted)


def _ratio(phi: float) -> float:
    return math.inf if phi == 1.0 else max(phi, 0.0) / (1.0 - phi)


# A mean square that is this small a part of the mean of squared scores is what rounding leaves of equal scores.
ROUNDING = 1e-20


class Components(NamedTuple):
    """Variance due to systems, to topics, and to their interaction (with what is left unexplained)."""

    system: float
    topic: float
    interaction: float


class MeanSquares(NamedTuple):
    """Mean squares of the two-way layout. Scalars, or one value per resample."""

    system: float | Floats
    topic: float | Floats
    interaction: float | Floats


def mean_squares(scores: Floats) -> MeanSquares:
    """Return the mean squares of a runs x topics array. What is rounding is 0.

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
    """Return the variance components of a runs x topics array. Negative estimates become 0.

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
    """Excess of a mean square over that of the interaction. 0 within rounding."""
    beyond = square - interaction
    return float(beyond) if beyond > TIE * square else 0.0


def resampled_ratios(scores: Floats, resamples: int, generator: np.random.Generator) -> Floats:
    """Return system variance / (topic + interaction variance) of topic resamples with replacement.

    A resample holds topics twice, which makes topics look (n - 1) / n as different as they are, and
    adds the error of the observed means, interaction / n, to the system variance. Both are taken back
    (Brennan 2001, chapter 6). Uncorrected percentiles miss the truth up to a third of the time.
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


# Sums of squares are subtracted here, which leaves more rounding than mean squares of what is left over do: of the mean
# of squared scores no variance below this part can be known.
UNBALANCED_ROUNDING = 1e-12


class _Ratios(NamedTuple):
    """System variance over topic + interaction variance, and over interaction variance, one per resample."""

    absolute: Floats
    relative: Floats


def unbalanced_components(scores: Floats) -> Components:
    """Return the variance components of a runs x topics array with NaN where there is no score. Negative ones are 0.

    >>> unbalanced_components(np.array([[1.0, 2.0], [3.0, 5.0]]))
    Components(system=3.0, topic=1.0, interaction=0.25)
    """
    components = _solved(scores, np.ones((1, scores.shape[1])))[0]
    return Components(*(float(max(value, 0.0)) for value in components))


def ratio_ends(
    scores: Floats, resamples: int, generator: np.random.Generator, tails: list[float]
) -> tuple[Floats, Floats]:
    """Return both ends of the two ratios of variance that Phi and E rho^2 derive from, by resamples of topics.

    As for complete scores, what a resample does to the components (topics held twice) is taken back first. A run's
    number of topics stands for all in that, by its harmonic mean.
    """
    absolute, relative = _resampled(scores, resamples, generator)
    return _quantiles(absolute, tails), _quantiles(relative, tails)


def _quantiles(ratios: Floats, tails: list[float]) -> Floats:
    return np.asarray(np.quantile(ratios, tails, method="linear" if np.isfinite(ratios).all() else "nearest"))


def _resampled(scores: Floats, resamples: int, generator: np.random.Generator) -> _Ratios:
    topics = scores.shape[1]
    counts = generator.multinomial(topics, np.full(topics, 1.0 / topics), size=resamples).astype(np.float64)
    held = np.isfinite(scores).astype(np.float64)
    counts = counts[((counts @ held.T) > 0).all(axis=1)]  # a run without a topic in the resample says nothing
    system, topic, interaction = _solved(scores, counts).T
    usual = len(held) / np.sum(1.0 / held.sum(axis=1))
    rest = np.maximum(interaction, 0.0) * usual / (usual - 1)
    signal = np.maximum(system - rest / usual, 0.0)
    noise = np.maximum(topic, 0.0) * topics / (topics - 1) + rest
    infinite = np.where(signal > 0, np.inf, 0.0)
    return _Ratios(
        np.divide(signal, noise, out=infinite.copy(), where=noise > 0),
        np.divide(signal, rest, out=infinite.copy(), where=rest > 0),
    )


def _solved(scores: Floats, counts: Floats) -> Floats:
    """System, topic and interaction variance when topic q is taken counts[b, q] times. A row per resample b."""
    held = np.isfinite(scores).astype(np.float64)
    values = np.where(held > 0, scores - np.nanmean(scores), 0.0)
    of_run, of_topic = counts @ held.T, held.sum(axis=0)  # how many scores a run has in a resample, and a topic
    number, topics = of_run.sum(axis=1), counts.sum(axis=1)
    by_run = np.sum(np.divide((counts @ values.T) ** 2, of_run, out=np.zeros_like(of_run), where=of_run > 0), axis=1)
    by_topic = counts @ (values.sum(axis=0) ** 2 / of_topic)
    total, grand = counts @ np.sum(values**2, axis=0), (counts @ values.sum(axis=0)) ** 2 / number
    runs = np.count_nonzero(of_run, axis=1).astype(np.float64)
    per_run, per_topic = np.sum(of_run**2, axis=1) / number, counts @ of_topic**2 / number
    equations = np.array(
        [
            [number - per_run, runs - per_topic, runs - 1],
            [topics - per_run, number - per_topic, topics - 1],
            [per_run - topics, per_topic - runs, number - runs - topics + 1],
        ]
    )
    sums = np.array([by_run - grand, by_topic - grand, total - by_run - by_topic + grand])
    solved: Floats = np.linalg.solve(equations.transpose(2, 0, 1), sums.T[..., None])[..., 0]
    solved[np.abs(solved) <= UNBALANCED_ROUNDING * np.nanmean(scores * scores)] = 0.0
    return solved
