"""Many samples of labels are scored together, 32 at a time: bit by bit what each of them scores alone."""

from __future__ import annotations

import numpy as np
import pytest

import poolwise as pw
from poolwise.pool.judgments import OUTSIDE, POOLED

pytestmark = pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")

MEASURES = ("AP", "nDCG@10", "nDCG'", "bpref", "Q'", "P(rel=2)@5", "RR", "infAP", "xinfAP", "NumRet", "RBP")


@pytest.fixture(scope="module")
def pool() -> pw.Campaign:
    """Seven runs, of which one lacks topics; lists end within a block of 32 documents."""
    runs = {f"r{number}": number for number in range(7)}
    generator = np.random.default_rng(3)
    qrels = {str(t): {f"d{d}": int(generator.integers(-1, 4)) for d in range(90 + t)} for t in range(6)}
    ranked = {
        run: {
            str(t): {f"d{d}": float(generator.random()) for d in generator.permutation(140)[: 20 * number + t]}
            for t in range(number % 3, 6)
        }
        for run, number in runs.items()
    }
    return pw.read(qrels, ranked)


def samples_of(pool: pw.Campaign, count: int) -> list[pw.Judgments]:
    """All kinds: few labels, all labels, none, documents outside the pool, strata."""
    whole = pool.judgments
    kinds = [
        whole,
        *(whole.sample("uniform", fraction=share, seed=seed) for seed in range(12) for share in (0.05, 0.3, 0.8)),
        *(whole.sample("stratified", depth=20, bands=2, rates=(0.9, 0.3, 0.1), seed=seed) for seed in range(2)),
        *(whole.sample("depth", depth=depth) for depth in (1, 3, 10)),
    ]
    return (kinds * 3)[:count]


@pytest.mark.parametrize("count", [5, 6, 31, 32, 33, 70])
def test_together_as_alone(pool: pw.Campaign, count: int) -> None:
    samples = samples_of(pool, count)
    together = pool.score(*MEASURES, judgments=samples, threads=1)
    for measure in together.measures:
        alone = np.stack([pool.score(measure, judgments=each, threads=1).array(measure) for each in samples])
        assert np.array_equal(together.array(measure), alone, equal_nan=True), measure


def test_any_number_of_threads(pool: pw.Campaign) -> None:
    samples = samples_of(pool, 70)
    one, many = (pool.score(*MEASURES, judgments=samples, threads=threads) for threads in (1, 7))
    for measure in one.measures:
        assert np.array_equal(one.array(measure), many.array(measure), equal_nan=True)


def test_more_lists_than_one_portion() -> None:
    """30 lists of 10,000 documents are more than are laid out at a time."""
    depth = 10_000
    scores = dict(zip((f"d{number}" for number in range(depth)), np.arange(depth, 0.0, -1).tolist(), strict=True))
    pool = pw.read(
        {"1": {name: place % 2 for place, name in enumerate(scores)}}, {str(r): {"1": scores} for r in range(30)}
    )
    samples = [pool.judgments.sample("uniform", fraction=0.3, seed=seed) for seed in range(7)]
    together = pool.score("AP", judgments=samples, threads=1).array("AP")
    alone = [pool.score("AP", judgments=each, threads=1).array("AP") for each in samples]
    assert np.array_equal(together, np.stack(alone))
    assert len({tuple(row) for row in together[:, :, 0].T}) == 1  # equal runs score alike


@pytest.mark.parametrize("kinds", [(0, 1, 2), (-7, -1, 0, 3), (0, 1, 5000, 2_000_000_000)])
@pytest.mark.parametrize("count", [1, 8])
def test_classes_of_any_labels_are_counted(kinds: tuple[int, ...], count: int) -> None:
    """Labels near each other are looked up in a table, others by search; topics of every size beside a step of four."""
    generator = np.random.default_rng(len(kinds))
    qrels = {str(size): {f"d{d}": int(generator.choice(kinds)) for d in range(size)} for size in range(1, 10)}
    ranked = {"r": {topic: {name: -place for place, name in enumerate(labels)} for topic, labels in qrels.items()}}
    pool = pw.read(qrels, ranked, unjudged=None)
    labels = pool.judgments.labels
    states = [np.where(generator.random(len(labels)) < 0.5, labels, generator.choice([POOLED, OUTSIDE], len(labels)))
              for _ in range(count)]  # fmt: skip
    samples = [pw.Judgments(pool, state.astype(np.int32)) for state in states]
    found = pool.score("NumRel", "NumRet", "Judged@9", judgments=samples, threads=1)
    for state, relevant, judged in zip(states, found.array("NumRel"), found.array("Judged@9"), strict=True):
        by_topic = np.split(state, np.cumsum([len(of) for of in qrels.values()])[:-1])
        assert relevant[0].tolist() == [int((of >= 1).sum()) for of in by_topic]
        is_judged = [~np.isin(of, [POOLED, OUTSIDE]) for of in by_topic]
        assert judged[0] == pytest.approx([of.mean() for of in is_judged], abs=1e-12)
