"""The designs against their slow twins, their counts, and what makes a draw random."""

from __future__ import annotations

import random
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from tests.kit.judged_campaigns import TOPICS, as_dicts, random_campaign, read_campaign, strata_of
from tests.twins import designs as twin

import poolwise
from poolwise import ArgumentError
from poolwise.errors import PoolwiseWarning
from poolwise.lab.simulate.drawing import simulate
from poolwise.pool.judgments import POOLED


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fraction", ["0.01", "0.1", "1/3", "0.7", "1"])
def test_reduce_uniform_and_pair_are_their_twins(seed, fraction):
    labels, runs = random_campaign(seed)
    judgments, share = read_campaign(labels, runs).judgments, Fraction(fraction)
    for rounding in ("up", "down"):
        drawn = judgments.sample("reduce", fraction=fraction, rounding=rounding, seed=seed, trial=3)
        assert as_dicts(drawn) == twin.reduce(labels, share, rounding, 1, seed, 3)
    assert as_dicts(judgments.sample("reduce", fraction=fraction, rel=2)) == twin.reduce(labels, share, rel=2)
    assert as_dicts(judgments.sample("uniform", fraction=fraction, seed=seed)) == twin.uniform(labels, share, seed)
    drawn = judgments.sample("pair", runs=("run0", "run3"), fraction=fraction, seed=7)
    assert as_dicts(drawn) == twin.pair(labels, runs, "run0", "run3", share, 7)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, 10, 100])
@pytest.mark.parametrize("contributing", [None, ["run1", "run3"]])
def test_depth_designs_are_their_twins(seed, k, contributing):
    labels, runs = random_campaign(seed)
    judgments = read_campaign(labels, runs).judgments
    names = contributing or list(runs)
    assert as_dicts(judgments.sample("depth", depth=k, contributing=contributing)) == twin.depth(labels, runs, names, k)
    drawn = judgments.sample("depth_plus_random", depth=k, contributing=contributing, seed=seed)
    sample, strata = twin.depth_plus_random(labels, runs, names, k, seed)
    assert as_dicts(drawn) == sample
    assert strata_of(drawn) == strata
    drawn = judgments.sample("without", runs=["run0", "run1"], depth=k, contributing=contributing)
    assert as_dicts(drawn) == twin.without(labels, runs, names, ["run0", "run1"], k)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 2, 4, 8, 20])
def test_four_strata_are_the_papers(seed, k):
    labels, runs = random_campaign(seed, pooled=0.0)
    drawn = read_campaign(labels, runs).judgments.sample("stratified", depth=k, seed=seed)
    sample, strata = twin.four_strata(labels, runs, list(runs), k, seed)
    assert as_dicts(drawn) == sample
    assert strata_of(drawn) == strata


def test_bands_count_judged_documents_only():
    labels, runs = random_campaign(1, pooled=0.3)
    judgments = read_campaign(labels, runs).judgments
    drawn = judgments.sample("stratified", depth=3)
    judged, offsets = judgments.labels != POOLED, judgments.offsets
    for begin, end in pairwise(offsets):
        sizes = np.bincount(drawn.strata[begin:end][judged[begin:end]], minlength=5)[2:]
        assert sizes.max() - sizes.min() <= 1
        ranks = judgments.pool.best_ranks()[begin:end]
        for lower, upper in ((2, 3), (3, 4)):
            assert ranks[drawn.strata[begin:end] == lower].max() <= ranks[drawn.strata[begin:end] == upper].min()


def test_strata_by_edges_with_rates():
    labels, runs = random_campaign(2, pooled=0.0)
    judgments = read_campaign(labels, runs).judgments
    drawn = judgments.sample("stratified", edges=(3, 10), rates=(1, 0.5, "10%"))
    ranks, judged, offsets = judgments.pool.best_ranks(), drawn.labels != POOLED, judgments.offsets
    expected = 1 + (ranks > 3) + (ranks > 10)
    assert drawn.strata.tolist() == expected.tolist()
    for begin, end in pairwise(offsets):
        size = np.bincount(expected[begin:end], minlength=4)[1:].tolist()
        kept = np.bincount(expected[begin:end][judged[begin:end]], minlength=4)[1:].tolist()
        assert kept == [size[0], max(1, round(Fraction(size[1], 2))), max(1, round(Fraction(size[2], 10)))]


