"""`poolwise score`."""

from __future__ import annotations

import os
import sys

from poolwise.cli.options import (
    LEVEL,
    add_dask,
    add_input,
    add_level,
    add_measures,
    add_topic_groups,
    asked_names,
    read_input,
    reading_options,
    run_paths,
    wanted_measures,
)
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.errors import ArgumentError
from poolwise.scores.score_rows import INTERVAL_KINDS, TIES, number_text
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.measures.measure import Measure
    from poolwise.scores.score_rows import Means, ScoreRows
    from poolwise.scores.scores import Scores
    from poolwise.scores.stream import Streamed
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

# Bytes of memory that a byte of judgments may take when all is read at once, by the file's ending; they only decide
# when to stream unasked. Plain judgments were measured to take 2.3 bytes, runs of judged documents .3 and others less;
# how well such text compresses is a guess.
COST = {".gz": 20, ".xz": 30, ".bz2": 30, ".zst": 25, ".lz4": 15, ".parquet": 60, ".parq": 60, ".json": 15}
PLAIN_COST = 4  # bytes, of text that is not compressed
RUNS_COST_LESS = 8  # times, by the same measurement


def is_partitioned(arguments: Namespace) -> bool:
    """Whether the input is a log in partitions: asked for, or the first file has labels and scores."""
    if arguments.log:
        return True
    if (
        not arguments.qrels.endswith((".parquet", ".parq"))
        and not os.path.isdir(arguments.qrels)
        and "*" not in arguments.qrels
    ):
        return False
    from poolwise.reading.log_partitions import is_log, partition_paths

    return is_log(partition_paths([arguments.qrels])[0])


def is_large(arguments: Namespace) -> bool:
    """Whether to score some topics at a time: asked for, or the files may take over half of the memory."""
    if arguments.interval or arguments.dask or arguments.prels or arguments.ties == "range":
        if arguments.stream:
            raise ArgumentError(
                "--stream goes without --interval, --ties range, --prels and --dask: these need all topics at once"
            )
        return False
    if arguments.stream:
        return True
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    needed = _memory_needed([arguments.qrels]) + _memory_needed(run_paths(arguments)) // RUNS_COST_LESS
    return pages > 0 and 2 * needed > pages * os.sysconf("SC_PAGE_SIZE")


def _memory_needed(paths: list[str]) -> int:
    needed = 0
    for path in paths:
        files = [path]
        if os.path.isdir(path):
            with os.scandir(path) as entries:
                files = [entry.path for entry in entries]
        elif not os.path.exists(path):
            from glob import glob

            files = glob(path, recursive=True)
        for file in files:
            if os.path.isfile(file):
                needed += os.path.getsize(file) * COST.get(os.path.splitext(file)[1], PLAIN_COST)
    return needed


def score_streamed(arguments: Namespace, measures: list[Measure]) -> Streamed | None:
    """Score some topics at a time and say so; None if the files do not allow it and nobody insists."""
    from poolwise.cli.output import progress
    from poolwise.reading.files import NotGrouped
    from poolwise.reading.sources import is_stream
    from poolwise.scores.stream import score_stream

    if not arguments.stream:
        print("poolwise: note: scoring some topics at a time, as the files are large", file=sys.stderr)
    try:
        with progress("topics scored") as advance:
            scores = score_stream(
                arguments.qrels,
                *run_paths(arguments),
                measures=measures,
                per_topic=arguments.per_topic,
                missing=arguments.missing,
                ties=arguments.ties,
                threads=arguments.threads,
                progress=advance,
                **{name: value for name, value in reading_options(arguments).items() if name != "prels"},
            )
    except NotGrouped as error:
        # A pipe is read by now and cannot be read again.
        if arguments.stream or any(map(is_stream, (arguments.qrels, *run_paths(arguments)))):
            raise
        print(f"poolwise: note: {error}; reading all files at once", file=sys.stderr)
        return None
    arguments.left_out = scores.left_out
    return scores


