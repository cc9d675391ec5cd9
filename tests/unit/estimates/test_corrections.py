"""First- and second-order terms against literal twins and numerical derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign, uniform_sample
from tests.twins import assisted as twin
from tests.twins.ratio_terms import Ideal

from poolwise.campaign.campaign import Campaign
from poolwise.estimates.layout import Layout, _together, rank_features
from poolwise.estimates.model import LabelModel, fit_model
from poolwise.estimates.targets import Target, target_of
from poolwise.estimates.terms import Counts, divisor_of, precision_terms, ratio_terms
from poolwise.measures.registry import parse

TERMS = {"precision": precision_terms, "ratio": ratio_terms}


def fitted(campaign: Campaign, measure: str, fraction: float = 0.5, seed: int = 1) -> tuple[LabelModel, Target]:
    layout = Layout.of(campaign, uniform_sample(campaign, fraction, seed))
    target = target_of(parse(measure), layout)
    return fit_model(layout, rank_features(layout), target.classes(layout), target.grades), target


def rankings(campaign: Campaign, topic: int) -> list[list[int]]:
    """Each run's ranking as numbers of listed documents, -1 for all others."""
    found = []
    for run in range(len(campaign.runs)):
        listed = len(campaign.judgments.of(campaign.topics[topic]))
        found.append([int(d) if d < listed else -1 for d in np.asarray(campaign.all_documents(run, topic))])
    return found


def log2(cutoff: int) -> Callable[[int], float]:
    return lambda k: 1.0 / math.log2(k + 1) if k <= cutoff else 0.0


def literal(measure: str, ranking: list[int]) -> twin.Value:
    if measure == "AP":
        return lambda p: twin.average_precision(p, ranking)
    if measure == "AP@10":
        return lambda p: twin.average_precision(p, ranking[:10])
    if measure == "R@20":
        return lambda p: sum(p[d] for d in ranking[:20] if d >= 0) / sum(p) if sum(p) > 0 else 0.0
    if measure == "P@10":
        return lambda p: sum(p[d] for d in ranking[:10] if d >= 0) / 10
    cutoff = 10 if "@" in measure else 10**6
    return lambda p: twin.discounted(p, ranking, log2(cutoff))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["AP", "AP@10", "nDCG", "nDCG@10", "R@20", "P@10"])
def test_value_and_first_order_are_the_literal_ones(measure: str) -> None:
    campaign = small_campaign(seed=7)
    model, target = fitted(campaign, measure)
    for topic in (0, 3):
        state = model.state(topic)
        terms = TERMS[target.kind](state, target, list(range(len(campaign.runs))), False)
        refitted = set(state.refits[0].tolist())
        assert 0 < len(refitted) < len(state.counted)
        for run, ranking in enumerate(rankings(campaign, topic)):
            value = literal(measure, ranking)
            p = state.tail_chance[:, 0].tolist()
            twice = 0.0 if target.kind == "ratio" else twin.relevant_twice(value, p)
            assert terms.value[run] == pytest.approx(value(p) - twice, abs=1e-12 if target.kind == "ratio" else 1e-6)
            for place, document in enumerate(state.counted.tolist()):
                column = sorted(refitted).index(place) if place in refitted else None
                given = p if column is None else state.refits[1][0, :, column].tolist()
                expected = state.own_residuals[place, 0] * twin.bracket(value, given, document)
                assert terms.gradient[run, place] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", ["AP", "AP@10"])
def test_second_order_of_precision_is_the_literal_mixed_difference(measure: str) -> None:
    campaign = small_campaign(seed=8, topics=4)
    model, target = fitted(campaign, measure)
    state = model.state(1)
    terms = precision_terms(state, target, [0, 5], False)
    p, n = state.tail_chance[:, 0].tolist(), len(state.counted)
    assert {0, 1} == {p[document] for document in state.counted.tolist()}
    for row, run in enumerate((0, 5)):
        value = literal(measure, rankings(campaign, 1)[run])
        for place in range(0, n, 5):
            i = int(state.counted[place])
            expected = sum(
                state.pair_weights[place, other] * twin.pair_difference(value, p, i, int(state.counted[other]))
                for other in range(n)
                if other != place
            )
            assert terms.curvature[row, place] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("measure", ["R@20", "P@10"])
