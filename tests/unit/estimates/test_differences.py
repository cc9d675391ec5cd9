"""The variance of a difference, from the shares of both runs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student
from tests.kit.small_campaigns import campaign_tables, small_campaign, uniform_sample

from poolwise.campaign.campaign import read
from poolwise.estimates.combine import Combined, combine
from poolwise.estimates.differences import Differences, differences_of
from poolwise.estimates.layout import Layout, rank_features
from poolwise.estimates.targets import target_of
from poolwise.estimates.unpooled import UnpooledDocuments
from poolwise.measures.registry import parse

PAIRS = [(a, b) for a in range(6) for b in range(a)]


CAMPAIGN = small_campaign(runs=6, topics=6, seed=40)
SAMPLE = uniform_sample(CAMPAIGN, 0.3, 1)
LAYOUT = Layout.of(CAMPAIGN, SAMPLE)
OUTSIDE = UnpooledDocuments(SAMPLE, list(range(6)), PAIRS, [target_of(parse("AP"), LAYOUT)], "nonrelevant")


@pytest.fixture(scope="module")
def combined() -> Combined:
    return combine(LAYOUT, rank_features(LAYOUT), OUTSIDE.targets, OUTSIDE.runs, False, 1, OUTSIDE)[0]


def differences(combined: Combined) -> Differences:
    return differences_of([combined], [None], OUTSIDE, CAMPAIGN.runs, 0.9)


def test_the_variance_is_that_of_shares_tempered_by_what_the_model_expects(combined: Combined) -> None:
    """docs/theory/assisted.md, section *The interval*."""
    found = differences(combined)
    moved = []
    for place, (a, b) in enumerate(PAIRS):
        whole, fourth, first = 0.0, 0.0, 0.0
        for document in range(len(combined.counted)):
            share = combined.shares[a, document] - combined.shares[b, document]
            of_pairs = combined.curvature_shares[a, document] - combined.curvature_shares[b, document]
            whole, fourth, first = whole + share**2, fourth + share**4, first + (share - of_pairs) ** 2
        df = 2 * whole**2 / fourth
        tempered = (df * whole + 30 * (combined.between[place] + whole - first)) / (df + 30)
        common = sum((x - y) ** 2 for x, y in zip(combined.common[a], combined.common[b], strict=True))
        error = math.sqrt(tempered - common + (combined.doubt[a] - combined.doubt[b]) ** 2)
        assert 0 < common < tempered / 2
        df = df + 30
        value = combined.values[a] - combined.values[b]
        assert found.standard_error[place] == pytest.approx(error)
        assert found.df[place] == pytest.approx(df)
        assert found.low[place] == pytest.approx(value - student.ppf(0.95, df) * error)
        assert found.high[place] == pytest.approx(value + student.ppf(0.95, df) * error)
        moved.append(tempered / whole)
    assert max(moved) > 1.2


def test_doubts_of_strata_with_one_label_go_apart_by_a_fifth_of_what_errors_do(combined: Combined) -> None:
    """docs/theory/assisted.md, section *The interval*, paragraph *Differences*."""
    doubted = replace(combined, single_label_error=np.arange(1.0, 7.0) / 100)
    before, after = differences(combined).standard_error ** 2, differences(doubted).standard_error ** 2
    for place, (a, b) in enumerate(PAIRS):
        apart = combined.between[place] / (combined.expected[a] + combined.expected[b])
        expected = 0.2 * 2 * min(apart, 1.0) * doubted.single_label_error[a] * doubted.single_label_error[b]
        assert after[place] - before[place] == pytest.approx(expected)
        assert 0.01 < apart < 1.5


def test_copies_of_a_run_differ_by_nothing() -> None:
    twice = read(*campaign_tables(3, 5, 80, 40, 0.2, 1, 1.0, 2))
    lists = {name: {t: dict(zip(twice.ranking(name, t), range(100, 0, -1), strict=False)) for t in twice.topics}
             for name in twice.runs}  # fmt: skip
    again = read({t: twice.judgments.of(t) for t in twice.topics}, {**lists, "copy": lists[twice.runs[0]]})
    sample = uniform_sample(again, 0.4, 1)
    found = again.estimate("AP", "nDCG@10", judgments=sample, difference=(twice.runs[0], "copy"), outside="nonrelevant")
    assert found.differences is not None
    assert found.differences.standard_error.tolist() == [0.0, 0.0]
