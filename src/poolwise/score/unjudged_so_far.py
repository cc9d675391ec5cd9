"""Unjudged documents where topics are scored some at a time."""

from __future__ import annotations

from poolwise.judge.coverage import open_totals
from poolwise.score.unjudged import FEW, is_noted
from poolwise.score.unjudged_words import IN_FULL, SHOWN, other_depths, percent, sentence, top_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolwise.judge.judgments import Judgments
    from poolwise.score.measure import Measure


class UnjudgedSoFar:
    """Unjudged documents of runs whose topics are scored some at a time, down to the cut-offs of measures.

    Without a cut-off there is no note: the pool's depth shows in all topics together only.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        self.totals: dict[int, dict[str, tuple[int, int]]] = {
            measure.cutoff: {} for measure in measures if measure.cutoff and is_noted(measure)
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
        more: list[tuple[str, float]] = []
        for depth, totals in self.totals.items():
            shares = {run: totals[run][0] / max(totals[run][1], 1) for run in runs if run in totals}
            order = sorted((run for run, share in shares.items() if share > FEW), key=lambda run: -shares[run])
            if order and len(said) < IN_FULL:
                parts = [f"{percent(shares[run])} for {run}" for run in order[:SHOWN]]
                said.append(sentence(top_words(depth), parts, len(order)))
            elif order:
                more.append((top_words(depth), shares[order[0]]))
        return [*said, *other_depths(more)]


def _add(totals: dict[str, tuple[int, int]], more: Iterable[tuple[str, tuple[int, int]]]) -> None:
    for run, (count, size) in more:
        before = totals.get(run, (0, 0))
        totals[run] = before[0] + count, before[1] + size