def test_second_order_of_ratios_is_the_numerical_second_derivative(measure: str) -> None:
    campaign = small_campaign(seed=8, topics=4)
    model, target = fitted(campaign, measure)
    state = model.state(1)
    assert state.tail_chance.sum() > 1  # else the curvature is taken at one relevant document
    terms = ratio_terms(state, target, [0, 5], False)
    p, n = state.tail_chance[:, 0].tolist(), len(state.counted)
    for row, run in enumerate((0, 5)):
        value = literal(measure, rankings(campaign, 1)[run])
        for place in range(0, n, 7):
            expected = sum(
                state.pair_weights[place, other]
                * twin.mixed_difference(value, p, int(state.counted[place]), int(state.counted[other]))
                for other in range(n)
                if other != place
            )
            assert terms.curvature[row, place] == pytest.approx(expected, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(("measure", "grades"), [("AP", 1), ("nDCG@10", 1), ("nDCG(gain='exp')@20", 3)])
def test_expected_variance_is_the_literal_sum_over_documents_and_classes(measure: str, grades: int) -> None:
    campaign = small_campaign(seed=13, topics=4, grades=grades, share=0.3)
    model, target = fitted(campaign, measure, 0.4)
    state = model.state(2)
    terms = TERMS[target.kind](state, target, [4], False)
    ranking, expected = rankings(campaign, 2)[4], 0.0
    inclusion = model.layout.inclusion[model.layout.part(2)]
    for document in range(len(state.classes)):
        values = []
        for grade in range(target.grades + 1):
            tail_chance = state.tail_chance.copy()
            tail_chance[document] = np.arange(1, target.grades + 1) <= grade
            values.append(graded_value(measure, tail_chance, ranking, target))
        edges = np.concatenate([[1.0], state.predicted[document], [0.0]])
        chances = edges[:-1] - edges[1:]
        mean = chances @ values
        scale = model.error_scales[model.layout.part(2)][document]
        expected += scale * (1 / inclusion[document] - 1) * (chances @ (np.array(values) - mean) ** 2)
    # Leaving an uncertain document out of the divisor goes by its derivatives.
    assert terms.expected[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("measure", "grades"), [("AP", 1), ("nDCG@10", 1), ("nDCG(gain='exp')@20", 3)])
def test_expected_variance_of_a_difference_is_that_of_runs_less_what_they_share(measure: str, grades: int) -> None:
    """|a - b|^2 = 2 |a|^2 + 2 |b|^2 - |a + b|^2 needs a + b; three runs and a copy give it: laws of squares."""
    campaign = small_campaign(seed=13, topics=4, grades=grades, share=0.3)
    model, target = fitted(campaign, measure, 0.4)
    pairs = np.array([(0, 1), (1, 2), (0, 2), (1, 1), (2, 3)])
    terms = TERMS[target.kind](model.state(2), target, [4, 0, 3, 4], False, pairs)
    one, two, both, nothing, mirrored = np.sqrt(terms.between)
    assert nothing == pytest.approx(0.0, abs=1e-7)
    assert both == pytest.approx(mirrored)  # run 4 against run 3, and the other way round
    root = np.sqrt(terms.expected)
    assert abs(root[0] - root[1]) < one < root[0] + root[1]
    assert abs(one - two) < both < one + two


def graded_value(measure: str, tail_chance: np.typing.NDArray[np.float64], ranking: list[int], target: Target) -> float:
    if measure == "AP":
        return twin.average_precision(tail_chance[:, 0].tolist(), ranking)
    steps, discount = np.diff(target.gains), by_rank(target)
    gained = sum(discount(k) * (tail_chance[d] @ steps) for k, d in enumerate(ranking, 1) if d >= 0)
    known = [twin.parts(column.tolist()) for column in tail_chance.T]
    best = sum(step * twin.mean_ideal(*own, discount) for step, own in zip(steps, known, strict=True))
    return float(gained * twin.chance_of_any(*known[0]) / best)


def by_rank(target: Target) -> Callable[[int], float]:
    return lambda k: float(target.discounts[k - 1]) if k <= len(target.discounts) else 0.0


def test_second_order_of_ndcg_is_the_literal_double_sum() -> None:
    campaign = small_campaign(seed=9, topics=4)
    model, target = fitted(campaign, "nDCG@10")
    state = model.state(2)
    terms = ratio_terms(state, target, [3], False)
    discount = log2(10)
    place_of = {d: k for k, d in enumerate(rankings(campaign, 2)[3], 1) if d >= 0}
    certain, *uncertain = twin.parts(state.tail_chance[:, 0].tolist())
    assert certain > 0
    best, more, most = (twin.mean_ideal(certain + number, *uncertain, discount) for number in range(3))
    gained = sum(state.tail_chance[d, 0] * discount(k) for d, k in place_of.items())
    growth, curvature = more - best, most - 2 * more + best
    weight = [discount(place_of[d]) if d in place_of else 0.0 for d in state.counted.tolist()]
    for i in range(len(weight)):
        expected = sum(
            state.pair_weights[i, j]
            * (-growth * (weight[i] + weight[j]) / best**2 + gained * (2 * growth**2 / best**3 - curvature / best**2))
            for j in range(len(weight))
        )
        assert terms.curvature[0, i] == pytest.approx(expected, abs=1e-10)


def test_graded_second_order_is_the_literal_double_sum() -> None:
    campaign = small_campaign(seed=10, topics=4, grades=3, documents=200, share=0.4)
    model, target = fitted(campaign, "nDCG(gain='exp')@20")
    assert target.gains.tolist() == [0, 1, 3, 7]
    state = model.state(0)
    terms = ratio_terms(state, target, [2], False)
    table = np.append(0.0, target.discounts)
    ranks = {d: k for k, d in enumerate(rankings(campaign, 0)[2], 1) if d >= 0}
    weight = [table[ranks[d]] if d in ranks else 0.0 for d in state.counted.tolist()]
    steps, w = np.diff(target.gains), state.weight[state.counted]
    both_out = np.stack(state.pair_tail_chance, axis=2)  # its own test: against fits without both
    known = [twin.parts(column.tolist()) for column in state.tail_chance.T]
    assert known[0][0] > 0
    ideals = np.array(
        [[twin.mean_ideal(certain + n, *uncertain, by_rank(target)) for n in range(3)] for certain, *uncertain in known]
    )
    best, growth = float(steps @ ideals[:, 0]), steps * (ideals[:, 1] - ideals[:, 0])
    curvature = steps * (ideals[:, 2] - 2 * ideals[:, 1] + ideals[:, 0])
    gained = sum(table[k] * (state.tail_chance[d] @ steps) for d, k in ranks.items())
    n, left = len(w), int((state.classes < 0).sum())
    together = n * (left - 1) / ((n - 1) * left)
    for i in range(0, len(weight), 5):
        expected = 0.0
        for j in range(len(weight)):
            if i == j:
                continue
            z_i, z_j = both_out[i, j], both_out[j, i]
            gain_i, gain_j, grow_i, grow_j = steps @ z_i, steps @ z_j, growth @ z_i, growth @ z_j
            expected += together * w[i] * w[j] * (
                -(weight[i] * gain_i * grow_j + weight[j] * gain_j * grow_i) / best**2
                + gained * (2 * grow_i * grow_j / best**3 - (curvature * z_i * z_j).sum() / best**2)
            )  # fmt: skip
        assert terms.curvature[0, i] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "nDCG(gain='exp')"])
