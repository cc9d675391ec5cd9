"""Compact letters: the law that defines them, and names that do not run out."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwise.compare.letters import compact_letters, letter


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
