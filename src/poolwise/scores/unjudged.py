"""What unjudged documents leave open in ordinary scores: their share within a measure's depth, and how far they could
move scores and differences. Without numpy, as every scoring asks for the shares.
"""

from __future__ import annotations

from poolwise.measures.measure import LEFT_OUT, NONRELEVANT
from poolwise.pool.coverage import open_totals, pool_depth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments

FEW = 0.05  # a run with a larger share of unjudged documents is worth a note
ALONE = -1


class Unjudged:
    """The unjudged documents of a pool's runs, down to the depth of a measure: its cut-off, or the pool's depth."""

    def __init__(self, judgments: Judgments) -> None:
        self._judgments = judgments
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

    def words(self, measures: Sequence[Measure]) -> str:
        """What measures of one depth look at, in words; without a cut-off, a plan says the depth, or labels show it."""
        from poolwise.scores.unjudged_words import top_words

        found = self._judgments.plan is None and all(measure.cutoff is None for measure in measures)
        return top_words(self.depth(measures[0]), found)

    def shares(self, measure: Measure) -> list[float]:
        """The share of each run's documents within the depth that is not judged."""
        return [count / max(size, 1) for count, size in self.counted(self.depth(measure))]

    def reach(
        self, measure: Measure, first: Sequence[int], second: Sequence[int], threads: int = 1
    ) -> list[tuple[float, float]]:
        """The lowest and highest mean difference of pairs of runs (ALONE: of one run's mean) that labels reach.

        Labels are tried, so extremes may lie a little farther out; documents that both runs retrieve move both, if the
        pool was read with all documents.
        """
        topics = len(self._judgments.pool.topics)
        ends = self.reach_by_topic(measure, first, second, threads)
        return [(sum(low) / topics, sum(high) / topics) for low, high in ends]

    def reach_by_topic(
        self, measure: Measure, first: Sequence[int], second: Sequence[int], threads: int = 1
    ) -> list[tuple[list[float], list[float]]]:
        """The same topic by topic: for each pair the lowest and the highest differences."""
        from poolwise.scores.scoring import ask

        if not first:
            return []
        judgments = self._judgments
        labels, values = judgments.with_zero()
        asked = ask(measure, values, judgments.top)
        ends = judgments.pool.core.label_reach(
            asked, judgments.buffer, labels, self.depth(measure), list(first), list(second), threads
        )
        low, high = (list(map(float, memoryview(end).cast("B").cast("d"))) for end in ends)
        topics = len(judgments.pool.topics)
        parts = [slice(pair * topics, (pair + 1) * topics) for pair in range(len(first))]
        return [(low[part], high[part]) for part in parts]

    def notes(self, measures: Sequence[Measure], only: Sequence[int] | None = None) -> list[str]:
        """Name the runs of which more than a few percent are unjudged, with how far that could move their scores.

        With `only`, numbers of runs, no others are spoken of. Of a sample it is said what to do.
        """
        by_depth: dict[int, list[Measure]] = {}
        for measure in measures:
            if is_noted(measure):
                by_depth.setdefault(self.depth(measure), []).append(measure)
        open_runs = {depth: runs for depth in by_depth if (runs := self._open_runs(depth, only))}
        if not open_runs:
            return []
        from poolwise.pool.sample_words import sample_words
        from poolwise.scores.unjudged_words import notes_of, sample_note

        if note := sample_note(sample_words(self._judgments)):  # speaks for what is pooled, not for what is outside
            outside = {depth: self._outside_of(depth, runs) for depth, runs in open_runs.items()}
            return [note, *notes_of(self, by_depth, {depth: runs for depth, runs in outside.items() if runs})]
        return notes_of(self, by_depth, open_runs)

    def counted(self, depth: int) -> list[tuple[int, int]]:
        """How many documents of each run down to a depth are not judged, and of how many."""
        return open_totals(self._judgments, depth, unjudged=True)

    def share(self, depth: int, run: int) -> float:
        """The share of a run's documents down to a depth that is not judged."""
        count, size = self.counted(depth)[run]
        return count / max(size, 1)

    def _outside_of(self, depth: int, runs: list[int]) -> list[int]:
        """Those of some runs of which more than a few percent are not even pooled."""
        totals = open_totals(self._judgments, depth)
        return [run for run in runs if totals[run][0] > FEW * max(totals[run][1], 1)]

    def _open_runs(self, depth: int, only: Sequence[int] | None) -> list[int]:
        """Runs of which more than a few percent are unjudged, the worst first."""
        asked = range(len(self.runs)) if only is None else only
        shares = {run: self.share(depth, run) for run in asked}
        return sorted((run for run in asked if shares[run] > FEW), key=lambda run: -shares[run])


def is_noted(measure: Measure) -> bool:
    """Whether unjudged documents count as non-relevant in the measure, which is worth a note."""
    return _is_mean(measure) and measure.declaration.unjudged == NONRELEVANT and not measure.is_condensed


def can_move(measure: Measure) -> bool:
    """Whether labels of unjudged documents move the measure's mean, in a way that the core can try out."""
    declaration = measure.declaration  # labels for subtopics are not tried
    return _is_mean(measure) and declaration.unjudged in (NONRELEVANT, LEFT_OUT) and not declaration.subtopics


def _is_mean(measure: Measure) -> bool:
    """Whether a measure of the core is a plain mean over topics."""
    declaration = measure.declaration
    return declaration.function is None and declaration.aggregate.plain and not declaration.aggregate.counts
