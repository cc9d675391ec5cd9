"""Pages for participants from a sample of labels: estimates, not scores that take the rest as non-relevant."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables, uniform_sample

import poolwise as pw
from poolwise.campaign.sampled_participants import estimated
from poolwise.pool.coverage import sample_words


@pytest.fixture(scope="module")
def runs_and_labels():
    return campaign_tables(runs=11, topics=15, documents=150, depth=60, share=0.2, grades=1, skill=1.0, seed=4)


@pytest.fixture(scope="module")
def complete(runs_and_labels):
    return pw.read(*runs_and_labels)


@pytest.fixture(scope="module")
def sampled(runs_and_labels, complete):
    return pw.read(uniform_sample(complete, 0.2, seed=1), runs_and_labels[1])


@pytest.fixture(scope="module")
def found(sampled):
    return estimated(sampled, ["P@20", "AP"], 100)


def test_runs_stand_by_their_estimates_with_intervals(sampled, found) -> None:
    expected = sampled.estimate("P@20", "AP")
    columns = found.run_columns()
    places = [expected.runs.index(run) for run in expected.order("P@20")]
    assert columns["run"] == expected.order("P@20")
    assert columns["rank"] == list(range(1, 12))
    assert columns["P@20"] == pytest.approx(expected.means()[places, 0].tolist())
    assert columns["low"] == pytest.approx(np.asarray(expected.mean_low())[places, 0].tolist())
    assert columns["high"] == pytest.approx(np.asarray(expected.mean_high())[places, 0].tolist())
    assert columns["AP"] == pytest.approx(expected.means()[places, 1].tolist())


def test_intervals_hold_the_scores_by_all_labels_where_plain_scores_fall_short(complete, sampled, found) -> None:
    truth = dict(zip(complete.runs, complete.score("P@20").means()[:, 0].tolist(), strict=True))
    columns = found.run_columns()
    held = [low <= truth[run] <= high for run, low, high in zip(*map(columns.get, ("run", "low", "high")), strict=True)]
    assert sum(held) >= 9
    with pytest.warns(pw.PoolwiseWarning, match="this is a sample"):
        plain = sampled.score("P@20").means()[:, 0]
    assert max(plain) < min(columns["P@20"][:5])


def test_runs_differ_as_estimates_of_the_sample_say(sampled, found) -> None:
    expected = sampled.compare("P@20", test="judgments")
    assert sum(found.run_columns()["better_than"]) == int(expected.significant.sum())
    assert found.comparison.p_corrected == pytest.approx(expected.p_corrected)


def test_what_only_complete_labels_tell_is_left_out(found) -> None:
    columns = {*found.run_columns(), *found.topic_columns(), *found.topics_of(0), *found.runs_of(0)}
    assert not columns & {"relevant", "relevant_found", "found_alone", "holes"}
    assert found.doubts_of(0) == found.topic_doubts(0) == []


@pytest.mark.slow
def test_the_pages_say_that_they_are_estimates(sampled, found, tmp_path) -> None:
    pw.report(sampled, tmp_path, measures=["P@20"])
    index = (tmp_path / "index.html").read_text()
    assert f"T{sample_words(sampled.judgments)[1:]}: all scores are estimates" in index
    first = found.run_columns()["run"][0]
    assert f"By P@20, {first} has the highest estimate" in index
    (page,) = (tmp_path / "runs").glob(f"*-{first}.html")
    assert re.search(
        r"Rank 1 of 11 by P@20 \(estimated as 0\.\d{4}, 95\s% interval 0\.\d{4} to 0\.\d{4}\)", page.read_text()
    )
    assert "comes first" not in index


def test_complete_judgments_are_no_sample(complete) -> None:
    assert sample_words(complete.judgments) == ""
