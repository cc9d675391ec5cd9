"""Measures that are simulated, against those with formulas and against one's own functions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.kit.small_campaigns import campaign_tables, small_campaign, uniform_sample

import poolwise as pw
from poolwise.campaign.campaign import read
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning
from poolwise.estimates.combine import combine
from poolwise.estimates.drawn_labels import FEW_OWN, MANY_OWN
from poolwise.estimates.layout import Layout, rank_features
from poolwise.estimates.simulated_terms import DOUBT
from poolwise.estimates.targets import target_of
from poolwise.measures.registry import REGISTRY, parse
from poolwise.pool.judgments import Judgments

CAMPAIGN = small_campaign(topics=6, grades=2, seed=11)
SAMPLE = uniform_sample(CAMPAIGN, 0.4, 2)
MEASURES = [
    "RR", "RR@5", "Success@5", "ERR@20", "Rprec", "Q", "bpref", "AP'", "nDCG'@10", "rbp", "nERR@10", "F1@10",
    "IPrec@0.5", "Compat", "rpref_relative2", "SetF",
]  # fmt: skip


@pw.measure("FirstFound", bounds=(0.0, 1.0))
def first_found(labels: NDArray[np.float64], rel: int = 1) -> float:
    "reciprocal rank of the first relevant document"
    found = np.flatnonzero(labels >= rel)
    return 1.0 / float(found[0] + 1) if len(found) else 0.0


@pw.measure("ShareFound", bounds=(0.0, 1.0))
def share_found(labels: NDArray[np.float64], judged: NDArray[np.float64]) -> float:
    "relevant documents of the list, divided by those that there are"
    return float((labels >= 1).sum()) / max(float((judged >= 1).sum()), 1.0)


def test_complete_judgments_leave_nothing_to_simulate() -> None:
    found = CAMPAIGN.estimate(MEASURES, outside="nonrelevant")
    assert np.abs(found.means() - CAMPAIGN.score(*MEASURES).means()).max() < 1e-12
    assert (found.mean_low() == found.means()).all()
    assert (found.mean_high() == found.means()).all()


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@10", "R@20"])
def test_simulating_a_measure_that_has_a_formula_agrees(measure: str) -> None:
    """Draws are another way to the same plug-in, differences by one label and expected variance."""
    layout = Layout.of(CAMPAIGN, SAMPLE)
    formula = target_of(parse(measure), layout)
    drawn = replace(target_of(parse(measure).condensed, layout), measure=formula.measure, depth=formula.depth)
    runs = list(range(12))
    closed, simulated = (
        combine(layout, rank_features(layout), [target], runs, True, 1)[0] for target in (formula, drawn)
    )
    assert np.abs(simulated.plug_in.mean(axis=1) - simulated.doubt / DOUBT - closed.plug_in.mean(axis=1)).max() < 0.01
    assert np.abs(simulated.values - closed.values).max() < 0.02
    assert np.corrcoef(simulated.gradient.ravel(), closed.gradient.ravel())[0, 1] > 0.98
    assert simulated.expected == pytest.approx(closed.expected, rel=0.35)
    for one, other in zip(simulated.slopes, closed.slopes, strict=True):
        assert np.corrcoef(one[0].ravel(), other[0].ravel())[0, 1] > 0.95


def test_the_divisor_brings_half_of_what_it_brings_to_average_precision() -> None:
    """A simulation of AP itself must find that relevant documents which a run lacks move it as they move AP."""
    campaign = small_campaign(topics=6, seed=11)
    layout = Layout.of(campaign, uniform_sample(campaign, 0.3, 2))
    formula = target_of(parse("AP"), layout)
    drawn = replace(target_of(parse("AP").condensed, layout), measure=formula.measure, depth=formula.depth)
    both = [formula, drawn, *(target_of(parse(measure), layout) for measure in ("RR", "Success@5"))]
    closed, simulated, *others = combine(layout, rank_features(layout), both, list(range(12)), False, 1)
    there = np.abs(closed.curvature_shares) > 1e-12
    assert there.sum() > 100
    assert np.median(simulated.curvature_shares[there] / closed.curvature_shares[there]) == pytest.approx(0.5, rel=0.1)
    assert np.corrcoef(simulated.curvature_shares.ravel(), closed.curvature_shares.ravel())[0, 1] > 0.98
    for one in others:  # which know of no document but those of a list
        assert not one.curvature_shares.any()


def test_values_that_are_simulated_hold_their_second_order_already() -> None:
    layout = Layout.of(CAMPAIGN, SAMPLE)
    (found,) = combine(layout, rank_features(layout), [target_of(parse("Q"), layout)], list(range(12)), False, 1)
    corrections = (found.gradient * layout.weight[found.counted]).sum(axis=1) / len(layout.in_mean)
    assert found.values == pytest.approx(found.plug_in.mean(axis=1) + corrections, abs=1e-12)
    assert found.curvature_shares.any()


@pytest.mark.slow
def test_own_measures_are_what_equal_ones_of_the_core_are(monkeypatch: pytest.MonkeyPatch) -> None:
    # Functions have fewer draws, and no formulas; else they are the same.
    monkeypatch.setattr("poolwise.estimates.simulated_terms.FEW", FEW_OWN)
    monkeypatch.setattr("poolwise.estimates.simulated_terms.MANY", MANY_OWN)
    monkeypatch.setattr("poolwise.estimates.simulated_terms.formula_of", lambda target, top: None)
    chosen = ["run0", "run1", "run2"]
    graded = CAMPAIGN.estimate("SetR", "ShareFound", judgments=SAMPLE, runs=chosen, outside="nonrelevant").means()
    assert np.abs(graded[:, 0] - graded[:, 1]).max() < 0.05  # labels 1 and 2 are told apart by the function alone
    binary = small_campaign(topics=4, seed=12)
    sample = uniform_sample(binary, 0.4, 2)
    found = binary.estimate(
        "RR", "FirstFound", "RR@5", "FirstFound@5", "SetR", "ShareFound", judgments=sample, runs=chosen,
        difference="all", outside="nonrelevant",
    )  # fmt: skip
    for table in (found.means(), found.mean_low(), found.mean_high(), found.standard_error):
        assert table[:, ::2] == pytest.approx(table[:, 1::2], abs=1e-9)
    differences = found.differences
    assert differences is not None
    assert differences.high[:3] == pytest.approx(differences.high[3:6])


def test_estimates_do_not_depend_on_other_runs_and_measures_or_threads() -> None:
    every = CAMPAIGN.estimate("RR", "Q", judgments=SAMPLE, threads=2)
    one = CAMPAIGN.estimate("Q", judgments=SAMPLE, runs=["run3"], threads=1)
    assert one.means()[0, 0] == pytest.approx(every.means()[3, 1], abs=1e-12)
    assert one.standard_error[0, 0] == pytest.approx(every.standard_error[3, 1], abs=1e-12)


def test_samples_of_one_label_alone_are_no_obstacle() -> None:
    for label in (0, 1, 2):
        labels = np.where(SAMPLE.labels < 0, SAMPLE.labels, label)
        with pytest.warns(PoolwiseWarning):
            found = CAMPAIGN.estimate("RR", "Q", judgments=Judgments(CAMPAIGN, labels, top=2), outside="nonrelevant")
        first = found.means()[:, 0]
        assert ((first < 0.5) if label == 0 else (first > 0.5)).all()


def test_pooling_and_looks_take_them_as_they_take_others() -> None:
    found = CAMPAIGN.estimate("RR", "bpref", judgments=SAMPLE, looks=pw.Looks(int(1.5 * SAMPLE.count())))
    assert found.steadied is not None
    assert (np.abs(found.steadied - found.means()) <= 0.5 * found.standard_error + 1e-9).all()
    assert found.band_low is not None
    assert found.band_high is not None
    assert (found.band_low <= found.mean_low() + 1e-12).all()
    assert (found.band_high >= found.mean_high() - 1e-12).all()


@pytest.mark.slow
def test_every_measure_has_an_estimate_or_says_why_not() -> None:
    for declaration in [each for each in REGISTRY.values() if each.function is None]:  # other tests declare their own
        measure = pw.Measure(declaration)
        measure = measure @ 10 if declaration.cutoff == "required" else measure
        if any(parameter.required for parameter in declaration.parameters):
            continue
        try:
            found = CAMPAIGN.estimate(measure, judgments=SAMPLE, runs=["run0"], outside="nonrelevant")
        except ArgumentError as error:
            assert "cannot be estimated from sampled judgments: " in str(error)  # noqa: PT017
        else:
            assert np.isfinite(found.means()).all()


def test_outside_documents_reach_as_far_as_labels_that_are_tried() -> None:
    qrels, runs = campaign_tables(4, 5, 60, 20, 0.2, 2, 1.0, 8)
    for topic in qrels:
        first = max(runs["run0"][topic], key=lambda name: runs["run0"][topic][name])
        qrels[topic].pop(first, None)
    campaign = read(qrels, runs)
    asked = ["RR@5", "Success@5", "ERR@5"]
    found, bounds = campaign.estimate(asked), campaign.score(*asked, interval="bounds")
    assert found.mean_high()[0] == pytest.approx(bounds.mean_high()[0])
    assert found.mean_low()[0] == pytest.approx(bounds.mean_low()[0])
    condensed = campaign.estimate("RR'@5")
    assert (condensed.mean_high() == condensed.mean_low()).all()
    with pytest.raises(InputError, match="a measure of your own is not known"):
        campaign.estimate("FirstFound@5")
