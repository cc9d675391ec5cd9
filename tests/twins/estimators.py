"""Slow literal twins of section 5: estimates from a judged sample of a known pool (Yilmaz 2008)."""

from __future__ import annotations

import math

from .topic import (
    Gain,
    Topic,
    gain_of_label,
    is_relevant,
    positive_gain,
    ranked,
    relevant_documents,
    required,
)

EPSILON = 1e-5
DEPTH = 1000


def smoothing(compat: str | None) -> float:
    """What is added to the judged documents: 2e, or 3e as in NIST's script."""
    if compat is None:
        return 2 * EPSILON
    if compat == "sample_eval":
        return 3 * EPSILON
    raise ValueError(f"unknown compat {compat!r}")


def pool(topic: Topic) -> list[str]:
    """Every document that could have been judged."""
    return [*topic.labels, *sorted(topic.pooled)]


def in_pool(topic: Topic, documents: list[str]) -> list[str]:
    """Those of the documents that are pooled, judged or not."""
    return [each for each in documents if each in topic.labels or each in topic.pooled]


def judged(topic: Topic, documents: list[str]) -> list[str]:
    """Those of the documents that are judged."""
    return [each for each in documents if each in topic.labels]


def relevant(topic: Topic, documents: list[str], rel: int) -> list[str]:
    """Those of the documents that are judged relevant."""
    return [each for each in documents if is_relevant(topic, each, rel)]


def stratum_of(topic: Topic, document: str) -> int:
    """The stratum of a pooled document; judgments without strata are one stratum."""
    return topic.strata[document] if topic.strata else 0


def all_strata(topic: Topic) -> list[int]:
    """Every stratum of the topic's pool."""
    return sorted({stratum_of(topic, document) for document in pool(topic)})


def within(topic: Topic, documents: list[str], stratum: int) -> list[str]:
    """Those of the documents that are in the pool and in this stratum."""
    return [each for each in in_pool(topic, documents) if stratum_of(topic, each) == stratum]


def inferred_precision(topic: Topic, above: list[str], rel: int, compat: str | None) -> float:
    """infAP's precision at the relevant document that follows these documents."""
    rank = len(above) + 1
    if rank == 1:
        return 1.0
    share_pooled = len(in_pool(topic, above)) / (rank - 1)
    return 1 / rank + (rank - 1) / rank * share_pooled * share_relevant(topic, above, rel, compat)


def share_relevant(topic: Topic, documents: list[str], rel: int, compat: str | None) -> float:
    """Smoothed share of the judged documents that is relevant; 1/2 if none is judged (1/3 in compat)."""
    number_relevant = len(relevant(topic, documents, rel))
    number_judged = len(judged(topic, documents))
    return (number_relevant + EPSILON) / (number_judged + smoothing(compat))


def infAP(
    topic: Topic, cutoff: int | None = None, *, rel: int = 1, compat: str | None = None, condensed: bool = False
) -> float:
    """Inferred precision at every judged relevant document (0 if not retrieved), averaged over R."""
    documents = ranked(topic, cutoff, condensed)
    all_relevant = relevant_documents(topic, rel)
    if not all_relevant:
        return 0.0
    total = 0.0
    for document in all_relevant:
        if document in documents:
            total += inferred_precision(topic, documents[: documents.index(document)], rel, compat)
    return total / len(all_relevant)


def infAP_variance(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    dependent: bool = False,
) -> float:
    """(1 - p) s^2 / R + (sum of v_k) / R^2, Yilmaz 2008, section 2 and appendix."""
    documents = ranked(topic, cutoff, condensed=False)
    all_relevant = relevant_documents(topic, rel)
    if not all_relevant:
        return 0.0
    count = len(all_relevant)
    share_judged = len(topic.labels) / len(pool(topic))
    precisions = []
    for document in all_relevant:
        if document in documents:
            precisions.append(inferred_precision(topic, documents[: documents.index(document)], rel, None))
        else:
            precisions.append(0.0)
    first = (1 - share_judged) * sample_variance(precisions) / count
    ranks = [rank for rank, each in enumerate(documents, start=1) if is_relevant(topic, each, rel)]
    second = sum(variance_at(topic, documents[: rank - 1], rel) for rank in ranks)
    if dependent:
        for upper in ranks:
            for lower in ranks:
                if upper < lower:
                    second += 2 * (upper / lower) * variance_at(topic, documents[: upper - 1], rel)
    return first + second / count**2


