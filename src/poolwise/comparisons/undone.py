"""Which significant differences unjudged documents could undo.

A test over topics takes labels as they are. Where documents of a run are not judged, other labels for them may turn a
difference around, however small its p: such a difference is not settled. Labels are tried down to a measure's cut-off;
where it has none, down to the pool's depth, below which nobody meant to judge.
"""

from __future__ import annotations

import numpy as np

from poolwise.basics.closeness import TIE
from poolwise.comparisons.significance_tests import TESTS
from poolwise.measures.registry import parse
from poolwise.pool.coverage import NO_LIMIT
from poolwise.scores.unjudged import can_move
from poolwise.scores.unjudged_words import percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.comparisons.comparison import Comparison
    from poolwise.measures.measure import Measure

__all__ = ["undone_note", "undone_pairs"]


def undone_pairs(scores: Any, comparison: Comparison, threads: int) -> NDArray[np.bool_]:
    """Whether labels of unjudged documents could turn each significant difference around, or make it 0."""
    undone = np.zeros(len(comparison.first), dtype=np.bool_)
    unjudged, measure = getattr(scores, "unjudged", None), _measure(comparison)
    settled = TESTS[comparison.test].of_estimates  # whose p allows for all that documents outside the pool can move
    if settled or unjudged is None or measure is None:
        return undone
    place = {run: number for number, run in enumerate(unjudged.runs)}
    number = np.array([place[run] for run in comparison.runs])
    first, second = number[comparison.first], number[comparison.second]
    shares = np.array(unjudged.shares(measure))
    doubtful = np.flatnonzero(comparison.significant & ((shares[first] > 0) | (shares[second] > 0)))
    ends = unjudged.reach(measure, first[doubtful].tolist(), second[doubtful].tolist(), threads)
    undone[doubtful] = [low <= TIE and high >= -TIE for low, high in ends]
    return undone


def _measure(comparison: Comparison) -> Measure | None:
    """The measure, if unjudged documents can move it; a table of scores may hold one that is none of ours."""
    from poolwise.errors import ArgumentError

    try:
        measure = parse(comparison.measure)
    except ArgumentError:
        return None
    return measure if can_move(measure) else None


def undone_note(scores: Any, comparison: Comparison) -> list[str]:
    """Say how many significant differences could be undone, and by what."""
    number = int(comparison.could_be_undone.sum())
    if not number:
        return []
    said = (
        f"{number} of {int(comparison.significant.sum())} significant differences could be undone by unjudged documents"
    )
    unjudged, measure = getattr(scores, "unjudged", None), _measure(comparison)
    if unjudged is None or measure is None:
        return [said]
    shares = dict(zip(unjudged.runs, unjudged.shares(measure), strict=True))
    pairs = zip(comparison.run_a, comparison.run_b, comparison.could_be_undone, strict=True)
    worst = max((run for a, b, undone in pairs if undone for run in (a, b)), key=shares.__getitem__)
    deeper = "" if measure.cutoff or unjudged.depth(measure) == NO_LIMIT else "; deeper ones are not looked at"
    return [f"{said}: up to {percent(shares[worst])} of {unjudged.words([measure])} is not judged ({worst}){deeper}"]
