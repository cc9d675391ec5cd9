"""Means over uncertain numbers of documents, and discounts of those that count, against literal twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign
from tests.twins import assisted as twin

from poolwise import _core


@pytest.mark.parametrize("loose", [0.0, 1e-9, 0.4, 7.0, 40.5, 900.25])
def test_mean_reciprocals(loose: float) -> None:
    known = np.array([[-1, 0, 1, 2, 9]])
    found = np.asarray(_core.mean_reciprocals(np.array([loose]), known))[0]
    assert found[:2].tolist() == [0.0, 0.0]
    if loose < 100:  # the twin starts at e^-loose
        expected = [twin.mean_reciprocal(int(number), loose) for number in known[0, 2:]]
        np.testing.assert_allclose(found[2:], expected, rtol=1e-13)
    else:  # 1 / x near the mean, to second order
        near = known[0, 2:] + loose
        np.testing.assert_allclose(found[2:], 1 / near + loose / near**3, rtol=1e-5)


@pytest.mark.parametrize("loose", [0.0, 0.4, 7.0, 60.5])
@pytest.mark.parametrize("end", [4, 400])
def test_mean_worths(loose: float, end: int) -> None:
    def discount(rank: int) -> float:  # beyond the end of the table its last step goes on
        return 1.0 / math.log2(min(rank, end) + 1)

    table = np.append(0.0, np.cumsum([discount(rank) for rank in range(1, end + 1)]))
    more = np.array([0, 1, 3])
    found = np.asarray(_core.mean_worths(table, np.array([5]), np.array([loose]), np.array([0.3]), more))[0]
    expected = [twin.mean_ideal(5 + int(number), loose, 0.3, discount) for number in more]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_means_that_cannot_be() -> None:
    for mean in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="means are 0 or more"):
            _core.mean_reciprocals(np.array([mean]), np.array([[1]]))


@pytest.mark.parametrize("table", [[1.0, 0.5, 0.25], [1.0, 0.0, 0.5, 0.0], [1.0] * 40])
def test_discounts_of_documents_that_count(table: list[float]) -> None:
    core, runs = small_campaign(runs=6, topics=2, seed=3).core, [5, 1, 2]
    used, weights = (np.asarray(part) for part in core.used_weights(1, runs, np.array(table)))
    everywhere = np.asarray(core.rank_weights(1, runs, np.array(table)))
    assert used.tolist() == np.flatnonzero(everywhere.any(axis=0)).tolist()
    np.testing.assert_array_equal(weights, everywhere[:, used])
