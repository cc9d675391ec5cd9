"""Feeding files to the core: plain text goes there directly, all else (other forms, compressed, pipes) in pieces."""

from __future__ import annotations

import os

from poolwise import _core
from poolwise.errors import InputError, PoolwiseError
from poolwise.reading.problems import problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.reading.sources import Source

COMPRESSED = _core.FAULTS.index("compressed")
SCATTERED = _core.FAULTS.index("scattered")
UNREADABLE = _core.FAULTS.index("unreadable")
STREAM = "stream"  # standard input or a pipe: it can be read once only, and its start tells its kind
COLUMNS = _core.FAULTS.index("columns")
PLANNED = b"# poolwise plan "  # what comments of plans begin with
PLAIN = ""  # text that is not compressed


def read_labels(builder: _core.Builder, source: Source) -> None:
    """Read a qrels file of any kind into the pool."""
    kind = STREAM
    if source.path != "-":
        report = builder.read_labels(os.fsencode(source.path or ""))
        other = _other_kind(report, source, labels=True)
        if other is None:
            raise_if(_problem_of_labels(report, source, PLAIN))
            return
        kind = other
    from poolwise.reading.opening import opened_lines, pieces

    with opened_lines(source, kind, labels=True) as (file, kind):
        if kind == "parquet":
            from poolwise.reading.tables import add_labels, add_subtopic_labels, read_parquet

            add = add_subtopic_labels if builder.pool().has_subtopics else add_labels
            add(builder, read_parquet(file, source.where), source.where, source.columns)
            return
        for piece, last in pieces(file):
            raise_if(_problem_of_labels(builder.feed_labels(piece, last), source, kind))


def _problem_of_labels(report: tuple[int, int, bytes], source: Source, kind: str) -> PoolwiseError | None:
    """What is wrong with judgments; lines of a plan have five columns, so that its first line may be the wrong one."""
    error = problem(report, source.where, labels=True)
    if error is None or report[0] != COLUMNS or report[2] != b"5 4" or source.once:
        return error
    from poolwise.reading.opening import opened, whole

    with opened(source, kind) as (file, _):
        lines = whole(file).splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line.strip() and not line.startswith(b"#"))
    if not any(line.startswith(PLANNED) for line in lines[:first]):
        return error
    return InputError(
        f"{source.where}:{first}: 4 columns found in a plan, whose lines have 5; write the label, or -1 if it has none"
    )


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
        try:
            kind = _other_kind(report, sources[i], labels=False)
        except PoolwiseError as error:
            errors[i] = error
            continue
        if kind is None:
            errors[i] = problem(report, sources[i].where, labels=False)
        else:
            others[i] = kind
    work = [(sources[i], numbers[i], kind) for i, kind in others.items()]
    errors.update(zip(others, _read_others(builder, work, threads), strict=True))
    return {numbers[i]: error for i, error in sorted(errors.items()) if error is not None}


def raise_if(error: PoolwiseError | None) -> None:
    """Raise an error if there is one."""
    if error is not None:
        raise error


def _other_kind(report: tuple[int, int, bytes], source: Source, labels: bool) -> str | None:
    """The kind of a file that the core did not read as TREC text; None if it did, or tells what is wrong with it.

    Text of another form cannot have been read in part: its first line is none of TREC's.
    """
    code, _, found = report
    if code == COMPRESSED:
        return found.decode()
    if not code or code == UNREADABLE:
        return None
    from poolwise.reading.opening import is_other_form

    return PLAIN if is_other_form(source, labels) else None


def _read_others(
    builder: _core.Builder, work: list[tuple[Source, int, str]], threads: int
) -> list[PoolwiseError | None]:
    if len(work) < 2 or threads < 2:
        return [_read_other(builder, *item) for item in work]
    from poolwise.basics.engines import Threads

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
    from poolwise.reading.opening import nan_place, opened_lines, pieces, said_of

    report = (0, 0, b"")
    with opened_lines(source, kind, labels=False) as (file, real_kind):
        if real_kind == "parquet":
            from poolwise.reading.tables import add_run_file

            source.said = add_run_file(builder, number, file, source.where, source.columns)
            return report
        builder.start_run(number, gather)
        for piece, last in pieces(file):
            report = builder.feed_run(number, piece, last)
            if report[0]:
                break
        if _core.FAULTS[report[0]] == "not_a_number" and (place := nan_place(file)):
            raise_if(problem((report[0], 0, report[2]), place, labels=False))
        source.said = said_of(file)
    return report
