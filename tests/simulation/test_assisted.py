"""Many samples from campaigns with known complete judgments: estimates are unbiased and intervals cover.

Tolerances are such that leaving out a correction, a weight or the second order breaks a test.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.kit.small_campaigns import campaign_tables, small_campaign, uniform_sample

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.combine import combine
from poolwise.estimates.estimator import prepare
from poolwise.estimates.layout import Layout
from poolwise.estimates.targets import target_of
from poolwise.measures.registry import parse

pytestmark = pytest.mark.slow

Floats = NDArray[np.float64]


@dataclass
class Trials:
    """Errors and whether intervals held the truth: trials x runs x measures."""

    errors: Floats
    held: NDArray[np.bool_]
    widths: Floats
    variances: Floats

    def bias_in_standard_errors(self) -> Floats:
        """Of each measure's mean error over runs; trials are independent, runs are not."""
        by_trial = self.errors.mean(axis=1)
        error = by_trial.std(axis=0, ddof=1) / np.sqrt(len(by_trial))
        return np.asarray(by_trial.mean(axis=0) / error)

    def bias_to_error(self) -> Floats:
        """Of each measure: mean error over its root mean square."""
        return np.asarray(self.errors.mean(axis=(0, 1)) / np.sqrt((self.errors**2).mean(axis=(0, 1))))

    def variance_to_squared_error(self) -> Floats:
        """Of each measure: mean variance as estimated over mean squared error; 1 where intervals are honest.

        Sharper than coverage, which hardly moves when variances do: half a variance still covers 83 %.
        """
        return np.asarray(self.variances.mean(axis=(0, 1)) / (self.errors**2).mean(axis=(0, 1)))


def run_trials(
    campaign: Campaign, measures: list[str], fraction: float, trials: int, strata: Any = None, predictions: Any = None
) -> Trials:
    truth = campaign.score(*measures).means()
    features = prepare(campaign, campaign.judgments, predictions)
    errors, held, widths, variances = [], [], [], []
    for trial in range(trials):
        sample = uniform_sample(campaign, fraction, 1000 + trial, strata)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoolwiseWarning)
            found = campaign.estimate(measures, judgments=sample, predictions=features, threads=1, steadied=False)
        errors.append(found.means() - truth)
        held.append((found.mean_low() <= truth) & (truth <= found.mean_high()))
        widths.append(found.mean_high() - found.mean_low())
        variances.append(found.standard_error**2)
    return Trials(*map(np.array, (errors, held, widths, variances)))


def test_simulated_measures_are_unbiased_and_cover() -> None:
    campaign = small_campaign(topics=16, documents=120, depth=30, share=0.12, seed=1)
    found = run_trials(campaign, ["RR", "Q", "bpref", "Rprec", "P@1"], 0.25, 16)
    assert np.abs(found.bias_in_standard_errors()).max() < 3.2
    assert found.held.mean(axis=(0, 1)).min() > 0.9
    assert found.variance_to_squared_error().min() > 0.7


def test_unbiased_and_covering() -> None:
    campaign = small_campaign(topics=20, documents=300, depth=60, share=0.12, seed=1)
    found = run_trials(campaign, ["AP", "nDCG@10", "P@10", "R@20"], 0.2, 30)
    assert np.abs(found.bias_in_standard_errors())[1:].max() < 3.2
    # Of AP documents are expected to err together twice as much as the model says, as they do on real collections. Here
    # there is no more to topics than the model's columns, and AP comes out a little high.
    assert abs(found.bias_to_error()[0]) < 0.3
    coverage, ratio = found.held.mean(axis=(0, 1)), found.variance_to_squared_error()
    assert coverage.min() > 0.92
    assert coverage.max() < 0.985
    assert ratio.min() > 0.8
    assert ratio.max() < 1.4


def test_the_corrections_remove_the_bias_of_the_plug_in() -> None:
    campaign = small_campaign(topics=10, documents=200, depth=60, share=0.04, skill=2.0, seed=1)
    truth = campaign.score("AP").means()[:, 0]
    features = prepare(campaign, campaign.judgments)
    plug_in, full = [], []
    for trial in range(40):
        layout = Layout.of(campaign, uniform_sample(campaign, 0.25, trial))
        found = combine(layout, features, [target_of(parse("AP"), layout)], list(range(12)), False, 1)[0]
        plug_in.append((found.plug_in.mean(axis=1) - truth).mean())
        full.append((found.values - truth).mean())
    assert np.mean(plug_in) < -4 * np.std(plug_in) / np.sqrt(40)
    assert abs(np.mean(full)) < 2.5 * np.std(full) / np.sqrt(40)


