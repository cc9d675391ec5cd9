"""Estimates do not depend on the order of runs, topics or lines, nor on the number of threads."""

from __future__ import annotations

import random

import numpy as np
from tests.kit.small_campaigns import campaign_tables

from poolwise.campaign.campaign import Campaign, read

MEASURES = ["AP", "nDCG@10", "P@5", "R@20"]


def sampled(order: int) -> Campaign:
    """The same sample and runs, written in another order."""
    qrels, lists = campaign_tables(12, 6, 100, 40, 0.2, 2, 1.0, 21)
    hidden = np.random.default_rng(5)
    rows = [
        (topic, document, label if hidden.random() < 0.4 else -1)
        for topic, labels in qrels.items()
        for document, label in labels.items()
    ]
    shuffle = random.Random(order)
    names = list(lists)
    if order:
        shuffle.shuffle(rows)
        shuffle.shuffle(names)
    runs = {name: dict(shuffle.sample(list(lists[name].items()), len(lists[name]))) for name in names}
    table: dict[str, dict[str, int]] = {}
    for topic, document, label in rows:
        table.setdefault(topic, {})[document] = label
    return read(table, runs)


def test_order_does_not_matter() -> None:
    plain, other = (sampled(order) for order in (0, 1))
    assert plain.runs != other.runs
    one = plain.estimate(MEASURES)
    two = other.estimate(MEASURES)
    places = [other.runs.index(run) for run in plain.runs]
    for name in ("means", "mean_low", "mean_high"):
        assert np.abs(getattr(one, name)() - getattr(two, name)()[places]).max() < 1e-8, name
    for name in ("steadied", "steadied_low", "steadied_high", "standard_error"):
        assert np.abs(getattr(one, name) - getattr(two, name)[places]).max() < 1e-8, name


def test_threads_do_not_matter() -> None:
    campaign = sampled(0)
    one, two = (campaign.estimate(MEASURES, threads=threads) for threads in (1, 3))
    assert (one.means() == two.means()).all()
    assert (one.mean_high() == two.mean_high()).all()
    assert one.steadied is not None
    assert (one.steadied == two.steadied).all()


def test_runs_that_are_not_reported_still_feed_the_model() -> None:
    campaign = sampled(0)
    whole = campaign.estimate(MEASURES)
    part = campaign.estimate(MEASURES, runs=["run3", "run1"])
    assert part.runs == ["run3", "run1"]
    assert np.abs(part.means() - whole.means()[[3, 1]]).max() < 1e-12
    assert part.steadied is None
