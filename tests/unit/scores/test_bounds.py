"""Bounds against every assignment of labels, scored by the literal twins."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.kit.measures import twin_value, variants
from tests.twins import Topic

import poolwise as pw
from poolwise import _core
from poolwise.errors import ArgumentError
from poolwise.measures.measure import REPORTED
from poolwise.measures.registry import measures, parse

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

DOCUMENTS = [f"d{number}" for number in range(10)]
BINARY = (0, 1)
GRADED = (0, 1, 3)
NEGATIVE = (-2, 0, 1, 2)
CORNERS = [
    *("AP'", "AP(rel=0)", "P(rel=5)@3", "Rprec(rel=0)", "nDCG'@4", "nDCG(gain={0: 1, 1: 2, 3: 7})@4", "Q(rel=0)@2"),
    *("nDCG(gain={-2: -4, 0: -1, 1: 2}, negative='keep')", "nDCG(gain={-2: -4, 0: -1, 1: 2}, negative='minmax')"),
    *("nDCG(discount=[0.2, 1, 0.5, 0.7])@4", "Q(gain='exp', beta=3)@4", "bpref_N(rel=0)"),
    *("rpref_N(gain={0: 1, 1: 2, 2: 4, 3: 8})", "rpref_relative2(gain={0: 1, 1: 2, 3: 2})"),
]
CUTOFFS = {"none": (None,), "optional": (None, 3), "required": (3,)}
MEASURES = [
    *(
        measure
        for declaration in measures()
        if declaration.function is None and not declaration.estimates and declaration.unjudged != REPORTED
        for measure in variants(declaration, CUTOFFS, condensed=False)
    ),
    *map(parse, CORNERS),
]
MAY_BE_OUTER = ("Q", "rpref_N", "rpref_relative", "rpref_relative2")
OUTER_IF_GRADED = ("nERR", "NCU", "Omeasure", "Pmeasure", "Pplus", "Compat")


@st.composite
def open_topics(draw, labels, most_open):
    """Judged documents, some retrieved, and at most so many retrieved documents without a label."""
    ranking = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
    open_documents = draw(st.lists(st.sampled_from(ranking), max_size=most_open, unique=True))
    states = {each: draw(st.sampled_from(["pooled", "outside"])) for each in open_documents}
    for each in DOCUMENTS:
        if each not in states:
            known = list(labels) if each in ranking else [*labels, "pooled", "outside"]
            states[each] = draw(st.sampled_from(known))
    judged = {each: state for each, state in states.items() if not isinstance(state, str)}
    pooled = {each for each, state in states.items() if state == "pooled"}
    assume(judged or pooled)
    return Topic(ranking, judged, pooled, top=max(labels)), open_documents


def campaign_of(topic, labels):
    """The topic, and another one that shows all labels of the collection."""
    anchor = {f"label{label}": label for label in labels}
    qrels = {"anchor": anchor, "t": {**topic.labels, **dict.fromkeys(topic.pooled, -1)}}
    run = {each: float(-place) for place, each in enumerate(topic.ranking)}
    return pw.read(qrels, {"run": {"t": run}})


def every_assignment(topic, open_documents, labels):
    """The topic with every choice of labels for the open documents."""
    for chosen in product(labels, repeat=len(open_documents)):
        judged = {**topic.labels, **dict(zip(open_documents, chosen, strict=True))}
        yield Topic(topic.ranking, judged, topic.pooled - set(judged), top=topic.top)


def some_of(assigned):
    """All topics, where bounds are worked out; else a few, as the same declared bounds hold for whatever labels."""
    few = assigned[:: max(1, len(assigned) // 5)]
    return lambda measure: assigned if measure.declaration.kernel in _core.BOUNDED else few


def outer_measures(scores):
    """The measures that a warning calls outer bounds."""
    said = next((message for message in scores.warnings if message.startswith("outer bound")), "")
    return _split(said.removeprefix("outer bound: the bounds of ").partition(" hold every")[0])


def wrong_bounds(drawn, labels):
    """Measures whose bounds are not the lowest and highest value of all assignments, with what was found."""
    topic, open_documents = drawn
    pool = campaign_of(topic, labels)
    # rpref_N is not defined where the highest label has no gain.
    wanted = [measure for measure in MEASURES if "N(gain={0" not in str(measure) or max(labels) == 3]
    scores = pool.score(*wanted, interval="bounds")
    at, outer = pool.topics.index("t"), outer_measures(scores)
    topics_for = some_of(list(every_assignment(topic, open_documents, labels)))
    found = []
    for measure in wanted:
        low, high = scores.low(measure)[0, at], scores.high(measure)[0, at]
        values = [twin_value(measure, each) for each in topics_for(measure)]
        if str(measure) in outer:
            right = may_be_outer(measure, labels) and low <= min(values) + 1e-12 and high >= max(values) - 1e-12
        else:
            right = [low, high] == pytest.approx([min(values), max(values)], abs=1e-12)
        if not right:
            found.append(f"{measure} of {topic}, open {open_documents}: {low} to {high}")
    return found


def may_be_outer(measure, labels):
    """Several gains of a Q-measure or graded preference; nDCG with rising discounts, or scaled without a gain of 0.

    Measures whose extremes are not worked out have the bounds of their declaration.
    """
    if measure.declaration.kernel not in _core.BOUNDED or measure.parameters.get("compat"):
        return True
    if measure.name == "nDCG":
        return "discount=[0.2" in str(measure) or "0: -1, 1: 2}, negative='minmax'" in str(measure)
    graded = len([label for label in labels if label > 0]) > 1 or "{0: 1" in str(measure) or "rel=0" in str(measure)
    if measure.name in OUTER_IF_GRADED:
        return graded
    return measure.name in MAY_BE_OUTER and graded and "binary" not in str(measure) and "beta=0" not in str(measure)


def _split(names):
    """Cut at the commas between measures, not at those within brackets."""
    found, depth = [""], 0
    for character in names:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [name.strip() for name in found]


@pytest.mark.slow
@given(open_topics(BINARY, 5))
@settings(max_examples=25, deadline=None)
def test_binary_labels(drawn):
    assert wrong_bounds(drawn, BINARY) == []


@pytest.mark.slow
@given(open_topics(GRADED, 3))
@settings(max_examples=25, deadline=None)
def test_graded_labels(drawn):
    assert wrong_bounds(drawn, GRADED) == []


@pytest.mark.slow
@given(open_topics(NEGATIVE, 3))
@settings(max_examples=25, deadline=None)
def test_negative_labels(drawn):
    assert wrong_bounds(drawn, NEGATIVE) == []


def test_measures_without_worked_out_bounds_have_finite_declared_ones():
    named = {declaration.kernel for declaration in measures() if declaration.function is None}
    assert set(_core.BOUNDED) <= named
    for declaration in measures():
        if declaration.function is None and not declaration.estimates and declaration.kernel not in _core.BOUNDED:
            assert all(map(math.isfinite, declaration.bounds)), declaration.name


QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "d": 2, "e": -1}}
RUNS = {
    "x": {"1": {"a": 3.0, "z": 2.0, "c": 1.0}, "2": {"e": 2.0, "d": 1.0}},
    "y": {"1": {"c": 3.0, "b": 2.0, "a": 1.0}},
}


def test_a_worked_example():
    scores = pw.read(QRELS, RUNS).score("AP", "P@2", interval="bounds")
    # x on topic 1: z at rank 2 relevant: (1 + 1 + 1) / 3; or not: (1 + 2/3) / 2. On topic 2: 1, or 1/2.
    assert scores.low("AP")[0] == pytest.approx([5 / 6, 1 / 2])
    assert scores.high("AP")[0] == pytest.approx([1, 1])
    assert scores.mean_low()[0] == pytest.approx([(5 / 6 + 1 / 2) / 2, 0.5])
    assert scores.mean_high()[0] == pytest.approx([1, 1])
    # y has only judged documents on topic 1 and lacks topic 2: nothing is open.
    for end in (scores.low, scores.high):
        assert (end("AP")[1] == scores.array("AP")[1]).all()
    assert scores.interval.kind == "bounds"
    assert scores.interval.level is None
    assert scores.settings["interval"] == "bounds"


def test_what_the_judgments_themselves_say_is_known():
    names = [
        f"{each.name}@2" if each.cutoff == "required" else each.name for each in measures() if each.unjudged == REPORTED
    ]
    scores = pw.read(QRELS, RUNS).score(*names, interval="bounds")
    for name in names:
        assert (scores.low(name) == scores.array(name)).all()
        assert (scores.high(name) == scores.array(name)).all()


def test_counts_are_summed_and_missing_topics_skipped():
    pool = pw.read(QRELS, RUNS)
    scores = pool.score("NumRel", "AP", interval="bounds", missing="skip")
    assert scores.mean_low()[:, 0].tolist() == [3, 2]
    assert scores.mean_high()[:, 0].tolist() == [5, 2]
    assert scores.mean_low()[1, 1] == scores.means()[1, 1] == scores.array("AP")[1, 0]


def test_zero_is_a_label_of_every_collection():
    scores = pw.read({"1": {"a": 1, "b": 1}}, {"x": {"1": {"a": 3.0, "z": 2.0, "b": 1.0}}}).score(
        "P@3", interval="bounds"
    )
    assert scores.low("P@3")[0, 0] == pytest.approx(2 / 3)
    assert scores.high("P@3")[0, 0] == 1


def test_an_estimator_has_the_bounds_of_what_it_estimates():
    pairs = {"infAP": "AP", "xinfAP(rel=2)": "AP(rel=2)", "iP@3": "P@3"}
    pairs |= {"infNDCG(gain='exp')": "nDCG(gain='exp')@1000", "infNDCG@2": "nDCG@2"}
    scores = pw.read(QRELS, RUNS).score(*pairs, *pairs.values(), interval="bounds")
    for estimator, measure in pairs.items():
        assert (scores.low(estimator) == scores.low(measure)).all()
        assert (scores.high(estimator) == scores.high(measure)).all()
    assert any("infAP (of AP)" in message for message in scores.warnings)


def test_many_samples_and_threads():
    import numpy as np

    pool = pw.read(QRELS, RUNS)
    hidden = pool.judgments.labels.copy()
    hidden[0] = _core.POOLED
    sets = [pool.judgments, pw.Judgments(pool, hidden.astype(np.int32))]
    many = pool.score("AP", "nDCG", "Q", judgments=sets, interval="bounds", threads=3)
    assert many.low("AP").shape == (2, 2, 2)
    assert many.mean_low().shape == (2, 2, 3)
    for number, each in enumerate(sets):
        alone = pool.score("AP", "nDCG", "Q", judgments=each, interval="bounds", threads=1)
        assert (many.low("nDCG")[number] == alone.low("nDCG")).all()
        assert (many.mean_high()[number] == alone.mean_high()).all()


def test_own_measures():
    import numpy as np

    @pw.measure("FirstLabel", monotone=True)
    def first_label(labels, judged):
        "labels of the first two documents, and how many are judged"
        return float(np.nan_to_num(labels[:2]).sum() + 10 * len(judged))

    @pw.measure("Flat", bounds=(-1, 1))
    def flat(labels):
        "nothing much"
        return 0.5

    @pw.measure("Boundless")
    def boundless(labels):
        "nothing at all"
        return 0.0

    pool = pw.read(QRELS, RUNS)
    scores = pool.score(first_label, flat, "AP", interval="bounds")
    assert scores.array("FirstLabel").tolist() == [[31, 22], [31, 0]]
    assert scores.low("FirstLabel").tolist() == [[41, 32], [31, 0]]  # z and e are judged then
    assert scores.high("FirstLabel").tolist() == [[43, 34], [31, 0]]
    assert scores.low("Flat").tolist() == [[-1, -1], [0.5, 0.0]]
    assert scores.high("Flat").tolist() == [[1, 1], [0.5, 0.0]]
    assert outer_measures(scores) == ["Flat"]
    with pytest.raises(ArgumentError, match="Boundless has no bounds; declare it with monotone=True"):
        pool.score(boundless, interval="bounds")
