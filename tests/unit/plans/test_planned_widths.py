"""Forecasts of widths against estimates from the labels that are supposed, and from those that come."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import campaign_tables

import poolwise as pw
from poolwise.basics.logistic import LogisticRows, climb
from poolwise.plans.listing import list_pool
from poolwise.plans.planned_widths import number_of_draws
from poolwise.plans.relevance_prior import MOST_RELEVANT_DOCUMENTS as MOST_RELEVANT
from poolwise.plans.relevance_prior import SupposedLabels, _PriorFit
from poolwise.pool.judgments import POOLED

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def campaign():
    """Labels of all documents, and runs."""
    return campaign_tables(5, 6, 80, 40, 0.2, 1, 1.0, 4)


@pytest.mark.parametrize(("pilot", "predicted"), [(0, False), (40, False), (40, True)])
def test_a_forecast_is_the_width_of_estimates_from_supposed_labels(campaign, pilot, predicted):
    """The plan's file is filled in with each set of labels, read back and estimated."""
    truth, runs = campaign
    random = np.random.default_rng(7)
    rows = [(topic, document, own + random.normal()) for topic, part in truth.items() for document, own in part.items()]
    predictions = rows if predicted else None
    pool = pw.read(None, runs)
    if pilot:
        pool = pw.read(fill(pool.plan(budget=pilot, design="uniform", depth=15, seed=3), truth), runs)
    names = list(runs)[:2]
    made = pool.plan(
        budget=90, measure="nDCG@10", depth=15, seed=4, difference=names, predictions=predictions, forecast=True
    )
    listing = list_pool(pool, pool.judgments if pilot else None, 15, None, 4)
    supposed = SupposedLabels(pool, listing, predictions)
    widths = []
    for draw in range(number_of_draws(len(runs), len(listing.topic))):
        drawn = supposed.draw(np.random.default_rng([4, draw])).tolist()
        labels: dict[str, dict[str, int]] = {}
        for topic, document, label in zip(listing.topic.tolist(), listing.document.tolist(), drawn, strict=True):
            labels.setdefault(pool.topics[topic], {})[pool.documents(pool.topics[topic])[document]] = label
        sample = pw.read(fill(made, labels), runs)
        found = sample.estimate("nDCG@10", difference=names, predictions=predictions, outside="nonrelevant")
        pair = found.differences
        widths.append([*(found.mean_high() - found.mean_low())[:, 0], float(pair.high[0] - pair.low[0])])
    place = made.forecast.labels.index(90)
    assert made.forecast.widths[:, place] == pytest.approx(np.mean(widths, axis=0))


def test_each_measure_has_the_forecast_that_it_has_in_a_plan_for_it_alone():
    """With a uniform draw the measures do not change what is drawn, so that the widths are the same."""
    _, runs = campaign_tables(runs=3, topics=6, documents=40, depth=20, share=0.3, grades=2, skill=1.0, seed=3)
    pool = pw.read(None, runs)
    ask = {"budget": 60, "design": "uniform", "depth": 15, "seed": 4, "forecast": True}
    both = pool.plan(measure=["RR", "P@5"], **ask).forecast
    assert (both.measure, len(both.names), len(both.by_measure())) == ("RR, P@5", 8, 2)
    for measure, part in zip(("RR", "P@5"), both.by_measure(), strict=True):
        alone = pool.plan(measure=measure, **ask).forecast
        assert part.columns() == alone.columns()
        assert (part.measure, alone.by_measure()) == (alone.measure, [alone])
    assert both.mean() == pytest.approx(np.mean([part.mean() for part in both.by_measure()]))
    assert both.columns()["measure"] == ["RR"] * 4 * len(both.labels) + ["P@5"] * 4 * len(both.labels)


def test_as_many_are_supposed_to_be_relevant_with_predictions_as_without():
    truth, runs = campaign_tables(runs=2, topics=30, documents=60, depth=40, share=0.3, grades=2, skill=1.0, seed=3)
    pool = pw.read(None, runs)
    listing = list_pool(pool, None, 40, None, 0)
    random = np.random.default_rng(3)
    rows = [(topic, d, own + 0.3 * random.normal()) for topic, part in truth.items() for d, own in part.items()]
    supposed = [SupposedLabels(pool, listing, predictions) for predictions in (None, rows)]
    shares = [np.mean([each.draw(np.random.default_rng(n)) > 0 for n in range(300)]) for each in supposed]
    assert abs(shares[0] - shares[1]) < 0.015  # 0.035 where predictions were left out of account


def test_supposed_labels_keep_what_is_judged_and_go_with_ranks(campaign):
    truth, runs = campaign
    pool = pw.read(None, runs)
    listing = list_pool(pool, None, 40, None, 0)
    random = np.random.default_rng(1)
    drawn = [SupposedLabels(pool, listing).draw(random) > 0 for _ in range(30)]
    size = len(listing.topic) / len(pool.topics)
    assert np.mean(drawn) == pytest.approx(MOST_RELEVANT / (MOST_RELEVANT + size), abs=0.1)
    best = listing.rank <= 5
    assert np.mean([own[best].mean() for own in drawn]) > np.mean([own[~best].mean() for own in drawn]) + 0.1

    judged = pw.read(fill(pool.plan(budget=60, design="uniform", depth=40, seed=3), truth), runs)
    listing = list_pool(judged, judged.judgments, 40, None, 0)
    known = listing.label != POOLED
    supposed = SupposedLabels(judged, listing)
    labels = supposed.draw(random)
    assert known.sum() == 60
    assert (labels[known] == listing.label[known]).all()
    assert set(labels.tolist()) <= set(supposed.kinds) == set(listing.label[known].tolist())


