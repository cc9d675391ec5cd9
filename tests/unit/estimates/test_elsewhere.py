"""Documents that only other runs retrieve: rates from the pool, and ends against all choices of documents."""

from __future__ import annotations

from itertools import product
from math import log2
from typing import Any

import numpy as np
import pytest

from poolwise.campaign.campaign import Campaign, read
from poolwise.errors import PoolwiseWarning
from poolwise.estimates.layout import Layout, rank_features
from poolwise.estimates.model import fit_model
from poolwise.estimates.targets import target_of
from poolwise.estimates.unpooled import CAUTION, MANY, PRIOR, OtherRunsDocuments
from poolwise.measures.registry import parse

DEPTH = 5


def random_case(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """One topic: three runs that are judged down to DEPTH, and two that are not, of fourteen documents each."""
    random = np.random.default_rng(seed)
    documents = [f"d{number:02d}" for number in range(24)]
    order = {run: random.permutation(documents)[:14].tolist() for run in "abcde"}
    judged = sorted({d for run in "abc" for d in order[run][:DEPTH]})
    labels = {d: int(random.integers(0, 2)) for d in judged}
    labels[judged[0]] = 1
    return {"1": labels}, {run: {"1": {d: -float(n) for n, d in enumerate(one)}} for run, one in order.items()}


def rates_of(labels: dict[str, int], order: dict[str, list[str]], depth: int) -> dict[str, float]:
    """The rate of every document outside that some run has within the depth, word for word."""
    retrieving = {d: sum(d in one[:depth] for one in order.values()) for one in order.values() for d in one}
    pooled = [d for d in labels if retrieving.get(d, 0)]
    overall = sum(labels[d] for d in pooled) / len(pooled)
    rates = {}
    for document, number in retrieving.items():
        if document in labels or not number:
            continue
        alike = [d for d in pooled if min(retrieving[d], MANY) == min(number, MANY)]
        rate = (sum(labels[d] for d in alike) + PRIOR * overall) / (len(alike) + PRIOR)
        rates[document] = min(CAUTION * rate, 1.0)
    return rates


def ap_with(chances: dict[str, float], order: list[str], few: dict[str, float]) -> tuple[float, float]:
    """S and R where few documents more, each on its own, are relevant with small weights."""
    total = sum(
        chances.get(d, 0) * (1 + sum(chances.get(e, 0) for e in order[:n])) / (n + 1) for n, d in enumerate(order)
    )
    for d, weight in few.items():
        if d in order:
            n = order.index(d)
            above = 1 + sum(chances.get(e, 0) for e in order[:n])
            below = sum(chances.get(e, 0) / (m + 1) for m, e in enumerate(order) if m > n)
            total += weight * (above / (n + 1) + below)
    return total, sum(chances.values()) + sum(few.values())


def dcg_with(chances: dict[str, float], order: list[str], few: dict[str, float]) -> tuple[float, float]:
    """DCG, and the number of documents worth something."""
    gain = {**chances, **few}
    return sum(gain.get(d, 0) / log2(n + 2) for n, d in enumerate(order)), sum(gain.values())


def mean_ideal(certain: float, mean: float, points: tuple[float, ...]) -> float:
    """The ideal DCG with so many certain documents and a Poisson number more, by straight lines between points."""

    def exact(x: float) -> float:
        chance, number, total = np.exp(-x), 0, 0.0
        while number < 60:
            total += chance * sum(1 / log2(n + 2) for n in range(int(certain) + number))
            number += 1
            chance *= x / number
        return float(total)

    return float(np.interp(mean, points, [exact(x) for x in points]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_ends_are_the_extremes_over_all_choices(seed: int) -> None:
    qrels, runs = random_case(seed)
    order = {run: sorted(one["1"], key=lambda d: -one["1"][d]) for run, one in runs.items()}
    campaign = read(qrels, runs)
    labels = {d: float(label) for d, label in qrels["1"].items()}
    rates = rates_of(qrels["1"], order, DEPTH)
    assert len(rates) > 2
    elsewhere = topic_of(campaign, "AP")
    names = campaign.judgments.pool.documents("1")
    assert dict(zip(names, elsewhere.rates[0].tolist(), strict=True)) == pytest.approx(
        {name: rates.get(name, 0.0) for name in names}
    )
    first, second = [0, 1, 2, 3, 0, 3], [-1, -1, -1, -1, 3, 4]
    for measure, value in (("AP", ap_with), ("nDCG", dcg_with)):
        elsewhere = topic_of(campaign, measure)
        fall, rise = elsewhere.reach(first, second, known(campaign, measure, elsewhere), 0)
        points = tuple(sum(rates.values()) * k / 32 for k in range(33))
        for case, (a, b) in enumerate(zip(first, second, strict=True)):
            own = {d for run in (a, b) if run >= 0 for d in order["abcde"[run]][:DEPTH]}
            others = [d for d in rates if d not in own]
            values = []
            for chosen in product((0, 1), repeat=len(others)):
                few = {d: rates[d] for d, taken in zip(others, chosen, strict=True) if taken}
                top, number = value(labels, order["abcde"[a]], few)
                if b >= 0:
                    top -= value(labels, order["abcde"[b]], few)[0]
                certain = sum(labels.values())
                below = max(number, 1) if measure == "AP" else mean_ideal(certain, number - certain, points)
                values.append(top / below)
            assert fall[case] == pytest.approx(values[0] - min(values), abs=2e-3 if measure == "nDCG" else 1e-12)
            assert rise[case] == pytest.approx(max(values) - values[0], abs=2e-3 if measure == "nDCG" else 1e-12)


def topic_of(campaign: Campaign, measure: str) -> OtherRunsDocuments:
    layout = Layout.of(campaign, campaign.judgments)
    target = target_of(parse(measure), layout)
    model = fit_model(layout, rank_features(layout, None, 1), target.classes(layout), target.grades, {})
    assert target.ideal is not None
    return OtherRunsDocuments(campaign.judgments, model.state(0), target, target.ideal, DEPTH, DEPTH)


def known(campaign: Campaign, measure: str, elsewhere: OtherRunsDocuments) -> dict[str, Any]:
    from poolwise.estimates.unpooled import _gain_known, _precision_known

    return (_precision_known if measure == "AP" else _gain_known)(elsewhere.state, elsewhere.target)


def test_scores_reach_as_far_as_both_kinds_of_documents_go() -> None:
    qrels, runs = random_case(3)
    campaign = read(qrels, runs)
    assert campaign.judgments.count() == len(qrels["1"])
    with pytest.warns(PoolwiseWarning, match="outside the pool"):
        found = campaign.estimate(f"nDCG@{DEPTH}")
    with pytest.warns(PoolwiseWarning, match="outside the pool"):
        alone = read(qrels, {"d": runs["d"]}).estimate(f"nDCG@{DEPTH}")
    d = campaign.runs.index("d")
    assert found.mean_high()[d, 0] == pytest.approx(alone.mean_high()[0, 0])
    assert found.mean_low()[d, 0] <= alone.mean_low()[0, 0] + 1e-12
    assert (found.mean_low()[:3, 0] < found.means()[:3, 0]).any()


def test_the_core_refuses_what_does_not_fit() -> None:
    campaign = read(*random_case(1))
    core, buffer = campaign.core, campaign.judgments.buffer
    with pytest.raises(IndexError, match="no such topic"):
        core.retrieving_runs(7, 5)
    listed = len(campaign.judgments.labels)
    with pytest.raises(ValueError, match="one rate for each step and document"):
        core.precision_range_of_others(0, buffer, [0], [-1], 5, 5, np.zeros(listed), 1.0, np.zeros((1, 2)))
