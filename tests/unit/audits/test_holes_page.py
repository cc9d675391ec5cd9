"""The page of holes draws the numbers that `holes` found, run by run, and begins its pairs with the most open."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign

import poolwise as pw
from poolwise.audits.holes_shown import holes_page


@pytest.fixture(scope="module")
def found():
    """Holes of judgments that four of nine runs made."""
    pool = small_campaign(runs=9, topics=8, documents=120, depth=30, share=0.2, grades=2)
    campaign = pw.Campaign(pool.core, pool.runs)
    campaign.judgments = pool.judgments.sample("depth", depth=8, contributing=pool.runs[:4])
    return campaign.holes("nDCG@10", draws=50)


@pytest.fixture(scope="module")
def parts(found):
    return {part.title: part for part in holes_page(found).parts}


def by_run(found, values):
    return dict(zip(found.runs, np.asarray(values).tolist(), strict=True))


def test_bars_reach_from_end_to_end_and_are_broken_between_runs(found, parts):
    traces = {trace["name"]: trace for trace in parts["nDCG@10 with holes"].data}
    for name, low, high in (
        ("possible", found.lowest, found.highest),
        ("model's interval", found.model_low, found.model_high),
    ):
        bars = [*zip(traces[name]["x"], traces[name]["y"], strict=True)]
        assert bars[2::3] == [(None, None)] * len(found.runs)
        assert dict(bars[0::3]) == by_run(found, low)
        assert dict(bars[1::3]) == by_run(found, high)
    for name in ("worthless", "condensed", "model"):
        points = dict(zip(traces[name]["x"], traces[name]["y"], strict=True))
        assert points == by_run(found, getattr(found, name))


def test_judged_shares_are_in_percent(found, parts):
    traces = {trace["name"]: trace for trace in parts["Judged share"].data}
    assert set(traces) == {f"top {depth}" for depth in found.judged}
    for depth, shares in found.judged.items():
        drawn = traces[f"top {depth}"]
        assert dict(zip(drawn["x"], drawn["y"], strict=True)) == pytest.approx(by_run(found, 100 * np.array(shares)))


def test_pairs_begin_with_those_that_could_turn_and_are_nearest_to_even(found, parts):
    columns = parts["Comparisons"].columns
    found_pairs = [*zip(found.pairs.could_turn.tolist(), np.abs(found.pairs.ahead - 0.5).tolist(), strict=True)]
    assert {True, False} == {turns for turns, _ in found_pairs}
    shown = [
        (bool(turns), abs(ahead - 0.5)) for turns, ahead in zip(columns["could_turn"], columns["ahead"], strict=True)
    ]
    assert shown == sorted(found_pairs, key=lambda pair: (not pair[0], pair[1]))