def topics_apart(arguments: Namespace) -> str:
    """The folder for scores of topics of a log; means then go to standard output."""
    if not arguments.output:
        raise ArgumentError("-q needs -o FOLDER for a log: topics are written there, one Parquet file per partition")
    folder, arguments.output, arguments.per_topic = str(arguments.output), None, False
    arguments.format = None if arguments.format == "parquet" else arguments.format
    return folder


def score_partitioned(arguments: Namespace, measures: list[Measure], folder: str | None) -> Means:
    """Score a log in partitions; topics go to a folder of Parquet files, means to where output goes."""
    from poolwise.basics.dask_workers import connect
    from poolwise.cli.output import progress
    from poolwise.scores.partitioned import score_log

    asked = (arguments.interval, arguments.stream, arguments.bad_runs != "error", arguments.columns)
    if any(asked) or arguments.ties != "id" or arguments.prels:
        raise ArgumentError(
            "--interval, --ties, --stream, --columns, --prels and --bad-runs do not hold for logs in partitions"
        )
    qrels = arguments.qrels if arguments.log else None
    partitions = [] if arguments.log else [arguments.qrels]
    if arguments.log or arguments.runs or arguments.runs_from:
        partitions += run_paths(arguments)
    options = reading_options(arguments)
    for name in ("bad_runs", "columns", "subtopics", "prels"):
        del options[name]
    with connect(arguments.dask, arguments.threads) as executor, progress("partitions") as advance:
        return score_log(
            *partitions,
            measures=measures,
            qrels=qrels,
            per_topic=folder,
            executor=executor,
            missing=arguments.missing,
            threads=arguments.threads,
            progress=advance,
            **options,
        )


