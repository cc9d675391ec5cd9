"""Slow literal twins of the sampling designs: dicts, loops and exact fractions, written from the definitions alone.

A campaign is `labels[topic][document]` (None: pooled, not judged) and `runs[name][topic]`, a list of documents by rank.
A sample is `sample[topic][document]`, the label, None for pooled and not judged; documents outside are not there.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

Labels = dict[str, dict[str, int | None]]
Runs = dict[str, dict[str, list[str]]]
Strata = dict[str, dict[str, int]]
WORD = 2**64


def mixed(x: int) -> int:
    """SplitMix64's finaliser."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def spelled(name: str) -> int:
    """FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in name.encode("utf-8"):
        value = (value ^ byte) * 0x100000001B3 % WORD
    return value


def random_number(seed: int, trial: int, topic: str, document: str) -> int:
    """The permanent random number of a document."""
    state = mixed((seed + 0x9E3779B97F4A7C15) % WORD)
    state = mixed((state + trial) % WORD)
    state = mixed(state ^ spelled(topic))
    return mixed((mixed(state ^ spelled(document)) + state) % WORD)


def first(documents: list[str], count: int, seed: int, trial: int, topic: str) -> set[str]:
    """The documents with the smallest random numbers."""
    return set(sorted(documents, key=lambda each: random_number(seed, trial, topic, each))[:count])


def judged(labels: dict[str, int | None]) -> list[str]:
    """The documents that have a label."""
    return [document for document, label in labels.items() if label is not None]


def hide(labels: dict[str, int | None], kept: set[str]) -> dict[str, int | None]:
    """Only the kept documents show their labels."""
    return {document: label if document in kept else None for document, label in labels.items()}


def reduce(
    labels: Labels, fraction: Fraction, rounding: str = "up", rel: int = 1, seed: int = 0, trial: int = 0
) -> Labels:
    """min(R, max(1, f R)) relevant ones and min(N, max(10, f N)) others, rounded up or down."""
    whole = ceil if rounding == "up" else floor
    sample = {}
    for topic, own in labels.items():
        relevant = [each for each in judged(own) if own[each] >= rel]
        others = [each for each in judged(own) if own[each] < rel]
        keep_relevant = min(len(relevant), max(1, whole(fraction * len(relevant))))
        keep_others = min(len(others), max(10, whole(fraction * len(others))))
        kept = first(relevant, keep_relevant, seed, trial, topic) | first(others, keep_others, seed, trial, topic)
        sample[topic] = hide(own, kept)
    return sample


def uniform(labels: Labels, fraction: Fraction, seed: int = 0, trial: int = 0) -> Labels:
    """max(1, round(p n)) of the n judged ones."""
    sample = {}
    for topic, own in labels.items():
        documents = judged(own)
        count = min(len(documents), max(1, round(fraction * len(documents))))
        sample[topic] = hide(own, first(documents, count, seed, trial, topic))
    return sample


def best_rank(runs: Runs, contributing: list[str], topic: str, document: str) -> float:
    """The best rank that any contributing run gives a document."""
    ranks = [
        place for name in contributing for place, each in enumerate(runs[name].get(topic, []), 1) if each == document
    ]
    return min(ranks, default=float("inf"))


def depth(labels: Labels, runs: Runs, contributing: list[str], k: int) -> Labels:
    """What the contributing runs have in their top k."""
    return {
        topic: {each: own[each] for each in own if best_rank(runs, contributing, topic, each) <= k}
        for topic, own in labels.items()
    }


def depth_plus_random(
    labels: Labels, runs: Runs, contributing: list[str], k: int, seed: int = 0, trial: int = 0
) -> tuple[Labels, Strata]:
    """The depth-k pool, and as many of the rest at random; and the strata."""
    sample, strata = {}, {}
    for topic, own in labels.items():
        strata[topic] = {each: 1 if best_rank(runs, contributing, topic, each) <= k else 2 for each in own}
        pool = [each for each in judged(own) if strata[topic][each] == 1]
        rest = [each for each in judged(own) if strata[topic][each] == 2]
        sample[topic] = hide(own, set(pool) | first(rest, min(len(pool), len(rest)), seed, trial, topic))
    return sample, strata


def largest_remainders(total: int, weights: list[Fraction]) -> list[int]:
    """Exact shares rounded down, what is missing given to the largest remainders."""
    shares = [total * weight / sum(weights) for weight in weights]
    given = [floor(share) for share in shares]
    order = sorted(range(len(weights)), key=lambda place: (given[place] - shares[place], place))
    for place in order[: total - sum(given)]:
        given[place] += 1
    return given


def with_overflow(wanted: list[int], room: list[int]) -> list[int]:
    """What does not fit goes to the next part, from the last one to the first with room."""
    given, over = [0] * len(wanted), 0
    for place in [*range(len(wanted)), *range(len(wanted))]:
        given[place] += wanted[place] + over
        wanted[place] = 0
        over = max(0, given[place] - room[place])
        given[place] -= over
    return given


def four_strata(
    labels: Labels, runs: Runs, contributing: list[str], k: int, seed: int = 0, trial: int = 0
) -> tuple[Labels, Strata]:
    """[Y08] section 5, for complete judgments: depth-k pool in full, three bands, as many again as 3 : 1.5 : 1."""
    sample, strata = {}, {}
    for topic, own in labels.items():
        rank = {each: best_rank(runs, contributing, topic, each) for each in own}
        pool = [each for each in own if rank[each] <= k]
        rest = sorted((each for each in own if rank[each] > k), key=lambda each: (rank[each], each.encode()))
        sizes = [len(rest) // 3 + (band < len(rest) % 3) for band in range(3)]
        bands = [rest[: sizes[0]], rest[sizes[0] : sizes[0] + sizes[1]], rest[sizes[0] + sizes[1] :]]
        shares = largest_remainders(len(pool), [Fraction(3), Fraction(3, 2), Fraction(1)])
        kept = set(pool)
        for band, count in zip(bands, with_overflow(shares, sizes), strict=True):
            kept |= first(band, count, seed, trial, topic)
        sample[topic] = hide(own, kept)
        strata[topic] = dict.fromkeys(pool, 1) | {each: 2 + b for b in range(3) for each in bands[b]}
    return sample, strata


def pair(labels: Labels, runs: Runs, a: str, b: str, fraction: Fraction, seed: int = 0, trial: int = 0) -> Labels:
    """What either run retrieved, then reduced."""
    pool = {
        topic: {each: own[each] for each in own if each in runs[a].get(topic, []) or each in runs[b].get(topic, [])}
        for topic, own in labels.items()
    }
    return reduce(pool, fraction, "up", 1, seed, trial)


def without(labels: Labels, runs: Runs, contributing: list[str], left_out: list[str], k: int) -> Labels:
    """Without what only the left out runs have in their top k."""
    sample: Labels = {}
    for topic, own in labels.items():
        sample[topic] = {}
        for each, label in own.items():
            theirs = any(each in runs[name].get(topic, [])[:k] for name in contributing if name in left_out)
            others = any(each in runs[name].get(topic, [])[:k] for name in contributing if name not in left_out)
            if others or not theirs:
                sample[topic][each] = label
    return sample
