"""`poolwise score` for what does not fit in memory: files walked through by topic, logs in partitions."""

from __future__ import annotations

import os
import sys

from poolwise.cli.options import reading_options, run_paths
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace
    from poolwise.score.means import Means
    from poolwise.score.measure import Measure
    from poolwise.score.stream import Streamed

# Bytes of memory that a byte of judgments may take when all is read at once, by the file's ending; they only decide
# when to stream unasked. Plain judgments were measured to take 2.3 bytes, runs of judged documents .3 and others less;
# how well such text compresses is a guess.
COST = {".gz": 20, ".xz": 30, ".bz2": 30, ".zst": 25, ".lz4": 15, ".parquet": 60, ".parq": 60, ".json": 15}
PLAIN_COST = 4
RUNS_COST_LESS = 8  # times


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
    from poolwise.read.partitions import is_log, partition_paths

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
    from poolwise.cli.terminal import progress
    from poolwise.read.sources import is_stream
    from poolwise.read.topic_order import NotGrouped
    from poolwise.score.stream import score_stream

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
    from poolwise.cli.terminal import progress
    from poolwise.executors import connect
    from poolwise.score.partitioned import score_log

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
