"""Discriminative power of a measure: Sakai's bootstrap sensitivity method [S07 section 7, K09, G20].

Two disjoint random sets of topics each say by how much a run is ahead of another. Where the sets disagree on the sign,
the pair has swapped. Differences are sorted into bins by their size on the first set, and the share of swaps in a bin
is its swap rate. The difference required is the least from which on every bin has a rate of at most `most`, and the
sensitivity is the share of comparisons with at least that difference. [S07] section 7 says that the bootstrap agrees
with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import TIE, best_first
from poolwise.basics.results import Result, warn_of
from poolwise.basics.settings import thread_count
from poolwise.comparisons.pairs import Problem, all_pairs
from poolwise.comparisons.resampling_tests import resample
from poolwise.errors import ArgumentError
from poolwise.scores.read_scores import score_matrix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Floats
    from poolwise.scores.read_scores import ScoresLike

WIDTH, BINS = 0.01, 21  # as the paper has them: twenty bins of one hundredth, and one for all larger differences


class Swaps(NamedTuple):
    """Result of the swap method; `difference_required` is NaN where no difference is safe."""

    difference_required: float
    sensitivity: float
    rates: tuple[float, ...]


def swap_method(values: Floats, *, draws: int = 1000, most: float = 0.05, seed: int | np.random.Generator = 0) -> Swaps:
    """Measure the difference required and the sensitivity of scores, runs x topics, on halves of the topics.

    >>> scores = np.random.default_rng(1).normal(size=(8, 60)) * 0.1 + 0.02 * np.arange(8)[:, None]
    >>> swap = swap_method(scores)
    >>> swap.difference_required, round(swap.sensitivity, 2)
    (0.06, 0.51)
    """
    checks.at_least_two("the swap method", values.shape)
    checks.whole("draws", draws, 1)
    first, second = all_pairs(len(values))
    generator, half = np.random.default_rng(seed), values.shape[1] // 2
    swapped, counted = np.zeros(BINS), np.zeros(BINS)
    for _ in range(draws):
        order = generator.permutation(values.shape[1])
        means = [values[:, order[begin : begin + half]].mean(axis=1) for begin in (0, half)]
        here, there = (mean[first] - mean[second] for mean in means)
        bins = np.minimum((np.abs(here) / WIDTH).astype(int), BINS - 1)
        counted += np.bincount(bins, minlength=BINS)
        swapped += np.bincount(bins[here * there < 0], minlength=BINS)
    rates = np.divide(swapped, counted, out=np.zeros(BINS), where=counted > 0)
    safe = np.flatnonzero(np.logical_and.accumulate((rates <= most)[::-1])[::-1] & (counted > 0))
    if not safe.size:
        return Swaps(float("nan"), 0.0, tuple(rates.tolist()))
    return Swaps(
        float(round(safe[0] * WIDTH, 10)), float(counted[safe[0] :].sum() / counted.sum()), tuple(rates.tolist())
    )


@dataclass(frozen=True, eq=False, repr=False)
class DiscriminativePower(Result):
    """Discriminative power of one measure.

    `power` is the share of pairs of runs with an achieved significance level below alpha, `asl` that level
    for every pair in the order of the runs. `difference_required` is the largest over pairs of the mean
    difference that belongs to significance at alpha.
    """

    measure: str
    runs: tuple[str, ...]
    topics: int
    asl: Floats
    power: float
    difference_required: float
    alpha: float
    resamples: int
    seed: int | np.random.Generator
    warnings: tuple[str, ...] = ()
    method: str = "bootstrap test of all pairs, shared resamples of topics"

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return int(self.asl.size)

    @property
    def told_apart(self) -> int:
        """How many pairs of runs are told apart."""
        return int(np.count_nonzero(self.asl < self.alpha))

    @property
    def curve(self) -> Floats:
        """All achieved significance levels, sorted from the pair least told apart ([K09] figure 9)."""
        return np.sort(self.asl)[::-1]

    def details(self) -> dict[str, Any]:
        """Power, settings and the curve of significance levels."""
        names = ("runs", "seed", "method", "warnings", "curve")
        return {**self._row(), **{name: getattr(self, name) for name in names}}

    def columns(self) -> dict[str, list[Any]]:
        """One row: measure, power, difference_required, pairs told apart, settings."""
        return {name: [value] for name, value in self._row().items()}

    def headline(self) -> str:
        """How many pairs are told apart."""
        return f"{self.measure} tells {self.told_apart} of {self.pairs} pairs of runs apart at alpha {self.alpha:g}"

    def _row(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "power": self.power,
            "difference_required": self.difference_required,
            "told_apart": self.told_apart,
            "pairs": self.pairs,
            "topics": self.topics,
            "alpha": self.alpha,
            "resamples": self.resamples,
        }


def discriminative_power(
    scores: ScoresLike | ArrayLike,
    measure: Any = None,
    *,
    top: int | None = None,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int | np.random.Generator = 0,
    threads: int | None = None,
) -> DiscriminativePower:
    """Find the share of pairs of runs that a measure tells apart, and the difference this takes.

    Every pair is tested with Sakai's bootstrap test. Measures scored on the same topics with the same seed see the
    same resamples.

    Parameters
    ----------
    scores : Scores or array
        Scores, or an array of runs x topics.
    measure : str or Measure, optional
        Which of them; needed if they hold several.
    top : int, optional
        Only so many best runs by mean, as [S07] and [K09] keep 30.
    alpha : float
        The level of significance.
    resamples : int
        Resamples of topics.
    seed : int or Generator
        Of the resamples.
    threads : int, optional
        How many to use; every core allowed unless given.

    Returns
    -------
    DiscriminativePower
        The share, the level of every pair, and the difference required.

    References
    ----------
    [S07] section 3.

    Examples
    --------
    >>> scores = np.random.default_rng(1).random((4, 50)) + [[0.0], [0.0], [0.3], [0.3]]
    >>> power = discriminative_power(scores)
    >>> power.told_apart, power.pairs, round(power.power, 3), 0.1 < power.difference_required < 0.3
    (4, 6, 0.667, True)
    """
    matrix = score_matrix(scores, measure)
    values, runs = _best(matrix.values, matrix.runs, top)
    rank = _check(values, alpha, resamples)
    seed = checks.seed_or_generator(seed)
    problem = Problem(values, *all_pairs(len(runs)), alpha, resamples, seed, thread_count(threads))
    resampled = resample(problem, rank)
    notes = []
    if problem.topics < checks.FEW_TOPICS:
        notes.append(f"only {problem.topics} topics: the bootstrap test is doubtful below {checks.FEW_TOPICS}")
    asl = resampled.counts / resamples
    return DiscriminativePower(
        measure=matrix.measure,
        runs=runs,
        topics=problem.topics,
        asl=asl,
        power=float(np.mean(asl < alpha - TIE)),
        difference_required=float(resampled.sums.max() / problem.topics),
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        warnings=warn_of(notes),
    )


def _best(values: Floats, runs: tuple[str, ...], top: int | None) -> tuple[Floats, tuple[str, ...]]:
    if top is None:
        return values, runs
    checks.whole("top", top, 2, len(runs))
    best = np.sort(best_first(values.mean(axis=1))[:top])
    return values[best], tuple(runs[index] for index in best)


def _check(values: Floats, alpha: float, resamples: int) -> int:
    """Return B alpha, the rank of the |t(w*)| at significance level alpha."""
    checks.alpha(alpha)
    rank = round(resamples * alpha)
    if rank < 1:
        raise ArgumentError(f"{resamples} resamples are too few for alpha {alpha!r}; use at least {round(1 / alpha)}")
    checks.at_least_two("discriminative power", values.shape)
    return rank
