"""Slow literal twins of measures of a set: what was retrieved, whatever its order."""

from __future__ import annotations

from .rank import P, R, count_relevant
from .topic import Topic, is_nonrelevant, ranked, relevant_documents, required


def counted(topic: Topic, documents: list[str], rel: int) -> tuple[int, int, int]:
    """Relevant documents among these, how many these are, and R."""
    return count_relevant(topic, documents, rel), len(documents), len(relevant_documents(topic, rel))


def SetP(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Relevant retrieved divided by retrieved."""
    found, retrieved, _ = counted(topic, ranked(topic, cutoff, condensed), rel)
    return found / retrieved if retrieved else 0.0


def SetR(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Relevant retrieved divided by R."""
    found, _, relevant = counted(topic, ranked(topic, cutoff, condensed), rel)
    return found / relevant if relevant else 0.0


def SetF(topic: Topic, cutoff: int | None = None, *, rel: int = 1, beta: float = 1, condensed: bool = False) -> float:
    """The harmonic mean of precision and recall; recall weighs beta times as much."""
    precision = SetP(topic, cutoff, rel=rel, condensed=condensed)
    recall = SetR(topic, cutoff, rel=rel, condensed=condensed)
    if precision == 0 or recall == 0:
        return 0.0
    return (1 + beta) / (1 / precision + beta / recall)


def F1(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """The harmonic mean of precision and recall of the top k."""
    required(cutoff, "F1")
    precision = P(topic, cutoff, rel=rel, condensed=condensed)
    recall = R(topic, cutoff, rel=rel, condensed=condensed)
    return 2 / (1 / precision + 1 / recall) if precision > 0 and recall > 0 else 0.0


def SetAP(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Precision times recall."""
    return SetP(topic, cutoff, rel=rel, condensed=condensed) * SetR(topic, cutoff, rel=rel, condensed=condensed)


def SetRelativeP(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Relevant retrieved divided by how many these could be."""
    found, retrieved, relevant = counted(topic, ranked(topic, cutoff, condensed), rel)
    return found / min(retrieved, relevant) if retrieved and relevant else 0.0


def RelativeP(topic: Topic, cutoff: int | None = None, *, rel: int = 1, condensed: bool = False) -> float:
    """Relevant in the top k, divided by how many these could be however long the list."""
    depth = required(cutoff, "RelativeP")
    found, _, relevant = counted(topic, ranked(topic, depth, condensed), rel)
    return found / min(depth, relevant) if relevant else 0.0


def Utility(
    topic: Topic,
    cutoff: int | None = None,
    *,
    rel: int = 1,
    hit: float = 1,
    false_alarm: float = -1,
    missed: float = 0,
    rejected: float = 0,
    collection: float = 0,
    condensed: bool = False,
) -> float:
    """A sum over the four cells of retrieved or not, relevant or not."""
    found, retrieved, relevant = counted(topic, ranked(topic, cutoff, condensed), rel)
    others = collection - relevant - (retrieved - found)
    return hit * found + false_alarm * (retrieved - found) + missed * (relevant - found) + rejected * others


def NumNonrelRet(topic: Topic, cutoff: int | None = None, *, rel: int = 1) -> float:
    """Judged documents retrieved that are not relevant."""
    return float(len([each for each in ranked(topic, cutoff, condensed=False) if is_nonrelevant(topic, each, rel)]))
