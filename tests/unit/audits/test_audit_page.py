"""The page of an audit: judged shares in percent, in a sentence and in the figure, the best judged run first."""

from __future__ import annotations

import pytest

import poolwise as pw
from poolwise.audits.audit_shown import audit_page, judged_words


def campaign(judged: dict[str, int]) -> pw.Campaign:
    """Runs of 100 documents of their own, of which so many are judged on each of two topics."""
    runs = {name: {t: {f"{name}{rank}": -float(rank) for rank in range(100)} for t in "12"} for name in judged}
    qrels = {t: {f"{name}{rank}": rank % 2 for name, depth in judged.items() for rank in range(depth)} for t in "12"}
    return pw.read(qrels, runs)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_judged_shares_are_in_percent_from_the_best_judged_run_on():
    shares = {"five": (50, 5), "forty": (100, 40), "eight": (80, 8)}  # of the top 10 and the top 100
    found = pw.audit(campaign({"five": 5, "forty": 40, "eight": 8}))
    assert judged_words(found) == (
        "Of the top ten documents of a run 50 to 100 % are judged, of the top hundred 5 to 40 %."
    )
    figure = next(part for part in audit_page(found).parts if part.title == "Judged documents")
    assert [trace["name"] for trace in figure.data] == ["top 10", "top 100"]
    for index, trace in enumerate(figure.data):
        assert trace["x"] == ["forty", "eight", "five"]
        assert trace["y"] == pytest.approx([shares[run][index] for run in trace["x"]])


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_runs_that_are_judged_alike_have_one_share():
    words = judged_words(pw.audit(campaign({"a": 10, "b": 10})))
    assert words == "Of the top ten documents of a run 100 % are judged, of the top hundred 10 %."


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_a_depth_that_runs_hardly_reach_has_no_points():
    runs = {name: {"1": {f"d{rank}": -float(rank) for rank in range(depth)}} for name, depth in (("a", 10), ("b", 11))}
    titles = {}
    for chosen in ({"a": runs["a"]}, runs):
        found = pw.audit(pw.read({"1": {"d0": 1, "d1": 0}}, chosen))
        figure = next(part for part in audit_page(found).parts if part.title == "Judged documents")
        titles[len(chosen)] = [trace["name"] for trace in figure.data]
    assert titles == {1: ["top 10"], 2: ["top 10", "top 100"]}
