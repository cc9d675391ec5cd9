"""Sums and counts over topics that are scored some at a time, and their scores, which wait in a temporary file."""

from __future__ import annotations

from array import array
from collections import Counter

from poolwise.errors import PoolwiseError
from poolwise.measures.aggregate import sum_terms
from poolwise.pool.coverage import judged_and_listed, readable_plan, words_of_size
from poolwise.pool.judgments import open_totals
from poolwise.pool.pool import RUN_COUNTS
from poolwise.reading.topic_ranges import Spool
from poolwise.scores.score_notes import (
    FEW,
    IN_FULL,
    LACKED,
    SHOWN,
    is_noted,
    other_depths,
    percent,
    sample_note,
    sentence,
    top_words,
)
from poolwise.scores.scoring import relevant_from, topics_without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool


class LengthsSoFar:
    """Of each run, by name, how many topics have a list of each length; 0 where the run lacks the topic."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[int]] = {}

    def count(self, runs: Sequence[str], retrieved: Sequence[int]) -> None:
        """Take in some topics: runs x topics one after another."""
        topics = len(retrieved) // max(len(runs), 1)
        for index, run in enumerate(runs):
            self._of(run).update(retrieved[index * topics : (index + 1) * topics])

    def add(self, other: LengthsSoFar) -> None:
        """Take in what was counted elsewhere."""
        for run, lengths in other.counts.items():
            self._of(run).update(lengths)

    def medians(self, runs: Sequence[str]) -> list[int]:
        """Documents per topic of each run, at the median over the topics it has, as `median_lengths` has it.

        >>> so_far = LengthsSoFar()
        >>> so_far.count(["a", "b"], [0, 3, 5, 7, 7, 0])
        >>> so_far.medians(["b", "a", "c"])
        [7, 5, 0]
        """
        return [_median(self.counts.get(run, {})) for run in runs]

    def _of(self, run: str) -> Counter[int]:
        return self.counts.setdefault(run, Counter())


def _median(topics_by_length: dict[int, int]) -> int:
    """The middle length, the upper one of two, of the topics that there are."""
    there = sorted((length, topics) for length, topics in topics_by_length.items() if length)
    before = sum(topics for _, topics in there) // 2
    for length, topics in there:
        if before < topics:
            return length
        before -= topics
    return 0


if TYPE_CHECKING:
    UnjudgedTotals: TypeAlias = dict[
        int, dict[str, tuple[int, int]]
    ]  # by depth and run: how many documents, of how many


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
        self.totals: UnjudgedTotals = {measure.cutoff: {} for measure in noted if measure.cutoff}
        self.outside: UnjudgedTotals = {depth: {} for depth in self.totals}

    def count(self, judgments: Judgments) -> None:
        """Take in the topics of a pool."""
        for kind, unjudged in ((self.totals, True), (self.outside, False)):
            for depth, totals in kind.items():
                _add(totals, zip(judgments.pool.runs, open_totals(judgments, depth, unjudged), strict=True))

    def add(self, other: UnjudgedSoFar) -> None:
        """Take in what was counted elsewhere."""
        for known, more in ((self.totals, other.totals), (self.outside, other.outside)):
            for depth, totals in known.items():
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
        notes: list[str] = []
        more: list[tuple[str, float]] = []
        for depth, order in runs.items():
            shares = {run: _share(self.totals[depth][run]) for run in order}
            if order and len(notes) < IN_FULL:
                parts = [f"{percent(shares[run])} for {run}" for run in order[:SHOWN]]
                notes.append(sentence(top_words(depth), parts, len(order)))
            elif order:
                more.append((top_words(depth), shares[order[0]]))
        return [*notes, *other_depths(more)]


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


LABEL_COUNTS = ("label_lines", "label_blank", "label_duplicates", "label_comments")
FIRST_TOPICS = 50  # that are kept to be shown


class TopicTotals:
    """Results of a range of topics: scores, lists, counts, bad runs and what to warn of; runs come some at a time."""

    def __init__(self, measures: list[Measure]) -> None:
        self.topics: list[str] = []
        self.errors: dict[int, PoolwiseError] = {}
        self.retrieved = array("i")  # runs x topics
        self.run_counts: list[list[int]] = []
        self.label_counts = [0] * len(LABEL_COUNTS)
        self.without: list[list[str]] = []
        self.unjudged, self.sample, self.lengths = UnjudgedSoFar(measures), SampleSoFar(), LengthsSoFar()
        self._measures = measures
        self._values: list[memoryview] = []  # by group of runs: measures x runs x topics

    def add_runs(self, pool: Pool, values: Any, judgments: Judgments, errors: dict[int, PoolwiseError]) -> None:
        """Take in the next runs, joined with the same judgments as those before."""
        if not self.run_counts:
            self.topics = pool.topics
            self.label_counts = [getattr(pool.core, name) for name in LABEL_COUNTS]
            self.without = [topics_without(pool, judgments, rel) for rel in relevant_from(self._measures)]
            if pool.topics:
                self.sample.count(judgments)
        self.errors |= {len(self.run_counts) + run: error for run, error in errors.items()}
        self.run_counts += pool.core.run_counts()
        if pool.topics:
            retrieved = array("i", pool.retrieved().tobytes())
            self.retrieved += retrieved
            self.unjudged.count(judgments)
            self.lengths.count(pool.runs, retrieved)
            self._values.append(memoryview(values).cast("B"))

    def values(self) -> array[float]:
        """Scores of all runs, measures x runs x topics."""
        count = len(self._measures)
        parts = (
            group[m * len(group) // count :][: len(group) // count] for m in range(count) for group in self._values
        )
        return array("d", b"".join(parts))


class Totals:
    """Sums and counts over the ranges so far, and bad runs with the first error of each."""

    label_lines = label_blank = label_duplicates = label_comments = 0

    def __init__(self, measures: list[Measure], runs: int, missing: str, per_topic: bool) -> None:
        self.measures, self.runs, self.missing = measures, runs, missing
        self.topic_scores = TopicScores(len(measures) * runs) if per_topic else None
        self.aggregates = [measure.declaration.aggregate for measure in measures]
        self.topics = 0
        self.first_topics: list[str] = []  # to be shown where a run has none of them
        self.sums = array("d", bytes(8 * runs * len(measures)))
        self.lacking = [0] * runs
        self.lacked: list[list[str]] = [[] for _ in range(runs)]  # the first topics that each run lacks
        self.counts = [[0] * len(RUN_COUNTS) for _ in range(runs)]
        self.errors: dict[int, PoolwiseError] = {}
        self.without: list[tuple[int, list[str]]] = [(0, []) for _ in relevant_from(measures)]
        self.unjudged, self.sample, self.lengths = UnjudgedSoFar(measures), SampleSoFar(), LengthsSoFar()

    def run_counts(self) -> list[list[int]]:
        """Lines of each run and what became of them, as a pool says it."""
        return self.counts

    def add(self, part: TopicTotals) -> None:
        """Take in the next range of topics."""
        topics = len(part.topics)
        self.topics += topics
        self.first_topics += part.topics[: FIRST_TOPICS - len(self.first_topics)]
        self.counts = [
            [a + b for a, b in zip(old, new, strict=True)]
            for old, new in zip(self.counts, part.run_counts, strict=True)
        ]
        for name, count in zip(LABEL_COUNTS, part.label_counts, strict=True):
            setattr(self, name, getattr(self, name) + count)
        self.errors = {**part.errors, **self.errors}
        self.without = [
            (count + len(new), first + new[: 11 - len(first)])
            for (count, first), new in zip(self.without, part.without, strict=True)
        ]
        self.unjudged.add(part.unjudged)
        self.sample.add(part.sample)
        self.lengths.add(part.lengths)
        if topics:
            self._add_topics(part, topics)

    def _add_topics(self, part: TopicTotals, topics: int) -> None:
        for run in range(self.runs):
            lengths = part.retrieved[run * topics : (run + 1) * topics]
            self.lacking[run] += lengths.count(0)
            if len(self.lacked[run]) < LACKED:
                left = [topic for topic, length in zip(part.topics, lengths, strict=True) if not length]
                self.lacked[run] += left[: LACKED - len(self.lacked[run])]
        counted = part.retrieved if self.missing == "skip" else None
        values = part.values()
        sums = sum_terms(self.aggregates, values, counted, self.runs, topics, self.sums)
        self.sums = array("d", sums.tobytes())
        if self.topic_scores is not None:
            self.topic_scores.add(part.topics, values, part.retrieved)


class TopicScores:
    """Scores of single topics, on disk: range after range, in each the scores by measure and run, then the lists."""

    def __init__(self, columns: int) -> None:
        self.topics: list[str] = []
        self._columns = columns
        self._spool = Spool()
        self._ranges: list[tuple[int, int]] = []  # where each begins, and how many topics it has

    def add(self, topics: list[str], values: array[float], retrieved: array[int]) -> None:
        """Write a range of topics."""
        self._ranges.append((self._spool.write(values, retrieved), len(topics)))
        self.topics += topics

    def column(self, number: int) -> array[float]:
        """The scores of a measure and run (measures x runs), by topic."""
        return array("d", b"".join(self._spool.read(at + number * n * 8, n * 8) for at, n in self._ranges))

    def retrieved(self, run: int) -> array[int]:
        """How many documents a run retrieved, by topic."""
        begins = ((at + (self._columns * 8 + run * 4) * n, n) for at, n in self._ranges)
        return array("i", b"".join(self._spool.read(begin, n * 4) for begin, n in begins))
