"""What unjudged documents leave open in ordinary scores: their share within a measure's depth, and how far they could
move scores and differences. Without numpy, as every scoring asks for the shares.
"""

from __future__ import annotations

from poolwise.judge.coverage import NO_LIMIT, open_totals, pool_depth
from poolwise.score.measure import LEFT_OUT, NONRELEVANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolwise.judge.judgments import Judgments
    from poolwise.score.measure import Measure

FEW = 0.05  # a run with a larger share of unjudged documents is worth a note
SHOWN = 3  # runs that a note names
MOST_MEASURES = 4  # whose ranges a note gives
IN_FULL = 2  # depths with a note of their own; one more note is enough for all others, as trec_eval's groups have nine
LONGEST = 40  # signs of a measure that a note names: discounts of one's own may be a thousand numbers
MOST_TRIED = 1_000_000  # unjudged documents whose labels are tried for a note; beyond, it says shares alone
ALONE = -1
BELOW = "; unjudged documents farther down are taken as non-relevant in these ranges"


class Unjudged:
    """The unjudged documents of a pool's runs, down to the depth of a measure: its cut-off, or the pool's depth."""

    def __init__(self, judgments: Judgments) -> None:
        self._judgments = judgments
        self._totals: dict[int, list[tuple[int, int]]] = {}
        self._pool_depth = 0

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Scores that go to other processes leave the pool behind."""
        return type(None), ()

    @property
    def runs(self) -> list[str]:
        """The runs, in the order of shares."""
        return self._judgments.pool.runs

    def depth(self, measure: Measure) -> int:
        """The rank down to which unjudged documents count."""
        if measure.cutoff:
            return int(measure.cutoff)
        if not self._pool_depth:
            self._pool_depth = pool_depth(self._judgments)
        return self._pool_depth

    def shares(self, measure: Measure) -> list[float]:
        """The share of each run's documents within the depth that is not judged."""
        return [count / max(size, 1) for count, size in self._counted(self.depth(measure))]

    def _counted(self, depth: int) -> list[tuple[int, int]]:
        """How many documents of each run down to a depth are not judged, and of how many."""
        if depth not in self._totals:
            self._totals[depth] = open_totals(self._judgments, depth, unjudged=True)
        return self._totals[depth]

    def reach(
        self, measure: Measure, first: Sequence[int], second: Sequence[int], threads: int = 1
    ) -> list[tuple[float, float]]:
        """The lowest and highest mean difference of pairs of runs (ALONE: of one run's mean) that labels reach.

        Labels are tried, so extremes may lie a little farther out; documents that both runs retrieve move both, if the
        pool was read with all documents.
        """
        from poolwise.score.scoring import ask

        if not first:
            return []
        judgments = self._judgments
        labels, values = judgments.with_zero()
        asked = ask(measure, values, judgments.top)
        ends = judgments.pool.core.label_reach(
            asked, judgments.buffer, labels, self.depth(measure), list(first), list(second), threads
        )
        low, high = (memoryview(end).cast("B").cast("d").tolist() for end in ends)
        topics = len(judgments.pool.topics)
        parts = [slice(pair * topics, (pair + 1) * topics) for pair in range(len(first))]
        return [(sum(low[part]) / topics, sum(high[part]) / topics) for part in parts]

    def notes(self, measures: Sequence[Measure], only: int | None = None) -> list[str]:
        """Name the runs of which more than a few percent are unjudged, with how far that could move their scores.

        With `only`, the number of a run, it is the only one that is spoken of.
        """
        by_depth: dict[int, list[Measure]] = {}
        for measure in measures:
            if _is_noted(measure):
                by_depth.setdefault(self.depth(measure), []).append(measure)
        open_runs = {depth: self._open_runs(depth, only) for depth in by_depth}
        depths = [depth for depth, runs in open_runs.items() if runs]
        said = [self._note(depth, by_depth[depth], open_runs[depth]) for depth in depths[:IN_FULL]]
        return [*said, *_other_depths((depth, self._share(depth, open_runs[depth][0])) for depth in depths[IN_FULL:])]

    def _share(self, depth: int, run: int) -> float:
        count, size = self._counted(depth)[run]
        return count / max(size, 1)

    def _open_runs(self, depth: int, only: int | None) -> list[int]:
        """Runs of which more than a few percent are unjudged, the worst first."""
        asked = range(len(self.runs)) if only is None else [only]
        shares = {run: self._share(depth, run) for run in asked}
        return sorted((run for run in asked if shares[run] > FEW), key=lambda run: -shares[run])

    def _note(self, depth: int, measures: list[Measure], order: list[int]) -> str:
        shown = order[:SHOWN]
        named = [measure for measure in measures if len(str(measure)) <= LONGEST][:MOST_MEASURES]
        tried = len(named) * sum(self._counted(depth)[run][0] for run in shown)
        ends = [self.reach(measure, shown, [ALONE] * len(shown)) for measure in named if tried <= MOST_TRIED]
        parts = []
        for place, run in enumerate(shown):
            own = [(measure, *found[place]) for measure, found in zip(named, ends, strict=False)]
            moved = [(measure, low, high) for measure, low, high in own if f"{low:.4f}" != f"{high:.4f}"]
            words = ", ".join(f"{measure} {low:.4f} to {high:.4f}" for measure, low, high in moved)
            share = percent(self._share(depth, run))
            parts.append(f"{share} for {self.runs[run]}{f' (their labels could make {words})' if words else ''}")
        below = ends and depth != NO_LIMIT and any(measure.cutoff is None for measure in named)
        return _sentence(depth, parts, len(order)) + (BELOW if below else "")


