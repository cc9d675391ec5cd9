"""Logs in partitions: Parquet files with rows of topic, document, score or rank, run and label, each topic in one file.

Every partition is a unit of work that returns sums, not scores. Sums of partitions are exact (a few numbers that add
up to the sum without rounding), so that means are the true sums rounded once, whatever the partitions, their order
and the engine. Scores of topics are written by the workers, one file for each partition.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from math import fsum

import numpy as np

from poolwise.basics.extras import load
from poolwise.basics.results import warn_of
from poolwise.basics.words import counted
from poolwise.basics.workers import run_units
from poolwise.basics.writing import new_folder, written
from poolwise.errors import InputError
from poolwise.measures.registry import parse
from poolwise.pool.joined_parts import join_part
from poolwise.pool.judgments import Judgments
from poolwise.pool.options import ReadingOptions
from poolwise.pool.pool import Pool
from poolwise.reading.log_partitions import (
    Chunk,
    Scattered,
    chunks,
    distinct_labels,
    hashes,
    label_chunk,
    labels_of,
    partition_paths,
    topics_of,
)
from poolwise.scores.score_notes import length_notes, without_words
from poolwise.scores.score_rows import Means
from poolwise.scores.scoring import check_measures, relevant_from, score_values, topics_without
from poolwise.scores.stream import needs_top
from poolwise.scores.stream_totals import LengthsSoFar, SampleSoFar, UnjudgedSoFar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Literal

    from numpy.typing import NDArray

    from poolwise.measures.measure import Measure

MOST = 11  # names of topics that a partition returns for notes


class Task:
    """The part of the work that partitions share: measures by name, options, judgments (as given, in full), output."""

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
    """Results of a partition.

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
        index_of = {run: number for number, run in enumerate(pool.runs[:-1])}
        for new in index_of:
            # Before it came up, the run lacked all topics.
            self.sums.setdefault(new, [list(pieces) for pieces in self.sums[None]])
        for run, pieces in self.sums.items():
            r = len(index_of) if run is None else index_of.get(run, len(index_of))
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
        """The part that goes back: not the measures, which the other side has."""
        return {**self.__dict__, "measures": []}


