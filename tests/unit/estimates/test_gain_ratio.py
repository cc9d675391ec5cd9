"""The core's terms of gain x discount / ideal against literal twins, and what they are made of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign
from tests.kit.topic_states import KINDS, ranks_of, topic_states
from tests.twins import assisted
from tests.twins import ratio_terms as twin

from poolwise import _core
from poolwise.estimates.terms import ratio_terms

RUNS = [4, 2, 0]
PAIRS = np.array([(0, 1), (2, 1)])
CLOSE = {"rtol": 1e-9, "atol": 1e-11}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("measure", "grades"),
    [("nDCG@5", 1), ("nDCG", 1), ("nDCG(gain='exp')@8", 3), ("R@6", 1), ("P@4", 1), ("nDCG(discount='zipf')", 2)],
)
def test_terms(kind: str, measure: str, grades: int) -> None:
    model, target, campaign = topic_states(kind, measure, grades, seed=5)
    refitted = 0
    for topic in range(model.layout.topics):
        state = model.state(topic)
        refitted += len(state.refits[0])
        found = ratio_terms(state, target, RUNS, True, PAIRS)
        table = np.append(0.0, target.discounts)
        ranks = [ranks_of(model, campaign, run, topic, target.depth) for run in RUNS]
        discounts = [table[own.astype(int)] for own in ranks]
        for row, own in enumerate(discounts):
            np.testing.assert_allclose(found.value[row], twin.value(state, target, own), **CLOSE)
            np.testing.assert_allclose(found.gradient[row], twin.first(state, target, own), **CLOSE)
            np.testing.assert_allclose(found.curvature[row], twin.curvature(state, target, own), **CLOSE)
            np.testing.assert_allclose(found.expected[row], twin.expected(state, target, own), **CLOSE)
            for number, stage in enumerate(model.stages):
                slopes = state.with_topic(twin.slopes(state, target, own, number), stage)
                np.testing.assert_allclose(found.slopes[number][row], slopes, **CLOSE)
        between = [twin.expected(state, target, discounts[a], discounts[b]) for a, b in PAIRS]
        np.testing.assert_allclose(found.between, between, **CLOSE)
    assert refitted > 0


def test_runs_are_independent_of_which_others_are_asked_for() -> None:
    model, target, _ = topic_states("plain", "nDCG@5", 2, seed=4)
    state = model.state(1)
    together, alone = (ratio_terms(state, target, runs, True) for runs in ([3, 1, 0], [1]))
    for name in ("value", "gradient", "curvature", "expected"):
        assert getattr(together, name)[1].tolist() == getattr(alone, name)[0].tolist()
    for number in range(2):
        assert together.slopes[number][1].tolist() == alone.slopes[number][0].tolist()


@pytest.mark.parametrize("loose", [0.0, 0.4, 7.0, 60.5])
@pytest.mark.parametrize("end", [4, 400])
def test_mean_worths(loose: float, end: int) -> None:
    def discount(rank: int) -> float:  # beyond the end of the table its last step goes on
        return 1.0 / math.log2(min(rank, end) + 1)

    table = np.append(0.0, np.cumsum([discount(rank) for rank in range(1, end + 1)]))
    certain, alike = np.array([5, 6, 8]), np.ones(3)
    found = np.asarray(_core.mean_worths(table, certain, loose * alike, 0.3 * alike))
    expected = [assisted.mean_ideal(int(number), loose, 0.3, discount) for number in certain]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_means_that_cannot_be() -> None:
    for mean in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="means are 0 or more"):
            _core.mean_worths(np.ones(3), np.array([1]), np.array([mean]), np.array([0.0]))


@pytest.mark.parametrize("table", [[1.0, 0.5, 0.25], [1.0, 0.0, 0.5, 0.0], [1.0] * 40])
def test_discounts_of_documents_that_count(table: list[float]) -> None:
    core, runs = small_campaign(runs=6, topics=2, seed=3).core, [5, 1, 2]
    used, weights = (np.asarray(part) for part in core.used_weights(1, runs, np.array(table)))
    everywhere = np.asarray(core.rank_weights(1, runs, np.array(table)))
    assert used.tolist() == np.flatnonzero(everywhere.any(axis=0)).tolist()
    np.testing.assert_array_equal(weights, everywhere[:, used])
