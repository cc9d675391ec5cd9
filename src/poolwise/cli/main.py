"""`poolwise`: finds the command, reads its options, and turns errors into messages and exit codes."""

from __future__ import annotations

import os
import sys

from poolwise.cli.arguments import Parser
from poolwise.errors import ArgumentError, PoolwiseError, PoolwiseWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# In the order a user meets them; a command's module has the same name.
COMMANDS = {
    "score": "score runs by any measures",
    "trec_eval": "trec_eval's arguments and output, to the byte",
    "sample": "hide part of complete judgments, by any design",
    "plan": "say which documents to judge, within a budget",
    "judge": "judge the documents of a plan in the browser, the width of the interval in view",
    "merge": "put labels that came back in any shape into their plan",
    "estimate": "estimate scores from sampled judgments, with intervals",
    "items": "plan labels and estimate means of any table of items with one number each",
    "check": "audit judgments and runs before trusting them",
    "holes": "old judgments, new runs: what unjudged documents leave open, and which to judge",
    "compare": "test which runs really differ",
    "gate": "must a pipeline stop: is a candidate no worse than a baseline",
    "agreement": "how far assessors, or a model and assessors, agree",
    "reliability": "how many topics are enough, from any topics x systems table",
    "report": "pages for participants: an index, a page per run, a page per topic",
    "study": "a whole experiment on your data, with tables, figures and a page",
    "measures": "list all measures, or show one in full",
    "simulate": "make a campaign with known complete judgments",
    "demo": "a tour on a simulated campaign, with an HTML report",
    "completion": "let bash, zsh or fish complete commands, options and measures",
}

RUNS_LEFT_OUT = 3  # the exit code when all went well but for runs that could not be read


def main(argv: list[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    words = sys.argv[1:] if argv is None else argv
    if argv is None:
        _collect_rarely()
    _have_streams()
    if words[:1] == ["help"] and len(words) > 1:
        words = [words[1], "--help"]
    if not words or words[0] in ("-h", "--help", "help"):
        return _printed(_overview(), 0 if words else 2)
    if words[0] == "--version":
        from poolwise import __version__

        return _printed(f"poolwise {__version__}", 0)
    if words[0] not in COMMANDS:
        from poolwise.basics.settings import did_you_mean

        near = did_you_mean(words[0], COMMANDS)
        # Files where the command should be, as trec_eval takes them.
        if len(words) > 1 and os.path.exists(words[0]):
            near = f"did you mean poolwise score {' '.join(words)}?"
        return _fail(f"no command {words[0]!r}; {near + ' ' * bool(near)}the commands are {', '.join(COMMANDS)}", 2)
    _show_warnings()
    try:
        return _guarded(lambda: _run(words[0], words[1:]))
    except PoolwiseError as error:
        return _fail(str(error), _code(words[0], error))
    except ModuleNotFoundError as error:
        # An installation may lack whole folders, such as that of the judging page.
        if not str(error.name).startswith("poolwise."):
            raise
        whole = "install all of poolwise: pip install --force-reinstall poolwise"
        return _fail(f"{words[0]} needs {error.name}, which this installation leaves out; {whole}", 1)


def _guarded(work: Callable[[], int]) -> int:
    """Call `work`; a signal or a failure of the system becomes a message and an exit code."""
    try:
        return work()
    except KeyboardInterrupt:
        return _fail("stopped; no file was left half-written", 130)
    except BrokenPipeError:
        # The reader of our output has gone, as in `poolwise ... | head`.
        sys.stdout = None
        return 0
    except OSError as error:
        sys.stdout = None  # it may hold what cannot be written, as on a full disk
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}; check the path and what may be done with it", 1)
    except MemoryError:
        return _fail("not enough memory; read fewer runs at once", 1)


def _printed(text: str, code: int) -> int:
    """Print a text that needs no command."""

    def work() -> int:
        print(text)
        sys.stdout.flush()
        return code

    return _guarded(work)


def _collect_rarely() -> None:
    """Make garbage collection rare in the process of a command, and skip it at exit.

    They took a tenth of the time of `poolwise score` beyond Python's own start: nearly all that is loaded stays in use,
    and at the end memory goes back to the system anyway.
    """
    import atexit
    import gc

    gc.set_threshold(50_000, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)


def _have_streams() -> None:
    """Stand in for a standard output or error that the caller has closed: what is printed to the one is missed."""
    if sys.stdout is None:
        from poolwise.cli.output import ClosedOutput

        sys.stdout = ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, kept open


def parser_of(name: str) -> Parser:
    """The options of a command, as it declares them."""
    command = _module(name)
    parser = Parser(name, f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}.", command.EXAMPLE)
    command.add_arguments(parser)
    return parser


def _code(name: str, error: PoolwiseError) -> int:
    """The exit code of an error: 2 for wrong usage, 1 for wrong input, unless the command has codes of its own."""
    wrong_usage = isinstance(error, ArgumentError)
    return int(getattr(_module(name), "USAGE_CODE" if wrong_usage else "INPUT_CODE", 2 if wrong_usage else 1))


def _module(name: str) -> Any:
    from importlib import import_module

    return import_module(f"poolwise.cli.{name}")


def _run(name: str, words: list[str]) -> int:
    parser = parser_of(name)
    if "-h" in words or "--help" in words:
        print(parser.help())
        sys.stdout.flush()
        return 0
    arguments = parser.parse(words)
    code = int(_module(name).run(arguments))
    sys.stdout.flush()
    return code or (RUNS_LEFT_OUT if getattr(arguments, "left_out", None) else 0)


def _overview() -> str:
    from poolwise import __version__

    width = max(map(len, COMMANDS))
    lines = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items())
    return (
        f"poolwise {__version__}: how good are your search systems when only some documents are judged?\n\n"
        f"usage: poolwise COMMAND ...\n\n{lines}\n\n`poolwise COMMAND --help` shows its options and an example."
    )


def _show_warnings() -> None:
    """Say each warning of ours once, in one line, on standard error."""
    import warnings

    shown: set[str] = set()
    usual = warnings.showwarning

    def show(message: Any, category: Any, *rest: Any, **more: Any) -> None:
        if not issubclass(category, PoolwiseWarning):
            usual(message, category, *rest, **more)
        elif str(message) not in shown:
            shown.add(str(message))
            print(f"poolwise: note: {_tame(message)}", file=sys.stderr)

    warnings.showwarning = show
    warnings.simplefilter("always", PoolwiseWarning)


def _fail(message: str, code: int) -> int:
    print(f"poolwise: {_tame(message)}", file=sys.stderr)
    return code


def _tame(message: Any) -> str:
    """A message in which names of files cannot steer the terminal."""
    text = str(message)
    if text.isprintable():
        return text
    from poolwise.basics.words import in_line

    return "\n".join(map(in_line, text.split("\n")))
