"""One partition of a log, scored some topics at a time by a worker."""

from __future__ import annotations

import os
from contextlib import ExitStack
from math import fsum

import numpy as np

from poolwise.basics.extras import load
from poolwise.basics.writing import written
from poolwise.measures.registry import parse
from poolwise.pool.judgments import Judgments
from poolwise.pool.parts import join_part
from poolwise.pool.pool import Pool
from poolwise.reading.partitions import Chunk, Scattered, chunks, hashes, label_chunk, labels_of, topics_of
from poolwise.scores.lengths_so_far import LengthsSoFar
from poolwise.scores.scoring import relevant_from, score_values, topics_without
from poolwise.scores.unjudged_so_far import SampleSoFar, UnjudgedSoFar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.measures.measure import Measure
    from poolwise.pool.options import ReadingOptions

MOST = 11  # names of topics that a partition returns for notes


class Task:
    """What all partitions share: measures by name, options of reading, judgments (as given, in full) and output."""

    def __init__(
        self,
        measures: tuple[str, ...],
        options: ReadingOptions,
        top: int | None,
        qrels: tuple[str, str] | None,
        folder: Any,
    ) -> None:
        self.measures, self.options, self.top, self.qrels, self.folder = measures, options, top, qrels, folder


class Partition:
    """What a partition came to.

    `sums[run][measure]` are numbers that add up to the sum of terms over topics without rounding; `sums[None]` are
    those of a run that lacks every topic. `lists[run]` says how many judged topics the run has, `topics` are
    hashes of all.
    """

    def __init__(self, measures: list[Measure]) -> None:
        self.measures = measures
        self.topics: NDArray[Any] = np.zeros(0, dtype=np.uint64)
        self.judged = 0
        self.sums: dict[str | None, list[list[float]]] = {None: [[] for _ in measures]}
        self.lists: dict[str, int] = {}
        self.without: list[tuple[int, list[str]]] = [(0, []) for _ in relevant_from(measures)]
        self.unjudged, self.sample, self.lengths = UnjudgedSoFar(measures), SampleSoFar(), LengthsSoFar()

    def add(self, pool: Pool, values: NDArray[Any], judgments: Judgments) -> None:
        """Take in scores, measures x runs x topics; the last run is one that lacks every topic."""
        place = {run: number for number, run in enumerate(pool.runs[:-1])}
        for new in place:
            # Before it came up, the run lacked all topics.
            self.sums.setdefault(new, [list(pieces) for pieces in self.sums[None]])
        for run, pieces in self.sums.items():
            r = len(place) if run is None else place.get(run, len(place))
            for measure, known, scores in zip(self.measures, pieces, values[:, r].tolist(), strict=True):
                known[:] = exact_sum([*known, *map(measure.declaration.aggregate.term, scores)])
        retrieved = np.asarray(pool.retrieved())
        for r, name in enumerate(pool.runs[:-1]):
            self.lists[name] = self.lists.get(name, 0) + int((retrieved[r] > 0).sum())
        self.judged += len(pool.topics)
        self.unjudged.count(judgments)
        self.sample.count(judgments)
        self.lengths.count(pool.runs, retrieved.reshape(-1).tolist())
        for number, rel in enumerate(relevant_from(self.measures)):
            count, first = self.without[number]
            without = topics_without(pool, judgments, rel)
            self.without[number] = (count + len(without), (first + without)[:MOST])

    def __getstate__(self) -> dict[str, Any]:
        """What goes back: not the measures, which the other side has."""
        return {**self.__dict__, "measures": []}


def exact_sum(values: Iterable[float]) -> list[float]:
    """A few numbers that add up to the sum of all without rounding: the rounded sum, what it leaves, and so on.

    >>> exact_sum([1e16, 1.0, 1.0, 1e-9])
    [1.0000000000000002e+16, 1e-09]
    """
    rest, pieces = list(values), []
    while total := fsum(rest):
        pieces.append(total)
        rest.append(-total)
    return pieces


def score_partition(task: Task, unit: tuple[int, str, str]) -> Partition:
    """Score a partition (its number, its path as given, and in full), and write its topics if asked to."""
    number, where, path = unit
    try:
        return _score(task, number, chunks(where, path, _labels(task, where, path)))
    except Scattered:  # all rows of a topic are brought together, which takes memory for the partition
        return _score(task, number, chunks(where, path, _labels(task, where, path), gather=True))


def score_labels(table: Any, task: Task) -> Partition:
    """Score judged topics that no run has."""
    return _score(
        Task(task.measures, task.options, task.top, None, None),
        0,
        [label_chunk(table, task.qrels[0] if task.qrels else "")],
    )


def _labels(task: Task, where: str, path: str) -> Any:
    return None if task.qrels is None else labels_of(*task.qrels, topics_of(path, where))


def _score(task: Task, number: int, parts: Iterable[Chunk]) -> Partition:
    measures = [parse(name) for name in task.measures]
    partition = Partition(measures)
    topics = [partition.topics]
    with _Output(task.folder, number) as output:
        for chunk in parts:
            topics.append(hashes(chunk.topics))
            where = [chunk.where] * (2 + len(chunk.runs))
            core, _ = join_part(chunk.labels, [*chunk.runs.values(), None], where, task.options, repeated=True)
            pool = Pool(core, [*chunk.runs, ""])
            if pool.topics:
                judgments = Judgments(pool, top=task.top)
                values = np.asarray(score_values(pool, measures, [judgments], 1))[0]
                partition.add(pool, values, judgments)
                output.write(pool, task.measures, values)
    partition.topics = np.concatenate(topics)
    return partition


def remove_unfinished(folder: str | None) -> None:
    """Remove what workers that died were writing."""
    for name in os.listdir(folder) if folder is not None else ():
        if not name.endswith(".parquet"):
            os.remove(os.path.join(folder or "", name))


class _Output:
    """The scores of a partition's topics as a Parquet file, which is whole or not there."""

    def __init__(self, folder: str | None, number: int) -> None:
        self.path = None if folder is None else os.path.join(folder, f"part-{number:05d}.parquet")
        self.stack = ExitStack()
        self.writer: Any = None

    def __enter__(self) -> _Output:
        return self

    def __exit__(self, *error: Any) -> None:
        self.stack.__exit__(*error)

    def write(self, pool: Pool, measures: tuple[str, ...], values: NDArray[Any]) -> None:
        """Write run, measure, topic and value of the lists that there are."""
        if self.path is None:
            return
        pyarrow = load("pyarrow", "parquet")
        there = np.asarray(pool.retrieved())[:-1] > 0
        run, measure, topic = np.nonzero(np.repeat(there[:, None], len(measures), axis=1))
        table = pyarrow.table(
            {
                name: pyarrow.array(names).take(pyarrow.array(index))
                for name, names, index in (
                    ("run", pool.runs[:-1], run),
                    ("measure", list(measures), measure),
                    ("topic", pool.topics, topic),
                )
            }
            | {"value": values[measure, run, topic]}
        )
        if self.writer is None:
            file = self.stack.enter_context(written(self.path))
            parquet = load("pyarrow.parquet", "parquet")
            self.writer = self.stack.enter_context(parquet.ParquetWriter(file, table.schema))
        self.writer.write_table(table)
