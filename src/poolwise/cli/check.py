"""`poolwise check`."""

from __future__ import annotations

from poolwise.cli.options import add_input, read_input
from poolwise.cli.output import chosen_format, deliver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.audit import Audit
    from poolwise.cli.arguments import Namespace, Parser

EXAMPLE = "poolwise check qrels.txt runs/"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    parser.add_argument("--format", choices=("table", "csv", "json"), help="output format (default table)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file; its ending implies the format")


def run(arguments: Namespace) -> int:
    """Audit and print."""
    from poolwise.audit import audit

    form = chosen_format(arguments, plain="table")
    result = audit(read_input(arguments, duplicates="first"))
    if form == "json":
        from json import dumps

        text = dumps(result.to_dict(), indent=1) + "\n"
    elif form == "csv":
        from poolwise.score.score_tables import csv_text

        columns = result.columns()
        text = csv_text(tuple(columns), zip(*columns.values(), strict=True))
    else:
        text = _page(result)
    deliver(text, arguments.output)
    return 0


def _page(result: Audit) -> str:
    from poolwise.cli.terminal import table_text

    facts = "\n".join(f"{name + ':':<36}{value}" for name, value in result.facts().items())
    columns = {name: [_cell(value) for value in values] for name, values in result.columns().items()}
    table = table_text(tuple(columns), list(zip(*columns.values(), strict=True)))
    verdicts = "\n".join(f"- {line}" for line in result.findings) or "- nothing to worry about"
    return f"{facts}\n\n{table}\n\nWhat to know before scoring:\n{verdicts}\n"


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
