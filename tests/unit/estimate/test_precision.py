"""Sums down rankings by the core against sums over documents and pairs, one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign
from tests.twins import assisted as twin

DEPTH = 2**31 - 1


@pytest.fixture(scope="module")
def campaign():
    return small_campaign(runs=7, topics=2, documents=60, depth=30, seed=5)


def ranking_of(campaign, run, topic, depth):
    listed = len(campaign.judgments.of(campaign.topics[topic]))
    found = np.asarray(campaign.core.all_documents(run, topic)).tolist()
    return [document if document < listed else -1 for document in found[:depth]]


def labels_and_chances(listed, random):
    """Known labels of some documents, probabilities of the others."""
    judged = random.random(listed) < 0.5
    return np.where(judged, random.random(listed) < 0.4, 0.0), np.where(judged, 0.0, random.random(listed))


def found_sums(campaign, topic, runs, depth, asked, **settings):
    """What the core finds where nothing but this is asked for."""
    listed = len(asked)
    nothing = {"columns": np.empty((listed, 0)), "factor": np.empty((listed, 0)), "loose": np.empty((listed, 0))}
    rest = {"place": np.full(listed, -1, np.int32), "chosen": 0, "each": False, "own": []}
    found = campaign.core.precision_sums(topic, runs, depth, asked, **(nothing | rest | settings))
    return [np.asarray(part) for part in found]


@pytest.mark.parametrize("depth", [DEPTH, 9])
@pytest.mark.parametrize("width", [0, 1, 8, 19])
def test_sums_of_slopes(campaign, depth, width):
    random, topic, runs = np.random.default_rng(1), 1, [4, 0, 6]
    listed = len(campaign.judgments.of(campaign.topics[topic]))
    known, loose = labels_and_chances(listed, random)
    asked = np.column_stack([known, loose, random.normal(size=(listed, 10))])
    columns, chosen = random.normal(size=(listed, width)), random.permutation(listed)[:11]
    place = np.full(listed, -1, np.int32)
    place[chosen] = np.arange(len(chosen))
    sums, carried, _, near_chosen, far_chosen, each, *_ = found_sums(
        campaign, topic, runs, depth, asked, columns=columns, place=place, chosen=len(chosen), each=True
    )
    for row, run in enumerate(runs):
        ranking = ranking_of(campaign, run, topic, depth)
        near, far = np.array([twin.slopes(known, loose, ranking, d) for d in range(listed)]).T
        first, second, by_near, by_far, weight, *mixed, carry_near, carry_far = asked.T[2:]
        s = by_near * near + by_far * far
        alone = sum(known[d] / k for k, d in enumerate(ranking, 1) if d >= 0)
        expected = [
            alone + twin.pair_sum(known, known, ranking) / 2,
            loose @ near,
            twin.pair_sum(loose, loose, ranking) / 2,
            *(each @ slope for each in (first, second) for slope in (near, far)),
            weight @ s**2,
            *(each @ s for each in mixed),
        ]
        np.testing.assert_allclose(sums[row], expected, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(carried[row], (carry_near * near + carry_far * far) @ columns, atol=1e-11)
        np.testing.assert_allclose(near_chosen[row], near[chosen], atol=1e-13)
        np.testing.assert_allclose(far_chosen[row], far[chosen], atol=1e-13)
        np.testing.assert_allclose(each[row], s, atol=1e-12)


@pytest.mark.parametrize("depth", [DEPTH, 9])
@pytest.mark.parametrize("variants", [1, 8, 13])
def test_variants(campaign, depth, variants):
    random, topic, runs = np.random.default_rng(2), 0, [1, 5]
    listed = len(campaign.judgments.of(campaign.topics[topic]))
    known, loose = labels_and_chances(listed, random)
    anew = random.random((listed, variants)) * (loose > 0)[:, None]
    own = random.permutation(np.flatnonzero(loose == 0))[:variants]
    asked = np.column_stack([known, loose, np.zeros((listed, 10))])
    *_, one, two, far = found_sums(campaign, topic, runs, depth, asked, loose=anew, own=own.tolist())
    for row, run in enumerate(runs):
        ranking = ranking_of(campaign, run, topic, depth)
        near = np.array([twin.slopes(known, loose, ranking, d)[0] for d in range(listed)])
        np.testing.assert_allclose(one[row], near @ anew, atol=1e-12)
        for v in range(variants):
            assert two[row, v] == pytest.approx(twin.pair_sum(anew[:, v], anew[:, v], ranking) / 2, abs=1e-12)
            assert far[row, v] == pytest.approx(twin.slopes(known, anew[:, v], ranking, own[v])[1], abs=1e-12)


@pytest.mark.parametrize("width", [1, 8, 21])
def test_joint_sums(campaign, width):
    random, topic, runs = np.random.default_rng(3), 1, [2, 3]
    listed = len(campaign.judgments.of(campaign.topics[topic]))
    known, loose = labels_and_chances(listed, random)
    factor = random.normal(size=(listed, width)) * (loose > 0)[:, None]
    asked = np.column_stack([known, loose, np.zeros((listed, 10))])
    found = found_sums(campaign, topic, runs, 12, asked, factor=factor)[2]
    for row, run in enumerate(runs):
        ranking = ranking_of(campaign, run, topic, 12)
        expected = sum(twin.pair_sum(column, column, ranking) / 2 for column in factor.T)
        assert found[row] == pytest.approx(expected, abs=1e-11)
