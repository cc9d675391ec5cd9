"""The page of a comparison: advice first, light with many runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.comparison_shown import MOST_PAIRS, comparison_page, comparisons_page
from poolwise.comparisons.comparison_shown import MOST_RUNS_DRAWN as MOST_RUNS
from poolwise.errors import PoolwiseWarning
from poolwise.lab.simulate.drawing import simulate
from poolwise.show.parts import Heading
from poolwise.trust.generalizability import reliability
from poolwise.trust.reliability_shown import COEFFICIENTS, reliabilities_page, reliability_page


def compared(runs: int, apart: float = 0.0, **options):
    noise = np.random.default_rng(3).random((runs, 40))
    return compare(noise * 0.2 + apart * np.arange(runs)[:, None], test="t", **options)


def test_a_best_run_is_named_first():
    page = comparison_page(compared(4, apart=0.5))
    assert page.summary[0].startswith("Use 4: it has the highest mean score (")
    assert page.summary[0].endswith("and is better than every other run.")


def test_runs_that_may_be_the_best_are_named():
    page = comparison_page(compared(9))
    assert "cannot be told apart from it: any of these may be the best." in page.summary[0]
    assert "and 3 more cannot" in page.summary[0]  # five of eight are named
    named = page.summary[0].split(", but ")[1].split(" and 3 more")[0].split(", ")
    assert named == page.parts[0].columns["run"][1:6]  # the best of them


def test_several_measures_are_advised_on_together_first():
    one = replace(compared(6, apart=0.5), measure="AP")
    other = replace(compared(6), measure="P@10")
    page = comparisons_page([one, other])
    best = {each.measure: each.runs[int(np.argmax(each.means))] for each in (one, other)}
    assert best["AP"] != best["P@10"]
    assert page.summary[0] == f"By AP {best['AP']} has the highest mean, by P@10 {best['P@10']}."
    assert page.summary[1] == "Only 6 may be the best by both measures."
    turned = replace(compared(6, apart=-0.5), measure="P@10")
    assert comparisons_page([one, turned]).summary[1].startswith("No run may be the best by both measures")


def test_a_run_that_is_the_highest_by_all_measures_is_the_best_only_where_that_is_significant():
    sure = replace(compared(6, apart=0.5), measure="nDCG@10")
    rises = np.linspace(0, 0.03, 6)[:, None]
    noise = np.random.default_rng(3).normal(size=(6, 40))
    unsure = replace(compare(rises + noise - noise.mean(axis=1, keepdims=True), test="t"), measure="AP")
    assert not unsure.significant.any()
    said = "6 has the highest mean by both measures"
    assert comparisons_page([sure, unsure]).summary == [f"{said}: significantly so by nDCG@10, not by AP."]
    assert comparisons_page([unsure, replace(unsure, measure="P@10")]).summary == [
        f"{said}, but by none of them is it significantly the best."
    ]
    assert comparisons_page([sure, replace(sure, measure="P@10")]).summary == [
        "Use 6: it has the highest mean by both measures and is better than every other run by each."
    ]


def test_pages_say_what_scoring_warned_of(unjudged_scores):
    """A reader of the page does not see what stood on the terminal."""
    found = compare(unjudged_scores, "AP", test="t")
    assert set(unjudged_scores.warnings) <= set(found.warnings)
    page = comparison_page(found)
    assert "Before you trust these numbers" in page.html("plotly.min.js")
    assert unjudged_scores.warnings[0] in page.warnings
    assert unjudged_scores.warnings[0] in reliability_page(reliability(unjudged_scores, "AP")).warnings


@pytest.fixture
def unjudged_scores():
    campaign = simulate(runs=4, topics=12, depth=40, pool_depth=10, seed=2)
    pool = campaign.pool()
    few = pool.judgments.sample("depth", depth=3, contributing=pool.runs[:1])
    with pytest.warns(PoolwiseWarning, match="is not judged"):
        return pool.score("AP", judgments=few)


def test_several_measures_against_a_baseline_are_not_advised_on():
    page = comparisons_page([replace(compared(4, baseline="1"), measure=name) for name in ("AP", "P@10")])
    assert page.summary == []


def test_each_run_is_told_beside_a_baseline_in_a_word():
    page = comparison_page(compared(4, apart=0.5, baseline="2"))
    runs = page.parts[0]
    assert list(runs.columns) == ["run", "score", "beside 2"]
    assert dict(zip(runs.columns["run"], runs.columns["beside 2"], strict=True)) == {
        "4": "better", "3": "better", "2": "baseline", "1": "worse",
    }  # fmt: skip
    alike = comparison_page(compared(3, baseline="2")).parts[0].columns
    assert sorted(alike["beside 2"]) == ["baseline", "no clear difference", "no clear difference"]


def test_of_many_baselines_the_first_have_a_column():
    page = comparison_page(compared(9, apart=0.5, baseline=[str(run) for run in range(1, 8)]))
    assert list(page.parts[0].columns)[2:] == [f"beside {run}" for run in range(1, 6)]
    assert "Beside the first 5 of them here, beside all below." in page.parts[0].note


def test_nothing_is_advised_that_unjudged_documents_could_undo():
    found = compared(4, apart=0.5)
    worst = (found.first == 0) | (found.second == 0)
    page = comparison_page(replace(found, could_be_undone=worst & found.significant))
    assert not page.summary[0].startswith("Use")
    assert "but 1 cannot be told apart from it or only as long as unjudged documents count as" in page.summary[0]


def test_a_pair_is_said_once():
    found = compared(2, apart=0.5)
    assert comparison_page(found).summary == [found.conclusion]


def test_many_groups_are_shown_as_tiers_in_place_of_letters():
    found = compared(30, apart=0.01)
    table = comparison_page(found).parts[0]
    best = int(np.argmax(found.means))
    beaten = {
        found.runs[b if a == best else a]
        for a, b, sure in zip(found.first, found.second, found.significant, strict=True)
        if sure and best in (a, b)
    }
    assert 0 < len(beaten) < 29
    assert "group" not in table.columns
    tiers = dict(zip(table.columns["run"], table.columns["tier"], strict=True))
    assert {run for run, tier in tiers.items() if tier > 1} == beaten
    assert table.note.startswith("Tier 1 is the best run and those that cannot be told apart from it")
    assert "may_be_best" not in table.columns  # it would say the same


def test_runs_that_unjudged_documents_could_make_the_best_are_marked():
    found = compared(30, apart=0.01)
    best = int(np.argmax(found.means))
    of_best = found.significant & ((found.first == best) | (found.second == best))
    open_ = np.flatnonzero(of_best)[0]
    run = found.runs[found.first[open_] if found.second[open_] == best else found.second[open_]]
    undone = np.arange(found.first.size) == open_
    table = comparison_page(replace(found, could_be_undone=undone)).parts[0]
    rows = list(zip(table.columns["run"], table.columns["tier"], table.columns["may_be_best"], strict=True))
    assert [name for name, tier, may_be in rows if may_be != (tier == 1)] == [run]


def test_pairs_begin_with_the_surest():
    pairs = comparison_page(compared(9, apart=0.005)).parts[-1].columns
    sure = [(p, -abs(apart)) for p, apart in zip(pairs["p_corrected"], pairs["difference"], strict=True)]
    assert sure == sorted(sure)
    assert len(set(pairs["p_corrected"])) < len(sure)  # of equal p the largest difference
    assert "asl" not in pairs  # a t test does not resample
    assert "p_error" not in pairs


@pytest.mark.parametrize("runs", [33, 210])
def test_pages_of_many_pairs_show_the_surest_and_say_where_the_rest_is(runs):
    found = compared(runs, apart=0.01)
    assert found.first.size > MOST_PAIRS
    pairs = comparison_page(found).parts[-1]
    assert pairs.columns["p_corrected"].tolist() == sorted(found.p_corrected)[:MOST_PAIRS]
    assert f"the surest {MOST_PAIRS} of {found.first.size} pairs; `-o FILE.csv`" in pairs.note
    shown = {
        (a, b, difference) for a, b, difference in zip(found.run_a, found.run_b, found.difference.tolist(), strict=True)
    }
    assert shown > set(zip(pairs.columns["run_a"], pairs.columns["run_b"], pairs.columns["difference"], strict=True))
    assert "of" not in comparison_page(compared(6)).parts[-1].note.partition("interval.")[2]


def test_maps_of_many_runs_show_the_best():
    found = compared(210, apart=0.01)
    page = comparison_page(found)
    assert [part.title for part in page.parts] == ["Runs", "Who beats whom", "Pairs"]
    assert len(page.parts[1].data[0]["z"]) == MOST_RUNS
    assert f"the best {MOST_RUNS} of 210 runs" in page.parts[1].note


def named(runs: int, measures: int):
    """Comparisons with names as long as those of campaigns."""
    names = tuple(f"participant{run:04d}" for run in range(runs))
    return [replace(compared(runs, apart=0.3 / runs), measure=f"nDCG@{k + 1}", runs=names) for k in range(measures)]


@pytest.mark.parametrize(
    ("runs", "measures", "most"),
    [(2, 1, 0.03), (20, 1, 0.12), (129, 1, 0.4), (20, 2, 0.22), (129, 2, 0.8), (1000, 1, 0.6)],
)
def test_pages_of_comparisons_are_small(runs, measures, most):
    """In millions of bytes, without plotly's script of 2 million."""
    page = comparisons_page(named(runs, measures))
    assert len(page.html("plotly.min.js").encode()) < most * 1e6


