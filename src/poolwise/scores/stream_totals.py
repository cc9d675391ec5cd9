"""Sums and counts over topics that are scored some at a time, and their scores, which wait in a temporary file."""

from __future__ import annotations

from array import array
from collections import Counter
from tempfile import TemporaryFile
from weakref import finalize

from poolwise.errors import PoolwiseError
from poolwise.measures.aggregate import sum_terms
from poolwise.pool.coverage import judged_and_listed, readable_plan, words_of_size
from poolwise.pool.judgments import open_totals
from poolwise.pool.pool import RUN_COUNTS
from poolwise.reading.files import key_numbered
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
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from poolwise.measures.aggregate import Aggregate
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
    """What some topics came to: scores (measures x runs x topics), lists, counts, bad runs and what to warn of."""

    def __init__(
        self, pool: Pool, values: Any, measures: list[Measure], judgments: Judgments, errors: dict[int, PoolwiseError]
    ) -> None:
        core = pool.core
        self.topics, self.errors = pool.topics, errors
        self.values = array("d", values.tobytes() if pool.topics else b"")
        self.retrieved = array("i", pool.retrieved().tobytes())
        self.run_counts = core.run_counts()
        self.label_counts = [getattr(core, name) for name in LABEL_COUNTS]
        self.without = [topics_without(pool, judgments, rel) for rel in relevant_from(measures)]
        self.unjudged, self.sample, self.lengths = UnjudgedSoFar(measures), SampleSoFar(), LengthsSoFar()
        if pool.topics:
            self.unjudged.count(judgments)
            self.sample.count(judgments)
            self.lengths.count(pool.runs, self.retrieved)


class Totals:
    """Sums and counts over the parts so far, and bad runs with the first error of each."""

    label_lines = label_blank = label_duplicates = label_comments = 0

    def __init__(self, measures: list[Measure], runs: int, missing: str) -> None:
        self.measures, self.runs, self.missing = measures, runs, missing
        self.kept: Kept | KeptTogether | None = None  # scores of topics, where they are needed
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
        """Take in the next topics."""
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
            for run in range(self.runs):
                own = part.retrieved[run * topics : (run + 1) * topics]
                self.lacking[run] += own.count(0)
                if len(self.lacked[run]) < LACKED:
                    left = [topic for topic, found in zip(part.topics, own, strict=True) if not found]
                    self.lacked[run] += left[: LACKED - len(self.lacked[run])]
            counted = part.retrieved if self.missing == "skip" else None
            sums = sum_terms(self.aggregates, part.values, counted, self.runs, topics, self.sums)
            self.sums = array("d", sums.tobytes())
            if isinstance(self.kept, Kept):
                self.kept.add(part)

    def settle(self, by_topic: bool) -> None:
        """After the last part: topics that came in another order than the pool's are put into it."""
        if isinstance(self.kept, Kept) and by_topic:
            self.kept.sort()
            self.sums = self.kept.sums(self.aggregates, self.missing == "skip")


class Kept:
    """Scores of single topics, on disk: part after part, in each the scores by measure and run, then the lists."""

    def __init__(self, columns: int, runs: int) -> None:
        self.columns, self.runs = columns, runs
        self.file = TemporaryFile(prefix="poolwise-")  # noqa: SIM115, closed and removed with the object
        finalize(self, self.file.close)
        self.topics: list[str] = []
        self.parts: list[tuple[int, int]] = []  # where each begins, and how many topics it has
        self.order: list[int] | None = None

    def add(self, part: TopicTotals) -> None:
        """Write the next topics."""
        self.parts.append((self.file.tell(), len(part.topics)))
        self.topics += part.topics
        part.values.tofile(self.file)
        part.retrieved.tofile(self.file)

    def sort(self) -> None:
        """Put topics into the pool's order."""
        names = [topic.encode("utf-8", "surrogateescape") for topic in self.topics]
        self.order = sorted(range(len(names)), key=lambda number: key_numbered(names[number]))
        self.topics = [self.topics[number] for number in self.order]

    def column(self, number: int) -> array[float]:
        """The scores of a measure and run (measures x runs), by topic."""
        return self._sorted(self._read("d", lambda topics: number * topics * 8))

    def retrieved(self, run: int) -> array[int]:
        """How many documents a run retrieved, by topic."""
        return self._sorted(self._read("i", lambda topics: (self.columns * 8 + run * 4) * topics))

    def sums(self, aggregates: list[Aggregate], skip: bool) -> array[float]:
        """Sums over topics, in order, of every measure and run; with `skip`, of topics that the run has."""
        sums: array[float] = array("d")
        for number in range(self.columns):
            counted = self.retrieved(number % self.runs) if skip else None
            aggregate = aggregates[number // self.runs]
            sums.append(sum_terms([aggregate], self.column(number), counted, 1, len(self.topics))[0])
        return sums

    def _read(self, kind: str, offset: Callable[[int], int]) -> array[Any]:
        numbers: array[Any] = array(kind)
        for begin, topics in self.parts:
            self.file.seek(begin + offset(topics))
            numbers.fromfile(self.file, topics)
        return numbers

    def _sorted(self, values: array[Any]) -> array[Any]:
        return values if self.order is None else array(values.typecode, (values[number] for number in self.order))


class KeptTogether:
    """Scores of single topics of runs that were walked through one group after the other."""

    def __init__(self, groups: list[Kept]) -> None:
        self.topics = groups[0].topics
        self._places = [(kept, run) for kept in groups for run in range(kept.runs)]

    def column(self, number: int) -> array[float]:
        """The scores of a measure and run (measures x runs), by topic."""
        measure, run = divmod(number, len(self._places))
        kept, own = self._places[run]
        return kept.column(measure * kept.runs + own)

    def retrieved(self, run: int) -> array[int]:
        """How many documents a run retrieved, by topic."""
        kept, own = self._places[run]
        return kept.retrieved(own)


def put_together(groups: list[Totals]) -> Totals:
    """The totals of all runs from those of groups of them, each walked through beside the same judgments."""
    first = groups[0]
    if len(groups) == 1:
        return first
    kept = [group.kept for group in groups if isinstance(group.kept, Kept)]
    whole = Totals(first.measures, sum(group.runs for group in groups), first.missing)
    whole.kept = KeptTogether(kept) if len(kept) == len(groups) else None
    whole.topics, whole.first_topics, whole.without = first.topics, first.first_topics, first.without
    whole.sample = first.sample
    for name in LABEL_COUNTS:
        setattr(whole, name, getattr(first, name))
    whole.sums = array("d")
    for m in range(len(first.measures)):
        for group in groups:
            whole.sums += group.sums[m * group.runs : (m + 1) * group.runs]
    whole.lacking = [count for group in groups for count in group.lacking]
    whole.lacked = [topics for group in groups for topics in group.lacked]
    whole.counts = [counts for group in groups for counts in group.counts]
    before = 0
    for group in groups:
        whole.unjudged.add(group.unjudged)
        whole.lengths.add(group.lengths)
        whole.errors |= {before + place: error for place, error in group.errors.items()}
        before += group.runs
    return whole
