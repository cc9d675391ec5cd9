"""Slow literal twins of section 3: measures of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .topic import (
    Discount,
    Gain,
    Topic,
    discount_at,
    gain_of_document,
    gain_of_label,
    highest_label,
    is_relevant,
    positive_gain,
    ranked,
    relevant_documents,
    required,
)


def count_relevant(topic: Topic, documents: list[str], rel: int) -> int:
    """How many of these documents are relevant."""
    return len([document for document in documents if is_relevant(topic, document, rel)])


def P(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Relevant in the top k, divided by k however short the list."""
    depth = required(cutoff, "P")
    return count_relevant(topic, ranked(topic, depth, condensed), rel) / depth


def R(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Relevant in the top k, divided by R."""
    depth = required(cutoff, "R")
    relevant = len(relevant_documents(topic, rel))
    if relevant == 0:
        return 0.0
    return count_relevant(topic, ranked(topic, depth, condensed), rel) / relevant


def Rprec(topic: Topic, cutoff: int | None = None, *, rel: int = 1, times: float = 1, condensed: bool = False) -> float:
    """Relevant in the top R, divided by R; or in the top of a multiple of it, with 0.9 added and rounded down."""
    depth = int(times * len(relevant_documents(topic, rel)) + 0.9)
    if depth == 0:
        return 0.0
    return count_relevant(topic, ranked(topic, cutoff, condensed)[:depth], rel) / depth


def RR(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """One over the rank of the first relevant document; 0 if there is none."""
    for rank, document in enumerate(ranked(topic, cutoff, condensed), start=1):
        if is_relevant(topic, document, rel):
            return 1 / rank
    return 0.0


def Success(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """1 if a relevant document is in the top k."""
    depth = required(cutoff, "Success")
    return 1.0 if count_relevant(topic, ranked(topic, depth, condensed), rel) > 0 else 0.0


def AP(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Precision at each retrieved relevant document, summed and divided by R (with a cut-off too)."""
    documents = ranked(topic, cutoff, condensed)
    relevant = len(relevant_documents(topic, rel))
    if relevant == 0:
        return 0.0
    total = 0.0
    for rank, document in enumerate(documents, start=1):
        if is_relevant(topic, document, rel):
            total += count_relevant(topic, documents[:rank], rel) / rank
    return total / relevant


def Judged(topic: Topic, cutoff: int | None = None) -> float:
    """Share of the top k that is judged, divided by min(k, retrieved); 0 for an empty list."""
    documents = ranked(topic, required(cutoff, "Judged"), condensed=False)
    if not documents:
        return 0.0
    return len([document for document in documents if document in topic.labels]) / len(documents)


def Unjudged(topic: Topic, cutoff: int | None = None, *, condensed: bool = False) -> float:
    """Documents of the top k that are not judged, divided by k however short the list."""
    depth = required(cutoff, "Unjudged")
    documents = ranked(topic, depth, condensed)
    return len([document for document in documents if document not in topic.labels]) / depth


def ERR(topic: Topic, cutoff: int | None = None, *, top: int | None = None, condensed: bool = False) -> float:
    """Sum over ranks of 1/r times the probability to stop at r and not above it."""
    highest = highest_label(topic, top)
    documents = ranked(topic, cutoff, condensed)
    total = 0.0
    for rank, document in enumerate(documents, start=1):
        still_looking = 1.0
        for above in documents[: rank - 1]:
            still_looking *= 1 - stop_probability(topic, above, highest)
        total += still_looking * stop_probability(topic, document, highest) / rank
    return total


def nERR(topic: Topic, cutoff: int | None = None, *, top: int | None = None, condensed: bool = False) -> float:
    """ERR divided by that of the judged documents sorted by label."""
    by_label = sorted(topic.labels, key=lambda document: -topic.labels[document])
    ideal = ERR(replace(topic, ranking=by_label), cutoff, top=top)
    return ERR(topic, cutoff, top=top, condensed=condensed) / ideal if ideal > 0 else 0.0


def stop_probability(topic: Topic, document: str, highest: int) -> float:
    """(2^max(label, 0) - 1) / 2^H; a document that is not judged counts as label 0."""
    label = topic.labels.get(document, 0)
    return (2.0 ** max(label, 0) - 1) / 2.0**highest


def IPrec(
    topic: Topic,
    cutoff: int | None = None,
    *,
    recall: float,
    rel: int = 1,
    compat: str | None = None,
    condensed: bool = False,
) -> float:
    """The best precision at any rank that has reached the recall, as a whole number of documents."""
    documents = ranked(topic, cutoff, condensed)
    exact = recall * len(relevant_documents(topic, rel))
    wanted = int(exact + 0.9) if compat == "trec_eval9" else int(exact + 0.5)
    best = 0.0
    for rank in range(1, len(documents) + 1):
        found = count_relevant(topic, documents[:rank], rel)
        if found >= wanted:
            best = max(best, found / rank)
    return best


def IPrec11(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    points: Sequence[float] | None = None,
    compat: str | None = None,
    condensed: bool = False,
) -> float:
    """IPrec at recall 0, 0.1, ..., 1 or at given points, averaged."""
    points = points or [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    values = [IPrec(topic, cutoff, recall=recall, rel=rel, compat=compat, condensed=condensed) for recall in points]
    return sum(values) / len(values)


def RBP(
    topic: Topic,
    cutoff: int | None = None,
    *,
    p: float = 0.8,
    rel: int = 1,
    gain: Gain = "binary",
    top: int | None = None,
    compat: str | None = None,
    condensed: bool = False,
) -> float:
    """(1 - p) times the sum of p^(r - 1) over ranks, each with its gain as a share of the highest gain."""
    if gain == "binary":
        highest = 1.0
    else:
        given = [] if isinstance(gain, str) else [value for value in gain.values() if not isinstance(value, str)]
        highest = max([gain_of_label(highest_label(topic, top), gain, rel), *given])
    if compat == "trec_eval":
        highest = max([0.0, *(positive_gain(topic, document, gain, rel) for document in topic.labels)])
    if highest <= 0:
        return 0.0
    total = 0.0
    for rank, document in enumerate(ranked(topic, cutoff, condensed), start=1):
        total += positive_gain(topic, document, gain, rel) / highest * p ** (rank - 1)
    return (1 - p) * total


def RBPres(topic: Topic, cutoff: int | None = None, *, p: float = 0.8, condensed: bool = False) -> float:
    """What RBP could still gain: weight of the unjudged documents plus p^depth beyond the list."""
    documents = ranked(topic, cutoff, condensed)
    total = 0.0
    for rank, document in enumerate(documents, start=1):
        if document not in topic.labels:
            total += (1 - p) * p ** (rank - 1)
    return total + p ** len(documents)


def NumQ(topic: Topic, cutoff: int | None = None) -> float:
    """One for each topic."""
    return 1.0


def NumRet(topic: Topic, cutoff: int | None = None, *, condensed: bool = False) -> float:
    """Documents retrieved."""
    return float(len(ranked(topic, cutoff, condensed)))


def NumRel(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """R."""
    return float(len(relevant_documents(topic, rel)))


def NumRelRet(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Relevant documents retrieved."""
    return float(count_relevant(topic, ranked(topic, cutoff, condensed), rel))


def nDCG(
    topic: Topic,
    cutoff: int | None = None,
    *,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    negative: str = "zero",
    rel: int = 1,
    condensed: bool = False,
) -> float:
    """DCG / ideal DCG, or between worst and best (negative="minmax")."""
    if negative not in ("zero", "keep", "minmax"):
        raise ValueError(f"unknown treatment of negative gains {negative!r}")
    discount_at(1, discount, base, cutoff)  # a discount that needs a cut-off fails for an empty list too
    gains = [gain_of_document(topic, document, gain, rel) for document in ranked(topic, cutoff, condensed)]
    if negative == "zero":
        gains = [max(0.0, value) for value in gains]
    available = [gain_of_label(label, gain, rel) for label in topic.labels.values()]
    positive = sorted([value for value in available if value > 0], reverse=True)
    below_zero = sorted([value for value in available if value < 0])
    score = discounted_sum(gains, discount, base, cutoff)
    best = discounted_sum(positive, discount, base, cutoff)
    worst = discounted_sum(below_zero, discount, base, cutoff)
    if negative == "minmax":
        return (score - worst) / (best - worst) if best > worst else 0.0
    return score / best if best > 0 else 0.0


def discounted_sum(gains: list[float], discount: Discount, base: float, cutoff: int | None) -> float:
    """Sum of g(r) d(r) from rank 1, cut at k; without a cut-off over all the gains."""
    total = 0.0
    for rank, value in enumerate(gains, start=1):
        if cutoff is None or rank <= cutoff:
            total += value * discount_at(rank, discount, base, cutoff)
    return total


def Q(
    topic: Topic,
    cutoff: int | None = None,
    *,
    gain: Gain = "linear",
    beta: float = 1,
    rel: int = 1,
    condensed: bool = False,
) -> float:
    """Sakai 2007, equation 21; with a cut-off divided by min(R, k)."""
    relevant = relevant_documents(topic, rel)
    if not relevant:
        return 0.0
    documents = ranked(topic, cutoff, condensed)
    ideal = sorted([positive_gain(topic, document, gain, rel) for document in relevant], reverse=True)
    total = sum(
        blended_ratio(topic, documents[:rank], ideal, beta, gain, rel)
        for rank, document in enumerate(documents, start=1)
        if is_relevant(topic, document, rel)
    )
    divisor = len(relevant) if cutoff is None else min(len(relevant), cutoff)
    return total / divisor


def blended_ratio(topic: Topic, down_to: list[str], ideal: list[float], beta: float, gain: Gain, rel: int) -> float:
    """(beta cg + count) / (beta cgI + r) at the last of some documents from the top."""
    found = [document for document in down_to if is_relevant(topic, document, rel)]
    cumulated = sum(positive_gain(topic, document, gain, rel) for document in found)
    return (beta * cumulated + len(found)) / (beta * sum(ideal[: len(down_to)]) + len(down_to))
