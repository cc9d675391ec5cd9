"""What assessors do to a ranking, against all ways in which topics can be dealt to them."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau
from tests.kit.small_campaigns import campaign_tables, noisy_labels

import poolwise as pw

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")


@pytest.fixture(scope="module")
def tables():
    return campaign_tables(runs=6, topics=3, documents=60, depth=30, share=0.3, grades=2, skill=1.0, seed=4)


noisy = partial(noisy_labels, values=3)


@pytest.mark.slow
def test_every_way_to_deal_topics(tables) -> None:
    labels, runs = tables
    said = {"ann": noisy(labels, 1), "bob": noisy(labels, 2)}
    found = pw.assessor_effect(said, runs, measure="nDCG@10", by="first", resamples=2000)
    base = pw.read(said["ann"], runs).score("nDCG@10").means()[:, 0]
    assert found.score == pytest.approx(base)
    taus, swaps, scores = [], [], []
    for names in product(said, repeat=3):
        dealt = {topic: said[name][topic] for name, topic in zip(names, labels, strict=True)}
        means = pw.read(dealt, runs).score("nDCG@10").means()[:, 0]
        taus.append(kendalltau(base, means, variant="b").statistic)
        swaps.append(sum((base[a] - base[b]) * (means[a] - means[b]) < 0 for a in range(6) for b in range(a)))
        scores.append(means)
    assert found.tau[0] == pytest.approx(np.mean(taus), abs=4 * np.std(taus) / np.sqrt(2000))
    assert found.swaps[0] == pytest.approx(np.mean(swaps), abs=4 * np.std(swaps) / np.sqrt(2000))
    assert (found.low >= np.min(scores, axis=0) - 1e-12).all()
    assert (found.high <= np.max(scores, axis=0) + 1e-12).all()
    assert all(gap > 0 and 0 < share <= 1 for _, _, gap, share in found.pairs)
    assert sum(share for *_, share in found.pairs) == pytest.approx(found.swaps[0])


def test_assessors_of_one_mind_change_nothing(tables) -> None:
    labels, runs = tables
    found = pw.assessor_effect({"ann": labels, "bob": labels}, runs, resamples=20)
    assert found.tau == (1.0, 1.0, 1.0)
    assert found.pairs == ()
    assert found.low == pytest.approx(found.score)
    assert "tau 1.000" in found.headline()


def test_what_an_assessor_did_not_judge_keeps_the_combined_label(tables) -> None:
    labels, runs = tables
    first = next(iter(labels))
    few = {first: dict(list(labels[first].items())[:5])}
    found = pw.assessor_effect({"ann": labels, "bob": few}, runs, resamples=20)
    assert found.tau[0] == 1.0
    assert found.score == pytest.approx(pw.read(labels, runs).score("AP").means()[:, 0])


@pytest.mark.slow
def test_sampled_labels_are_estimated(tables) -> None:
    labels, runs = tables
    drawn = {t: {d: label if n % 2 else -1 for n, (d, label) in enumerate(own.items())} for t, own in labels.items()}
    other = {t: {d: min(label, 1) for d, label in own.items()} for t, own in drawn.items()}
    found = pw.assessor_effect({"ann": drawn, "bob": other}, runs, by="first", resamples=100)
    assert found.estimated
    assert found.resamples == 40
    expected = pw.read(drawn, runs).estimate("AP", steadied=False, outside="nonrelevant").means()[:, 0]
    assert found.score == pytest.approx(expected, abs=1e-9)


def test_labels_with_a_point_are_refused(tables) -> None:
    from poolwise.campaign.assessor_effect import effect_of_assessors
    from poolwise.trust.label_agreement import agreement_of
    from poolwise.trust.label_sheet import label_sheet

    _, runs = tables
    sheet = label_sheet({"a": [("1", "x", 1.5, 1)], "b": [("1", "x", 1.0, 1)]})
    with pytest.raises(pw.InputError, match="whole ones"):
        effect_of_assessors(agreement_of(sheet), [runs], measure="AP", by="first", resamples=5, seed=0)
