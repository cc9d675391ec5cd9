"""One wording for each check of an argument."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise.basics import settings as checks
from poolwise.errors import ArgumentError, InputError

NAN = float("nan")


@pytest.mark.parametrize("value", [0, 1, -0.5, 95, NAN, "0.9", None, True, np.array([0.5])])
def test_shares_lie_between_0_and_1(value):
    for check, name, example in (
        (checks.level, "level", "0.95"),
        (checks.alpha, "alpha", "0.05"),
        (lambda given: checks.share("power", given), "power", "0.5"),
    ):
        with pytest.raises(ArgumentError) as error:
            check(value)
        assert str(error.value) == f"{name}={value!r} must lie between 0 and 1, such as {example}"


@pytest.mark.parametrize("value", [0.25, np.float32(0.25), np.array(0.25)])
def test_shares_of_any_kind_of_number_are_taken(value):
    assert checks.level(value) == checks.fraction("negative", value) == checks.above_zero("width", value) == 0.25
    assert type(checks.level(value)) is float


def test_fractions_include_their_ends():
    assert [checks.fraction("negative", value) for value in (0, 1)] == [0.0, 1.0]
    for value in (-0.1, 1.1, NAN, None):
        with pytest.raises(ArgumentError, match="must be a number from 0 to 1"):
            checks.fraction("negative", value)


def test_numbers_above_zero():
    for value in (0, -1, NAN, float("inf"), "1"):
        with pytest.raises(ArgumentError, match=r"width=.* must be a number above 0, such as 0\.05"):
            checks.above_zero("width", value)


@pytest.mark.parametrize("value", [0, -1, 1.0, "2", None, True, np.True_])
def test_whole_numbers(value):
    with pytest.raises(ArgumentError) as error:
        checks.whole("threads", value, 1)
    assert str(error.value) == f"threads={value!r} must be a whole number of at least 1"


def test_whole_numbers_of_numpy_and_upper_ends():
    assert checks.whole("depth", np.int64(5), 1) == 5
    assert type(checks.whole("depth", np.int64(5), 1)) is int
    with pytest.raises(ArgumentError, match="top=6 must be a whole number from 2 to 5"):
        checks.whole("top", 6, 2, 5)


def test_choices():
    with pytest.raises(ArgumentError, match="ties='x' is unknown; choose one of a, b, w"):
        checks.choice("ties", "x", ("a", "b", "w"))


def test_names_are_found_or_answered_with_their_like():
    assert checks.known_name("run", "b", ("a", "b")) == 1
    with pytest.raises(ArgumentError, match=r"no run is called 'bm26'; did you mean bm25\?"):
        checks.known_name("run", "bm26", ("bm25", "dense"))
    with pytest.raises(ArgumentError, match="no run is called 'x'; there are 2, the first is 'bm25'"):
        checks.known_name("run", "x", ("bm25", "dense"))


def test_two_of_each_are_needed():
    checks.at_least_two("a comparison", (2, 2))
    with pytest.raises(InputError, match="a comparison needs at least two topics, found 1"):
        checks.at_least_two("a comparison", (2, 1))


def test_seeds():
    assert checks.seed_number(np.uint8(7)) == 7
    drawn = checks.seed_number(np.random.default_rng(5))
    assert drawn == checks.seed_number(np.random.default_rng(5)) != 5
    for value in (-1, 1.5, "1", None, True, 2**64):
        with pytest.raises(ArgumentError, match=r"seed=.* must be a whole number from 0 on, or a numpy Generator"):
            checks.seed_number(value)


def test_measures_are_given():
    with pytest.raises(ArgumentError, match="no measure was given"):
        checks.measures_given([])
