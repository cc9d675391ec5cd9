"""Faults of runs for their participants: one row per fault, with its place and what to do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool

FEWEST = 3  # topics on which the ranking and its reverse differ; with fewer chance can reverse all
# A run is reported as reversed if its reverse is better on this share of topics, and by this factor in all. Chosen by
# hand: a bad run is hardly worse than its reverse, a reversed one by far more.
MOST_TOPICS, TWICE = 0.75, 2.0


def same_as(pool: Pool) -> list[str]:
    """For each run the first earlier run with the same rankings, or an empty text.

    Only listed documents are compared, with their ranks, if the pool keeps no others.

    >>> from poolwise import read
    >>> runs = {"one": {"1": {"a": 2.0, "b": 1.0}}, "two": {"1": {"a": 9.0, "b": 3.0}}, "three": {"1": {"b": 1.0}}}
    >>> same_as(read({"1": {"a": 1}}, runs))
    ['', 'one', '']
    """
    first: dict[bytes, str] = {}
    pairs = []
    for number, run in enumerate(pool.runs):
        before = first.setdefault(_digest(pool, number), run)
        pairs.append("" if before == run else before)
    return pairs


def _digest(pool: Pool, run: int) -> bytes:
    from hashlib import blake2b

    # Lengths first, so that equal prefixes of different topics differ.
    made = blake2b(np.asarray(pool.retrieved())[run].tobytes(), digest_size=16)
    for topic in range(len(pool.topics)):
        made.update(bytes(pool.all_documents(run, topic)))
    return made.digest()


def upside_down(judgments: Judgments) -> list[bool]:
    """Whether each run ranks relevant documents last: its reverse has twice its AP, and more on most topics.

    >>> from poolwise import read
    >>> topics = ("1", "2", "3")
    >>> qrels = {topic: {f"d{number}": int(number < 2) for number in range(9)} for topic in topics}
    >>> scores = {f"d{number}": -float(number) for number in range(9)}
    >>> negated = {document: -score for document, score in scores.items()}
    >>> runs = {"right": dict.fromkeys(topics, scores), "wrong": dict.fromkeys(topics, negated)}
    >>> upside_down(read(qrels, runs).judgments)
    [False, True]
    """
    pool, labels, offsets = judgments.pool, judgments.classes, judgments.offsets
    relevant = labels >= pool.lowest_label(1)
    retrieved = np.asarray(pool.retrieved())
    reversed_runs = []
    for run in range(len(pool.runs)):
        pairs = []
        for topic in np.flatnonzero(retrieved[run]).tolist():
            ranks, documents = (np.asarray(part, dtype=np.int64) for part in pool.known(run, topic))
            good = ranks[relevant[offsets[topic] + documents]]
            pairs.append((_precision_sum(good), _precision_sum(retrieved[run, topic] + 1 - good)))
        reversed_runs.append(_is_upside_down(np.asarray(pairs, dtype=float).reshape(-1, 2)))
    return reversed_runs


def _precision_sum(ranks: NDArray[np.int64]) -> float:
    """Precision at each relevant document, summed: AP times the relevant documents of the topic."""
    return float((np.arange(1, len(ranks) + 1) / np.sort(ranks)).sum())


def _is_upside_down(pairs: NDArray[np.float64]) -> bool:
    # Topics without relevant documents in the ranking are equal both ways and show no direction.
    forwards, backwards = pairs[pairs[:, 0] != pairs[:, 1]].T
    better = int((backwards > forwards).sum())
    enough = len(forwards) >= FEWEST and better >= MOST_TOPICS * len(forwards)
    return bool(enough and backwards.sum() >= TWICE * forwards.sum())


NAMED = 5  # topics that a fault names; a line of a report holds about as many
UNKNOWN = "topics that the judgments lack"


class Fault(NamedTuple):
    """A fault of a run. `where` is a line of its file, or topics."""

    run: str
    fault: str
    where: str
    what_to_do: str


def unreadable(left_out: Mapping[str, str]) -> Iterator[Fault]:
    """Faults of unreadable runs, from messages of the form `where: found; what to do`.

    >>> next(unreadable({"bm25": "runs/bm25.txt:3: score 'n/a' is not a number; every line needs one"}))
    Fault(run='bm25', fault="score 'n/a' is not a number", where='runs/bm25.txt:3', what_to_do='every line needs one')
    """
    for run, message in left_out.items():
        where, _, words = message.partition(": ")
        fault, _, advice = words.partition("; ")
        yield Fault(run, fault, where, advice or "mend the file and send it again")


def of_topics(runs: Sequence[str], missing: Sequence[Sequence[str]], unknown: Sequence[int]) -> Iterator[Fault]:
    """Faults of runs that lack topics, or have topics without judgments."""
    for run, topics in zip(runs, missing, strict=True):
        if topics:
            yield Fault(
                run, f"topics without a document: {len(topics)}", first_few(topics), "add them, or they score 0"
            )
    for run, number in zip(runs, unknown, strict=True):
        if number:
            yield unknown_topics(run, number)


def unknown_topics(run: str, number: int, names: Sequence[str] = ()) -> Fault:
    """Fault of a run with topics that the judgments lack, with some of their names if known."""
    return Fault(run, f"{UNKNOWN}: {number}", first_few(names), "leave them out, or check their names")


def not_as_they_seem(
    runs: Sequence[str], same_as: Sequence[str], reversed_by: Sequence[str], repeated: Sequence[int]
) -> Iterator[Fault]:
    """Faults of copies, reversed rankings and repeated documents."""
    for run, other, why, number in zip(runs, same_as, reversed_by, repeated, strict=True):
        if other:
            yield Fault(run, f"has the rankings of {other}", "", "send the right file, or withdraw one of the two")
        if why == "ranks":
            yield Fault(
                run, "scores rise with the ranks of the file", "", "negate the scores: the highest counts as best"
            )
        elif why:
            yield Fault(
                run, "would score far better upside down", "", "negate the scores if they are distances or ranks"
            )
        if number:
            yield Fault(run, f"documents listed twice in a topic: {number}", "", "list each document once per topic")


def first_few(names: Sequence[str]) -> str:
    """The first names, and the number of the others.

    >>> first_few(["1", "2", "3", "4", "5", "6", "7"])
    '1, 2, 3, 4, 5 and 2 more'
    """
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
