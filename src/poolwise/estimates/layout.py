"""Layout of pooled documents, topic by topic, with labels, strata and inclusion probabilities.

pi, w and w_ij of docs/theory/assisted.md, sections *A coin-sized example* and *Second order*.

docs/theory/assisted.md, section *The relevance model*.

Products of matrices by BLAS, and numpy's sums along the first axis, add in another order when there are more rows, and
on other processors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise import _core
from poolwise.basics.workers import Threads
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments
from poolwise.pool.pool import Pool
from poolwise.sampling.cells import judged_cells, topics_in_mean

# What the numbers are; numpy's own types are too narrow for how its functions are declared.
Array = NDArray[Any]  # float64
Whole = NDArray[Any]  # whole numbers


@dataclass(frozen=True)
class Layout:
    """Pooled documents in one array, sorted by topic, without documents outside the pool."""

    pool: Pool
    listed: Whole  # number of each document among its topic's listed ones
    bounds: Whole  # where each topic begins; one more entry than topics
    labels: NDArray[np.int32]
    inclusion: Array  # how likely it was to be judged: the share of its stratum that is
    cell: Whole  # number of its stratum of its topic
    together: Array  # what a pair of its stratum weighs, divided by the product of their weights
    in_mean: Whole  # numbers of the topics that means are over: all, or those drawn where topics were drawn too
    top: float = 1.0  # the highest label of the collection, which some gains depend on
    waiting: tuple[int, ...] = ()  # topics in the mean from which documents were drawn, none of them judged yet
    silent: tuple[int, ...] = ()  # topics in the mean from which none was drawn: no design speaks for them
    seed: int = 0  # of labels that are drawn from the model

    @classmethod
    def of(cls, pool: Pool, judgments: Judgments, seed: int = 0) -> Layout:
        """Lay out a pool under some judgments of it."""
        labels, offsets = judgments.labels, judgments.offsets
        pooled = labels != OUTSIDE
        numbers = np.arange(len(labels)) - np.repeat(offsets[:-1], np.diff(offsets))
        sizes = np.bincount(_topic_of(offsets)[pooled], minlength=len(offsets) - 1)
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        cells = judged_cells(judgments)
        cell = cells.of[pooled]
        rates, together = cells.rates, _together(cells.labelled, cells.size)
        topics = topics_in_mean(judgments)
        waiting = tuple(np.intersect1d(cells.waiting, topics).tolist())
        undrawn = np.setdiff1d(cells.parent, cells.parent[cells.sampled > 0])
        silent = () if judgments.design else tuple(np.intersect1d(undrawn, topics).tolist())
        return cls(
            pool, numbers[pooled], bounds, labels[pooled], rates[cell], cell, together[cell], topics, judgments.top,
            waiting, silent, seed,
        )  # fmt: skip

    def spoken_for(self, topics: Collection[int]) -> Layout:
        """The layout with predictions for topics without labels."""
        return replace(self, silent=tuple(topic for topic in self.silent if topic not in topics))

    @property
    def unknown(self) -> bool:
        """Whether a topic in the mean has neither label nor prediction, so that there is no interval."""
        return bool(self.waiting or self.silent)

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.bounds) - 1

    @property
    def share_of_topics(self) -> float:
        """m / T: how many of the topics that have pooled documents are in means."""
        return 1.0 if len(self.in_mean) == self.topics else len(self.in_mean) / self.topics_drawn_of

    @property
    def topics_drawn_of(self) -> int:
        """T: how many topics have pooled documents."""
        return int((np.diff(self.bounds) > 0).sum())

    @cached_property
    def keys(self) -> tuple[Whole, Whole]:
        """Keys of pooled documents and topics that depend on rankings only, not on names."""
        documents, topics = (np.asarray(part) for part in self.pool.core.content_keys())
        rows = np.concatenate([self._offsets[topic] + self.listed[self.part(topic)] for topic in range(self.topics)])
        return documents[rows], topics

    @cached_property
    def topic_of(self) -> Whole:
        """The number of each document's topic."""
        return _topic_of(self.bounds)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Whether each document is judged."""
        return self.labels != POOLED

    @cached_property
    def weight(self) -> Array:
        """(1 - pi) / pi: how many unjudged documents a judged one speaks for; 0 where none is."""
        return np.divide(1.0 - self.inclusion, self.inclusion, out=np.zeros(len(self.labels)), where=self.judged)

    @cached_property
    def unpaired(self) -> NDArray[np.bool_]:
        """Whether a document's stratum has a single label, so that its pairs cannot be estimated."""
        return np.asarray(np.bincount(self.cell, self.judged)[self.cell] == 1.0)

    def part(self, topic: int) -> slice:
        """The places of a topic's documents."""
        return slice(int(self.bounds[topic]), int(self.bounds[topic + 1]))

    def columns(self, topic: int, values: Any) -> Array:
        """Of an array over a topic's listed documents (last axis), those of the pooled ones."""
        array, listed = np.asarray(values), self.listed[self.part(topic)]
        return array if array.shape[-1] == len(listed) else np.ascontiguousarray(array[..., listed])

    def rank_weights(self, topic: int, runs: Sequence[int], table: Array) -> Array:
        """Runs x pooled documents: the entry of a table by rank, 0 where a run does not have the document."""
        return self.columns(topic, self.pool.core.rank_weights(topic, runs, table))

    def pooled(self, topic: int, values: Array) -> Array:
        """Of an array over a topic's listed documents (first axis), those of the pooled ones."""
        listed = self.listed[self.part(topic)]
        return values if len(values) == len(listed) else values[listed]

    def spread(self, topic: int, values: Array) -> Array:
        """An array over a topic's pooled documents (first axis), extended to listed documents by 0."""
        if len(values) == self.size(topic):
            return np.ascontiguousarray(values)
        array = np.zeros((self.size(topic), *values.shape[1:]))
        array[self.listed[self.part(topic)]] = values
        return array

    def size(self, topic: int) -> int:
        """How many documents the judgments list for a topic, pooled or not."""
        return int(self._offsets[topic + 1] - self._offsets[topic])

    @cached_property
    def _offsets(self) -> Whole:
        return np.asarray(self.pool.offsets())


