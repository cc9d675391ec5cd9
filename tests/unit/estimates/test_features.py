"""The model's columns against a literal reading of the definition, document by document."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import rankdata
from tests.kit.small_campaigns import small_campaign

from poolwise.estimates.layout import COMPONENTS, Layout, rank_features

CAMPAIGN = small_campaign(seed=21, topics=3, runs=7)
LAYOUT = Layout.of(CAMPAIGN, CAMPAIGN.judgments)


def ranks(topic: int, document: int) -> list[int | None]:
    """The document's rank in each run, from 1."""
    found: list[int | None] = []
    for run in range(len(CAMPAIGN.runs)):
        listed = np.asarray(CAMPAIGN.all_documents(run, topic)).tolist()
        found.append(listed.index(document) + 1 if document in listed else None)
    return found


def closeness(rank: int | None) -> float:
    return 0.0 if rank is None else 1.0 - math.log(rank) / math.log(1001.0)


def standardised(columns: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
    return (columns - columns.mean(axis=0)) / columns.std(axis=0)


ALL = [[ranks(topic, int(d)) for d in LAYOUT.listed[LAYOUT.part(topic)]] for topic in range(3)]


def test_columns_made_by_hand() -> None:
    rows = []
    for topic in ALL:
        mean = [sum(closeness(rank) for rank in document) / 7 for document in topic]
        reciprocal = [math.log(1e-4 + sum(1 / (r + 10) for r in document if r) / 7) for document in topic]
        places = [rankdata(np.round([-value for value in column], 12)) for column in (mean, reciprocal)]
        for number, document in enumerate(topic):
            found = [rank for rank in document if rank]
            shares = [math.log(0.5 / 7 + sum(rank <= depth for rank in found) / 7) for depth in (10, 30, 100)]
            best = math.log(min(found, default=3000))
            after = [math.log(5 + column[number]) for column in places]
            rows.append([mean[number], reciprocal[number], len(found) / 7, best, *shares, *after])
    first = standardised(np.array(rows))
    high = np.maximum(first[:, 0] - 1, 0) ** 2
    more = [first[:, 0] ** 2, first[:, 1] ** 2, high, first[:, 1] * first[:, 3], first[:, 0] * first[:, 7]]
    expected = standardised(np.column_stack([first, *more]))
    features = rank_features(LAYOUT)
    assert features.handmade == 14
    assert features.shared[:, 0].tolist() == [1.0] * len(expected)
    assert features.shared[:, 1:15] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("threads", [1, 3])
def test_principal_components(threads: int) -> None:
    matrix = np.array([[closeness(rank) for rank in document] for topic in ALL for document in topic])
    centred = matrix - matrix.mean(axis=0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    expected = left * size / (left[:, 0] * size[0]).std()
    features = rank_features(LAYOUT, threads=threads)
    found = features.shared[:, 15:]
    assert found.shape[1] == min(7, COMPONENTS)
    signs = np.sign((found * expected).sum(axis=0))
    assert found == pytest.approx(expected * signs, abs=1e-8)
    assert features.topic.tolist() == features.shared[:, [0, 1, *range(16, 22)]].tolist()


@pytest.mark.parametrize("columns", [1, 7, 8, 9, 16, 17, 24, 40])
def test_components_are_sums_over_runs(columns: int) -> None:
    campaign = small_campaign(runs=9, topics=2, seed=4)
    table, axes = np.linspace(1.0, 0.1, 25), np.random.default_rng(1).normal(size=(9, columns))
    found = np.asarray(campaign.core.rank_components(1, table, axes))
    closeness = np.asarray(campaign.core.rank_weights(1, list(range(9)), table))
    np.testing.assert_allclose(found, closeness.T @ axes, atol=1e-13)


@pytest.mark.parametrize("few", [0, 1, 3, 9])
def test_moments_are_sums_over_documents(few: int) -> None:
    campaign = small_campaign(runs=9, topics=2, seed=4)
    table, documents = np.linspace(1.0, 0.1, 25), np.array([0, 3, 4, 11])
    found = (np.asarray(part) for part in campaign.core.rank_moments(1, table, documents, few))
    sums, squares, many = found
    closeness = np.asarray(campaign.core.rank_weights(1, list(range(9)), table))[:, documents]
    np.testing.assert_allclose(sums, closeness.sum(axis=1), atol=1e-13)
    np.testing.assert_allclose(squares + many.T @ many, closeness @ closeness.T, atol=1e-13)
    assert len(many) == ((closeness > 0).sum(axis=0) > few).sum()
    assert closeness.any()
