"""Error rates against a literal twin and their laws."""

from __future__ import annotations

import numpy as np
import pytest
from tests.twins import comparisons as twins

from poolwise.errors import ArgumentError, InputError
from poolwise.trust.error_rates import error_rates


def some_scores(kind: str = "continuous") -> np.ndarray:
    values = np.random.default_rng(1).random((5, 12)) + 0.05 * np.arange(5)[:, None]
    return np.round(values, 1) - (0.5 if kind == "negative" else 0.0) if kind != "continuous" else values


@pytest.mark.parametrize("kind", ["continuous", "tenths", "negative"])
@pytest.mark.parametrize("tolerance", [0.05, 0.2])
def test_rates_equal_the_literal_definition(kind: str, tolerance: float) -> None:
    values = some_scores(kind)
    found = error_rates(values, sizes=[1, 5, 12], draws=40, tolerance=tolerance, seed=2)
    orders = np.random.default_rng(2).permuted(np.tile(np.arange(12), (40, 1)), axis=1)
    for index, size in enumerate((1, 5, 12)):
        sets = orders[:, :size].tolist()
        assert found.rates[index] == pytest.approx(twins.error_rate(values.tolist(), sets, tolerance))
        assert found.exact_rates[index] == pytest.approx(twins.error_rate(values.tolist(), sets, 0.0))


@pytest.mark.parametrize("kind", ["continuous", "tenths", "negative"])
def test_topics_won_equal_the_literal_definition(kind: str) -> None:
    """Per set and pair the topics that the one with fewer of them wins, over all topics of all sets and pairs."""
    values = some_scores(kind)
    found = error_rates(values, sizes=[1, 5, 12], draws=40, tolerance=0.05, counted="topics", seed=2)
    orders = np.random.default_rng(2).permuted(np.tile(np.arange(12), (40, 1)), axis=1)
    for index, size in enumerate((1, 5, 12)):
        sets = orders[:, :size].tolist()
        for tolerance, rates in ((0.05, found.rates), (0.0, found.exact_rates)):
            # A set of single topics is what the twin of the other reading decides on.
            each = [twins.error_rate(values.tolist(), [[topic] for topic in chosen], tolerance) for chosen in sets]
            assert rates[index] == pytest.approx(np.mean(each))
    assert found.counted == "topics"


def test_all_topics_make_no_errors_and_more_topics_fewer() -> None:
    values = np.random.default_rng(3).random((10, 40)) + 0.03 * np.arange(10)[:, None]
    found = error_rates(values)
    assert found.topics == tuple(range(1, 41))
    assert found.rates[-1] == found.exact_rates[-1] == 0.0
    assert found.exact_rates[0] > found.exact_rates[9] > found.exact_rates[29] > 0
    assert all(0 <= rate <= 0.5 for rate in found.exact_rates)


def test_zeros_are_equal_and_a_tolerance_favours_high_means() -> None:
    assert error_rates(np.zeros((3, 5)), sizes=[2]).exact_rates == (0.0,)
    values = some_scores()
    low, high = error_rates(values, sizes=[3]), error_rates(values + 5, sizes=[3])
    assert low.exact_rates == high.exact_rates
    assert high.rates[0] < low.rates[0]


def test_views_and_wrong_arguments() -> None:
    found = error_rates(some_scores(), sizes=[2, 4], seed=1)
    assert list(found.to_frame().columns) == ["measure", "topics", "error_rate", "error_rate_at_0"]
    assert found.to_dict()["rates"] == list(found.rates)
    assert "error_rate_at_0" in found._repr_html_()
    with pytest.raises(ArgumentError, match="sizes=13 must be a whole number from 1 to 12"):
        error_rates(some_scores(), sizes=[13])
    with pytest.raises(ArgumentError, match="tolerance must be at least 0"):
        error_rates(some_scores(), tolerance=-0.1)
    with pytest.raises(ArgumentError, match="draws=0 must be a whole number of at least 1"):
        error_rates(some_scores(), draws=0)
    with pytest.raises(InputError, match="found 1 x 2 scores"):
        error_rates([[0.1, 0.2]])
