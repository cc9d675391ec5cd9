"""Sums and counts over topics that are scored some at a time, and their scores, which wait in a temporary file."""

from __future__ import annotations

from array import array
from tempfile import TemporaryFile
from weakref import finalize

from poolwise._core import RUN_COUNTS
from poolwise.errors import PoolwiseError
from poolwise.measures.aggregate import sum_terms
from poolwise.reading.topic_order import key_numbered
from poolwise.scores.lengths_so_far import LengthsSoFar
from poolwise.scores.scoring import LACKED, relevant_from, topics_without
from poolwise.scores.unjudged_so_far import SampleSoFar, UnjudgedSoFar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from poolwise.measures.aggregate import Aggregate
    from poolwise.measures.measure import Measure
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.pool import Pool

LABEL_COUNTS = ("label_lines", "label_blank", "label_duplicates", "label_comments")
FIRST_TOPICS = 50  # that are kept to be shown


class Part:
    """What some topics came to: scores (measures x runs x topics), lists, counts, bad runs and what to warn of."""

    def __init__(
        self, pool: Pool, values: Any, measures: list[Measure], judgments: Judgments, errors: dict[int, PoolwiseError]
    ) -> None:
        core = pool.core
        self.topics, self.errors = pool.topics, errors
        self.values = array("d", memoryview(values).tobytes() if pool.topics else b"")
        self.retrieved = array("i", memoryview(pool.retrieved()).tobytes())
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

    def add(self, part: Part) -> None:
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

    def add(self, part: Part) -> None:
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
