"""Scores of files that do not fit in memory: some topics at a time, as `poolwise.reading.topic_walk` reads them.

Values and means are those of scoring in memory, to the last bit: sums run over topics in the pool's order. What is
kept is a sum per run and measure; scores of single topics, when asked for, wait in a temporary file.
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
from poolwise.reading.files import NotGrouped, key_bytewise, needed
from poolwise.reading.sources import check_standard_input, qrels_source, run_sources
from poolwise.reading.topic_walk import aligned, feeds_of, order_of, walks
from poolwise.scores.score_notes import lacking_words, length_notes, without_words
from poolwise.scores.score_rows import Means
from poolwise.scores.scoring import check_measures, relevant_from, score_values, to_spec
from poolwise.scores.stream_totals import Kept, TopicTotals, Totals, put_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Literal

    from poolwise.measures.measure import Measure
    from poolwise.reading.sources import Source


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
    """Score run files whose topics ascend, as those of the judgments do, with memory for some topics at a time.

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
    labels = qrels_source(qrels, columns)
    sources = run_sources(runs, split=False, columns=columns, judgments=labels)
    if columns:
        from poolwise.reading.named_columns import check_given

        check_given(columns, qrels, runs)
    check_standard_input([*sources, labels])
    if any(source.path is None for source in (labels, *sources)):
        raise ArgumentError("only files can be scored some topics at a time; read tables with poolwise.read")
    options = ReadingOptions(unjudged, duplicates, depth, nan, bad_runs, columns, subtopics)
    top = _highest_label(labels, options) if any(map(needs_top, wanted)) else None
    names = [str(measure) for measure in wanted]
    shared = (names, options, top, ties)
    walked: list[Totals] = []
    groups = walks(labels, sources)
    advance = _advance(progress, walked, len(groups))
    for group in groups:
        walked.append(Totals(wanted, len(group), missing))
        try:
            _walk(labels, group, shared, walked[-1], per_topic, threads, advance)
        except NotGrouped:
            # Runs of another group may show that all are in order byte by byte, which the start of these did not.
            if len(groups) == 1 or any(source.once for source in group):
                raise
            walked[-1] = Totals(wanted, len(group), missing)
            _walk(labels, group, shared, walked[-1], per_topic, threads, advance, key_bytewise)
    return _finish(put_together(walked), labels, sources, options)


def _walk(
    labels: Source,
    sources: list[Source],
    shared: tuple[Any, ...],
    totals: Totals,
    per_topic: bool,
    threads: int | None,
    advance: Callable[[], None],
    order: Callable[[bytes], Any] | None = None,
) -> None:
    """Go through judgments and some runs side by side, in a known order or that of their start, and add to totals."""
    options = shared[1]
    with feeds_of(labels, sources, options.skips_bad_runs) as feeds:
        key = order or order_of(feeds)
        if per_topic or key is key_bytewise:
            totals.kept = Kept(len(totals.measures) * len(sources), len(sources))
        places = [labels.where, *(source.where for source in sources)]
        own = ([source.name for source in sources], places, *shared)
        for _, part in run_units(_score_part, own, aligned(feeds, key), threads=threads, name=lambda _: ""):
            totals.add(part)
            advance()
    totals.errors |= feeds.errors()
    totals.settle(by_topic=key is key_bytewise)


def _advance(progress: Callable[[int, int], None] | None, walked: list[Totals], groups: int) -> Callable[[], None]:
    """What says how many topics are scored: those of every group count for its share."""

    def advance() -> None:
        if progress:
            progress(sum(totals.topics for totals in walked) // groups, 0)

    return advance


def _finish(totals: Totals, labels: Source, sources: list[Source], options: ReadingOptions) -> Streamed:
    """Check that there is something to say, and say it."""
    if not totals.label_lines:
        raise InputError(f"{labels.where}: no judgments found; {needed(labels.where, True)}")
    topics = [topic.encode("utf-8", "surrogateescape") for topic in totals.first_topics]
    totals.errors |= faults_of_counts(totals.counts, sources, labels.where, but=totals.errors, topics=topics)
    if totals.errors and not options.skips_bad_runs:
        raise totals.errors[min(totals.errors)]
    kept = [place for place in range(totals.runs) if place not in totals.errors]
    if totals.errors:
        check_some_left(kept, totals.errors)
    totals.counts = [totals.counts[place] for place in kept]
    totals.lacking = [totals.lacking[place] for place in kept]
    left_out = {sources[place].name: str(totals.errors[place]) for place in sorted(totals.errors)}
    notes = [*labels.said, *left_out_words(left_out), *passed_over(totals, len(kept), labels.where)]
    lacked = ((sources[place].name, totals.lacked[place]) for place in kept if totals.lacked[place])
    names = [sources[place].name for place in kept]
    notes += lacking_words(totals.lacking, totals.missing, next(lacked, None))
    notes += length_notes(names, totals.lengths.medians(names), totals.measures)
    for rel, (count, first) in zip(relevant_from(totals.measures), totals.without, strict=True):
        notes += without_words(first, count, totals.topics, rel)
    notes += totals.unjudged.notes(names, totals.sample.words())
    streamed = Streamed(names, totals, kept)
    streamed.left_out = left_out
    streamed.warnings = warn_of(notes)
    return streamed


def _score_part(shared: tuple[Any, ...], unit: list[Any]) -> TopicTotals:
    runs, where, measures, options, top, ties = shared
    wanted = [parse(name) for name in measures]
    core, errors = join_part(unit[0], unit[1:], where, options)
    pool = Pool(core, runs)
    judgments = Judgments(pool, top=top)
    if not pool.topics:
        return TopicTotals(pool, b"", wanted, judgments, errors)
    if ties == "id":
        return TopicTotals(pool, score_values(pool, wanted, [judgments], 1), wanted, judgments, errors)
    from poolwise.scores.ties import expected_values

    return TopicTotals(pool, expected_values(pool, wanted, [judgments], 1)[0], wanted, judgments, errors)


class Streamed(Means):
    """Means and, with `per_topic`, the scores of topics."""

    def __init__(self, runs: list[str], totals: Totals, places: list[int]) -> None:
        skip, width = totals.missing == "skip", totals.runs
        counts = [totals.topics - (lacking if skip else 0) for lacking in totals.lacking]
        sums = [totals.sums[m * width + index] for m in range(len(totals.measures)) for index in places]
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
        low, high = (to_spec(measure, [0, 1], top) for top in (1, 2))
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
