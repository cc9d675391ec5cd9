"""Runs whose lists are much shorter than those of others: measures that look to their end favour the longer ones.

Without numpy, as every scoring asks.
"""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.measures.measure import NO_MATTER, REPORTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.measures.measure import Measure

__all__ = ["favours_long_lists", "length_notes", "median_lengths"]

MUCH = 2  # times as many documents per topic, at the median over topics
A_LIST = 10  # documents: where the longest has fewer, nothing is cut off that anybody would look at
SHOWN = 3  # runs and measures that a note names
LONGEST = 40  # signs of a measure that a note names as it is: discounts of one's own may be a thousand numbers
AT_THE_TOP = {  # what stands far down hardly moves these, or not at all
    "Compat", "ERR", "IDCG", "nERR", "Omeasure", "Pmeasure", "Pplus", "RBP", "Rprec", "RR", "Success",
}  # fmt: skip
SETS = {"SetAP", "SetF", "SetP", "SetR", "SetRelativeP", "Utility"}  # of these, the length is part of the answer


def length_notes(runs: Sequence[str], lengths: Sequence[int], measures: Sequence[Measure]) -> list[str]:
    """Say which runs list few documents beside others, if a measure looks deeper than they go.

    `lengths` are documents per topic, one number per run; 0 for a run without any.

    >>> from poolwise import AP
    >>> length_notes(["a", "b"], [100, 1000], [AP, AP @ 10])
    ['a lists 100 documents per topic, others up to 1000: AP favours longer lists; -M 100 (depth=100) cuts all alike']
    """
    longest = max(lengths, default=0)
    few = [length for length in lengths if 0 < MUCH * length < longest]
    if not few or longest < A_LIST:
        return []
    shortest = min(few)
    favouring = list(dict.fromkeys(_named(each) for each in measures if favours_long_lists(each, shortest)))
    if not favouring:
        return []
    short = sorted((length, run) for length, run in zip(lengths, runs, strict=True) if 0 < MUCH * length < longest)
    return [
        f"{_who(short)}, others up to {longest}: {_some(favouring)} favour{'s' * (len(favouring) == 1)} longer lists; "
        f"-M {shortest} (depth={shortest}) cuts all alike"
    ]


def favours_long_lists(measure: Measure, depth: int) -> bool:
    """Whether documents below a depth raise a measure, and are no part of what it asks.

    >>> from poolwise import AP, RR
    >>> [favours_long_lists(measure, 100) for measure in (AP, AP @ 100, AP @ 1000, RR)]
    [True, False, True, False]
    """
    declaration = measure.declaration
    if declaration.function is not None or declaration.subtopics or declaration.aggregate.counts:
        return False
    if declaration.unjudged in (NO_MATTER, REPORTED) or declaration.name in AT_THE_TOP | SETS:
        return False
    return measure.cutoff is None or measure.cutoff > depth


def median_lengths(retrieved: Sequence[int], runs: int) -> list[int]:
    """Documents per topic of each run, at the median over the topics it has; from runs x topics one after another."""
    topics = len(retrieved) // max(runs, 1)
    medians = []
    for run in range(runs):
        own = sorted(retrieved[run * topics : (run + 1) * topics])
        own = own[own.count(0) :]
        medians.append(own[len(own) // 2] if own else 0)
    return medians


def _named(measure: Measure) -> str:
    """A measure as a note names it: without its parameters, where these are as long as a list of weights.

    >>> from poolwise import nDCG
    >>> _named(nDCG(discount="zipf") @ 3), _named(nDCG(discount=[1 / rank for rank in range(1, 21)]) @ 20)
    ("nDCG(discount='zipf')@3", 'nDCG(...)@20')
    """
    text = str(measure)
    end = f"@{measure.cutoff}" if measure.cutoff else ""
    return text if len(text) <= LONGEST else f"{measure.name}{chr(39) * measure.is_condensed}(...){end}"


def _who(short: list[tuple[int, str]]) -> str:
    if len(short) == 1:
        return f"{short[0][1]} lists {counted(short[0][0], 'document')} per topic"
    longest = short[-1][0]
    number = f"{short[0][0]} to {longest}" if longest > short[0][0] else str(longest)
    return f"{_some([run for _, run in short])} list {number} documents per topic"


def _some(names: list[str]) -> str:
    """The first few names.

    >>> _some(["a"]), _some(["a", "b"]), _some(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b, c and 2 more')
    """
    shown = names[:SHOWN] + ([f"{len(names) - SHOWN} more"] if len(names) > SHOWN else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