def test_a_budget_is_spent_exactly_and_evenly():
    labels, runs = random_campaign(3, pooled=0.0)
    judgments = read_campaign(labels, runs).judgments
    drawn = judgments.sample("stratified", depth=1, budget=61)
    per_topic = [sum(label is not None for label in own.values()) for own in as_dicts(drawn).values()]
    assert sum(per_topic) == 61
    assert max(per_topic) - min(per_topic) == 1
    weighted = judgments.sample("stratified", edges=(5, 20), budget=60, weights=(2, 1, 1))
    kept = [np.bincount(weighted.strata[part], minlength=4)[1:].tolist() for part in parts(weighted)]
    assert kept == [[10, 5, 5]] * 3


def parts(judgments: poolwise.Judgments) -> list[np.ndarray]:
    """The judged documents of each topic."""
    judged, offsets = judgments.labels != POOLED, judgments.offsets
    return [begin + np.flatnonzero(judged[begin:end]) for begin, end in pairwise(offsets)]


def test_exact_counts_at_the_edges():
    # R = 1, fewer than ten non-relevant ones; 0.1 x 70 = 7 and 0.07 x 100 = 7 exactly, which floats miss.
    qrels = {
        "few": {"r": 1, **{f"n{i}": 0 for i in range(9)}},
        "many": {**{f"r{i}": 1 for i in range(70)}, **{f"n{i}": 0 for i in range(100)}},
        "none": {f"n{i}": 0 for i in range(30)},
    }
    judgments = poolwise.read(qrels, {"run": {topic: {"r": 1.0} for topic in qrels}}).judgments

    def kept(fraction, rounding="up"):
        drawn = as_dicts(judgments.sample("reduce", fraction=fraction, rounding=rounding))
        return {
            topic: (
                sum(label == 1 for label in own.values()),
                sum(label == 0 for label in own.values()),
            )
            for topic, own in drawn.items()
        }

    assert kept(0.1) == {"few": (1, 9), "many": (7, 10), "none": (0, 10)}
    assert kept(0.07) == {"few": (1, 9), "many": (5, 10), "none": (0, 10)}
    assert kept(0.07, "down")["many"] == (4, 10)
    assert kept(0.29)["many"] == (21, 29)
    assert kept(0.29, "down")["many"] == (20, 29)
    assert kept(3 * 0.1)["many"] == (21, 30)
    assert kept(1.0) == {"few": (1, 9), "many": (70, 100), "none": (0, 30)}
    assert judgments.sample("uniform", fraction=0.01).count() == 1 + 2 + 1
    assert judgments.sample("uniform", fraction=1).equals(judgments)


def test_order_of_files_topics_and_lines_does_not_matter():
    labels, runs = random_campaign(4)
    rng = random.Random(1)
    shuffled = {t: dict(rng.sample(list(labels[t].items()), len(labels[t]))) for t in reversed(TOPICS)}
    ranked = {name: runs[name] for name in reversed(runs)}
    a, b = read_campaign(labels, runs).judgments, read_campaign(shuffled, ranked).judgments
    for design, settings in (
        ("uniform", {"fraction": 0.3}),
        ("reduce", {"fraction": 0.2}),
        ("depth_plus_random", {"depth": 4}),
        ("stratified", {"depth": 3}),
    ):
        assert a.sample(design, seed=5, **settings).equals(b.sample(design, seed=5, **settings))


