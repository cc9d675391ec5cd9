"""The first topics and documents of a run, for messages that show them."""

from __future__ import annotations

from poolwise.errors import InputError
from poolwise.reading.opening import STREAM, opened_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
