"""Unjudged documents where topics are scored some at a time."""

from __future__ import annotations

from poolwise.pool.coverage import open_totals
from poolwise.pool.lost_lines import readable_plan
from poolwise.pool.sample_words import judged_and_listed, words_of_size
from poolwise.scores.unjudged import FEW, is_noted
from poolwise.scores.unjudged_words import IN_FULL, SHOWN, other_depths, percent, sample_note, sentence, top_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments

    Totals: TypeAlias = dict[int, dict[str, tuple[int, int]]]  # by depth and run: how many documents, of how many


class SampleSoFar:
    """How many documents have a label, how many a line, and how many the plan says there are, where one says so."""

    def __init__(self) -> None:
        self.judged = self.listed = self.planned = 0

    def count(self, judgments: Judgments) -> None:
        """Take in the topics of a pool; a plan's comments begin its file, so that the first topics have them."""
        judged, listed = judged_and_listed(judgments)
        self.judged, self.listed = self.judged + judged, self.listed + listed
        if (plan := readable_plan(judgments)) is not None:
            self.planned += sum(plan.pooled.values())

    def add(self, other: SampleSoFar) -> None:
        """Take in what was counted elsewhere, of other topics."""
        self.judged, self.listed = self.judged + other.judged, self.listed + other.listed
        self.planned += other.planned

    def words(self) -> str:
        """How large a sample it is; nothing if nearly all is judged."""
        return words_of_size(self.judged, self.listed, max(self.planned - self.listed, 0))


class UnjudgedSoFar:
    """Unjudged documents of runs whose topics are scored some at a time, down to the cut-offs of measures.

    Without a cut-off no shares are noted: the pool's depth shows in all topics together only.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        noted = [measure for measure in measures if is_noted(measure)]
        self.to_the_end = any(not measure.cutoff for measure in noted)
        self.totals: Totals = {measure.cutoff: {} for measure in noted if measure.cutoff}
        self.outside: Totals = {depth: {} for depth in self.totals}

    def count(self, judgments: Judgments) -> None:
        """Take in the topics of a pool."""
        for kind, unjudged in ((self.totals, True), (self.outside, False)):
            for depth, totals in kind.items():
                _add(totals, zip(judgments.pool.runs, open_totals(judgments, depth, unjudged), strict=True))

    def add(self, other: UnjudgedSoFar) -> None:
        """Take in what was counted elsewhere."""
        for own, more in ((self.totals, other.totals), (self.outside, other.outside)):
            for depth, totals in own.items():
                _add(totals, more[depth].items())

    def notes(self, runs: Sequence[str], sample: str = "") -> list[str]:
        """Name the runs of which more than a few percent are unjudged; of a sample, with words for its size, say so.

        That note speaks for what is pooled: runs are named then of which more than a few percent are outside.
        """
        order = {depth: _open_runs(totals, runs) for depth, totals in self.totals.items()}
        if not sample or not (self.to_the_end or any(order.values())):
            return self._named(order)
        outside = {depth: _open_runs(totals, runs) for depth, totals in self.outside.items()}
        both = {depth: [run for run in named if run in outside[depth]] for depth, named in order.items()}
        return [sample_note(sample), *self._named(both)]

    def _named(self, runs: dict[int, list[str]]) -> list[str]:
        """Runs by depth, the worst first, with their shares."""
        said: list[str] = []
        more: list[tuple[str, float]] = []
        for depth, order in runs.items():
            shares = {run: _share(self.totals[depth][run]) for run in order}
            if order and len(said) < IN_FULL:
                parts = [f"{percent(shares[run])} for {run}" for run in order[:SHOWN]]
                said.append(sentence(top_words(depth), parts, len(order)))
            elif order:
                more.append((top_words(depth), shares[order[0]]))
        return [*said, *other_depths(more)]


def _open_runs(totals: Mapping[str, tuple[int, int]], runs: Sequence[str]) -> list[str]:
    """Runs of which more than a few percent are open, the worst first."""
    shares = {run: _share(totals[run]) for run in runs if run in totals}
    return sorted((run for run, share in shares.items() if share > FEW), key=lambda run: -shares[run])


def _share(total: tuple[int, int]) -> float:
    return total[0] / max(total[1], 1)


def _add(totals: dict[str, tuple[int, int]], more: Iterable[tuple[str, tuple[int, int]]]) -> None:
    for run, (count, size) in more:
        before = totals.get(run, (0, 0))
        totals[run] = before[0] + count, before[1] + size
