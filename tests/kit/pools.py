"""Pools of labels alone, for tests of what only sees labels by rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tests.twins import reliability as twin

UNJUDGED = -(2**31)


@dataclass(frozen=True)
class LabelPool:
    """Labels by rank (runs x topics x ranks), the labels there are, and how many of each a topic has."""

    at_rank: np.ndarray
    labels: np.ndarray
    counts: np.ndarray

    def label_matrix(self, cutoff: int) -> np.ndarray:
        """Labels of the first ranks."""
        return self.at_rank[:, :, :cutoff]

    def label_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and counts."""
        return self.labels, self.counts

    def take(self, runs: list[int] | slice = slice(None), topics: list[int] | slice = slice(None)) -> LabelPool:
        """Some runs and topics, in the order given."""
        return LabelPool(self.at_rank[runs][:, topics], self.labels, self.counts[topics])

    def scores(self, discounts: np.ndarray, gains: dict[int, float], negative: str = "zero") -> list[list[float]]:
        """nDCG by the literal twin, runs x topics."""
        judged = [np.repeat(self.labels, numbers).tolist() for numbers in self.counts]
        cut = self.at_rank[:, :, : len(discounts)]
        rows = [[[None if x == UNJUDGED else int(x) for x in row] for row in run] for run in cut]
        return [
            [twin.ndcg(row, judged[q], list(discounts), gains, negative) for q, row in enumerate(run)] for run in rows
        ]

    def phi(self, discounts: np.ndarray, gains: dict[int, float], negative: str = "zero") -> float:
        """Phi of one topic by the literal twins."""
        return twin.phi(self.scores(discounts, gains, negative), 1)


def random_pool(
    seed: int, runs: int = 10, topics: int = 12, depth: int = 12, labels: tuple[int, ...] = (0, 1, 2)
) -> LabelPool:
    """Runs of rising quality order each topic's documents by label and noise; some ranks are not judged."""
    generator = np.random.default_rng(seed)
    values = np.array(labels)
    counts = generator.integers(1, depth, size=(topics, len(labels)))
    counts[:, values > 1] = generator.integers(1, 1 + depth // 3, size=(topics, int(np.sum(values > 1))))
    ease = generator.uniform(0.2, 2.0, size=topics)
    quality = np.linspace(0.2, 2.0, runs)
    at_rank = np.full((runs, topics, depth), UNJUDGED, dtype=np.int32)
    for run in range(runs):
        for topic in range(topics):
            documents = np.repeat(values, counts[topic])
            order = np.argsort(generator.normal(size=len(documents)) - ease[topic] * quality[run] * documents)
            row = documents[order][:depth]
            at_rank[run, topic, : len(row)] = np.where(generator.random(len(row)) < 0.15, UNJUDGED, row)
    return LabelPool(at_rank, values, counts)
