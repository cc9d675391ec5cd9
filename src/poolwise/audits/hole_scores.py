"""Scores of runs with holes labelled at random by the model.

Judgments store labels of listed documents only, and most holes are not listed. So the runs are joined again with
judgments that list them. Then holes can get labels like any other document.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from poolwise.audits.hole_model import HoleChances, hole_order, run_order
from poolwise.pool.joined_parts import encoded, relisted
from poolwise.pool.joining import NOT_JUDGED
from poolwise.pool.judgments import POOLED, Judgments, is_judged
from poolwise.pool.pool import Pool
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.audits.hole_model import Offset
    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure

if TYPE_CHECKING:
    Whole = NDArray[np.int64]
if TYPE_CHECKING:
    Names = list[bytes]
PAST_END = -1  # index past the end of a ranking


@dataclass(frozen=True)
class Listed:
    """Judgments that list the holes of some runs down to a depth, with the label `POOLED`."""

    judgments: Judgments
    depth: int

    @property
    def pool(self) -> Pool:
        """The pool of these runs."""
        return self.judgments.pool

    @cached_property
    def label_indices(self) -> Whole:
        """Indices of labels along each ranking (runs x topics x depth). PAST_END past its end."""
        pool, offsets = self.pool, self.judgments.offsets
        indices = np.full((len(pool.runs), len(pool.topics), self.depth), PAST_END, dtype=np.int64)
        for run in range(len(pool.runs)):
            for topic in range(len(pool.topics)):
                documents = np.asarray(pool.all_documents(run, topic))[: self.depth]
                indices[run, topic, : len(documents)] = offsets[topic] + documents
        return indices

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """Labels along each ranking (runs x topics x depth), arbitrary past its end."""
        return np.asarray(self.judgments.labels[self.label_indices])

    @cached_property
    def is_hole(self) -> NDArray[np.bool_]:
        """Whether the document at each rank is a hole."""
        return (self.label_indices != PAST_END) & (self.labels == POOLED)

    @cached_property
    def is_judged(self) -> NDArray[np.bool_]:
        """Whether the document at each rank is judged."""
        return (self.label_indices != PAST_END) & (self.labels != POOLED)

    @cached_property
    def holes(self) -> Whole:
        """Indices of the labels of all holes, ascending, and so by topic."""
        return np.unique(self.label_indices[self.is_hole])

    def topic_of(self, indices: Whole) -> Whole:
        """The topic of each label."""
        return np.searchsorted(self.judgments.offsets, indices, side="right") - 1

    def named(self, indices: Whole) -> list[tuple[str, str]]:
        """Names of the topic and document of each label."""
        topics, offsets = self.topic_of(indices).tolist(), self.judgments.offsets
        names = {topic: self.pool.documents(self.pool.topics[topic]) for topic in set(topics)}
        rows = zip(topics, indices.tolist(), strict=True)
        return [(self.pool.topics[topic], names[topic][index - offsets[topic]]) for topic, index in rows]

    @cached_property
    def names(self) -> list[Names]:
        """Names of all documents, topic by topic."""
        return _names(self.pool)

    def of_run(self, run: int) -> Listed:
        """The run alone, without documents of label 0 that it does not rank down to the depth.

        They change few measures, and without them scoring is faster. Holes have the same order as here.
        """
        return _list_holes(self.judgments, self.depth, [run], self.names, True)

    def with_labels(self, indices: Whole, labels: Any) -> Judgments:
        """The judgments with labels for some of the holes."""
        filled = self.judgments.labels.copy()
        filled[indices] = labels
        return Judgments(self.pool, filled, top=self.judgments.top)


def list_holes(judgments: Judgments, depth: int, runs: Sequence[str] | None = None) -> Listed:
    """Join runs (by default all) again with judgments that list their documents down to the depth."""
    return _list_holes(judgments, depth, judgments.pool.run_numbers(runs), _names(judgments.pool), False)


def _list_holes(judgments: Judgments, depth: int, runs: Sequence[int], names: list[Names], in_brief: bool) -> Listed:
    pool = judgments.pool
    core = relisted(pool, runs, _lines(judgments, runs, depth, names, in_brief))
    made = Pool(core, [pool.runs[number] for number in runs])
    return Listed(Judgments(made, top=judgments.top), depth)


def _names(pool: Pool) -> list[Names]:
    return [pool.document_names(topic) for topic in range(len(pool.topics))]


def _lines(
    judgments: Judgments, runs: Sequence[int], depth: int, names: list[Names], in_brief: bool
) -> Iterator[bytes]:
    """Lines of a qrels file: judged documents, then holes."""
    pool, labels, offsets = judgments.pool, judgments.labels, judgments.offsets
    for topic, documents in enumerate(names):
        name = encoded(pool.topics[topic])
        of_topic = labels[offsets[topic] : offsets[topic + 1]]
        judged = np.flatnonzero(is_judged(of_topic))
        top = np.concatenate([judged[:0], *(np.asarray(pool.all_documents(run, topic))[:depth] for run in runs)])
        holes = np.setdiff1d(top, judged)
        if in_brief:
            judged = judged[(of_topic[judged] != 0) | np.isin(judged, top)]
        for document, label in zip(judged.tolist(), of_topic[judged].tolist(), strict=True):
            yield b"%b 0 %b %d\n" % (name, documents[document], label)
        for document in holes.tolist():
            # Listed without a label, so that the document gets an index.
            yield b"%b 0 %b %d\n" % (name, documents[document], NOT_JUDGED)


if TYPE_CHECKING:
    Labels = NDArray[np.int32]
BATCH = 50  # draws that are scored together: enough work for the threads, and little memory
SAME = 1e-12  # absolute, of scores: larger differences are no rounding


@dataclass(frozen=True)
class HoleDraws:
    """Random labels of the holes, drawn from the model `number` times with a seed.

    Random numbers are assigned by the labels along the rankings, so names and the order of runs do not matter.
    """

    listed: Listed
    offset: Offset
    number: int
    seed: int

    @cached_property
    def chances(self) -> HoleChances:
        """The model's probabilities."""
        grades = tuple(label for label in self.listed.judgments.distinct_labels() if label > 0)
        return HoleChances(self.listed, grades)

    @property
    def is_possible(self) -> bool:
        """Whether there are holes, and judged documents both relevant and not."""
        relevant, judged, holes = self.chances.counts
        return bool(len(self.chances.grades) and holes.sum() > 0 and relevant[0].sum() < judged.sum())

    def labels(self) -> Iterator[Labels]:
        """Labels of the holes, draw by draw."""
        random = np.random.default_rng(self.seed)
        grades = np.array([0, *self.chances.grades], dtype=np.int32)
        offsets = np.empty((self.number, len(self.listed.pool.runs)))
        offsets[:, run_order(self.listed)] = self.offset.draws(*offsets.shape, random)
        for offset in offsets:
            yield grades[(self.uniform(random) < self.chances.expected(offset)).sum(axis=0)]

    def uniform(self, random: Generator) -> Floats:
        """A number between 0 and 1 for each hole."""
        numbers = np.empty(len(self.listed.holes))
        numbers[self.order] = random.random(len(numbers))
        return numbers

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Indices of the holes in an order that does not depend on names."""
        return hole_order(self.listed)

    def expected(self) -> Floats:
        """Probability of each hole to be relevant, at the mean offset."""
        runs = len(self.listed.pool.runs)
        result: Floats = self.chances.expected(np.full(runs, self.offset.mean))[0]
        return result

    def scores(self, measure: Measure, threads: int) -> Floats:
        """Mean scores (draws x runs), each run with its holes labelled only, so that other runs do not matter."""
        values = np.asarray(score_values(self.listed.pool, [measure], [self.listed.judgments], threads))
        means = np.repeat(values[0].mean(axis=-1), self.number, axis=0)
        run_of, hole_of = self.chances.occurrences
        tried = [(run, np.sort(hole_of[run_of == run])) for run in np.unique(run_of).tolist()]
        alone = [_RunAlone(self.listed, run, holes, measure) for run, holes in tried]
        begin = 0
        for labels in _batches(self.labels()):
            rows = slice(begin, begin + len(labels))
            for (run, holes), small in zip(tried, alone, strict=True):
                means[rows, run] = small.scores([row[holes] for row in labels], threads)
            begin += len(labels)
        return means


class _RunAlone:
    """A run with its holes, in a much smaller pool if that gives the same scores."""

    def __init__(self, listed: Listed, run: int, holes: NDArray[np.int64], measure: Measure) -> None:
        self.measure = measure
        self.listed, self.run, self.holes = listed, run, listed.holes[holes]
        small = listed.of_run(run)
        # Gains may depend on which labels occur, as in ERR.
        if small.judgments.distinct_labels() != listed.judgments.distinct_labels():
            return
        # Measures that count non-relevant documents outside the ranking differ: these keep the whole pool.
        before = self._ends()
        whole = self.listed, self.run, self.holes
        self.listed, self.run, self.holes = small, 0, small.holes
        if not np.allclose(before, self._ends(), rtol=0, atol=SAME):
            self.listed, self.run, self.holes = whole

    def _ends(self) -> Floats:
        """Scores by topic with all holes non-relevant, and with the highest label."""
        highest = np.full(len(self.holes), self.listed.judgments.top, dtype=np.int32)
        return self._by_topic([0 * highest, highest], 1)

    def scores(self, labels: list[Labels], threads: int) -> Floats:
        """Mean scores under the labels of each draw."""
        return np.asarray(self._by_topic(labels, threads).mean(axis=-1))

    def _by_topic(self, labels: list[Labels], threads: int) -> Floats:
        judgment_sets = [self.listed.with_labels(self.holes, row) for row in labels]
        scored = score_values(self.listed.pool, [self.measure], judgment_sets, threads, runs=[self.run])
        return np.asarray(scored)[:, 0, 0]


def _batches(rows: Iterator[Labels]) -> Iterator[list[Labels]]:
    """Rows in lists of `BATCH`. The last one may be shorter."""
    while some := list(islice(rows, BATCH)):
        yield some
