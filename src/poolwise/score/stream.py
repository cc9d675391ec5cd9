"""Scores of files that do not fit in memory: some topics at a time, as `poolwise.read.topics` reads them.

Values and means are those of scoring in memory, to the last bit: sums run over topics in the pool's order. What is
kept is a sum per run and measure; scores of single topics, when asked for, wait in a temporary file.
"""

from __future__ import annotations

from array import array
from tempfile import TemporaryFile
from weakref import finalize

from poolwise._core import RUN_COUNTS
from poolwise.checks import choice
from poolwise.errors import ArgumentError, InputError, PoolwiseError
from poolwise.executors import run_units
from poolwise.judge.judgments import Judgments
from poolwise.pool.joining import check_some_left, left_out_words
from poolwise.pool.parts import join_part
from poolwise.pool.passed_over import faults_of_counts, passed_over
from poolwise.pool.pool import Pool
from poolwise.pool.reading_options import ReadingOptions
from poolwise.read.problems import LABEL_LINE
from poolwise.read.sources import check_standard_input, qrels_source, run_sources
from poolwise.read.topic_order import key_bytewise, key_numbered
from poolwise.read.topics import aligned, feeds_of, order_of
from poolwise.results import warn_of
from poolwise.score.aggregate import sum_terms
from poolwise.score.means import Means
from poolwise.score.registry import parse
from poolwise.score.scoring import (
    ask,
    check_measures,
    lacking_words,
    relevant_from,
    score_values,
    topics_without,
    without_words,
)
from poolwise.score.unjudged_so_far import UnjudgedSoFar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    from poolwise.read.sources import Source
    from poolwise.score.aggregate import Aggregate
    from poolwise.score.measure import Measure

LABEL_COUNTS = ("label_lines", "label_blank", "label_duplicates", "label_comments")
FIRST_TOPICS = 50  # that are kept to be shown


