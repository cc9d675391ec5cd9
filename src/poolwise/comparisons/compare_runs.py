"""`compare`: which runs differ, tested for all pairs or against baselines, corrected and put into words.

A test over topics takes labels as they are. Where documents of a run are not judged, other labels for them may turn a
difference around, however small its p: such a difference is not settled. Labels are tried down to a measure's cut-off;
where it has none, down to the pool's depth, below which nobody meant to judge.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from poolwise.basics import settings as checks
from poolwise.basics.numbers import TIE, best_first
from poolwise.basics.results import notes_of, warn_of
from poolwise.basics.settings import thread_count
from poolwise.basics.words import counted, part_of
from poolwise.comparisons.comparison import Comparison
from poolwise.comparisons.conclusion import compact_letters, conclude
from poolwise.comparisons.pairs import Problem, all_pairs, pairs_against
from poolwise.comparisons.significance_tests import CORRECTIONS, DEFAULT_CORRECTION, DEFAULT_TEST, TESTS
from poolwise.comparisons.simple_tests import t_statistics
from poolwise.errors import ArgumentError
from poolwise.measures.registry import parse
from poolwise.pool.coverage import NO_LIMIT
from poolwise.scores.read_scores import ScoreMatrix, means_of, score_matrix
from poolwise.scores.score_notes import can_move, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.comparisons.pairs import Outcome
    from poolwise.comparisons.significance_tests import Test
    from poolwise.measures.measure import Measure
    from poolwise.scores.read_scores import ScoresLike


def reversible_pairs(scores: Any, comparison: Comparison, threads: int) -> NDArray[np.bool_]:
    """Whether labels of unjudged documents could reverse each significant difference, or make it 0."""
    reversible = np.zeros(len(comparison.first), dtype=np.bool_)
    unjudged, measure = getattr(scores, "unjudged", None), _measure(comparison)
    settled = TESTS[comparison.test].of_estimates  # whose p allows for all that documents outside the pool can move
    if settled or unjudged is None or measure is None:
        return reversible
    number_of = {run: number for number, run in enumerate(unjudged.runs)}
    number = np.array([number_of[run] for run in comparison.runs])
    first, second = number[comparison.first], number[comparison.second]
    shares = np.array(unjudged.shares(measure))
    doubtful = np.flatnonzero(comparison.significant & ((shares[first] > 0) | (shares[second] > 0)))
    ends = unjudged.reach(measure, first[doubtful].tolist(), second[doubtful].tolist(), threads)
    reversible[doubtful] = [low <= TIE and high >= -TIE for low, high in ends]
    return reversible


def _measure(comparison: Comparison) -> Measure | None:
    """The measure, if unjudged documents can change it. None also for unknown columns of a table."""
    from poolwise.errors import ArgumentError

    try:
        measure = parse(comparison.measure)
    except ArgumentError:
        return None
    return measure if can_move(measure) else None


def reversible_note(scores: Any, comparison: Comparison) -> list[str]:
    """Say how many significant differences could be undone, and by what."""
    number = int(comparison.could_be_undone.sum())
    if not number:
        return []
    sentence = (
        f"{number} of {int(comparison.significant.sum())} significant differences could be undone by unjudged documents"
    )
    unjudged, measure = getattr(scores, "unjudged", None), _measure(comparison)
    if unjudged is None or measure is None:
        return [sentence]
    shares = dict(zip(unjudged.runs, unjudged.shares(measure), strict=True))
    pairs = zip(comparison.run_a, comparison.run_b, comparison.could_be_undone, strict=True)
    worst = max((run for a, b, reversible in pairs if reversible for run in (a, b)), key=shares.__getitem__)
    deeper = "" if measure.cutoff or unjudged.depth(measure) == NO_LIMIT else "; deeper ones are not looked at"
    return [
        f"{sentence}: up to {percent(shares[worst])} of {unjudged.words([measure])} is not judged ({worst}){deeper}"
    ]


RESAMPLES = 10_000  # unless asked for: the standard error of a p of 0.05 is 0.002 then
FEW_RUNS = 5  # that a message names, all of them
# Of five alike runs, each compared with the best of them, one family in twelve has a false finding at alpha 0.05 after
# Holm's correction, of ten one in seven (t test, 50 topics, 2,000 families of normal scores; one in 25 with any other
# run, and with all pairs).
MANY_RUNS = 5


def compare(
    scores: ScoresLike | ArrayLike,
    measure: Any = None,
    *,
    test: str = DEFAULT_TEST,
    correction: str = DEFAULT_CORRECTION,
    baseline: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int | np.random.Generator = 0,
    threads: int | None = None,
) -> Comparison:
    """Test which runs differ in a measure, paired over topics, two-sided.

    Parameters
    ----------
    scores : Scores or array
        Scores, or an array of runs x topics.
    measure : str or Measure, optional
        Which of them; needed if they hold several.
    test : {"randomisation", "bootstrap", "t", "wilcoxon", "sign", "tukey", "max_t", "judgments"}
        `poolwise compare --help` says what each does. A test of estimates (`judgments`) needs these with their
        differences (`pool.estimate(..., difference="all")`): p and intervals then speak of which documents were drawn
        for judging, for these topics, and of no other topics.
    correction : {"holm", "bh", "none"}
        For testing many pairs. A simultaneous test is not corrected: its p values already hold for all pairs
        together.
    baseline : str or sequence of str, optional
        Runs that every other run is compared with, instead of all pairs.
    alpha : float
        The level of significance.
    resamples : int, optional
        Sign flips or bootstrap samples; 10,000 unless given, or more where the correction could otherwise reject
        nothing.
    seed : int or Generator
        Of the resamples.
    threads : int, optional
        How many to use; every core allowed unless given.

    Returns
    -------
    Comparison
        Every pair with its difference, p, corrected p and interval; groups; a conclusion in words.

    Examples
    --------
    >>> scores = np.random.default_rng(1).random((3, 40)) + [[0.1], [0.0], [0.4]]
    >>> comparison = compare(scores, test="t")
    >>> print(comparison.conclusion.replace(";", ";\\n"))
    2 of 3 pairs of runs differ in score on 40 topics (t test, Holm correction, alpha 0.05);
     the best run, 3, is better than both others.
    >>> comparison.groups
    {'3': 'a', '1': 'b', '2': 'b'}
    """
    matrix = score_matrix(scores, measure)
    _check_settings(matrix, test, correction, alpha, resamples)
    baselines = _baselines(matrix, baseline)
    chosen, corrected = TESTS[test], CORRECTIONS["none" if TESTS[test].simultaneous else correction].run
    first, second = pairs_against(len(matrix.runs), baselines) if baselines else all_pairs(len(matrix.runs))
    problem = Problem(
        matrix.values,
        first,
        second,
        alpha,
        _resamples(resamples, chosen, corrected, first.size, alpha),
        checks.seed_or_generator(seed),
        thread_count(threads),
        scores,
        matrix.measure,
        matrix.runs,
    )
    outcome = chosen.run(problem)
    p_corrected = corrected(outcome.p)
    comparison = Comparison(
        measure=matrix.measure,
        test=test,
        correction=test if chosen.simultaneous else correction,
        alpha=alpha,
        runs=matrix.runs,
        means=means_of(scores, matrix),
        topics=problem.topics,
        baselines=tuple(matrix.runs[index] for index in baselines),
        first=first,
        second=second,
        difference=problem.differences if outcome.difference is None else outcome.difference,
        p=outcome.p,
        p_corrected=p_corrected,
        low=outcome.low,
        high=outcome.high,
        effect=t_statistics(problem.differences, problem.deviations, 1),
        asl=np.full(first.size, np.nan) if outcome.share is None else outcome.share,
        p_error=np.zeros(first.size) if outcome.error is None else outcome.error,
        groups={},
        conclusion="",
        resamples=outcome.resamples,
        exact=outcome.exact,
        seed=seed,
        could_be_undone=np.zeros(first.size, dtype=np.bool_),
        **(_of_estimates(scores) if chosen.of_estimates else {}),
    )
    # Which differences are significant, the comparison works out; only these are tried.
    comparison = replace(comparison, could_be_undone=reversible_pairs(scores, comparison, problem.threads))
    doubts = [*_doubts(problem, chosen, outcome, p_corrected, corrected), *_chosen_baseline(comparison, chosen)]
    notes = warn_of([*doubts, *reversible_note(scores, comparison)])
    all_notes = dict.fromkeys([*notes_of(scores), *notes])  # scoring has warned of its own
    return replace(comparison, groups=_groups(comparison), conclusion=conclude(comparison), warnings=tuple(all_notes))


def _of_estimates(scores: Any) -> dict[str, Any]:
    """Facts about the topics and judgments of estimates."""
    known = scores.settings
    return {"topics_drawn_of": known.get("topics_drawn_of"), "complete": known["judged"] == known["documents"]}


def _check_settings(matrix: ScoreMatrix, test: str, correction: str, alpha: float, resamples: int | None) -> None:
    checks.choice("test", test, TESTS)
    checks.choice("correction", correction, CORRECTIONS)
    checks.alpha(alpha)
    if resamples is not None:
        checks.whole("resamples", resamples, 1)
    checks.at_least_two("a comparison", matrix.values.shape)


def _baselines(matrix: ScoreMatrix, baseline: str | Sequence[str] | None) -> list[int]:
    names = [] if baseline is None else checks.names("baseline", baseline)
    for name in names:
        if name not in matrix.runs:
            raise ArgumentError(f"baseline {name!r} is not among the runs{_others(name, matrix.runs)}")
    return [matrix.runs.index(name) for name in names]


def _others(name: str, runs: Sequence[str]) -> str:
    """Known runs for an error message: all if they are few, else similar names, or some."""
    if len(runs) <= FEW_RUNS:
        return f": {', '.join(runs)}"
    return f"; {checks.did_you_mean(name, runs) or f'there are {len(runs)}, such as {runs[0]}'}"


def _resamples(asked: int | None, test: Test, corrected: Callable[[Floats], Floats], pairs: int, alpha: float) -> int:
    """The wanted number of resamples, by default 10,000, or more if the correction needs smaller p values."""
    if asked is not None:
        return asked
    p = 1 / (2 * pairs)
    factor = round(_least_corrected(p, corrected, pairs) / p)
    return max(RESAMPLES, min(math.ceil(2 * factor / alpha), test.most_resamples))


def _least_corrected(p: float, corrected: Callable[[Floats], Floats], pairs: int) -> float:
    """The smallest corrected p when every pair has p: pairs times p after Holm, p itself after the others."""
    return float(corrected(np.full(pairs, p)).min())


def _groups(comparison: Comparison) -> dict[str, str]:
    """Letters of the runs, best first; with baselines not all pairs are known and there are none."""
    if comparison.baselines:
        return {}
    order = best_first(comparison.means)
    letters = compact_letters(comparison.different()[np.ix_(order, order)])
    return {comparison.runs[index]: name for index, name in zip(order, letters, strict=True)}


def _doubts(
    problem: Problem, test: Test, outcome: Outcome, p: Floats, corrected: Callable[[Floats], Floats]
) -> list[str]:
    """Notes on doubtful p values."""
    notes, pairs = list(outcome.notes), problem.first.size
    if problem.topics < checks.FEW_TOPICS and not test.of_estimates:
        notes.append(f"only {problem.topics} topics: tests have little power below {checks.FEW_TOPICS}")
    flat, still = int(problem.flat().sum()), int((problem.deviations == 0).sum())
    if still > flat:
        notes.append(f"{part_of(still - flat, pairs, 'pair')} the same score on every topic")
    if flat:
        notes.append(
            f"{part_of(flat, pairs, 'pair', 'differs', 'differ')} by the same amount on every topic: without spread "
            f"their intervals have no {'width' if problem.all_one_way < problem.alpha else 'ends'} and say nothing of "
            "other topics"
        )
    contrary = _contrary(problem, outcome, p)
    if contrary:
        notes.append(
            f"{part_of(contrary, pairs, 'pair', 'differs', 'differ')} significantly in favour of the run with the "
            f"lower mean: the {test.words} does not look at means"
        )
    least = _least_corrected(outcome.smallest, corrected, pairs)
    if least >= problem.alpha - TIE:
        finer = outcome.drawn and outcome.smallest * outcome.resamples < 1  # it was 1 / (resamples + 1)
        remedy = "more resamples" if finer else "more topics"
        about = "about " if outcome.drawn and not finer else ""  # how many of few patterns were drawn is chance
        notes.append(
            f"no pair can be significant: the smallest p that {counted(pairs, 'pair')} can have here is "
            f"{about}{min(least, 1.0):.2g}; it takes {remedy}, another correction or fewer runs"
        )
    return notes


def _chosen_baseline(comparison: Comparison, test: Test) -> list[str]:
    """Note that taking the best of many runs as the baseline compares all pairs, and corrects for fewer."""
    best = comparison.runs[best_first(comparison.means)[0]]
    if best not in comparison.baselines or len(comparison.runs) < MANY_RUNS or test.of_all_runs:
        return []
    if not comparison.significant.any():
        return []
    return [
        f"{best} is the best run here: if it was made the baseline for that reason, p values are too small, as only "
        "pairs with a baseline are accounted for; without a baseline all pairs are"
    ]


def _contrary(problem: Problem, outcome: Outcome, p: Floats) -> int:
    """Note on pairs that a test without means decides against the order of means."""
    if outcome.favours is None:
        return 0
    return int(np.count_nonzero((p < problem.alpha - TIE) & (outcome.favours * problem.differences < -TIE)))
