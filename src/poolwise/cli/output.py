"""Where output goes and in which format."""

from __future__ import annotations

import sys

from poolwise.errors import ArgumentError
from poolwise.show.formats import FORMATS, format_of_ending, formats_of, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.show.formats import Shown


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
    given = [text] if isinstance(text, (str, bytes)) else text
    pieces = (part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape") for part in given)
    if output is None:
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
