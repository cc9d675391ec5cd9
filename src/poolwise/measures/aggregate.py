"""Aggregates over topics, the row `all`: a mean, a sum or a geometric mean.

There are three steps: each score becomes a term, terms are summed in the order of topics, the sum becomes the number.
Scores in memory, in streams and in partitions, intervals and bounds all use these steps.
"""

from __future__ import annotations

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

LEAST = 1e-5  # lower bound of scores in a geometric mean, MIN_GEO_MEAN of trec_eval


class Aggregate:
    """The arithmetic mean, and base class of the other aggregates."""

    name = "mean"
    plain = True  # terms are the scores themselves
    counts = False  # numbers of things, which are written without decimals

    def term(self, value: float) -> float:
        """The term of a topic's score."""
        return value

    def finish(self, total: float, topics: int) -> float:
        """The aggregate from the sum of terms."""
        return self.of_mean(total / topics, topics) if topics else 0.0

    def of_mean(self, mean: Any, topics: int) -> Any:
        """The aggregate from the mean of terms, also for arrays."""
        return mean

    def __repr__(self) -> str:
        return self.name


class Sum(Aggregate):
    """The sum over topics, for counts."""

    name = "sum"
    counts = True

    def finish(self, total: float, topics: int) -> float:
        """The sum itself. A mean times the number of topics would add rounding."""
        return total

    def of_mean(self, mean: Any, topics: int) -> Any:
        """The sum from the mean of terms, also for arrays."""
        return mean * topics


class GeometricMean(Aggregate):
    """The geometric mean, in which the worst topics weigh most. Scores below 0.00001 count as that."""

    name = "geometric mean"
    plain = False

    def term(self, value: float) -> float:
        """The logarithm of the score."""
        from math import log

        return log(max(value, LEAST))

    def of_mean(self, mean: Any, topics: int) -> Any:
        """The exponential of the mean, also for arrays."""
        # Without numpy for single numbers, as `poolwise score` has them.
        if isinstance(mean, float):
            from math import exp

            return exp(mean)
        import numpy as np

        return np.exp(mean)


MEAN, SUM, GEOMETRIC_MEAN = Aggregate(), Sum(), GeometricMean()


def terms_of(aggregates: Sequence[Aggregate], values: Any, rows: int) -> Any:
    """Terms of a buffer of scores (... x measures x `rows`). It is the buffer itself if terms are scores."""
    if all(aggregate.plain for aggregate in aggregates):
        return values
    from array import array

    terms = array("d", values.tobytes())
    for index in range(len(terms) // rows if rows else 0):
        aggregate, part = aggregates[index % len(aggregates)], slice(index * rows, (index + 1) * rows)
        if not aggregate.plain:
            terms[part] = array("d", map(aggregate.term, terms[part]))
    return terms


def sum_terms(
    aggregates: Sequence[Aggregate], values: Any, counted: Any, runs: int, topics: int, start: Any = None
) -> memoryview[float]:
    """Sums of the terms of scores (... x measures x runs x topics) over topics, added in the order of topics.

    Topics whose `counted` (runs x topics) is 0 are left out. `start` holds sums of earlier topics.
    """
    return _core.sum_topics(terms_of(aggregates, values, runs * topics), counted, runs, topics, start)


def finish_rows(aggregates: Sequence[Aggregate], sums: Sequence[float], counts: Sequence[int]) -> list[float]:
    """Aggregates from sums (... x measures x runs) and the number of counted topics of each run."""
    runs = len(counts)
    return [
        aggregates[row // runs % len(aggregates)].finish(total, counts[row % runs]) for row, total in enumerate(sums)
    ]


def aggregated(aggregates: Sequence[Aggregate], values: NDArray[Any], counted: NDArray[Any]) -> NDArray[Any]:
    """Aggregates of scores (samples x measures x runs x topics) over the counted topics (runs x topics)."""
    import numpy as np

    counts = counted.astype(np.int32)
    sums = sum_terms(aggregates, np.ascontiguousarray(values), counts, *counted.shape)
    rows = finish_rows(aggregates, sums.tolist(), counts.astype(bool).sum(axis=1).tolist())
    return np.array(rows).reshape(values.shape[:-1])
