"""The gain-discount study against literal computations on simulated campaigns."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from tests.kit.study_tables import rows

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate
from poolwise.study import gain_discount

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def campaign():
    return simulate(runs=9, topics=16, depth=60, pool_depth=30, grades=4, negative=0.1, seed=5)


@pytest.fixture(scope="module")
def study(pool):
    return gain_discount(pool, cutoffs=[5, 10], splits=2, resamples=100)


def literal_scores(campaign, cutoff, discounts, gains):
    """nDCG of every run on every topic, from dicts, with the ideal of the judged documents."""
    judged = campaign.qrels()
    table = []
    for name in campaign.runs:
        run, row = campaign.run(name), []
        for topic in campaign.topics:
            labels = judged[topic]
            order = sorted(run.get(topic, {}).items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
            found = [gains.get(labels.get(document, 0), 0.0) for document, _ in order[:cutoff]]
            ideal = sorted((gains.get(label, 0.0) for label in labels.values()), reverse=True)[:cutoff]
            best = sum(g * d for g, d in zip(ideal, discounts, strict=False))
            row.append(sum(g * d for g, d in zip(found, discounts, strict=False)) / best if best else 0.0)
        table.append(row)
    return np.array(table)


def literal_phi(x):
    runs, topics = x.shape
    rest = x - x.mean(1, keepdims=True) - x.mean(0) + x.mean()
    residual = (rest**2).sum() / ((runs - 1) * (topics - 1))
    system = max((topics * x.mean(1).var(ddof=1) - residual) / topics, 0)
    topic = max((runs * x.mean(0).var(ddof=1) - residual) / runs, 0)
    return system / (system + topic + residual)


USUAL = {
    "log2": lambda r, k: 1 / math.log2(r + 1),
    "zipf": lambda r, k: 1 / r,
    "linear": lambda r, k: (k + 1 - r) / k,
}


def test_phi_of_the_usual_and_optimal_discounts(campaign, study):
    found = {(row["cutoff"], row["variant"]): row for row in rows(study, "phi")}
    linear = {1: 1.0, 2: 2.0, 3: 3.0}
    for cutoff in (5, 10):
        weights = {name: [f(r, cutoff) for r in range(1, cutoff + 1)] for name, f in USUAL.items()}
        weights["optimal"] = [row["optimal"] for row in rows(study, "discounts") if row["cutoff"] == cutoff]
        for name, discounts in weights.items():
            phi = literal_phi(literal_scores(campaign, cutoff, discounts, linear))
            row = found[cutoff, name]
            assert row["phi_1"] == pytest.approx(phi, rel=1e-8)
            assert row["phi_50"] == pytest.approx(50 * phi / (1 + 49 * phi), rel=1e-8)
            assert row["topics_for_95"] == pytest.approx(19 * (1 - phi) / phi, rel=1e-7)
            assert found[cutoff, "optimal"]["phi_1"] >= row["phi_1"]


def test_phi_of_the_gains(campaign, study):
    found = {(row["cutoff"], row["variant"]): row["phi_1"] for row in rows(study, "phi")}
    log2 = [1 / math.log2(r + 1) for r in range(1, 11)]
    grades = [row for row in rows(study, "gains") if row["cutoff"] == 10]
    for column, variant in (("constrained", "optimal gain"), ("unconstrained", "free gain"), ("exp", "exp gain")):
        gains = {row["grade"]: row[column] for row in grades}
        assert sum(gains.values()) == pytest.approx(1.0)
        assert found[10, variant] == pytest.approx(literal_phi(literal_scores(campaign, 10, log2, gains)), rel=1e-7)
    joint = [row["joint"] for row in rows(study, "discounts") if row["cutoff"] == 10]
    gains = {row["grade"]: row["joint"] for row in grades}
    assert found[10, "joint"] == pytest.approx(literal_phi(literal_scores(campaign, 10, joint, gains)), rel=1e-6)
    assert found[10, "joint"] >= max(found[10, "optimal"], found[10, "optimal gain"]) - 1e-9
    assert found[10, "free gain"] >= found[10, "optimal gain"] - 1e-12


def test_weights_of_ranks_and_grades_are_ordered_and_ratios_follow(study):
    for cutoff in (5, 10):
        for name in ("optimal", "log2", "zipf", "linear"):
            weights = [row[name] for row in rows(study, "discounts") if row["cutoff"] == cutoff]
            assert sum(weights) == pytest.approx(1.0)
            assert all(a >= b - 1e-12 for a, b in itertools.pairwise(weights))
        gains = [row for row in rows(study, "gains") if row["cutoff"] == cutoff]
        assert [row["grade"] for row in gains] == [1, 2, 3]
        assert [row["exp"] for row in gains] == pytest.approx([1 / 11, 3 / 11, 7 / 11])
        ratios = [row for row in rows(study, "gain_ratios") if row["cutoff"] == cutoff]
        assert [row["linear"] for row in ratios] == pytest.approx([2.0, 1.5])
        for row, (low, high) in zip(ratios, itertools.pairwise(gains), strict=True):
            assert row["constrained"] >= 1 - 1e-12 or math.isnan(row["constrained"])
            if low["constrained"] > 0:
                assert row["constrained"] == pytest.approx(high["constrained"] / low["constrained"])


def test_agreement_of_rankings(campaign, study):
    linear = {1: 1.0, 2: 2.0, 3: 3.0}
    weights = {name: [USUAL[name](r, 10) for r in range(1, 11)] for name in ("log2", "zipf")}
    log2, zipf = (literal_scores(campaign, 10, weights[name], linear).mean(1) for name in ("log2", "zipf"))
    pairs = list(itertools.combinations(range(len(log2)), 2))
    tau = sum(np.sign(log2[a] - log2[b]) * np.sign(zipf[a] - zipf[b]) for a, b in pairs) / len(pairs)
    row = next(
        row
        for row in rows(study, "rankings")
        if (row["cutoff"], row["variant_a"], row["variant_b"]) == (10, "log2 discount", "zipf discount")
    )
    assert row["tau"] == pytest.approx(tau)
    assert row["rmse"] == pytest.approx(math.sqrt(np.mean((log2 - zipf) ** 2)))


def test_power_is_that_of_the_analysis_on_the_best_runs(pool, study):
    scores = pool.score("nDCG@10").array("nDCG@10")
    row = next(r for r in rows(study, "power") if (r["cutoff"], r["variant"]) == (10, "log2 discount"))
    assert row["power"] == pw.discriminative_power(scores, resamples=100, seed=0).power


def test_shares_of_labels_by_rank(campaign, study):
    judged = campaign.qrels()
    row = next(row for row in rows(study, "grade_shares") if (row["rank"], row["grade"]) == (1, 2))
    first = [
        judged[topic].get(max(documents.items(), key=lambda pair: (pair[1], pair[0]))[0])
        for name in campaign.runs
        for topic, documents in campaign.run(name).items()
    ]
    assert row["share"] == pytest.approx(first.count(2) / (len(campaign.runs) * len(campaign.topics)))


def test_pinned_columns(study):
    pinned = {
        "discounts": ["cutoff", "rank", "optimal", "log2", "zipf", "linear"],
        "gains": ["cutoff", "grade", "constrained", "unconstrained", "joint", "linear", "exp"],
        "phi": ["cutoff", "variant", "phi_1", "phi_50", "topics_for_95"],
    }
    for name, wanted in pinned.items():
        assert list(study.tables[name].columns)[: len(wanted)] == wanted


def test_the_summary_says_whether_the_optimum_holds_up(study):
    held = {
        (row["cutoff"], row["variant"]): row
        for row in rows(study, "held_out")
        if (row["chosen"], row["held_out"]) == ("discounts", "topics")
    }
    for said, cutoff in zip(study.summary, (5, 10), strict=False):
        log2 = held[cutoff, "log2"]
        holds = log2["optimal_ahead_by"] > 0 and log2["optimal_ahead_share"] > 0.5
        assert ("it holds up" if holds else "it does not hold up") in said
        assert re.search(r"topics needed for a Phi of 0\.95: [\w ]+, with log2 (\d+|more than any number)\. ", said)
        assert f"{held[cutoff, 'optimal']['phi_1']:.3f} against {log2['phi_1']:.3f} with log2" in said


def test_the_optimum_is_not_said_to_be_ahead_of_itself(study):
    for row in rows(study, "held_out"):
        unsaid = [math.isnan(row[name]) for name in ("optimal_ahead_by", "optimal_ahead_sd", "optimal_ahead_share")]
        assert unsaid == [row["variant"] == "optimal"] * 3


def test_binary_labels_leave_no_gains_to_choose():
    found = gain_discount(simulate(runs=6, topics=10, depth=40, grades=2, seed=1).pool(), cutoffs=[5], splits=1)
    assert "gains" not in found.tables
    assert found.summary[-1] == "The labels are binary, so there are no gains to choose: that part is left out."
    assert set(found.tables["power"].columns["variant"]) == {
        "optimal discount", "log2 discount", "zipf discount", "linear discount",
    }  # fmt: skip


def test_no_cutoff_is_refused(pool):
    with pytest.raises(pw.ArgumentError, match="no cut-off"):
        gain_discount(pool, cutoffs=[])
