"""What the model expects of the second order: against dense matrices and literal double sums."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from tests.kit.dense_columns import dense
from tests.kit.small_campaigns import small_campaign, uniform_sample
from tests.twins import assisted as twin

from poolwise.campaign import Campaign
from poolwise.estimate import joint_errors as module
from poolwise.estimate.combine import Combined, combine
from poolwise.estimate.estimator import prepare
from poolwise.estimate.gain_ratio import Counts, divisor_of
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


def covariance(state: TopicState) -> Array:
    """By the dense inverse Hessian of all effects."""
    stage = state.model.stages[0]
    fit, rows = stage.fit, stage.rows
    features, k = state.model.features, fit.topic.shape[1]
    p = stage.p[rows]
    columns = dense(features.shared[rows], features.topic[rows, :k], stage.bounds)
    precision = np.concatenate([fit.shared_precision, np.tile(fit.topic_precision, state.model.layout.topics)])
    inverse = np.linalg.inv(columns.T @ (columns * (p * (1 - p))[:, None]) + np.diag(precision))
    everything = dense(features.shared, features.topic[:, :k], state.model.layout.bounds)
    own = everything[state.model.layout.part(state.topic)]
    steep = (state.chances[:, 0] * (1 - state.chances[:, 0]) * (state.classes < 0))[:, None]
    return np.asarray((own * steep) @ inverse @ (own * steep).T)


def test_factors_are_those_of_the_dense_covariance() -> None:
    state = combined("AP").model.state(2)
    expected = covariance(state)
    factor = joint_errors(state)
    assert np.abs(expected).max() > 1e-3
    assert factor @ factor.T == pytest.approx(expected, abs=1e-9)


def test_few_directions_hold_nearly_all(monkeypatch: pytest.MonkeyPatch) -> None:
    state = combined("AP").model.state(1)
    monkeypatch.setattr(module, "KEPT", 0.99)
    some, expected = joint_errors(state), covariance(state)
    assert some.shape[1] < 20
    assert 0.99 <= np.trace(some @ some.T) / np.trace(expected) <= 1.0


def test_average_precision_expects_the_literal_double_sum() -> None:
    one = combined("AP")
    state, run = one.model.state(2), 3
    errors, p = covariance(state), state.exceed[:, 0]
    ranking = np.asarray(one.model.layout.pool.core.all_documents(run, 2)).tolist()
    rank = {document: k for k, document in enumerate(ranking, 1) if document < len(p)}
    expected = 0.0
    certain = {document for document in rank if state.classes[document] == 1}
    known, loose = int(p[state.classes >= 0].sum()), float(p[state.classes < 0].sum())
    ordered = sorted(rank, key=lambda document: rank[document])

    def value(q: Array) -> float:
        """The mean of S / R with R = known + Poisson's number, in three parts by how many documents are uncertain."""
        parts, ones, others = [0.0, 0.0, 0.0], 0.0, 0.0
        for document in ordered:
            own = int(document not in certain)
            parts[own] += q[document] * (1.0 + ones) / rank[document]
            parts[own + 1] += q[document] * others / rank[document]
            ones, others = (ones, others + q[document]) if own else (ones + q[document], others)
        mean = loose + float((q - p).sum())
        return sum(part * twin.mean_reciprocal(known + uncertain, mean) for uncertain, part in enumerate(parts))

    step = 1e-3
    for i, j in permutations(range(len(p)), 2):
        if i < j and abs(errors[i, j]) > 0:
            corner = [value(moved(p, i, a * step, j, b * step)) for a, b in [(1, 1), (1, -1), (-1, 1), (-1, -1)]]
            expected += errors[i, j] * (corner[0] - corner[1] - corner[2] + corner[3]) / (4 * step**2)
    assert known > 0
    assert terms_of(one, 2)[1] == pytest.approx(expected, rel=1e-3, abs=1e-7)


def moved(p: Array, i: int, by: float, j: int, other: float) -> Array:
    q = p.copy()
    q[i] += by
    q[j] += other
    return q


def terms_of(one: Combined, topic: int) -> Array:
    from poolwise.estimate.combine import TERMS

    terms = TERMS[one.target.kind](one.model.state(topic), one.target, [0, 3], False)
    assert terms.expected_bend is not None
    return terms.expected_bend


