"""Where output goes and in which format."""

from __future__ import annotations

import os
import sys

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace

FORMATS = ("trec", "table", "csv", "json", "parquet")


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


def deliver(text: str | bytes, output: str | None) -> None:
    """Print, or write a file whole or not at all."""
    if output is None:
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    from poolwise.score.tables import write_bytes, write_text

    if isinstance(text, bytes):
        write_bytes(output, text)
    else:
        write_text(output, text)
