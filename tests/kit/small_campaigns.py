"""Small campaigns with known complete judgments, for tests that sample from them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poolwise.campaign.campaign import Campaign, read
from poolwise.pool.judgments import POOLED, Judgments


def small_campaign(
    runs: int = 12,
    topics: int = 8,
    documents: int = 120,
    depth: int = 40,
    share: float = 0.15,
    grades: int = 1,
    skill: float = 1.0,
    seed: int = 0,
) -> Campaign:
    """Runs score documents by relevance times skill, a taste they share, and noise of their own."""
    return read(*campaign_tables(runs, topics, documents, depth, share, grades, skill, seed))


def campaign_tables(
    runs: int, topics: int, documents: int, depth: int, share: float, grades: int, skill: float, seed: int
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments of all pooled documents, and runs, as dicts."""
    random = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, dict[str, float]]] = {f"run{r}": {} for r in range(runs)}
    quality = random.uniform(0.5, 1.5, runs) * skill
    for t in range(topics):
        relevant = random.random(documents) < share * random.uniform(0.3, 1.7)
        label = relevant * random.integers(1, grades + 1, documents)
        taste = random.normal(size=documents)
        pooled: set[int] = set()
        for r in range(runs):
            score = quality[r] * label + 0.5 * taste + random.normal(size=documents)
            best = np.argsort(-score)[:depth]
            pooled.update(best[: depth // 2].tolist())
            lists[f"run{r}"][f"t{t}"] = {f"d{d:03d}": float(score[d]) for d in best}
        qrels[f"t{t}"] = {f"d{d:03d}": int(label[d]) for d in sorted(pooled)}
    return qrels, lists


def noisy_labels(
    labels: dict[str, dict[str, int]], seed: int, values: int, share: float = 0.3
) -> dict[str, dict[str, int]]:
    """What an assessor says who, on a share of the documents, says any of so many labels."""
    chance = np.random.default_rng(seed)
    return {
        topic: {d: int(chance.integers(0, values)) if chance.random() < share else label for d, label in own.items()}
        for topic, own in labels.items()
    }


def uniform_sample(campaign: Campaign, fraction: float, seed: int, strata: object = None) -> Judgments:
    """Hide all but a share of each topic's labels; in strata other than 0 three times that share is kept."""
    random = np.random.default_rng(seed)
    full = campaign.judgments
    labels, offsets = full.labels.copy(), full.offsets
    stratum = np.zeros(len(labels), dtype=int) if strata is None else np.asarray(strata)
    for begin, end in pairwise(offsets):
        for value in np.unique(stratum[begin:end]):
            places = np.flatnonzero(stratum[begin:end] == value) + begin
            rate = fraction if value == 0 else min(1.0, 3 * fraction)
            judged = max(1, round(rate * len(places)))
            labels[random.permutation(places)[judged:]] = POOLED
    return Judgments(campaign, labels, strata=None if strata is None else stratum, top=full.top)
