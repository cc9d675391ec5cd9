"""Which measures can be estimated, and what they are to the estimator."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables, small_campaign, uniform_sample

from poolwise.campaign.campaign import read

CAMPAIGN = small_campaign(grades=3, seed=3)
SUMS = ["RBP", "RBP(p=0.5)@10", "RBP(gain='linear')", "RBP(gain='exp', top=4)", "DCG@10", "DCG(gain='exp')", "Hits@5"]


def test_sums_are_exact_under_complete_judgments() -> None:
    found, scores = CAMPAIGN.estimate(SUMS), CAMPAIGN.score(*SUMS)
    assert np.abs(found.means() - scores.means()).max() < 1e-12
    assert (found.standard_error == 0).all()


def test_sums_are_what_precision_is_times_a_number() -> None:
    """DCG without a discount and hits are k times precision; nothing cuts them to 1."""
    sample = uniform_sample(CAMPAIGN, 0.3, 1)
    asked = ["P@10", "Hits@10", "DCG(gain='binary', discount='uniform')@10"]
    found = CAMPAIGN.estimate(asked, judgments=sample, difference=("run0", "run1"))
    for table in (found.means(), found.steadied, found.standard_error):
        assert table is not None
        assert np.abs(np.minimum(table[:, 1:], 10) - 10 * table[:, :1]).max() < 1e-9
    differences = found.differences
    assert differences is not None
    for column in (differences.difference, differences.low, differences.high, differences.steadied_high):
        assert np.minimum(column[1:], 10) == pytest.approx(10 * column[0])
    assert found.means()[:, 1].max() > 1
    half = found.mean_high()[:, 1] - found.means()[:, 1]
    assert half == pytest.approx(found.means()[:, 1] - found.mean_low()[:, 1])  # hits are no share


@pytest.mark.slow
def test_graded_persistence_is_a_weighted_sum_over_the_sample() -> None:
    """Each label counts 1 / rate times: the mean over many samples is the truth, whatever the model says."""
    measure = "RBP(gain='linear', p=0.9)@20"
    truth = CAMPAIGN.score(measure).means()
    errors = np.array(
        [
            (CAMPAIGN.estimate(measure, judgments=uniform_sample(CAMPAIGN, 0.4, s)).means() - truth).mean()
            for s in range(24)
        ]
    )
    assert abs(errors.mean()) < 3.0 * errors.std(ddof=1) / np.sqrt(len(errors))


def test_outside_documents_reach_as_far_as_the_bounds_of_scores() -> None:
    qrels, runs = campaign_tables(4, 5, 60, 20, 0.2, 2, 1.0, 8)
    for topic in qrels:
        first = max(runs["run0"][topic], key=lambda name: runs["run0"][topic][name])
        qrels[topic].pop(first, None)
    campaign = read(qrels, runs)
    asked = ["RBP(gain='linear')@5", "DCG@5"]
    found, bounds = campaign.estimate(asked), campaign.score(*asked, interval="bounds")
    assert found.mean_high() == pytest.approx(bounds.mean_high())
    assert found.mean_low() == pytest.approx(bounds.mean_low())
    assert (found.mean_high()[0] > found.mean_low()[0]).all()
