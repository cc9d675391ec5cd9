"""`compare` on estimates from sampled judgments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.kit.small_campaigns import campaign_tables, small_campaign, uniform_sample

import poolwise
from poolwise.errors import ArgumentError, InputError, PoolwiseWarning

CAMPAIGN = small_campaign(seed=30)
SAMPLE = uniform_sample(CAMPAIGN, 0.4, 2)
TOPICS = CAMPAIGN.topics


def test_p_and_interval_agree_with_the_estimated_differences() -> None:
    found = CAMPAIGN.estimate("AP", "P@10", judgments=SAMPLE, difference="all")
    pairs = found.differences
    assert pairs is not None
    compared = poolwise.compare(found, "AP", test="judgments", correction="none")
    assert compared.difference == pytest.approx(pairs.difference[:66])
    assert compared.low == pytest.approx(pairs.low[:66])
    assert compared.high == pytest.approx(pairs.high[:66])
    assert ((compared.p < 0.05) == (compared.low * compared.high > 0)).all()
    t = pairs.difference[3] / pairs.standard_error[3]
    assert compared.p[3] == pytest.approx(2 * stats.t.sf(abs(t), pairs.df[3]), rel=1e-12)
    assert "estimated from sampled judgments" in compared.conclusion


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "P@10"])
def test_what_is_significant_has_an_interval_without_0(measure: str, alpha: float) -> None:
    """Also where documents outside the pool reach far, or just far enough, for either side of a pair."""
    qrels, lists = campaign_tables(6, 30, 100, 40, 0.2, 2, 1.0, 5)
    for number, (run, share) in enumerate({"run1": 0.02, "run2": 0.06, "run3": 0.2, "run4": 0.6}.items()):
        random = np.random.default_rng(number)
        for topic, scores in lists[run].items():
            lists[run][topic] = {f"new-{d}" if random.random() < share else d: s for d, s in scores.items()}
    pool = poolwise.read(qrels, lists)
    found = pool.compare(
        measure, test="judgments", judgments=uniform_sample(pool, 0.6, 1), alpha=alpha, correction="none"
    )
    without_0 = (found.low > 0) | (found.high < 0)
    assert 0 < without_0.sum() < len(without_0)
    assert found.significant.tolist() == without_0.tolist()
    assert (found.p[(found.low <= 0) & (found.high >= 0)] >= alpha).all()


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_intervals_of_measures_without_a_ceiling_are_not_cut_to_1(alpha: float) -> None:
    """A difference of -3.7 in DCG@10 had an interval from -1 to -1."""
    found = CAMPAIGN.estimate("DCG@10", judgments=SAMPLE, difference="all", level=1 - alpha)
    pairs = found.differences
    assert np.abs(pairs.low).max() > 1
    compared = poolwise.compare(found, "DCG@10", test="judgments", correction="none", alpha=alpha)
    assert compared.low == pytest.approx(pairs.low)
    assert compared.high == pytest.approx(pairs.high)


def test_baselines_turn_pairs_round() -> None:
    pairs = [("run0", "run3"), ("run1", "run3")]
    found = CAMPAIGN.estimate("AP", judgments=SAMPLE, runs=["run0", "run1", "run3"], difference=pairs)
    plain = poolwise.compare(found, "AP", test="judgments", baseline="run3")
    assert plain.run_b == ["run3", "run3"]
    turned = CAMPAIGN.estimate(
        "AP", judgments=SAMPLE, runs=["run0", "run1", "run3"], difference=[(b, a) for a, b in pairs]
    )
    again = poolwise.compare(turned, "AP", test="judgments", baseline="run3")
    assert again.difference == pytest.approx(plain.difference)
    assert again.low == pytest.approx(plain.low)
    with pytest.raises(ArgumentError, match="was not estimated"):
        poolwise.compare(found, "AP", test="judgments")


def test_complete_judgments_are_certain() -> None:
    """And a note says that there is nothing to test, which it does not of a sample."""
    said = "no sampling error to test"
    with pytest.warns(PoolwiseWarning, match=said):
        found = poolwise.compare(CAMPAIGN.estimate("AP", difference="all"), "AP", test="judgments")
    assert any("the other tests ask, such as randomisation or t" in note for note in found.warnings)
    sampled = CAMPAIGN.compare("AP", test="judgments", judgments=SAMPLE)
    assert not any(said in note for note in sampled.warnings)
    means = CAMPAIGN.score("AP").means()[:, 0]
    assert found.difference == pytest.approx(means[found.first] - means[found.second])
    assert set(found.p.tolist()) <= {0.0, 1.0}
    for words in (found.conclusion, found.method):
        assert "the whole pool is judged, nothing is estimated" in words
        assert "sample" not in words
    assert (found.complete, sampled.complete) == (True, False)


@pytest.mark.parametrize("measure", ["DCG@10", "Utility", "AP"])
def test_intervals_are_cut_to_the_range_of_the_measure(measure: str) -> None:
    """Differences of sums pass 1."""
    few = uniform_sample(CAMPAIGN, 0.1, 2)
    found = CAMPAIGN.estimate(measure, judgments=few, difference="all")
    compared = poolwise.compare(found, measure, test="judgments")
    assert found.differences is not None
    assert compared.low == pytest.approx(found.differences.low)
    assert compared.high == pytest.approx(found.differences.high)
    assert (compared.high.max() > 1.5) == (measure != "AP")


def test_predictions_join_the_estimates() -> None:
    rows = {
        topic: {document: float(label) for document, label in CAMPAIGN.judgments.of(topic).items()} for topic in TOPICS
    }
    plain = CAMPAIGN.compare("AP", test="judgments", judgments=SAMPLE, baseline="run3")
    found = CAMPAIGN.compare("AP", test="judgments", judgments=SAMPLE, baseline="run3", predictions=rows)
    pairs = [(run, "run3") for run in CAMPAIGN.runs if run != "run3"]
    estimate = CAMPAIGN.estimate("AP", judgments=SAMPLE, difference=pairs, predictions=rows)
    assert estimate.differences is not None
    assert found.difference == pytest.approx(estimate.differences.difference)
    assert found.p == pytest.approx(poolwise.compare(estimate, "AP", test="judgments", baseline="run3").p)
    # Predictions that know every label leave less to the sampling.
    assert (found.high - found.low).mean() < 0.8 * (plain.high - plain.low).mean()
    with pytest.raises(ArgumentError, match="test='t' takes no predictions; use test='judgments'"):
        CAMPAIGN.compare("AP", test="t", predictions=rows)


def test_a_campaign_scores_or_estimates_as_the_test_needs() -> None:
    scored = CAMPAIGN.compare("P@10", judgments=SAMPLE, seed=3, correction="bh", alpha=0.1)
    assert (
        scored.p.tolist()
        == poolwise.compare(
            CAMPAIGN.score("P@10", judgments=SAMPLE), "P@10", seed=3, correction="bh", alpha=0.1
        ).p.tolist()
    )
    assert (scored.test, scored.correction, scored.alpha) == ("randomisation", "bh", 0.1)
    with pytest.raises(ArgumentError, match="test='z' is unknown; choose one of randomisation"):
        CAMPAIGN.compare("AP", test="z")


def test_scores_without_estimates_are_refused() -> None:
    with pytest.raises(InputError, match="estimates with differences"):
        poolwise.compare(CAMPAIGN.score("AP"), "AP", test="judgments")
    assert np.isfinite(poolwise.compare(CAMPAIGN.estimate("AP", judgments=SAMPLE), "AP", test="t").p).all()
