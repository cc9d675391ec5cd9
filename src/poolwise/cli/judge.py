"""`poolwise judge`."""

from __future__ import annotations

from contextlib import contextmanager

from poolwise.basics.words import counted
from poolwise.cli.arguments import listed, unjudged_label
from poolwise.cli.options import add_columns, add_predictions, columns_given, columns_of_runs
from poolwise.cli.output import add_overwrite
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.judging.server import JudgingServer
    from poolwise.judging.session import JudgeOptions

BESIDE = (
    "this plan is being judged at another port already, which stays that of next time; the addresses above are good "
    "until this server is stopped"
)
EXAMPLE = "poolwise judge round1.txt --documents documents.jsonl --topics topics.tsv --scale 0-3 --runs runs/"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("plan", metavar="PLAN", help="a plan of `poolwise plan`; what is judged is kept beside it")
    _add_texts(parser)
    _add_labels(parser)
    _add_people(parser)
    _add_scores(parser)
    _add_server(parser)


def _add_texts(parser: Parser) -> None:
    parser.add_argument(
        "--documents", action="append", metavar="D", default=[],
        help="texts: JSON lines, CSV or Parquet, compressed or not, a folder, an id of ir_datasets; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--documents-from", metavar="COMMAND", help="a command that prints the text of the id it is given"
    )
    parser.add_argument("--topics", metavar="T", help="topics: JSON lines, TSV, CSV, TREC or XML, an id of ir_datasets")
    parser.add_argument("--guidelines", metavar="FILE", help="a Markdown file that assessors can read while judging")
    parser.add_argument("--images", action="store_true", help="show images that documents name, fetched from elsewhere")


def _add_labels(parser: Parser) -> None:
    parser.add_argument("--grades", metavar="FILE", help="a TOML file of grades with names and descriptions")
    parser.add_argument(
        "--scale", metavar="LOW-HIGH",
        help="grades with the usual names, as in 0-3 or -2,0-4 (0-1); --grades for names of your own",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", action="append", metavar="FILE", default=[], dest="outputs",
        help="judged file (PLAN.judged.txt); .qrels: plain; .jsonl, .csv: with times and notes; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--store", metavar="FILE", help="SQLite file that keeps what is judged (PLAN.sqlite): a judging of its own"
    )
    parser.add_argument("--export", action="store_true", help="write the judged files from what is kept, and end")
    parser.add_argument("--unjudged", metavar="LABEL", default="-1", help="label that means not judged, in files (-1)")
    add_overwrite(parser)
    parser.add_argument(
        "--recover", metavar="FILE",
        help="save what can be read of a damaged file of labels to a new one (.sqlite) or as judged file, and end",
    )  # fmt: skip


def _add_people(parser: Parser) -> None:
    parser.add_argument("--assessors", metavar="A,B,...", help="names, each with an address and a share of their own")
    parser.add_argument("--overlap", type=float, metavar="P", help="share of documents that several judge (0)")
    parser.add_argument(
        "--per-document", type=int, metavar="N",
        help="how many judge each of these (2); without --overlap: each of all documents",
    )  # fmt: skip
    parser.add_argument("--repeat", type=float, metavar="P", help="share of their own that assessors see again (0)")
    parser.add_argument(
        "--adjudicate", metavar="FILE", help="settle disagreements: a list of topics and documents, or own: this plan's"
    )


def _add_scores(parser: Parser) -> None:
    parser.add_argument(
        "--runs", action="append", metavar="RUN", default=[],
        help="runs, to show how precisely they are known by now: files or a directory; may be repeated",
    )  # fmt: skip
    parser.add_argument("-m", "--measure", metavar="MEASURE", help="what to estimate (AP)")
    parser.add_argument(
        "--difference", nargs=2, metavar="RUN", help="two runs to compare (if two runs are given, these)"
    )
    add_predictions(parser, "predicted labels for the estimates:", default=[])
    add_columns(parser)
    parser.add_argument(
        "--hide-scores", action="store_true", help="do not show how precise estimates are, nor values on request"
    )


def _add_server(parser: Parser) -> None:
    parser.add_argument("--port", type=int, metavar="N", help="port to serve at (that of last time, or any)")
    parser.add_argument(
        "--host", metavar="H", default="127.0.0.1", help="address to serve at (127.0.0.1: this machine)"
    )
    parser.add_argument("--public", metavar="URL", default="", help="address of a reverse proxy in front")
    parser.add_argument("--new-links", action="store_true", help="make new addresses; old ones stop working")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run(arguments: Namespace) -> int:
    """Serve until stopped, or only write what was judged."""
    options = _judge_options(arguments)
    if arguments.recover is not None:
        return _recover(options, arguments.recover)
    if arguments.export:
        return _export(options)
    return _serve(options, arguments)


