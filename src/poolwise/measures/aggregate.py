"""How the scores of topics become one number, the row `all`: a mean, a sum or a geometric mean.

Each score becomes a term, terms are summed in the order of topics, and the sum becomes the number. All that put topics
together (in memory, some topics at a time, in partitions, with intervals or bounds) do it by these three steps.
"""

from __future__ import annotations

from poolwise import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

LEAST = 1e-5  # what a score counts as at least in a geometric mean, as in trec_eval


class Aggregate:
    """The arithmetic mean; others say what they do otherwise."""

    name = "mean"
    plain = True  # terms are the scores themselves
    counts = False  # numbers of things, which are written without decimals

    def term(self, value: float) -> float:
        """What a topic adds."""
        return value

    def finish(self, total: float, topics: int) -> float:
        """The number, from the sum of terms."""
        return self.of_mean(total / topics, topics) if topics else 0.0

    def of_mean(self, mean: Any, topics: int) -> Any:
        """The number, from the mean of terms; arrays too."""
        return mean

    def __repr__(self) -> str:
        return self.name


class Sum(Aggregate):
    """The sum over topics, of what is counted."""

    name = "sum"
    counts = True

    def finish(self, total: float, topics: int) -> float:
        """The sum itself, which a mean times its number would only come near to."""
        return total

    def of_mean(self, mean: Any, topics: int) -> Any:
        """The sum, from the mean of terms; arrays too."""
        return mean * topics


class GeometricMean(Aggregate):
    """The root of the product, so that the worst topics weigh most; no score counts as less than 0.00001."""

    name = "geometric mean"
    plain = False

    def term(self, value: float) -> float:
        """The logarithm of the score."""
        from math import log

        return log(max(value, LEAST))

    def of_mean(self, mean: Any, topics: int) -> Any:
        """The exponential; arrays too."""
        if isinstance(mean, float):
            from math import exp

            return exp(mean)
        import numpy as np

        return np.exp(mean)


MEAN, SUM, GEOMETRIC_MEAN = Aggregate(), Sum(), GeometricMean()


def terms_of(aggregates: Sequence[Aggregate], values: Any, rows: int) -> Any:
    """The terms of a buffer of scores, ... x measures x `rows`; the buffer itself where terms are the scores."""
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
    """Sums over topics of the terms of scores, ... x measures x runs x topics, added in the order of topics.

    Where `counted` (runs x topics) is 0, nothing is added; `start` holds sums to go on from.
    """
    return _core.sum_topics(terms_of(aggregates, values, runs * topics), counted, runs, topics, start)


def finish_rows(aggregates: Sequence[Aggregate], sums: Sequence[float], counts: Sequence[int]) -> list[float]:
    """The numbers of sums (... x measures x runs), from how many topics count in each run."""
    runs = len(counts)
    return [
        aggregates[row // runs % len(aggregates)].finish(total, counts[row % runs]) for row, total in enumerate(sums)
    ]


def aggregated(aggregates: Sequence[Aggregate], values: NDArray[Any], counted: NDArray[Any]) -> NDArray[Any]:
    """The numbers of scores, samples x measures x runs x topics, over the topics that count (runs x topics)."""
    import numpy as np

    counts = counted.astype(np.int32)
    sums = sum_terms(aggregates, np.ascontiguousarray(values), counts, *counted.shape)
    rows = finish_rows(aggregates, sums.tolist(), counts.astype(bool).sum(axis=1).tolist())
    return np.array(rows).reshape(values.shape[:-1])