def _together(judged: Whole, pooled: Whole) -> Array:
    """n (N - n - 1) / ((n - 1) (N - n)) for n documents judged of N.

    Two documents of a stratum are both judged with probability n (n - 1) / (N (N - 1)) and both not judged with
    (N - n) (N - n - 1) / (N (N - 1)). A judged pair thus stands for the ratio of the two, which is w^2 times this.
    """
    n, left = judged.astype(float), (pooled - judged).astype(float)
    return np.divide(n * (left - 1.0), (n - 1.0) * left, out=np.ones(len(n)), where=(n > 1.0) & (left > 0.0))


def _topic_of(bounds: Whole) -> Whole:
    return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))


RECIPROCAL = 2  # the column of closeness to the top: mean over runs of reciprocal ranks
COMPONENTS = 40  # principal components of the runs' ranks; more follow ever smaller differences, chosen by hand
TOPIC_COMPONENTS = slice(1, 11)  # those whose effect may differ from topic to topic
# What is added before a logarithm, so that documents that no run ranks (so high) do not stand infinitely far apart, nor
# the first few places.
NO_RECIPROCAL = 1e-4  # to the mean over runs of 1 / (rank + 10): about what one run in a hundred gives at rank 100
NO_RANK = 3000.0  # stands for the best rank of a document that no run retrieves; runs of TREC end at 1000
HALF_A_RUN = 0.5  # to how many runs rank a document within 10, 30, 100
FIRST_PLACES = 5.0  # to places within a topic
ENDS_AT = 1001  # closeness 1 - ln(rank) / ln(1001) falls from 1 at rank 1 to 0 here, as in the core's rank_summary
FEW = 0.2  # of the runs: documents that fewer retrieve are summed run by run, others by products of matrices
HIGH = 1.0  # standard deviations above the mean: where the effect of closeness may bend once more


@dataclass(frozen=True)
class Features:
    """Columns of the model, one row per pooled document.

    `shared` has one effect for all topics: 1, the columns made by hand, predictions, principal components. `topic`
    has an effect in each topic: 1, the first column (and predictions), principal components 2 to 11.
    """

    shared: Array
    handmade: int  # how many columns of `shared` after the 1 are no components
    slopes: int  # how many columns of `topic` after the 1 are no components
    topic_in_shared: tuple[int, ...]  # of the columns of `topic` among those of `shared`
    predicted: int = 0  # how many columns of `shared`, the last ones before the components, are made of predictions
    spoken: frozenset[int] = frozenset()  # topics that have predictions

    @property
    def topic(self) -> Array:
        """The columns that have an effect in each topic, of all documents."""
        return self.topic_columns(slice(None), len(self.topic_in_shared))

    def topic_columns(self, rows: slice | Whole, number: int) -> Array:
        """The first `number` of them, of some documents."""
        return np.ascontiguousarray(self.shared[rows][:, self.topic_in_shared[:number]])


def rank_features(layout: Layout, predictions: Array | None = None, threads: int = 1) -> Features:
    """Make the columns from the ranks of all runs, and from predictions (documents x columns) if there are any."""
    made = _handmade(layout, threads)
    handmade, documents = made.shape
    extra = np.zeros((documents, 0)) if predictions is None else predictions
    first = 1 + handmade + extra.shape[1]
    shared = _with_components(layout, made, extra, threads)
    slopes = [0, 1, *([1 + handmade] if extra.shape[1] else [])]
    components = range(first, shared.shape[1])[TOPIC_COMPONENTS]
    in_shared = (*slopes, *components)
    return Features(
        shared,
        first - 1,
        len(slopes) - 1,
        in_shared,
        extra.shape[1],
    )


def standardised(columns: Array) -> Array:
    """Subtract means, divide by standard deviations; a constant column becomes 0."""
    rows = np.array(columns.T, order="C")
    _standardise(rows)
    return np.ascontiguousarray(rows.T)


