"""Scores of rankings under drawn labels: by the core's kernels, or by a measure of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from poolwise.estimates.drawn_labels import ONCE, Drawing
from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import TopicState
from poolwise.estimates.targets import Target
from poolwise.measures.measure import Measure
from poolwise.measures.user_measures import call_own
from poolwise.scores.scoring import ask

__all__ = ["Drawn", "reach_of", "scores_of"]

NONE: Whole = np.zeros(0, dtype=np.int32)


class Drawn(NamedTuple):
    """Scores of r runs on one topic."""

    values: Array  # r x draws, of the first set
    means: Array  # r x n x classes: the mean over draws when each of n documents has each class


def scores_of(
    state: TopicState,
    target: Target,
    runs: Sequence[int],
    labels: Whole,
    documents: Whole = NONE,
    sets: Whole = NONE,
    wanted: Whole = NONE,
) -> Drawn:
    """Score drawn labels: sets x draws x listed documents, classes or below 0 where a document is not pooled.

    `documents` are places within the topic, `sets` in which set of draws each is tried, `wanted` (runs x documents) for
    which runs.
    """
    layout = state.model.layout
    listed = layout.listed[layout.part(state.topic)][documents]
    asked = (list(runs), labels, listed.tolist(), sets.tolist(), wanted)
    if target.measure.declaration.function is not None:
        return _own_scores(state, target, *asked)
    worth = ask(target.measure, target.worths, layout.top)
    runs, labels, *rest = asked
    values, means = layout.pool.core.simulated(state.topic, runs, worth, np.ascontiguousarray(labels), *rest)
    return Drawn(np.asarray(values), np.asarray(means))


def reach_of(state: TopicState, target: Target, depth: int, first: list[int], second: list[int]) -> tuple[Array, Array]:
    """How far labels of documents outside the pool lower and raise scores (a negative second run) and differences."""
    layout = state.model.layout
    worth = ask(target.measure, target.worths, layout.top)
    labels = np.ascontiguousarray(Drawing.of(state, ONCE, 1).present(True)[0])
    ends = layout.pool.core.simulated_reach(state.topic, worth, labels, depth, first, second)
    fall, rise = (np.asarray(end) for end in ends)
    return fall, rise


def _own_scores(
    state: TopicState, target: Target, runs: list[int], labels: Whole, listed: list[int], sets: list[int], wanted: Any
) -> Drawn:
    """The same by a function, which is called for each ranking and draw."""
    layout, worths = state.model.layout, np.array(target.worths, dtype=float)
    values = np.empty((len(runs), labels.shape[1]))
    means = np.zeros((len(runs), len(listed), len(worths)))
    for row, run in enumerate(runs):
        ranking = _Ranking(layout.pool, run, state.topic, target.measure, worths)
        for draw in range(labels.shape[1]):
            values[row, draw] = ranking.score(labels[0, draw])
            alike: dict[tuple[int, int], Array] = {}
            for number, (document, part) in enumerate(zip(listed, sets, strict=True)):
                if wanted[row, number]:
                    means[row, number] += ranking.with_each(labels[part, draw], document, part, alike)
    return Drawn(values, means / labels.shape[1])


class _Ranking:
    """One run's list of a topic, scored by a function."""

    def __init__(self, pool: Any, run: int, topic: int, measure: Measure, worths: Array) -> None:
        self.where, self.measure, self.worths = (pool, run, topic), measure, worths
        ranks, self.documents = (np.asarray(part, dtype=np.int64) for part in pool.known(run, topic))
        self.places = ranks - 1
        self.length = int(np.asarray(pool.retrieved())[run, topic])
        self.has = set(self.documents.tolist())

    def score(self, classes: Whole) -> float:
        labels = np.where(classes < 0, np.nan, self.worths[np.maximum(classes, 0)])
        along = np.full(self.length, np.nan)
        along[self.places] = labels[self.documents]
        return call_own(self.measure, along, np.sort(labels[~np.isnan(labels)])[::-1], *self.where)

    def with_each(self, classes: Whole, document: int, part: int, alike: dict[tuple[int, int], Array]) -> Array:
        """The score when a document has each class; those of one class that the list lacks are alike."""
        key = part, int(classes[document])
        if document not in self.has and key in alike:
            return alike[key]
        classes, found = classes.copy(), np.empty(len(self.worths))
        for grade in range(len(found)):
            classes[document] = grade
            found[grade] = self.score(classes)
        if document not in self.has:
            alike[key] = found
        return found
