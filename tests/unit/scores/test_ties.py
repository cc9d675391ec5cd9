"""Scores over orders of ties, against every order scored by the literal twins."""

from __future__ import annotations

import dataclasses
import itertools
import random
from math import factorial, prod

import numpy as np
import pandas
import pytest
from tests.kit.measures import twin_value, variants
from tests.twins import Topic

import poolwise as pw
from poolwise import _core
from poolwise.errors import ArgumentError
from poolwise.measures.registry import measures, parse

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

CUTOFFS = {"none": (None,), "optional": (None, 3), "required": (3,)}
EVERY = [each for declared in measures() if declared.function is None for each in variants(declared, CUTOFFS)]
CLOSED = [each for each in EVERY if each.declaration.kernel in _core.EXPECTED]
LABELS = (-2, 0, 0, 1, 2, 3)


def drawn(seed: int, scores: int, size: int) -> tuple[Topic, dict[str, float]]:
    """A topic with judged, pooled and other documents, and scores of which few differ."""
    draw = random.Random(seed)
    documents = [f"d{number}" for number in range(size + 2)]
    labels = {each: draw.choice(LABELS) for each in documents if draw.random() < 0.7}
    pooled = {each for each in documents if each not in labels and draw.random() < 0.5}
    scored = {each: float(draw.randrange(scores)) for each in draw.sample(documents, size)}
    return Topic([], {**labels, "never": 1}, pooled, top=3), scored


def pool_of(topic: Topic, scored: dict[str, float]) -> pw.Campaign:
    qrels = {"anchor": {"a": 3}, "t": {**topic.labels, **dict.fromkeys(topic.pooled, -1)}}
    return pw.read(qrels, {"run": {"anchor": {"a": 1.0}, "t": scored}})


def every_value(topic: Topic, scored: dict[str, float], wanted) -> np.ndarray:
    """Orders x measures, by the twins; orders that only swap documents of one label or state have the same values."""
    groups = {score: [each for each in scored if scored[each] == score] for score in sorted(set(scored.values()))[::-1]}
    rows, seen = [], {}
    for orders in itertools.product(*map(itertools.permutations, groups.values())):
        ranking = [each for order in orders for each in order]
        states = tuple(topic.labels.get(each, "pooled" if each in topic.pooled else "outside") for each in ranking)
        if states not in seen:
            tried = Topic(ranking, topic.labels, topic.pooled, top=topic.top)
            seen[states] = [twin_value(measure, tried) for measure in wanted]
        rows.append(seen[states])
    return np.array(rows)


def number_of_orders(scored: dict[str, float]) -> int:
    sizes = [list(scored.values()).count(score) for score in set(scored.values())]
    return prod(factorial(size) for size in sizes)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_few_orders_are_all_tried_by_every_measure(seed):
    topic, scored = drawn(seed, scores=5, size=6)
    assert number_of_orders(scored) <= 120
    values = every_value(topic, scored, EVERY)
    pool = pool_of(topic, scored)
    at = pool.topics.index("t")
    expected, ranges = pool.score(*EVERY, ties="expected"), pool.score(*EVERY, ties="range")
    for place, measure in enumerate(EVERY):
        assert expected.array(measure)[0, at] == pytest.approx(values[:, place].mean(), abs=1e-12), measure
        ends = [ranges.low(measure)[0, at], ranges.high(measure)[0, at]]
        assert ends == pytest.approx([values[:, place].min(), values[:, place].max()], abs=1e-12), measure


