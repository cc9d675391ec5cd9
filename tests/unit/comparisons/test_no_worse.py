"""The gate: verdicts by hand, errors at the margin and power by simulation, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from poolwise.comparisons.non_inferiority import CANNOT_TELL, FLAT, NO_WORSE, WORSE, gate, is_flat, topics_for_gate
from poolwise.errors import ArgumentError, PoolwiseWarning
from poolwise.trust.topics_needed import topics_for_paired_t


def scores(seed, shift, topics=50, deviation=0.05):
    generator = np.random.default_rng(seed)
    baseline = generator.random(topics)
    return baseline, baseline + shift + deviation * generator.standard_normal(topics)


def test_p_values_are_those_of_one_sided_t_tests():
    baseline, candidate = scores(1, -0.01)
    found = gate(baseline, candidate, margin=0.02)
    above = ttest_1samp(candidate - baseline, -0.02, alternative="greater")
    assert found.p_no_worse == pytest.approx(above.pvalue)
    assert found.p_worse == pytest.approx(1 - above.pvalue)
    low = above.confidence_interval(0.95).low
    assert found.low == pytest.approx(low)


@pytest.mark.parametrize(("shift", "verdict"), [(0.05, NO_WORSE), (-0.1, WORSE), (-0.02, CANNOT_TELL)])
def test_verdicts(shift, verdict):
    assert gate(*scores(2, shift), margin=0.02).verdict == verdict


def test_what_only_unjudged_documents_hinder_is_not_sought_in_topics():
    """By what is judged the candidate is no worse; at the worst of what is not it would be."""
    baseline, candidate = scores(2, 0.05)
    found = gate(baseline, candidate, margin=0.02, holes=(0.0, 0.4), worst=candidate - baseline - 0.2)
    assert found.verdict == CANNOT_TELL
    assert found.low > -0.02 > found.worst_low
    assert "40.0 % of " in found.headline()
    assert "topics would show" not in found.headline()
    few = gate(baseline, candidate - 0.06, margin=0.02)
    assert few.verdict == CANNOT_TELL
    assert f"about {few.topics_needed} topics would show" in few.headline()


@pytest.mark.slow
def test_each_wrong_verdict_comes_alpha_of_the_time_at_the_margin():
    verdicts = [gate(*scores(seed, -0.02, topics=20), margin=0.02).verdict for seed in range(1500)]
    assert verdicts.count(NO_WORSE) / 1500 == pytest.approx(0.05, abs=0.015)
    assert verdicts.count(WORSE) / 1500 == pytest.approx(0.05, abs=0.015)


@pytest.mark.slow
def test_so_many_topics_have_the_power_they_promise():
    topics = topics_for_gate(0.03, 0.05, power=0.8)
    assert topics is not None
    passed = [gate(*scores(seed, 0.0, topics=topics), margin=0.03).verdict == NO_WORSE for seed in range(800)]
    assert np.mean(passed) == pytest.approx(0.8, abs=0.04)
    # A two-sided test of twice the alpha has the same upper side; its lower side adds next to nothing.
    assert topics == topics_for_paired_t(0.03, 0.05, power=0.8, alpha=0.1)


def test_holes_do_not_fail_a_build():
    baseline, candidate = scores(3, -0.1)
    assert gate(baseline, candidate, margin=0.01).verdict == WORSE
    held = gate(baseline, candidate, margin=0.01, holes=(0.0, 0.3), best=candidate + 0.12)
    assert held.verdict == CANNOT_TELL
    assert "30 % of its top documents are unjudged" in held.headline()
    assert gate(baseline, candidate, margin=0.01, holes=(0.0, 0.01), best=candidate + 0.001).verdict == WORSE


def test_equal_runs_pass_and_say_so():
    found = gate([0.2, 0.4, 0.6], [0.2, 0.4, 0.6], margin=0.0)
    assert (found.verdict, found.ties, found.wins, found.losses) == (NO_WORSE, 3, 0, 0)
    assert topics_for_gate(0.0, 0.1) is None


@pytest.mark.parametrize("shift", [-0.1, 0.1])
def test_the_same_difference_on_a_few_topics_is_not_certain(shift):
    """Its spread is taken to be the difference itself, so that it takes topics to decide."""
    with pytest.warns(PoolwiseWarning, match="all 3 topics differ by the same"):
        few = gate([0.2, 0.4, 0.6], [0.2 + shift, 0.4 + shift, 0.6 + shift], margin=0.05)
    assert few.verdict == CANNOT_TELL
    assert few.p_no_worse == pytest.approx(t.sf((shift + 0.05) / (0.1 / 3**0.5), 2))
    baseline = np.linspace(0.2, 0.8, 40)
    with pytest.warns(PoolwiseWarning):
        many = gate(baseline, baseline + shift, margin=0.05)
    assert many.verdict == (WORSE if shift < 0 else NO_WORSE)


def test_faults():
    with pytest.raises(ArgumentError, match="do not pair"):
        gate([1.0, 2.0], [1.0], margin=0.1)
    with pytest.raises(ArgumentError, match="two topics"):
        gate([1.0], [1.0], margin=0.1)
    with pytest.raises(ArgumentError, match="margin"):
        gate([1.0, 0.5], [1.0, 0.5], margin=-0.1)


def test_a_margin_of_nothing_says_what_would_help():
    """More topics may well help where the candidate is better, so it is not said that they would not."""
    baseline = np.random.default_rng(1).random(12)
    found = gate(baseline, baseline + np.tile([0.2, -0.1, -0.08], 4), margin=0.0)
    assert found.topics_needed is None
    assert "were they equal, no number of topics would show that it is not; widen the margin" in str(found)


def test_what_has_no_interval_is_refused():
    with pytest.raises(ArgumentError, match=r"alpha=0.5 must be below 0.5"):
        gate([0.1, 0.2], [0.1, 0.3], margin=0.1, alpha=0.5)
    for wrong in (np.nan, np.inf):
        with pytest.raises(ArgumentError, match=r"score 2 of candidate is (nan|inf), no number"):
            gate([0.1, 0.2], [0.1, wrong], margin=0.1)


@pytest.mark.parametrize(("margin", "p_no_worse"), [(0.0, 0.5), (0.01, 0.0)])
def test_equal_runs_are_sure_within_a_margin_and_undecided_at_none(margin, p_no_worse):
    found = gate([0.2, 0.4, 0.6], [0.2, 0.4, 0.6], margin=margin)
    assert (found.p_no_worse, found.p_worse) == (p_no_worse, 1 - p_no_worse)


@pytest.mark.parametrize(
    ("apart", "size", "flat"), [(1.0, 0.0, True), (1.5, 0.0, False), (50.0, 100.0, True), (150.0, 100.0, False)]
)
def test_differences_are_flat_up_to_a_share_of_1_or_of_the_largest(apart, size, flat):
    assert is_flat(np.array([size, size + apart * FLAT])) is flat