def sample_variance(values: list[float]) -> float:
    """Squared distances from the mean divided by one less than their number; 0 for a single value."""
    if len(values) == 1:
        return 0.0
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def variance_at(topic: Topic, above: list[str], rel: int) -> float:
    """v_k, the variance of the inferred precision at the relevant document below these documents."""
    rank = len(above) + 1
    pooled_above = len(in_pool(topic, above))
    judged_above = len(judged(topic, above))
    if rank == 1 or pooled_above <= 1 or judged_above == pooled_above:
        return 0.0
    share = share_relevant(topic, above, rel, None)
    sample = max(1, judged_above)
    finite = 1 - (sample - 1) / (pooled_above - 1)
    return ((rank - 1) / rank) ** 2 * (pooled_above / (rank - 1)) ** 2 * share * (1 - share) / sample * finite


def expected_relevant(topic: Topic, documents: list[str], rel: int, compat: str | None) -> float:
    """sum_s N_s (r_s + e) / (n_s + 2e) over these documents.

    A stratum of which nothing is judged in them has the smoothed share 1/2 (1/3 in compat), also
    if nothing of it is judged at all: the formula has a value there, so no exception is needed.
    """
    total = 0.0
    for stratum in all_strata(topic):
        members = within(topic, documents, stratum)
        total += len(members) * share_relevant(topic, members, rel, compat)
    return total


def xinfAP(topic: Topic, cutoff: int | None = None, *, rel: int = 1, compat: str | None = None) -> float:
    """Mean inferred precision in each stratum, weighted by its estimated relevant documents.

    NIST's script reads no more than 1000 documents.
    """
    if compat == "sample_eval":
        cutoff = DEPTH if cutoff is None else min(cutoff, DEPTH)
    documents = ranked(topic, cutoff, condensed=False)
    total = 0.0
    estimated_relevant = 0.0
    for stratum in all_strata(topic):
        members = within(topic, pool(topic), stratum)
        found = relevant(topic, members, rel)
        if not judged(topic, members) or not found:
            continue  # nothing judged, or none of it relevant: an estimate of 0, so no weight
        estimate = len(found) * len(members) / len(judged(topic, members))
        precisions = 0.0
        for document in found:
            if document in documents:
                rank = documents.index(document) + 1
                above = expected_relevant(topic, documents[: rank - 1], rel, compat)
                precisions += 1 / rank + above / rank
        total += estimate * (precisions / len(found))
        estimated_relevant += estimate
    return total / estimated_relevant if estimated_relevant > 0 else 0.0


def infNDCG(
    topic: Topic,
    cutoff: int | None = None,
    *,
    gain: Gain = "linear",
    rel: int = 1,
    compat: str | None = None,
) -> float:
    """Estimated DCG / DCG of the estimated ideal list, depth 1000 unless cut."""
    depth = DEPTH if cutoff is None else cutoff
    documents = ranked(topic, depth, condensed=False)
    ideal = inferred_ideal(topic, depth, gain, rel, compat)
    if ideal == 0:
        return 0.0
    total = 0.0
    for stratum in all_strata(topic):
        members = within(topic, documents, stratum)
        if judged(topic, members):
            discounted = 0.0
            for document in judged(topic, members):
                rank = documents.index(document) + 1
                discounted += positive_gain(topic, document, gain, rel) / math.log2(rank + 1)
            total += len(members) / len(judged(topic, members)) * discounted
    return total / ideal


