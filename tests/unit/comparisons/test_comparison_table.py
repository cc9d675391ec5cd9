"""The table that people are shown: effect sizes, bold, and p values that resampling cannot make smaller."""

from __future__ import annotations

import numpy as np
import pytest

from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.comparison_shown import comparison_table
from poolwise.comparisons.conclusion import floor_words

SCORES = np.random.default_rng(5).random((3, 30)) * 0.2 + np.array([[0.1], [0.5], [0.45]])


def test_effect_sizes_are_cohens_d_of_differences():
    found = compare(SCORES, test="t", baseline="1")
    table = comparison_table(found).columns
    for run, effect in zip(table["run"], table["effect size"], strict=True):
        if run == "1":
            assert effect is None
            continue
        differences = SCORES[int(run) - 1] - SCORES[0]
        assert effect == pytest.approx(differences.mean() / differences.std(ddof=1))


@pytest.mark.parametrize("baseline", [None, "1"])
def test_from_python_the_table_is_that_of_the_command(baseline):
    found = compare(SCORES, test="t", baseline=baseline)
    assert found.to_latex() == comparison_table(found).to_latex()
    assert found.to_markdown() == comparison_table(found).to_markdown()
    best = f"{SCORES.mean(axis=1).max():.4f}"
    assert rf"\textbf{{{best}}}" in found.to_latex()
    assert f"**{best}**" in found.to_markdown()
    assert "_than" not in found.to_markdown()
    assert f"**{float(best):.2f}**" in found.to_markdown(digits=2)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_p_values_at_the_floor_of_resampling_are_told_of(test):
    found = compare(SCORES, test=test, resamples=99, baseline="1")
    assert found.p.tolist() == pytest.approx([0.01, 0.01])
    words = "2 of 2 p values are the smallest that 99 resamples can show (0.01, before they are corrected)."
    assert floor_words(found) == words
    pair = compare(SCORES[:2], test=test, resamples=99)
    assert floor_words(pair) == "Its p is the smallest that 99 resamples can show (0.01)."


def test_p_values_above_the_floor_or_of_no_resampling_are_not():
    equal = np.random.default_rng(1).random((2, 30))
    assert floor_words(compare(equal, resamples=99)) == ""
    assert floor_words(compare(SCORES, test="t")) == ""
    few = compare(SCORES[:, :6])
    assert few.exact
    assert floor_words(few) == ""
