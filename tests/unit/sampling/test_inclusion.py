"""Inclusion probabilities, rounds, non-response, and files that come back as they went."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.kit.judged_campaigns import random_campaign, read_campaign

import poolwise
from poolwise import ArgumentError, InputError, PoolwiseWarning
from poolwise.pool.judgments import POOLED, Judgments
from poolwise.sampling.cells import cells_of

RUNS = {"run": {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in ("1", "2")}}
# Topic 1: stratum 1 holds a b (both judged), stratum 2 c d e f: c and d drawn in round 1 and 2, e drawn, not filled.
FILE = "1 1 a 1 1\n1 1 b 1 0\n1 1 c 2 0\n1 2 d 2 1\n1 2 e 2 -1\n1 0 f 2 -1\n2 1 a 1 0\n2 0 b 1 -1\n2 0 c 1 -1\n"


@pytest.fixture
def filled(tmp_path):
    (tmp_path / "filled.txt").write_text(FILE)
    with pytest.warns(PoolwiseWarning, match="1 of 6 drawn documents have no label"):
        return poolwise.read(tmp_path / "filled.txt", RUNS)


def test_inclusion_is_judged_by_pooled_in_each_stratum(filled):
    third = 1 / 3
    assert filled.judgments.inclusion().tolist() == [1, 1, 0.5, 0.5, 0.5, 0.5, third, third, third]
    assert filled.judgments.nonresponse().tolist() == [False] * 4 + [True] + [False] * 4
    assert any("1 of 6 drawn documents have no label" in message for message in filled.warnings)


def test_strata_that_wait_for_a_label_are_taken_together(tmp_path):
    """Three of four documents drawn have a label, none of those of stratum 2: the plan's rates times 3 / 4."""
    text = "1 1 a 1 1\n1 1 b 1 0\n1 1 c 1 0\n1 0 d 1 -1\n1 1 e 2 -1\n1 0 f 2 -1\n1 0 g 3 -1\n2 1 a 1 0\n2 0 b 1 -1\n"
    (tmp_path / "waiting.txt").write_text(text)
    with pytest.warns(PoolwiseWarning, match="1 of 5 drawn documents have no label"):
        found = poolwise.read(tmp_path / "waiting.txt", RUNS).judgments.inclusion()
    first, second = 3 / 4 * 3 / 4, 3 / 4 * 1 / 2
    assert found.tolist() == [first] * 4 + [second] * 2 + [0.0] + [0.5] * 2


@pytest.mark.slow
def test_rates_of_strata_taken_together_are_how_often_documents_are_judged():
    """Plans of 2 of 3 and 1 of 6 documents, of which the first in random order is judged: weights are unbiased."""
    random, trials = np.random.default_rng(1), 4000
    stratum = np.array([1] * 3 + [2] * 6)
    counted = np.zeros(9)
    for _ in range(trials):
        drawn = np.concatenate([random.choice(3, 2, replace=False), 3 + random.choice(6, 1)])
        judged = np.arange(9) == random.choice(drawn)
        found = cells_of(np.zeros(9, dtype=np.int64), stratum, np.isin(np.arange(9), drawn), judged)
        counted += judged / found.rates[found.of]
    assert counted / trials == pytest.approx(np.ones(9), abs=0.2)


def test_rates_by_round(filled):
    rates = filled.judgments.rates()
    rows = list(
        zip(
            rates.topic,
            *(getattr(rates, name).tolist() for name in ("stratum", "round", "left", "drawn", "judged")),
            strict=True,
        )
    )
    assert rows == [
        ("1", 1, 1, 2, 2, 2),
        ("1", 1, 2, 0, 0, 0),
        ("1", 2, 1, 4, 1, 1),
        ("1", 2, 2, 3, 2, 1),
        ("2", 1, 1, 3, 1, 1),
        ("2", 1, 2, 2, 0, 0),
    ]
    frame = rates.to_frame()
    assert frame["rate"].tolist() == [1, 0, 0.25, 1 / 3, 1 / 3, 0]
    # Without non-response the rounds multiply to the inclusion: 1 - (1 - 1/4)(1 - 2/3) = 3/4.
    complete = rates.drawn / np.maximum(rates.left, 1)
    assert 1 - (1 - complete[2]) * (1 - complete[3]) == pytest.approx(3 / 4)


def test_without_strata_a_topic_is_one_stratum():
    pool = poolwise.read({"1": {"a": 1, "b": -1, "c": -1, "d": 0}, "2": {"a": -1, "b": -1}}, RUNS)
    assert pool.judgments.inclusion().tolist() == [0.5] * 4 + [0.0] * 2
    assert pool.judgments.rates().round.tolist() == [1, 1]
    assert not pool.judgments.nonresponse().any()


def test_documents_outside_have_no_chance():
    labels, runs = random_campaign(1)
    judgments = read_campaign(labels, runs).judgments
    shallow = judgments.sample("depth", depth=3)
    inside = judgments.pool.best_ranks() <= 3
    assert (shallow.inclusion()[~inside] == 0).all()
    assert (shallow.inclusion()[inside] > 0).all()
    assert len(judgments.sample("pair", runs=("run0", "run1"), fraction=0.5).inclusion()) == len(inside)


