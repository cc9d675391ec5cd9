"""Orders and verdicts do not turn on last digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise.basics.numbers import TIE, best_first
from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.decisions import confusion
from poolwise.comparisons.non_inferiority import gate

STEPS = st.lists(st.integers(0, 5), min_size=1, max_size=12)
NOISE = st.floats(-2e-14, 2e-14)


@given(STEPS, st.data())
def test_noise_does_not_move_an_order(steps: list[int], data: st.DataObject) -> None:
    plain = [step / 7 for step in steps]
    moved = [value + data.draw(NOISE) for value in plain]
    expected = sorted(range(len(steps)), key=lambda place: -steps[place])
    assert best_first(plain) == best_first(moved) == expected


@pytest.mark.parametrize("unit", [1.0, 0.01, 1e6, 1e300])
def test_larger_differences_count_at_every_size_of_numbers(unit: float) -> None:
    assert best_first([0.5 * unit, (0.5 + 1e-7) * unit, 0.5 * unit * (1 + 1e-15)]) == [1, 0, 2]


def test_what_is_no_number_comes_last() -> None:
    assert best_first([float("nan"), float("-inf"), 1.0, float("inf"), float("nan")]) == [3, 2, 1, 0, 4]


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_a_p_value_at_alpha_is_not_below_it() -> None:
    scores = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]])
    p = compare(scores, test="sign").p_corrected[0]  # 2 / 2^6
    for alpha in (p, p * (1 + 1e-14), p * (1 - 1e-14)):
        found = compare(scores, test="sign", alpha=float(alpha))
        assert not found.significant.any()
        assert not found.different().any()
        assert set(found.groups.values()) == {"a"}
        assert confusion([p], [p], float(alpha)).kept_kept == 1
    assert compare(scores, test="sign", alpha=float(p) + 1e-9).significant.all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("noise", [0.0, 1e-16, -1e-16])
def test_scores_that_differ_in_last_digits_are_tied(noise: float) -> None:
    baseline = np.array([0.5, 0.4, 0.6, 0.7])
    found = gate(baseline, baseline + noise, margin=0.0)
    assert (found.verdict, found.wins, found.losses, found.ties) == ("no worse", 0, 0, 4)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_letters_and_orders_of_copies_are_those_of_the_file() -> None:
    scores = np.random.default_rng(1).random((3, 30))
    scores[2] = scores[0]
    for noise in (0.0, 1e-16, -1e-16):
        moved = scores + np.array([[0.0], [-1.0], [noise]])
        found = compare(moved, test="t")
        assert found.ranking_columns()["run"] == ["1", "3", "2"]
        assert found.groups["1"] == found.groups["3"] != found.groups["2"]
    assert TIE == 1e-12
