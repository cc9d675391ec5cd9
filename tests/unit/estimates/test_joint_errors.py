"""What the model expects of the second order: against dense matrices and literal double sums."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from tests.kit.dense_columns import dense
from tests.kit.small_campaigns import small_campaign, uniform_sample
from tests.twins import assisted as twin

from poolwise.campaign.campaign import Campaign
from poolwise.estimates import model as module
from poolwise.estimates import model_errors as joint
from poolwise.estimates.combine import TERMS, Combined, combine
from poolwise.estimates.estimator import prepare
from poolwise.estimates.layout import Array, Layout
from poolwise.estimates.model import TopicState
from poolwise.estimates.model_errors import TOGETHER, USUAL, errors_together, joint_errors, mixture_of, within_reason
from poolwise.estimates.standard_errors import without_common
from poolwise.estimates.targets import target_of
from poolwise.estimates.terms import Counts, divisor_of
from poolwise.measures.registry import parse
from poolwise.pool.judgments import POOLED, Judgments
from poolwise.sampling.strata import by_edges
from poolwise.sampling.variance import Variance

CAMPAIGN = small_campaign(seed=4, topics=5, runs=6, grades=2, share=0.4)
ALONE = np.random.default_rng(1)
GUESSED = {
    topic: {d: label + float(ALONE.normal()) for d, label in CAMPAIGN.judgments.of(topic).items()}
    for topic in CAMPAIGN.topics
}


@pytest.fixture(autouse=True)
def every_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 1.0)


def one_of_each_stratum() -> Judgments:
    """A document of best rank up to 5, two of up to 12, and one of the rest, in every topic."""
    full, random = CAMPAIGN.judgments, np.random.default_rng(2)
    strata = by_edges(best_ranks(CAMPAIGN), (5, 12)).astype(np.int32)
    drawn = np.full(len(full.labels), POOLED, dtype=np.int32)
    for begin, end in zip(full.offsets[:-1], full.offsets[1:], strict=True):
        for stratum, number in ((1, 1), (2, 2), (3, 1)):
            places = begin + random.choice(np.flatnonzero(strata[begin:end] == stratum), number, replace=False)
            drawn[places] = full.labels[places]
    return Judgments(CAMPAIGN, drawn, strata=strata, top=full.top)


def best_ranks(campaign: Campaign) -> Array:
    topics = range(len(campaign.topics))
    return np.concatenate([np.asarray(campaign.core.rank_summary(topic))[:, 3] for topic in topics])


def combined(measure: str, campaign: Campaign = CAMPAIGN, sample: Judgments | None = None) -> Combined:
    sample = uniform_sample(campaign, 0.4, 3) if sample is None else sample
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


@pytest.mark.parametrize("measure", ["P@12", "R@12", "AP"])
def test_what_is_common_to_a_stratum_is_the_literal_double_sum(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "DIRECTIONS", 1000)
    sample = one_of_each_stratum()
    one = combined(measure, sample=sample)
    state = one.model.state(2)
    expected, strata = 0.0, sample.strata[sample.offsets[2] : sample.offsets[3]]
    left = [place for place in np.flatnonzero(strata == 2) if state.classes[place] < 0]  # two of these are judged
    moved, errors = moves(one, state, run=3), covariance(state)
    for i, j in product(left, left):
        expected += moved[i] * moved[j] * errors[i, j]
    expected *= (1 - 1 / 2) * (len(left) + 2) / (2 * len(left))
    assert expected > 1e-6
    assert (terms_of(one, 2).common[1] ** 2).sum() == pytest.approx(expected, rel=0.02)


def moves(one: Combined, state: TopicState, run: int) -> Array:
    """By how much the plug-in grows with the probability of each unjudged document, by a small step."""
    found, step = np.zeros(len(state.classes)), 1e-5
    for document in np.flatnonzero(state.classes < 0):
        ends = []
        for side in (1, -1):
            tail_chance = state.tail_chance.copy()
            tail_chance[document] += side * step
            ends.append(plug_in(one, dataclasses.replace(state, tail_chance=tail_chance), run))
        found[document] = (ends[0] - ends[1]) / (2 * step)
    return found


def plug_in(one: Combined, state: TopicState, run: int) -> float:
    return float(TERMS[one.target.kind](state, one.target, [run], False).value[0])


def test_without_a_stratum_of_two_labels_nothing_is_common() -> None:
    sample = one_of_each_stratum()
    strata = np.arange(len(sample.strata), dtype=np.int32) % 97  # hardly two documents of a topic in one
    one = combined("AP", sample=Judgments(CAMPAIGN, sample.labels, strata=strata, top=sample.top))
    assert one.common.shape == (2, 0)
    assert np.isfinite(one.variance.value).all()


def test_no_more_than_half_of_a_variance_is_taken_off() -> None:
    variance = Variance(np.array([1.0, 1.0]), np.array([5.0, 6.0]))
    found = without_common(variance, np.array([[0.1, 0.2], [1.0, 3.0]]))
    assert found.value == pytest.approx([0.95, 0.5])
    assert found.df is variance.df


def test_average_precision_expects_the_literal_double_sum() -> None:
    one = combined("AP")
    expected = double_sum_of_precision(one, topic=2, run=3, together=lambda i, j: True)
    assert terms_of(one, 2).expected_curvature[1] == pytest.approx(expected, rel=1e-3, abs=1e-7)
    assert terms_of(one, 2).unseen_curvature is None


def test_average_precision_has_unseen_pairs_where_a_stratum_has_one_label() -> None:
    sample = one_of_each_stratum()
    one = combined("AP", sample=sample)
    expected = double_sum_of_precision(one, topic=2, run=3, together=partial(share_a_label, sample, 2))
    assert abs(expected) > 1e-5
    assert terms_of(one, 2).unseen_curvature[1] == pytest.approx(expected, rel=1e-3, abs=1e-7)


def test_doubts_of_strata_with_one_label_are_told_apart() -> None:
    sample = one_of_each_stratum()
    for measure, together in (("AP", 2.0), ("nDCG@10", 1.0)):
        one = combined(measure, sample=sample)
        told = [terms_of(one, topic) for topic in range(5)]
        parts = [within_reason(together * each.unseen_curvature, np.maximum(each.value, 0.0)) for each in told]
        expected = np.abs(parts).mean(axis=0) / together
        assert expected.min() > 1e-6
        assert one.single_label_error == pytest.approx(expected)
        assert (one.doubt >= one.single_label_error).all()
        assert (combined(measure).single_label_error == 0.0).all()  # many labels in every stratum


def share_a_label(sample: Judgments, topic: int, i: int, j: int) -> bool:
    """Whether both documents are of one stratum, and of one of which one document is judged."""
    strata = sample.strata[sample.offsets[topic] : sample.offsets[topic + 1]]
    return bool(strata[i] == strata[j] != 2)


def double_sum_of_precision(one: Combined, topic: int, run: int, together: Callable[[int, int], bool]) -> float:
    state = one.model.state(topic)
    errors, p = covariance(state), state.tail_chance[:, 0]
    ranking = np.asarray(one.model.layout.pool.all_documents(run, topic)).tolist()
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
        if i < j and abs(errors[i, j]) > 0 and together(i, j):
            corner = [value(moved(p, i, a * step, j, b * step)) for a, b in [(1, 1), (1, -1), (-1, 1), (-1, -1)]]
            expected += errors[i, j] * (corner[0] - corner[1] - corner[2] + corner[3]) / (4 * step**2)
    assert known > 0
    return expected


def moved(p: Array, i: int, by: float, j: int, other: float) -> Array:
    q = p.copy()
    q[i] += by
    q[j] += other
    return q


def terms_of(one: Combined, topic: int) -> Any:
    from poolwise.estimates.combine import TERMS

    return TERMS[one.target.kind](one.model.state(topic), one.target, [0, 3], False)


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
    from poolwise.estimates.combine import TERMS

    parts = [TERMS[one.target.kind](one.model.state(t), one.target, [0, 3], False) for t in range(layout.topics)]
    curvature = np.concatenate([part.curvature for part in parts], axis=1)
    inclusion = layout.inclusion[one.counted]
    sums = np.stack([part.expected_curvature for part in parts], axis=1)
    expected = times * sums.mean(axis=1)
    mixture = mixture_of(sums, curvature / np.sqrt(1.0 - inclusion) / layout.topics)
    first = np.mean([part.value + part.gradient @ layout.weight[one.counted][layout.topic_of[one.counted] == t]
                        for t, part in enumerate(parts)], axis=0)  # fmt: skip
    second = mixture.share * 0.5 * curvature.sum(axis=1) / layout.topics + (1.0 - mixture.share) * expected
    assert ((mixture.share > 0.0) & (mixture.share < 1.0)).all()
    assert one.values == pytest.approx(first + second, abs=1e-12)
    assert one.doubt == pytest.approx(mixture.doubt)
    assert (one.variance.value > one.doubt**2).all()


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "R@5"])
def test_pairs_that_no_labels_speak_for_are_the_models(measure: str) -> None:
    """They come on top of the mixture of the others, within reason, and are doubted."""
    one = combined(measure, sample=one_of_each_stratum())
    times = TOGETHER[one.target.kind]
    seen, unseen, values = [], [], []
    for topic in range(one.model.layout.topics):
        own = terms_of(one, topic)
        weight = one.model.state(topic).weight
        seen.append((times * (own.expected_curvature - own.unseen_curvature), 0.5 * own.curvature.sum(axis=1)))
        told = times * own.unseen_curvature
        unseen.append(told / (1.0 + np.abs(told) / own.value))
        values.append(own.value + own.gradient @ weight[weight > 0])
    expected, pairs = np.mean(seen, axis=0)
    left = one.values - np.mean(values, axis=0) - np.mean(unseen, axis=0)
    kept = (left - expected) / (pairs - expected)
    assert (np.abs(np.mean(unseen, axis=0)) > 1e-5).all()
    assert ((kept > 0.0) & (kept < 1.0)).all()
    wrong = np.mean([np.abs(part[0]) for part in seen], axis=0)
    assert one.doubt == pytest.approx(((1.0 - kept) * wrong + np.mean(np.abs(unseen), axis=0)) / times)


def test_a_second_order_counts_for_no_more_than_the_value() -> None:
    counted = within_reason(np.array([0.001, 0.2, -0.2, 50.0, 0.1]), np.array([0.5, 0.2, 0.2, 0.3, 0.0]))
    assert counted == pytest.approx([0.001 / 1.002, 0.1, -0.1, 0.3, 0.0], rel=0.01)


def test_without_predictions_the_model_has_its_say_too() -> None:
    sample = uniform_sample(CAMPAIGN, 0.4, 3)
    layout = Layout.of(CAMPAIGN, sample)
    one = combine(layout, prepare(CAMPAIGN, sample), [target_of(parse("AP"), layout)], [0, 3], False, 1)[0]
    assert (one.doubt != 0.0).all()
    assert (terms_of(one, 1).expected_curvature != 0.0).all()


def test_sums_have_no_second_order() -> None:
    one = combined("P@5")
    assert not one.doubt.any()
    assert not one.curvature_shares.any()


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG", "R@5"])
def test_ratios_expect_the_literal_double_sum(measure: str) -> None:
    one = combined(measure)
    expected = double_sum_of_ratio(one, topic=2, run=3, together=lambda i, j: True)
    assert abs(expected) > 1e-6
    assert terms_of(one, 2).expected_curvature[1] == pytest.approx(expected, rel=2e-3)
    assert terms_of(one, 2).unseen_curvature is None


@pytest.mark.parametrize("measure", ["nDCG@10", "R@5"])
def test_ratios_have_unseen_pairs_where_a_stratum_has_one_label(measure: str) -> None:
    sample = one_of_each_stratum()
    one = combined(measure, sample=sample)
    expected = double_sum_of_ratio(one, topic=2, run=3, together=partial(share_a_label, sample, 2))
    assert abs(expected) > 1e-6
    assert terms_of(one, 2).unseen_curvature[1] == pytest.approx(expected, rel=2e-3)


def double_sum_of_ratio(one: Combined, topic: int, run: int, together: Callable[[int, int], bool]) -> float:
    """Over pairs of unjudged documents and of classes: covariance times a difference of differences of DCG / I."""
    target, state = one.target, one.model.state(topic)
    steps, z = np.diff(target.gains), state.tail_chance
    counts = Counts.of(state)
    assert counts.certain[0] > 0
    ranking = np.asarray(one.model.layout.pool.all_documents(run, topic)).tolist()[: target.depth]
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
    for i, j in filter(lambda pair: together(*pair), permutations(open_documents, 2)):
        for g, h in product(range(z.shape[1]), repeat=2):
            corners = 0.0
            for a, b in [(1, 1), (1, -1), (-1, 1), (-1, -1)]:
                by = np.zeros(z.shape)
                by[i, g] += a * step
                by[j, h] += b * step
                corners += a * b * value(by)
            expected += 0.5 * float(errors[g][i] @ errors[h][j]) * corners / (4 * step**2)
    return expected


def error_rows(state: TopicState, grade: int) -> Array:
    """Rows whose products are covariances of the errors of "class g or more"; stages err independently."""
    parts = []
    for number, errors in enumerate(state.errors):
        moves = state.tail_chance[:, grade] * (1.0 - state.chances[:, number]) * (number <= grade)
        parts.append(errors * moves[:, None])
    return np.hstack(parts)


def of_counts(sample: Judgments) -> tuple[float, float, float]:
    """What pairs say, what effects let expect of pairs with two labels in a stratum, and noise: literal double sums."""
    one = combined("AP", sample=sample)
    layout, seen, told, noise = one.model.layout, 0.0, 0.0, 0.0
    for topic in range(len(CAMPAIGN.topics)):
        state, part = one.model.state(topic), layout.part(topic)
        pairs, errors = state.pair_weights, joint_errors(state)
        weight = 1.0 / max(state.tail_chance[:, 0].sum(), 1.0) ** 2
        for i, j in permutations(range(len(errors)), 2):
            alone = layout.unpaired[part][i] and layout.cell[part][i] == layout.cell[part][j]
            told += 0.0 if alone else weight * float(errors[i] @ errors[j])
        for row in pairs.tolist():
            seen += weight * sum(row)
            noise += weight**2 * sum(row) ** 2 / 2
    return seen, told, noise


@pytest.mark.parametrize("strata", [False, True])
def test_how_much_documents_err_together_is_what_pairs_say_as_far_as_they_can_tell(strata: bool) -> None:
    sample = one_of_each_stratum() if strata else uniform_sample(CAMPAIGN, 0.4, 3)
    seen, told, noise = of_counts(sample)
    share = told**2 / (told**2 + noise)
    assert 0.0 < share < 1.0
    expected = max(share * seen / told + (1.0 - share) * USUAL, 0.0)
    assert errors_together(combined("AP", sample=sample).model) == pytest.approx(expected, rel=1e-9)


def test_with_everything_judged_what_is_usual_counts() -> None:
    assert errors_together(combined("AP", sample=CAMPAIGN.judgments).model) == USUAL