def test_graded_labels_and_strata() -> None:
    campaign = small_campaign(topics=15, documents=250, depth=60, share=0.25, grades=3, seed=2)
    strata = np.concatenate([np.asarray(campaign.core.rank_summary(topic))[:, 3] <= 5 for topic in range(15)]).astype(
        int
    )
    found = run_trials(campaign, ["nDCG", "nDCG(gain='exp')@10", "AP(rel=2)"], 0.2, 30, strata)
    assert np.abs(found.bias_in_standard_errors()).max() < 3.2
    coverage, ratio = found.held.mean(axis=(0, 1)), found.variance_to_squared_error()
    assert coverage.min() > 0.92
    assert coverage.max() < 0.985
    assert ratio.min() > 0.8
    assert ratio.max() < 1.5


def independent() -> Campaign:
    """Labels have nothing to do with ranks."""
    return small_campaign(topics=12, documents=200, depth=60, skill=0.0, seed=3)


def copies() -> Campaign:
    """Four runs, each three times."""
    qrels, lists = campaign_tables(4, 12, 200, 60, 0.15, 1, 1.0, 4)
    return read(qrels, {f"{name}{copy}": table for name, table in lists.items() for copy in "abc"})


def unlike() -> Campaign:
    """One run ranks the pool the other way round."""
    qrels, lists = campaign_tables(12, 12, 200, 60, 0.15, 1, 1.0, 5)
    odd = {
        topic: {
            document: -sum(table[topic].get(document, -3.0) for table in lists.values()) for document in qrels[topic]
        }
        for topic in qrels
    }
    return read(qrels, {**lists, "odd": odd})


def single() -> Campaign:
    """A third of the topics have one relevant document."""
    qrels, lists = campaign_tables(12, 12, 200, 60, 0.15, 1, 1.0, 6)
    for number, labels in enumerate(qrels.values()):
        if number % 3 == 0:
            relevant = [document for document, label in labels.items() if label]
            labels.update(dict.fromkeys(relevant[1:], 0))
    return read(qrels, lists)


@pytest.mark.parametrize("make", [independent, copies, unlike, single])
def test_a_wrong_model_costs_width_not_truth(make: Any) -> None:
    found = run_trials(make(), ["AP", "P@10"], 0.3, 20)
    assert np.abs(found.bias_in_standard_errors()).max() < 3.5
    assert found.held.mean(axis=(0, 1)).min() > 0.88
    assert found.held.mean(axis=0).min() > 0.7  # no single run is missed most of the time


def test_predictions_save_width_when_good_and_cost_nothing_when_useless_or_hostile() -> None:
    campaign = small_campaign(topics=12, documents=200, depth=60, seed=7)
    random = np.random.default_rng(8)
    good, useless, hostile = {}, {}, {}
    for topic in campaign.topics:
        labels = campaign.judgments.of(topic)
        good[topic] = {d: label + 0.4 * random.normal() for d, label in labels.items()}
        useless[topic] = {d: 100 * random.random() for d in labels}
        # Relevance where one run looks first, in every other topic with the sign turned.
        favourite = campaign.ranking("run0", topic)[:30]
        sign = 1 if len(hostile) % 2 else -1
        hostile[topic] = {d: sign * (1.0 - favourite.index(d) / 30 if d in favourite else 0.0) for d in labels}
    plain = run_trials(campaign, ["AP", "P@10"], 0.2, 16)
    for given, most in ((good, 0.75), (useless, 1.05), (hostile, 1.15)):
        found = run_trials(campaign, ["AP", "P@10"], 0.2, 16, predictions=given)
        assert abs(found.bias_in_standard_errors()[1]) < 3.5
        assert abs(found.bias_to_error()[0]) < 0.3  # of AP, for the reason that test_unbiased_and_covering gives
        assert found.held.mean(axis=(0, 1)).min() > 0.87
        assert (np.median(found.widths, axis=(0, 1)) < most * np.median(plain.widths, axis=(0, 1))).all()
