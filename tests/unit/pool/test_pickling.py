"""Pools go to workers and back: nothing is lost on the way."""

from __future__ import annotations

import pickle

import pytest

import poolwise as pw
from poolwise.basics.extras import frame
from poolwise.lab.simulate.drawing import simulate

MEASURES = ("AP", "nDCG@10", "bpref", "infAP", "nDCG'", "NumRel", "Judged@10")


@pytest.fixture(scope="module")
def simulated():
    return simulate(runs=6, topics=8, depth=60, seed=3)


def contents(pool):
    """Everything a pool holds, as plain values."""
    judgments = pool.judgments
    arrays = (pool.best_ranks(), judgments.labels, judgments.offsets, judgments.strata, judgments.rounds)
    return {
        "names": (pool.runs, pool.topics, pool.warnings),
        "counts": pool.core.run_counts(),
        "labels": (pool.core.distinct_labels, pool.core.label_lines, judgments.top, judgments.design),
        "documents": {topic: pool.documents(topic) for topic in pool.topics},
        "arrays": [None if array is None else array.tolist() for array in arrays],
    }


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize("documents", ["all", "judged"])
def test_a_pool_survives(simulated, documents, tmp_path):
    simulated.write(tmp_path)
    pool = pw.read(tmp_path / "qrels.txt", tmp_path / "runs", documents=documents)
    copy = pickle.loads(pickle.dumps(pool))
    assert contents(copy) == contents(pool)
    assert copy.core.memory > 0
    assert copy.judgments.pool is copy
    assert copy.score(*MEASURES).to_csv(per_topic=True) == pool.score(*MEASURES).to_csv(per_topic=True)
    assert copy.ranking(pool.runs[2], pool.topics[3]) == pool.ranking(pool.runs[2], pool.topics[3])
    sample = pool.judgments.sample("uniform", fraction=0.3, seed=4)
    assert copy.judgments.sample("uniform", fraction=0.3, seed=4).to_text() == sample.to_text()
    assert pickle.loads(pickle.dumps(sample)).to_text() == sample.to_text()
    assert pickle.dumps(copy.core) == pickle.dumps(pool.core)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
def test_strata_and_rounds_survive():
    rows = [("1", "a", 1), ("1", "b", 0), ("2", "c", -1)]
    table = frame(
        {
            "topic": [row[0] for row in rows],
            "document": [row[1] for row in rows],
            "label": [row[2] for row in rows],
            "stratum": [1, 2, 1],
            "round": [1, 1, 2],
        }
    )
    pool = pw.read(table, {"mine": {"1": {"b": 2.0, "a": 1.0}, "3": {"a": 1.0}}})
    assert pool.judgments.strata.tolist() == [1, 2, 1]
    assert contents(pickle.loads(pickle.dumps(pool))) == contents(pool)


def test_runs_without_judgments_survive():
    pool = pw.read(None, {"mine": {"1": {"b": 2.0, "a": 1.0}}, "other": {"2": {"c": 1.0}}})
    assert contents(pickle.loads(pickle.dumps(pool))) == contents(pool)


def test_cut_bytes_are_refused():
    kind, state = pw.read({"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}).core.__getstate__()
    fresh = pw._core.Pool.__new__(pw._core.Pool)
    with pytest.raises(ValueError, match="damaged, or of another version"):
        fresh.__setstate__((kind, state[:-3]))
