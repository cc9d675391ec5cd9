"""Known variance components are recovered, and intervals cover them as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from poolwise.trust.components import components, mean_squares, resampled_ratios
from poolwise.trust.generalizability import _f_interval

pytestmark = pytest.mark.slow

SYSTEM, TOPIC, INTERACTION = 0.01, 0.03, 0.02


def draw(generator: np.random.Generator, runs: int, topics: int, system: np.ndarray | None = None) -> np.ndarray:
    rows = math.sqrt(SYSTEM) * generator.normal(size=runs) if system is None else system
    columns = math.sqrt(TOPIC) * generator.normal(size=topics)
    return rows[:, None] + columns + math.sqrt(INTERACTION) * generator.normal(size=(runs, topics))


def test_components_are_unbiased() -> None:
    generator = np.random.default_rng(1)
    found = np.array([components(draw(generator, 20, 25)) for _ in range(4000)])
    error = found.std(axis=0) / math.sqrt(4000)
    assert np.all(np.abs(found.mean(axis=0) - [SYSTEM, TOPIC, INTERACTION]) < 4 * error)


def test_the_f_interval_covers_for_random_runs() -> None:
    generator = np.random.default_rng(2)
    truth = SYSTEM / INTERACTION
    below = above = 0
    for _ in range(4000):
        low, high = _f_interval(draw(generator, 15, 20), [0.025, 0.975])
        below += truth < low
        above += truth > high
    # each tail 100 +- 10; degrees of freedom swapped, or n_q left out, miss by far
    assert 65 < below < 135
    assert 65 < above < 135


def test_the_bootstrap_interval_covers_for_given_runs() -> None:
    """Runs are given, topics are drawn: the corrected percentiles hold about 95 %, the plain ones do not."""
    generator = np.random.default_rng(3)
    rows = generator.normal(size=30)
    rows = math.sqrt(SYSTEM) * (rows - rows.mean()) / rows.std(ddof=1)
    truth = SYSTEM / (TOPIC + INTERACTION)
    inside = 0
    for _ in range(1000):
        ratios = resampled_ratios(draw(generator, 30, 40, rows), 400, generator)
        low, high = np.quantile(ratios, [0.025, 0.975])
        inside += low <= truth <= high
    assert 0.91 < inside / 1000 < 0.97


def test_resampled_components_are_centred_on_the_estimate() -> None:
    """What the correction is for: on average a resample has the ratio of the table it came from."""
    generator = np.random.default_rng(4)
    scores = draw(generator, 20, 60)
    system, topic, interaction = mean_squares(scores)
    signal = (system - interaction) / 60
    noise = (topic - interaction) / 20 + interaction
    ratios = resampled_ratios(scores, 40000, generator)
    # the median of a ratio of two spread out numbers; uncorrected it is off by 5 %
    assert abs(np.median(ratios) / (signal / noise) - 1) < 0.03
