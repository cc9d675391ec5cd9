"""Work is dealt evenly, once, with a random part to two and a random part again to the same."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from tests.unit.plans.test_judging_order import items

from poolwise.judging.sharing import APART, NEXT, Rules
from poolwise.judging.sharing import deal as deal_blocks
from poolwise.plans.judging_order import Item, in_blocks
from poolwise.sampling.hashed_random import HashedRandom

NAMES = ("ann", "bob", "cy")
MANY = items({str(topic): (10, 6, 4) for topic in range(12)})


def deal(items, chance: HashedRandom, rules: Rules, *before):
    return deal_blocks(in_blocks(items, chance), chance, rules, *before)


def firsts(shares) -> Counter:
    return Counter(number for queue in shares.queues.values() for number, again in queue if not again)


def test_alone_one_judges_everything_in_the_order_of_blocks() -> None:
    shares = deal(MANY, HashedRandom("a"), Rules(("ann",)))
    assert shares.queues["ann"] == [
        (item.number, False) for block in in_blocks(MANY, HashedRandom("a")) for item in block
    ]


def test_each_document_is_one_assessors_and_all_have_as_much() -> None:
    shares = deal(MANY, HashedRandom("a"), Rules(NAMES))
    assert firsts(shares) == Counter(range(len(MANY)))
    sizes = [len(shares.queues[name]) for name in NAMES]
    assert max(sizes) - min(sizes) <= 10
    assert shares.others == {}


@pytest.mark.parametrize("overlap", [0.1, 0.35, 1.0])
def test_a_random_share_goes_to_two(overlap: float) -> None:
    shares = deal(MANY, HashedRandom("a"), Rules(NAMES, overlap))
    counts = firsts(shares)
    assert Counter(counts.values()) == Counter({2: round(overlap * 240), 1: 240 - round(overlap * 240)}) + Counter()
    assert all(shares.others[number] != (shares.first[number],) for number in shares.others)
    loads = Counter(name for names in shares.others.values() for name in names)
    assert max(loads.values()) - min(loads.values()) <= 12
    larger = deal(MANY, HashedRandom("a"), Rules(NAMES, min(1.0, overlap + 0.2)))
    assert set(shares.others) <= set(larger.others)


@pytest.mark.parametrize(("overlap", "several"), [(1.0, 3), (0.25, 3), (0.5, 4)])
def test_shared_documents_go_to_as_many_as_are_asked_for(overlap: float, several: int) -> None:
    names = (*NAMES, "dora")
    shares = deal(MANY, HashedRandom("a"), Rules(names, overlap, per_document=several))
    who = {item.number: [name for name in names if (item.number, False) in shares.queues[name]] for item in MANY}
    counts = Counter(map(len, who.values()))
    assert counts == Counter({several: round(overlap * 240), 1: 240 - round(overlap * 240)}) + Counter()
    sizes = [len(shares.queues[name]) for name in names]
    assert max(sizes) - min(sizes) <= 30
    # The first two are who they are without the third, so that more judges may be asked for later on
    two = deal(MANY, HashedRandom("a"), Rules(names, overlap))
    assert two.first == shares.first
    assert all(shares.others[number][:1] == two.others[number] for number in two.others)


def test_a_third_judge_may_be_asked_for_later() -> None:
    before = deal(MANY, HashedRandom("a"), Rules(NAMES, 1.0))
    answered = {name: set(queue) for name, queue in before.queues.items()}
    after = deal(MANY, HashedRandom("a"), Rules(NAMES, 1.0, per_document=3), before, answered)
    assert all(set(before.queues[name]) <= set(after.queues[name]) for name in NAMES)
    assert set(firsts(after).values()) == {3}


@pytest.mark.slow
def test_every_document_is_as_likely_to_go_to_two() -> None:
    counts: Counter = Counter()
    for plan in range(300):
        counts.update(deal(MANY, HashedRandom(str(plan)), Rules(("ann", "bob"), 0.2)).others.keys())
    mean = sum(counts.values()) / 240
    assert mean == pytest.approx(60)
    spread = sum((counts[number] - mean) ** 2 for number in range(240)) / 240
    assert spread == pytest.approx(300 * 0.2 * 0.8, rel=0.35)  # as in independent draws


def test_topics_stay_together_with_documents_of_others_too() -> None:
    topic = {item.number: item.topic for item in MANY}

    def changes(queue) -> int:
        return sum(topic[a] != topic[b] for (a, _), (b, _) in pairwise(queue))

    alone, shared = (deal(MANY, HashedRandom("a"), Rules(NAMES, overlap)) for overlap in (0.0, 0.3))
    for name in NAMES:
        assert changes(shared.queues[name]) <= 2.5 * changes(alone.queues[name]) + 5


@pytest.mark.parametrize("names", [("ann",), NAMES])
def test_some_of_ones_own_come_again_much_later(names: tuple[str, ...]) -> None:
    shares = deal(MANY, HashedRandom("a"), Rules(names, 0.0, 0.1))
    for queue in shares.queues.values():
        first = {number: place for place, (number, again) in enumerate(queue) if not again}
        returns = [(number, place) for place, (number, again) in enumerate(queue) if again]
        assert len(returns) == len({number for number, _ in returns}) == round(0.1 * len(first))
        late = [place - first[number] > APART for number, place in returns]
        assert all(late[number] or first[entry[0]] > len(first) - APART for number, entry in enumerate(returns))


def test_who_joins_takes_from_what_is_left_and_nothing_is_lost() -> None:
    before = deal(MANY, HashedRandom("a"), Rules(("ann",), 0.1))
    answered = {"ann": set(before.queues["ann"][:50])}
    after = deal(MANY, HashedRandom("a"), Rules(("ann", "bob"), 0.1), before, answered)
    counts = firsts(after)
    assert set(counts) == set(range(240))
    assert set(counts.values()) == {1, 2}
    kept = {number for number, _ in before.queues["ann"][: 50 + NEXT]}
    assert all(after.first[number] == "ann" for number in kept)
    assert abs(len(after.queues["ann"]) - len(after.queues["bob"])) <= 20
    left = deal(MANY, HashedRandom("a"), Rules(("bob",)), after, {"ann": answered["ann"], "bob": set()})
    assert {number for number, again in left.queues["ann"] if not again} == {number for number, _ in answered["ann"]}
    assert Counter(left.first.values()) == {"ann": 50, "bob": 190}


def test_shares_follow_from_the_plan_and_the_names() -> None:
    one, two = (deal(MANY, HashedRandom("a"), Rules(NAMES, 0.1, 0.02)) for _ in range(2))
    assert one.queues == two.queues
    assert one.queues != deal(MANY, HashedRandom("b"), Rules(NAMES, 0.1, 0.02)).queues


def test_a_plan_of_one_document() -> None:
    shares = deal([Item(0, "1", "a", 1)], HashedRandom("a"), Rules(NAMES, 1.0, 1.0))
    assert sum(map(len, shares.queues.values())) == 4  # two people, twice each
