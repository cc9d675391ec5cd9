"""The order in which documents are judged, so that stopping anywhere leaves a valid sample.

A cell is one stratum of one topic. A plan draws n of its documents at random. Here they are put in random order, and
documents of a topic are taken from its strata in turn, each stratum's k-th at k / n (Adams' rule): the first of every
stratum come first, and later on all strata are judged at about the same share. The topic's documents are cut into
blocks, so that a reader keeps the topic in mind, and blocks of all topics are put in order by how much of their topic
comes before them: later on all topics are at about the same share. Within a block the order is random, so that it tells
nothing of strata.

The judging begins with a walk through all topics, one document of each, so that estimates can be made as soon as every
topic has a label: which stratum it comes from is decided by chance, each in proportion to its documents, so that it is
one of the topic's drawn documents at random (`poolwise.sampling.cells` takes strata together until each has a label).
A second walk gives every stratum its first.

**Any prefix is a smaller plan.** How many documents of each cell stand in the first m places follows from counts of
documents alone, and which ones they are is decided by random numbers that know nothing of labels. So within each cell
they are a simple random sample of the documents drawn, hence of those pooled, of a size that is known: a document is
judged with probability (labels in its cell) / (documents in its cell). The same holds for the documents that several
assessors have reached, each in their own share, as it is dealt by such numbers too. The number m may depend on the
clock or on an assessor's patience. A rule that stops because of the labels themselves is another matter. Documents that
an assessor puts off, or cannot judge, are missing for a reason: these are non-response.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from poolwise.sampling.hashed_random import HashedRandom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

SIZE = 10  # documents of a block
LEAST = 4  # smaller blocks would make a reader change topics too often
FIRST = 3  # at least so many of a topic in the first two walks through all topics
SWEEPS = 3  # at least, after these, so that topics stay at about the same share also where each has few documents


@dataclass(frozen=True, slots=True)
class Item:
    """A document to judge. Its number is its place in the plan."""

    number: int
    topic: str
    document: str
    stratum: int


def in_blocks(items: Sequence[Item], chance: HashedRandom, size: int = SIZE) -> list[list[Item]]:
    """All documents, block by block, each of one topic, in the order of judging."""
    topics: dict[str, list[Item]] = {}
    for item in items:
        topics.setdefault(item.topic, []).append(item)
    placed: list[tuple[float, int, int, list[Item]]] = []
    for topic, documents in topics.items():
        sequence = _strata_in_turn(documents, chance)
        begin = 0
        for walk, block in enumerate(_cut(sequence, len({item.stratum for item in documents}), size)):
            share = 0.0 if walk < 2 else begin / len(documents)
            placed.append((share, min(walk, 2), chance.number("sweep", topic, begin), block))
            begin += len(block)
    placed.sort(key=lambda entry: entry[:3])
    return [chance.shuffled("shown", block) for *_, block in placed]


def to_come(
    items: Sequence[Item], chance: HashedRandom, answered: Collection[tuple[str, str]]
) -> list[tuple[str, int]]:
    """Topic and stratum of the documents without an answer, in the order of judging."""
    return [
        (item.topic, max(item.stratum, 1))
        for block in in_blocks(items, chance)
        for item in block
        if (item.topic, item.document) not in answered
    ]


def _strata_in_turn(items: Sequence[Item], chance: HashedRandom) -> list[Item]:
    """Documents of a topic: one of them by chance, then its strata in turn."""
    strata: dict[int, list[Item]] = {}
    for item in items:
        strata.setdefault(item.stratum, []).append(item)
    placed = []
    for stratum, documents in strata.items():
        for index, item in enumerate(chance.shuffled("order", documents)):
            placed.append((index / len(documents), chance.number("mix", item.topic, stratum, index), item))
    placed.sort(key=lambda entry: entry[:2])
    sequence = [item for _, _, item in placed]
    # Of all drawn documents of the topic one at random, so that strata without labels are spoken for in proportion.
    chosen = chance.shuffled("first", items)[0].stratum  # which of its documents is first is decided already
    first = next(item for item in sequence if item.stratum == chosen)
    return [first, *(item for item in sequence if item is not first)]


def _cut(sequence: list[Item], strata: int, size: int) -> list[list[Item]]:
    """One document, a block with the other strata's first, then blocks of about the same size."""
    first = max(strata, FIRST)
    rest = len(sequence) - first
    if rest < 2:
        return [sequence[:1], *([sequence[1:]] if len(sequence) > 1 else [])]
    number = max(1, round(rest / min(size, max(LEAST, rest / SWEEPS))))
    ends = [first + rest * part // number for part in range(number + 1)]
    return [sequence[:1], sequence[1:first], *(sequence[begin:end] for begin, end in pairwise(ends))]