def test_a_file_of_strata_without_rounds_is_no_reason_to_warn(tmp_path):
    (tmp_path / "strata.txt").write_text("1 0 a 3 1\n1 0 b 3 -1\n1 0 c 0 0\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pool = poolwise.read(tmp_path / "strata.txt", {"run": {"1": {"a": 1.0}}})
    assert pool.judgments.inclusion().tolist() == [0.5, 0.5, 1.0]


def test_labels_of_documents_that_were_not_drawn_are_noticed(tmp_path):
    (tmp_path / "picked.txt").write_text("1 1 a 1 1\n1 0 b 1 1\n1 0 c 1 -1\n")
    with pytest.warns(PoolwiseWarning, match="1 document has a label though it was not drawn"):
        poolwise.read(tmp_path / "picked.txt", {"run": {"1": {"a": 1.0}}})


def test_two_rounds_draw_each_document_as_often_as_inclusion_says():
    """n1 of N, then n2 of the rest: (n1 + n2) / N, whichever seeds the rounds have."""
    size, first, second, trials = 12, 3, 4, 4000
    pool = poolwise.read({"1": {f"d{i:02d}": i % 2 for i in range(size)}}, {"run": {"1": {"d00": 1.0}}})
    numbers = [np.stack([pool.core.random_numbers(seed, t) for t in range(trials)]) for seed in (1, 2)]
    early = np.argsort(np.argsort(numbers[0], axis=1), axis=1) < first
    left = np.where(early, np.iinfo(np.uint64).max, numbers[1])
    late = np.argsort(np.argsort(left, axis=1), axis=1) < second
    rounds = (early + 2 * late)[0].astype(np.int32)
    labels = np.where(rounds > 0, pool.judgments.labels, POOLED).astype(np.int32)
    judgments = Judgments(pool, labels, strata=np.ones(size, dtype=np.int32), rounds=rounds)
    expected = judgments.inclusion()
    assert expected.tolist() == [7 / 12] * size
    z = ((early | late).mean(axis=0) - expected) / np.sqrt(expected * (1 - expected) / trials)
    assert np.abs(z).max() < 4


DESIGNS = [
    ("reduce", {"fraction": 0.2}),
    ("uniform", {"fraction": 0.3}),
    ("depth", {"depth": 4}),
    ("depth_plus_random", {"depth": 4}),
    ("stratified", {"depth": 2}),
    ("pair", {"runs": ("run0", "run1"), "fraction": 0.4}),
    ("without", {"runs": "run0", "depth": 5}),
]


@pytest.mark.parametrize(("design", "settings"), DESIGNS)
def test_a_written_sample_reads_back_equal(tmp_path, design, settings):
    labels, runs = random_campaign(2)
    pool = read_campaign(labels, runs)
    drawn = pool.judgments.sample(design, seed=3, **settings)
    drawn.write(tmp_path / "sample.txt")
    scored = {
        name: {t: {d: -float(place) for place, d in enumerate(ranking)} for t, ranking in own.items()}
        for name, own in runs.items()
    }
    back = poolwise.read(tmp_path / "sample.txt", scored).judgments
    assert back.equals(drawn)
    assert drawn.equals(back)
    assert not back.equals(pool.judgments)
    assert {line.count(b" ") for line in drawn.to_text().splitlines()} == {3 if drawn.strata is None else 4}
    inside = drawn.inclusion()[drawn.inclusion() > 0]
    assert back.inclusion()[back.inclusion() > 0].tolist() == inside.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["sample.txt"]


def test_four_columns_are_trec_evals(tmp_path):
    pytrec_eval = pytest.importorskip("pytrec_eval")  # the quick tests do without other tools
    labels, runs = random_campaign(3)
    drawn = read_campaign(labels, runs).judgments.sample("uniform", fraction=0.3)
    drawn.write(tmp_path / "sample.txt")
    with open(tmp_path / "sample.txt", encoding="utf-8") as file:
        parsed = pytrec_eval.parse_qrel(file)
    assert {t: {d: y for d, y in own.items() if y != -1} for t, own in parsed.items()} == {
        topic: drawn.of(topic) for topic in drawn.pool.topics
    }


def test_five_columns_are_sample_evals():
    """sample_eval.pl splits the whole file at white space, and takes five words at a time."""
    labels, runs = random_campaign(3)
    drawn = read_campaign(labels, runs).judgments.sample("depth_plus_random", depth=3)
    words = drawn.to_text().decode().split()
    rows = list(zip(*(words[place::5] for place in range(5)), strict=True))
    found = {(topic, document): (int(stratum), int(label)) for topic, _, document, stratum, label in rows}
    assert len(found) == len(drawn.labels)
    assert sum(label != -1 for _, label in found.values()) == drawn.count()
    assert {stratum for stratum, _ in found.values()} == {1, 2}


def test_a_label_cannot_mean_two_things(tmp_path):
    pool = poolwise.read({"1": {"a": 1, "b": -1, "c": -3}}, RUNS, unjudged=-3)
    with pytest.raises(ArgumentError, match="label -1 is a label of these judgments"):
        pool.judgments.write(tmp_path / "wrong.txt")
    pool.judgments.write(tmp_path / "right.txt", unjudged=-3)
    assert poolwise.read(tmp_path / "right.txt", RUNS, unjudged=-3).judgments.equals(pool.judgments)


def test_topics_that_leave_the_pool_are_named(tmp_path):
    pool = poolwise.read({"1": {"a": 1}, "2": {"z": 1}}, RUNS)
    with pytest.warns(PoolwiseWarning, match="1 topic has no document left in the pool and is missing .*: 2"):
        pool.judgments.sample("depth", depth=2).write(tmp_path / "sample.txt")


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    pool = poolwise.read({"1": {"a": 1}}, RUNS)
    with pytest.raises(InputError, match="cannot be written"):
        pool.judgments.write(tmp_path / "nowhere" / "sample.txt")