def test_slopes_by_effects_are_numerical_derivatives(measure: str) -> None:
    campaign = small_campaign(seed=11, topics=3, grades=2, share=0.4)
    model, target = fitted(campaign, measure, 0.4)
    topic, runs = 1, [0, 4]
    terms = TERMS[target.kind](model.state(topic), target, runs, True)
    for number, stage in enumerate(model.stages):
        for column in (0, 3, 20, len(stage.fit.shared)):
            moved = [
                TERMS[target.kind](nudged(model, number, topic, column, step).state(topic), target, runs, False).value
                for step in (1e-5, -1e-5)
            ]
            expected = (moved[0] - moved[1]) / 2e-5
            # How the part taken back for large probabilities moves with other documents' is left out or rough.
            rough = {"rel": 0.05, "abs": 2e-4} if measure == "AP" else {"rel": 1e-3, "abs": 2e-6}
            assert terms.slopes[number][:, column] == pytest.approx(expected, **rough)


def nudged(model: LabelModel, number: int, topic: int, column: int, step: float) -> LabelModel:
    """The model with one effect of one stage moved, probabilities following."""
    from dataclasses import replace

    from scipy.special import expit, logit

    stage = model.stages[number]
    shared = len(stage.fit.shared)
    columns = model.features.shared if column < shared else model.features.topic
    p = expit(logit(stage.p) + step * columns[:, column if column < shared else column - shared])
    stages = tuple(replace(stage, p=p) if n == number else other for n, other in enumerate(model.stages))
    return replace(model, stages=stages)


