"""What the runs' ranks say of a document: the columns of the relevance model, from no label at all.

docs/theory/assisted.md, section *The relevance model*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise import _core
from poolwise.basics.engines import Threads
from poolwise.estimates.layout import Array, Layout, Whole

__all__ = ["COMPONENTS", "RECIPROCAL", "Features", "rank_features"]

RECIPROCAL = 2  # the column of closeness to the top: mean over runs of reciprocal ranks
COMPONENTS = 40  # principal components of the runs' ranks
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
    places: tuple[int, ...]  # of the columns of `topic` among those of `shared`
    predicted: int = 0  # how many columns of `shared`, the last ones before the components, are made of predictions
    spoken: frozenset[int] = frozenset()  # topics that have predictions

    @property
    def topic(self) -> Array:
        """The columns that have an effect in each topic, of all documents."""
        return self.topic_columns(slice(None), len(self.places))

    def topic_columns(self, rows: slice | Whole, number: int) -> Array:
        """The first `number` of them, of some documents."""
        return np.ascontiguousarray(self.shared[rows][:, self.places[:number]])


def rank_features(layout: Layout, predictions: Array | None = None, threads: int = 1) -> Features:
    """Make the columns from the ranks of all runs, and from predictions (documents x columns) if there are any."""
    made = _handmade(layout, threads)
    handmade, documents = made.shape
    extra = np.zeros((documents, 0)) if predictions is None else predictions
    first = 1 + handmade + extra.shape[1]
    shared = _with_components(layout, made, extra, threads)
    slopes = [0, 1, *([1 + handmade] if extra.shape[1] else [])]
    components = range(first, shared.shape[1])[TOPIC_COMPONENTS]
    places = (*slopes, *components)
    return Features(
        shared,
        first - 1,
        len(slopes) - 1,
        places,
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
    for row, (one, other) in zip((9, 10, 12, 13), ((0, 0), (1, 1), (1, 3), (0, 7)), strict=True):
        np.multiply(made[one], made[other], out=made[row])
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
        given = 1 + len(made)
        number = given + extra.shape[1]
        shared = np.empty((len(extra), number + axes.shape[1]))

        def fill(topic: int) -> None:
            rows = layout.part(topic)
            shared[rows, 0] = 1.0
            shared[rows, 1:given] = made[:, rows].T
            shared[rows, given:number] = extra[rows]
            components = layout.pooled(topic, np.asarray(layout.pool.core.rank_components(topic, table, axes)))
            np.subtract(components, centre @ axes, out=shared[rows, number:])

        list(executor.map(fill, range(layout.topics)))
    return shared


def _axes(covariance: Array) -> Array:
    """The first principal axes that hold any variance, divided by the first one's standard deviation."""
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(-values, kind="stable")[:COMPONENTS]
    keep = order[values[order] > 1e-9 * max(float(values[-1]), 1e-12)]
    return np.ascontiguousarray(vectors[:, keep] / np.sqrt(max(float(values[-1]), 1e-12)))