def test_other_topics_and_documents_do_not_change_a_draw():
    labels, runs = random_campaign(5, pooled=0.0)
    whole = as_dicts(read_campaign(labels, runs).judgments.sample("uniform", fraction=0.3, seed=2))
    alone = {"401": labels["401"]}
    assert as_dicts(read_campaign(alone, runs).judgments.sample("uniform", fraction=0.3, seed=2)) == {
        "401": whole["401"]
    }
    # A new document takes part in the draw; all that can happen to the others is that one of them makes room.
    more = {"401": {**labels["401"], "zz-new": 0}}
    after = as_dicts(read_campaign(more, runs).judgments.sample("uniform", fraction=0.3, seed=2))["401"]
    before = {d for d, y in whole["401"].items() if y is not None}
    assert len(before - {d for d, y in after.items() if y is not None}) <= 1


def test_samples_are_samples():
    labels, runs = random_campaign(6)
    judgments = read_campaign(labels, runs).judgments
    many = judgments.samples("reduce", fractions=[0.1, 0.5], trials=3, seed=4)
    for place, (trial, fraction) in enumerate((t, f) for t in range(3) for f in (0.1, 0.5)):
        assert many[place].equals(judgments.sample("reduce", fraction=fraction, seed=4, trial=trial))
        assert many[place].design["trial"] == trial
    assert not many[0].equals(many[2])
    by_depth = judgments.samples("depth_plus_random", depths=[1, 5], trials=2, seed=4)
    assert by_depth[3].equals(judgments.sample("depth_plus_random", depth=5, seed=4, trial=1))
    one = judgments.samples("uniform", fraction=0.5, trials=4, threads=1)
    two = judgments.samples("uniform", fraction=0.5, trials=4, threads=3)
    assert all(a.equals(b) for a, b in zip(one, two, strict=True))


def test_scoring_many_samples_is_scoring_each():
    labels, runs = random_campaign(7)
    pool = read_campaign(labels, runs)
    many = pool.judgments.samples("uniform", fractions=[0.2, 0.6], trials=2)
    together = pool.score("AP", "infAP", judgments=many)
    for place, each in enumerate(many):
        alone = pool.score("AP", "infAP", judgments=each)
        for measure in ("AP", "infAP"):
            assert together.array(measure)[place].tolist() == alone.array(measure).tolist()


def test_the_design_is_recorded():
    labels, runs = random_campaign(8)
    judgments = read_campaign(labels, runs).judgments
    drawn = judgments.sample("depth_plus_random", depth=3, contributing=["run1"], seed=9)
    assert drawn.design == {
        "design": "depth_plus_random",
        "depth": 3,
        "contributing": ["run1"],
        "seed": 9,
        "trial": 0,
        "version": poolwise.__version__,
    }
    again = drawn.sample("uniform", fraction=0.5, seed=1)
    assert again.design["of"] == drawn.design
    assert again.design["fraction"] == 0.5
    assert again.top == judgments.top
    generator = judgments.sample("uniform", fraction=0.5, seed=np.random.default_rng(3))
    assert generator.equals(judgments.sample("uniform", fraction=0.5, seed=generator.design["seed"]))


def test_strata_of_which_nothing_is_drawn_are_told_of():
    """All of a small budget goes to the pool of the first ranks, and estimates know nothing of what is below."""
    campaign = simulate(runs=4, topics=6, depth=60, pool_depth=40, seed=3)
    judgments = campaign.pool().judgments
    with pytest.warns(PoolwiseWarning, match="in strata of which nothing was drawn") as caught:
        drawn = judgments.sample("stratified", depth=20, budget=30)
    judged, strata = drawn.labels >= 0, drawn.strata
    topic = np.repeat(np.arange(6), np.diff(drawn.offsets))
    seen = set(zip(topic[judged], strata[judged], strict=True))
    unseen = sum(cell not in seen for cell in zip(topic, strata, strict=True))
    assert unseen > 0
    assert str(caught[0].message).startswith(f"{unseen} of {len(strata)} pooled documents are in strata of which")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judgments.sample("uniform", fraction=0.2)
        judgments.sample("stratified", edges=(5,), rates=(1, "20%"))


