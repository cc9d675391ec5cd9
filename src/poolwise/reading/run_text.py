"""The first topics and documents of a run, for messages that show them."""

from __future__ import annotations

import os
from contextlib import contextmanager, nullcontext
from itertools import pairwise

from poolwise import _core
from poolwise.errors import InputError
from poolwise.reading.columns import TOPIC, is_number
from poolwise.reading.opening import STREAM, file_text, opened, opened_lines, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from poolwise.reading.sources import Source

BEGINNING = 1 << 16  # bytes that are looked at
MOST = 1000  # documents


def first_ids(source: Source) -> list[tuple[str, str]]:
    """Topics and documents of a run as they come; none if it can be read once only, or not at all.

    >>> from poolwise.reading.sources import Source
    >>> first_ids(Source("mine", table={"1": {"a": 0.5, "b": 0.25}}))
    [('1', 'a'), ('1', 'b')]
    """
    if source.once:
        return []
    try:
        return list(_of_table(source) if source.path is None else _of_file(source))[:MOST]
    except InputError:
        return []


def _of_file(source: Source) -> Iterator[tuple[str, str]]:
    with opened_lines(source, STREAM, labels=False) as (file, kind):
        if kind == "parquet":
            from poolwise.reading.sources import Source
            from poolwise.reading.tables import read_parquet

            table = read_parquet(file, source.where)
            yield from _of_table(Source(source.name, table=table, columns=source.columns))
            return
        for line in file.read(BEGINNING).split(b"\n"):
            words = line.decode("utf-8", "surrogateescape").split()
            if len(words) > 4 and not line.startswith(b"#"):
                yield words[0], words[2]


def _of_table(source: Source) -> Iterator[tuple[str, str]]:
    from poolwise.reading.tables import documents_by_topic

    for topic, documents in documents_by_topic(source.table, source.where, source.columns).items():
        for document in documents:
            yield topic, document


if TYPE_CHECKING:
    Row = tuple[str, float, float]  # topic, rank, score
FEWEST, NEARLY_ALL = 3, 0.9  # pairs of neighbours that must tell, and their share


def is_trec_run(source: Source) -> bool:
    """Whether a file holds lines of TREC runs, which have six columns where judgments have four or five."""
    try:
        with opened(source, STREAM) as (file, kind):
            start = b"" if kind in ("parquet", "sqlite") else file.read(1 << 16)
    except InputError:
        return False
    words = next((line.split() for line in start.split(b"\n") if line.strip() and not line.startswith(b"#")), [])
    return len(words) > 5 and is_number(words[4])


def scores_rise_with_ranks(source: Source) -> bool:
    """Whether scores grow where ranks do, in nearly all of the first lines: the best would be taken for the worst."""
    if source.path is None or source.once:
        return False
    try:
        return are_reversed(_rows(source))
    except InputError:
        return False  # it is refused elsewhere


def are_reversed(rows: Iterable[Row]) -> bool:
    """Whether scores grow with ranks from row to row of a topic.

    >>> are_reversed([("1", 1, 0.1), ("1", 2, 0.2), ("1", 3, 0.3), ("1", 4, 0.4)])
    True
    """
    signs = [
        (later[1] - row[1]) * (later[2] - row[2]) > 0
        for row, later in pairwise(rows)
        if row[0] == later[0] and row[1] != later[1] and row[2] != later[2]
    ]
    return len(signs) >= FEWEST and sum(signs) >= NEARLY_ALL * len(signs)


def _rows(source: Source) -> Iterator[Row]:
    with opened_lines(source, STREAM, labels=False) as (file, kind):
        if kind == "parquet":
            from poolwise.reading.tables import columns_of, read_parquet

            table = read_parquet(file, source.where)
            if {"rank", "score"} <= {*table.column_names}:
                names = {name: (name,) for name in ("rank", "score")}
                cells = columns_of(table, {"topic": TOPIC, **names}, {}, source.where)
                yield from zip(cells["topic"], cells["rank"], cells["score"], strict=True)
            return
        for line in file.read(BEGINNING).split(b"\n")[:-1]:
            words = line.split()
            if len(words) > 4 and words[3].isdigit() and is_number(words[4]) and not line.startswith(b"#"):
                yield words[0].decode("utf-8", "surrogateescape"), float(words[3]), float(words[4])


