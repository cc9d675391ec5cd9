"""Where output goes and in which format."""

from __future__ import annotations

import os
import sys

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace

FORMATS = ("trec", "table", "csv", "json", "parquet")
PAGE_FORMATS = ("table", "csv", "json", "markdown", "latex", "html")
PAGE_ENDINGS = {"md": "markdown", "tex": "latex", "htm": "html"}
ROW_GROUP = 1 << 17  # rows of a Parquet file that are written at once


def chosen_format(arguments: Namespace, plain: str = "trec") -> str:
    """The format asked for, or implied by the output's ending, or fit for where output goes."""
    if arguments.format:
        if arguments.format == "parquet" and not arguments.output:
            raise ArgumentError("--format parquet needs -o FILE")
        return str(arguments.format)
    if arguments.output:
        ending = os.path.splitext(arguments.output)[1][1:]
        return ending if ending in FORMATS else plain
    return "table" if sys.stdout.isatty() else plain


def chosen_page_format(arguments: Namespace) -> str:
    """The same for commands that can also write tables for papers, and pages."""
    ending = (arguments.output or "").rpartition(".")[2]
    ending = PAGE_ENDINGS.get(ending, ending)
    return str(arguments.format or (ending if ending in PAGE_FORMATS else "table"))


def deliver(text: str | bytes | Iterable[str | bytes], output: str | None) -> None:
    """Print, or write a file whole or not at all; texts one after the other are written as they come."""
    given = [text] if isinstance(text, (str, bytes)) else text
    pieces = (part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape") for part in given)
    if output is None:
        sys.stdout.flush()
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.flush()
        return
    from poolwise.score.score_tables import write_pieces

    write_pieces(output, pieces)


def parquet_pieces(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """Rows as a Parquet file, some of them at a time."""
    from itertools import islice

    from poolwise.extras import load

    pyarrow, parquet = load("pyarrow", "parquet"), load("pyarrow.parquet", "parquet")
    sink, writer, source = _Sink(), None, iter(rows)
    while some := list(islice(source, ROW_GROUP)):
        table = pyarrow.table(dict(zip(columns, map(list, zip(*some, strict=True)), strict=True)))
        if writer is None:  # a column that is empty so far holds numbers
            kinds = [pyarrow.float64() if pyarrow.types.is_null(kind) else kind for kind in table.schema.types]
            schema = pyarrow.schema(list(zip(columns, kinds, strict=True)))
            writer = parquet.ParquetWriter(sink, schema)
        writer.write_table(table.cast(schema))
        yield sink.taken()
    if writer is not None:
        writer.close()
    yield sink.taken()


class _Sink:
    """What a Parquet file is written to, and taken from as it grows."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: Any) -> int:
        """Take bytes in."""
        self._pieces.append(bytes(data))
        self._size += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        """How much was written in all."""
        return self._size

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""

    def taken(self) -> bytes:
        """What came since last time."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
