"""Rank-biased overlap against a literal twin, its bounds and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.twins import comparisons as twins

from poolwise.errors import ArgumentError
from poolwise.trust.rank_correlation import TIES, rank_biased_overlap

TIED = arrays.arrays(np.float64, st.just(4), elements=st.integers(0, 3).map(lambda i: i / 8))
PERSISTENCE = st.sampled_from([0.5, 0.8, 0.9])


@given(TIED, TIED, PERSISTENCE)
@settings(deadline=None, max_examples=40)
def test_ties_a_is_the_mean_over_orders_of_tied_runs(a: np.ndarray, b: np.ndarray, p: float) -> None:
    assert [float(value) for value in rank_biased_overlap(a, b, p)] == pytest.approx(twins.overlap(a, b, p), abs=1e-9)


@given(TIED, TIED, PERSISTENCE)
@settings(deadline=None)
def test_bounds_hold_the_extrapolation_and_order_does_not_matter(a: np.ndarray, b: np.ndarray, p: float) -> None:
    for ties in TIES:
        found = rank_biased_overlap(a, b, p, ties)
        assert 0 <= found.low <= found.extrapolated + 1e-12
        assert found.extrapolated <= found.high + 1e-12 <= 1 + 2e-12
        assert rank_biased_overlap(b, a, p, ties).extrapolated == pytest.approx(float(found.extrapolated))


@given(TIED, PERSISTENCE)
@settings(deadline=None)
def test_a_ranking_overlaps_fully_with_itself_under_b_and_w(a: np.ndarray, p: float) -> None:
    assert rank_biased_overlap(a, a, p, "b").extrapolated == pytest.approx(1.0)
    assert rank_biased_overlap(a, a, p, "w").extrapolated == pytest.approx(1.0)
    assert rank_biased_overlap(a, a, p, "a").extrapolated <= 1 + 1e-12


def test_variants_agree_without_ties() -> None:
    generator = np.random.default_rng(3)
    a, b = generator.random((2, 8, 30))
    first = rank_biased_overlap(a, b, 0.9, "a")
    for ties in ("b", "w"):
        for mine, other in zip(first, rank_biased_overlap(a, b, 0.9, ties), strict=True):
            np.testing.assert_allclose(mine, other)


def test_rankings_that_share_nothing_may_still_meet_further_down() -> None:
    nan = np.nan
    found = rank_biased_overlap([3, 2, nan, nan], [nan, nan, 3, 2], 0.9)
    assert found.extrapolated == found.low == 0.0
    # Best case: ranks 3 and 4 bring the other's two runs each, agreement 2/3, then 1 from rank 4 on.
    assert found.high == pytest.approx(0.1 * 0.9**2 * 2 / 3 + 0.9**3)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ArgumentError, match="persistence=1 must lie between 0 and 1"):
        rank_biased_overlap([1, 2], [1, 2], 1)
    with pytest.raises(ArgumentError, match="ties='x' is unknown; choose one of a, b, w"):
        rank_biased_overlap([1, 2], [1, 2], ties="x")
    with pytest.raises(ArgumentError, match=r"both rankings must hold equally many runs, found \[1, 2\]"):
        rank_biased_overlap([1, 2], [1, np.nan])
