"""Scores over all orders of tied documents: their mean, or the lowest and highest.

By default ties are ordered by document id, which says nothing of a system (Cabanac et al. 2010; McSherry and Najork
2008). `expected` takes every order of documents of one score as equally likely; `range` says how far orders reach.
"""

from __future__ import annotations

from poolwise import _core
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool
    from poolwise.scores.intervals import ScoreIntervals

TRIED = 120  # orders of a ranking that are all tried, in the core too
NOT_SORTED = ("Compat", "G", "NCU", "Pmeasure", "Pplus")  # kernels that may gain when a worse document moves up
DRAWS = 1000  # orders of a ranking with many, for measures whose mean has no closed form


def check_ties(interval: str | None) -> None:
    """Refuse what ties cannot go with."""
    if interval is not None:
        raise ArgumentError("ties in any order go without an interval; ask for one of the two")


def expected_values(
    pool: Pool, measures: list[Measure], sets: list[Judgments], threads: int
) -> tuple[Any, tuple[str, ...]]:
    """Means over orders, as `score_values` gives scores, and which are means of some orders only."""
    values = _with_own(pool, measures, sets, threads, DRAWS)[0]
    sampled = [str(measure) for measure in measures if measure.declaration.kernel not in _core.EXPECTED]
    if not sampled or not any(pool.run_counts()["ties"]):
        return values, ()
    return values, (
        f"{', '.join(sampled)}: rankings with more than {TRIED} orders of ties have the mean of {DRAWS} of these, "
        "drawn at random",
    )


def tied_interval(
    pool: Pool, measures: list[Measure], sets: list[Judgments], counted: Any, threads: int
) -> ScoreIntervals:
    """The lowest and highest scores over orders; means of these, as topics are ordered independently."""
    import numpy as np

    from poolwise.measures.aggregate import aggregated
    from poolwise.scores.intervals import ScoreIntervals

    low, high = map(np.asarray, _with_own(pool, measures, sets, threads, 0))
    shape = (len(pool.runs), len(pool.topics))
    counts = np.ones(shape, bool) if counted is None else np.asarray(counted).reshape(shape) != 0
    ways = [measure.declaration.aggregate for measure in measures]
    return ScoreIntervals("ties", low, high, *(aggregated(ways, end, counts) for end in (low, high)))


def range_notes(pool: Pool, measures: list[Measure]) -> tuple[str, ...]:
    """Say of which measures the range over many orders may be wider than what was tried."""
    doubtful = [str(measure) for measure in measures if measure.declaration.kernel in NOT_SORTED]
    if not doubtful or not any(pool.run_counts()["ties"]):
        return ()
    return (
        f"{', '.join(doubtful)}: rankings with more than {TRIED} orders of ties were tried with what is worth most "
        "first, and last; other orders may reach a little farther",
    )


def _with_own(pool: Pool, measures: list[Measure], sets: list[Judgments], threads: int, draws: int) -> Sequence[Any]:
    """Means over orders with draws, else the lowest and highest scores, own measures included."""
    from poolwise.scores.scoring import from_kernels, kernel_spec, strata_if_used

    kernels = [measure for measure in measures if measure.declaration.function is None]
    asked = pool, [kernel_spec(measure, sets[0]) for measure in kernels], sets, threads
    strata = strata_if_used(kernels, sets)
    parts: Sequence[Any] = ()
    if kernels and draws:
        parts = (from_kernels("expected", *asked, strata=strata, draws=draws),)
    elif kernels:
        parts = from_kernels("tied_range", *asked, strata=strata)
    if len(kernels) == len(measures):
        return parts
    import numpy as np

    from poolwise.measures.own_measures import own_over_orders

    shape = (len(sets), len(measures), len(pool.runs), len(pool.topics))
    tables = [np.empty(shape) for _ in range(1 if draws else 2)]
    for result, part in zip(tables, parts, strict=False):
        result[:, [number for number, each in enumerate(measures) if each in kernels]] = np.asarray(part)
    for number, measure in enumerate(measures):
        for sample, judgments in enumerate(sets if measure not in kernels else ()):
            mean, *ends = own_over_orders(pool, measure, judgments, draws, TRIED)
            for result, table in zip(tables, [mean] if draws else ends, strict=True):
                result[sample, number] = table
    return tables
