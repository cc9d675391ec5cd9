"""Scores over all orders of tied documents: their mean, or the lowest and highest.

By default ties are ordered by document id, which says nothing of a system (Cabanac et al. 2010; McSherry and Najork
2008). `expected` takes every order of documents of one score as equally likely; `range` says how far orders reach.
"""

from __future__ import annotations

from poolwise import _core
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.judge.judgments import Judgments
    from poolwise.pool.pool import Pool
    from poolwise.score.intervals import Interval
    from poolwise.score.measure import Measure

TIES = ("id", "expected", "range")
DRAWS = 1000  # orders of a ranking with many, for measures whose mean has no closed form


def check_ties(measures: list[Measure], interval: str | None) -> None:
    """Refuse what ties cannot go with."""
    own = [str(measure) for measure in measures if measure.declaration.function is not None]
    if own:
        raise ArgumentError(
            f"ties in any order are not there for measures of one's own ({', '.join(own)}); use ties='id'"
        )
    if interval is not None:
        raise ArgumentError("ties in any order go without an interval; ask for one of the two")


def expected_values(
    pool: Pool, measures: list[Measure], sets: list[Judgments], threads: int
) -> tuple[Any, tuple[str, ...]]:
    """Means over orders, as `score_values` gives scores, and which are means of some orders only."""
    asks, labels, count, distinct, strata = _asked(measures, sets)
    values = pool.core.expected(asks, labels, count, distinct, threads, strata, DRAWS)
    sampled = [str(measure) for measure in measures if measure.declaration.kernel not in _core.EXPECTED]
    if not sampled or not any(pool.run_counts()["ties"]):
        return values, ()
    return values, (
        f"{', '.join(sampled)}: rankings with more than 120 orders of ties have the mean of {DRAWS} of these, drawn at "
        "random",
    )


def tied_interval(pool: Pool, measures: list[Measure], sets: list[Judgments], counted: Any, threads: int) -> Interval:
    """The lowest and highest scores over orders; means of these, as topics are ordered independently."""
    import numpy as np

    from poolwise.score.aggregate import aggregated
    from poolwise.score.intervals import Interval

    asks, labels, count, distinct, strata = _asked(measures, sets)
    ends = pool.core.tied_range(asks, labels, count, distinct, threads, strata)
    low, high = (np.asarray(end) for end in ends)
    shape = (len(pool.runs), len(pool.topics))
    counts = np.ones(shape, bool) if counted is None else np.asarray(counted).reshape(shape) != 0
    ways = [measure.declaration.aggregate for measure in measures]
    return Interval("ties", low, high, *(aggregated(ways, end, counts) for end in (low, high)))


def _asked(measures: list[Measure], sets: list[Judgments]) -> tuple[Any, Any, int, list[int], Any]:
    """What the core takes: measures, labels, how many sets of them, which labels there are, strata."""
    from poolwise.score.scoring import ask, estimates, labels_of, strata_of

    distinct = sets[0].distinct_labels()
    asks = [ask(measure, distinct, sets[0].top) for measure in measures]
    return asks, labels_of(sets), len(sets), distinct, strata_of(sets) if any(map(estimates, measures)) else None
