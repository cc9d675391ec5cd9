"""What notes say of unjudged documents. Loaded when there is something to say."""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.pool.coverage import NO_LIMIT
from poolwise.pool.sample_words import INSTEAD
from poolwise.scores.list_lengths import LONGEST
from poolwise.scores.unjudged import ALONE, can_move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolwise.measures.measure import Measure
    from poolwise.scores.unjudged import Unjudged

SHOWN = 3  # runs that a note names
MOST_MEASURES = 2  # whose ranges a note gives
IN_FULL = 2  # depths with a note of their own; one more note is enough for all others, as trec_eval's groups have nine
MOST_TRIED = 1_000_000  # unjudged documents whose labels are tried for a note; beyond, it says shares alone
BELOW = "; unjudged documents farther down are taken as non-relevant in these ranges"


def notes_of(unjudged: Unjudged, measures: dict[int, list[Measure]], open_runs: dict[int, list[int]]) -> list[str]:
    """Name the runs that are open down to each depth, the worst first, and how far that could move their scores."""
    depths = list(open_runs)
    said = [_note(unjudged, depth, measures[depth], open_runs[depth]) for depth in depths[:IN_FULL]]
    more = [(unjudged.words(measures[depth]), unjudged.share(depth, open_runs[depth][0])) for depth in depths[IN_FULL:]]
    return [*said, *other_depths(more)]


def sample_note(words: str) -> str:
    """What plain scores are worth on a sample, from the words for its size; nothing if there are none."""
    return f"{words}, and what is not judged counts as non-relevant here: {INSTEAD}" if words else ""


def _note(unjudged: Unjudged, depth: int, measures: list[Measure], order: list[int]) -> str:
    shown = order[:SHOWN]
    named = [measure for measure in measures if can_move(measure) and len(str(measure)) <= LONGEST][:MOST_MEASURES]
    tried = len(named) * sum(unjudged.counted(depth)[run][0] for run in shown)
    ends = [unjudged.reach(measure, shown, [ALONE] * len(shown)) for measure in named if tried <= MOST_TRIED]
    parts = []
    for place, run in enumerate(shown):
        own = [(measure, *own_ends[place]) for measure, own_ends in zip(named, ends, strict=False)]
        moved = [(measure, low, high) for measure, low, high in own if f"{low:.4f}" != f"{high:.4f}"]
        words = ", ".join(f"{measure} {low:.4f} to {high:.4f}" for measure, low, high in moved)
        share = percent(unjudged.share(depth, run))
        parts.append(f"{share} for {unjudged.runs[run]}{f' (their labels could make {words})' if words else ''}")
    below = ends and depth != NO_LIMIT and any(measure.cutoff is None for measure in named)
    return sentence(unjudged.words(measures), parts, len(order)) + (BELOW if below else "")


def sentence(top: str, parts: list[str], runs: int) -> str:
    """The note on the documents down to a depth: runs with their shares, and how many runs there are."""
    more = f" and less for {counted(runs - SHOWN, 'more run')}" if runs > SHOWN else ""
    return f"part of {top} is not judged and counts as non-relevant: {', '.join(parts)}{more}"


def other_depths(shares: Iterable[tuple[str, float]]) -> list[str]:
    """One note for all further depths, by the largest share of a run."""
    parts = [f"{percent(share)} of {top}" for top, share in shares]
    return [f"nor are judged up to {', '.join(parts)}, which count as non-relevant too"] if parts else []


def top_words(depth: int, found: bool = False) -> str:
    """The documents down to a depth, in words; `found` means that nobody said the depth, but labels end there.

    >>> top_words(10), top_words(13, found=True)
    ('the top 10', 'what stands down to rank 13 (where judging seems to have stopped)')
    """
    if depth == NO_LIMIT:
        return "all that was retrieved"
    return f"what stands down to rank {depth} (where judging seems to have stopped)" if found else f"the top {depth}"


def percent(share: float) -> str:
    """A share in words.

    >>> percent(0.134), percent(0.004), percent(0.9999), percent(1.0)
    ('13 %', '0.4 %', 'over 99 %', '100 %')
    """
    return "100 %" if share == 1.0 else "over 99 %" if share >= 0.995 else f"{100 * share:.2g} %"