def test_orders_of_estimators_are_weighed_by_stratum():
    """Half of the first stratum is judged, a third of the second; as twins score every order."""
    strata = {"a": 1, "b": 1, "c": 1, "d": 1, "e": 2, "f": 2, "g": 2}
    labels = {"a": 1, "c": 0, "f": 2}
    scored = {"f": 3.0, "b": 2.0, "a": 2.0, "c": 2.0, "g": 1.0, "e": 1.0, "elsewhere": 0.5}
    topic = Topic([], labels, set(strata) - set(labels), strata=strata, top=2)
    wanted = [parse(name) for name in ("xinfAP", "infNDCG", "statAP")]
    tied = [["f"], ["b", "a", "c"], ["g", "e"], ["elsewhere"]]
    rankings = [list(itertools.chain(*order)) for order in itertools.product(*map(itertools.permutations, tied))]
    values = np.array(
        [[twin_value(measure, dataclasses.replace(topic, ranking=each)) for measure in wanted] for each in rankings]
    )
    rows = [("t", document, labels.get(document, -1), stratum) for document, stratum in strata.items()]
    qrels = pandas.DataFrame(rows, columns=["topic", "document", "label", "stratum"])
    pool = pw.read(qrels, {"t": scored})
    assert np.ptp(values, axis=0).min() > 0
    assert pool.score(*wanted, ties="expected").means()[0] == pytest.approx(values.mean(0), abs=1e-12)
    ranges = pool.score(*wanted, ties="range")
    assert ranges.mean_low()[0] == pytest.approx(values.min(0), abs=1e-12)
    assert ranges.mean_high()[0] == pytest.approx(values.max(0), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_orders_have_closed_forms(seed):
    topic, scored = drawn(seed, scores=2, size=7)
    assert number_of_orders(scored) > 120
    values = every_value(topic, scored, CLOSED)
    pool = pool_of(topic, scored)
    found = pool.score(*CLOSED, ties="expected")
    for place, measure in enumerate(CLOSED):
        mean = found.array(measure)[0, pool.topics.index("t")]
        assert mean == pytest.approx(values[:, place].mean(), abs=1e-12), measure


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 13])
def test_the_range_of_many_orders_is_that_of_all(seed):
    topic, scored = drawn(seed, scores=2, size=7)
    wanted = [each for each in EVERY if not each.declaration.estimates]
    values = every_value(topic, scored, wanted)
    pool = pool_of(topic, scored)
    found = pool.score(*wanted, ties="range")
    for place, measure in enumerate(wanted):
        at = pool.topics.index("t")
        ends = [found.low(measure)[0, at], found.high(measure)[0, at]]
        assert ends == pytest.approx([values[:, place].min(), values[:, place].max()], abs=1e-12), measure


def test_a_range_that_may_be_wider_is_said_to_be():
    topic, scored = drawn(12, scores=2, size=7)
    wanted = [parse("G(gain='exp')"), parse("AP")]
    values = every_value(topic, scored, wanted)
    pool = pool_of(topic, scored)
    with pytest.warns(pw.PoolwiseWarning, match=r"^G\(gain='exp'\): rankings with more than 120 orders") as said:
        found = pool.score(*wanted, ties="range")
    assert any("may reach a little farther" in words for words in found.warnings)
    assert "AP" not in str(said[0].message).partition(":")[0]
    at = pool.topics.index("t")
    low, high = found.low(wanted[0])[0, at], found.high(wanted[0])[0, at]
    assert values[:, 0].min() < low < high < values[:, 0].max()  # the reason for the note
    assert found.high("AP")[0, at] == pytest.approx(values[:, 1].max(), abs=1e-12)


def test_what_has_no_closed_form_is_drawn():
    topic, scored = drawn(3, scores=1, size=7)
    wanted = [parse("ERR(top=3)"), parse("bpref"), parse("Q")]
    values = every_value(topic, scored, wanted)
    pool = pool_of(topic, scored)
    with pytest.warns(pw.PoolwiseWarning, match="have the mean of 1000 of these"):
        found = pool.score(*wanted, ties="expected")
    for place, measure in enumerate(wanted):
        error = 5 * values[:, place].std() / 1000**0.5
        mean = found.array(measure)[0, pool.topics.index("t")]
        assert mean == pytest.approx(values[:, place].mean(), abs=error + 1e-12)
    again = pool.score(*wanted, ties="expected", threads=2)
    assert (again.array("Q") == found.array("Q")).all()


def test_a_constant_scorer_is_chance():
    """All documents tied: precision is the share of relevant ones, whatever they are called."""
    qrels = {"1": {f"a{number}": int(number < 5) for number in range(20)}}
    run = {"1": dict.fromkeys(qrels["1"], 0.5)}
    pool = pw.read(qrels, run)
    assert pool.score("P@4", "R@10", ties="expected").to_dict() == {"run": {"P@4": 0.25, "R@10": 0.5}}
    assert pool.score("P@4").to_dict() != pool.score("P@4", ties="expected").to_dict()
    ranges = pool.score("P@4", ties="range")
    assert (ranges.mean_low().item(), ranges.mean_high().item()) == (0.0, 1.0)
    assert ranges.settings["ties"] == "range"


def test_without_ties_nothing_changes():
    qrels = {"1": {"a": 1, "b": 0, "c": 2}}
    pool = pw.read(qrels, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}})
    wanted = [each for each in EVERY if each.cutoff is None]
    usual, expected = pool.score(*wanted), pool.score(*wanted, ties="expected")
    assert all((usual.array(each) == expected.array(each)).all() for each in wanted)
    ranges = pool.score(*wanted, ties="range")
    assert all((ranges.low(each) == ranges.high(each)).all() for each in wanted)


