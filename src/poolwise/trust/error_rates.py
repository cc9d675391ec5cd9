"""Rates at which smaller sets of topics reverse two runs [G20 section 2, Buckley and Voorhees 2000]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.results import Result
from poolwise.errors import ArgumentError, InputError
from poolwise.scores.read_scores import score_matrix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from numpy.typing import ArrayLike, NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.scores.read_scores import ScoresLike


__all__ = ["ErrorRates", "error_rates"]

COUNTED = ("means", "topics")
# Means of the same scores in another order differ by rounding.
ROUNDING = 1e-12
BYTE = 255  # the most that a byte counts


@dataclass(frozen=True, repr=False)
class ErrorRates(Result):
    """Error rate against the number of topics.

    `rates` counts means as equal that differ by at most `tolerance` of the larger one. That favours
    measures with high means, as it makes more ties, so `exact_rates` has the rate at tolerance 0.
    """

    measure: str
    topics: tuple[int, ...]
    rates: tuple[float, ...]
    exact_rates: tuple[float, ...]
    tolerance: float
    draws: int
    seed: int | np.random.Generator
    counted: str = "means"
    warnings: tuple[str, ...] = ()
    method: str = "topic sets drawn without replacement; a larger set holds the smaller of the same draw"

    def columns(self) -> dict[str, list[Any]]:
        """One row per number of topics: measure, topics, error_rate, error_rate_at_0."""
        return {
            "measure": [self.measure] * len(self.topics),
            "topics": list(self.topics),
            "error_rate": list(self.rates),
            "error_rate_at_0": list(self.exact_rates),
        }

    def headline(self) -> str:
        """The measure and the numbers of topics, in a phrase."""
        return f"error rates of {self.measure} at {len(self.topics)} numbers of topics, {self.draws} draws each"


def error_rates(
    scores: ScoresLike | ArrayLike,
    measure: Any = None,
    *,
    sizes: int | Sequence[int] | NDArray[np.int64] | None = None,
    draws: int = 200,
    tolerance: float = 0.05,
    counted: Literal["means", "topics"] = "means",
    seed: int | np.random.Generator = 0,
) -> ErrorRates:
    """Measure how often m topics put two runs in the wrong order, for several m.

    For each pair of runs and m, random sets of m topics say a > b, a < b or equal; the less frequent of the first two
    are errors. The rate is all errors over all decisions.

    What a decision is can be read in two ways. Buckley and Voorhees (2000) let the mean over each topic set decide; the
    words and the code of [G20] count the topics of a set that a run wins. That second rate does not fall as topics are
    added: it tends to the share of topics on which the worse run is ahead.

    Parameters
    ----------
    scores : Scores or array
        Scores, or an array of runs x topics.
    measure : str or Measure, optional
        Which of them; needed if they hold several.
    sizes : int or sequence of int, optional
        Numbers of topics; each from 1 unless given.
    draws : int
        Sets of topics of each size.
    tolerance : float
        Two means (or scores on a topic) are equal if they differ by at most this share of the larger one.
    counted : {"means", "topics"}
        What decides: the means over a set of topics, or each of its topics.
    seed : int or Generator
        Of the draws.

    Returns
    -------
    ErrorRates
        The rate at each number of topics, and the rate at tolerance 0.

    Examples
    --------
    >>> scores = np.random.default_rng(1).random((5, 40)) + 0.1 * np.arange(5)[:, None]
    >>> errors = error_rates(scores, sizes=[5, 20, 40])
    >>> errors.rates[0] > errors.rates[1] > errors.rates[2] == 0.0
    True
    """
    matrix = score_matrix(scores, measure)
    numbers = _check(matrix.values, sizes, draws, tolerance)
    checks.choice("counted", counted, COUNTED)
    orders = _orders(np.random.default_rng(checks.seed_or_generator(seed)), draws, matrix.values.shape[1])
    if counted == "means":
        rates = [_rates(matrix.values, orders[:, :number], tolerance) for number in numbers]
    else:
        won = [_topics_won(matrix.values, share) for share in (tolerance, 0.0)]
        rates = [(_lost(won[0], orders[:, :number]), _lost(won[1], orders[:, :number])) for number in numbers]
    return ErrorRates(
        measure=matrix.measure,
        topics=tuple(numbers),
        rates=tuple(rate for rate, _ in rates),
        exact_rates=tuple(rate for _, rate in rates),
        tolerance=tolerance,
        draws=draws,
        seed=seed,
        counted=counted,
    )


def _check(values: Floats, sizes: Any, draws: int, tolerance: float) -> list[int]:
    runs, topics = values.shape
    if runs < 2 or topics < 1:
        raise InputError(f"error rates need at least two runs and one topic, found {runs} x {topics} scores")
    checks.whole("draws", draws, 1)
    if not 0 <= tolerance < 1:
        raise ArgumentError(f"tolerance must be at least 0 and below 1, found {tolerance!r}")
    numbers = range(1, values.shape[1] + 1) if sizes is None else sizes
    listed = [numbers] if isinstance(numbers, str) or not hasattr(numbers, "__iter__") else list(numbers)
    if not listed:
        raise ArgumentError("sizes names no number of topics; leave it out for all of them")
    return [checks.whole("sizes", number, 1, values.shape[1]) for number in listed]


def _orders(generator: np.random.Generator, draws: int, topics: int) -> NDArray[np.int64]:
    """Random orders of the topics. The first m of each are a set of m drawn without replacement."""
    return generator.permuted(np.tile(np.arange(topics), (draws, 1)), axis=1)


def _rates(values: Floats, chosen: NDArray[np.int64], tolerance: float) -> tuple[float, float]:
    """Error rate for given topic sets, with the tolerance and at tolerance 0."""
    draws, runs = len(chosen), len(values)
    taken = np.zeros((values.shape[1], draws))
    np.put_along_axis(taken, chosen.T, 1.0 / chosen.shape[1], axis=0)
    means = (values @ taken).T
    slack = ROUNDING * np.abs(values).max()
    wins = np.zeros((2, runs, runs), dtype=np.int64)
    for start in range(0, draws, BYTE):
        wins += _wins(means[start : start + BYTE], tolerance, float(slack))
    errors = np.minimum(wins, wins.transpose(0, 2, 1)).sum(axis=(1, 2))  # every pair twice
    decisions = draws * runs * (runs - 1)
    return float(errors[0] / decisions), float(errors[1] / decisions)


def _wins(means: Floats, tolerance: float, slack: float) -> NDArray[np.uint8]:
    """Number of topic sets (at most 255) in which the row's run beats the column's, with tolerance and without."""
    wins = np.zeros((2, means.shape[1], means.shape[1]), dtype=np.uint8)
    for row in means:
        difference = row[:, None] - row
        least = tolerance * np.abs(row) + slack
        wins[0] += (difference > np.maximum(least[:, None], least)).view(np.uint8)
        wins[1] += (difference > slack).view(np.uint8)
    return wins


def _topics_won(values: Floats, tolerance: float) -> Floats:
    """Whether the first run of each ordered pair is ahead on a topic, (runs x runs) x topics."""
    runs, topics = values.shape
    ahead = np.empty((topics, runs, runs))
    slack = ROUNDING * np.abs(values).max()
    for topic, row in enumerate(values.T):
        least = tolerance * np.abs(row) + slack
        ahead[topic] = (row[:, None] - row) > np.maximum(least[:, None], least)
    return ahead.reshape(topics, -1).T


def _lost(won: Floats, chosen: NDArray[np.int64]) -> float:
    """Of the topics in all sets and pairs, the share that the run with fewer wins in the set wins."""
    draws, size = chosen.shape
    runs = int(np.sqrt(len(won)))
    taken = np.zeros((won.shape[1], draws))
    np.put_along_axis(taken, chosen.T, 1.0, axis=0)
    counts = (won @ taken).reshape(runs, runs, draws)
    fewer = np.minimum(counts, counts.transpose(1, 0, 2)).sum()  # every pair twice
    return float(fewer / (draws * size * runs * (runs - 1)))
