"""Columns of one predictor and of several."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise.errors import PoolwiseWarning
from poolwise.estimates.estimator import prediction_columns
from poolwise.estimates.layout import Layout

CAMPAIGN = small_campaign(seed=21, topics=3, runs=7)
LAYOUT = Layout.of(CAMPAIGN, CAMPAIGN.judgments)
RANDOM = np.random.default_rng(1)
SCORES, SHARES = (
    {
        topic: {d: float(v) for d, v in zip(CAMPAIGN.judgments.of(topic), draw(), strict=False)}
        for topic in CAMPAIGN.topics
    }
    for draw in (lambda: RANDOM.normal(size=200), lambda: RANDOM.random(200))
)


def test_a_predictor_has_its_value_square_and_logit() -> None:
    scores, shares = (prediction_columns(given, LAYOUT)[0] for given in (SCORES, SHARES))
    value = np.array([v for topic in CAMPAIGN.topics for v in SCORES[topic].values()])
    assert scores.shape[1] == 2
    assert scores[:, 0] == pytest.approx((value - value.mean()) / value.std())
    chance = np.clip([v for topic in CAMPAIGN.topics for v in SHARES[topic].values()], 1e-3, 1 - 1e-3)
    logit = np.log(chance / (1 - chance))
    assert shares[:, 2] == pytest.approx((logit - logit.mean()) / logit.std())


def test_several_predictors_stand_side_by_side_behind_their_mean() -> None:
    one, two, both = (prediction_columns(given, LAYOUT)[0] for given in (SCORES, SHARES, [SCORES, SHARES]))
    assert both[:, 1:] == pytest.approx(np.hstack([one, two]))
    alike = np.sign(one[:, 0] @ two[:, 0])  # the second is turned round if it says the opposite of the first
    mean = one[:, 0] + alike * two[:, 0]
    assert both[:, 0] * np.sign(both[:, 0] @ mean) == pytest.approx(mean / mean.std())


def test_rows_are_one_predictor() -> None:
    rows = [(topic, d, value) for topic, own in SCORES.items() for d, value in own.items()]
    assert prediction_columns(rows, LAYOUT)[0] == pytest.approx(prediction_columns(SCORES, LAYOUT)[0])


@pytest.mark.slow
def test_two_models_narrow_more_than_one() -> None:
    """Two independent guesses of the same labels against each alone."""
    noise = np.random.default_rng(8)
    guesses = [
        {
            t: {d: label + float(noise.normal()) for d, label in CAMPAIGN.judgments.of(t).items()}
            for t in CAMPAIGN.topics
        }
        for _ in range(2)
    ]
    widths = []
    for given in (guesses[0], guesses[1], guesses):
        found = [
            CAMPAIGN.estimate("P@10", judgments=uniform_sample(CAMPAIGN, 0.4, seed), predictions=given, steadied=False)
            for seed in range(6)
        ]
        widths.append(float(np.mean([one.mean_high() - one.mean_low() for one in found])))
    assert widths[2] < min(widths[:2])


def test_missing_predictions_are_counted() -> None:
    some = {topic: dict(list(own.items())[1:]) for topic, own in SCORES.items()}
    sample = uniform_sample(CAMPAIGN, 0.4, 1)
    documents = len(LAYOUT.labels)
    with pytest.warns(PoolwiseWarning, match=f"3 of {documents} pooled documents have no prediction; "):
        found = CAMPAIGN.estimate("P@10", judgments=sample, predictions=some)
    assert found.warnings[0].startswith(f"3 of {documents} pooled documents")
    whole = CAMPAIGN.estimate("P@10", judgments=sample, predictions=SCORES)
    assert not any("no prediction" in note for note in whole.warnings)


def test_predictions_are_not_asked_for_where_they_are_given() -> None:
    sample = uniform_sample(CAMPAIGN, 0.4, 1)
    plain, helped = (CAMPAIGN.estimate("P@10", judgments=sample, predictions=given) for given in (None, SCORES))
    assert any(note.endswith("more runs, or predictions, say more") for note in plain.warnings)
    assert any(note.endswith("more runs say more") for note in helped.warnings)
    assert not any("or predictions" in note for note in helped.warnings)


def test_headlines_say_differences_and_what_scores_are_relative_to() -> None:
    sample = uniform_sample(CAMPAIGN, 0.4, 1)
    a, b = CAMPAIGN.runs[:2]
    found = CAMPAIGN.estimate("nDCG@10", "P@10", judgments=sample, difference=(a, b))
    low, high = found.differences.low[0], found.differences.high[0]
    assert f"{a} - {b} by nDCG@10: {found.differences.difference[0]:+.4f} ({low:+.4f} to {high:+.4f})" in repr(found)
    assert f"{a} - {b} by P@10" in found._repr_html_()
    many = CAMPAIGN.estimate("P@10", judgments=sample, difference="all")
    assert repr(many).endswith(f", {len(many.differences.run_a)} differences>")
    documents = len(LAYOUT.labels)
    assert found.relative_to().startswith(f"nDCG@10 is relative to what is relevant among the {documents} pooled")
    assert many.relative_to() == ""


SAMPLE = uniform_sample(CAMPAIGN, 0.4, 1)
GRADES = {topic: {d: float(round(3 * v)) for d, v in own.items()} for topic, own in SHARES.items()}
BINARY = {topic: {d: float(v > 0.7) for d, v in own.items()} for topic, own in SHARES.items()}
SOME = {topic: dict(list(own.items())[3:]) for topic, own in GRADES.items()}


def moved(given, times, plus):
    return {topic: {d: times * value + plus for d, value in own.items()} for topic, own in given.items()}


def ends(given):
    found = CAMPAIGN.estimate("P@10", "AP", judgments=SAMPLE, predictions=given)
    return np.array([found.means(), found.mean_low(), found.mean_high()])


@pytest.mark.parametrize("given", [SCORES, GRADES, BINARY, SOME])
@pytest.mark.parametrize(("times", "plus"), [(100, 0), (-3, 0), (0.37, 2), (2, -1e4), (-1e-3, 5)])
def test_units_and_origin_of_predictions_do_not_matter(given, times, plus) -> None:
    assert ends(moved(given, times, plus)) == pytest.approx(ends(given), rel=1e-9)


def test_units_do_not_matter_beside_another_predictor() -> None:
    told = [GRADES, {t: {d: v + SCORES[t][d] for d, v in own.items()} for t, own in GRADES.items()}]
    wanted = ends(told)
    assert ends([moved(told[0], -2, 7), told[1]]) == pytest.approx(wanted, rel=1e-9)
    assert ends(told[::-1]) == pytest.approx(wanted, rel=1e-9)


def test_probabilities_are_taken_for_probabilities() -> None:
    """The exception: values that all lie between 0 and 1 have their logits, too."""
    assert abs(ends(moved(SHARES, 100, 0)) - ends(SHARES)).max() > 1e-6


@pytest.mark.parametrize("value", [0, 0.1, 1, 7.3])
def test_constant_predictions_change_nothing(value) -> None:
    constant = moved(SCORES, 0, value)
    columns, notes, topics = prediction_columns(constant, LAYOUT)
    assert topics == frozenset()  # nor do they speak for a topic
    assert columns.shape == (len(LAYOUT.labels), 0)
    assert notes == ["predictions that are the same for all documents change nothing; they are left out"]
    assert ends(constant).tolist() == ends(None).tolist()
    assert ends([GRADES, constant]).tolist() == ends(GRADES).tolist()


@pytest.mark.parametrize("given", [SCORES, SHARES, SOME])
def test_a_predictor_given_twice_is_given_once(given) -> None:
    once = ends(given).tolist()
    assert ends([given, given]).tolist() == once
    assert ends([moved(given, 5, 2), given])[0] == pytest.approx(np.array(once[0]), rel=1e-9)


def test_which_documents_have_a_prediction_is_one() -> None:
    """A list of what a model calls relevant, all of one value."""
    chosen = {topic: {d: 1.0 for d, value in own.items() if value > 0.6} for topic, own in SHARES.items()}
    whole = {topic: {d: float(value > 0.6) for d, value in own.items()} for topic, own in SHARES.items()}
    with pytest.warns(PoolwiseWarning, match="no prediction"):
        found = ends(chosen)
    assert found == pytest.approx(ends(whole), rel=1e-9)


@pytest.mark.parametrize("factor", [1e300, -(2.0**1000), -1e-300])
def test_the_size_of_predictions_does_not_matter(factor: float) -> None:
    """Squares of 1e300 overflow, those of 1e-300 vanish; both are as good as 1. No value is between 0 and 1, which
    would be probabilities."""
    sample = uniform_sample(CAMPAIGN, 0.4, 1)
    told = {topic: {d: value + 3 for d, value in part.items()} for topic, part in SCORES.items()}
    other = {topic: {d: factor * value for d, value in part.items()} for topic, part in told.items()}
    one, same = (CAMPAIGN.estimate("P@10", judgments=sample, predictions=given) for given in (told, other))
    without = CAMPAIGN.estimate("P@10", judgments=sample)
    assert same.means() == pytest.approx(one.means(), rel=1e-9)
    assert same.mean_low() == pytest.approx(one.mean_low(), rel=1e-9)
    assert abs(without.mean_low() - one.mean_low()).max() > 1e-3