def test_ties_come_back_from_a_worker():
    import pickle

    topic, scored = drawn(2, scores=2, size=7)
    pool = pool_of(topic, scored)
    there = pickle.loads(pickle.dumps(pool))
    assert (there.score("AP", ties="expected").array("AP") == pool.score("AP", ties="expected").array("AP")).all()


@pw.measure("SharpStart")
def sharp_start(labels, judged, depth=3):
    """Labels of the first documents, each worth half of the one before, and how many are unjudged."""
    first = labels[:depth]
    return float(np.nan_to_num(first) @ 0.5 ** np.arange(len(first)) + np.isnan(first).sum() / 100 + judged[0] / 10)


def own_values(scored: dict[str, float], labels: dict[str, int]) -> list[float]:
    """The measure above on every order of ties."""
    groups = [[d for d in scored if scored[d] == score] for score in sorted(set(scored.values()), reverse=True)]
    top = np.array([max(labels.values())])
    return [
        sharp_start.declaration.function(
            np.array([float(labels.get(d, np.nan)) for group in order for d in group]), top
        )
        for order in itertools.product(*(itertools.permutations(group) for group in groups))
    ]


def test_measures_of_ones_own_have_every_order_tried():
    scored = {"a": 2.0, "b": 2.0, "c": 2.0, "d": 1.0, "e": 1.0}
    labels = {"a": 0, "b": 3, "d": 1}
    values = own_values(scored, labels)
    pool = pw.read({"1": labels}, {"1": scored})
    found = pool.score("AP", "SharpStart", "P@2", ties="expected")
    assert found.array("SharpStart").item() == pytest.approx(np.mean(values), abs=1e-12)
    assert found.array("P@2").item() == pool.score("P@2", ties="expected").array("P@2").item()
    ranges = pool.score("SharpStart", ties="range")
    assert ranges.mean_low().item() == pytest.approx(min(values), abs=1e-12)
    assert ranges.mean_high().item() == pytest.approx(max(values), abs=1e-12)


def test_measures_of_ones_own_have_many_orders_drawn():
    labels = {"a": 0, "b": 3, "c": 1, "d": 1, "e": 2, "f": 0, "g": 0}
    values = own_values(dict.fromkeys(labels, 1.0), labels)
    pool = pw.read({"1": labels}, {"1": dict.fromkeys(labels, 1.0)})
    with pytest.warns(pw.PoolwiseWarning, match="SharpStart: rankings with more than 120 orders"):
        found = pool.score("SharpStart", ties="expected").array("SharpStart").item()
    assert found == pytest.approx(np.mean(values), abs=5 * np.std(values) / 1000**0.5)
    ranges = pool.score("SharpStart", ties="range")
    assert (ranges.mean_low().item(), ranges.mean_high().item()) == pytest.approx((min(values), max(values)))


def test_labels_with_decimals():
    """Gains are the labels' values, whatever number a label has among them."""
    scored = {"a": 1.0, "b": 1.0, "c": 0.5}
    pool = pw.read({"1": {"a": 0.5, "b": 2.75, "c": 1.0}}, {"1": scored})
    expected = np.mean([0.5 + 2.75 / np.log2(3), 2.75 + 0.5 / np.log2(3)])
    assert pool.score("DCG@2", ties="expected").array("DCG@2").item() == pytest.approx(expected, abs=1e-12)
    ranges = pool.score("P(rel=1)@1", ties="range")
    assert (ranges.mean_low().item(), ranges.mean_high().item()) == (0.0, 1.0)


def test_draws_do_not_depend_on_other_topics():
    labels = {"a": 0, "b": 3, "c": 1, "d": 1, "e": 2, "f": 0, "g": 0}
    tied = dict.fromkeys(labels, 1.0)
    alone = pw.read({"2": labels}, {"2": tied}).score("Q", ties="expected").array("Q")[0, 0]
    among = pw.read({"1": labels, "2": labels}, {"1": tied, "2": tied}).score("Q", ties="expected").array("Q")[0, 1]
    assert alone == among


def test_what_ties_do_not_go_with():
    pool = pw.read({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}})
    with pytest.raises(ArgumentError, match="one of"):
        pool.score("AP", ties="some")
    with pytest.raises(ArgumentError, match="go without an interval"):
        pool.score("AP", ties="range", interval="bounds")
