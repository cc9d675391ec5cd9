"""What a comparison allows one to conclude, in one plain sentence, and how it was made, in another."""

from __future__ import annotations

import numpy as np

from poolwise.compare.significance_tests import CORRECTIONS, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.compare.comparison import Comparison

__all__ = ["conclude", "method"]

MOST_NAMES = 3


def conclude(found: Comparison) -> str:
    """Return one sentence that says which runs differ and which cannot be told apart; a second one if need be."""
    if len(found.first) == 1:
        return _about_one_pair(found) + _undone(found)
    if found.baselines:
        return _about_baselines(found) + _undone(found)
    return _about_all_pairs(found) + _undone(found)


def _undone(found: Comparison) -> str:
    """What is significant and yet not settled."""
    number, all_ = int(found.could_be_undone.sum()), int(found.significant.sum())
    if not number:
        return ""
    if len(found.first) == 1:
        return " This is not settled: it could be undone by unjudged documents."
    which = "All of these differences" if number == all_ else f"{number} of the {all_} differences"
    return f" {which} are not settled: they could be undone by unjudged documents."


def method(found: Comparison) -> str:
    """Return how the pairs were tested, for a footnote."""
    test = TESTS[found.test]
    drawn = f"; {found.resamples} resamples, seed {found.seed}"
    resamples = "; all sign patterns were enumerated" if found.exact else drawn if test.resamples else "; no resampling"
    over = f"on {found.topics} topics" if test.of_estimates else f"paired over {found.topics} topics"
    return (
        f"{len(found.difference)} pairs by {found.measure}, {over}, two-sided: {test.words} ({test.summary})"
        f"{resamples}; {_correction(found)}; alpha {found.alpha:g}."
    )


def _correction(found: Comparison) -> str:
    return "for all pairs together" if TESTS[found.test].simultaneous else CORRECTIONS[found.correction].words


def _about_one_pair(found: Comparison) -> str:
    a, b = found.run_a[0], found.run_b[0]
    better, worse = (a, b) if found.difference[0] > 0 else (b, a)
    ends = sorted(np.copysign(1.0, found.difference[0]) * np.array([found.low[0], found.high[0]]))
    size = f"{abs(found.difference[0]):.4f} ({ends[0]:.4f} to {ends[1]:.4f})"
    favour = f" in favour of {better}" if found.difference[0] else ""
    if found.significant[0]:
        return f"{better} is better than {worse} in {found.measure} by {size} {_how(found)}."
    return (
        f"{a} and {b} cannot be told apart in {found.measure} {_how(found)}: "
        f"the difference is {size}{favour}; that does not show that they are equal."
    )


def _about_all_pairs(found: Comparison) -> str:
    number = int(found.significant.sum())
    if number == 0:
        return (
            f"No two of the {len(found.runs)} runs can be told apart in {found.measure} {_how(found)}; "
            "that does not show that they are equal."
        )
    opening = f"{number} of {len(found.first)} pairs of runs differ in {found.measure} {_how(found)}"
    best = int(np.argmax(found.means))
    mine = (found.first == best) | (found.second == best)
    others = np.where(found.first == best, found.second, found.first)[mine & ~found.significant]
    told = len(found.runs) - 1 - others.size
    share = f"all {told}" if others.size == 0 else f"{told} of the {told + others.size}"
    rest = f" and cannot be told apart from {_some(found, others)}" if others.size else ""
    return f"{opening}; the best run, {found.runs[best]}, is better than {share} others{rest}."


def _about_baselines(found: Comparison) -> str:
    better = int(np.sum(found.significant & (found.difference > 0)))
    worse = int(np.sum(found.significant & (found.difference < 0)))
    open_ = len(found.first) - better - worse
    return (
        f"Of {len(found.first)} comparisons with {_joined(list(found.baselines))} in {found.measure} {_how(found)}, "
        f"{better} found the run better and {worse} worse than the baseline; {open_} cannot tell."
    )


def _how(found: Comparison) -> str:
    details = f"{TESTS[found.test].words}, {_correction(found)}, alpha {found.alpha:g}"
    if len(found.first) == 1:
        details += f", p {_p_words(float(found.p_corrected[0]))}"
    return f"on {found.topics} topics ({details})"


def _p_words(p: float) -> str:
    """A p value in words.

    >>> _p_words(0.03217), _p_words(0.00001)
    ('0.0322', 'below 0.0001')
    """
    return "below 0.0001" if p < 0.0001 else f"{p:.4f}"


def _some(found: Comparison, indices: np.typing.NDArray[np.int32]) -> str:
    if indices.size > MOST_NAMES:
        return f"the other {indices.size}"
    return _joined([found.runs[index] for index in indices])


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
