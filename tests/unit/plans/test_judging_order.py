"""Blocks reach every topic and stratum early, and any prefix keeps the rates of a smaller plan."""

from __future__ import annotations

from collections import Counter

import pytest

from poolwise.plans.judging_order import SIZE, Item, in_blocks
from poolwise.sampling.hashed_random import HashedRandom

SIZES = {"1": (6, 3, 3), "2": (6, 3, 3), "3": (40, 20, 10), "4": (1, 1, 1), "5": (30,), "6": (4,)}


def items(sizes: dict[str, tuple[int, ...]] = SIZES) -> list[Item]:
    pairs = [
        (topic, f"{topic}-{stratum}-{place}", stratum)
        for topic, strata in sizes.items()
        for stratum, number in enumerate(strata, 1)
        for place in range(number)
    ]
    return [Item(number, *pair) for number, pair in enumerate(pairs)]


def cells(some: list[Item]) -> Counter:
    return Counter((item.topic, item.stratum) for item in some)


@pytest.mark.parametrize("seed", ["a", "b"])
def test_every_document_comes_once_in_blocks_of_one_topic(seed: str) -> None:
    blocks = in_blocks(items(), HashedRandom(seed))
    assert sorted(item.number for block in blocks for item in block) == list(range(len(items())))
    assert all(len({item.topic for item in block}) == 1 for block in blocks)
    assert max(map(len, blocks)) <= 1.5 * SIZE
    assert min(map(len, blocks[len(SIZES) :])) > 1


@pytest.mark.parametrize("seed", ["a", "b"])
def test_the_first_walk_has_one_document_of_every_topic_the_second_reaches_every_stratum(seed: str) -> None:
    blocks = in_blocks(items(), HashedRandom(seed))
    first, second = blocks[: len(SIZES)], blocks[len(SIZES) : 2 * len(SIZES)]
    assert all(len(block) == 1 for block in first)
    assert {block[0].topic for block in first} == {block[0].topic for block in second} == set(SIZES)
    reached = cells([item for block in first + second for item in block])
    assert set(reached) == set(cells(items()))


def test_a_topic_of_one_document_or_two() -> None:
    blocks = in_blocks(items({"1": (1,), "2": (1, 1), "3": (5, 2)}), HashedRandom("a"))
    assert sorted((block[0].topic, len(block)) for block in blocks[:3]) == [("1", 1), ("2", 1), ("3", 1)]
    assert sorted(item.number for block in blocks for item in block) == list(range(10))


def test_strata_and_topics_go_on_at_the_same_share() -> None:
    """At the end of any block no stratum of the topic is a document and a half ahead of its share."""
    blocks = in_blocks(items(), HashedRandom("a"))
    drawn, seen = cells(items()), Counter()
    for block in blocks:
        seen.update(cells(block))
        topic = block[0].topic
        share = sum(seen[cell] for cell in drawn if cell[0] == topic) / sum(
            number for cell, number in drawn.items() if cell[0] == topic
        )
        for cell, number in drawn.items():
            if cell[0] == topic:
                assert abs(seen[cell] - share * number) <= 2.0
    halves = Counter([item.topic for block in blocks for item in block][: len(items()) // 2])
    assert 0.3 <= halves["3"] / 70 <= 0.7


def test_the_order_depends_on_the_plan_alone() -> None:
    listed = items()
    once = [[item.document for item in block] for block in in_blocks(listed, HashedRandom("a"))]
    again = [[item.document for item in block] for block in in_blocks(listed[::-1], HashedRandom("a"))]
    other = [[item.document for item in block] for block in in_blocks(listed, HashedRandom("b"))]
    assert once == again
    assert once != other


@pytest.mark.slow
def test_each_document_of_a_stratum_is_as_likely_to_come_early() -> None:
    """Over many plans: a topic's first is any of its documents; its first three are any one of each stratum's."""
    first: Counter = Counter()
    counts: Counter = Counter()
    plans = 600
    own = [item for item in items() if item.topic == "1"]
    for plan in range(plans):
        one, rest, *_ = in_blocks(own, HashedRandom(str(plan)))
        first.update(item.document for item in one)
        counts.update(item.document for item in one + rest)
    expected = {"1": plans / 6, "2": plans / 3, "3": plans / 3}
    for item in own:
        assert first[item.document] == pytest.approx(plans / len(own), abs=4 * (plans / len(own)) ** 0.5)
        assert counts[item.document] == pytest.approx(expected[str(item.stratum)], abs=4 * (plans / 6) ** 0.5)


def test_place_within_a_block_tells_nothing_of_the_stratum() -> None:
    places: dict[int, list[int]] = {1: [], 2: [], 3: []}
    own = [item for item in items() if item.topic == "1"]
    for plan in range(400):
        block = in_blocks(own, HashedRandom(str(plan)))[2]
        for place, item in enumerate(block):
            places[item.stratum].append(place - (len(block) - 1) / 2)
    means = [sum(found) / len(found) for found in places.values()]
    assert means == pytest.approx([0.0] * 3, abs=0.3)
