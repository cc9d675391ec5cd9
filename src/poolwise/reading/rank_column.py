"""Does a run's file rank by its scores? Scorers look at scores alone, whatever the column of ranks says."""

from __future__ import annotations

from itertools import pairwise

from poolwise.errors import InputError
from poolwise.reading.column_names import TOPIC
from poolwise.reading.foreign_text import is_number
from poolwise.reading.opening import STREAM, opened, opened_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolwise.reading.sources import Source

    Row = tuple[str, float, float]  # topic, rank, score

BEGINNING = 1 << 16  # bytes that are looked at
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
