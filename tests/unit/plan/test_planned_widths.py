"""Forecasts of widths against sums written out, and against estimates."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy.special import expit
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.plan.chance import feature, prior_effects
from poolwise.plan.listing import list_pool
from poolwise.plan.worth import SUREST

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def campaign():
    """Labels of all documents, and runs."""
    return campaign_tables(5, 6, 80, 40, 0.2, 1, 1.0, 4)


def test_precision_is_a_sum_over_the_top(campaign):
    """P@5 before any label: (1 / pi - 1) p (1 - p) / 25 of each of a run's first five documents."""
    pool = pw.read(None, campaign[1])
    made = pool.plan(budget=60, design="uniform", measure="P@5", depth=10, forecast=True)
    listing = list_pool(pool, None, 10, None, 0)
    x = feature(pool, listing)
    start, slope = prior_effects(x, 6)
    chance = expit(start + slope * x)
    total = 0.0
    for topic in range(6):
        own = listing.topic == topic
        rate = sum(r > 0 for t, r in zip(made.topic, made.round, strict=True) if t == pool.topics[topic]) / own.sum()
        top = set(np.asarray(pool.all_documents(0, topic))[:5].tolist())
        p = chance[own][[document in top for document in listing.document[own].tolist()]]
        left = np.maximum(p, SUREST * chance[own].mean()) * (1 - p)
        total += (1 / rate - 1) * left.sum() / 25
    width = 2 * NormalDist().inv_cdf(0.975) * np.sqrt(total / 36)

    place = made.forecast.labels.index(60)
    assert made.forecast.widths[0, place] == pytest.approx(width)


def test_more_labels_are_narrower_and_copies_do_not_differ(campaign):
    runs = campaign[1]
    first = next(iter(runs))
    pool = pw.read(None, {**runs, "copy": runs[first]})
    found = pool.plan(budget=60, difference=[(first, "copy"), (first, list(runs)[1])], forecast=True).forecast
    assert found.names[-2:] == (f"{first} - copy", f"{first} - {list(runs)[1]}")
    assert found.widths[-2, 1:] == pytest.approx(0)
    assert np.isnan(found.widths[:, 0]).all()  # fewer labels than strata
    assert (np.diff(found.widths[-1, 1:]) < 0).all()
    assert found.planned in found.labels
    assert len(found.columns()["run"]) == found.widths.size


@pytest.mark.slow
def test_forecasts_are_near_what_comes(campaign):
    """Of nDCG@10 after a pilot, within two fifths of the width that estimates then have, on the mean over runs."""
    truth = campaign[0]
    forecast, found = [], []
    for seed in range(4):
        first = pw.read(None, campaign[1]).plan(budget=60, design="uniform", depth=15, seed=seed)
        lines = fill(first, truth)
        pilot = pw.read(lines, campaign[1])
        second = pilot.plan(budget=90, measure="nDCG@10", depth=15, seed=seed, forecast=True)
        forecast.append(second.forecast.mean())
        scores = pw.read(fill(second, truth), campaign[1]).estimate("nDCG@10", pooled=False)
        found.append(float((scores.plain_high - scores.plain_low).mean()))
    assert 0.6 < np.mean(forecast) / np.mean(found) < 1.6


def fill(plan, truth):
    """The plan with its labels, as a frame that is read back."""
    columns = plan.columns()
    import polars

    frame = polars.DataFrame(columns)
    labels = [
        truth[topic].get(document, 0) if number else -1
        for topic, document, number in zip(columns["topic"], columns["document"], columns["round"], strict=True)
    ]
    return frame.with_columns(label=polars.Series(labels))
