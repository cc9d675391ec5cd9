"""`poolwise report`."""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.cli.options import add_input, add_measures, read_input, wanted_measures
from poolwise.cli.output import command_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace, Parser

EXAMPLE = "poolwise report qrels.txt runs/ -m AP -m nDCG@10 -o pages"
USUAL = ("AP", "nDCG@10", "P@10")


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    add_measures(parser, " ".join(USUAL))
    parser.add_argument(
        "--found",
        type=int,
        default=100,
        metavar="K",
        help="rank down to which a relevant document counts as found (100)",
    )
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="folder for the pages")


def run(arguments: Namespace) -> int:
    """Write the pages and say where they begin."""
    from pathlib import Path

    from poolwise.basics.extras import load

    load("jinja2", "report")
    from poolwise.campaign.participant_pages import check_free, report

    check_free(Path(arguments.output))
    measures = [measure for _, measure in wanted_measures(arguments, USUAL)]
    pool = read_input(arguments, documents="all")
    index = report(
        pool, arguments.output, measures=measures, depth=arguments.found, threads=arguments.threads,
        command=command_line(),
    )  # fmt: skip
    print(f"{index}: {counted(len(pool.runs), 'run')}, {counted(len(pool.topics), 'topic')}")
    return 0