def score_stream(
    qrels: Any,
    *runs: Any,
    measures: Sequence[str | Measure],
    unjudged: int | str | None = -1,
    duplicates: Literal["error", "first"] = "error",
    depth: int | None = None,
    nan: Literal["error", "last"] = "error",
    bad_runs: Literal["error", "skip"] = "error",
    columns: Mapping[str, str] | None = None,
    subtopics: bool = False,
    missing: Literal["zero", "skip"] = "zero",
    ties: Literal["id", "expected"] = "id",
    per_topic: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Streamed:
    """Score run files whose topics ascend, as those of the judgments do, with memory for some topics at a time.

    Parameters
    ----------
    qrels : path
        The file of judgments.
    *runs : path
        Run files, directories or globs.
    measures : sequence of str or Measure
        What to score by.
    unjudged : int, "negative" or None
        The label that means "pooled, not judged".
    duplicates : {"error", "first"}
        What to do with repeated documents.
    depth : int, optional
        Cuts every ranking.
    nan : {"error", "last"}
        What to do with scores that are NaN: refuse, or rank their documents last.
    bad_runs : {"error", "skip"}
        "skip" leaves out runs that cannot be read, are empty or have no topic of the judgments, with a warning.
    columns : dict, optional
        What columns of tables are called, as in `read`.
    subtopics : bool
        Whether the second column of judgments names subtopics, as in `read`.
    missing : {"zero", "skip"}
        Whether a topic that a run lacks scores 0, or is left out of its mean.
    ties : {"id", "expected"}
        Documents of one score: by their ids, descending, or the mean over all their orders.
    per_topic : bool
        Whether scores of single topics are kept, to be asked for afterwards.
    threads : int, optional
        How many to use; every core allowed unless given.
    progress : callable, optional
        Called with how many topics are scored.

    Returns
    -------
    Streamed
        Means of runs by measures, and scores of topics if kept.

    Raises
    ------
    InputError
        If topics do not ascend; says where.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "qrels.txt").write_text("1 0 a 1\\n2 0 b 1\\n")
    >>> _ = (folder / "mine.txt").write_text("1 Q0 a 1 2.0 x\\n2 Q0 c 1 2.0 x\\n2 Q0 b 2 1.0 x\\n")
    >>> score_stream(folder / "qrels.txt", folder / "mine.txt", measures=["RR"]).to_dict()
    {'mine': {'RR': 0.75}}
    """
    wanted = check_measures(measures, missing)
    choice("ties", ties, ("id", "expected"))
    labels, sources = qrels_source(qrels, columns), run_sources(runs, split=False, columns=columns)
    if columns:
        from poolwise.read.given_columns import check_given

        check_given(columns, qrels, runs)
    check_standard_input([*sources, labels])
    if any(source.path is None for source in (labels, *sources)):
        raise ArgumentError("only files can be scored some topics at a time; read tables with poolwise.read")
    options = ReadingOptions(unjudged, duplicates, depth, nan, bad_runs, columns, subtopics)
    top = _highest_label(labels, options) if any(map(needs_top, wanted)) else None
    names = [str(measure) for measure in wanted]
    with feeds_of(labels, sources, options.skips_bad_runs) as feeds:
        key = order_of(feeds)
        kept = Kept(len(wanted) * len(sources), len(sources)) if per_topic or key is key_bytewise else None
        totals = Totals(wanted, len(sources), missing, kept)
        places = [labels.where, *(source.where for source in sources)]
        shared = (names, [source.name for source in sources], places, options, top, ties)
        for _, part in run_units(_score_part, shared, aligned(feeds, key), threads=threads, name=lambda _: ""):
            totals.add(part)
            if progress:
                progress(totals.topics, 0)
    totals.errors |= feeds.errors()
    return totals.finish(labels, sources, options, by_topic=key is key_bytewise)


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
        self.unjudged = UnjudgedSoFar(measures)
        if pool.topics:
            self.unjudged.count(judgments)


def _score_part(shared: tuple[Any, ...], unit: list[Any]) -> Part:
    measures, runs, where, options, top, ties = shared
    wanted = [parse(name) for name in measures]
    core, errors = join_part(unit[0], unit[1:], where, options)
    pool = Pool(core, runs)
    judgments = Judgments(pool, top=top)
    if not pool.topics:
        return Part(pool, b"", wanted, judgments, errors)
    if ties == "id":
        return Part(pool, score_values(pool, wanted, [judgments], 1), wanted, judgments, errors)
    from poolwise.score.ties import expected_values

    return Part(pool, expected_values(pool, wanted, [judgments], 1)[0], wanted, judgments, errors)


class Totals:
    """Sums and counts over the parts so far, and bad runs with the first error of each."""

    label_lines = label_blank = label_duplicates = label_comments = 0

    def __init__(self, measures: list[Measure], runs: int, missing: str, kept: Kept | None) -> None:
        self.measures, self.runs, self.missing, self.kept = measures, runs, missing, kept
        self.aggregates = [measure.declaration.aggregate for measure in measures]
        self.topics = 0
        self.first_topics: list[str] = []  # to be shown where a run has none of them
        self.sums = array("d", bytes(8 * runs * len(measures)))
        self.lacking = [0] * runs
        self.counts = [[0] * len(RUN_COUNTS) for _ in range(runs)]
        self.errors: dict[int, PoolwiseError] = {}
        self.without: list[tuple[int, list[str]]] = [(0, []) for _ in relevant_from(measures)]
        self.unjudged = UnjudgedSoFar(measures)

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
        if topics:
            for run in range(self.runs):
                self.lacking[run] += part.retrieved[run * topics : (run + 1) * topics].count(0)
            counted = part.retrieved if self.missing == "skip" else None
            sums = sum_terms(self.aggregates, part.values, counted, self.runs, topics, self.sums)
            self.sums = array("d", sums.tobytes())
            if self.kept:
                self.kept.add(part)

    def finish(self, labels: Source, sources: list[Source], options: ReadingOptions, by_topic: bool) -> Streamed:
        """Check that there is something to say, and say it."""
        if not self.label_lines:
            raise InputError(f"{labels.where}: no judgments found; {LABEL_LINE}")
        topics = [topic.encode("utf-8", "surrogateescape") for topic in self.first_topics]
        self.errors |= faults_of_counts(self.counts, sources, labels.where, but=self.errors, topics=topics)
        if self.errors and not options.skips_bad_runs:
            raise self.errors[min(self.errors)]
        kept = [place for place in range(self.runs) if place not in self.errors]
        if self.errors:
            check_some_left(kept, self.errors)
        if self.kept and by_topic:
            self.kept.sort()
            self.sums = self.kept.sums(self.aggregates, self.missing == "skip")
        self.counts, self.lacking = [self.counts[place] for place in kept], [self.lacking[place] for place in kept]
        left_out = {sources[place].name: str(self.errors[place]) for place in sorted(self.errors)}
        said = [*left_out_words(left_out), *passed_over(self, len(kept), labels.where)]
        said += lacking_words(self.lacking, self.missing)
        for rel, (count, first) in zip(relevant_from(self.measures), self.without, strict=True):
            said += without_words(first, count, self.topics, rel)
        said += self.unjudged.notes([sources[place].name for place in kept])
        streamed = Streamed([sources[place].name for place in kept], self, kept)
        streamed.left_out = left_out
        streamed.warnings = warn_of(said)
        return streamed


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


class Streamed(Means):
    """Means and, with `per_topic`, the scores of topics."""

    def __init__(self, runs: list[str], totals: Totals, places: list[int]) -> None:
        skip, width = totals.missing == "skip", totals.runs
        counts = [totals.topics - (lacking if skip else 0) for lacking in totals.lacking]
        sums = [totals.sums[m * width + place] for m in range(len(totals.measures)) for place in places]
        super().__init__(runs, totals.measures, sums, counts, totals.topics)
        self._kept, self._skip = totals.kept, skip
        self._places, self._width = places, width  # of these runs among all that were walked through

    def topic_rows(self, measure: int, run: int) -> Iterator[tuple[str, float]]:
        """Go through the scores of topics, those that count.

        Parameters
        ----------
        measure, run : int
            Their places.

        Returns
        -------
        iterator of tuple
            Topic and score.
        """
        if self._kept is None:
            yield from super().topic_rows(measure, run)
            return
        place = self._places[run]
        shown = self._kept.retrieved(place) if self._skip else None
        for t, value in enumerate(self._kept.column(measure * self._width + place)):
            if shown is None or shown[t]:
                yield self._kept.topics[t], value


def needs_top(measure: Measure) -> bool:
    """Whether a measure looks at the highest label of the collection."""
    try:
        low, high = (ask(measure, [0, 1], top) for top in (1, 2))
    except ArgumentError:
        return True
    return (low.gains, low.numbers) != (high.gains, high.numbers)


def _highest_label(labels: Source, options: ReadingOptions) -> float:
    """The highest label of the judgments, for which they are read once more."""
    if labels.once:
        raise ArgumentError("these measures look at the highest label first, so judgments cannot come from a pipe")
    top: float = 0
    with feeds_of(labels, []) as feeds:
        for part in aligned(feeds, order_of(feeds)):
            core = join_part(part[0], [], [labels.where], options)[0]
            top = max([top, *(core.label_values or core.distinct_labels)])
    return top