class UnjudgedSoFar:
    """Unjudged documents of runs whose topics are scored some at a time, down to the cut-offs of measures.

    Without a cut-off there is no note: the pool's depth shows in all topics together only.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        self.totals: dict[int, dict[str, tuple[int, int]]] = {
            measure.cutoff: {} for measure in measures if measure.cutoff and _is_noted(measure)
        }

    def count(self, judgments: Judgments) -> None:
        """Take in the topics of a pool."""
        for depth, totals in self.totals.items():
            _add(totals, zip(judgments.pool.runs, open_totals(judgments, depth, unjudged=True), strict=True))

    def add(self, other: UnjudgedSoFar) -> None:
        """Take in what was counted elsewhere."""
        for depth, totals in self.totals.items():
            _add(totals, other.totals[depth].items())

    def notes(self, runs: Sequence[str]) -> list[str]:
        """Name the runs of which more than a few percent are unjudged."""
        said: list[str] = []
        more: list[tuple[int, float]] = []
        for depth, totals in self.totals.items():
            shares = {run: totals[run][0] / max(totals[run][1], 1) for run in runs if run in totals}
            order = sorted((run for run, share in shares.items() if share > FEW), key=lambda run: -shares[run])
            if order and len(said) < IN_FULL:
                parts = [f"{percent(shares[run])} for {run}" for run in order[:SHOWN]]
                said.append(_sentence(depth, parts, len(order)))
            elif order:
                more.append((depth, shares[order[0]]))
        return [*said, *_other_depths(more)]


def _add(totals: dict[str, tuple[int, int]], more: Iterable[tuple[str, tuple[int, int]]]) -> None:
    for run, (count, size) in more:
        before = totals.get(run, (0, 0))
        totals[run] = before[0] + count, before[1] + size


def _sentence(depth: int, parts: list[str], runs: int) -> str:
    more = f" and less for {runs - SHOWN} more runs" if runs > SHOWN else ""
    return f"part of {top_words(depth)} is not judged and counts as non-relevant: {', '.join(parts)}{more}"


def _other_depths(shares: Iterable[tuple[int, float]]) -> list[str]:
    """One note for all further depths, by the largest share of a run."""
    parts = [f"{percent(share)} of {top_words(depth)}" for depth, share in shares]
    return [f"nor are judged up to {', '.join(parts)}, which count as non-relevant too"] if parts else []


def _is_noted(measure: Measure) -> bool:
    return can_move(measure) and measure.declaration.unjudged == NONRELEVANT and not measure.is_condensed


def can_move(measure: Measure) -> bool:
    """Whether labels of unjudged documents move the measure's mean, in a way that the core can try out."""
    declaration = measure.declaration
    return (
        declaration.function is None
        and declaration.unjudged in (NONRELEVANT, LEFT_OUT)
        and declaration.aggregate.plain
        and not declaration.aggregate.counts
    )


def top_words(depth: int) -> str:
    """The documents down to a depth, in words."""
    return "all that was retrieved" if depth == NO_LIMIT else f"the top {depth}"


def percent(share: float) -> str:
    """A share in words.

    >>> percent(0.134), percent(0.004), percent(0.9999), percent(1.0)
    ('13 %', '0.4 %', 'over 99 %', '100 %')
    """
    return "100 %" if share == 1.0 else "over 99 %" if share >= 0.995 else f"{100 * share:.2g} %"
