"""Agreement of significance decisions by complete and by reduced judgments [B07 section 4.2]."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import TIE
from poolwise.basics.results import Result, warn_of
from poolwise.comparisons.pairs import all_pairs
from poolwise.comparisons.simple_tests import signed_rank_p
from poolwise.errors import ArgumentError, InputError
from poolwise.scores.read_scores import score_matrix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Indices
    from poolwise.scores.read_scores import ScoreMatrix, ScoresLike


__all__ = ["Confusion", "Decisions", "confusion", "decisions", "random_pairs"]

PAIRS = 300  # of runs, drawn at random, as in [B20] section 5.2


@dataclass(frozen=True)
class Confusion:
    """Pairs of runs by decision at complete judgments (first word) and at a sample (second word).

    The names of errors are those of [B07]: a false positive is a rejection that the sample loses, a false
    negative one that only the sample finds. Rates with nothing to divide by are 0. Confusions add up.

    >>> table = Confusion(kept_kept=60, kept_rejected=5, rejected_kept=15, rejected_rejected=120)
    >>> table.accuracy, round(table.g_mean, 4), round(table.false_positive, 4), round(table.false_negative, 4)
    (0.9, 0.8593, 0.1111, 0.0769)
    """

    kept_kept: int
    kept_rejected: int
    rejected_kept: int
    rejected_rejected: int

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return self.kept_kept + self.kept_rejected + self.rejected_kept + self.rejected_rejected

    @property
    def accuracy(self) -> float:
        """Share of pairs with the same decision."""
        return _share(self.kept_kept + self.rejected_rejected, self.pairs)

    @property
    def true_positive(self) -> float:
        """C11 / (C11 + C12): of the hypotheses kept at complete judgments, the share the sample keeps."""
        return _share(self.kept_kept, self.kept_kept + self.kept_rejected)

    @property
    def predicted_positive(self) -> float:
        """C11 / (C11 + C21): of the hypotheses the sample keeps, the share kept at complete judgments."""
        return _share(self.kept_kept, self.kept_kept + self.rejected_kept)

    @property
    def g_mean(self) -> float:
        """Geometric mean of the two shares above."""
        return math.sqrt(self.true_positive * self.predicted_positive)

    @property
    def false_positive(self) -> float:
        """C21 / (C21 + C22): of the differences found at complete judgments, the share the sample loses."""
        return _share(self.rejected_kept, self.rejected_kept + self.rejected_rejected)

    @property
    def false_negative(self) -> float:
        """C12 / (C11 + C12): of the hypotheses kept at complete judgments, the share the sample rejects."""
        return _share(self.kept_rejected, self.kept_kept + self.kept_rejected)

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(*(int(a + b) for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def to_dict(self) -> dict[str, float]:
        """Return counts and rates by name."""
        rates = ("pairs", "accuracy", "g_mean", "false_positive", "false_negative")
        return {**vars(self), **{name: getattr(self, name) for name in rates}}


@dataclass(frozen=True, repr=False)
class Decisions(Result):
    """Decisions on random pairs of runs at complete judgments and at a sample."""

    measure: str
    confusion: Confusion
    alpha: float
    seed: int | np.random.Generator
    warnings: tuple[str, ...] = ()
    method: str = "Wilcoxon signed-rank test, two-sided, not corrected"

    def details(self) -> dict[str, Any]:
        """Counts, rates and settings."""
        names = ("alpha", "seed", "method", "warnings")
        return {"measure": self.measure, **self.confusion.to_dict(), **{name: getattr(self, name) for name in names}}

    def columns(self) -> dict[str, list[Any]]:
        """One row: measure, the four counts and the rates."""
        return {"measure": [self.measure], **{name: [value] for name, value in self.confusion.to_dict().items()}}

    def headline(self) -> str:
        """How many decisions are the same."""
        same = f"{100 * self.confusion.accuracy:.0f} % of {self.confusion.pairs} pairs"
        return f"the sample leads to the same decision on {same} by {self.measure}"


def decisions(
    complete: ScoresLike | ArrayLike,
    sample: ScoresLike | ArrayLike,
    measure: Any = None,
    *,
    pairs: int = PAIRS,
    alpha: float = 0.05,
    seed: int | np.random.Generator = 0,
) -> Decisions:
    """Compare the decisions of Wilcoxon's test at complete judgments with those at a sample.

    Parameters
    ----------
    complete, sample : Scores or array
        The same runs on the same topics, by all labels and by some.
    measure : str or Measure, optional
        Which of them; needed if they hold several.
    pairs : int
        Random pairs of runs to test; all of them if there are no more.
    alpha : float
        The level of significance.
    seed : int or Generator
        Of the choice of pairs.

    Returns
    -------
    Decisions
        How often both agree and disagree, and the pairs.

    References
    ----------
    [B07] section 5.2.

    Examples
    --------
    >>> generator = np.random.default_rng(1)
    >>> complete = generator.random((6, 50)) + [[0.0], [0.0], [0.0], [0.4], [0.4], [0.4]]
    >>> decided = decisions(complete, complete + 0.1 * generator.random((6, 50)))
    >>> decided.confusion.pairs, decided.confusion.rejected_rejected
    (15, 9)
    """
    first, second = score_matrix(complete, measure), score_matrix(sample, measure)
    _check_match(first, second)
    sides = random_pairs(len(first.runs), pairs, seed)
    tables = [signed_rank_p(side.values[sides[0]] - side.values[sides[1]]) for side in (first, second)]
    notes = []
    if len(first.topics) < checks.FEW_TOPICS:
        notes.append(f"only {len(first.topics)} topics: tests have little power below {checks.FEW_TOPICS}")
    return Decisions(first.measure, confusion(tables[0], tables[1], alpha), alpha, seed, warn_of(notes))


def confusion(p_complete: ArrayLike, p_sample: ArrayLike, alpha: float = 0.05) -> Confusion:
    """Return how decisions at two sets of judgments agree, from the p values of the same pairs.

    >>> confusion([0.01, 0.2, 0.03, 0.5], [0.02, 0.3, 0.1, 0.04])
    Confusion(kept_kept=1, kept_rejected=1, rejected_kept=1, rejected_rejected=1)
    """
    complete, sample = (np.asarray(p) < alpha - TIE for p in (p_complete, p_sample))
    if complete.shape != sample.shape:
        raise ArgumentError(f"both sides need the same pairs, found {complete.shape} and {sample.shape}")
    cells = ((a, b) for a in (~complete, complete) for b in (~sample, sample))
    return Confusion(*(int(np.count_nonzero(a & b)) for a, b in cells))


def random_pairs(runs: int, pairs: int = PAIRS, seed: int | np.random.Generator = 0) -> tuple[Indices, Indices]:
    """Return random pairs of runs, no pair twice; all of them if there are no more.

    >>> [side.tolist() for side in random_pairs(3, 300)]
    [[0, 0, 1], [1, 2, 2]]
    """
    checks.whole("pairs", pairs, 1)
    first, second = all_pairs(runs)
    if pairs >= first.size:
        return first, second
    chosen = np.sort(
        np.random.default_rng(checks.seed_or_generator(seed)).choice(first.size, size=pairs, replace=False)
    )
    return first[chosen], second[chosen]


def _check_match(first: ScoreMatrix, second: ScoreMatrix) -> None:
    for names, a, b in (("runs", first.runs, second.runs), ("topics", first.topics, second.topics)):
        if a != b:
            raise InputError(f"complete and sampled scores need the same {names} in the same order")
    checks.at_least_two("a table of decisions", (len(first.runs), len(first.topics)))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
