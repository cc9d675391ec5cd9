"""Scores of files that do not fit in memory, in ranges of topics, as `poolwise.reading.topic_ranges` reads them.

Values and means are those of scoring in memory, to the last bit: ranges follow one another in the pool's order, and so
do the terms of each sum. In memory stays a sum per run and measure; scores of single topics, when asked for, wait in a
temporary file.
"""

from __future__ import annotations

from poolwise.basics.results import warn_of
from poolwise.basics.settings import choice
from poolwise.basics.workers import run_units
from poolwise.errors import ArgumentError, InputError
from poolwise.measures.registry import parse
from poolwise.pool.joined_parts import join_part
from poolwise.pool.joining import check_some_left, left_out_words
from poolwise.pool.joining_notes import faults_of_counts, passed_over
from poolwise.pool.judgments import Judgments
from poolwise.pool.options import ReadingOptions
from poolwise.pool.pool import Pool
from poolwise.reading.files import needed
from poolwise.reading.sources import check_standard_input, qrels_source, run_sources
from poolwise.reading.topic_ranges import TopicRanges
from poolwise.scores.score_notes import lacking_words, length_notes, without_words
from poolwise.scores.score_rows import Means
from poolwise.scores.scoring import check_measures, relevant_from, score_values, to_spec
from poolwise.scores.stream_totals import TopicTotals, Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    from poolwise.measures.measure import Measure
    from poolwise.reading.sources import Source
    from poolwise.reading.topic_ranges import Range


def score_stream(
    qrels: Any,
    *runs: Any,
    measures: str | Measure | Sequence[str | Measure],
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
    """Score run files with memory for some topics at a time, and a temporary file as large as all files unpacked.

    Parameters
    ----------
    qrels : path
        The file of judgments.
    *runs : path
        Run files, directories or globs.
    measures : str, Measure or sequence of these
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
        If the judgments have strata, which need all topics at once.

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
    labels = qrels_source(qrels, columns)
    sources = run_sources(runs, split=False, columns=columns, judgments=labels)
    if columns:
        from poolwise.reading.named_columns import check_given

        check_given(columns, qrels, runs)
    check_standard_input([*sources, labels])
    if any(source.path is None for source in (labels, *sources)):
        raise ArgumentError("only files can be scored some topics at a time; read tables with poolwise.read")
    options = ReadingOptions(unjudged, duplicates, depth, nan, bad_runs, columns, subtopics)
    totals = Totals(wanted, len(sources), missing, per_topic)
    with TopicRanges([labels, *sources], options.skips_bad_runs, threads) as files:
        top = _highest_label(files, options) if any(map(needs_top, wanted)) else None
        shared = (files, [source.name for source in sources], [str(measure) for measure in wanted], options, top, ties)
        for _, part in run_units(_score_range, shared, files.ranges(), threads=threads, name=lambda _: ""):
            totals.add(part)
            if progress:
                progress(totals.topics, 0)
    totals.errors |= files.errors
    return _finish(totals, labels, sources, options)


def _finish(totals: Totals, labels: Source, sources: list[Source], options: ReadingOptions) -> Streamed:
    """Check that there is something to say, and say it."""
    if not totals.label_lines:
        raise InputError(f"{labels.where}: no judgments found; {needed(labels.where, True)}")
    topics = [topic.encode("utf-8", "surrogateescape") for topic in totals.first_topics]
    totals.errors |= faults_of_counts(totals.counts, sources, labels.where, but=totals.errors, topics=topics)
    if totals.errors and not options.skips_bad_runs:
        raise totals.errors[min(totals.errors)]
    left = [run for run in range(totals.runs) if run not in totals.errors]
    if totals.errors:
        check_some_left(left, totals.errors)
    totals.counts = [totals.counts[run] for run in left]
    totals.lacking = [totals.lacking[run] for run in left]
    left_out = {sources[run].name: str(totals.errors[run]) for run in sorted(totals.errors)}
    notes = [*labels.notes, *left_out_words(left_out), *passed_over(totals, len(left), labels.where)]
    lacked = ((sources[run].name, totals.lacked[run]) for run in left if totals.lacked[run])
    names = [sources[run].name for run in left]
    notes += lacking_words(totals.lacking, totals.missing, next(lacked, None))
    notes += length_notes(names, totals.lengths.medians(names), totals.measures)
    for rel, (count, first) in zip(relevant_from(totals.measures), totals.without, strict=True):
        notes += without_words(first, count, totals.topics, rel)
    notes += totals.unjudged.notes(names, totals.sample.words())
    streamed = Streamed(names, totals, left)
    streamed.left_out = left_out
    streamed.warnings = warn_of(notes)
    return streamed


def _score_range(shared: tuple[Any, ...], topics: Range) -> TopicTotals:
    files, runs, measures, options, top, ties = shared
    wanted = [parse(name) for name in measures]
    totals = TopicTotals(wanted)
    labels = files.part(topics, 0)
    for indices in files.groups():
        where = [files.sources[index].where for index in (0, *(run + 1 for run in indices))]
        core, errors = join_part(labels, [files.part(topics, run + 1) for run in indices], where, options)
        pool = Pool(core, [runs[run] for run in indices])
        judgments = Judgments(pool, top=top)
        totals.add_runs(pool, _values(pool, wanted, judgments, ties) if pool.topics else b"", judgments, errors)
    return totals


def _values(pool: Pool, measures: list[Measure], judgments: Judgments, ties: str) -> Any:
    """Scores, measures x runs x topics."""
    if ties == "id":
        return score_values(pool, measures, [judgments], 1)
    from poolwise.scores.ties import expected_values

    return expected_values(pool, measures, [judgments], 1)[0]


class Streamed(Means):
    """Means and, with `per_topic`, the scores of topics."""

    def __init__(self, runs: list[str], totals: Totals, indices: list[int]) -> None:
        skip, width = totals.missing == "skip", totals.runs
        counts = [totals.topics - (lacking if skip else 0) for lacking in totals.lacking]
        sums = [totals.sums[m * width + index] for m in range(len(totals.measures)) for index in indices]
        super().__init__(runs, totals.measures, sums, counts, totals.topics)
        self._topic_scores, self._skip = totals.topic_scores, skip
        self._indices, self._width = indices, width  # of these runs among all that were read

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
        scores = self._topic_scores
        if scores is None:
            yield from super().topic_rows(measure, run)
            return
        index = self._indices[run]
        shown = scores.retrieved(index) if self._skip else None
        for t, value in enumerate(scores.column(measure * self._width + index)):
            if shown is None or shown[t]:
                yield scores.topics[t], value


def needs_top(measure: Measure) -> bool:
    """Whether a measure looks at the highest label of the collection."""
    try:
        low, high = (to_spec(measure, [0, 1], top) for top in (1, 2))
    except ArgumentError:
        return True
    return (low.gains, low.numbers) != (high.gains, high.numbers)


def _highest_label(files: TopicRanges, options: ReadingOptions) -> float:
    """The highest label of the judgments."""
    top: float = 0
    for topics in files.ranges(1):
        core = join_part(files.part(topics, 0), [], [files.sources[0].where], options)[0]
        top = max([top, *(core.label_values or core.distinct_labels)])
    return top
