"""Laws that hold for every declared measure, checked by looping over the registry."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from tests.kit.measures import base_of, twin_value, variants
from tests.kit.strategies import DOCUMENTS, scored_topics
from tests.twins import TWINS, Topic

import poolwise as pw
from poolwise import _core
from poolwise.measures.measure import UNJUDGED, Measure
from poolwise.measures.registry import ALIASES, expand, measures, parse, why_not
from poolwise.pool.judgments import OUTSIDE, POOLED, Judgments

DECLARATIONS = [each for each in measures() if each.function is None]  # other tests declare measures of their own
LABELS = (-2, 0, 1, 2, 3)
EVERY = [measure for declaration in DECLARATIONS for measure in variants(declaration)]


def campaign_of(scored: dict[str, float], topic: Topic) -> pw.Campaign:
    """One run, one topic under test, and a second topic that holds the highest label."""
    labels = {**topic.labels, **dict.fromkeys(topic.pooled, -1)}
    qrels = {"anchor": {"a": max(LABELS)}, **({"t": labels} if labels else {})}
    run = {"anchor": {"a": 1.0}, **({"t": scored} if scored else {})}
    return pw.read(qrels, {"run": run})


def expected_of(measure: Measure, topic: Topic, scored: dict[str, float]) -> float:
    """What the twin says; a topic that the run lacks scores 0."""
    return twin_value(measure, topic) if scored or measure.declaration.counts_missing else 0.0


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@settings(max_examples=15, deadline=None)
@given(scored_topics(LABELS))
def test_equals_its_literal_twin(drawn):
    check_against_twins(*drawn)


@pytest.mark.parametrize(
    "declaration", [each for each in DECLARATIONS if not why_not(base_of(each))], ids=lambda each: each.name
)
@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_what_is_called_relative_falls_when_more_is_relevant_that_no_run_found(declaration):
    """Of some list; what is not, falls of none."""
    measure = base_of(declaration)
    measure = measure.require() if declaration.cutoff != "required" else (measure @ 5).require()
    fell = False
    for first in range(5):
        found = {f"d{place}": 1 + place % 2 if place >= first and place % 3 == 0 else 0 for place in range(12)}
        run = {"run": {"t": {document: -float(place) for place, document in enumerate(found)}}}
        few, many = (
            float(pw.read({"t": {**found, **dict.fromkeys(more, 2)}}, run).score(measure).means()[0, 0])
            for more in ((), ("x", "y", "z"))
        )
        assert declaration.relative or many >= few
        fell |= many < few
    assert fell == declaration.relative


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@settings(max_examples=40, deadline=None)
@given(scored_topics(LABELS))
def test_equals_its_literal_twin_on_many_topics(drawn):
    check_against_twins(*drawn)


def check_against_twins(topic: Topic, scored: dict[str, float]) -> None:
    """As it is read, and as a sample that leaves documents outside its pool, which the judgments list all the same."""
    pool = campaign_of(scored, topic)
    if "t" not in pool.topics:
        return
    scores = pool.score(*EVERY)
    listing = campaign_of(scored, listing_all(topic))
    sampled = listing.score(*EVERY, judgments=leaving_out(listing, topic))
    for measure in EVERY:
        expected = pytest.approx(expected_of(measure, topic, scored), abs=1e-12)
        assert scores.array(measure)[0, pool.topics.index("t")] == expected, measure
        assert sampled.array(measure)[0, listing.topics.index("t")] == expected, measure


def listing_all(topic: Topic) -> Topic:
    """The same with documents outside the pool judged non-relevant."""
    return replace(topic, labels={document: topic.labels.get(document, 0) for document in DOCUMENTS}, pooled=set())


def leaving_out(pool: pw.Campaign, topic: Topic) -> Judgments:
    """Judgments in which documents are judged, pooled or outside the pool as the topic says."""
    labels = pool.judgments.labels.copy()
    begin = pool.judgments.offsets[pool.topics.index("t")]
    for place, document in enumerate(pool.documents("t")[: len(DOCUMENTS)], begin):
        labels[place] = topic.labels.get(document, POOLED if document in topic.pooled else OUTSIDE)
    return Judgments(pool, labels, top=max(LABELS))


def test_every_kernel_is_declared_and_every_measure_has_kernel_and_twin():
    kernels = {declaration.kernel for declaration in DECLARATIONS if declaration.function is None}
    assert kernels == set(_core.KERNELS)
    assert kernels <= set(TWINS)


def test_every_parameter_has_examples_that_change_the_name():
    for declaration in DECLARATIONS:
        for parameter in declaration.parameters:
            assert parameter.examples, (declaration.name, parameter.name)
            names = {str(Measure(declaration, {parameter.name: value})) for value in parameter.examples}
            assert len(names | {declaration.name}) == 1 + len(parameter.examples)


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda declaration: declaration.name)
def test_names_parse_back(declaration):
    for measure in variants(declaration):
        assert parse(str(measure)) == measure
        assert str(parse(str(measure))) == str(measure)


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda declaration: declaration.name)
def test_declaration_is_complete(declaration):
    assert declaration.summary
    assert declaration.description.endswith(".")
    assert declaration.citation
    assert declaration.unjudged in UNJUDGED
    assert not declaration.summary.endswith(".")
    assert all(parameter.help and parameter.allowed() for parameter in declaration.parameters)


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda declaration: declaration.name)
def test_aliases_are_the_measure_they_are_declared_for(declaration):
    for alias in declaration.aliases:
        assert ALIASES[alias] == declaration.aliases[alias]
        assert parse(alias.format(1)).name == declaration.name
        assert {measure.name for _, measure in expand(alias.format(1))} == {declaration.name}  # a family has several


def simulated(seed: int = 3) -> tuple[dict, dict]:
    """Two topics, two runs, judged, pooled and outside documents."""
    draw = random.Random(seed)
    qrels, runs = {}, {"x": {}, "y": {}}
    for topic in ("1", "2", "10"):
        documents = [f"doc{i}" for i in range(60)]
        qrels[topic] = {d: draw.choice([-2, -1, 0, 0, 1, 2, 3]) for d in documents[:40]}
        for run in runs.values():
            run[topic] = {d: float(draw.randrange(30)) for d in draw.sample(documents, 45)}
    return qrels, runs


def values(qrels, runs):
    scores = pw.read(qrels, runs).score(*EVERY)
    return {
        (str(m), r): [scores.array(m)[i, scores.topics.index(t)] for t in sorted(qrels)]
        for m in EVERY
        for i, r in enumerate(scores.runs)
    }


def test_scores_lie_within_declared_bounds():
    qrels, runs = simulated()
    scores = pw.read(qrels, runs).score(*EVERY)
    for measure in EVERY:
        if measure.parameters.get("negative") == "keep":
            continue  # the one score that may leave its range
        low, high = measure.declaration.bounds
        if measure.parameters.get("discount") == "linear" or not isinstance(measure.parameters.get("discount"), tuple):
            assert low - 1e-12 <= scores.array(measure).min(), measure
            assert scores.array(measure).max() <= high + 1e-12, measure


def test_order_of_topics_and_documents_and_names_does_not_matter():
    qrels, runs = simulated()
    expected = values(qrels, runs)
    shuffled_qrels = {t: dict(sorted(qrels[t].items(), key=lambda pair: hash(pair[0]))) for t in reversed(qrels)}
    shuffled_runs = {r: {t: dict(reversed(runs[r][t].items())) for t in reversed(runs[r])} for r in reversed(runs)}
    assert values(shuffled_qrels, shuffled_runs) == expected

    def renamed(table):  # keeps the order of names, hence of ties
        return {t: {f"a-longer-{d}-name": v for d, v in documents.items()} for t, documents in table.items()}

    assert values(renamed(qrels), {r: renamed(run) for r, run in runs.items()}) == expected


def has_another_ideal(measure: Measure) -> bool:
    return (
        isinstance(measure.parameters.get("gain"), tuple)  # lower labels may be worth more
        or bool(measure.cutoff and measure.cutoff < 12 and measure.declaration.kernel in ("AP", "Q"))  # R stays whole
        or measure.parameters.get("normalize") is False
    )


@pytest.mark.parametrize(
    "declaration", [each for each in DECLARATIONS if each.perfect is not None], ids=lambda each: each.name
)
def test_perfect_ranking_has_the_declared_value(declaration):
    qrels = {"1": {f"d{i}": label for i, label in enumerate([3, 3, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0])}}
    perfect = {"1": {d: float(100 - i) for i, d in enumerate(qrels["1"])}}
    ideal = [measure for measure in variants(declaration) if not has_another_ideal(measure)]
    assert ideal
    scores = pw.read(qrels, perfect).score(*ideal)
    near = 1e-4 if declaration.name.startswith(("inf", "xinf", "iP")) else 1e-12
    for measure in ideal:
        assert scores.array(measure)[0, 0] == pytest.approx(declaration.perfect, abs=near), measure


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda declaration: declaration.name)
def test_unjudged_documents_count_as_declared(declaration):
    measure = base_of(declaration)
    measure = measure @ 8 if declaration.cutoff == "required" else measure
    qrels = {"1": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 1}}
    order = ["a", "u1", "b", "c", "u2", "d", "e"]

    def value(qrels, order, measure=measure):
        run = {"1": {d: float(-i) for i, d in enumerate(order)}}
        return pw.read(qrels, run).score(measure).array(measure)[0, 0]

    asked = value(qrels, order)
    as_nonrelevant = value({"1": {**qrels["1"], "u1": 0, "u2": 0}}, order)
    without = value(qrels, [d for d in order if not d.startswith("u")])
    if declaration.unjudged == "count as non-relevant":
        assert asked == as_nonrelevant
    elif declaration.unjudged == "are left out":
        assert asked == without
    elif declaration.unjudged == "are estimated":
        pooled = value({"1": {**qrels["1"], "u1": -1, "u2": -1}}, order)
        assert pooled > asked  # pooled ones may be relevant, those outside the pool are not
    elif declaration.unjudged == "are what is measured":
        assert asked != as_nonrelevant
    else:
        assert declaration.name in ("NumQ", "NumRet", "NumRel")
    if declaration.condensable:
        assert value(qrels, order, measure.condensed) == value(
            qrels, [d for d in order if d[0] != "u"], measure.condensed
        )


@settings(max_examples=100, deadline=None)
@given(scored_topics((0, 1), ties=False))
@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_identities_on_binary_labels(drawn):
    topic, scored = drawn
    if not topic.labels and not topic.pooled:
        return
    names = (
        "bpref_relative2",
        "AP'",
        "rpref_N(top=1)",
        "bpref_N",
        "rpref_relative2",
        "bpref",
        "bpref_R",
        "Q(beta=0)",
        "AP",
    )
    qrels = {"t": {**topic.labels, **dict.fromkeys(topic.pooled, -1)}}
    pool = pw.read(qrels, {"run": {"t": scored or {"none": 1.0}}})
    scores = pool.score(*names)
    value = {name: scores.array(name)[0, 0] for name in names}
    assert value["bpref_relative2"] == value["AP'"]
    assert value["rpref_N(top=1)"] == pytest.approx(value["bpref_N"], abs=1e-12)
    assert value["rpref_relative2"] == pytest.approx(value["AP'"], abs=1e-12)
    assert value["Q(beta=0)"] == pytest.approx(value["AP"], abs=1e-12)
    relevant = sum(label >= 1 for label in topic.labels.values())
    if relevant <= len(topic.labels) - relevant:
        assert value["bpref"] == value["bpref_R"]
    if relevant >= len(topic.labels) - relevant:
        assert value["bpref"] == value["bpref_N"]


def test_negative_choices_agree_without_negative_labels():
    qrels, runs = simulated()
    qrels = {t: {d: max(label, 0) for d, label in documents.items()} for t, documents in qrels.items()}
    names = [f"nDCG(negative='{choice}')@10" for choice in ("zero", "keep", "minmax")]
    scores = pw.read(qrels, runs).score(*names)
    assert (scores.array(names[0]) == scores.array(names[1])).all()
    assert abs(scores.array(names[0]) - scores.array(names[2])).max() < 1e-15
