"""Chances and quantiles against SciPy over wide ranges, against closed forms, and against each other."""

from __future__ import annotations

import subprocess
import sys
from math import comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from scipy import special

from poolwise import _core
from poolwise.basics.numbers import beta_below, normal_below, student_below, student_quantile

SAME = 1e-10
LEAST = 1e-290  # what is smaller has fewer digits


def powers(least: float, most: float) -> some.SearchStrategy[float]:
    """Numbers of every size between the two."""
    return some.floats(np.log(least), np.log(most)).map(lambda log: float(np.clip(np.exp(log), least, most)))


def agree(found: np.ndarray, expected: np.ndarray, tolerance: float = SAME) -> bool:
    return bool(np.allclose(found, expected, rtol=tolerance, atol=LEAST))


@given(df=powers(0.3, 1e9), t=powers(1e-3, 1e3))  # nearer to 0 SciPy loses digits: the closed forms go there
@example(df=1e9, t=38.0)
@example(df=3000.0, t=1.7)
@example(df=49.0, t=0.0)
def test_chances_of_student_are_those_of_scipy(df: float, t: float) -> None:
    assert agree(student_below(df, [-t, t]), special.stdtr(df, [-t, t]))


@given(df=powers(0.5, 1e9), tail=powers(1e-12, 0.499))
@example(df=1.0, tail=1e-12)
@example(df=3001.0, tail=1e-12)
def test_quantiles_of_student_are_those_of_scipy(df: float, tail: float) -> None:
    assert agree(student_quantile(df, [tail, 1.0 - tail]), special.stdtrit(df, [tail, 1.0 - tail]))


@given(p=powers(0.1, 1e5), q=powers(0.1, 1e5), x=some.floats(1e-6, 1.0 - 1e-6))
@example(p=50_000.0, q=50_000.0, x=0.49)
def test_the_incomplete_beta_function_is_that_of_scipy(p: float, q: float, x: float) -> None:
    assert agree(beta_below(p, q, x), special.betainc(p, q, x))


@given(won=some.integers(1, 400), lost=some.integers(0, 400))
@example(won=400, lost=0)
def test_chances_of_coins_are_those_of_counting(won: int, lost: int) -> None:
    ways = sum(comb(won + lost, few) for few in range(lost + 1))
    assert agree(beta_below(won, lost + 1, 0.5), np.array(ways / 2 ** (won + lost)), 1e-12)


@given(z=some.floats(-37.0, 37.0))
def test_chances_of_the_normal_distribution_are_those_of_scipy(z: float) -> None:
    assert agree(normal_below(z), special.ndtr(z))


@given(t=powers(1e-12, 1e12))
def test_chances_of_student_are_those_of_the_closed_forms(t: float) -> None:
    two = 1.0 / (2.0 + t**2) / (1.0 + t / np.sqrt(2.0 + t**2))  # (1 - t / sqrt(2 + t^2)) / 2 without the difference
    assert agree(student_below([1.0, 2.0], -t), np.array([np.arctan2(1.0, t) / np.pi, two]), 1e-13)


@given(df=powers(0.5, 1e12), middle=powers(1e-14, 0.4))
def test_chances_of_quantiles_near_the_middle_are_what_was_asked_for(df: float, middle: float) -> None:
    # SciPy has few digits here: with t = 0 + a little, the chance is one half + a little times the density at 0.
    chance = 0.5 + middle
    t = float(student_quantile(df, chance))
    x = t**2 / (df + t**2)
    assert special.betainc(0.5, 0.5 * df, x) == pytest.approx(2.0 * (chance - 0.5), rel=SAME)


def test_without_end_degrees_of_freedom_are_normal_and_other_ends_are_ends() -> None:
    assert student_below(np.inf, -1.5) == normal_below(-1.5)
    assert student_quantile(np.inf, 0.9) == pytest.approx(special.ndtri(0.9), rel=1e-14)
    assert student_below(7.0, [-np.inf, 0.0, np.inf]).tolist() == [0.0, 0.5, 1.0]
    assert student_quantile(7.0, [0.0, 0.5, 1.0]).tolist() == [-np.inf, 0.0, np.inf]
    assert beta_below(2.0, 3.0, [-1.0, 0.0, 1.0, 2.0]).tolist() == [0.0, 0.0, 1.0, 1.0]


def test_what_is_no_distribution_has_no_chances() -> None:
    assert np.isnan(student_below([0.0, -1.0, np.nan, 3.0], [1.0, 1.0, 1.0, np.nan])).all()
    assert np.isnan(student_quantile([0.0, -1.0, np.nan], 0.9)).all()
    assert np.isnan(beta_below([0.0, 1.0, np.nan], [1.0, 0.0, 1.0], 0.5)).all()


def test_shapes_are_stretched_as_numpy_does() -> None:
    df, t = np.array([[3.0], [9.0]]), np.array([-1.0, 0.0, 2.0])
    assert student_below(df, t).shape == (2, 3)
    assert student_quantile(5, 0.9).shape == ()
    assert agree(student_below(df, t), special.stdtr(df, t))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [("student_below", 2), ("student_quantiles", 2), ("beta_below", 3)],
)
def test_the_core_takes_as_many_of_each(function: str, arguments: int) -> None:
    with pytest.raises(ValueError, match="as many"):
        getattr(_core, function)(np.full(3, 0.5), *[np.full(2, 0.5)] * (arguments - 1))


def test_quantiles_need_a_chance() -> None:
    for chance in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="a chance between 0 and 1"):
            _core.student_quantiles(np.ones(1), np.array([chance]))


def test_what_needs_these_alone_loads_no_scipy() -> None:
    modules = (
        "rated_items.estimate_items",
        "trust.label_agreement",
        "comparisons.non_inferiority",
        "campaign.assessor_effect",
    )
    imports = "; ".join(f"import poolwise.{module}" for module in modules)
    script = f"import sys; {imports}; print('scipy' in sys.modules, 'poolwise.basics.numbers' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "True"]