def test_part_of_a_stratified_sample_keeps_its_strata():
    labels, runs = random_campaign(9, pooled=0.0)
    judgments = read_campaign(labels, runs).judgments
    drawn = judgments.sample("depth_plus_random", depth=4, seed=1)
    part = drawn.sample("uniform", fraction=0.5, seed=2)
    assert part.strata.tolist() == drawn.strata.tolist()
    assert ((part.labels != POOLED) <= (drawn.labels != POOLED)).all()
    assert part.rounds.tolist() == (part.labels != POOLED).astype(int).tolist()
    with pytest.raises(ArgumentError, match="stratified sample already"):
        drawn.sample("stratified", depth=2)


def test_groups_are_left_out_together():
    labels, runs = random_campaign(10)
    judgments = read_campaign(labels, runs).judgments
    groups = {"run0": "mine", "run1": "mine", "run2": "theirs"}
    by_group = judgments.sample("without", runs="mine", groups=groups, depth=5)
    assert by_group.equals(judgments.sample("without", without=["run0", "run1"], depth=5))
    assert not by_group.equals(judgments)


@pytest.mark.parametrize("design", ["uniform", "reduce", "depth_plus_random", "stratified"])
def test_every_document_is_drawn_as_often_as_its_rate_says(design):
    """Over many trials each count is binomial; their standardised squares sum to a chi-square."""
    labels, runs = random_campaign(11, documents=40, pooled=0.0)
    judgments = read_campaign(labels, runs).judgments
    settings = {"fraction": 0.3} if design in ("uniform", "reduce") else {"depth": 3}
    trials = 3000
    many = judgments.samples(design, trials=trials, seed=13, **settings)
    drawn = sum((each.labels != POOLED).astype(int) for each in many)
    if design == "reduce":
        rate = rate_of_classes(judgments, many[0], judgments.labels >= 1)
    else:
        rate = many[0].inclusion()
    sure = rate == 1
    assert (drawn[sure] == trials).all()
    # The counts of a class sum to a constant, which takes one degree of freedom of each class; the slack covers that.
    z = (drawn - trials * rate)[~sure] / np.sqrt(trials * (rate * (1 - rate))[~sure])
    count = int((~sure).sum())
    assert abs(float((z**2).sum()) - count) < 5 * np.sqrt(2 * count) + count / 20
    assert np.abs(z).max() < 5


def rate_of_classes(judgments, drawn, relevant):
    rate = np.zeros(len(relevant))
    for begin, end in pairwise(judgments.offsets):
        for own in (relevant, ~relevant):
            chosen = begin + np.flatnonzero(own[begin:end])
            rate[chosen] = (drawn.labels[chosen] != POOLED).mean()
    return rate


def test_pairs_of_documents_are_drawn_as_in_simple_random_sampling():
    """n (n - 1) / (N (N - 1)) of the trials hold both of two documents: the draw has no pattern in pairs."""
    qrels = {"1": {f"document-{number:03d}": 0 for number in range(20)}}
    judgments = poolwise.read(qrels, {"run": {"1": {"document-001": 1.0}}}).judgments
    trials = 4000
    drawn = np.stack(
        [each.labels != POOLED for each in judgments.samples("uniform", fraction=0.3, trials=trials, seed=3)]
    ).astype(float)
    both = (drawn.T @ drawn)[np.triu_indices(20, 1)]
    expected = 6 * 5 / (20 * 19)
    z = (both - trials * expected) / np.sqrt(trials * expected * (1 - expected))
    assert np.abs(z).max() < 4.5
    assert abs(float((z**2).mean()) - 1) < 0.35
    # Trials and seeds follow one another without a pattern either.
    overlap = (drawn[:-1] * drawn[1:]).sum(axis=1).mean()
    assert abs(overlap - 6 * 6 / 20) < 0.06