def test_pairs_of_a_small_stratum_stand_for_what_they_are_drawn_for() -> None:
    """Over all samples of a stratum, the sum over judged pairs is that over pairs left unjudged, on average."""
    random = np.random.default_rng(3)
    values = random.normal(size=(7, 7))
    values += values.T
    drawn, size = 3, 7
    weight = (size - drawn) / drawn
    together = float(_together(np.array([drawn]), np.array([size]))[0])
    judged, unjudged = [], []
    for sample in combinations(range(size), drawn):
        rest = [d for d in range(size) if d not in sample]
        judged.append(sum(values[i, j] for i in sample for j in sample if i != j) * weight**2 * together)
        unjudged.append(sum(values[i, j] for i in rest for j in rest if i != j))
    assert np.mean(judged) == pytest.approx(np.mean(unjudged))


def test_pairs_of_different_strata_are_drawn_independently() -> None:
    campaign = small_campaign(seed=8, topics=4)
    strata = np.arange(len(campaign.judgments.labels)) % 2
    layout = Layout.of(campaign, uniform_sample(campaign, 0.3, 1, strata))
    target = target_of(parse("AP"), layout)
    state = fit_model(layout, rank_features(layout), target.classes(layout), target.grades).state(0)
    plain, found = state.pair_residuals[2], state.pair_weights
    cell, together = layout.cell[layout.part(0)][state.counted], layout.together[layout.part(0)][state.counted]
    same = cell[:, None] == cell
    assert found[~same] == pytest.approx(plain[~same])
    assert found[same] == pytest.approx((plain * together)[same])
    assert np.abs(together - 1.0).min() > 0.02


@pytest.mark.parametrize(("certain", "loose"), [((0, 0), (0.4, 0.1)), ((0, 0), (7.3, 2.0)), ((3, 0), (2.5, 0.6))])
def test_divisor_is_the_mean_ideal_where_there_is_any(certain: tuple[int, int], loose: tuple[float, float]) -> None:
    campaign = small_campaign(seed=10, topics=4, grades=2, documents=200, share=0.4)
    _, target = fitted(campaign, "nDCG@10")
    steps, discount = np.diff(target.gains), by_rank(target)

    squares = [0.3 * each for each in loose]

    def literal(
        first: float, second: float, more: tuple[int, int] = (0, 0), less: tuple[float, float] = (0, 0)
    ) -> float:
        known = [
            (a + b, c, d - e**2) for a, b, c, d, e in zip(certain, more, (first, second), squares, less, strict=True)
        ]
        best = sum(step * twin.mean_ideal(*own, discount) for step, own in zip(steps, known, strict=True))
        return float(best / twin.chance_of_any(*known[0]))

    counts = Counts(np.array(certain, dtype=float), np.array(loose), np.array(squares))
    assert divisor_of(target, counts) == pytest.approx(literal(*loose))
    ideal = Ideal(target, *counts)
    assert ideal.divisor() == pytest.approx(literal(*loose))
    assert ideal.divisor([2, 1]) == pytest.approx(literal(*loose, (2, 1)))
    step = 1e-6
    by_first = (literal(loose[0] + step, loose[1]) - literal(loose[0] - step, loose[1])) / (2 * step)
    by_second = (literal(loose[0], loose[1] + step) - literal(loose[0], loose[1] - step)) / (2 * step)
    assert ideal.slope() == pytest.approx([by_first, by_second], rel=1e-5)
    without = ideal.divisor_without(np.array([0.3, 0.05]), [1, 0])
    assert without == pytest.approx(literal(loose[0] - 0.3, loose[1] - 0.05, (1, 0), (0.3, 0.05)), rel=5e-3)


def test_divisor_of_certain_documents_is_the_ideal() -> None:
    campaign = small_campaign(seed=10, topics=4, grades=2, documents=200, share=0.4)
    _, target = fitted(campaign, "nDCG")
    table = np.append(0.0, np.cumsum(target.discounts))
    exact = Counts(np.array([5.0, 2.0]), np.zeros(2), np.zeros(2))
    assert divisor_of(target, exact) == pytest.approx(np.diff(target.gains) @ table[[5, 2]], rel=1e-14)
    assert divisor_of(target, Counts(np.zeros(2), np.zeros(2), np.zeros(2))) == math.inf
