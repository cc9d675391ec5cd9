"""Ends of intervals: Wilson's against the equation that defines it, solved by bisection."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from poolwise.estimates.differences import difference_ends, score_ends
from poolwise.estimates.unpooled import ScoreRange

STILL = ScoreRange.none(1)


@pytest.mark.parametrize(("value", "half"), [(0.3, 0.1), (0.05, 0.04), (0.9, 0.02), (0.5, 0.4), (0.97, 0.02)])
def test_each_end_is_a_share_whose_own_error_just_reaches_the_value(value: float, half: float) -> None:
    # With n observations a share t has variance t (1 - t) / n; n and the quantile q are such that half = q sqrt(var).
    per_observation = half**2 / (value * (1 - value))

    def beyond(share: float) -> float:
        return (value - share) ** 2 - per_observation * share * (1 - share)

    expected = brentq(beyond, 1e-12, value), brentq(beyond, value, 1 - 1e-12)
    (low,), (high,) = score_ends(np.array([value]), np.array([half]), STILL)
    assert (low, high) == pytest.approx(expected, rel=1e-9)
    assert (high - value > value - low) == (value < 0.5) or value == 0.5


def test_ends_near_0_and_1_stay_within_and_mirror_each_other() -> None:
    values, half = np.array([0.0, 0.001, 1.0, 0.999, -0.02]), np.array([0.05, 0.05, 0.05, 0.05, 0.05])
    low, high = score_ends(values, half, STILL)
    assert low == pytest.approx([0.0, 0.0, 1 - high[0], 1 - high[1], 0.0], abs=2e-4)
    assert ((low >= 0) & (high <= 1)).all()
    assert (high[[0, 1]] > 0.05).all()  # a value of 0 with an error is not a certain 0
    assert (high[[0, 1]] < 0.1).all()


def test_small_errors_give_symmetric_intervals_and_none_the_value_itself() -> None:
    low, high = score_ends(np.array([0.3, 0.3, 0.0]), np.array([1e-4, 0.0, 0.0]), STILL)
    assert (high[0] - 0.3) == pytest.approx(0.3 - low[0], rel=1e-2)
    assert [low[1], high[1], low[2], high[2]] == [0.3, 0.3, 0.0, 0.0]


def test_no_half_width_is_no_interval_and_a_huge_one_is_everything() -> None:
    low, high = score_ends(np.array([0.3, 0.3]), np.array([np.nan, 50.0]), STILL)
    assert np.isnan([low[0], high[0]]).all()
    assert low[1] < 0.001
    assert high[1] > 0.999


def test_documents_outside_reach_beyond_both_ends() -> None:
    plain = score_ends(np.array([0.3]), np.array([0.1]), STILL)
    low, high = score_ends(np.array([0.3]), np.array([0.1]), ScoreRange(np.array([0.05]), np.array([0.9])))
    assert (low[0], high[0]) == (pytest.approx(plain[0][0] - 0.05), 1.0)
    low, high = difference_ends(np.array([0.3]), np.array([0.1]), ScoreRange(np.array([0.05]), np.array([0.9])))
    assert (low[0], high[0]) == (pytest.approx(0.15), 1.0)


def test_an_estimate_far_beyond_what_is_possible_is_not_certain() -> None:
    """1.8 give or take .7 was cut to an interval from 1 to 1."""
    low, high = score_ends(np.array([1.8, -0.9, 1.05]), np.array([0.7, 0.7, 0.2]), STILL, share=False)
    assert low == pytest.approx([0.3, 0.0, 0.85])
    assert high == pytest.approx([1.0, 0.7, 1.0])
    low, high = difference_ends(np.array([1.8, -1.8, 0.9]), np.array([0.7, 0.7, 0.2]), STILL)
    assert low == pytest.approx([0.3, -1.0, 0.7])
    assert high == pytest.approx([1.0, -0.3, 1.0])
    low, high = score_ends(np.array([1.0, 1.0 + 1e-9]), np.array([0.0, 0.0]), STILL, share=False)
    assert low.tolist() == high.tolist() == [1.0, 1.0]
