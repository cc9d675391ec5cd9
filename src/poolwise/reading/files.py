"""Feeding files to the core: plain text goes there directly, all else (other forms, compressed, pipes) in pieces."""

from __future__ import annotations

import os

from poolwise import _core
from poolwise.basics.words import counted, short
from poolwise.errors import InputError, PoolwiseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AnyStr

    from poolwise.reading.sources import Source

RUN_LINE = "every line needs topic Q0 document rank score tag"
LABEL_LINE = "every line needs topic iteration document label"
STRATA_LINE = "with strata every line needs topic iteration document stratum label"
IS_RUN = "is this a run? Judgments come first, then runs"
ARE_JUDGMENTS = "are these judgments, which have 4 or 5 and come first?"
LONGEST, LONGEST_LINE = "1 MB", 1 << 20  # the core's limit, in words and bytes
KEEP_FIRST = "keep the first with --duplicates first (duplicates='first' in Python)"
LABELS = "labels are whole numbers from -2147483646 to 2147483647"
TABLES = (".csv", ".tsv", ".json", ".jsonl")
PACKED = (".gz", ".xz", ".bz2", ".zst", ".lz4")


def needed(where: str, labels: bool) -> str:
    """The columns that every line of a file needs: of a table if its name says that it is one, else those of TREC.

    >>> needed("old.csv.gz", labels=False)
    'every row needs topic, document and score'
    """
    name = where.lower()
    name = next((name.removesuffix(ending) for ending in PACKED if name.endswith(ending)), name)
    if name.endswith(TABLES):
        return f"every row needs topic, document and {'label' if labels else 'score'}"
    return LABEL_LINE if labels else RUN_LINE


def problem(report: tuple[int, int, bytes], where: str, *, labels: bool) -> PoolwiseError | None:
    """Turn the core's report on a file or table into an error, or nothing if all is well."""
    code, line, found = report
    fault = _core.FAULTS[code]
    if fault == "none":
        return None
    line_name = f"{where}:{line}" if line else where
    return InputError(f"{line_name}: {_words(fault, found.decode('utf-8', 'replace'), labels, where)}")


def duplicate(topic: str, document: str, labels: bool) -> str:
    """Say that a document stands twice in a topic."""
    what = "judged" if labels else "listed"
    looks_like_a_label = labels and len(document) <= 2 and document.lstrip("-").isdigit()
    prels = (
        f"; or if {short(document)!r} is a label, and the last column how likely it was to be judged, read with --prels"
    )
    return (
        f"document {short(document)!r} of topic {short(topic)!r} is {what} twice; remove one of the two, or "
        f"{KEEP_FIRST}{prels if looks_like_a_label else ''}"
    )


def _words(fault: str, found: str, labels: bool, where: str) -> str:
    if fault == "columns":
        return _label_columns(found) if labels else _run_columns(found)
    if fault == "duplicate":
        topic, _, document = found.partition("\n")
        return duplicate(topic, document, labels)
    expected, found = needed(where, labels), short(found)
    return {
        "score": f"score {found!r} is not a number; {expected}",
        "not_a_number": f"score {found!r} cannot be ranked; scores may be any number or inf, not NaN",
        "label": f"label {found!r} is not a number; {expected}",
        "label_range": f"label {found!r} is out of range; {LABELS}",
        "stratum": f"stratum {found!r} is not a whole number from 0 on; {STRATA_LINE}",
        "iteration": (
            f"iteration {found!r} is not a whole number; {STRATA_LINE}; or if {found!r} is a document, and the last "
            "column how likely it was to be judged, read with --prels; preferences (topic group subgroup document "
            "level) are not read"
        ),
        "nul": f"NUL byte found; is the file binary or UTF-16 text? {expected}, as plain text",
        "long_line": f"line longer than {LONGEST} found; is this a TREC file? {expected}",
        "unreadable": f"cannot be read ({found}); check the file and its permissions",
    }[fault]


def _run_columns(found: str) -> str:
    if found in ("4", "5"):  # what judgments have
        return f"{counted(int(found), 'column')} found; {RUN_LINE}; {ARE_JUDGMENTS}"
    return f"{counted(int(found), 'column')} found; {RUN_LINE}"


def _label_columns(found: str) -> str:
    columns, _, first = found.partition(" ")
    if columns == "6" and not first:  # what runs have
        return f"6 columns found; {LABEL_LINE}; {IS_RUN}"
    if first:
        return (
            f"{counted(int(columns), 'column')} found where the first line has {first}; "
            f"{LABEL_LINE if first == '4' else STRATA_LINE}"
        )
    return f"{counted(int(columns), 'column')} found; {LABEL_LINE} (or a stratum before the label)"


class NotGrouped(InputError):
    """Files that cannot be read some topics at a time: the judgments have strata."""


def key_numbered(topic: AnyStr) -> tuple[bool, int, AnyStr]:
    """Sort key of the pool's order of topics: whole numbers by value, then other names.

    >>> sorted([b"b", b"10", b"9"], key=key_numbered), sorted(["\u00b2", "b", "10", "9"], key=key_numbered)
    ([b'9', b'10', b'b'], ['9', '10', 'b', '\u00b2'])
    """
    number = topic.isascii() and topic.isdigit() and len(topic) < 19
    return not number, int(topic) if number else 0, topic


COMPRESSED = _core.FAULTS.index("compressed")
LONG_LINE = _core.FAULTS.index("long_line")
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
    """The error of judgments; lines of a plan have five columns, so that its first line may be the wrong one."""
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
    from poolwise.basics.workers import Threads

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

            source.notes = add_run_file(builder, number, file, source.where, source.columns)
            return report
        builder.start_run(number, gather)
        for piece, last in pieces(file):
            report = builder.feed_run(number, piece, last)
            if report[0]:
                break
        if _core.FAULTS[report[0]] == "not_a_number" and (row_name := nan_place(file)):
            raise_if(problem((report[0], 0, report[2]), row_name, labels=False))
        source.notes = said_of(file)
    return report
