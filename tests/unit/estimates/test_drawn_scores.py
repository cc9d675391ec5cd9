"""Scores of drawn labels are those of judgments with these labels, document by document."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign, uniform_sample

from poolwise.estimates.drawn_labels import scores_of
from poolwise.estimates.layout import Layout, rank_features
from poolwise.estimates.model import fit_model
from poolwise.estimates.targets import target_of
from poolwise.measures.registry import parse
from poolwise.pool.judgments import Judgments

CAMPAIGN = small_campaign(runs=3, topics=3, documents=60, depth=20, grades=2, seed=5)
TOPIC = 1


@pytest.mark.parametrize("measure", ["AP", "RR@5", "Q", "bpref", "nDCG'@10", "Rprec", "AP'", "rpref_N"])
def test_values_and_differences_by_one_document(measure: str) -> None:
    layout = Layout.of(CAMPAIGN, uniform_sample(CAMPAIGN, 0.5, 1))
    target = target_of(parse("Q"), layout)  # tells all labels apart
    state = fit_model(layout, rank_features(layout), target.classes(layout), target.grades).state(TOPIC)
    target = type(target)(
        parse(measure),
        "simulated",
        target.of_label,
        target.gains,
        target.depth,
        target.discounts,
        None,
        (0.0, 1.0, 2.0),
    )
    random = np.random.default_rng(3)
    size = layout.size(TOPIC)
    labels = random.integers(0, 3, (2, 4, size)).astype(np.int32)
    documents, sets = np.array([0, 5, size - 1]), np.array([0, 1, 1], dtype=np.int32)
    found = scores_of(state, target, [0, 2], labels, documents, sets, np.ones((2, 3), dtype=np.int32))

    def score(drawn: np.ndarray) -> np.ndarray:
        given = CAMPAIGN.judgments.labels.copy()
        given[CAMPAIGN.judgments.offsets[TOPIC] : CAMPAIGN.judgments.offsets[TOPIC + 1]] = drawn
        return CAMPAIGN.score(measure, judgments=Judgments(CAMPAIGN, given, top=2)).array(measure)[[0, 2], TOPIC]

    assert found.values == pytest.approx(np.stack([score(drawn) for drawn in labels[0]], axis=1))
    for number, (document, part) in enumerate(zip(documents, sets, strict=True)):
        for grade in range(3):
            changed = labels[part].copy()
            changed[:, document] = grade
            assert found.means[:, number, grade] == pytest.approx(np.mean([score(drawn) for drawn in changed], axis=0))