def test_weights_follow_from_the_two_variances() -> None:
    sums, shares = np.array([[0.03, -0.01], [0.02, 0.06]]), np.array([[0.01, 0.02], [0.03, 0.0]])
    found = mixture_of(sums, shares)
    assert found.share == pytest.approx([0.0004 / (0.0004 + 0.00025), 0.0016 / (0.0016 + 0.00045)])
    assert found.doubt == pytest.approx((1 - found.share) * [0.02, 0.04])
    assert mixture_of(sums, 0.0 * shares).share.tolist() == [1.0, 1.0]
    assert mixture_of(0.0 * sums, shares).share.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("measure", "times"), [("AP", 2.0), ("nDCG@10", 1.0), ("R@5", 1.0)])
def test_estimates_hold_both_parts_and_the_doubt(measure: str, times: float) -> None:
    one = combined(measure)
    layout = one.model.layout
    from poolwise.estimate.combine import TERMS

    parts = [TERMS[one.target.kind](one.model.state(t), one.target, [0, 3], False) for t in range(layout.topics)]
    bend = np.concatenate([part.bend for part in parts], axis=1)
    inclusion = layout.inclusion[one.counted]
    sums = np.stack([part.expected_bend for part in parts], axis=1)
    expected = times * sums.mean(axis=1)
    mixture = mixture_of(sums, bend / np.sqrt(1.0 - inclusion) / layout.topics)
    first = np.mean([part.value + part.first @ layout.weight[one.counted][layout.topic_of[one.counted] == t]
                        for t, part in enumerate(parts)], axis=0)  # fmt: skip
    second = mixture.share * 0.5 * bend.sum(axis=1) / layout.topics + (1.0 - mixture.share) * expected
    assert ((mixture.share > 0.0) & (mixture.share < 1.0)).all()
    assert one.values == pytest.approx(first + second, abs=1e-12)
    assert one.doubt == pytest.approx(mixture.doubt)
    assert (one.variance.value > one.doubt**2).all()


def test_without_predictions_the_model_has_its_say_too() -> None:
    sample = uniform_sample(CAMPAIGN, 0.4, 3)
    layout = Layout.of(CAMPAIGN, sample)
    one = combine(layout, prepare(CAMPAIGN, sample), [target_of(parse("AP"), layout)], [0, 3], False, 1)[0]
    assert (one.doubt != 0.0).all()
    assert (terms_of(one, 1) != 0.0).all()


def test_sums_have_no_second_order() -> None:
    one = combined("P@5")
    assert not one.doubt.any()
    assert not one.bend_shares.any()


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG", "R@5"])
def test_ratios_expect_the_literal_double_sum(measure: str) -> None:
    """Over all pairs of unjudged documents and of classes: covariance times a difference of differences of DCG / I."""
    one, run, topic = combined(measure), 3, 2
    target, state = one.target, one.model.state(topic)
    steps, z = np.diff(target.gains), state.exceed
    counts = Counts.of(state)
    assert counts.certain[0] > 0
    ranking = np.asarray(one.model.layout.pool.core.all_documents(run, topic)).tolist()[: target.depth]
    discount = np.zeros(len(z))
    for place, document in enumerate(ranking):
        if document < len(z):
            discount[document] = target.discounts[place]

    def value(moved_by: Array) -> float:
        """DCG / I with classes moved, squares of chances staying as they are."""
        more = counts._replace(loose=counts.loose + moved_by.sum(axis=0))
        return float(discount @ ((z + moved_by) @ steps)) / divisor_of(target, more)

    step, expected = 1e-3, 0.0
    open_documents = np.flatnonzero(state.classes < 0).tolist()
    errors = [error_rows(state, grade) for grade in range(z.shape[1])]
    for i, j in permutations(open_documents, 2):
        for g, h in product(range(z.shape[1]), repeat=2):
            corners = 0.0
            for a, b in [(1, 1), (1, -1), (-1, 1), (-1, -1)]:
                by = np.zeros(z.shape)
                by[i, g] += a * step
                by[j, h] += b * step
                corners += a * b * value(by)
            expected += 0.5 * float(errors[g][i] @ errors[h][j]) * corners / (4 * step**2)
    assert abs(expected) > 1e-6
    assert terms_of(one, topic)[1] == pytest.approx(expected, rel=2e-3)


def error_rows(state: TopicState, grade: int) -> Array:
    """Rows whose products are covariances of the errors of "class g or more"; stages err independently."""
    parts = []
    for number, errors in enumerate(state.errors):
        moves = state.exceed[:, grade] * (1.0 - state.chances[:, number]) * (number <= grade)
        parts.append(errors * moves[:, None])
    return np.hstack(parts)
