"""Corrections against a literal twin, scipy and their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.twins import comparisons as twins

from poolwise.comparisons.significance_tests import benjamini_hochberg, holm, uncorrected

VALUES = st.lists(st.floats(1e-6, 1.0) | st.sampled_from([0.01, 0.02, 0.5]), min_size=1, max_size=30)


@given(VALUES)
def test_holm_equals_its_twin(p: list[float]) -> None:
    assert holm(p).tolist() == pytest.approx(twins.holm(p))


@given(VALUES)
def test_benjamini_hochberg_equals_scipy(p: list[float]) -> None:
    assert benjamini_hochberg(p).tolist() == pytest.approx(stats.false_discovery_control(p).tolist())


@given(VALUES)
def test_corrections_keep_the_order_and_stay_between_p_and_bonferroni(p: list[float]) -> None:
    values = np.array(p)
    order = np.argsort(values)
    for correction in (holm, benjamini_hochberg, uncorrected):
        corrected = correction(p)
        assert np.all(np.diff(corrected[order]) >= -1e-15)
        assert np.all(corrected >= values - 1e-15)
        assert np.all(corrected <= np.minimum(values * len(p), 1.0) + 1e-15)
    assert np.all(benjamini_hochberg(p) <= holm(p) + 1e-12)