TAIL = 1 << 16  # bytes in which the last line is looked for first
START = 16  # bytes that tell what kind of file it is
PLAIN = ""


@contextmanager
def kept_on_disk(path: str) -> Iterator[str]:
    """A path that can be read twice; what cannot (standard input, a pipe) is put into a file for as long."""
    from poolwise.reading.sources import is_stream

    if not is_stream(path) or os.path.isdir(path):
        yield path
        return
    import sys
    from shutil import copyfileobj
    from tempfile import NamedTemporaryFile

    with NamedTemporaryFile() as file:
        with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as stream:
            copyfileobj(stream, file)
        file.flush()
        yield file.name


def run_tag(path: str) -> str:
    """The sixth field of the last line that has one, which trec_eval prints as `runid`; comments are passed over."""
    with open(path, "rb") as file:
        kind = _core.kind_of(file.read(START))
        if kind == PLAIN:
            return _last_tag(_tail(file)) or _last_tag(_all(file))
    from poolwise.reading.opening import STREAM, opened
    from poolwise.reading.sources import Source

    with opened(Source(path, path), STREAM) as (text, kind):
        return "" if kind == "parquet" else _last_tag(_rolling_tail(text))


def _tail(file: Any) -> bytes:
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - TAIL))
    data: bytes = file.read()
    return data if size <= TAIL else data.partition(b"\n")[2]


def _all(file: Any) -> bytes:
    file.seek(0)
    return bytes(file.read())


def _rolling_tail(file: Any) -> bytes:
    """The end of what can be read in one direction only."""
    tail = b""
    while piece := file.read(TAIL):
        tail = (tail + piece)[-2 * TAIL :]
    return tail


def _last_tag(text: bytes) -> str:
    for line in reversed(text.splitlines()):
        fields = line.split()
        if len(fields) >= 6 and not line.startswith(b"#"):
            return fields[5].decode("utf-8", "surrogateescape")
    return ""


def read_z_scores(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Means and deviations by topic and measure, from lines of topic, measure, mean and deviation."""
    means = {}
    for number, line in enumerate(file_text(path).splitlines(), 1):
        try:
            topic, measure, mean, deviation = line.split()
            means[topic, measure] = (float(mean), float(deviation))
        except ValueError:
            raise InputError(
                f"{path}:{number}: {line!r} is not a topic, a measure, a mean and a deviation; correct the line"
            ) from None
    return means


FIELDS = 6  # topic Q0 document rank score tag


def blank_id(source: Source) -> tuple[int, str] | None:
    """The first line with a field too many that looks as if its document's id had a blank: its number and words.

    That is one with words where the rank should be, or in a file whose other lines have no field too many. Ranks are
    not looked at in scoring, as by trec_eval, so that such a line may pass unseen: what follows the first blank of the
    id is taken for the rank, the rank for the score.
    """
    if source.path is None or source.once:
        return None
    try:
        with opened_lines(source, STREAM, labels=False) as (file, kind):
            return None if kind == "parquet" else _first(whole(file))
    except InputError:
        return None


def _first(text: bytes) -> tuple[int, str] | None:
    """The same in a text.

    >>> _first(b"401 Q0 doc1 1 3.0 tag\\n401 Q0 doc 2 2 2.0 tag\\n")
    (2, '401 Q0 doc 2 2 2.0 tag')
    >>> _first(b"401 Q0 doc1 1 3.0 my tag\\n401 Q0 doc2 2 2.0 my tag\\n")
    """
    lines = [(number, line.split()) for number, line in enumerate(text.split(b"\n"), 1) if not line.startswith(b"#")]
    usual = any(len(words) == FIELDS for _, words in lines)
    for number, words in lines:
        if len(words) > FIELDS and (usual or not is_number(words[3])):
            return number, b" ".join(words).decode("utf-8", "replace")
    return None