EXAMPLE = "poolwise score qrels.txt runs/ -m AP -m nDCG@10 --format csv -o scores.csv"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.sibling = "trec_eval"
    add_input(parser)
    add_measures(parser)
    parser.add_argument("-q", "--per-topic", action="store_true", help="also print every topic")
    parser.add_argument("-c", "--complete", action="store_true", help="count topics a run lacks as 0 (the default)")
    parser.add_argument("--missing", choices=("zero", "skip"), default="zero", help="topics that a run lacks")
    parser.add_argument(
        "--interval", choices=tuple(INTERVAL_KINDS),
        help="add low and high: from sampled judgments (infAP and statAP only), from the choice of topics (bootstrap), "
        "from both, or the range that unjudged documents leave open",
    )  # fmt: skip
    parser.add_argument(
        "--ties", choices=TIES, default="id",
        help="documents of one score: ordered by id (the default), the mean score over all orders of them, or by id "
        "with the lowest and highest score over orders",
    )  # fmt: skip
    add_level(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the bootstrap over topics (0)")
    add_dask(parser)
    parser.add_argument(
        "--stream", action="store_true",
        help="score some topics at a time, with little memory and a temporary file, also files that would fit",
    )  # fmt: skip
    parser.add_argument(
        "--log", action="store_true",
        help="RUN are Parquet partitions by topic of one log: topic, document, score or rank, run (and label, without "
        "QRELS; such files are known as partitions without this option)",
    )  # fmt: skip
    add_topic_groups(parser)
    add_output(parser, ShownScores, "table on a terminal, else trec")


def run(arguments: Namespace) -> int:
    """Score and print."""
    if arguments.complete and arguments.missing == "skip":
        raise ArgumentError("-c counts topics that a run lacks as 0, --missing skip leaves them out; give one of them")
    if arguments.level != LEVEL and not arguments.interval and not arguments.groups:
        raise ArgumentError(f"--level {arguments.level:g} is of intervals; say of which with --interval")
    if arguments.groups:
        from poolwise.cli.grouped import show_groups

        asked = wanted_measures(arguments)
        return show_groups(
            arguments, lambda: (_scores(arguments, [measure for _, measure in asked])[0], asked_names(asked))
        )

    partitioned = is_partitioned(arguments)
    if partitioned and arguments.per_topic:
        folder = topics_apart(arguments)
    else:
        folder = None
    form = chosen_format(arguments, ShownScores, "trec")
    wanted = wanted_measures(arguments)
    measures = [measure for _, measure in wanted]
    pool = None
    if partitioned:
        scores: ScoreRows = score_partitioned(arguments, measures, folder)
    else:
        scores, pool = _scores(arguments, measures)
    show(ShownScores(scores, arguments.per_topic, wanted, pool, arguments.missing), form, arguments.output)
    return 0


def _scores(arguments: Namespace, measures: list[Measure]) -> tuple[ScoreRows, Campaign | None]:
    """Scores in memory with their pool, or of large files some topics at a time."""
    if is_large(arguments):
        scores = score_streamed(arguments, measures)
        if scores is not None:
            return scores, None
    return _in_memory(arguments, measures)


def _in_memory(arguments: Namespace, measures: list[Measure]) -> tuple[Scores, Campaign]:
    pool = read_input(arguments, dask=arguments.dask)
    scores = pool.score(
        *measures,
        missing=arguments.missing,
        threads=arguments.threads,
        interval=arguments.interval,
        level=arguments.level,
        seed=arguments.seed,
        ties=arguments.ties,
    )
    return scores, pool


class ShownScores(Shown):
    """Scores of runs, or means of what does not fit in memory; `asked` are measures and the names they came by."""

    def __init__(
        self,
        scores: ScoreRows,
        per_topic: bool,
        asked: list[tuple[str, Measure]],
        pool: Campaign | None = None,
        missing: str | None = None,
    ) -> None:
        self.scores, self.per_topic, self.pool, self.missing = scores, per_topic, pool, missing
        self.names, self.line_names = asked_names(asked), asked_names(asked, as_is=True)
        self.counts = {name for name, way in zip(scores.measures, scores.aggregates, strict=True) if way.counts}
        self.summary_only = {str(measure) for _, measure in asked if measure.declaration.summary_only}

    def rows(self) -> tuple[Sequence[str], Iterator[tuple[Any, ...]]]:
        """Rows by run, measure and topic, as they come; measures have our own names, whatever they were asked by."""
        return self.scores.column_names, self.scores.all_rows(self.per_topic)

    def lines(self) -> Iterator[str]:
        """Lines as trec_eval prints them, with a column of runs if there are several."""
        heads = dict.fromkeys(self.scores.runs, "")
        if len(heads) > 1:
            from poolwise.basics.words import in_line

            heads = {run: in_line(run) + "\t" for run in heads}
        for run, measure, topic, *values in self.scores.all_rows(self.per_topic):
            if measure in self.summary_only and topic != "all":
                continue
            whole = measure in self.counts
            numbers = "\t".join(number_text(value, whole and not index, width=6) for index, value in enumerate(values))
            yield f"{heads[run]}{self.line_names.get(measure, measure):<22}\t{topic}\t{numbers}\n"

    def tables(self) -> list[Table]:
        """One column per measure; means from best to worst by the first."""
        from poolwise.scores.scores_shown import scores_table

        return [scores_table(self.scores, self.names, self.per_topic)]

    def sentences(self) -> list[str]:
        """How the scores were computed."""
        from poolwise.scores.scores_shown import how_scored

        return how_scored(self.scores, self.names, self.missing)

    def text(self) -> str:
        """The table under its title."""
        table, *_ = self.tables()
        return ("" if self.per_topic else table.title + "\n") + super().text()

    def page(self) -> Page:
        """The scores as a page; with what is judged of each run where the runs are at hand."""
        from poolwise.campaign.scores_page import scores_page

        if self.pool is None:
            return scores_page(self.scores, command=command_line())
        from poolwise.audits.audit import audit

        return scores_page(self.scores, audit(self.pool), command=command_line())