def _judge_options(arguments: Namespace) -> JudgeOptions:
    from poolwise.judging.session import JudgeOptions

    unjudged = unjudged_label(arguments.unjudged)
    if not isinstance(unjudged, int):
        raise ArgumentError(f"--unjudged {arguments.unjudged!r}: give a whole number")
    names = (
        "plan", "documents", "documents_from", "topics", "runs", "measure", "difference", "predictions", "grades",
        "scale", "guidelines", "overlap", "per_document", "repeat", "adjudicate", "hide_scores", "images", "store",
        "outputs", "overwrite",
    )  # fmt: skip
    options = {name: getattr(arguments, name) for name in names}
    columns_of_runs(arguments)  # refuses a value that is of no predictions
    columns = columns_given(arguments.columns)
    return JudgeOptions(
        **options, columns=columns, assessors=tuple(listed(arguments.assessors) or ()), unjudged=unjudged
    )


def _serve(options: JudgeOptions, arguments: Namespace) -> int:
    import sys
    from contextlib import nullcontext, suppress

    from poolwise.cli.output import progress
    from poolwise.judging.server import LOOPBACK, JudgingServer
    from poolwise.judging.session import notes

    with progress("reading documents") as advance:
        server = JudgingServer(
            options, host=arguments.host, port=arguments.port, public=arguments.public,
            new_links=arguments.new_links, advance=advance,
        )  # fmt: skip
    shown = not arguments.no_browser and len(server.addresses) == 1 and arguments.host in LOOPBACK
    with _ended_by_interrupts(server):
        for name, address in server.addresses.items():
            print(f"{address}\t{name}" if name else address)
        print(_opening(server), file=sys.stderr)
        if server.runs_beside:
            print(f"poolwise: note: {BESIDE}", file=sys.stderr)
        for words in notes(server.room):
            print(f"poolwise: note: {words}", file=sys.stderr)
        _note_plain(server.outputs)
        sys.stdout.flush()
        with suppress(KeyboardInterrupt), server.opened_in_browser() if shown else nullcontext():
            server.serve()
    server.check_written()
    print(_summary(server), file=sys.stderr)
    return 0


@contextmanager
def _ended_by_interrupts(server: JudgingServer) -> Iterator[None]:
    """From the first address on, Ctrl+C ends the server: an exception may be lost in what is imported meanwhile."""
    import signal

    before = signal.signal(signal.SIGINT, lambda *_: server.end())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _opening(server: JudgingServer) -> str:
    """The work to do in words, with the assessors where these are not the team."""
    judging = server.room.judging
    if judging.settle is None:
        left = len(judging.items) - judging.all_done
        of_all = f"{left} of " if judging.all_done else ""
        return f"{of_all}{counted(len(judging.items), 'document')} to judge; stop with Ctrl+C, go on any time"
    who = ", ".join(filter(None, server.addresses)) or "whoever opens the address and gives a name"
    return (
        f"{counted(len(judging.settle), 'disagreement')} to settle, of {counted(len(judging.items), 'document')}, by "
        f"{who}; stop with Ctrl+C, go on any time"
    )


def _summary(server: JudgingServer) -> str:
    judging = server.room.judging
    done = f"{judging.all_done} of {len(judging.items)} documents judged"
    if judging.settle is not None:
        done = f"{judging.all_done} of {counted(len(judging.settle), 'disagreement')} settled"
    return f"{done}; {', '.join(server.outputs)} written"


def _export(options: JudgeOptions) -> int:
    from poolwise.judging.judged_outputs import Outputs
    from poolwise.judging.session import as_last_time, outputs_of, texts_of
    from poolwise.judging.work import open_work

    options, _ = as_last_time(options)
    outputs = outputs_of(options)
    work, store = open_work(options.plan, options.store, options.unjudged, texts_of(options))
    files = Outputs(outputs, work, store.events, options.overwrite)
    try:
        files.check()
        files.write()
    finally:
        store.close()
    print(f"{', '.join(outputs)} written")
    _note_plain(outputs)
    return 0


def _note_plain(outputs: Sequence[str]) -> None:
    """Say of plain judgments what they lack."""
    import sys

    from poolwise.cli.merge import PLAIN_WORDS

    plain = [path for path in outputs if path.endswith(".qrels")]
    if plain:
        print(f"poolwise: note: {', '.join(plain)}: {PLAIN_WORDS}", file=sys.stderr)


def _recover(options: JudgeOptions, target: str) -> int:
    from poolwise.judging.judged_outputs import check_ending
    from poolwise.judging.recovering import STORES, recover
    from poolwise.judging.session import texts_of
    from poolwise.judging.work import ENDING, beside

    of_store = options.plan.endswith(STORES)
    path = options.plan if of_store else options.store or beside(options.plan, ENDING)
    if not target.endswith(STORES):
        check_ending(target)
    saved = recover(options.plan, path, target, options.unjudged, texts_of(options), options.overwrite)
    lost = f"; {counted(saved.lost, 'event')} could not be read" if saved.lost else ""
    print(f"{target}: {counted(saved.labels, 'label')} saved{lost}")
    if target.endswith(STORES):
        print(f"go on with `poolwise judge {target if of_store else f'{options.plan} --store {target}'}`")
    return 0
