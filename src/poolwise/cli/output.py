"""Where output goes and in which format."""

from __future__ import annotations

import io
import sys

from poolwise.errors import ArgumentError
from poolwise.show.formats import FORMATS, format_of_ending, formats_of, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.show.formats import Shown


class progress:
    """A progress bar on standard error for work of over a second; nothing when that is no terminal."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.shown = False
        self.start = 0.0

    def __enter__(self) -> Callable[[int, int], None] | None:
        if not sys.stderr.isatty():
            return None
        from time import monotonic

        self.start = monotonic()
        return self.advance

    def advance(self, done: int, total: int) -> None:
        """Show how much is done and, if there is a total, how long the rest may take."""
        from time import monotonic

        passed = monotonic() - self.start
        if passed < 1 and not self.shown:
            return
        self.shown = True
        if not total:  # how much there is cannot be known
            sys.stderr.write(f"\r{self.label}: {done} ")
            sys.stderr.flush()
            return
        filled = 30 * done // max(total, 1)
        left = passed / max(done, 1) * (total - done)
        sys.stderr.write(f"\r{self.label} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}, {left:.0f} s left ")
        sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def bold(text: str) -> str:
    """Text in bold on terminals that know it."""
    import os

    return text if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else f"\033[1m{text}\033[0m"


class ClosedOutput(io.TextIOWrapper):
    """A closed stream: writing to it raises an error, as on a full disk."""

    def __init__(self) -> None:
        super().__init__(_Nowhere(), encoding="utf-8", write_through=True)


class _Nowhere(io.RawIOBase):
    name = "standard output"

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if len(data):
            import errno

            raise OSError(errno.EBADF, "standard output is closed", "standard output")
        return 0


def add_output(parser: Parser, shown: type[Shown], default: str) -> None:
    """--format and -o, for a command that shows this."""
    known = formats_of(shown)
    parser.add_argument("--format", choices=known, help=f"output format (default: {default})")
    endings = ", ".join(FORMATS[name].endings[0] for name in known if FORMATS[name].endings)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"write to a file; its ending implies the format ({endings})"
    )


def chosen_format(arguments: Namespace, shown: type[Shown], plain: str) -> str:
    """The format asked for, or implied by the output's ending, or fit for where output goes.

    Asked before the work begins, so that it is not done in vain: also the libraries that a format needs and the folder
    of the output are looked for.
    """
    known = formats_of(shown)
    asked = getattr(arguments, "format", None)  # a command with one format has no such option
    implied = format_of_ending(arguments.output, known) if arguments.output and not asked else None
    at_terminal = not arguments.output and sys.stdout.isatty() and "table" in known
    form = FORMATS[asked or implied or ("table" if at_terminal else plain)]
    if form.binary and not arguments.output:
        raise ArgumentError(f"--format {form.name} needs -o FILE")
    if form.needs:
        from poolwise.basics.extras import load

        load(*form.needs)
    if arguments.output:
        from poolwise.basics.writing import check_place

        check_place(arguments.output)
    return form.name


def add_overwrite(parser: Parser) -> None:
    """--overwrite."""
    parser.add_argument(
        "--overwrite", action="store_true",
        help="replace FILE even if labels or a plan that it holds are lost by that; it is kept as FILE.previous",
    )  # fmt: skip


def deliver(
    text: str | bytes | Iterable[str | bytes],
    output: str | None,
    write: Callable[[Iterable[bytes]], object] | None = None,
) -> None:
    """Print, or write a file whole or not at all; texts one after the other are written as they come.

    Files that may hold labels are written by `write`, that of a `LabelFile`.
    """
    texts = [text] if isinstance(text, (str, bytes)) else text
    # Ids that are no UTF-8 leave as they came.
    pieces = (part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape") for part in texts)
    if output is None:
        # Bytes go past the text layer, whose text was printed before.
        sys.stdout.flush()
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.flush()
        return
    from poolwise.basics.writing import write_pieces

    write_pieces(output, pieces) if write is None else write(pieces)


def show(shown: Shown, form: str, output: str | None, write: Callable[[Iterable[bytes]], object] | None = None) -> None:
    """Print or write what a command shows."""
    deliver(written(shown, form), output, write)


def command_line() -> str:
    """The command that is running, as a shell takes it."""
    import shlex

    return shlex.join(["poolwise", *sys.argv[1:]])
