"""The reliability study against literal computations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.kit.study_tables import rows

from poolwise.lab.simulate.drawing import simulate
from poolwise.study import reliability

MEASURES = ["AP", "nDCG@10"]


@pytest.fixture(scope="module")
def campaign():
    return simulate(runs=6, topics=14, depth=60, pool_depth=20, seed=3)


@pytest.fixture(scope="module")
def study(pool):
    return reliability(pool, measures=MEASURES, draws=50, resamples=200, seed=4)


def test_components_and_coefficients_follow_the_formulas(pool, study):
    scores = pool.score(*MEASURES)
    for row in rows(study, "reliability"):
        x = scores.array(row["measure"])
        runs, topics = x.shape
        grand = x.mean()
        system = topics * sum((x[s].mean() - grand) ** 2 for s in range(runs)) / (runs - 1)
        topic = runs * sum((x[:, q].mean() - grand) ** 2 for q in range(topics)) / (topics - 1)
        rest = sum(
            (x[s, q] - x[s].mean() - x[:, q].mean() + grand) ** 2 for s in range(runs) for q in range(topics)
        ) / ((runs - 1) * (topics - 1))
        v_s, v_q = max((system - rest) / topics, 0), max((topic - rest) / runs, 0)
        assert row["topics"] == topics
        assert [row["system"], row["topic"], row["interaction"]] == pytest.approx([v_s, v_q, rest], rel=1e-10)
        assert row["phi"] == pytest.approx(v_s / (v_s + (v_q + rest) / topics), rel=1e-10)
        assert row["rho2"] == pytest.approx(v_s / (v_s + rest / topics), rel=1e-10)
        assert row["topics_for_phi95"] == pytest.approx(19 * (v_q + rest) / v_s, rel=1e-10)
        assert row["phi_low"] <= row["phi"] <= row["phi_high"]


def test_pinned_columns(study):
    wanted = ["measure", "system", "topic", "interaction", "topics", "phi", "rho2", "topics_for_phi95"]
    assert list(study.tables["reliability"].columns)[: len(wanted)] == wanted
    assert list(study.tables["error_rate"].columns)[:3] == ["measure", "topics", "error_rate"]


def test_curve_holds_todays_coefficients(study):
    today = {row["measure"]: row["phi"] for row in rows(study, "curve") if row["today"]}
    assert today == {row["measure"]: row["phi"] for row in rows(study, "reliability")}


@pytest.mark.slow
def test_error_rates_of_single_topics_follow_from_all_of_them(pool):
    """Sets of one topic: as many draws as make chance small, against every topic once."""
    scores = pool.score("AP").array("AP")
    runs, topics = scores.shape
    row = rows(reliability(pool, measures=["AP"], draws=5000, resamples=1), "error_rate")[0]
    for name, tolerance in (("error_rate", 0.05), ("error_rate_at_0", 0.0)):
        errors = 0.0
        for a, b in itertools.combinations(range(runs), 2):
            verdicts = []
            for x, y in zip(scores[a], scores[b], strict=True):
                equal = abs(x - y) <= tolerance * max(abs(x), abs(y))
                verdicts.append(0 if equal else math.copysign(1, x - y))
            errors += min(verdicts.count(1), verdicts.count(-1)) / topics
        wanted = errors / (runs * (runs - 1) / 2)
        assert row["topics"] == 1
        assert row[name] == pytest.approx(wanted, abs=0.012)


def test_error_rate_falls_to_nothing_at_all_topics(study):
    for measure in MEASURES:
        rates = [row["error_rate"] for row in rows(study, "error_rate") if row["measure"] == measure]
        assert len(rates) == 14
        assert rates[0] > rates[6] > rates[-1] == 0.0


def test_summary_speaks_of_the_best_measure(study):
    table = rows(study, "reliability")
    best = max(table, key=lambda row: row["phi"])
    assert study.summary[0].startswith(f"{best['measure']}: To rank the systems, 14 topics seem enough: ")
    assert f"E rho^2 is {best['rho2']:.3f}" in study.summary[0]
    assert f"Phi is {best['phi']:.3f}" in study.summary[0]
    assert any(f"{best['measure']} {math.ceil(best['topics_for_phi95'])}" in said for said in study.summary)


def test_only_the_best_runs(pool):
    found = reliability(pool, measures=["AP"], top=3, draws=10, resamples=10)
    means = pool.score("AP").means()[:, 0]
    best = pool.score("AP").array("AP")[np.sort(np.argsort(-means)[:3])]
    assert rows(found, "reliability")[0]["runs"] == 3
    assert rows(found, "reliability")[0]["interaction"] == pytest.approx(
        (best - best.mean(1, keepdims=True) - best.mean(0) + best.mean())
        .ravel()
        .dot((best - best.mean(1, keepdims=True) - best.mean(0) + best.mean()).ravel())
        / (2 * 13)
    )
