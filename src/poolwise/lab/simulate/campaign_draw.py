"""`simulate`: check the arguments, draw the entrants, then topic by topic, then label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poolwise.basics.settings import fraction, seed_number, whole
from poolwise.errors import ArgumentError
from poolwise.lab.simulate.entrants import Entrants, Shape, enter
from poolwise.lab.simulate.generate import STRIDE, Topic, candidates_for, simulate_topic
from poolwise.lab.simulate.simulated import Simulated

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["simulate"]

NEGATIVE_LABEL = -2  # the TREC Web track's label for spam
MOST_GRADES = 100
MOST_NAMES = 100_000  # runs, and topics; more would fill any memory before a word is said
MOST_DEPTH = 100_000  # keeps document numbers well within 32 bits
FIRST_TOPIC = 101


def simulate(
    runs: int = 50,
    topics: int = 50,
    depth: int = 1000,
    grades: int = 3,
    negative: float = 0.05,
    pool_depth: int = 100,
    contributing: int | Sequence[str] | None = None,
    seed: int | np.random.Generator = 0,
    *,
    shape: Shape | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulated:
    """Simulate a campaign with known complete labels.

    Lists, and which documents are relevant, do not depend on `grades`, `negative`, `pool_depth` and `contributing`.

    Parameters
    ----------
    runs, topics : int
        How many.
    depth : int
        How many documents a run returns for a topic.
    grades : int
        Number of labels from 0 up: 2 gives 0 and 1, 3 gives 0, 1 and 2.
    negative : float
        Share of the judged non-relevant documents that get the label -2 (spam).
    pool_depth : int
        The judged documents are so many first ones of every contributing run.
    contributing : int or sequence of str, optional
        All runs unless given; so many of them, at least one per family first; or their names.
    seed : int or Generator
        The same number gives the same campaign; a generator draws one.
    shape : Shape, optional
        Other constants than the fitted ones.
    progress : callable, optional
        Called after each topic with how many are done and how many there are.

    Returns
    -------
    Simulated
        The campaign: rankings, labels, and what is known of every document.

    Examples
    --------
    >>> campaign = simulate(runs=5, topics=2, depth=50, pool_depth=10, seed=7)
    >>> name = campaign.runs[0]
    >>> len(campaign.run(name)["101"])
    50
    """
    runs, topics = whole("runs", runs, 1, MOST_NAMES), whole("topics", topics, 1, MOST_NAMES)
    depth, pool_depth = whole("depth", depth, 1, MOST_DEPTH), whole("pool_depth", pool_depth, 1)
    grades = whole("grades", grades, 2, MOST_GRADES)
    negative = fraction("negative", negative)
    number = seed_number(seed)
    shape = shape or Shape()
    first, *rest = np.random.SeedSequence(number).spawn(topics + 1)
    random = np.random.default_rng(first)
    entrants = enter(runs, topics, random, shape)
    judged = contributors(contributing, entrants, random)
    rankings = np.empty((runs, topics, depth), dtype=np.int32)
    units = np.empty((runs, topics, depth), dtype=np.int32)
    known = []
    for column, own_seed in enumerate(rest):
        topic = simulate_topic(column, entrants, depth, np.random.default_rng(own_seed), shape)
        known.append(known_documents(topic, topic.lists[judged, :pool_depth], grades, shape.grade_ratio))
        rankings[:, column] = np.where(topic.lists >= 0, topic.documents[topic.lists], -1)
        units[:, column] = topic.units
        if progress:
            progress(column + 1, topics)
    labels = np.concatenate([part.labels for part in known])
    pooled = np.concatenate([part.pooled for part in known])
    return Simulated(
        runs=entrants.names,
        topics=[str(FIRST_TOPIC + column) for column in range(topics)],
        groups=[name[:-1] for name in entrants.names],
        contributing=[name for name, chosen in zip(entrants.names, judged, strict=True) if chosen],
        depth=depth,
        pool_depth=pool_depth,
        grades=grades,
        negative=negative,
        seed=number,
        collection=STRIDE * candidates_for(depth, shape),
        rankings=rankings,
        score_units=units,
        offsets=np.cumsum([0] + [part.labels.size for part in known]),
        documents=np.concatenate([part.documents for part in known]),
        labels=with_negative(labels, pooled, np.concatenate([part.spam for part in known]), negative),
        pooled=pooled,
    )


@dataclass(frozen=True)
class Known:
    """The documents of a topic that are relevant or retrieved, in ascending order."""

    documents: NDArray[np.int32]
    labels: NDArray[np.int8]
    pooled: NDArray[np.bool_]
    spam: NDArray[np.float64]


def known_documents(topic: Topic, judged: NDArray[np.int32], grades: int, ratio: float) -> Known:
    """Gather the known documents of a topic and their labels without negative ones."""
    size = topic.documents.size
    labels = np.zeros(size, dtype=np.int8)
    labels[topic.relevant] = graded(topic.degree, grades, ratio)
    known, pooled = labels > 0, np.zeros(size, dtype=bool)
    known[topic.lists[topic.lists >= 0]] = True
    pooled[judged[judged >= 0]] = True
    return Known(topic.documents[known], labels[known], pooled[known], topic.spam[known])


def graded(degree: NDArray[np.float64], grades: int, ratio: float) -> NDArray[np.int8]:
    """Labels 1 to grades - 1 by degree of relevance; each is `ratio` times as frequent as the one below.

    >>> graded(np.array([0.1, 0.7, 0.8]), 3, 0.5)
    array([1, 2, 2], dtype=int8)
    """
    shares = ratio ** np.arange(grades - 1)
    bounds = np.cumsum(shares / shares.sum())[:-1]
    return (1 + np.searchsorted(bounds, degree)).astype(np.int8)


def with_negative(
    labels: NDArray[np.int8], pooled: NDArray[np.bool_], spam: NDArray[np.float64], share: float
) -> NDArray[np.int8]:
    """Give the negative label to the asked share of judged non-relevant documents.

    Those with the highest spam values get it; their lowest value is the bound for unjudged documents.
    """
    values = np.sort(spam[pooled & (labels == 0)])
    wanted = round(share * values.size)
    if wanted == 0:
        return labels
    return np.where((labels == 0) & (spam >= values[-wanted]), np.int8(NEGATIVE_LABEL), labels)


def contributors(
    contributing: int | Sequence[str] | None, entrants: Entrants, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Flags of the runs that feed the pool; a number takes runs of all families in turn."""
    runs = len(entrants.names)
    place = np.arange(runs) - np.maximum.accumulate(np.where(entrants.first, np.arange(runs), 0))
    turn = np.lexsort((random.random(runs), place))  # drawn in any case, so that lists do not depend on it
    if contributing is None:
        return np.ones(runs, dtype=bool)
    if isinstance(contributing, str):
        raise ArgumentError(f"contributing is {contributing!r}; it must be a number of runs or a list of names")
    if isinstance(contributing, Sequence):
        return named(contributing, entrants.names)
    chosen = np.zeros(runs, dtype=bool)
    chosen[turn[: whole("contributing", contributing, 1, runs)]] = True
    return chosen


def named(wanted: Sequence[str], names: list[str]) -> NDArray[np.bool_]:
    """Flags of the named runs."""
    unknown = [name for name in wanted if name not in names]
    if unknown or not wanted:
        fault = f"names {unknown[0]!r}" if unknown else "is empty"
        raise ArgumentError(f"contributing {fault}; the runs of this campaign are {', '.join(names)}")
    return np.array([name in set(wanted) for name in names])
