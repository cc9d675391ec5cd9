"""Which runs made the pool, where nobody says: those of which all that they rank down to a depth is judged."""

from __future__ import annotations

import pytest

import poolwise as pw
from poolwise.study import estimation

TOPICS = [str(number) for number in range(1, 7)]


def campaign(judged_down_to: dict[str, int]) -> pw.Campaign:
    """Runs of 130 documents of their own, of which so many are judged, every third of them relevant."""
    runs = {
        name: {topic: {f"{name}{rank}": -float(rank) for rank in range(1, 131)} for topic in TOPICS}
        for name in judged_down_to
    }
    qrels = {
        topic: {
            f"{name}{rank}": int(rank % 3 == 1)
            for name, depth in judged_down_to.items()
            for rank in range(1, depth + 1)
        }
        for topic in TOPICS
    }
    return pw.read(qrels, runs)


@pytest.mark.filterwarnings("ignore::poolwise.errors.PoolwiseWarning")
@pytest.mark.parametrize(
    ("judged", "contributing"),
    [
        ({"a": 100, "b": 101, "c": 99, "d": 120}, {"a", "b", "d"}),  # down to rank 100, the usual depth of pools
        ({"a": 5, "b": 4, "c": 6, "d": 2}, {"a", "c"}),  # to the depth that the study judges in full
        ({"a": 1, "b": 2, "c": 1, "d": 2}, {"a", "b", "c", "d"}),  # none: each may have
    ],
)
def test_runs_that_made_the_pool_are_found(judged, contributing):
    few = {"fractions": [0.5], "depths": [5], "trials": 1, "assisted": 0, "measures": ["AP"], "retrieved": 0}
    study = estimation(campaign(judged), **few)
    rows = study.tables["runs"].columns
    seen = rows.get("seen", [True] * 4)  # left out where all are
    found = {run for run, made in zip(rows["run"], seen, strict=True) if made}
    assert found == contributing
    assert any(f"{len(contributing)} of 4 runs make" in text for text in study.methods)
