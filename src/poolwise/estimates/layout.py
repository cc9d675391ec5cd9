"""The pooled documents of a campaign, topic after topic, and what is known of each: label, stratum, inclusion.

pi, w and w_ij of docs/theory/assisted.md, sections *A coin-sized example* and *Second order*.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments
from poolwise.pool.pool import Pool
from poolwise.sampling.cells import cells, topics_in_mean

__all__ = ["Array", "Layout", "Whole"]

# What the numbers are; numpy's own types are too narrow for how its functions are declared.
Array = NDArray[Any]  # float64
Whole = NDArray[Any]  # whole numbers


@dataclass(frozen=True)
class Layout:
    """All pooled documents in one row, topics one after the other; documents outside the pool are left out."""

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
        strata = cells(judgments)
        cell = strata.of[pooled]
        rates, together = strata.rates, _together(strata.judged, strata.pooled)
        topics = topics_in_mean(judgments)
        waiting = tuple(np.intersect1d(strata.waiting, topics).tolist())
        undrawn = np.setdiff1d(strata.topic, strata.topic[strata.drawn > 0])
        silent = () if judgments.design else tuple(np.intersect1d(undrawn, topics).tolist())
        return cls(
            pool, numbers[pooled], bounds, labels[pooled], rates[cell], cell, together[cell], topics, judgments.top,
            waiting, silent, seed,
        )  # fmt: skip

    def spoken_for(self, topics: Collection[int]) -> Layout:
        """The same where predictions speak for some topics."""
        return replace(self, silent=tuple(topic for topic in self.silent if topic not in topics))

    @property
    def unknown(self) -> bool:
        """Whether some topic in the mean has no label, and nothing that speaks for it: then there are no intervals."""
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
        """Numbers of the pooled documents, and of topics, by what the runs make of them alone, whatever their names."""
        documents, topics = (np.asarray(part) for part in self.pool.core.content_keys())
        places = np.concatenate([self._offsets[topic] + self.listed[self.part(topic)] for topic in range(self.topics)])
        return documents[places], topics

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
        """Whether one document alone of its stratum is judged, so that no pair of labels speaks for pairs of it."""
        return np.asarray(np.bincount(self.cell, self.judged)[self.cell] == 1.0)

    def part(self, topic: int) -> slice:
        """The places of a topic's documents."""
        return slice(int(self.bounds[topic]), int(self.bounds[topic + 1]))

    def columns(self, topic: int, values: Any) -> Array:
        """Of an array over a topic's listed documents (last axis), those of the pooled ones."""
        array, listed = np.asarray(values), self.listed[self.part(topic)]
        return array if array.shape[-1] == len(listed) else np.ascontiguousarray(array[..., listed])

    def pooled(self, topic: int, values: Array) -> Array:
        """Of an array over a topic's listed documents (first axis), those of the pooled ones."""
        listed = self.listed[self.part(topic)]
        return values if len(values) == len(listed) else values[listed]

    def spread(self, topic: int, values: Array) -> Array:
        """The way back: of an array over a topic's pooled documents (first axis) one over its listed ones, with 0."""
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