def exact_sum(values: Iterable[float]) -> list[float]:
    """An exact sum as a few numbers: the rounded sum, its rounding error, and so on.

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
        return _score(task, number, chunks(where, path, _labels_of_partition(task, where, path)))
    except Scattered:  # all rows of a topic are brought together, which takes memory for the partition
        return _score(task, number, chunks(where, path, _labels_of_partition(task, where, path), gather=True))


def score_labels(table: Any, task: Task) -> Partition:
    """Score judged topics that no run has."""
    return _score(
        Task(task.measures, task.options, task.top, None, None),
        0,
        [label_chunk(table, task.qrels[0] if task.qrels else "")],
    )


def _labels_of_partition(task: Task, where: str, path: str) -> Any:
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


def score_log(
    *partitions: Any,
    measures: str | Measure | Sequence[str | Measure],
    qrels: Any = None,
    unjudged: int | str | None = -1,
    duplicates: Literal["error", "first"] = "error",
    depth: int | None = None,
    nan: Literal["error", "last"] = "error",
    missing: Literal["zero", "skip"] = "zero",
    per_topic: Any = None,
    executor: Any = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Means:
    """Score a log that is partitioned by topic, over threads or the workers of an executor.

    Parameters
    ----------
    *partitions : path
        Parquet files, folders or globs of them. Columns are topic, document, score (or rank), run (one run if there
        is none) and label (empty where a document is not judged). A topic without labels is left out.
    measures : str, Measure or sequence of these
        What to score by.
    qrels : path, optional
        A Parquet file or folder of topic, document and label, if the log has no labels.
    unjudged : int, "negative" or None
        The label that means "pooled, not judged".
    duplicates : {"error", "first"}
        What to do with repeated documents.
    depth : int, optional
        Cuts every ranking.
    nan : {"error", "last"}
        What to do with scores that are NaN: refuse, or rank their documents last.
    missing : {"zero", "skip"}
        Whether a topic that a run lacks scores 0, or is left out of its mean.
    per_topic : path, optional
        A folder to write with the scores of topics, a Parquet file for each partition.
    executor : concurrent.futures.Executor, optional
        Whose workers score the partitions; on other machines they must see the same files.
    threads : int, optional
        How many to use; every core allowed unless given.
    progress : callable, optional
        Called with how many partitions are done and how many there are.

    Returns
    -------
    Means
        Means of runs by measures, exact whatever the partitions and their order.

    Examples
    --------
    >>> import os, tempfile, pyarrow, pyarrow.parquet
    >>> log = {"topic": ["1", "1"], "document": ["a", "b"], "rank": [1, 2], "run": ["live", "live"], "label": [0, 1]}
    >>> path = os.path.join(tempfile.mkdtemp(), "log.parquet")
    >>> pyarrow.parquet.write_table(pyarrow.table(log), path)
    >>> score_log(path, measures=["RR"]).to_dict()
    {'live': {'RR': 0.5}}
    """
    wanted = check_measures(measures, missing)
    paths = partition_paths(partitions)
    judged = None if qrels is None else (os.fsdecode(qrels), os.path.abspath(os.fsdecode(qrels)))
    top = None
    if any(map(needs_top, wanted)):
        labels = [(path, os.path.abspath(path)) for path in (paths if judged is None else partition_paths([qrels]))]
        parts = run_units(_labels, None, labels, executor=executor, threads=threads, name=lambda unit: unit[0])
        top = max((label for _, some in parts for label in some if label != unjudged), default=0)
    with new_folder(per_topic) as folder:
        names = tuple(str(measure) for measure in wanted)
        task = Task(names, ReadingOptions(unjudged, duplicates, depth, nan), top, judged, folder)
        units = [(number, path, os.path.abspath(path)) for number, path in enumerate(paths)]
        total = Total(wanted, missing)
        work = run_units(
            score_partition, task, units, executor=executor, threads=threads, progress=progress, name=lambda u: u[1]
        )
        for number, parts in work:
            total.add(parts, paths[number])
        if judged is not None:
            total.add_labels_elsewhere(judged, task)
        remove_unfinished(folder)
        return total.finish(paths)


class Total:
    """Exact sums and counts over the partitions so far."""

    def __init__(self, measures: list[Measure], missing: str) -> None:
        self.measures, self.missing = measures, missing
        self.parts: list[tuple[str, Partition]] = []

    def add(self, part: Partition, path: str) -> None:
        """Take in a partition."""
        self.parts.append((path, part))

    def add_labels_elsewhere(self, judged: tuple[str, str], task: Task) -> None:
        """Take in topics that are judged and in no partition: every run lacks them."""
        known = np.concatenate([part.topics for _, part in self.parts])
        topics = topics_of(judged[0])
        left = [topic for topic, there in zip(topics, np.isin(hashes(topics), known), strict=True) if not there]
        if left:
            self.add(score_labels(labels_of(*judged, left), task), judged[0])

    def finish(self, paths: list[str]) -> Means:
        """Means, after checks that cover all partitions."""
        self._check_topics()
        topics = sum(part.judged for _, part in self.parts)
        runs = list(dict.fromkeys(run for _, part in self.parts for run in part.sums if run is not None))
        if not topics or not runs:
            what = "no label" if not topics else "no row"
            raise InputError(
                f"{paths[0]}: {what} found in {counted(len(paths), 'partition')}; rows need topic, document, label"
            )
        sums = [
            fsum(piece for _, part in self.parts for piece in part.sums.get(run, part.sums[None])[m])
            for m in range(len(self.measures))
            for run in runs
        ]
        lists = [sum(part.lists.get(run, 0) for _, part in self.parts) for run in runs]
        means = Means(runs, self.measures, sums, lists if self.missing == "skip" else [topics] * len(runs), topics)
        lacking = [topics - count for count in lists]
        means.warnings = (*self._notes(topics, lacking), *self._lengths(runs), *self._unjudged(runs))
        warn_of(list(means.warnings))
        return means

    def _notes(self, topics: int, lacking: list[int]) -> Iterator[str]:
        from poolwise.scores.score_notes import lacking_words
        from poolwise.scores.scoring import relevant_from

        unjudged = sum(len(part.topics) for _, part in self.parts) - topics
        if unjudged:
            have, are = ("topic has", "is") if unjudged == 1 else ("topics have", "are")
            yield f"{unjudged} {have} no label and {are} left out"
        yield from lacking_words(lacking, self.missing)
        for number, rel in enumerate(relevant_from(self.measures)):
            first = [topic for _, part in self.parts for topic in part.without[number][1]]
            count = sum(part.without[number][0] for _, part in self.parts)
            yield from without_words(first[:11], count, topics, rel)

    def _unjudged(self, runs: list[str]) -> list[str]:
        total, sample = UnjudgedSoFar(self.measures), SampleSoFar()
        for _, part in self.parts:
            total.add(part.unjudged)
            sample.add(part.sample)
        return total.notes(runs, sample.words())

    def _lengths(self, runs: list[str]) -> list[str]:
        total = LengthsSoFar()
        for _, part in self.parts:
            total.add(part.lengths)
        return length_notes(runs, total.medians(runs), self.measures)

    def _check_topics(self) -> None:
        """A topic in two partitions would count twice."""
        every = np.concatenate([part.topics for _, part in self.parts])
        owner = np.repeat(np.arange(len(self.parts)), [len(part.topics) for _, part in self.parts])
        order = np.argsort(every, kind="stable")
        for index in np.flatnonzero(every[order][1:] == every[order][:-1]):
            first, second = (self.parts[owner[order[index + step]]][0] for step in (0, 1))
            # Hashes of different topics may be equal, if hardly ever.
            again = set(topics_of(second))
            topic = next((name for name in topics_of(first) if name in again), None)
            if topic is not None:
                raise InputError(
                    f"topic {topic.decode('utf-8', 'replace')!r} is in two partitions, {first} and {second}; "
                    "every topic must be whole in one of them"
                )


def _labels(_: None, paths: tuple[str, str]) -> set[int]:
    return distinct_labels(*paths)
