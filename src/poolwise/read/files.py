"""Feeding files to the core: plain text goes there directly, all else (compressed text, pipes) in pieces."""

from __future__ import annotations

import os

from poolwise import _core
from poolwise.errors import PoolwiseError
from poolwise.read.problems import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.read.sources import Source

COMPRESSED = _core.FAULTS.index("compressed")
SCATTERED = _core.FAULTS.index("scattered")
STREAM = "stream"  # standard input or a pipe: it can be read once only, and its start tells its kind


def read_labels(builder: _core.Builder, source: Source) -> None:
    """Read a qrels file of any kind into the pool."""
    kind = STREAM
    if source.path != "-":
        report = builder.read_labels(os.fsencode(source.path or ""))
        if report[0] != COMPRESSED:
            raise_if(problem(report, source.where, labels=True))
            return
        kind = report[2].decode()
    from poolwise.read.opening import opened, pieces

    with opened(source, kind) as (file, kind):
        if kind == "parquet":
            from poolwise.read.tables import add_labels, read_parquet

            add_labels(builder, read_parquet(file, source.where), source.where)
            return
        for piece, last in pieces(file):
            raise_if(problem(builder.feed_labels(piece, last), source.where, labels=True))


def read_runs(
    builder: _core.Builder, sources: list[Source], numbers: list[int], threads: int
) -> dict[int, PoolwiseError]:
    """Read run files of any kind, each into the run of its number; returns the errors of faulty ones by number."""
    plain = [i for i, source in enumerate(sources) if source.path != "-"]
    paths = [os.fsencode(sources[i].path or "") for i in plain]
    reports = builder.read_runs([numbers[i] for i in plain], paths, threads)
    others = {i: STREAM for i, source in enumerate(sources) if source.path == "-"}
    errors: dict[int, PoolwiseError | None] = {}
    for i, report in zip(plain, reports, strict=True):
        if report[0] == COMPRESSED:
            others[i] = report[2].decode()
        else:
            errors[i] = problem(report, sources[i].where, labels=False)
    work = [(sources[i], numbers[i], kind) for i, kind in others.items()]
    errors.update(zip(others, _read_others(builder, work, threads), strict=True))
    return {numbers[i]: error for i, error in sorted(errors.items()) if error is not None}


def raise_if(error: PoolwiseError | None) -> None:
    """Raise an error if there is one."""
    if error is not None:
        raise error


def _read_others(
    builder: _core.Builder, work: list[tuple[Source, int, str]], threads: int
) -> list[PoolwiseError | None]:
    if len(work) < 2 or threads < 2:
        return [_read_other(builder, *item) for item in work]
    from poolwise.executors import Threads

    with Threads(threads) as executor:
        return list(executor.map(lambda item: _read_other(builder, *item), work))


def _read_other(builder: _core.Builder, source: Source, number: int, kind: str) -> PoolwiseError | None:
    try:
        # What can be read once only is gathered at once; elsewhere most runs need no gathering.
        for gather in (True,) if kind == STREAM else (False, True):
            report = _feed_run(builder, source, number, kind, gather)
            if report[0] != SCATTERED:
                return problem(report, source.where, labels=False)
    except PoolwiseError as error:
        return error
    return None


def _feed_run(builder: _core.Builder, source: Source, number: int, kind: str, gather: bool) -> tuple[int, int, bytes]:
    """Read a run once; returns the core's report."""
    from poolwise.read.opening import opened, pieces

    report = (0, 0, b"")
    with opened(source, kind) as (file, found):
        if found == "parquet":
            from poolwise.read.tables import add_run_file

            add_run_file(builder, number, file, source.where)
            return report
        builder.start_run(number, gather)
        for piece, last in pieces(file):
            report = builder.feed_run(number, piece, last)
            if report[0]:
                break
    return report
