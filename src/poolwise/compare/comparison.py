"""`compare`: which runs differ, tested for all pairs or against baselines, corrected and put into words."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from html import escape

import numpy as np

from poolwise.compare.bootstrap import bootstrap
from poolwise.compare.conclusion import conclude
from poolwise.compare.correction import CORRECTIONS, uncorrected
from poolwise.compare.letters import compact_letters
from poolwise.compare.pairs import Outcome, Problem, all_pairs, pairs_against
from poolwise.compare.randomisation import enumerates, randomisation
from poolwise.compare.sampled import judgments
from poolwise.compare.t import student, t_statistics
from poolwise.compare.tukey import tukey
from poolwise.compare.wilcoxon import EXACT_TOPICS, signed_rank
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.extras import frame
from poolwise.results import html_table
from poolwise.score.matrix import ScoreMatrix, score_matrix
from poolwise.threads import thread_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from poolwise.arrays import Floats
    from poolwise.score.matrix import ScoresLike


__all__ = ["TESTS", "Comparison", "compare"]

TESTS: dict[str, Callable[[Problem], Outcome]] = {
    "randomisation": randomisation,
    "bootstrap": bootstrap,
    "t": student,
    "wilcoxon": signed_rank,
    "tukey": tukey,
}
JUDGMENTS = "judgments"  # no test over topics: it takes estimates, not scores alone
RESAMPLES = 10_000
# Holm's correction needs many resamples to reject anything; these are raised for it up to:
MOST_RESAMPLES = {"randomisation": 500_000, "bootstrap": 20_000}
FEW_TOPICS = 10


@dataclass(frozen=True, eq=False)
class Comparison:
    """Tests of pairs of runs by one measure; arrays have one entry a pair.

    `difference` is the mean of `run_a` minus that of `run_b`, `low` and `high` bound it at level 1 - alpha
    for the pair alone (for Tukey's test for all pairs together). `effect` is the mean difference in
    standard deviations of the differences. `p_error` is the Monte Carlo standard error of `p`; `asl` is
    the plain share of resamples at least as extreme, NaN for tests that do not resample. `groups` gives
    each run letters: runs that share one cannot be told apart (empty when baselines were given).
    """

    measure: str
    test: str
    correction: str
    alpha: float
    runs: tuple[str, ...]
    means: Floats
    topics: int
    baselines: tuple[str, ...]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    difference: Floats
    p: Floats
    p_corrected: Floats
    low: Floats
    high: Floats
    effect: Floats
    asl: Floats
    p_error: Floats
    groups: dict[str, str]
    conclusion: str
    resamples: int
    exact: bool
    seed: int | np.random.Generator
    warnings: tuple[str, ...] = ()

    @property
    def run_a(self) -> list[str]:
        """First run of every pair."""
        return [self.runs[index] for index in self.first]

    @property
    def run_b(self) -> list[str]:
        """Second run of every pair."""
        return [self.runs[index] for index in self.second]

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether each pair differs: corrected p below alpha."""
        return np.asarray(self.p_corrected < self.alpha)

    def matrix(self) -> Floats:
        """Return the corrected p values as runs x runs; NaN where a pair was not compared.

        >>> scores = np.random.default_rng(1).random((2, 40))
        >>> compare(scores, test="t").matrix().round(3).tolist()
        [[nan, 0.286], [0.286, nan]]
        """
        table = np.full((len(self.runs), len(self.runs)), np.nan)
        table[self.first, self.second] = table[self.second, self.first] = self.p_corrected
        return table

    def ranking(self, backend: str = "pandas") -> Any:
        """Return the runs from best to worst: run, mean, group, and how many it is better and worse than."""
        return frame(self.ranking_columns(), backend)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return one row a pair: run_a, run_b, difference, p, p_corrected and more."""
        return frame(self.pair_columns(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        names = ("measure", "test", "correction", "alpha", "topics", "groups", "conclusion", "resamples", "exact")
        pairs = {name: getattr(values, "tolist", lambda v=values: v)() for name, values in self.pair_columns().items()}
        return {
            **{name: getattr(self, name) for name in names},
            "runs": list(self.runs),
            "means": self.means.tolist(),
            "baselines": list(self.baselines),
            "seed": self.seed if isinstance(self.seed, int) else repr(self.seed),
            "warnings": list(self.warnings),
            "pairs": pairs,
        }

    def pair_columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`."""
        return {
            "run_a": self.run_a,
            "run_b": self.run_b,
            "difference": self.difference,
            "p": self.p,
            "p_corrected": self.p_corrected,
            "significant": self.significant,
            "low": self.low,
            "high": self.high,
            "effect": self.effect,
            "asl": self.asl,
            "p_error": self.p_error,
        }

    def ranking_columns(self) -> dict[str, list[Any]]:
        """Return the columns of `ranking`."""
        wins = np.zeros((len(self.runs), len(self.runs)), dtype=np.bool_)
        wins[self.first, self.second] = self.significant & (self.difference > 0)
        wins[self.second, self.first] = self.significant & (self.difference < 0)
        order = np.argsort(-self.means, kind="stable")
        return {
            "run": [self.runs[index] for index in order],
            "mean": self.means[order].tolist(),
            "group": [self.groups.get(self.runs[index], "") for index in order],
            "better_than": wins.sum(axis=1)[order].tolist(),
            "worse_than": wins.sum(axis=0)[order].tolist(),
        }

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.conclusion)}</p>{html_table(self.ranking_columns())}"


