"""Complete judgments leave nothing to estimate."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise.pool.judgments import Judgments

MEASURES = [
    "AP", "AP@10", "AP(rel=2)", "P@5", "P(rel=2)@10", "R@20", "nDCG", "nDCG@10", "nDCG(gain='exp')@7",
    "nDCG(gain='binary', rel=2)@10", "nDCG(gain={1: 1, 2: 10, 3: 11}, discount='zipf')", "nDCG(discount='jk')@30",
    "nDCG(discount='linear')@10", "nDCG(discount=[1, 0.5, 0.25])@3",
]  # fmt: skip


def test_complete_judgments_give_the_exact_value_with_zero_width() -> None:
    campaign = small_campaign(grades=3, seed=3)
    measures = [measure for measure in MEASURES if not measure.endswith("@30")]  # the pool is 20 deep
    found = campaign.estimate(measures)
    scores = campaign.score(*measures)
    assert np.abs(found.means() - scores.means()).max() < 1e-12
    for measure in measures:
        assert np.abs(found.array(measure) - scores.array(measure)).max() < 1e-12
    assert (found.mean_low() == found.means()).all()
    assert (found.mean_high() == found.means()).all()
    assert (found.standard_error == 0).all()
    assert found.warnings == ()


def test_topics_judged_in_full_keep_their_exact_values() -> None:
    campaign = small_campaign(seed=4)
    sample = uniform_sample(campaign, 0.3, 1)
    labels, offsets = sample.labels.copy(), sample.offsets
    labels[offsets[2] : offsets[3]] = campaign.judgments.labels[offsets[2] : offsets[3]]
    found = campaign.estimate("AP", "nDCG@10", judgments=Judgments(campaign, labels))
    for measure in ("AP", "nDCG@10"):
        assert np.abs(found.array(measure)[:, 2] - campaign.score(measure).array(measure)[:, 2]).max() < 1e-12


def test_negative_labels_count_as_nothing() -> None:
    campaign = small_campaign(grades=2, seed=5)
    labels = campaign.judgments.labels.copy()
    labels[::7] = -2
    judgments = type(campaign.judgments)(campaign, labels)
    with pytest.raises(ValueError, match="negative='zero'"):
        campaign.estimate("nDCG(negative='keep')@10", judgments=judgments)
    labels_without = np.where(labels < 0, 0, labels)
    both = [
        campaign.estimate("nDCG@10", "AP", judgments=type(campaign.judgments)(campaign, given)).means()
        for given in (labels, labels_without)
    ]
    assert (both[0] == both[1]).all()
