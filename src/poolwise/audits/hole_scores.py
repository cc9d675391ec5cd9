"""Scores that runs may have once their holes are judged, drawn from the model.

Judgments have labels for the documents they list. Holes are mostly not among them, so the runs are joined anew with
judgments that list them; then labels can be tried on holes as on any other document.
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
PAST_END = -1


@dataclass(frozen=True)
class Listed:
    """Judgments that list the holes of some runs down to a depth; in `labels` these are `POOLED`."""

    judgments: Judgments
    depth: int

    @property
    def pool(self) -> Pool:
        """The pool of these runs."""
        return self.judgments.pool

    @cached_property
    def places(self) -> Whole:
        """Runs x topics x depth: where the labels of the documents along each ranking stand; PAST_END past its end."""
        pool, offsets = self.pool, self.judgments.offsets
        places = np.full((len(pool.runs), len(pool.topics), self.depth), PAST_END, dtype=np.int64)
        for run in range(len(pool.runs)):
            for topic in range(len(pool.topics)):
                top = np.asarray(pool.all_documents(run, topic))[: self.depth]
                places[run, topic, : len(top)] = offsets[topic] + top
        return places

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """Labels along each ranking, runs x topics x depth; past its end of no meaning."""
        return np.asarray(self.judgments.labels[self.places])

    @cached_property
    def is_hole(self) -> NDArray[np.bool_]:
        """Which places of each ranking are holes."""
        return (self.places != PAST_END) & (self.labels == POOLED)

    @cached_property
    def is_judged(self) -> NDArray[np.bool_]:
        """Which places of each ranking are judged."""
        return (self.places != PAST_END) & (self.labels != POOLED)

    @cached_property
    def holes(self) -> Whole:
        """Places of the labels of all holes, ascending; topics follow one another."""
        return np.unique(self.places[self.is_hole])

    def topic_of(self, places: Whole) -> Whole:
        """The number of the topic of each place."""
        return np.searchsorted(self.judgments.offsets, places, side="right") - 1

    def named(self, places: Whole) -> list[tuple[str, str]]:
        """Topic and document of each place."""
        names = {topic: self.pool.documents(self.pool.topics[topic]) for topic in set(self.topic_of(places).tolist())}
        rows = zip(self.topic_of(places).tolist(), places.tolist(), strict=True)
        return [(self.pool.topics[topic], names[topic][place - self.judgments.offsets[topic]]) for topic, place in rows]

    @cached_property
    def names(self) -> list[Names]:
        """Names of all documents, topic by topic."""
        return _names(self.pool)

    def of_run(self, run: int) -> Listed:
        """One run alone, in brief: of documents of label 0 only those that it ranks down to the depth are listed.

        For most measures the others make no difference. Holes stand in the same order as here.
        """
        return _list_holes(self.judgments, self.depth, [run], self.names, True)

    def with_labels(self, places: Whole, labels: Any) -> Judgments:
        """The judgments with labels for some of the holes."""
        filled = self.judgments.labels.copy()
        filled[places] = labels
        return Judgments(self.pool, filled, top=self.judgments.top)


def list_holes(judgments: Judgments, depth: int, runs: Sequence[str] | None = None) -> Listed:
    """Join the runs (all unless given) anew with judgments that list what these rank down to the depth."""
    return _list_holes(judgments, depth, judgments.pool.run_numbers(runs), _names(judgments.pool), False)


def _list_holes(judgments: Judgments, depth: int, runs: Sequence[int], names: list[Names], in_brief: bool) -> Listed:
    pool = judgments.pool
    core = relisted(pool, runs, _lines(judgments, runs, depth, names, in_brief), names)
    made = Pool(core, [pool.runs[number] for number in runs])
    return Listed(Judgments(made, top=judgments.top), depth)


def _names(pool: Pool) -> list[Names]:
    return [pool.document_names(topic) for topic in range(len(pool.topics))]


def _lines(
    judgments: Judgments, runs: Sequence[int], depth: int, names: list[Names], in_brief: bool
) -> Iterator[bytes]:
    """Lines of a qrels file: what is judged, then the holes."""
    pool, labels, offsets = judgments.pool, judgments.labels, judgments.offsets
    for topic, documents in enumerate(names):
        name = encoded(pool.topics[topic])
        own = labels[offsets[topic] : offsets[topic + 1]]
        judged = np.flatnonzero(is_judged(own))
        top = np.concatenate([judged[:0], *(np.asarray(pool.all_documents(run, topic))[:depth] for run in runs)])
        holes = np.setdiff1d(top, judged)
        if in_brief:
            judged = judged[(own[judged] != 0) | np.isin(judged, top)]
        for document, label in zip(judged.tolist(), own[judged].tolist(), strict=True):
            yield b"%b 0 %b %d\n" % (name, documents[document], label)
        for document in holes.tolist():
            yield b"%b 0 %b %d\n" % (name, documents[document], NOT_JUDGED)


if TYPE_CHECKING:
    Labels = NDArray[np.int32]
BATCH = 50  # draws that are scored together
SAME = 1e-12  # scores that differ by no more are the same


@dataclass(frozen=True)
class HoleDraws:
    """Labels of the holes drawn from the model, so many times; the same seed draws the same.

    Random numbers go to runs and holes by what rankings show: neither the order of runs nor names matter.
    """

    listed: Listed
    offset: Offset
    number: int
    seed: int

    @cached_property
    def chances(self) -> HoleChances:
        """What the judged documents say of the holes."""
        grades = tuple(label for label in self.listed.judgments.distinct_labels() if label > 0)
        return HoleChances(self.listed, grades)

    @property
    def is_possible(self) -> bool:
        """Whether there are holes, and both relevant and other documents to learn from."""
        relevant, judged, holes = self.chances.counts
        return bool(len(self.chances.grades) and holes.sum() > 0 and relevant[0].sum() < judged.sum())

    def labels(self) -> Iterator[Labels]:
        """Labels of the holes of each draw."""
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
        """Places of the holes in an order that names have no part in."""
        return hole_order(self.listed)

    def expected(self) -> Floats:
        """The chance of each hole to be relevant, at the mean offset."""
        runs = len(self.listed.pool.runs)
        result: Floats = self.chances.expected(np.full(runs, self.offset.mean))[0]
        return result

    def scores(self, measure: Measure, threads: int) -> Floats:
        """Mean scores, draws x runs, each run with its own holes judged; so none depends on which others there are."""
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
    """One run and its holes in a pool of its own, which is much smaller, if that gives the same scores."""

    def __init__(self, listed: Listed, run: int, holes: NDArray[np.int64], measure: Measure) -> None:
        self.measure = measure
        self.listed, self.run, self.holes = listed, run, listed.holes[holes]
        small = listed.of_run(run)
        if small.judgments.distinct_labels() != listed.judgments.distinct_labels():
            return
        before = self._ends()
        whole = self.listed, self.run, self.holes
        self.listed, self.run, self.holes = small, 0, small.holes
        if not np.allclose(before, self._ends(), rtol=0, atol=SAME):
            self.listed, self.run, self.holes = whole

    def _ends(self) -> Floats:
        """Scores by topic with all holes worthless, and with all of them best."""
        top = np.full(len(self.holes), self.listed.judgments.top, dtype=np.int32)
        return self._by_topic([0 * top, top], 1)

    def scores(self, labels: list[Labels], threads: int) -> Floats:
        """Mean scores under the labels of each draw."""
        return np.asarray(self._by_topic(labels, threads).mean(axis=-1))

    def _by_topic(self, labels: list[Labels], threads: int) -> Floats:
        sets = [self.listed.with_labels(self.holes, row) for row in labels]
        scored = score_values(self.listed.pool, [self.measure], sets, threads, runs=[self.run])
        return np.asarray(scored)[:, 0, 0]


def _batches(rows: Iterator[Labels]) -> Iterator[list[Labels]]:
    """Rows in lists of BATCH, the last one shorter."""
    while some := list(islice(rows, BATCH)):
        yield some
