"""Which runs differ on these topics, had the whole pool been judged: from estimates of sampled judgments."""

from __future__ import annotations

import numpy as np

from poolwise.basics.closeness import TIE
from poolwise.basics.distributions import student_below, student_quantile
from poolwise.basics.magnitude import nearest_possible
from poolwise.basics.words import counted
from poolwise.comparisons.pairs import Outcome, Problem
from poolwise.errors import ArgumentError, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.basics.arrays import Floats

__all__ = ["judgments"]


def judgments(problem: Problem) -> Outcome:
    """Differences of pairs, and p values and intervals that speak of the sampling of judgments.

    The interval reaches as far as documents outside the pool could move the difference. So does p: the smallest
    difference that labels of these allow, 0 if they could turn it, is divided by the standard error and compared with
    Student's t (see `Differences`). p is below alpha where, and only where, the interval at level 1 - alpha leaves out
    0. A difference without any error is certain; one of whose error nothing is known may be anything.
    """
    measure, runs = problem.measure, problem.runs
    pairs = getattr(problem.source, "differences", None)
    if pairs is None:
        raise InputError("test='judgments' needs estimates with differences; use pool.estimate(..., difference='all')")
    known = {names: place for place, names in enumerate(zip(pairs.run_a, pairs.run_b, pairs.measure, strict=True))}
    places, signs = [], []
    for a, b in zip(problem.first.tolist(), problem.second.tolist(), strict=True):
        turned = (runs[a], runs[b], measure) not in known
        pair = (runs[b], runs[a], measure) if turned else (runs[a], runs[b], measure)
        if pair not in known:
            raise ArgumentError(f"{runs[a]} less {runs[b]} was not estimated; use pool.estimate(..., difference='all')")
        places.append(known[pair])
        signs.append(-1.0 if turned else 1.0)
    difference = np.array(signs) * pairs.difference[places]
    error, df = pairs.standard_error[places], np.minimum(pairs.df[places], 1e9)
    none = np.isnan(error)
    if none.all():
        raise InputError(
            "these differences have no intervals, as topics or strata have no label, or nothing judged is relevant, or "
            "all of it alike; judge at least one drawn document of each topic and stratum, and more where labels do "
            "not vary, then compare"
        )
    fall, rise = _reach(pairs, places, np.array(signs))
    half, most = student_quantile(df, 1 - problem.alpha / 2) * error, pairs.farthest[places]
    seen = nearest_possible(difference, half, -most, most)
    least = np.maximum(np.where(seen > 0, seen - fall, -seen - rise), 0.0)
    p, within = _p(least, error, df), _p(np.abs(seen), error, df)
    low, high = np.clip(seen - half - fall, -most, most), np.clip(seen + half + rise, -most, most)
    p, low, high = (np.where(none, least, known) for least, known in ((1.0, p), (-most, low), (most, high)))
    open_ = int(np.count_nonzero((within < problem.alpha - TIE) & (p >= problem.alpha - TIE) & ~none))
    notes = (*_left_open(open_, len(p)), *_nothing_drawn(error))
    return Outcome(p, low, high, smallest=0.0, difference=difference, notes=notes)


def _p(size: Floats, error: Floats, df: Floats) -> Floats:
    """p of differences of a size, two-sided; 1 if there is none, and 0 if there is no error."""
    drawn = 2.0 * student_below(df, -size / np.where(error > 0, error, 1.0))
    return np.where(error > 0, drawn, np.where(size == 0, 1.0, 0.0))


def _left_open(open_: int, pairs: int) -> tuple[str, ...]:
    """Say how many pairs only labels of documents outside the pool keep from differing."""
    if not open_:
        return ()
    return (
        f"{open_} of {counted(pairs, 'pair')} would differ by what is in the pool, but documents outside it could undo "
        "that: judge these, or leave out runs that bring many",
    )


def _reach(pairs: Any, places: list[int], signs: Floats) -> tuple[Floats, Floats]:
    """By how much documents outside the pool could lower and raise each difference."""
    fall, rise = (pairs.plain_low - pairs.low)[places], (pairs.high - pairs.plain_high)[places]
    return np.where(signs > 0, fall, rise), np.where(signs > 0, rise, fall)


def _nothing_drawn(error: Floats) -> tuple[str, ...]:
    """Say that differences of complete judgments have no error of sampling, and which tests ask for another one."""
    if (error != 0).any():
        return ()
    return (
        "all that these differences rest on in the pool is judged, so that there is no sampling error to test, and "
        "what the pool shows is certain on these topics; whether runs would differ on other topics is what the other "
        "tests ask, such as randomisation or t",
    )
