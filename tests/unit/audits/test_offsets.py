"""Offsets of left-out runs, counted by hand, and what is learned from them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import t

import poolwise as pw
from poolwise.audits.hole_model import DEFAULT, LeftOut, Offset, combined, learned_offset, left_out_offsets, model_ends


def campaign(runs=6, topics=10):
    """Every run has 5 documents with all others and 5 of its own: of these one is relevant, of the shared four."""
    qrels, lists = {}, {f"run{r}": {} for r in range(runs)}
    for topic in map(str, range(topics)):
        shared = [f"s{i}" for i in range(5)]
        qrels[topic] = {name: int(i < 4) for i, name in enumerate(shared)}
        for r in range(runs):
            own = [f"r{r}o{i}" for i in range(5)]
            qrels[topic] |= {name: int(i == 0) for i, name in enumerate(own)}
            lists[f"run{r}"][topic] = {name: -float(i) for i, name in enumerate(shared + own)}
    return pw.read(qrels, lists)


def test_offsets_of_left_out_runs_are_those_counted():
    found = left_out_offsets(campaign().judgments, 10, {}, 10)
    assert found.runs == [f"run{r}" for r in range(6)]
    assert found.holes.tolist() == [50.0] * 6
    expected = logit(50.5 / 101) - logit(10.5 / 51)
    assert found.offset.tolist() == pytest.approx([expected] * 6)


def test_runs_of_a_group_are_left_out_together():
    groups = {"run0": "a", "run1": "a"}
    found = left_out_offsets(campaign().judgments, 10, groups, 10)
    assert found.groups == ["a", "a", "run2", "run3", "run4", "run5"]


def test_few_groups_leave_the_default():
    assert learned_offset(campaign(runs=3).judgments, 10, {}) == DEFAULT


def test_what_is_learned_lies_between_the_default_and_what_was_seen():
    learned = learned_offset(campaign().judgments, 10, {})
    seen = logit(50.5 / 101) - logit(10.5 / 51)
    assert learned.groups == 6
    assert learned.mean == pytest.approx(seen, abs=0.001)  # the groups agree perfectly, so the default weighs nothing


def test_groups_count_once_and_the_spread_is_that_of_runs():
    offsets = np.array([1.0, 1.2, 1.4, 2.0, 3.0])
    mean, error, spread = combined(LeftOut(["a", "a", "a", "b", "c"], list("vwxyz"), offsets, offsets))
    assert mean == pytest.approx((1.2 + 2.0 + 3.0) / 3)
    assert error == pytest.approx(np.std([1.2, 2.0, 3.0], ddof=1) / 3**0.5)
    assert spread == pytest.approx(np.sqrt(((offsets - mean) ** 2).mean()))


def test_draws_have_the_distribution_that_the_offset_says():
    drawn = Offset(1.0, 0.5, 3.0, 0.0, "test").draws(2000, 2, np.random.default_rng(0))
    assert (drawn[:, 0] == drawn[:, 1]).all()
    ends = np.quantile(drawn[:, 0], [0.025, 0.975])
    assert ends == pytest.approx(1.0 + 0.5 * t.ppf([0.025, 0.975], 3), abs=0.02)


def test_ends_are_stretched_about_the_mean_within_what_labels_allow():
    sample = np.linspace(0.4, 0.6, 201)[:, None]
    middle, low, high = model_ends(sample, 0.9, 2.0, np.array([0.35]), np.array([0.62]))
    assert (middle[0], low[0], high[0]) == pytest.approx((0.5, 0.35, 0.62))
    _, low, high = model_ends(sample, 0.9, 1.5, np.array([0.0]), np.array([1.0]))
    assert (low[0], high[0]) == pytest.approx((0.5 - 1.5 * 0.09, 0.5 + 1.5 * 0.09))
