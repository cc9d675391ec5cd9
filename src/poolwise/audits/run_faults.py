"""What is wrong with runs, one row per fault, as an organiser sends it to participants: where it is and what to do."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NAMED = 5  # topics that a fault names
UNKNOWN = "topics that the judgments lack"


class Fault(NamedTuple):
    """One fault of a run; `where` is a place in its file, or topics."""

    run: str
    fault: str
    where: str
    what_to_do: str


def unreadable(left_out: Mapping[str, str]) -> Iterator[Fault]:
    """Runs that cannot be read, from messages that say where, what was found, what to do.

    >>> next(unreadable({"bm25": "runs/bm25.txt:3: score 'n/a' is not a number; every line needs one"}))
    Fault(run='bm25', fault="score 'n/a' is not a number", where='runs/bm25.txt:3', what_to_do='every line needs one')
    """
    for run, message in left_out.items():
        where, _, words = message.partition(": ")
        fault, _, advice = words.partition("; ")
        yield Fault(run, fault, where, advice or "mend the file and send it again")


def of_topics(runs: Sequence[str], missing: Sequence[Sequence[str]], unknown: Sequence[int]) -> Iterator[Fault]:
    """Runs that lack topics, and runs with topics that the judgments lack."""
    for run, topics in zip(runs, missing, strict=True):
        if topics:
            yield Fault(
                run, f"topics without a document: {len(topics)}", first_few(topics), "add them, or they score 0"
            )
    for run, number in zip(runs, unknown, strict=True):
        if number:
            yield unknown_topics(run, number)


def unknown_topics(run: str, number: int, names: Sequence[str] = ()) -> Fault:
    """Topics that the judgments lack, with some of their names where these are known."""
    return Fault(run, f"{UNKNOWN}: {number}", first_few(names), "leave them out, or check their names")


def not_as_they_seem(
    runs: Sequence[str], same_as: Sequence[str], reversed_by: Sequence[str], repeated: Sequence[int]
) -> Iterator[Fault]:
    """Copies, rankings that are upside down, repeated documents."""
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
    """The first few of many names.

    >>> first_few(["1", "2", "3", "4", "5", "6", "7"])
    '1, 2, 3, 4, 5 and 2 more'
    """
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
