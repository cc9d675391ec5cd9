"""Variance components where some runs lack some topics.

Henderson's first method (Biometrics 9, 1953; the "analogous ANOVA" of Brennan 2001, section 7.1): sums of squares as if
nothing were missing, whose expectations are linear in the components whatever is missing, so that three equations give
three unbiased estimates. Nothing is filled in or left out, and complete scores give the usual mean squares. It takes
what is missing for missing by chance: a run that gave up on its hardest topics looks better than it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poolwise.trust.components import Components

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.basics.arrays import Floats

# Sums of squares are subtracted here, which leaves more rounding than mean squares of what is left over do: of the mean
# of squared scores no variance below this part can be known.
ROUNDING = 1e-12

__all__ = ["ratio_ends", "unbalanced_components"]


class _Ratios(NamedTuple):
    """System variance over topic + interaction variance, and over interaction variance, one per resample."""

    absolute: Floats
    relative: Floats


def unbalanced_components(scores: Floats) -> Components:
    """Return the variance components of a runs x topics array with NaN where there is no score; negative ones are 0.

    >>> unbalanced_components(np.array([[1.0, 2.0], [3.0, 5.0]]))
    Components(system=3.0, topic=1.0, interaction=0.25)
    """
    components = _solved(scores, np.ones((1, scores.shape[1])))[0]
    return Components(*(float(max(value, 0.0)) for value in components))


def ratio_ends(
    scores: Floats, resamples: int, generator: np.random.Generator, tails: list[float]
) -> tuple[Floats, Floats]:
    """Return both ends of the two ratios of variance that Phi and E rho^2 derive from, by resamples of topics.

    As for complete scores, what a resample does to the components (topics held twice) is taken back first; a run's
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
    """System, topic and interaction variance when topic q is taken counts[b, q] times; a row per resample b."""
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
    solved[np.abs(solved) <= ROUNDING * np.nanmean(scores * scores)] = 0.0
    return solved