def compare(
    scores: ScoresLike | ArrayLike,
    measure: Any = None,
    *,
    test: str = "randomisation",
    correction: str = "holm",
    baseline: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int | np.random.Generator = 0,
    threads: int | None = None,
) -> Comparison:
    """Test which runs differ in a measure, paired over topics, two-sided.

    `scores` is a `Scores` (with `measure` if it holds several) or an array of runs x topics. `test` is
    randomisation, bootstrap, t, wilcoxon or tukey, or judgments for estimates from a sample of judgments
    (`pool.estimate(..., difference="all")`): then p and intervals speak of which documents were drawn for
    judging, for these topics, and of no other topics. `correction` is holm, bh or none (Tukey's test needs
    none: its p values already hold for all pairs together). `baseline` names one or several runs that
    every other run is compared with, instead of all pairs. `resamples` is 10,000 unless given, or more
    where Holm's correction could otherwise reject nothing.

    >>> scores = np.random.default_rng(1).random((3, 40)) + [[0.1], [0.0], [0.4]]
    >>> found = compare(scores, test="t")
    >>> print(found.conclusion.replace(";", ";\\n"))
    2 of 3 pairs of runs differ in score on 40 topics (t test, Holm correction, alpha 0.05);
     the best run, 3, is better than all 2 others.
    >>> found.groups
    {'3': 'a', '1': 'b', '2': 'b'}
    """
    matrix = score_matrix(scores, measure)
    _check_settings(matrix, test, correction, alpha, resamples)
    baselines = _baselines(matrix, baseline)
    first, second = _pairs(matrix, baselines)
    used = _resamples(resamples, test, correction, first.size, alpha)
    problem = Problem(matrix.values, first, second, alpha, used, seed, thread_count(threads))
    differences = problem.differences
    if test == JUDGMENTS:
        differences, outcome = judgments(scores, matrix.measure, matrix.runs, first, second, alpha)
    else:
        outcome = TESTS[test](problem)
    notes = _doubts(problem, test, correction)
    for note in notes:
        warnings.warn(note, PoolwiseWarning, stacklevel=2)
    blank = np.full(first.size, np.nan)
    found = Comparison(
        measure=matrix.measure,
        test=test,
        correction="tukey" if test == "tukey" else correction,
        alpha=alpha,
        runs=matrix.runs,
        means=matrix.values.mean(axis=1),
        topics=problem.topics,
        baselines=tuple(matrix.runs[index] for index in baselines),
        first=first,
        second=second,
        difference=differences,
        p=outcome.p,
        p_corrected=uncorrected(outcome.p) if test == "tukey" else CORRECTIONS[correction](outcome.p),
        low=outcome.low,
        high=outcome.high,
        effect=t_statistics(problem.differences, problem.deviations, 1),
        asl=blank if outcome.share is None else outcome.share,
        p_error=np.zeros(first.size) if outcome.error is None else outcome.error,
        groups={},
        conclusion="",
        resamples=outcome.resamples,
        exact=outcome.exact,
        seed=seed,
        warnings=tuple(notes),
    )
    return replace(found, groups=_groups(found), conclusion=conclude(found))


