"""Labels drawn from the model have its probabilities, together or apart."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise.estimates.drawn_labels import SPREAD, Drawing
from poolwise.estimates.layout import Layout, rank_features
from poolwise.estimates.model import TopicState, fit_model
from poolwise.estimates.targets import target_of
from poolwise.measures.registry import parse
from poolwise.pool.judgments import OUTSIDE


def state_of(grades: int, topic: int = 1) -> TopicState:
    campaign = small_campaign(grades=grades, seed=21)
    layout = Layout.of(campaign, uniform_sample(campaign, 0.3, 5))
    target = target_of(parse("Q"), layout)
    return fit_model(layout, rank_features(layout), target.classes(layout), target.grades).state(topic)


def test_each_document_has_its_classes_as_often_as_the_model_says() -> None:
    state = state_of(2)
    layout = state.model.layout
    pooled = layout.listed[layout.part(state.topic)]
    for together in (True, False):
        labels = Drawing(state, 499).present(together)[0][:, pooled]
        for grade in (1, 2):
            share = (labels >= grade).mean(axis=0)
            assert np.abs(share - state.tail_chance[:, grade - 1]).max() < 0.08
            assert abs((share - state.tail_chance[:, grade - 1]).mean()) < 0.005


def test_labels_that_are_known_stay_and_documents_outside_have_none() -> None:
    state = state_of(1)
    layout = state.model.layout
    pooled = layout.listed[layout.part(state.topic)]
    labels = Drawing(state, 13).present(True)[0]
    judged = state.classes >= 0
    assert (labels[:, pooled[judged]] == state.classes[judged]).all()
    outside = np.setdiff1d(np.arange(labels.shape[1]), pooled)
    assert (labels[:, outside] == OUTSIDE).all()


@pytest.mark.slow
def test_numbers_of_relevant_documents_vary_more_when_errors_go_together() -> None:
    spread = [
        sum(Drawing(state_of(1, topic), 499).present(together)[0].clip(0).sum(axis=1).var() for topic in range(8))
        for together in (True, False)
    ]
    assert spread[0] > 1.2 * spread[1]


def test_linear_predictors_vary_together_as_declared() -> None:
    """SPREAD times what pairs say, times the covariance x' H^-1 x of effects, between any two documents."""
    state = state_of(1)
    drawing = Drawing(state, 4001)
    moved = drawing.apart[0] - drawing.together[0]
    expected = SPREAD * state.model.together * (state.errors[0] @ state.errors[0].T)
    assert np.cov(moved.T) == pytest.approx(expected, abs=0.15 * float(np.diag(expected).max()))
    assert np.trace(np.cov(moved.T)) == pytest.approx(np.trace(expected), rel=0.05)
