"""`poolwise check`."""

from __future__ import annotations

from poolwise.cli.options import add_input, columns_given, read_runs_with
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.errors import InputError
from poolwise.pool.joining import NO_RUN_LEFT
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.audit import Audit
    from poolwise.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.show.items import Table
    from poolwise.show.page import Page

EXAMPLE = "poolwise check qrels.txt runs/"
IN_WORDS = ("same_as", "reversed_by")  # findings name these runs, and a terminal is narrow
MAYBE = {  # columns that are left out of a terminal's table where no run has any, and what they count
    "missing": "missing topics",
    "ties": "ties",
    "duplicates": "repeated documents",
    "unknown_topics": "topics without judgments",
}


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser, alone=True)
    parser.add_argument(
        "--runs-only", action="store_true",
        help="there is no QRELS: all that is named are runs; a directory, or a TREC run, in its place says so itself",
    )  # fmt: skip
    add_output(parser, ShownAudit, "table")


def run(arguments: Namespace) -> int:
    """Audit and print; the exit status is 3 if a file could not be read, which the others do not wait for."""
    from poolwise.audit import audit

    form = chosen_format(arguments, ShownAudit, "table")
    alone = arguments.runs_only or _holds_runs(arguments.qrels)
    if alone:
        arguments.runs = [arguments.qrels, *arguments.runs]
    pool = _read(arguments, None if alone else arguments.qrels)
    show(ShownAudit(audit(pool, _against_ranks(arguments))), form, arguments.output)
    return 0


def _read(arguments: Namespace, qrels: str | None) -> Campaign:
    """Read what can be read: runs that cannot be are left out, and so are judgments, of which the pool knows then."""
    options: dict[str, Any] = {"documents": "all", "duplicates": "first", "bad_runs": "skip"}
    try:
        return read_runs_with(arguments, qrels, **options)
    except InputError as error:
        if qrels is None or str(error).startswith(NO_RUN_LEFT):
            raise
        pool = read_runs_with(arguments, None, **options)
        pool.left_out = arguments.left_out = {qrels: str(error), **pool.left_out}
        return pool


def _holds_runs(path: str) -> bool:
    """Whether runs stand in the place of QRELS: a directory, or a file that begins as TREC runs do."""
    import os

    from poolwise.read.rank_column import is_trec_run
    from poolwise.read.sources import Source

    return os.path.isdir(path) or (os.path.isfile(path) and is_trec_run(Source("run", path)))


def _against_ranks(arguments: Namespace) -> list[str]:
    """The runs whose scores rise with the ranks of their files."""
    from poolwise.read.rank_column import scores_rise_with_ranks
    from poolwise.read.sources import run_sources

    sources = run_sources(arguments.runs, split=False, columns=columns_given(arguments.columns))
    return [source.name for source in sources if scores_rise_with_ranks(source)]


class ShownAudit(Shown):
    """What an audit found."""

    def __init__(self, report: Audit) -> None:
        self.audit = report

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per run."""
        from poolwise.rows import rows_of

        columns = self.audit.columns()
        return tuple(columns), list(rows_of(columns))

    def record(self) -> Any:
        """Everything that was found."""
        return self.audit.to_dict()

    def tables(self) -> list[Table]:
        """One row per run."""
        from poolwise.show.items import Table

        return [Table("Runs", self.audit.columns(), digits=3)]

    def text(self) -> str:
        """Facts of the collection, the runs, and what to know."""
        facts = "\n".join(f"{name + ':':<36}{value}" for name, value in self.audit.facts().items())
        verdicts = "\n".join(f"- {line}" for line in self.audit.findings) or "- nothing to worry about"
        return f"{facts}\n\n{self._narrow()}\nWhat to know before scoring:\n{verdicts}\n"

    def _narrow(self) -> str:
        """The table of runs, for a terminal: heads in two lines, and nothing that is 0 for every run."""
        from poolwise.rows import aligned_text, stacked_head

        (table,) = self.tables()
        empty = [name for name in MAYBE if name in table.columns and not any(table.columns[name])]
        left_out = {*IN_WORDS, *empty, *(["ties_move_AP"] if "ties" in empty else [])}
        kept = [place for place, name in enumerate(table.columns) if name not in left_out]
        heads = [stacked_head(name) for name in table.columns]
        cells = [[row[place] for place in kept] for row in table.cells()]
        none = f"\nNone in any run: {', '.join(MAYBE[name] for name in empty)}.\n" if empty else ""
        return aligned_text([heads[place] for place in kept], cells) + "\n" + none

    def page(self) -> Page:
        """The same as a page."""
        from poolwise.report.audit_page import audit_page

        return audit_page(self.audit, command_line())
