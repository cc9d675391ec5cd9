"""Discriminative power and the difference required, against literal twins."""

from __future__ import annotations

import numpy as np
import pytest
from tests.twins import comparisons as twins

from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.discrimination import discriminative_power
from poolwise.comparisons.resampling_tests import draw_topics
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning


def some_scores() -> np.ndarray:
    values = np.random.default_rng(1).random((5, 20)) + 0.08 * np.arange(5)[:, None]
    return np.round(values, 2)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_power_and_difference_equal_the_literal_twin(alpha: float) -> None:
    values = some_scores()
    found = discriminative_power(values, alpha=alpha, resamples=100, seed=3)
    drawn = draw_topics(np.random.default_rng(3), 20, 100)
    resamples = [np.repeat(np.arange(20), row).tolist() for row in drawn]
    literal = [twins.bootstrap_test(values[i], values[j], resamples, alpha) for i in range(5) for j in range(i + 1, 5)]
    levels = [level for level, _ in literal]
    assert found.asl.tolist() == pytest.approx(levels)
    assert found.power == sum(level < alpha for level in levels) / 10
    assert found.told_apart == sum(level < alpha for level in levels)
    assert found.difference_required == pytest.approx(max(required for _, required in literal))
    assert found.curve.tolist() == sorted(levels, reverse=True)


def test_levels_are_those_of_the_bootstrap_test() -> None:
    values = some_scores()
    assert (
        discriminative_power(values, resamples=500).asl.tolist()
        == compare(values, test="bootstrap", correction="none", resamples=500).asl.tolist()
    )


def test_top_keeps_the_best_runs() -> None:
    values = some_scores()[[2, 0, 4, 1, 3]]
    best = discriminative_power(values, top=3, resamples=100)
    assert best.runs == ("1", "3", "5")
    assert best.pairs == 3
    assert best.asl.tolist() == discriminative_power(values[[0, 2, 4]], resamples=100).asl.tolist()


def test_equal_runs_have_no_power_and_need_no_difference() -> None:
    found = discriminative_power(np.tile(np.random.default_rng(1).random(15), (3, 1)), resamples=100)
    assert found.power == 0.0
    assert found.asl.tolist() == [1.0, 1.0, 1.0]
    assert found.difference_required == pytest.approx(0.0, abs=1e-12)


def test_views_and_warnings() -> None:
    with pytest.warns(PoolwiseWarning, match="only 5 topics"):
        found = discriminative_power(some_scores()[:, :5], resamples=100)
    assert len(found.warnings) == 1
    row = found.to_frame().iloc[0]
    assert (row["measure"], row["power"], row["pairs"]) == ("score", found.power, 10)
    assert found.to_dict()["curve"] == found.curve.tolist()
    assert "difference_required" in found._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"alpha": 0.0}, ArgumentError, "alpha=0.0 must lie between 0 and 1"),
        ({"resamples": 5}, ArgumentError, "5 resamples are too few for alpha 0.05; use at least 20"),
        ({"top": 1}, ArgumentError, "top=1 must be a whole number from 2 to 5"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, float], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        discriminative_power(some_scores(), **arguments)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least two runs, found 1"):
        discriminative_power([[0.1, 0.2]])
