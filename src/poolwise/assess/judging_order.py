"""The order in which documents are judged, so that stopping anywhere leaves a valid sample.

A cell is one stratum of one topic. A plan draws n of its documents at random. Here they are put in random order, and
documents of a topic are taken from its strata in turn, each stratum's k-th at k / n (Adams' rule): the first of every
stratum come first, and later on all strata are judged at about the same share. The topic's documents are cut into
blocks, so that a reader keeps the topic in mind, and blocks of all topics are put in order by how much of their topic
comes before them: first every topic's first block, later on all topics at about the same share. Within a block the
order is random, so that it tells nothing of strata.

**Any prefix is a smaller plan.** How many documents of each cell stand in the first m places follows from counts of
documents alone, and which ones they are is decided by random numbers that know nothing of labels. So within each cell
they are a simple random sample of the documents drawn, hence of those pooled, of a size that is known: a document is
judged with probability (labels in its cell) / (documents in its cell). The same holds for the documents that several
assessors have reached, each in their own share, as it is dealt by such numbers too. The number m may depend on the
clock or on an assessor's patience; a rule that stops because of the labels themselves is another matter. Documents that
an assessor puts off, or cannot judge, are missing for a reason: these are non-response.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

SIZE = 10  # documents of a block
LEAST = 4  # smaller blocks would make a reader change topics too often
FIRST = 3  # at least so many in a topic's first block
SWEEPS = 3  # at least, after the first, so that topics stay at about the same share also where each has few documents


@dataclass(frozen=True, slots=True)
class Item:
    """A document to judge; its number is its place in the plan."""

    number: int
    topic: str
    document: str
    stratum: int


@dataclass(frozen=True)
class Chance:
    """Random numbers that depend on a plan, on what they are for, and on names, and on nothing else."""

    plan: str

    def number(self, purpose: str, *names: object) -> int:
        """A whole number of 64 bits.

        >>> Chance("a").number("order", "401", "x") == Chance("a").number("order", "401", "x")
        True
        """
        text = "\x00".join([self.plan, purpose, *map(str, names)])
        return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")

    def shuffled(self, purpose: str, items: Sequence[Item], *names: object) -> list[Item]:
        """Documents in an order that depends on their names only."""
        return sorted(items, key=lambda item: self.number(purpose, item.topic, item.document, *names))


def in_blocks(items: Sequence[Item], chance: Chance, size: int = SIZE) -> list[list[Item]]:
    """All documents, block by block, each of one topic, in the order of judging."""
    topics: dict[str, list[Item]] = {}
    for item in items:
        topics.setdefault(item.topic, []).append(item)
    placed: list[tuple[float, int, list[Item]]] = []
    for topic, own in topics.items():
        sequence = _strata_in_turn(own, chance)
        begin = 0
        for block in _cut(sequence, len({item.stratum for item in own}), size):
            placed.append((begin / len(own), chance.number("sweep", topic, begin), block))
            begin += len(block)
    placed.sort(key=lambda entry: entry[:2])
    return [chance.shuffled("shown", block) for _, _, block in placed]


def to_come(items: Sequence[Item], chance: Chance, answered: Collection[tuple[str, str]]) -> list[tuple[str, int]]:
    """Topic and stratum of the documents without an answer, in the order of judging."""
    return [
        (item.topic, max(item.stratum, 1))
        for block in in_blocks(items, chance)
        for item in block
        if (item.topic, item.document) not in answered
    ]


def _strata_in_turn(items: Sequence[Item], chance: Chance) -> list[Item]:
    strata: dict[int, list[Item]] = {}
    for item in items:
        strata.setdefault(item.stratum, []).append(item)
    placed = []
    for stratum, own in strata.items():
        for place, item in enumerate(chance.shuffled("order", own)):
            placed.append((place / len(own), chance.number("mix", item.topic, stratum, place), item))
    placed.sort(key=lambda entry: entry[:2])
    return [item for _, _, item in placed]


def _cut(sequence: list[Item], strata: int, size: int) -> list[list[Item]]:
    """A first block with each stratum's first, then blocks of about the same size; no block of one at the end."""
    first = max(strata, FIRST)
    rest = len(sequence) - first
    if rest < 2:
        return [sequence]
    number = max(1, round(rest / min(size, max(LEAST, rest / SWEEPS))))
    ends = [first + rest * part // number for part in range(number + 1)]
    return [sequence[:first], *(sequence[begin:end] for begin, end in pairwise(ends))]
