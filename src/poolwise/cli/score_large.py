"""`poolwise score` for what does not fit in memory: files walked through by topic, logs in partitions."""

from __future__ import annotations

import sys

from poolwise.cli.options import reading_options, run_paths
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace
    from poolwise.measures.measure import Measure
    from poolwise.scores.means import Means
    from poolwise.scores.stream import Streamed


def score_streamed(arguments: Namespace, measures: list[Measure]) -> Streamed | None:
    """Score some topics at a time and say so; None if the files do not allow it and nobody insists."""
    from poolwise.cli.terminal import progress
    from poolwise.reading.sources import is_stream
    from poolwise.reading.topic_order import NotGrouped
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
    from poolwise.cli.terminal import progress
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
