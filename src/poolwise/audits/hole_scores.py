"""Scores that runs may have once their holes are judged, drawn from the model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from poolwise.audits.drawing_order import hole_order, run_order
from poolwise.audits.hole_chances import Chances
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from poolwise.audits.listed_holes import Listed
    from poolwise.audits.offsets import Offset
    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure

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
    def chances(self) -> Chances:
        """What the judged documents say of the holes."""
        grades = tuple(label for label in self.listed.judgments.distinct_labels() if label > 0)
        return Chances(self.listed, grades)

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