def _standardise(rows: Array) -> None:
    """Of each row subtract its mean and divide by its standard deviation, in place; a constant row becomes 0."""
    for row in rows:
        row -= row.mean() if len(row) else 0.0
        deviation = np.sqrt(row @ row / max(len(row), 1))
        row /= deviation if deviation > 1e-12 else np.inf


def _handmade(layout: Layout, threads: int) -> Array:
    """14 x documents: nine columns of the ranks of a document in all runs, and five squares and products of them.

    They stand in rows, each of which goes through the cache at once, until they join the others.
    """
    summary = _summary(layout, threads)
    runs = len(layout.pool.runs)
    made = np.empty((14, len(summary)))
    made[:3] = summary[:, :3].T / runs
    made[1] = np.log(NO_RECIPROCAL + made[1])
    made[3] = np.log(np.where(summary[:, 3] > 0, summary[:, 3], NO_RANK))
    made[4:7] = np.log(HALF_A_RUN / runs + summary[:, 4:7].T / runs)
    made[7], made[8] = (np.log(FIRST_PLACES + _positions(layout, column, threads)) for column in made[:2])
    _standardise(made[:9])
    for row, (first, second) in zip((9, 10, 12, 13), ((0, 0), (1, 1), (1, 3), (0, 7)), strict=True):
        np.multiply(made[first], made[second], out=made[row])
    np.square(np.maximum(made[0] - HIGH, 0.0), out=made[11])
    _standardise(made)
    return made


def _summary(layout: Layout, threads: int) -> Array:
    with Threads(threads) as executor:
        parts = executor.map(layout.pool.core.rank_summary, range(layout.topics))
        return np.concatenate([layout.pooled(t, np.asarray(part)) for t, part in enumerate(parts)])


def _positions(layout: Layout, column: Array, threads: int) -> Array:
    """Place of each document within its topic by a column, the highest first; ties share the mean of their places.

    Sums over runs differ in their last bits with the order of runs, so values are compared to 12 digits.
    """
    return np.asarray(_core.topic_places(np.round(-column, 12), layout.bounds, threads))


def _with_components(layout: Layout, made: Array, extra: Array, threads: int) -> Array:
    """1, columns made by hand, predictions, and principal components of 1 - ln(rank) / ln(1001) over runs.

    The components are scaled by the first one's standard deviation.
    """
    runs, documents = len(layout.pool.runs), max(len(layout.labels), 1)
    table = 1.0 - np.log(np.arange(1.0, ENDS_AT)) / np.log(ENDS_AT)

    def moments(topic: int) -> tuple[Array, Array]:
        found = layout.pool.core.rank_moments(topic, table, layout.listed[layout.part(topic)], int(FEW * runs))
        sums, squares, many = (np.asarray(part) for part in found)
        squares += many.T @ many
        return sums, squares

    with Threads(threads) as executor:
        centre, covariance = np.zeros(runs), np.zeros((runs, runs))
        for sums, squares in executor.map(moments, range(layout.topics)):
            centre += sums
            covariance += squares
        centre /= documents
        covariance /= documents
        covariance -= np.outer(centre, centre)
        axes = _axes(covariance)
        handmade_end = 1 + len(made)
        end = handmade_end + extra.shape[1]
        shared = np.empty((len(extra), end + axes.shape[1]))

        def fill(topic: int) -> None:
            rows = layout.part(topic)
            shared[rows, 0] = 1.0
            shared[rows, 1:handmade_end] = made[:, rows].T
            shared[rows, handmade_end:end] = extra[rows]
            components = layout.pooled(topic, np.asarray(layout.pool.core.rank_components(topic, table, axes)))
            np.subtract(components, centre @ axes, out=shared[rows, end:])

        list(executor.map(fill, range(layout.topics)))
    return shared


def _axes(covariance: Array) -> Array:
    """The first principal axes that hold any variance, divided by the first one's standard deviation."""
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(-values, kind="stable")[:COMPONENTS]
    keep = order[values[order] > 1e-9 * max(float(values[-1]), 1e-12)]
    return np.ascontiguousarray(vectors[:, keep] / np.sqrt(max(float(values[-1]), 1e-12)))


def products(rows: Array, columns: Array) -> Array:
    """`rows @ columns`, every sum in the order of what it is over; terms that are 0 may be left out.

    >>> products(np.array([[1.0, 2.0], [0.0, 3.0]]), np.array([1.0, 4.0])).tolist()
    [9.0, 12.0]
    """
    of_one = columns.ndim == 1
    right = np.ascontiguousarray(columns[:, None] if of_one else columns)
    found = np.asarray(_core.column_products(np.ascontiguousarray(rows.T), right))
    return found[:, 0] if of_one else found


def squares(rows: Array) -> Array:
    """The sum of squares of each row."""
    return np.asarray(_core.power_sums(np.ascontiguousarray(rows))[0])


def total(parts: Iterable[Array]) -> Array:
    """The sum of arrays of one shape, one after the other."""
    each = iter(parts)
    found = np.array(next(each), dtype=float)
    for part in each:
        found += part
    return found
