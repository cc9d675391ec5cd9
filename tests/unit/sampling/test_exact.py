"""Exact shares, and judgments shared out in whole numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.twins.designs import largest_remainders, with_overflow

from poolwise import ArgumentError
from poolwise.sampling.allocate import (
    evenly,
    exact,
    nearest,
    neyman_order,
    optimal,
    portions,
    proportional,
    proportional_order,
)

WEIGHTS = st.lists(st.fractions(Fraction(1, 6), 20, max_denominator=6), min_size=1, max_size=6)


@pytest.mark.parametrize(
    "percent", [1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 29, 30, 35, 40, 50, 55, 57, 60, 70, 80, 90, 99, 100]
)
def test_percentages_are_exact(percent):
    share = Fraction(percent, 100)
    for text in (percent / 100, f"{percent / 100}", f"{percent}%", f"{percent} %", Decimal(percent) / 100, share):
        assert exact(text) == share
    assert exact(np.float64(percent / 100)) == share
    counts = np.arange(400)
    assert portions(share, counts, "up").tolist() == [-(-percent * count // 100) for count in range(400)]
    assert portions(share, counts, "down").tolist() == [percent * count // 100 for count in range(400)]


@pytest.mark.parametrize("share", [Fraction(1, 3), Fraction(10**18 + 1, 2 * 10**18 + 1), Fraction(1)])
def test_portions_are_exact_for_long_shares_and_stay_within_their_ends(share):
    counts = [0, 1, 5, 9, 10, 11, 400, 10**6]
    for least in (0, 1, 10):
        wanted = [min(count, max(least, ceil(share * count))) for count in counts]
        assert portions(share, np.array(counts), "up", least=least).tolist() == wanted
        assert portions(share, np.array(counts), "up", least=least).dtype == np.array(counts).dtype


def test_sums_of_floats_are_the_decimals_they_mean():
    assert [exact(0.1 * tenths) for tenths in range(1, 10)] == [Fraction(tenths, 10) for tenths in range(1, 10)]
    assert [exact(each) for each in np.linspace(0.05, 1, 20)] == [Fraction(each, 20) for each in range(1, 21)]


def test_nearest_takes_a_half_to_the_even_number():
    assert [nearest(Fraction(1, 10), count) for count in (5, 15, 25, 35, 45)] == [1, 2, 2, 4, 4]
    assert nearest(Fraction(1, 10), 0) == 0


@pytest.mark.parametrize("wrong", [True, None, "x", float("nan"), float("inf"), -0.1, 1.1, [0.1]])
def test_what_is_no_share_is_refused(wrong):
    with pytest.raises(ArgumentError, match="fraction="):
        exact(wrong)


@given(st.integers(0, 60), WEIGHTS)
def test_shares_sum_and_never_shrink_with_the_total(total, weights):
    rooms = [1000] * len(weights)
    shares = proportional(total, weights, rooms)
    assert sum(shares) == total
    assert all(a <= b for a, b in zip(shares, proportional(total + 1, weights, rooms), strict=True))


def test_the_papers_split_is_by_largest_remainders():
    weights = [Fraction(3), Fraction(3, 2), Fraction(1)]
    for total in range(300):
        assert proportional(total, weights, [300] * 3) == largest_remainders(total, weights)
    for total, *room in product(range(0, 30, 3), (0, 2, 7), (1, 5), (0, 4, 9)):
        expected = with_overflow(largest_remainders(total, weights), list(room))
        assert proportional(total, weights, room) == expected
        assert sum(expected) == min(total, sum(room))


@given(st.integers(0, 80), st.lists(st.integers(0, 12), min_size=1, max_size=8))
def test_even_shares_are_even_and_never_shrink(total, room):
    shares = evenly(total, room)
    assert shares.sum() == min(total, sum(room))
    assert (shares <= room).all()
    unfilled = shares[shares < room]
    assert len(unfilled) == 0 or shares.max() <= unfilled.min() + 1
    assert (evenly(total + 1, room) >= shares).all()


def test_optimal_allocation_is_the_best_there_is():
    rng = np.random.default_rng(1)
    for _ in range(60):
        parts, total = int(rng.integers(1, 5)), int(rng.integers(1, 9))
        spreads, room = rng.uniform(0.1, 5, parts), rng.integers(1, 7, parts)
        start = rng.integers(0, 2, parts)
        added = optimal(total, spreads, room, start)
        must = int((start == 0).sum())
        assert added.sum() == min(total, int((room - start).sum()))
        if total < must:
            continue

        def variance(more, spreads=spreads, start=start):
            return float((spreads**2 / (start + more)).sum())

        every = [
            np.array(more)
            for more in product(*(range(r - s + 1) for r, s in zip(room, start, strict=True)))
            if sum(more) == added.sum() and ((start + np.array(more)) > 0).all()
        ]
        assert variance(added) == pytest.approx(min(variance(more) for more in every))


def test_each_judgment_lessens_the_variance_more_than_the_next():
    spreads, room, start = np.array([4.0, 1.0]), np.array([30, 30]), np.array([2, 3])
    order = neyman_order(spreads, room, start)
    counts = start + np.cumsum(order[:, None] == np.arange(2), axis=0)
    variances = (spreads**2 / np.vstack([start, counts])).sum(axis=1)
    assert (np.diff(variances, 2) >= -1e-12).all()
    assert counts[-1].tolist() == room.tolist()


def test_strata_in_proportion_are_judged_at_the_same_rate():
    size, start = np.array([40, 20, 4]), np.array([10, 0, 0])
    order = proportional_order(size, start)
    counts = start + np.bincount(order[:22], minlength=3)
    assert counts.tolist() == [20, 10, 2]
    assert np.bincount(order, minlength=3).tolist() == (size - start).tolist()


def test_every_stratum_first_gets_what_it_needs():
    spreads, room, none = np.array([9.0, 1e-6, 1.0]), np.array([50, 50, 1]), np.zeros(3, dtype=np.int64)
    assert optimal(5, spreads, room, none, least=2).tolist() == [2, 2, 1]
    assert optimal(3, spreads, room, none, least=2).tolist() == [1, 1, 1]