def test_strata_are_drawn_independently():
    labels, runs = random_campaign(12, documents=40, pooled=0.0)
    judgments = read_campaign(labels, runs).judgments
    many = judgments.samples("stratified", edges=(5,), rates=(0.5, 0.2), trials=2000, seed=1)
    drawn = np.stack([each.labels != POOLED for each in many]).astype(float)
    first, second = (np.flatnonzero(many[0].strata == stratum)[:8] for stratum in (1, 2))
    centred = drawn - drawn.mean(axis=0)
    correlation = (centred[:, first].T @ centred[:, second]) / len(many)
    correlation /= np.outer(centred[:, first].std(axis=0), centred[:, second].std(axis=0))
    assert np.abs(correlation).max() < 4.5 / np.sqrt(len(many))


@pytest.mark.parametrize(
    ("design", "settings", "words"),
    [
        ("nothing", {}, "design='nothing' is unknown; choose one of reduce, uniform"),
        ("uniform", {}, "design 'uniform' needs fraction; give for example fraction=0.1"),
        ("uniform", {"fraction": 10}, "fraction=10 is not between 0 and 1; write ten percent as 0.1"),
        ("uniform", {"fraction": 0}, "leaves nothing to judge"),
        ("uniform", {"fraction": "many"}, "fraction='many' is not a number"),
        ("uniform", {"fraction": 0.1, "depth": 3}, "design 'uniform' has no setting 'depth'; it takes fraction"),
        ("reduce", {"fraction": 0.1, "rounding": "half"}, "choose one of up, down"),
        ("depth", {"depth": 0}, "depth=0 must be a whole number of at least 1"),
        ("depth", {"depth": 3, "contributing": ["run9"]}, "no run is called 'run9'"),
        ("depth", {"depth": 3, "contributing": []}, "contributing names no run"),
        ("stratified", {}, "design 'stratified' needs depth"),
        ("stratified", {"edges": (5, 3), "rates": (1, 1, 1)}, "must ascend"),
        ("stratified", {"edges": (5,), "rates": (1,)}, "not one for each of 2 strata"),
        ("stratified", {"edges": (5,), "rates": (1, 1), "budget": 9}, "give rates, or a budget and weights, not both"),
        ("stratified", {"edges": (5,), "depth": 3}, "give edges, or depth and bands, not both"),
        ("stratified", {"depth": 3, "bands": 10**9}, "bands=1000000000 must be a whole number from 1 to 10000"),
        ("stratified", {"depth": 3, "weights": (1, 2)}, "2 weights found; give 3 for"),
        ("stratified", {"depth": 3, "weights": (1, 0, 2)}, "must be positive"),
        ("stratified", {"depth": 3, "budget": 2}, "less than one judgment for each of 3 topics"),
        ("pair", {"runs": ["run0"]}, "must be two different runs"),
        ("without", {"runs": ["mine"]}, "no run is called 'mine'"),
    ],
)
def test_what_is_wrong_is_said(design, settings, words):
    judgments = read_campaign(*random_campaign(13)).judgments
    with pytest.raises(ArgumentError, match=words.replace("(", r"\(").replace(")", r"\)")):
        judgments.sample(design, **settings)


def test_without_judgments_there_is_nothing_to_draw():
    pool = poolwise.read(None, {"run": {"1": {"a": 1.0}}})
    with pytest.raises(ArgumentError, match="there are no judgments to draw from"):
        pool.judgments.sample("uniform", fraction=0.1)


def test_wrong_seeds_and_series_are_said():
    judgments = read_campaign(*random_campaign(14)).judgments
    with pytest.raises(ArgumentError, match="seed=-1 must be a whole number from 0 on"):
        judgments.sample("uniform", fraction=0.1, seed=-1)
    with pytest.raises(ArgumentError, match="trials=0"):
        judgments.samples("uniform", fraction=0.1, trials=0)
    with pytest.raises(ArgumentError, match="fractions is empty"):
        judgments.samples("uniform", fractions=[])
    with pytest.raises(ArgumentError, match="let only one of them vary"):
        judgments.samples("pair", fractions=[0.1], depths=[3])