def test_effects_are_drawn_from_what_labels_leave_open():
    """Their covariance is the inverse of the whole Hessian, shared effects and those of all topics together."""
    random, topics = np.random.default_rng(5), 3
    of, x = np.repeat(np.arange(topics), 40), random.normal(size=120)
    columns = np.column_stack([np.ones(120), x])
    y = (random.random(120) < 0.3).astype(float)
    precision = np.array([0.5, 4.0]), np.array([1.0, 2.0])
    rows = LogisticRows(columns, columns.copy(), y, np.arange(0, 121, 40))
    effects, arrow = climb(rows, (np.zeros(2), np.zeros((topics, 2))), precision, 1e-12)
    design = np.hstack([columns] + [columns * (of == topic)[:, None] for topic in range(topics)])
    logit = design @ np.concatenate([effects[0], effects[1].ravel()])
    weight = np.exp(-logit) / (1 + np.exp(-logit)) ** 2
    prior = np.concatenate([precision[0], np.tile(precision[1], topics)])
    hessian = (design * weight[:, None]).T @ design + np.diag(prior)
    found = [_PriorFit(*effects, arrow).draw(random) for _ in range(20_000)]
    drawn = np.array([np.concatenate([shared, topic.ravel()]) for shared, topic in found])
    assert np.cov(drawn.T) == pytest.approx(np.linalg.inv(hessian), rel=0.08, abs=0.02)
    assert drawn.mean(axis=0) == pytest.approx(np.concatenate([effects[0], effects[1].ravel()]), abs=0.03)


def test_pilots_say_how_many_are_relevant(campaign):
    """All or none of a pilot's labels relevant: most or few of the others are supposed to be."""
    pool = pw.read(None, campaign[1])
    plan, shares = pool.plan(budget=90, design="uniform", depth=20, seed=3), []
    for label in (0, 1):
        every = {topic: dict.fromkeys(pool.documents(topic), label) for topic in pool.topics}
        judged = pw.read(fill(plan, every), campaign[1])
        listing = list_pool(judged, judged.judgments, 20, None, 0)
        supposed, random = SupposedLabels(judged, listing), np.random.default_rng(2)
        shares.append(np.mean([(supposed.draw(random) > 0).mean() for _ in range(10)]))
    assert shares[0] < 0.15 < 0.85 < shares[1]


@pytest.mark.slow
@pytest.mark.parametrize("difference", [False, True])
def test_a_target_width_and_the_forecast_say_the_same(campaign, difference):
    """The number of labels that a width needs has that width in the table of forecasts, and no less has."""
    truth, runs = campaign
    pilot = pw.read(fill(pw.read(None, runs).plan(budget=90, design="uniform", depth=15, seed=1), truth), runs)
    asked = {"measure": "nDCG@10", "depth": 15, "seed": 2, "difference": list(runs)[:2] if difference else None}
    wide = pilot.plan(budget=100, forecast=True, **asked).forecast.mean(difference)
    made = pilot.plan(target_width=wide, forecast=True, **asked)
    assert made.needed.labels == pytest.approx(100, rel=0.15)
    assert made.forecast.mean(difference) == pytest.approx(made.needed.width_with)
    assert made.needed.width_with <= 1.001 * wide
    assert made.needed.low <= made.needed.labels <= made.needed.high
    assert made.needed.of == (" - ".join(list(runs)[:2]) if difference else f"mean over {len(runs)} runs")
    # The width now is that of the labels there are: nothing is supposed.
    found = pilot.estimate("nDCG@10", difference="all", outside="nonrelevant", steadied=False)
    now = found.differences.high[0] - found.differences.low[0]
    now = now if difference else (found.mean_high() - found.mean_low()).mean()
    assert made.needed.width_now == pytest.approx(float(now))


def test_a_width_that_is_out_of_reach_is_called_so(campaign):
    truth, runs = campaign
    pilot = pw.read(fill(pw.read(None, runs).plan(budget=60, depth=10, seed=1), truth), runs)
    few = pilot.plan(budget=10, target_width=0.1, measure="P@5", depth=10).needed
    assert f"needs about {few.labels} more judgments (90 % range {few.low} to {few.high}): out of reach with 10" in str(
        few
    )
    none = pilot.plan(budget=10, target_width=1e-9, measure="AP", depth=10).needed
    assert none.labels == none.left
    assert f"is out of reach unless all {none.left} documents that are left of the pool are judged" in str(none)
    wide = pilot.plan(budget=10, target_width=0.99, measure="P@5", depth=10).needed
    assert str(wide).endswith("needs no more judgments")


def test_a_width_that_most_of_the_pool_gives_does_not_need_all_of_it(campaign):
    """Widths fall faster than with the root of the number of labels where few documents are left."""
    truth, runs = campaign
    pilot = pw.read(fill(pw.read(None, runs).plan(budget=30, design="uniform", depth=15, seed=1), truth), runs)
    asked = {"measure": "nDCG@10", "depth": 15, "seed": 2}
    left = pilot.plan(budget=1, **asked).round.count(0) + 1
    wide = pilot.plan(budget=int(0.85 * left), forecast=True, **asked).forecast.mean()
    needed = pilot.plan(target_width=wide, **asked).needed
    assert needed.labels == pytest.approx(0.85 * left, rel=0.03)
    assert "out of reach" not in str(needed)
    assert needed.width_with <= wide


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
        scores = pw.read(fill(second, truth), campaign[1]).estimate("nDCG@10", steadied=False)
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