@pytest.mark.slow
def test_pages_of_many_measures_and_runs_share_what_a_page_may_hold():
    page = comparisons_page([replace(each, measure=str(k)) for k, each in enumerate(named(1000, 1) * 12)])
    assert len(page.parts) == 12 * 4  # a heading, runs, a map and pairs each
    assert len(page.html().encode()) < 5_000_000
    runs, figure, pairs = page.parts[1:4]
    assert (runs.length, pairs.length, len(figure.data[0]["z"])) == (833, 166, 50)
    assert "the best 833 of 1000 runs" in runs.note


def test_figures_are_wide_enough_for_names():
    (figure,) = comparison_page(compared(12, apart=0.1)).figures
    assert figure.width >= 12 * 1.1 + 5  # lines of text: a name each; on a phone the scale stands above
    (many,) = comparison_page(compared(1000, apart=0.001)).figures
    assert many.width <= 70  # a wide window need not


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_a_page_of_reliability_explains_its_coefficients_first():
    found = reliability(np.random.default_rng(1).random((12, 20)) + np.arange(12)[:, None])
    assert reliability_page(found).summary == [COEFFICIENTS, found.in_words()]
    page = reliabilities_page([replace(found, measure="AP"), replace(found, measure="P@10")])
    assert page.summary == [COEFFICIENTS, f"AP: {found.in_words()}", f"P@10: {found.in_words()}"]
    assert sum(COEFFICIENTS in part.sentences for part in page.parts if isinstance(part, Heading)) == 0
