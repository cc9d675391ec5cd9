"""Slow literal twins of measures of novelty and diversity, from the papers and from what ndeval prints."""

from __future__ import annotations

from collections import Counter
from math import log2

from .rank import AP, P
from .topic import Topic, ranked, required


def met_by(topic: Topic, document: str, rel: int) -> set[str]:
    """The subtopics that a judged document is relevant to; without subtopics there is one."""
    if document not in topic.labels:
        return set()
    own = topic.subtopics.get(document, {}) if topic.subtopics else {"": topic.labels[document]}
    return {subtopic for subtopic, label in own.items() if label >= rel}


def all_met(topic: Topic, rel: int) -> set[str]:
    """The subtopics with a relevant document."""
    return {subtopic for document in topic.labels for subtopic in met_by(topic, document, rel)}


def worth(topic: Topic, document: str, above: list[str], rel: int, alpha: float) -> float:
    """What a document is worth after those above it: of each subtopic it meets, less for every time it was met."""
    times_met = Counter(subtopic for each in above for subtopic in met_by(topic, each, rel))
    return sum((1 - alpha) ** times_met[subtopic] for subtopic in met_by(topic, document, rel))


def worths(topic: Topic, documents: list[str], rel: int, alpha: float) -> list[float]:
    """What each document is worth after those above it."""
    return [worth(topic, document, documents[:place], rel, alpha) for place, document in enumerate(documents)]


def ideal(topic: Topic, rel: int, alpha: float) -> list[str]:
    """Documents one after the other, each the one of most worth; of equals the highest id."""
    left, chosen = sorted(topic.labels, key=str.encode), []
    while left:
        best = max(left, key=lambda document: (worth(topic, document, chosen, rel, alpha), left.index(document)))
        chosen.append(best)
        left.remove(best)
    return chosen


def discounted(values: list[float], discount) -> float:
    return sum(value * discount(rank) for rank, value in enumerate(values, 1))


def share_of_most(topic: Topic, documents: list[str], rel: int, alpha: float, discount, depth: int) -> float:
    """The sum, divided by that of a list whose documents are all relevant to every subtopic."""
    count = len(all_met(topic, rel))
    most = discounted([count * (1 - alpha) ** rank for rank in range(depth)], discount)
    return discounted(worths(topic, documents, rel, alpha), discount) / most if count else 0.0


def share_of_ideal(topic: Topic, cutoff: int | None, rel: int, alpha: float, discount, condensed: bool) -> float:
    """The sum, divided by that of the ideal list."""
    best = discounted(worths(topic, ideal(topic, rel, alpha), rel, alpha)[:cutoff], discount)
    own = discounted(worths(topic, ranked(topic, cutoff, condensed), rel, alpha), discount)
    return own / best if best else 0.0


def by_log(rank: int) -> float:
    return 1 / log2(rank + 1)


def by_rank(rank: int) -> float:
    return 1 / rank


def alpha_DCG(
    topic: Topic, cutoff: int | None = None, *, rel: int = 1, alpha: float = 0.5, condensed: bool = False
) -> float:
    """Worth discounted by the logarithm of the rank."""
    depth = required(cutoff, "alpha_DCG")
    return share_of_most(topic, ranked(topic, cutoff, condensed), rel, alpha, by_log, depth)


def alpha_nDCG(
    topic: Topic, cutoff: int | None = None, *, rel: int = 1, alpha: float = 0.5, condensed: bool = False
) -> float:
    """The same, divided by the ideal list's."""
    return share_of_ideal(topic, cutoff, rel, alpha, by_log, condensed)


def ERR_IA(
    topic: Topic, cutoff: int | None = None, *, rel: int = 1, alpha: float = 0.5, condensed: bool = False
) -> float:
    """Worth discounted by the rank."""
    depth = required(cutoff, "ERR_IA")
    return share_of_most(topic, ranked(topic, cutoff, condensed), rel, alpha, by_rank, depth)


def nERR_IA(
    topic: Topic, cutoff: int | None = None, *, rel: int = 1, alpha: float = 0.5, condensed: bool = False
) -> float:
    """The same, divided by the ideal list's."""
    return share_of_ideal(topic, cutoff, rel, alpha, by_rank, condensed)


def NRBP(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    alpha: float = 0.5,
    beta: float = 0.5,
    condensed: bool = False,
) -> float:
    """Clarke et al. 2009, equation 6: (1 - (1 - alpha) beta) / N times the sum of worth times beta^(rank - 1)."""
    count = len(all_met(topic, rel))
    total = discounted(worths(topic, ranked(topic, cutoff, condensed), rel, alpha), lambda rank: beta ** (rank - 1))
    return (1 - (1 - alpha) * beta) / count * total if count else 0.0


def nNRBP(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    alpha: float = 0.5,
    beta: float = 0.5,
    condensed: bool = False,
) -> float:
    """The same, divided by the ideal list's."""
    return share_of_ideal(topic, cutoff, rel, alpha, lambda rank: beta ** (rank - 1), condensed)


def for_subtopic(topic: Topic, subtopic: str, rel: int) -> Topic:
    """The topic as if the subtopic were all it asks for."""
    labels = {document: int(subtopic in met_by(topic, document, rel)) for document in topic.labels}
    return Topic(topic.ranking, labels, topic.pooled, topic.strata, 1)


def StRecall(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Subtopics met, divided by all."""
    required(cutoff, "StRecall")
    count = len(all_met(topic, rel))
    met = {subtopic for document in ranked(topic, cutoff, condensed) for subtopic in met_by(topic, document, rel)}
    return len(met) / count if count else 0.0


def P_IA(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """The mean of precisions."""
    required(cutoff, "P_IA")
    each = [P(for_subtopic(topic, one, rel), cutoff, condensed=condensed) for one in all_met(topic, rel)]
    return sum(each) / len(each) if each else 0.0


def AP_IA(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """The mean of average precisions."""
    each = [AP(for_subtopic(topic, one, rel), cutoff, condensed=condensed) for one in all_met(topic, rel)]
    return sum(each) / len(each) if each else 0.0