def _check_settings(matrix: ScoreMatrix, test: str, correction: str, alpha: float, resamples: int | None) -> None:
    for name, value, known in (("test", test, (*TESTS, JUDGMENTS)), ("correction", correction, CORRECTIONS)):
        if value not in known:
            raise ArgumentError(f"{name}={value!r} is unknown; choose one of {', '.join(known)}")
    if not 0 < alpha < 1:
        raise ArgumentError(f"alpha must lie between 0 and 1, found {alpha!r}")
    if resamples is not None and resamples < 1:
        raise ArgumentError(f"resamples must be at least 1, found {resamples!r}")
    for count, what in zip(matrix.values.shape, ("runs", "topics"), strict=True):
        if count < 2:
            raise InputError(f"a comparison needs at least two {what}, found {count}")


def _baselines(matrix: ScoreMatrix, baseline: str | Sequence[str] | None) -> list[int]:
    names = [baseline] if isinstance(baseline, str) else list(baseline or ())
    for name in names:
        if name not in matrix.runs:
            raise ArgumentError(f"baseline {name!r} is not among the runs: {', '.join(matrix.runs)}")
    return [matrix.runs.index(name) for name in dict.fromkeys(names)]


def _pairs(matrix: ScoreMatrix, baselines: list[int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    runs = len(matrix.runs)
    return pairs_against(runs, baselines) if baselines else all_pairs(runs)


def _resamples(given: int | None, test: str, correction: str, pairs: int, alpha: float) -> int:
    """The number asked for, else 10,000, or so many that one of them may be extreme and Holm still rejects."""
    if given is not None:
        return given
    if correction != "holm" or test not in MOST_RESAMPLES:
        return RESAMPLES
    return max(RESAMPLES, min(math.ceil(2 * pairs / alpha), MOST_RESAMPLES[test]))


def _groups(found: Comparison) -> dict[str, str]:
    """Letters of the runs, best first; with baselines not all pairs are known and there are none."""
    if found.baselines:
        return {}
    order = np.argsort(-found.means, kind="stable")
    different = np.nan_to_num(found.matrix(), nan=1.0) < found.alpha
    letters = compact_letters(different[np.ix_(order, order)])
    return {found.runs[index]: name for index, name in zip(order, letters, strict=True)}


def _doubts(problem: Problem, test: str, correction: str) -> list[str]:
    """Say what makes the p values doubtful."""
    notes = []
    if problem.topics < FEW_TOPICS and test != JUDGMENTS:
        notes.append(f"only {problem.topics} topics: tests have little power below {FEW_TOPICS}")
    flat = problem.deviations == 0
    alike = np.count_nonzero(flat & (problem.differences == 0))
    if alike:
        notes.append(f"{alike} of {flat.size} pairs have the same score on every topic")
    if flat.sum() > alike:
        notes.append(f"{flat.sum() - alike} of {flat.size} pairs differ by the same amount on every topic")
    smallest = _smallest_p(problem, test) * (flat.size if correction == "holm" and test != "tukey" else 1)
    if smallest >= problem.alpha:
        remedy = "more topics" if _only_exact(problem, test) else "more resamples"
        notes.append(
            f"no pair can be significant: the smallest p that {flat.size} pairs allow here is "
            f"{min(smallest, 1.0):.2g}; it takes {remedy}, another correction or fewer runs"
        )
    return notes


def _only_exact(problem: Problem, test: str) -> bool:
    return test == "wilcoxon" or (test == "randomisation" and enumerates(problem.topics, problem.resamples))


def _smallest_p(problem: Problem, test: str) -> float:
    if test in ("t", JUDGMENTS) or (test == "wilcoxon" and problem.topics > EXACT_TOPICS):
        return 0.0
    return 2.0 / 2**problem.topics if _only_exact(problem, test) else 1.0 / (problem.resamples + 1)
