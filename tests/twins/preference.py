"""Slow literal twins of section 4: preference measures, on the condensed list.

In every row a term whose n, or whose penalty, is 0 has its full value, whatever the divisor.
"""

from __future__ import annotations

from collections.abc import Callable

from .topic import (
    Gain,
    Topic,
    gain_of_label,
    highest_label,
    is_nonrelevant,
    is_relevant,
    nonrelevant_documents,
    positive_gain,
    ranked,
    relevant_documents,
)


def average_preference(
    topic: Topic,
    cutoff: int | None,
    rel: int,
    term: Callable[[int, int, int], float],
) -> float:
    """Sum of term(r', n, retrieved non-relevant) over retrieved relevant documents, divided by R."""
    documents = ranked(topic, cutoff, condensed=True)
    relevant = len(relevant_documents(topic, rel))
    if relevant == 0:
        return 0.0
    retrieved_nonrelevant = len([each for each in documents if is_nonrelevant(topic, each, rel)])
    total = 0.0
    for rank, document in enumerate(documents, start=1):
        if is_relevant(topic, document, rel):
            above = len([each for each in documents[: rank - 1] if is_nonrelevant(topic, each, rel)])
            total += term(rank, above, retrieved_nonrelevant)
    return total / relevant


def bpref(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """1 - min(n, R) / min(R, N)."""
    relevant = len(relevant_documents(topic, rel))
    nonrelevant = len(nonrelevant_documents(topic, rel))

    def term(rank: int, above: int, retrieved_nonrelevant: int) -> float:
        return 1.0 if above == 0 else 1 - min(above, relevant) / min(relevant, nonrelevant)

    return average_preference(topic, cutoff, rel, term)


def bpref_R(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """1 - min(n, R) / R."""
    relevant = len(relevant_documents(topic, rel))

    def term(rank: int, above: int, retrieved_nonrelevant: int) -> float:
        return 1 - min(above, relevant) / relevant

    return average_preference(topic, cutoff, rel, term)


def bpref_N(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """1 - n / N."""
    nonrelevant = len(nonrelevant_documents(topic, rel))

    def term(rank: int, above: int, retrieved_nonrelevant: int) -> float:
        return 1.0 if above == 0 else 1 - above / nonrelevant

    return average_preference(topic, cutoff, rel, term)


def bpref_old(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """1 - min(n, R) / min(R, retrieved judged non-relevant)."""
    relevant = len(relevant_documents(topic, rel))

    def term(rank: int, above: int, retrieved_nonrelevant: int) -> float:
        return 1.0 if above == 0 else 1 - min(above, relevant) / min(relevant, retrieved_nonrelevant)

    return average_preference(topic, cutoff, rel, term)


def bpref10(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """1 - min(n, R + 10) / (R + 10)."""
    relevant = len(relevant_documents(topic, rel))

    def term(rank: int, above: int, retrieved_nonrelevant: int) -> float:
        return 1 - min(above, relevant + 10) / (relevant + 10)

    return average_preference(topic, cutoff, rel, term)


def bpref_relative(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """1 - n / (r' - 1), documents at rank 1 left out (Sakai 2007, equation 18)."""

    def term(rank: int, above: int, retrieved_nonrelevant: int) -> float:
        return 0.0 if rank == 1 else 1 - above / (rank - 1)

    return average_preference(topic, cutoff, rel, term)


def weighted_preference(
    topic: Topic, cutoff: int | None, gain: Gain, rel: int, share: Callable[[int, float], float]
) -> float:
    """Sum of g(r') share(r', penalty) over retrieved documents with gain > 0, divided by all gains."""
    documents = ranked(topic, cutoff, condensed=True)
    all_gains = sum(positive_gain(topic, document, gain, rel) for document in topic.labels)
    if all_gains == 0:
        return 0.0
    total = 0.0
    for rank, document in enumerate(documents, start=1):
        value = positive_gain(topic, document, gain, rel)
        if value > 0:
            penalty = 0.0
            for above in documents[: rank - 1]:
                lesser = positive_gain(topic, above, gain, rel)
                if lesser < value:
                    penalty += (value - lesser) / value
            total += value * share(rank, penalty)
    return total / all_gains


def rpref_N(
    topic: Topic, cutoff: int | None = None, *, gain: Gain = "linear", rel: int = 1, top: int | None = None
) -> float:
    """g(r') (1 - penalty / (R + N - cgI(R) / gain(H))) (Sakai 2007, equation 16)."""
    all_gains = sum(positive_gain(topic, document, gain, rel) for document in topic.labels)
    if all_gains == 0:
        return 0.0
    highest_gain = gain_of_label(highest_label(topic, top), gain, rel)
    if highest_gain <= 0:
        raise ValueError("the highest label has no gain")
    divisor = len(topic.labels) - all_gains / highest_gain

    def share(rank: int, penalty: float) -> float:
        return 1.0 if penalty == 0 else 1 - penalty / divisor

    return weighted_preference(topic, cutoff, gain, rel, share)


def rpref_relative(topic: Topic, cutoff: int | None = None, *, gain: Gain = "linear", rel: int = 1) -> float:
    """g(r') (1 - penalty / (r' - 1)), documents at rank 1 left out (Sakai 2007, equation 17)."""

    def share(rank: int, penalty: float) -> float:
        return 0.0 if rank == 1 else 1 - penalty / (rank - 1)

    return weighted_preference(topic, cutoff, gain, rel, share)


def rpref_relative2(topic: Topic, cutoff: int | None = None, *, gain: Gain = "linear", rel: int = 1) -> float:
    """g(r') (1 - penalty / r') (Sakai 2007, equation 19)."""

    def share(rank: int, penalty: float) -> float:
        return 1 - penalty / rank

    return weighted_preference(topic, cutoff, gain, rel, share)
