"""Variances, their tempering, and pooling over runs, against literal formulas and new fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy
from scipy.special import stdtrit
from scipy.stats import t as student
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise.estimates.combine import Combined, combine
from poolwise.estimates.layout import Layout, rank_features
from poolwise.estimates.shrinkage import _plug_in_shares, shrink_runs
from poolwise.estimates.standard_errors import shares, tempered
from poolwise.estimates.targets import target_of
from poolwise.measures.registry import parse
from poolwise.pool.judgments import POOLED
from poolwise.sampling.variance import Variance, quantile, variance_of


def test_shares_and_spread_are_the_formulas() -> None:
    first, curvature = np.array([[0.2, -0.1]]), np.array([[0.3, 0.4]])
    inclusion = np.array([0.5, 0.1])
    a, of_curvature = shares(first, curvature, inclusion, 4)
    for i in range(2):
        pi = inclusion[i]
        w = (1 - pi) / pi
        assert a[0, i] == pytest.approx((1 - pi) ** 0.5 / pi * (first[0, i] + curvature[0, i] / w) / 4)
        assert of_curvature[0, i] == pytest.approx((1 - pi) ** 0.5 / pi * curvature[0, i] / w / 4)
    variance = variance_of(a)
    assert variance.value[0] == pytest.approx((a**2).sum())
    assert variance.df[0] == pytest.approx(2 * (a**2).sum() ** 2 / (a**4).sum())
    assert quantile(np.array([3.7, np.inf]), 0.9) == pytest.approx([student.ppf(0.95, 3.7), student.ppf(0.95, 1e9)])


def test_tempering_is_a_mean_with_what_the_model_expects() -> None:
    seen = Variance(np.array([1.0, 1.0, 0.0, 2.0, 1.0, 0.0]), np.array([10.0, 10.0, np.inf, 10.0, 30.0, np.inf]))
    first = np.array([1.0, 1.0, 0.0, 0.5, 1.0, 0.0])
    expected = np.array([1.0, 5.0, 0.8, 1.0, 0.4, 0.0])
    found = tempered(seen, first, expected)
    # As seen; more is expected; nothing seen; the second order stays what was seen; less is expected; nothing at all.
    assert found.value == pytest.approx([1.0, 4.0, 0.8, (10 * 2.0 + 30 * 2.5) / 40, 0.7, 0.0])
    assert found.df == pytest.approx([40.0, 40.0, 30.0, 40.0, 60.0, np.inf])


def combined(pooling: bool = True) -> Combined:
    campaign = small_campaign(runs=14, topics=6, seed=40)
    layout = Layout.of(campaign, uniform_sample(campaign, 0.4, 1))
    targets = [target_of(parse("AP"), layout)]
    return combine(layout, rank_features(layout), targets, list(range(14)), pooling, 1)[0]


def test_pooling_is_the_literal_formula() -> None:
    one = combined()
    found = shrink_runs(one)
    assert found is not None
    x, y = one.plug_in.mean(axis=1), one.values
    design = np.column_stack([np.ones(14), x])
    hat = design @ np.linalg.solve(design.T @ design, design.T)
    slope = np.linalg.lstsq(design, y, rcond=None)[0][1]
    a_y, a_x, rest = one.shares, _plug_in_shares(one), np.eye(14) - hat
    a_line = hat @ a_y + slope * rest @ a_x
    a_rest = rest @ (a_y - slope * a_x)
    noise = (a_rest**2).sum(axis=1)
    residual = y - hat @ y
    tau2 = max((residual**2 - noise).sum() / 12, 0.1 * noise.mean())
    share = tau2 / (tau2 + noise)
    limit = 0.5 * one.variance.standard_error
    expected = np.clip(hat @ y + share * residual, y - limit, y + limit)
    assert found.values == pytest.approx(expected, abs=1e-12)
    assert found.shares == pytest.approx(a_line + share[:, None] * a_rest, abs=1e-12)
    assert found.left == pytest.approx((1 - share) ** 2 * tau2)
    assert found.stopped.tolist() == (np.abs(hat @ y + share * residual - y) > limit).tolist()


def test_plug_in_shares_are_near_what_leaving_a_document_out_does() -> None:
    one = combined()
    layout = one.model.layout
    inclusion = layout.inclusion[one.counted]
    predicted = _plug_in_shares(one) / np.sqrt(1 - inclusion)
    chosen = np.argsort(-np.abs(predicted).max(axis=0))[:8]
    found = []
    for place in chosen:
        labels = layout.labels.copy()
        labels[one.counted[place]] = POOLED
        without = replace(layout, labels=labels)
        again = combine(without, one.model.features, [one.target], list(one.runs), False, 1)[0]
        found.append((one.plug_in - again.plug_in).mean(axis=1))
    assert np.corrcoef(np.concatenate(found), predicted[:, chosen].T.reshape(-1))[0, 1] > 0.95
    assert np.abs(np.array(found)).sum() == pytest.approx(np.abs(predicted[:, chosen]).sum(), rel=0.2)


def test_too_few_runs_are_not_pooled() -> None:
    campaign = small_campaign(runs=5, topics=4, seed=41)
    layout = Layout.of(campaign, uniform_sample(campaign, 0.4, 1))
    one = combine(layout, rank_features(layout), [target_of(parse("AP"), layout)], list(range(5)), True, 1)[0]
    assert shrink_runs(one) is None


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9, 0.95, 0.999])
def test_quantiles_of_student_are_those_of_scipy(level: float) -> None:
    df = np.array([0.4, 1.0, 2.0, 2.7, 12.0, 99.0, 2999.0, 3001.0, 1e5, 1e9, np.inf, 0.0, np.nan])
    tolerance = 1e-10 if scipy.__version__.startswith("1.14.") else 1e-11  # that one is off by 4e-11 where df is 1
    np.testing.assert_allclose(quantile(df, level), stdtrit(np.minimum(df, 1e9), 0.5 + level / 2.0), rtol=tolerance)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9, 0.95, 0.999])
def test_quantiles_of_student_are_those_of_the_closed_forms(level: float) -> None:
    one, two = np.tan(np.pi * level / 2.0), level * np.sqrt(2.0 / (1.0 - level**2))
    np.testing.assert_allclose(quantile(np.array([1.0, 2.0]), level), [one, two], rtol=1e-12)
