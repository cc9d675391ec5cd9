"""What the model expects of the second order: against dense matrices and literal double sums."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from tests.kit.dense_columns import dense
from tests.kit.small_campaigns import small_campaign, uniform_sample
from tests.twins import assisted as twin

from poolwise.campaign import Campaign
from poolwise.estimate import joint_errors as module
from poolwise.estimate.combine import Combined, combine
from poolwise.estimate.estimator import prepare
from poolwise.estimate.joint_errors import joint_errors, mixture_of
from poolwise.estimate.layout import Array, Layout
from poolwise.estimate.model import TopicState
from poolwise.estimate.targets import target_of
from poolwise.score.registry import parse

CAMPAIGN = small_campaign(seed=4, topics=5, runs=6, grades=2, share=0.4)
ALONE = np.random.default_rng(1)
GUESSED = {
    topic: {d: label + float(ALONE.normal()) for d, label in CAMPAIGN.judgments.of(topic).items()}
    for topic in CAMPAIGN.topics
}


@pytest.fixture(autouse=True)
def every_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 1.0)


def combined(measure: str, campaign: Campaign = CAMPAIGN) -> Combined:
    sample = uniform_sample(campaign, 0.4, 3)
    layout = Layout.of(campaign, sample)
    features = prepare(campaign, sample, GUESSED)
    return combine(layout, features, [target_of(parse(measure), layout)], [0, 3], False, 1)[0]


def covariance(state: TopicState, stage: int, g: int, h: int) -> Array:
    """By the dense inverse Hessian of all effects, and derivatives of products of stages."""
    fit, rows = state.model.stages[stage].fit, state.model.stages[stage].rows
    features, k = state.model.features, fit.topic.shape[1]
    p = state.model.stages[stage].p[rows]
    columns = dense(features.shared[rows], features.topic[rows, :k], state.model.stages[stage].bounds)
    precision = np.concatenate([fit.shared_precision, np.tile(fit.topic_precision, state.model.layout.topics)])
    inverse = np.linalg.inv(columns.T @ (columns * (p * (1 - p))[:, None]) + np.diag(precision))
    everything = dense(features.shared, features.topic[:, :k], state.model.layout.bounds)
    own = everything[state.model.layout.part(state.topic)]
    steep = np.cumprod(state.chances, axis=1) * (1 - state.chances[:, [stage]]) * (state.classes < 0)[:, None]
    return np.asarray((own * steep[:, [g]]) @ inverse @ (own * steep[:, [h]]).T)


@pytest.mark.parametrize(("stage", "g", "h"), [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)])
def test_factors_are_those_of_the_dense_covariance(stage: int, g: int, h: int) -> None:
    state = combined("nDCG").model.state(2)
    expected = covariance(state, stage, g, h)
    errors = joint_errors(state)
    found = errors.factors[stage][g - stage] @ errors.factors[stage][h - stage].T
    assert np.abs(expected).max() > 1e-3
    assert found == pytest.approx(expected, abs=1e-9)
    np.fill_diagonal(expected, 0.0)
    assert errors.row_sums(stage, g - stage, h - stage) == pytest.approx(expected.sum(axis=1), abs=1e-9)


def test_few_directions_hold_nearly_all(monkeypatch: pytest.MonkeyPatch) -> None:
    state = combined("AP").model.state(1)
    monkeypatch.setattr(module, "KEPT", 0.99)
    some, expected = joint_errors(state).factors[0][0], covariance(state, 0, 0, 0)
    assert some.shape[1] < 20
    assert 0.99 <= np.trace(some @ some.T) / np.trace(expected) <= 1.0


def test_average_precision_expects_the_literal_double_sum() -> None:
    one = combined("AP")
    state, run = one.model.state(2), 3
    errors, p = covariance(state, 0, 0, 0), state.exceed[:, 0]
    ranking = np.asarray(one.model.layout.pool.core.all_documents(run, 2)).tolist()
    rank = {document: k for k, document in enumerate(ranking, 1) if document < len(p)}
    total, expected = float(p.sum()), 0.0

    def value(q: Array) -> float:
        above, score = 0.0, 0.0
        for document, k in rank.items():
            score += q[document] * (1.0 + above) / k
            above += q[document]
        return score / float(q.sum())

    step = 1e-3
    for i, j in permutations(range(len(p)), 2):
        if i < j and abs(errors[i, j]) > 0:
            corner = [value(moved(p, i, a * step, j, b * step)) for a, b in [(1, 1), (1, -1), (-1, 1), (-1, -1)]]
            expected += errors[i, j] * (corner[0] - corner[1] - corner[2] + corner[3]) / (4 * step**2)
    assert total > 1
    assert terms_of(one, 2)[1] == pytest.approx(expected, rel=1e-3, abs=1e-7)


def moved(p: Array, i: int, by: float, j: int, other: float) -> Array:
    q = p.copy()
    q[i] += by
    q[j] += other
    return q


def test_graded_gain_expects_the_literal_double_sum() -> None:
    one = combined("nDCG@10")
    state, target = one.model.state(2), one.target
    table, steps = np.append(0.0, target.discounts), np.diff(target.gains)
    ranking = np.asarray(one.model.layout.pool.core.all_documents(3, 2)).tolist()[:10]
    weight = np.zeros(len(state.classes))
    for k, document in enumerate(ranking, 1):
        if document < len(weight):
            weight[document] = table[k]
    known = [twin.parts(column.tolist()) for column in state.exceed.T]
    assert target.ideal is not None
    steps_of_ideal = np.diff(target.ideal).tolist()

    def by_rank(k: int) -> float:
        return float(steps_of_ideal[min(k, len(steps_of_ideal)) - 1])

    ideals = np.array([[twin.mean_ideal(c + n, loose, by_rank) for n in range(3)] for c, loose in known])
    best, growth = float(steps @ ideals[:, 0]), steps * (ideals[:, 1] - ideals[:, 0])
    bend = steps * (ideals[:, 2] - 2 * ideals[:, 1] + ideals[:, 0])
    gained, expected = float(weight @ (state.exceed @ steps)), 0.0
    for g in range(2):
        for h in range(2):
            errors = sum(covariance(state, stage, g, h) for stage in range(min(g, h) + 1))
            np.fill_diagonal(errors, 0.0)
            second = -(steps[g] * weight[:, None] * growth[h] + steps[h] * weight * growth[g]) / best**2
            second = second + gained * (2 * growth[g] * growth[h] / best**3 - (g == h) * bend[g] / best**2)
            expected += 0.5 * float((errors * second).sum())
    assert terms_of(one, 2)[1] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def terms_of(one: Combined, topic: int) -> Array:
    from poolwise.estimate.combine import TERMS

    terms = TERMS[one.target.kind](one.model.state(topic), one.target, [0, 3], False)
    return terms.expected_bend


def test_weights_follow_from_the_two_variances() -> None:
    expected, shares = np.array([0.02, 0.04]), np.array([[0.01, 0.02], [0.03, 0.0]])
    noise, wrong = (0.0005 + 0.0009) / 2 / 2, (0.01**2 + 0.02**2) / 2
    found = mixture_of(expected, shares)
    assert found.share == pytest.approx(wrong / (wrong + noise))
    assert found.doubt == pytest.approx((1 - found.share) * 0.5 * expected)
    assert mixture_of(expected, 0.0 * shares).share == 1.0
    assert mixture_of(0.0 * expected, shares).share == 0.0


def test_estimates_hold_both_parts_and_the_doubt() -> None:
    one = combined("AP")
    layout = one.model.layout
    from poolwise.estimate.combine import TERMS

    parts = [TERMS["precision"](one.model.state(t), one.target, [0, 3], False) for t in range(layout.topics)]
    bend = np.concatenate([part.bend for part in parts], axis=1)
    inclusion = layout.inclusion[one.counted]
    mixture = mixture_of(
        2.0 * np.mean([part.expected_bend for part in parts], axis=0),
        bend / np.sqrt(1.0 - inclusion) / layout.topics,
    )
    first = np.mean([part.value + part.first @ layout.weight[one.counted][layout.topic_of[one.counted] == t]
                        for t, part in enumerate(parts)], axis=0)  # fmt: skip
    second = mixture.share * 0.5 * bend.sum(axis=1) / layout.topics + (1.0 - mixture.share) * 2.0 * np.mean(
        [part.expected_bend for part in parts], axis=0
    )
    assert 0.0 < mixture.share < 1.0
    assert one.values == pytest.approx(first + second, abs=1e-12)
    assert one.doubt == pytest.approx(mixture.doubt)
    assert (one.variance.value > one.doubt**2).all()


def test_without_predictions_nothing_is_expected() -> None:
    sample = uniform_sample(CAMPAIGN, 0.4, 3)
    layout = Layout.of(CAMPAIGN, sample)
    one = combine(layout, prepare(CAMPAIGN, sample), [target_of(parse("AP"), layout)], [0, 3], False, 1)[0]
    assert not one.doubt.any()
    assert not terms_of(one, 1).any()
