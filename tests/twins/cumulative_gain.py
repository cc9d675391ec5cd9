"""Slow literal twins of measures of gains beside nDCG, and of those of trec_eval between AP and nDCG."""

from __future__ import annotations

from math import log, log2

from .rank import blended_ratio, count_relevant, discounted_sum
from .topic import (
    Discount,
    Gain,
    Topic,
    discount_at,
    is_relevant,
    positive_gain,
    ranked,
    relevant_documents,
)


def ideal_gains(topic: Topic, gain: Gain, rel: int) -> list[float]:
    """Positive gains of judged documents, highest first."""
    gains = [positive_gain(topic, document, gain, rel) for document in topic.labels]
    return sorted([value for value in gains if value > 0], reverse=True)


def DCG(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    condensed: bool = False,
) -> float:
    """Gains times discounts."""
    discount_at(1, discount, base, cutoff)
    gains = [positive_gain(topic, document, gain, rel) for document in ranked(topic, cutoff, condensed)]
    return discounted_sum(gains, discount, base, cutoff)


def IDCG(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
) -> float:
    """Gains of the ideal list times discounts."""
    discount_at(1, discount, base, cutoff)
    return discounted_sum(ideal_gains(topic, gain, rel), discount, base, cutoff)


def ndcg_at(topic: Topic, depth: int, documents: list[str], gain: Gain, rel: int) -> float:
    """DCG of the first documents divided by that of as many ideal ones."""
    found = [positive_gain(topic, document, gain, rel) for document in documents[:depth]]
    ideal = ideal_gains(topic, gain, rel)[:depth]
    return discounted_sum(found, "log2", 2, None) / discounted_sum(ideal, "log2", 2, None)


def nDCGrel(
    topic: Topic, cutoff: int | None = None, *, rel: int = 1, gain: Gain = "linear", condensed: bool = False
) -> float:
    """nDCG at the rank of each document with a gain; at the end for those that are not retrieved."""
    documents = ranked(topic, cutoff, condensed)
    wanted = [document for document in topic.labels if positive_gain(topic, document, gain, rel) > 0]
    if not wanted:
        return 0.0
    total = 0.0
    for document in wanted:
        if document in documents:
            total += ndcg_at(topic, documents.index(document) + 1, documents, gain, rel)
        else:
            total += ndcg_at(topic, max(len(documents), len(wanted)), documents, gain, rel)
    return total / len(wanted)


def RnDCG(
    topic: Topic, cutoff: int | None = None, *, rel: int = 1, gain: Gain = "linear", condensed: bool = False
) -> float:
    """nDCG where the ideal list ends a gain, and at the end of a list that is more than one document longer."""
    documents = ranked(topic, cutoff, condensed)
    ideal = ideal_gains(topic, gain, rel)
    if not ideal or not relevant_documents(topic, rel):
        return 0.0
    depths = [len([value for value in ideal if value >= level]) for level in sorted(set(ideal), reverse=True)]
    if len(documents) > len(ideal) + 1:
        depths.append(len(documents))
    return sum(ndcg_at(topic, depth, documents, gain, rel) for depth in depths) / len(depths)


def G(
    topic: Topic, cutoff: int | None = None, *, rel: int = 1, gain: Gain = "linear", condensed: bool = False
) -> float:
    """Each gain divided by log2 of 2 plus the gain that was missed so far, as a share of all gains."""
    documents = ranked(topic, cutoff, condensed)
    ideal = ideal_gains(topic, gain, rel)
    total = 0.0
    for rank, document in enumerate(documents, start=1):
        so_far = sum(positive_gain(topic, above, gain, rel) for above in documents[:rank])
        padded = [*ideal, *[0.0] * rank][:rank]
        cost = sum(max(value, 1.0) for value in padded)
        total += positive_gain(topic, document, gain, rel) / log2(2 + cost - so_far)
    return total / sum(ideal) if ideal else 0.0


