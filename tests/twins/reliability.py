"""Slow literal twins of section 4 and of nDCG on rows of labels, written with loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def components(scores: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """Variance of systems, topics and interaction; negative estimates become 0."""
    n_s, n_q = len(scores), len(scores[0])
    row = [sum(scores[s]) / n_q for s in range(n_s)]
    column = [sum(scores[s][q] for s in range(n_s)) / n_s for q in range(n_q)]
    grand = sum(row) / n_s
    ms_s = n_q * sum((row[s] - grand) ** 2 for s in range(n_s)) / (n_s - 1)
    ms_q = n_s * sum((column[q] - grand) ** 2 for q in range(n_q)) / (n_q - 1)
    residual = 0.0
    for s in range(n_s):
        for q in range(n_q):
            residual += (scores[s][q] - row[s] - column[q] + grand) ** 2
    ms_sq = residual / ((n_s - 1) * (n_q - 1))
    return max(0.0, (ms_s - ms_sq) / n_q), max(0.0, (ms_q - ms_sq) / n_s), ms_sq


def phi(scores: Sequence[Sequence[float]], topics: float) -> float:
    """System variance over itself and what topics and interaction leave of n topics."""
    system, topic, interaction = components(scores)
    return system / (system + (topic + interaction) / topics)


def rho2(scores: Sequence[Sequence[float]], topics: float) -> float:
    """The same without the topic variance."""
    system, _, interaction = components(scores)
    return system / (system + interaction / topics)


def ndcg(
    row: Sequence[int | None],
    judged: Sequence[int],
    discounts: Sequence[float],
    gains: Mapping[int, float],
    negative: str = "zero",
) -> float:
    """nDCG of one ranking: labels by rank (None: not judged), and the labels of all judged documents."""

    def worth(label: int | None) -> float:
        value = 0.0 if label is None else gains.get(label, 0.0)
        return max(0.0, value) if negative == "zero" else value

    def add_up(values: Sequence[float]) -> float:
        return sum(value * discount for value, discount in zip(values, discounts, strict=False))

    score = add_up([worth(label) for label in row])
    best = add_up(sorted([worth(label) for label in judged if worth(label) > 0], reverse=True))
    worst = add_up(sorted([worth(label) for label in judged if worth(label) < 0]))
    if negative == "minmax":
        return (score - worst) / (best - worst) if best > worst else 0.0
    return score / best if best > 0 else 0.0
