"""A pool whose judgments list the holes too: every document within a depth that nobody judged.

Judgments have labels for the documents they list. Holes are mostly not among them, so the runs are joined anew with
judgments that list them; then labels can be tried on holes as on any other document.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.pool.joining import NOT_JUDGED
from poolwise.pool.judgments import POOLED, Judgments, is_judged
from poolwise.pool.pool import Pool
from poolwise.pool.relisted import encoded, relisted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
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
