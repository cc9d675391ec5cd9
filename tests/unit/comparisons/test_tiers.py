"""Tiers of runs: the rule that defines them, checked run by run, and when tables show them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.conclusion import tiers_of


def random_table(runs: int, share: float, seed: int) -> np.ndarray:
    different = np.triu(np.random.default_rng(seed).random((runs, runs)) < share, k=1)
    return different | different.T


@given(st.integers(1, 15), st.floats(0, 1), st.integers(0, 1000))
@settings(deadline=None)
def test_a_run_is_in_the_first_tier_whose_head_it_does_not_differ_from(runs: int, share: float, seed: int) -> None:
    different = random_table(runs, share, seed)
    tiers = tiers_of(different)
    heads: list[int] = []  # a run that differs from all heads above it is the best of those left, and a head
    for run in range(runs):
        like = [place for place, head in enumerate(heads, 1) if not different[run, head]]
        if not like:
            heads.append(run)
        assert tiers[run] == (like[0] if like else len(heads))


def test_no_differences_are_one_tier_and_all_differences_one_each() -> None:
    assert tiers_of(np.zeros((4, 4), dtype=bool)) == [1] * 4
    assert tiers_of(~np.eye(4, dtype=bool)) == [1, 2, 3, 4]


def test_tables_show_letters_of_eight_groups_and_tiers_of_more() -> None:
    generator = np.random.default_rng(2)
    for runs in (8, 9, 30):  # so far apart that each is a group of its own
        found = compare(generator.random((runs, 30)) * 0.01 + np.arange(runs)[:, None], test="t")
        shown = "group" if runs == 8 else "tier"
        assert list(found.overview()) == ["run", "score", shown, "better_than", "worse_than"]
        assert found.overview()["run"] == [str(run) for run in range(runs, 0, -1)]
        assert found.overview()["tier" if runs > 8 else "group"] == (
            list(range(1, runs + 1)) if runs > 8 else list("abcdefgh")
        )
        assert list(found.overview(letters=True))[-1] == ("group" if runs > 8 else "worse_than")


def test_data_hold_letters_and_tiers_of_any_number_of_runs() -> None:
    values = np.random.default_rng(1).random((60, 40)) + 0.01 * np.arange(60)[:, None]
    found = compare(values, test="t", correction="none")
    ranking = found.ranking()
    assert ranking["group"].tolist() == [found.groups[run] for run in ranking["run"]]
    assert ranking["tier"].tolist() == [found.tiers[run] for run in ranking["run"]]
    assert found.to_dict()["tiers"] == found.tiers
    best = ranking["run"][0]
    alone = compare(values, test="t", correction="none", baseline=best)
    surely_worse = set(np.array(alone.run_a)[alone.significant]) | set(np.array(alone.run_b)[alone.significant])
    assert {run for run, tier in found.tiers.items() if tier > 1} == surely_worse - {best}
    assert alone.tiers == {}
