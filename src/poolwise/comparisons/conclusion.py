"""What a comparison allows one to conclude, in one plain sentence, and how it was made, in another."""

from __future__ import annotations

import numpy as np

from poolwise.basics.closeness import TIE, best_first
from poolwise.basics.words import counted, part_of
from poolwise.comparisons.significance_tests import CORRECTIONS, TESTS
from poolwise.pool.sample_words import topics_in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.comparisons.comparison import Comparison

__all__ = ["BETTER", "UNCLEAR", "WORSE", "conclude", "floor_words", "in_a_row", "method"]

MOST_NAMES = 3
COMPLETE = "the whole pool is judged, nothing is estimated"  # in the place of a test of estimates
BETTER, WORSE, UNCLEAR = "better", "worse", "no clear difference"  # what a run is beside another, in a word


def conclude(comparison: Comparison) -> str:
    """Return one sentence that says which runs differ and which cannot be told apart; a second one if need be."""
    if len(comparison.first) == 1:
        return _about_one_pair(comparison) + _undone(comparison)
    if comparison.baselines:
        return _about_baselines(comparison) + _undone(comparison)
    return _about_all_pairs(comparison) + _undone(comparison)


def _undone(comparison: Comparison) -> str:
    """What is significant and yet not settled."""
    number, all_ = int(comparison.could_be_undone.sum()), int(comparison.significant.sum())
    if not number:
        return ""
    if len(comparison.first) == 1:
        return " This is not settled: it could be undone by unjudged documents."
    if number == 1:
        return f" One of the {all_} differences is not settled: it could be undone by unjudged documents."
    which = "All of these differences" if number == all_ else f"{number} of the {all_} differences"
    return f" {which} are not settled: they could be undone by unjudged documents."


def method(comparison: Comparison) -> str:
    """Return how the pairs were tested, for a footnote."""
    test = TESTS[comparison.test]
    drawn = f"; {comparison.resamples} resamples, seed {comparison.seed}"
    resamples = (
        "; all sign patterns were enumerated" if comparison.exact else drawn if test.resamples else "; no resampling"
    )
    over = f"on {_these(comparison)}" if test.of_estimates else f"paired over {comparison.topics} topics"
    looks_at = COMPLETE if comparison.complete else f"{test.words} ({test.summary})"
    return (
        f"{counted(len(comparison.difference), 'pair')} by {comparison.measure}, {over}, two-sided: {looks_at}"
        f"{resamples}; {_correction(comparison)}; alpha {comparison.alpha:g}."
    )


def floor_words(comparison: Comparison) -> str:
    """Say how many pairs have the smallest p that resampling can show, which then says how often it was drawn."""
    if comparison.exact or not TESTS[comparison.test].resamples:
        return ""
    least = 1 / (comparison.resamples + 1)
    number, pairs = int((comparison.p <= least * (1 + 1e-9)).sum()), len(comparison.p)
    if not number:
        return ""
    which = "Its p is" if pairs == 1 else part_of(number, pairs, "p value", "is", "are")
    before = "" if pairs == 1 else ", before they are corrected"
    return f"{which} the smallest that {comparison.resamples} resamples can show ({least:.1g}{before})."


def _correction(comparison: Comparison) -> str:
    return "for all pairs together" if TESTS[comparison.test].simultaneous else CORRECTIONS[comparison.correction].words


def _about_one_pair(comparison: Comparison) -> str:
    a, b = comparison.run_a[0], comparison.run_b[0]
    better, worse = (a, b) if comparison.difference[0] > 0 else (b, a)
    ends = sorted(np.copysign(1.0, comparison.difference[0]) * np.array([comparison.low[0], comparison.high[0]]))
    size = f"{abs(comparison.difference[0]):.4f} ({ends[0]:.4f} to {ends[1]:.4f})"
    favour = f" in favour of {better}" if abs(comparison.difference[0]) > TIE else ""
    if comparison.significant[0]:
        return f"{better} is better than {worse} in {comparison.measure} by {size} {_how(comparison)}."
    return (
        f"{a} and {b} cannot be told apart in {comparison.measure} {_how(comparison)}: "
        f"the difference is {size}{favour}; that does not show that they are equal."
    )


def _about_all_pairs(comparison: Comparison) -> str:
    number = int(comparison.significant.sum())
    if number == 0:
        return (
            f"No two of the {len(comparison.runs)} runs can be told apart in {comparison.measure} {_how(comparison)}; "
            "that does not show that they are equal."
        )
    differ = f"of {len(comparison.first)} pairs of runs {'differs' if number == 1 else 'differ'}"
    opening = f"{number} {differ} in {comparison.measure} {_how(comparison)}"
    best = best_first(comparison.means)[0]
    mine = (comparison.first == best) | (comparison.second == best)
    others = np.where(comparison.first == best, comparison.second, comparison.first)[mine & ~comparison.significant]
    told = len(comparison.runs) - 1 - others.size
    rest = f" and cannot be told apart from {_some(comparison, others)}" if others.size else ""
    return f"{opening}; the best run, {comparison.runs[best]}, is better than {_share(told, others.size)}{rest}."


def _share(told: int, others: int) -> str:
    """How many of the others the best run is better than.

    >>> _share(2, 0), _share(5, 0), _share(1, 1)
    ('both others', 'all 5 others', '1 of the 2 others')
    """
    if others:
        return f"{told} of the {told + others} others"
    return "both others" if told == 2 else f"all {told} others"


def _about_baselines(comparison: Comparison) -> str:
    better = int(np.sum(comparison.significant & (comparison.difference > 0)))
    worse = int(np.sum(comparison.significant & (comparison.difference < 0)))
    open_ = len(comparison.first) - better - worse
    return (
        f"Of {len(comparison.first)} comparisons with {in_a_row(list(comparison.baselines))} in {comparison.measure} "
        f"{_how(comparison)}, {better} found the run better and {worse} worse than the baseline; {open_} cannot tell."
    )


def _how(comparison: Comparison) -> str:
    words = COMPLETE if comparison.complete else TESTS[comparison.test].words
    details = f"{words}, {_correction(comparison)}, alpha {comparison.alpha:g}"
    if len(comparison.first) == 1:
        details += f", p {_p_words(float(comparison.p_corrected[0]))}"
    return f"on {_these(comparison)} ({details})"


def _these(comparison: Comparison) -> str:
    """The topics; other ones would differ more from what estimates say of these, unless these were drawn of them."""
    these = "these " if TESTS[comparison.test].of_estimates and comparison.topics_drawn_of is None else ""
    return these + topics_in_words(comparison.topics, comparison.topics_drawn_of)


def _p_words(p: float) -> str:
    """A p value in words.

    >>> _p_words(0.03217), _p_words(0.00001)
    ('0.0322', 'below 0.0001')
    """
    return "below 0.0001" if p < 0.0001 else f"{p:.4f}"


def _some(comparison: Comparison, indices: np.typing.NDArray[np.int32]) -> str:
    if indices.size > MOST_NAMES:
        return f"the other {indices.size}"
    return in_a_row([comparison.runs[index] for index in indices])


def in_a_row(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    >>> in_a_row(["a"]), in_a_row(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
