"""Random labels and runs as the twins of designs take them, and what is drawn from them in the same form."""

from __future__ import annotations

import random

from tests.twins import designs as twin

import poolwise
from poolwise.pool.judgments import OUTSIDE, POOLED
from poolwise.pool.pool import listed_documents

TOPICS = ("401", "9", "web-é")


def random_campaign(
    seed: int, documents: int = 60, pooled: float = 0.1, runs: int = 4
) -> tuple[twin.Labels, twin.Runs]:
    """Random labels, some of them missing, and random runs that share their taste."""
    rng = random.Random(seed)
    labels: twin.Labels = {}
    ranked: twin.Runs = {f"run{number}": {} for number in range(runs)}
    for topic in TOPICS:
        names = [f"d{rng.randrange(10**6)}-{number}" for number in range(documents + rng.randrange(20))]
        taste = {name: rng.gauss(0, 1) for name in names}
        labels[topic] = {
            name: None if rng.random() < pooled else rng.choice([-2, 0, 0, 0, 1, 2]) for name in names[:-5]
        }
        for run in ranked:
            chosen = sorted(names, key=lambda name: taste[name] + rng.gauss(0, 1), reverse=True)
            ranked[run][topic] = chosen[: rng.randrange(10, documents)]
    del ranked["run3"]["9"]
    return labels, ranked


def read_campaign(labels: twin.Labels, runs: twin.Runs) -> poolwise.Campaign:
    """The same as a pool; a label that is missing means pooled, not judged."""
    qrels = {t: {d: -1 if y is None else y for d, y in own.items()} for t, own in labels.items()}
    scored = {
        name: {t: {d: -float(place) for place, d in enumerate(ranking)} for t, ranking in own.items()}
        for name, own in runs.items()
    }
    return poolwise.read(qrels, scored)


def as_dicts(judgments: poolwise.Judgments) -> twin.Labels:
    """Labels by topic and document, None where there is none; documents outside the pool are left out."""
    pool, offsets, labels = judgments.pool, judgments.offsets, judgments.labels
    found: twin.Labels = {}
    for number, topic in enumerate(pool.topics):
        own = labels[offsets[number] : offsets[number + 1]].tolist()
        names = listed_documents(pool, topic)
        found[topic] = {
            names[at]: None if label == POOLED else label for at, label in enumerate(own) if label != OUTSIDE
        }
    return found


def strata_of(judgments: poolwise.Judgments) -> dict[str, dict[str, int]]:
    """Strata by topic and document."""
    pool, offsets = judgments.pool, judgments.offsets
    return {
        topic: dict(
            zip(listed_documents(pool, topic), judgments.strata[offsets[n] : offsets[n + 1]].tolist(), strict=False)
        )
        for n, topic in enumerate(pool.topics)
    }
