"""The page of estimates: ranked as tables are, and no winner while none is settled."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from poolwise.estimates.estimates_shown import estimates_page
from poolwise.estimates.interim_looks import Looks
from poolwise.lab.simulate.drawing import simulate


@pytest.fixture(scope="module")
def pool():
    return simulate(runs=12, topics=15, depth=60, pool_depth=20, seed=4).pool()


@pytest.fixture(scope="module")
def sample(pool):
    return pool.judgments.sample("uniform", fraction=0.2, seed=1)


def tables(page):
    return {part.title: part.columns for part in page.parts if hasattr(part, "columns")}


def test_runs_are_ranked_by_the_values_steadied_by_all(pool, sample):
    found = pool.estimate("AP", judgments=sample)
    columns = tables(estimates_page(found))["By AP"]
    assert list(columns) == ["run", "AP", "low", "high", "steadied", "steadied_low", "steadied_high"]
    assert columns["run"] == found.order("AP")
    assert columns["steadied"] == sorted(columns["steadied"], reverse=True)
    place = found.runs.index(columns["run"][3])
    assert columns["AP"][3] == found.means()[place, 0]
    assert columns["steadied_low"][3] == found.steadied_low[place, 0]


def test_the_score_by_all_labels_stands_in_its_runs_row(pool, sample):
    complete = pool.score("AP")
    columns = tables(estimates_page(pool.estimate("AP", judgments=sample), complete))["By AP"]
    means = dict(zip(complete.runs, complete.means()[:, 0].tolist(), strict=True))
    assert columns["all labels"] == [means[run] for run in columns["run"]]


def test_intervals_without_width_hold_the_score_that_they_are(pool):
    complete = pool.score("AP")
    found = pool.estimate("AP", judgments=pool.judgments, outside="nonrelevant")
    assert np.allclose(found.mean_low(), found.mean_high())
    assert any("12 of 12 intervals hold" in sentence for sentence in estimates_page(found, complete).summary)


def test_runs_with_documents_outside_the_pool_are_marked(pool):
    left = pool.judgments.sample("without", runs=[pool.runs[0]], depth=20)
    found = pool.estimate("P@10", judgments=left)
    columns = tables(estimates_page(found))["By P@10"]
    assert dict(zip(columns["run"], columns["outside"], strict=True))[pool.runs[0]] > 0


def page_of(low, high, value=(0.5, 0.4), differences=None):
    """A page of made-up estimates of one measure."""
    column = [np.array(each, dtype=float)[:, None] for each in (value, low, high)]
    runs = [f"run{number}" for number in range(len(value))]
    found = SimpleNamespace(
        runs=runs, measures=["AP"], settings={}, warnings=(), steadied=None, outside=np.zeros((len(runs), 1)),
        differences=differences, order=lambda measure: runs, relative_to=lambda: "", apart_from_values=lambda: "",
        band_low=None, band_high=None,
        **{name: lambda each=each: each for name, each in zip(("means", "mean_low", "mean_high"), column, strict=True)},
    )  # fmt: skip
    return estimates_page(found)


def test_no_run_is_called_best_while_intervals_overlap():
    (said,) = page_of(low=(0.4, 0.3), high=(0.6, 0.45)).summary
    assert "not settled: the interval of 1 other run reaches as high" in said
    assert "--difference run0 all" in said
    (settled,) = page_of(low=(0.46, 0.3), high=(0.6, 0.45)).summary
    assert settled.endswith("and the intervals of all others lie below it.")
    (none,) = page_of(low=(0.46, np.nan), high=(0.6, np.nan)).summary
    assert "not settled" in none  # a run without an interval may be anywhere
    (first,) = page_of(low=(np.nan, 0.3), high=(np.nan, 0.45)).summary
    assert "without an interval: not settled" in first
    (alone,) = page_of(low=(0.4,), high=(0.6,), value=(0.5,)).summary
    assert alone == "AP of run0 is estimated as 0.5000 (0.4000 to 0.6000)."


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.1, 0.3, "By AP, a is better than b by 0.2000 (0.1000 to 0.3000)."),
        (-0.3, -0.1, "By AP, b is better than a by 0.2000 (0.1000 to 0.3000)."),
        (-0.1, 0.5, "By AP, it is not settled whether a or b is better: +0.2000 (-0.1000 to +0.5000)."),
    ],
)
def test_differences_come_first_and_say_whether_they_are_settled(low, high, said):
    value = (low + high) / 2
    columns = {"run_a": ["a"], "run_b": ["b"], "measure": ["AP"], "difference": [value], "low": [low], "high": [high]}
    pairs = SimpleNamespace(**columns, columns=lambda: columns)
    page = page_of((0.4, 0.3), (0.6, 0.45), differences=pairs)
    assert page.summary == [said]
    assert page.parts[0].title == "Differences"


def test_many_differences_are_counted(pool, sample):
    found = pool.estimate("AP", judgments=sample, difference="all")
    (said,) = estimates_page(found).summary
    pairs = found.differences
    settled = int(((pairs.low > 0) | (pairs.high < 0)).sum())
    assert list(map(int, re.findall(r"\d+", said))) == [66, settled, 0]


def test_the_page_says_what_scores_are_relative_to(pool, sample):
    found = pool.estimate("AP", judgments=sample)
    documents = found.settings["documents"]
    assert f"AP is relative to what is relevant among the {documents} pooled documents" in " ".join(
        estimates_page(found).methods
    )


def test_the_band_of_looks_is_on_the_page(pool, sample):
    found = pool.estimate("AP", judgments=sample, looks=Looks(end=0.6))
    page = estimates_page(found)
    columns = tables(page)["By AP"]
    places = [found.runs.index(run) for run in columns["run"]]
    assert columns["band_low"] == pytest.approx(found.band_low[places, 0].tolist(), nan_ok=True)
    assert columns["band_high"] == pytest.approx(found.band_high[places, 0].tolist(), nan_ok=True)
    assert any("the band, which holds at every look, is the interval to publish" in words for words in page.summary)
    assert "band_low" not in tables(estimates_page(pool.estimate("AP", judgments=sample)))["By AP"]
