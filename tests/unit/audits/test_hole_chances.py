"""The two equations of the model, and how chances are shared among holes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logit
from tests.kit.small_campaigns import small_campaign

from poolwise.audits.hole_model import HoleChances, hole_precision, observed_offset, precision_with_holes
from poolwise.audits.hole_scores import list_holes


@pytest.mark.parametrize("offset", [-1.0, 0.0, 0.5, 1.57, 4.0])
@pytest.mark.parametrize(("relevant", "judged", "holes"), [(300, 400, 100), (0, 10, 490), (10, 10, 5), (3, 50, 0)])
def test_the_quadratic_solves_both_equations(offset, relevant, judged, holes):
    number = judged + holes + 1.0
    root = brentq(
        lambda p: number * p - relevant - 0.5 - holes * expit(logit(p) - offset), 1e-12, 1 - 1e-12, xtol=1e-14
    )
    found = precision_with_holes(*(np.array(float(value)) for value in (relevant, judged, holes, offset)))
    assert float(found) == pytest.approx(root, rel=1e-9)


def test_no_offset_takes_holes_for_as_good_as_the_judged():
    share = hole_precision(np.array(299.5), np.array(399.0), np.array(100.0), np.array(0.0))
    assert float(share) == pytest.approx(300 / 400)


def test_an_observed_offset_is_found_again():
    relevant, judged, holes = np.array(700.0), np.array(900.0), np.array(500.0)
    good = hole_precision(relevant, judged, holes, np.array(1.3)) * (holes + 1) - 0.5
    assert float(observed_offset(relevant, judged, good, holes)) == pytest.approx(1.3, abs=0.01)


@pytest.fixture(scope="module")
def chances():
    pool = small_campaign(runs=6, topics=8, grades=2, share=0.3)
    thin = pool.judgments.sample("depth", depth=4, contributing=pool.runs[:3])
    return HoleChances(list_holes(thin, 20), (1, 2))


def test_the_mean_chance_of_a_run_is_its_share(chances):
    offset = np.full(6, 1.2)
    share = hole_precision(*chances.counts, offset)
    run, _ = chances.occurrences
    logits = chances.base + chances._shift(share)[:, run]
    for grade in (0, 1):
        own = [expit(logits[grade, run == each]).mean() for each in range(6)]
        assert own == pytest.approx(share[grade].tolist(), abs=1e-6)


def test_higher_grades_are_rarer_and_larger_offsets_lower(chances):
    near, far = (chances.expected(np.full(6, offset)) for offset in (0.5, 2.0))
    assert (near[1] <= near[0]).all()
    assert (far < near).all()


def test_an_observed_offset_is_that_of_two_shares():
    """Of few documents, where half a one more of either kind matters."""
    found = observed_offset(*(np.array(float(count)) for count in (3, 5, 1, 4)))
    assert float(found) == pytest.approx(np.log(4.5 / 5.5) - np.log(1.5 / 3.5))


def test_a_run_without_holes_needs_no_shift_to_its_share():
    pool = small_campaign(runs=6, topics=8, grades=2, share=0.3)
    thin = pool.judgments.sample("depth", depth=4, contributing=pool.runs[:3])
    chances = HoleChances(list_holes(thin, 4), (1, 2))
    _, _, holes = chances.counts
    assert sorted(holes > 0) == [False] * 3 + [True] * 3
    assert np.isfinite(chances._shift(hole_precision(*chances.counts, np.full(6, 1.2)))).all()
    mean, slope = chances._mean_chance(np.zeros((2, 6)))
    assert (mean[:, holes == 0] == 0.5).all()
    assert (slope[:, holes == 0] == 1.0).all()