def binG(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Each relevant document divided by log2 of 2 plus the others before it, averaged over R."""
    documents = ranked(topic, cutoff, condensed)
    relevant = relevant_documents(topic, rel)
    total = 0.0
    for rank, document in enumerate(documents):
        if is_relevant(topic, document, rel):
            total += 1 / log2(2 + rank - count_relevant(topic, documents[:rank], rel))
    return total / len(relevant) if relevant else 0.0


def YAAP(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """log((1 + s) / (1 + R - s)), s the sum of precisions at relevant documents."""
    documents = ranked(topic, cutoff, condensed)
    total = 0.0
    for rank, document in enumerate(documents, start=1):
        if is_relevant(topic, document, rel):
            total += count_relevant(topic, documents[:rank], rel) / rank
    return log((1 + total) / (1 + len(relevant_documents(topic, rel)) - total))


def relevant_ratios(
    topic: Topic, cutoff: int | None, rel: int, gain: Gain, beta: float, condensed: bool
) -> tuple[list[str], list[float]]:
    """The relevant documents of the ranking, and the blended ratio at each."""
    documents = ranked(topic, cutoff, condensed)
    ideal = sorted([positive_gain(topic, each, gain, rel) for each in relevant_documents(topic, rel)], reverse=True)
    found = [document for document in documents if is_relevant(topic, document, rel)]
    ratios = [blended_ratio(topic, documents[: documents.index(each) + 1], ideal, beta, gain, rel) for each in found]
    return found, ratios


def NCU(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    gain: Gain = "linear",
    beta: float = 1,
    stop: str = "gain",
    gamma: float = 0.95,
    condensed: bool = False,
) -> float:
    """Sum over relevant documents of the probability to stop there times the blended ratio."""
    found, ratios = relevant_ratios(topic, cutoff, rel, gain, beta, condensed)
    relevant = relevant_documents(topic, rel)
    total = 0.0
    for place, (document, ratio) in enumerate(zip(found, ratios, strict=True)):
        if stop == "uniform":
            weight, of = 1.0, float(len(relevant))
        elif stop == "gain":
            weight = positive_gain(topic, document, gain, rel)
            of = sum(positive_gain(topic, each, gain, rel) for each in relevant)
        else:
            weight, of = gamma**place, sum(gamma**each for each in range(len(relevant)))
        total += weight / of * ratio if of > 0 else 0.0
    return total


def Omeasure(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    gain: Gain = "linear",
    beta: float = 1,
    condensed: bool = False,
) -> float:
    """The blended ratio at the first relevant document."""
    _, ratios = relevant_ratios(topic, cutoff, rel, gain, beta, condensed)
    return ratios[0] if ratios else 0.0


def Pmeasure(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    gain: Gain = "linear",
    beta: float = 1,
    condensed: bool = False,
) -> float:
    """The blended ratio at the first document of the highest label retrieved."""
    found, ratios = relevant_ratios(topic, cutoff, rel, gain, beta, condensed)
    return ratios[preferred(topic, found)] if found else 0.0


def Pplus(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    gain: Gain = "linear",
    beta: float = 1,
    condensed: bool = False,
) -> float:
    """The mean blended ratio over relevant documents down to there."""
    found, ratios = relevant_ratios(topic, cutoff, rel, gain, beta, condensed)
    if not found:
        return 0.0
    read = ratios[: preferred(topic, found) + 1]
    return sum(read) / len(read)


def preferred(topic: Topic, found: list[str]) -> int:
    """The place of the first document of the highest label."""
    labels = [topic.labels[document] for document in found]
    return labels.index(max(labels))


def Compat(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    p: float = 0.95,
    normalize: bool = True,
    compat: str | None = None,
    condensed: bool = False,
) -> float:
    """Rank-biased overlap with the ideal ranking down to rank 1000, as a share of the ideal one's with itself."""
    documents = ranked(topic, cutoff, condensed)
    relevant = relevant_documents(topic, rel)
    order = [*[document for document in documents if document in relevant], *sorted(set(relevant) - set(documents))]
    ideal = sorted(order, key=lambda document: -topic.labels[document])
    depth = max(len(documents), len(ideal)) if compat == "ir_measures" else 1000
    if not ideal:
        return 0.0
    best = overlap(ideal, ideal, p, depth) if normalize else 1.0
    return overlap(documents, ideal, p, depth) / best if best > 0 else 0.0


def overlap(one: list[str], other: list[str], p: float, depth: int) -> float:
    """The shares of documents in common at every depth, weighted by p^(depth - 1)."""
    weights = [p ** (size - 1) for size in range(1, depth + 1)]
    shares = [len(set(one[:size]) & set(other[:size])) / size for size in range(1, depth + 1)]
    return sum(weight * share for weight, share in zip(weights, shares, strict=True)) / sum(weights)
