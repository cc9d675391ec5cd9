"""Whether `poolwise score` reads its input at once: does it fit in memory, is it a log in partitions."""

from __future__ import annotations

import os

from poolwise.cli.options import run_paths
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace

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
    from poolwise.reading.partitions import is_log, partition_paths

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
