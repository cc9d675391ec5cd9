"""What a twin looks at: one topic of one run, and the words every definition shares.

Everything follows section 1 and 2 of the specification: the ranking rule, the three states of a
document, "condense first, then cut", gains and discounts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Gain = str | Mapping[int, float]
Discount = str | Sequence[float]


@dataclass(frozen=True)
class Topic:
    """One run's ranking of one topic and what is known of the documents.

    ranking: documents in rank order. labels: judged documents. pooled: documents that are pooled but
    not judged. strata: the stratum of every judged or pooled document; empty means one stratum.
    top: the highest label of the whole collection (not of this topic). subtopics: labels of judged
    documents by subtopic; empty means one subtopic.
    """

    ranking: list[str]
    labels: dict[str, int]
    pooled: set[str] = field(default_factory=set)
    strata: dict[str, int] = field(default_factory=dict)
    top: int | None = None
    subtopics: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(set(self.ranking)) != len(self.ranking):
            raise ValueError("a document is ranked twice")
        if self.pooled & set(self.labels):
            raise ValueError("a document is in exactly one state: judged, pooled or outside")
        if self.strata and set(self.strata) != set(self.labels) | self.pooled:
            raise ValueError("strata name every judged or pooled document, or nothing")


def sort_ranking(scored: dict[str, float]) -> list[str]:
    """Documents by score descending, ties by document id descending, byte by byte."""
    ranking: list[str | None] = [None] * len(scored)
    for document in scored:
        documents_before = 0
        for other in scored:
            if goes_before(other, document, scored):
                documents_before += 1
        ranking[documents_before] = document
    return [document for document in ranking if document is not None]


def goes_before(first: str, second: str, scored: dict[str, float]) -> bool:
    """Whether the first document is ranked above the second."""
    if scored[first] != scored[second]:
        return scored[first] > scored[second]
    return first.encode("utf-8") > second.encode("utf-8")


def ranked(topic: Topic, cutoff: int | None, condensed: bool) -> list[str]:
    """The list a measure reads: condense first, then cut."""
    documents = list(topic.ranking)
    if condensed:
        documents = [document for document in documents if document in topic.labels]
    if cutoff is not None:
        documents = documents[:cutoff]
    return documents


def required(cutoff: int | None, measure: str) -> int:
    """The cut-off of a measure that is only defined with one."""
    if cutoff is None:
        raise ValueError(f"{measure} needs a cut-off")
    return cutoff


def is_relevant(topic: Topic, document: str, rel: int) -> bool:
    """Judged with a label of at least rel."""
    return document in topic.labels and topic.labels[document] >= rel


def is_nonrelevant(topic: Topic, document: str, rel: int) -> bool:
    """Judged with a label below rel; negative labels are among them."""
    return document in topic.labels and topic.labels[document] < rel


def relevant_documents(topic: Topic, rel: int) -> list[str]:
    """The R judged relevant documents of the topic, retrieved or not."""
    return [document for document in topic.labels if is_relevant(topic, document, rel)]


def nonrelevant_documents(topic: Topic, rel: int) -> list[str]:
    """The N judged non-relevant documents of the topic, retrieved or not."""
    return [document for document in topic.labels if is_nonrelevant(topic, document, rel)]


def highest_label(topic: Topic, top: int | None) -> int:
    """H: the parameter if given, else the collection's highest label."""
    if top is not None:
        return top
    if topic.top is None:
        raise ValueError("the highest label of the collection is not known")
    return topic.top


def gain_of_label(label: int, gain: Gain, rel: int) -> float:
    """g(label), the first table of section 2; negative for negative labels where the table says so."""
    if not isinstance(gain, str):
        if label not in gain and "other" in gain:
            return gain_of_label(label, gain["other"], rel)
        return float(gain.get(label, 0))
    if gain == "linear":
        return float(label)
    if gain == "exp":
        if label < 0:
            return -(2.0 ** (-label) - 1)
        return 2.0**label - 1
    if gain == "binary":
        return 1.0 if label >= rel else 0.0
    raise ValueError(f"unknown gain {gain!r}")


def gain_of_document(topic: Topic, document: str, gain: Gain, rel: int) -> float:
    """The gain of a document; one that is not judged has gain 0."""
    if document not in topic.labels:
        return 0.0
    return gain_of_label(topic.labels[document], gain, rel)


def positive_gain(topic: Topic, document: str, gain: Gain, rel: int) -> float:
    """The gain for every measure but nDCG: negative gains count as 0."""
    return max(0.0, gain_of_document(topic, document, gain, rel))


def discount_at(rank: int, discount: Discount, base: float, cutoff: int | None) -> float:
    """d(r), the second table of section 2."""
    if not isinstance(discount, str):
        if cutoff is None or len(discount) < cutoff:
            raise ValueError("a list of discounts needs a cut-off and one number for each rank up to it")
        return float(discount[rank - 1])
    if discount == "log2":
        return 1 / math.log2(rank + 1)
    if discount == "jk":
        return 1.0 if rank <= base else math.log(base) / math.log(rank)
    if discount == "zipf":
        return 1 / rank
    if discount == "linear":
        if cutoff is None:
            raise ValueError("the linear discount needs a cut-off")
        return (cutoff + 1 - rank) / cutoff
    if discount == "uniform":
        return 1.0
    raise ValueError(f"unknown discount {discount!r}")
