"""The pooled documents of a campaign, topic after topic, and what is known of each: label, stratum, inclusion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from poolwise.judge.judgments import OUTSIDE, POOLED, Judgments
from poolwise.pool.pool import Pool

__all__ = ["Array", "Layout", "Whole", "inclusion"]

# What the numbers are; numpy's own types are too narrow for how its functions are declared.
Array = NDArray[Any]  # float64
Whole = NDArray[Any]  # whole numbers


@dataclass(frozen=True)
class Layout:
    """All pooled documents in one row, topics one after the other; documents outside the pool are left out."""

    pool: Pool
    listed: Whole  # number of each document among its topic's listed ones
    bounds: Whole  # where each topic begins; one more entry than topics
    labels: NDArray[numpy.int32]
    inclusion: Array  # the share of its stratum that is judged

    @classmethod
    def of(cls, pool: Pool, judgments: Judgments) -> Layout:
        """Lay out a pool under some judgments of it."""
        labels, offsets = judgments.labels, judgments.offsets
        pooled = labels != OUTSIDE
        numbers = numpy.arange(len(labels)) - numpy.repeat(offsets[:-1], numpy.diff(offsets))
        sizes = numpy.bincount(_topic_of(offsets)[pooled], minlength=len(offsets) - 1)
        bounds = numpy.concatenate([[0], numpy.cumsum(sizes)])
        return cls(pool, numbers[pooled], bounds, labels[pooled], inclusion(judgments)[pooled])

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.bounds) - 1

    @cached_property
    def topic_of(self) -> Whole:
        """The number of each document's topic."""
        return _topic_of(self.bounds)

    @cached_property
    def judged(self) -> NDArray[numpy.bool_]:
        """Whether each document is judged."""
        return self.labels != POOLED

    @cached_property
    def weight(self) -> Array:
        """(1 - pi) / pi: how many unjudged documents a judged one speaks for; 0 where none is."""
        return numpy.divide(1.0 - self.inclusion, self.inclusion, out=numpy.zeros(len(self.labels)), where=self.judged)

    def part(self, topic: int) -> slice:
        """The places of a topic's documents."""
        return slice(int(self.bounds[topic]), int(self.bounds[topic + 1]))

    def columns(self, topic: int, values: Any) -> Array:
        """Of an array over a topic's listed documents (last axis), those of the pooled ones."""
        array, listed = numpy.asarray(values), self.listed[self.part(topic)]
        return array if array.shape[-1] == len(listed) else numpy.ascontiguousarray(array[..., listed])

    def size(self, topic: int) -> int:
        """How many documents the judgments list for a topic, pooled or not."""
        return int(self._offsets[topic + 1] - self._offsets[topic])

    @cached_property
    def _offsets(self) -> Whole:
        return numpy.asarray(self.pool.core.offsets())


def inclusion(judgments: Judgments) -> Array:
    """Probability that each listed document was judged: the judged share of its topic and stratum."""
    given = getattr(judgments, "inclusion", None)
    if given is not None:
        return numpy.asarray(given() if callable(given) else given, dtype=float)
    labels, strata, offsets = judgments.labels, judgments.strata, judgments.offsets
    stratum = numpy.zeros(len(labels), dtype=numpy.int64) if strata is None else strata
    names, code = numpy.unique(stratum, return_inverse=True)
    group = _topic_of(offsets) * len(names) + code
    groups = (len(offsets) - 1) * len(names)
    pooled = numpy.bincount(group[labels != OUTSIDE], minlength=groups)
    judged = numpy.bincount(group[(labels != OUTSIDE) & (labels != POOLED)], minlength=groups)
    return numpy.asarray(numpy.divide(judged, pooled, out=numpy.zeros(groups), where=pooled > 0)[group])


def _topic_of(bounds: Whole) -> Whole:
    return numpy.repeat(numpy.arange(len(bounds) - 1), numpy.diff(bounds))
