"""Compact letters: the law that defines them, and names that do not run out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import comparisons as twins

from poolwise.comparisons.conclusion import _alike_groups, compact_letters, letter


def letters_of(names: list[str], many: bool) -> list[set[str]]:
    return [set(name.split(",")) if many else set(name) for name in names]


@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 1000))
@settings(deadline=None)
def test_runs_share_a_letter_exactly_if_they_do_not_differ(runs: int, share: float, seed: int) -> None:
    different = np.triu(np.random.default_rng(seed).random((runs, runs)) < share, k=1)
    different |= different.T
    names = compact_letters(different)
    sets = letters_of(names, any("," in name for name in names))
    for i in range(runs):
        assert sets[i]
        for j in range(i):
            assert bool(sets[i] & sets[j]) == (not different[i, j])


def random_table(runs: int, share: float, seed: int) -> np.ndarray:
    different = np.triu(np.random.default_rng(seed).random((runs, runs)) < share, k=1)
    return different | different.T


def noisy_ranking(runs: int, seed: int) -> np.ndarray:
    """Runs in the order of their means that differ if these lie far apart, each pair with a yardstick of its own."""
    generator = np.random.default_rng(seed)
    means = np.sort(generator.normal(size=runs))[::-1]
    deviations = generator.uniform(0.5, 1.5, size=runs)
    return np.abs(means[:, None] - means) > deviations[:, None] + deviations


@given(st.integers(1, 14), st.floats(0, 1), st.integers(0, 1000), st.booleans())
@settings(deadline=None)
def test_letters_equal_their_literal_twin(runs: int, share: float, seed: int, ranked: bool) -> None:
    different = noisy_ranking(runs, seed) if ranked else random_table(runs, share, seed)
    assert sorted(_alike_groups(~different)) == twins.letter_sets(different.tolist())


@pytest.mark.parametrize("seed", [1, 2])
def test_many_runs_share_a_letter_exactly_if_they_do_not_differ(seed: int) -> None:
    for different in (noisy_ranking(300, seed), random_table(200, 0.3, seed)):
        together = np.zeros_like(different)
        for members in _alike_groups(~different):
            together[np.ix_(members, members)] = True
        assert np.array_equal(together, ~different)


def test_runs_that_differ_by_distance_alone_get_the_fewest_letters() -> None:
    means = np.sort(np.random.default_rng(3).normal(size=400))
    # Every longest stretch of runs within the distance needs a letter of its own, and no other set does.
    ends = np.searchsorted(means, means + 0.4, side="right")
    stretches = [list(range(i, end)) for i, end in enumerate(ends) if i == 0 or end > ends[i - 1]]
    alike = np.zeros((400, 400), dtype=bool)
    for stretch in stretches:
        alike[np.ix_(stretch, stretch)] = True
    assert sorted(_alike_groups(alike)) == stretches


def test_no_differences_need_one_letter_and_all_differences_one_each() -> None:
    assert compact_letters(np.zeros((4, 4), dtype=bool)) == ["a"] * 4
    assert compact_letters(~np.eye(4, dtype=bool)) == ["a", "b", "c", "d"]


def test_neighbours_that_overlap_get_the_classic_staircase() -> None:
    distance = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    assert compact_letters(distance > 1) == ["a", "ab", "bc", "cd", "d"]


def test_letters_go_on_after_z() -> None:
    names = compact_letters(~np.eye(60, dtype=bool))
    assert names[25:28] == ["z", "aa", "ab"]
    assert names[59] == "bh"
    assert len({letter(number) for number in range(20_000)}) == 20_000
    staircase = compact_letters(np.abs(np.subtract.outer(np.arange(40), np.arange(40))) > 1)
    assert staircase[26] == "z,aa"
