"""The conclusion of a comparison in one plain sentence, and its method in another.

A letter stands for a set of runs no two of which differ, and every pair that does not differ shares one. The sets are
grown one after the other from pairs that share none yet (Gramm et al. 2007, "Algorithms for compact letter displays",
clique growing), those runs first that still need a letter with the best run of the set, in the order of the ranking.
Where runs are alike if their means lie close, this gives the fewest letters: one per longest stretch of the ranking.
Sets of runs are the bits of whole numbers, so that meeting and parting thousands of runs is one step.

Letters say of every pair whether it differs, which takes more groups than anybody reads when many runs overlap. Tiers
say less, in one number per run: each begins with the best run that is left, and holds whoever cannot be told apart from
that run. Runs of one tier may differ from one another, and runs of two tiers may not.
"""

from __future__ import annotations

import numpy as np

from poolwise.basics.numbers import TIE, best_first
from poolwise.basics.words import counted, part_of
from poolwise.comparisons.significance_tests import CORRECTIONS, TESTS
from poolwise.pool.coverage import topics_in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from poolwise.comparisons.comparison import Comparison

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]


def compact_letters(different: Flags) -> list[str]:
    """Return the letters of each run, given a symmetric table of which runs differ, best run first.

    Letters are joined by commas once some have two characters.

    >>> different = np.zeros((3, 3), dtype=bool)
    >>> different[0, 2] = different[2, 0] = True
    >>> compact_letters(different)
    ['a', 'ab', 'b']
    """
    groups = sorted(_alike_groups(~np.asarray(different, dtype=np.bool_)))
    letters: list[list[str]] = [[] for _ in different]
    for number, members in enumerate(groups):
        name = letter(number)
        for run in members:
            letters[run].append(name)
    separator = "," if len(groups) > 26 else ""
    return [separator.join(names) for names in letters]


def letter(number: int) -> str:
    """Return the name of a letter: a, b, ... z, aa, ab, ...

    >>> letter(0), letter(25), letter(26), letter(701), letter(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def _alike_groups(alike: Flags) -> Iterator[list[int]]:
    """Maximal groups of runs without significant differences, which cover all such pairs, best run first."""
    fellows = _as_bits(alike | np.eye(len(alike), dtype=np.bool_))  # a run alone still needs a letter
    lacking = list(fellows)  # whom a run still lacks a letter with
    for run in range(len(fellows)):
        while wanted := lacking[run] >> run << run:
            runs, others = _grown(fellows, run, wanted)
            for member in runs:
                lacking[member] &= others
            yield sorted(runs)


def _grown(fellows: list[int], run: int, wanted: int) -> tuple[list[int], int]:
    """A group grown from a run by runs that differ from none of it, preferred ones first, and the others as bits."""
    runs: list[int] = []
    others, fits = -1, fellows[run]
    for some in (wanted, -1):
        left = fits & some & others
        while left:
            bit = left & -left  # the best of them
            others ^= bit
            runs.append(bit.bit_length() - 1)
            fits &= fellows[runs[-1]]
            left &= fits & others
    return runs, others


def _as_bits(table: Flags) -> list[int]:
    """Every row of a table of flags as a whole number, its first flag in the lowest bit.

    >>> _as_bits(np.array([[True, True, False], [False, True, True]]))
    [3, 6]
    """
    packed = np.packbits(table, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


TIERS_NOTE = (
    "Tier 1 is the best run and those that cannot be told apart from it; every further tier is the best run that is "
    "left and those of the rest that cannot be told apart from that one."
)


def tiers_of(different: NDArray[np.bool_]) -> list[int]:
    """Return the tier of each run, given a symmetric table of which runs differ, best run first.

    >>> different = np.zeros((4, 4), dtype=bool)
    >>> different[0, [1, 3]] = different[[1, 3], 0] = True
    >>> tiers_of(different)
    [1, 2, 1, 2]
    """
    tiers = np.zeros(len(different), dtype=np.int64)
    tier = 0
    while (left := np.flatnonzero(tiers == 0)).size:
        tier += 1
        head, rest = left[0], left[1:]
        tiers[head] = tier
        tiers[rest[~different[head, rest]]] = tier
    return tiers.tolist()


MOST_NAMES = 3  # runs that a sentence names
COMPLETE = "the whole pool is judged, nothing is estimated"  # in the place of a test of estimates
BETTER, WORSE, UNCLEAR = "better", "worse", "no clear difference"  # what a run is beside another, in a word


def conclude(comparison: Comparison) -> str:
    """Return the conclusion: which runs differ significantly and which do not, in one or two sentences."""
    if len(comparison.first) == 1:
        return _about_one_pair(comparison) + _reversible(comparison)
    if comparison.baselines:
        return _about_baselines(comparison) + _reversible(comparison)
    return _about_all_pairs(comparison) + _reversible(comparison)


def _reversible(comparison: Comparison) -> str:
    """Significant differences that unjudged documents could reverse, in words."""
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
    separated = len(comparison.runs) - 1 - others.size
    rest = f" and cannot be told apart from {_some(comparison, others)}" if others.size else ""
    return f"{opening}; the best run, {comparison.runs[best]}, is better than {_share(separated, others.size)}{rest}."


def _share(beaten: int, others: int) -> str:
    """Number of runs that the best run is better than, in words.

    >>> _share(2, 0), _share(5, 0), _share(1, 1)
    ('both others', 'all 5 others', '1 of the 2 others')
    """
    if others:
        return f"{beaten} of the {beaten + others} others"
    return "both others" if beaten == 2 else f"all {beaten} others"


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
    """The topics in words, as the population of the conclusion."""
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
