"""Columns of one predictor and of several."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise.estimate.given_predictions import prediction_columns
from poolwise.estimate.layout import Layout

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
    mean = one[:, 0] + two[:, 0]
    assert both[:, 0] == pytest.approx(mean / mean.std())


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
            CAMPAIGN.estimate("P@10", judgments=uniform_sample(CAMPAIGN, 0.4, seed), predictions=given, pooled=False)
            for seed in range(6)
        ]
        widths.append(float(np.mean([one.mean_high() - one.mean_low() for one in found])))
    assert widths[2] < min(widths[:2])
