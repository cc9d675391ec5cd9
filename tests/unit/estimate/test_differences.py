"""The variance of a difference, from the shares of both runs."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.stats import t as student
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise.estimate.combine import Combined, combine
from poolwise.estimate.differences import Differences, differences_of
from poolwise.estimate.features import rank_features
from poolwise.estimate.layout import Layout
from poolwise.estimate.outside import Outside
from poolwise.estimate.targets import target_of
from poolwise.score.registry import parse

PAIRS = [(a, b) for a in range(6) for b in range(a)]


CAMPAIGN = small_campaign(runs=6, topics=6, seed=40)
SAMPLE = uniform_sample(CAMPAIGN, 0.3, 1)
LAYOUT = Layout.of(CAMPAIGN, SAMPLE)
OUTSIDE = Outside(SAMPLE, list(range(6)), PAIRS, [target_of(parse("AP"), LAYOUT)], "nonrelevant")


@pytest.fixture(scope="module")
def combined() -> Combined:
    return combine(LAYOUT, rank_features(LAYOUT), OUTSIDE.targets, OUTSIDE.runs, False, 1, OUTSIDE)[0]


def differences(combined: Combined) -> Differences:
    return differences_of([combined], [None], OUTSIDE, CAMPAIGN.runs, 0.9)


def test_half_of_the_second_order_is_taken_off_the_variance(combined: Combined) -> None:
    """docs/theory/assisted.md: half of the second-order part, never more than three quarters of the whole."""
    found = differences(combined)
    lessened = []
    for place, (a, b) in enumerate(PAIRS):
        whole, second, fourth = 0.0, 0.0, 0.0
        for document in range(len(combined.counted)):
            share = combined.shares[a, document] - combined.shares[b, document]
            of_pairs = combined.bend_shares[a, document] - combined.bend_shares[b, document]
            whole, second, fourth = whole + share**2, second + of_pairs**2, fourth + share**4
        error = math.sqrt(max(whole - second / 2, whole / 4))
        df = 2 * whole**2 / fourth
        value = combined.values[a] - combined.values[b]
        assert found.standard_error[place] == pytest.approx(error)
        assert found.df[place] == pytest.approx(df)
        assert found.low[place] == pytest.approx(value - student.ppf(0.95, df) * error)
        assert found.high[place] == pytest.approx(value + student.ppf(0.95, df) * error)
        lessened.append(second / whole)
    assert max(lessened) > 0.1  # it matters here


def test_a_large_second_order_leaves_a_quarter(combined: Combined) -> None:
    loud = replace(combined, bend_shares=3.0 * combined.shares)
    plain, least = map(differences, (replace(combined, bend_shares=0.0 * combined.shares), loud))
    assert least.standard_error == pytest.approx(plain.standard_error / 2)