def inferred_ideal(topic: Topic, depth: int, gain: Gain, rel: int, compat: str | None) -> float:
    """DCG of the list that holds the estimated number of documents of each gain, highest first.

    Documents lie end to end on a line, rank r being its piece from r - 1 to r; a fractional number of
    documents covers a fraction of the last piece, and the next gain starts inside that piece.
    """
    smoothing(compat)  # an unknown compat fails here too
    estimated = estimated_documents(topic, gain, rel)
    start = 0.0
    total = 0.0
    for value in sorted(estimated, reverse=True):
        number = estimated[value]
        if compat == "sample_eval":
            number = math.floor(number + 0.5)
        end = start + number
        for rank in range(1, depth + 1):
            covered = min(end, rank) - max(start, rank - 1)
            if covered > 0:
                total += value * covered / math.log2(rank + 1)
        start = end
    return total


def estimated_documents(topic: Topic, gain: Gain, rel: int) -> dict[float, float]:
    """For each gain above 0: sum_s r_s(gain) N_s / n_s; a stratum with nothing judged adds 0."""
    estimated: dict[float, float] = {}
    for value in {gain_of_label(label, gain, rel) for label in topic.labels.values()}:
        if value > 0:
            estimated[value] = 0.0
            for stratum in all_strata(topic):
                members = within(topic, pool(topic), stratum)
                labels = [topic.labels[document] for document in judged(topic, members)]
                of_value = [label for label in labels if gain_of_label(label, gain, rel) == value]
                if labels:
                    estimated[value] += len(of_value) * len(members) / len(labels)
    return estimated


def iP(topic: Topic, cutoff: int | None = None, *, rel: int = 1, compat: str | None = None) -> float:
    """Inferred precision: expected relevant documents in the top k, divided by k."""
    depth = required(cutoff, "iP")
    documents = ranked(topic, depth, condensed=False)
    return expected_relevant(topic, documents, rel, compat) / depth


def chance(topic: Topic, *documents: str) -> float:
    """The chance that these documents of the pool, one or two, are all judged: strata are sampled by themselves."""
    sizes = {}
    for document in documents:
        members = within(topic, pool(topic), stratum_of(topic, document))
        sizes[document] = len(judged(topic, members)), len(members)
    first, *others = documents
    share = sizes[first][0] / sizes[first][1]
    for other in others:
        taken = stratum_of(topic, other) == stratum_of(topic, first)
        share *= (sizes[other][0] - taken) / (sizes[other][1] - taken)
    return share


def precision_terms(topic: Topic, documents: list[str], rel: int) -> dict[tuple[str, ...], float]:
    """The sum of precisions, taken apart: 1 / rank for a relevant document, and for it with each relevant one above."""
    terms: dict[tuple[str, ...], float] = {}
    for rank, document in enumerate(documents, start=1):
        if is_relevant(topic, document, rel):
            terms[document,] = 1 / rank
            for above in relevant(topic, documents[: rank - 1], rel):
                terms[above, document] = 1 / rank
    return terms


def statAP(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """Every judged document and pair counts for 1 / its chance, in the sum of precisions and in the number relevant."""
    documents = ranked(topic, cutoff, condensed=False)
    number = sum(1 / chance(topic, document) for document in relevant_documents(topic, rel))
    terms = precision_terms(topic, documents, rel)
    total = sum(value / chance(topic, *which) for which, value in terms.items())
    return total / number if number else 0.0


def statAP_variance(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """Variance of a stratified sum of what each document changes the estimate by; 0 for non-relevant ones."""
    found = relevant_documents(topic, rel)
    if not found:
        return 0.0
    number = sum(1 / chance(topic, document) for document in found)
    average = statAP(topic, cutoff, rel=rel)
    changes = dict.fromkeys(found, -average / number)
    for which, value in precision_terms(topic, ranked(topic, cutoff, condensed=False), rel).items():
        for document in which:
            changes[document] += value * chance(topic, document) / chance(topic, *which) / number
    total = 0.0
    for stratum in all_strata(topic):
        members = within(topic, pool(topic), stratum)
        seen = judged(topic, members)
        values = [changes.get(document, 0.0) for document in seen]
        if 0 < len(seen) < len(members):
            spread = sample_variance(values) if len(seen) > 1 else values[0] ** 2
            total += len(members) ** 2 * (1 - len(seen) / len(members)) / len(seen) * spread
    return total
