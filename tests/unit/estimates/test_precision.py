"""The core's terms of average precision against dense matrices, one document and one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.topic_states import KINDS, ranks_of, topic_states
from tests.twins import precision_terms as twin

from poolwise.estimates.model_errors import joint_errors
from poolwise.estimates.terms import precision_terms

RUNS = [4, 2, 0]
PAIRS = np.array([(0, 1), (2, 1)])
CLOSE = {"rtol": 1e-9, "atol": 1e-11}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("measure", ["AP", "AP@6"])
def test_terms(kind: str, measure: str) -> None:
    model, target, campaign = topic_states(kind, measure, 1, seed=3)
    refitted = 0
    # Topics are alike, but those with gaps; the twin takes a tenth of a second for each run of one.
    for topic in range(model.layout.topics if kind == "gaps" else 2):
        state = model.state(topic)
        refitted += len(state.refits[0])
        found = precision_terms(state, target, RUNS, True, PAIRS)
        rankings = [twin.Ranking.of(ranks_of(model, campaign, run, topic, target.depth)) for run in RUNS]
        known, loose = twin.known_and_loose(state)
        factor = joint_errors(state)
        for row, ranking in enumerate(rankings):
            np.testing.assert_allclose(found.value[row], twin.value_of(known, loose, ranking, loose**2), **CLOSE)
            np.testing.assert_allclose(found.gradient[row], twin.first(state, ranking), **CLOSE)
            np.testing.assert_allclose(found.curvature[row], twin.curvature(state, ranking), **CLOSE)
            np.testing.assert_allclose(found.expected[row], twin.expected(state, ranking), **CLOSE)
            np.testing.assert_allclose(
                found.expected_curvature[row], twin.expected_curvature(state, ranking, factor), **CLOSE
            )
            slopes = state.with_topic(twin.slopes(state, ranking), model.stages[0])
            np.testing.assert_allclose(found.slopes[0][row], slopes, **CLOSE)
        between = [twin.expected(state, rankings[a], rankings[b]) for a, b in PAIRS]
        np.testing.assert_allclose(found.between, between, **CLOSE)
    assert refitted > 0


def test_runs_are_independent_of_which_others_are_asked_for() -> None:
    model, target, _ = topic_states("plain", "AP", 1, seed=4)
    state = model.state(1)
    together, alone = (precision_terms(state, target, runs, True) for runs in ([3, 1, 0], [1]))
    for name in ("value", "gradient", "curvature", "expected", "expected_curvature"):
        assert getattr(together, name)[1].tolist() == getattr(alone, name)[0].tolist()
    assert together.slopes[0][1].tolist() == alone.slopes[0][0].tolist()
