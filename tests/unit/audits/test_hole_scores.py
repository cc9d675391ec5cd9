"""Labels drawn for holes, and the scores they make."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kit.small_campaigns import small_campaign

import poolwise as pw
from poolwise.audits.hole_model import Offset
from poolwise.audits.hole_scores import HoleDraws, list_holes

CERTAIN = Offset(1.0, 1e-9, 3.0, 1e-9, "test")


@pytest.fixture(scope="module")
def drawn():
    pool = small_campaign(runs=4, topics=6, grades=2, share=0.3)
    thin = pool.judgments.sample("depth", depth=4, contributing=pool.runs[:2])
    return HoleDraws(list_holes(thin, 20), CERTAIN, 400, 1)


def test_labels_come_as_often_as_their_chances_say(drawn):
    labels = np.array(list(drawn.labels()))
    chances = drawn.chances.expected(np.full(4, 1.0))
    for place, grade in enumerate((1, 2)):
        share = (labels >= grade).mean(axis=0)
        spread = np.sqrt(chances[place] * (1 - chances[place]) / len(labels))
        assert (np.abs(share - chances[place]) < 5 * spread + 1e-9).all()


def test_precision_by_the_model_is_the_expected_one(drawn):
    """P@20 is linear in labels, so its mean over draws is the sum of judged ones and chances."""
    sample = drawn.scores(pw.parse("P@20"), 1)
    chances = drawn.expected()
    listed = drawn.listed
    worth = np.zeros(len(listed.judgments.labels))
    worth[listed.holes] = chances
    known = np.maximum(listed.judgments.labels, 0) > 0
    inside = listed.label_indices >= 0
    expected = ((worth + known)[listed.label_indices] * inside).sum(axis=(1, 2)) / (20 * 6)
    assert sample.mean(axis=0) == pytest.approx(expected.tolist(), abs=0.006)


def test_a_run_is_scored_by_its_own_holes_alone(drawn):
    """AP counts all relevant documents; those of other runs' holes must not lower it."""
    pool = small_campaign(runs=4, topics=6, grades=2, share=0.3)
    whole = [pool.runs[0]]
    thin = pool.judgments.sample("depth", depth=10, contributing=whole)
    listed = list_holes(thin, 10)
    sample = HoleDraws(listed, CERTAIN, 20, 1).scores(pw.parse("AP"), 1)
    assert listed.is_hole[0].sum() == 0
    assert (sample[:, 0] == sample[0, 0]).all()
    assert sample[0, 0] == pytest.approx(pool.score("AP", judgments=thin).means()[0, 0])
    assert sample[:, 1].std() > 0


def test_the_same_seed_draws_the_same(drawn):
    again = HoleDraws(drawn.listed, CERTAIN, 400, 1)
    assert all((one == other).all() for one, other in zip(drawn.labels(), again.labels(), strict=True))


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@10", "bpref", "RR", "Q", "RBP(p=0.8)", "ERR@10"])
def test_scores_are_those_of_the_whole_pool(drawn, measure):
    """Runs are scored in small pools of their own; bpref, which counts documents judged 0, must not be."""
    few = HoleDraws(drawn.listed, CERTAIN, 4, 2)
    found = few.scores(pw.parse(measure), 1)
    run_of, hole_of = few.chances.occurrences
    listed = few.listed
    for draw, labels in enumerate(few.labels()):
        for run in range(4):
            own = hole_of[run_of == run]
            filled = listed.with_labels(listed.holes[own], labels[own])
            tables = {
                topic: dict(zip(listed.pool.documents(topic), part.tolist(), strict=False))
                for topic, part in zip(
                    listed.pool.topics, np.split(filled.labels, listed.judgments.offsets[1:-1]), strict=True
                )
            }
            known = {t: {d: label for d, label in row.items() if label >= 0} for t, row in tables.items()}
            name = listed.pool.runs[run]
            lists = {
                topic: {
                    listed.pool.documents(topic)[d]: -float(rank)
                    for rank, d in enumerate(np.asarray(listed.pool.all_documents(run, number)).tolist())
                }
                for number, topic in enumerate(listed.pool.topics)
            }
            expected = pw.read(known, {name: lists}).score(measure).means()[0, 0]
            assert found[draw, run] == pytest.approx(expected, abs=1e-12), (draw, name)
