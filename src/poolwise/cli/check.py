"""`poolwise check`."""

from __future__ import annotations

from poolwise.cli.options import add_input, read_input
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.audit import Audit
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.show.items import Table
    from poolwise.show.page import Page

EXAMPLE = "poolwise check qrels.txt runs/"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    add_output(parser, ShownAudit, "table")


def run(arguments: Namespace) -> int:
    """Audit and print."""
    from poolwise.audit import audit

    form = chosen_format(arguments, ShownAudit, "table")
    show(ShownAudit(audit(read_input(arguments, duplicates="first"))), form, arguments.output)
    return 0


class ShownAudit(Shown):
    """What an audit found."""

    def __init__(self, found: Audit) -> None:
        self.found = found

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per run."""
        from poolwise.rows import rows_of

        columns = self.found.columns()
        return tuple(columns), list(rows_of(columns))

    def record(self) -> Any:
        """Everything that was found."""
        return self.found.to_dict()

    def tables(self) -> list[Table]:
        """One row per run."""
        from poolwise.show.items import Table

        return [Table("Runs", self.found.columns(), digits=3)]

    def text(self) -> str:
        """Facts of the collection, the runs, and what to know."""
        facts = "\n".join(f"{name + ':':<36}{value}" for name, value in self.found.facts().items())
        verdicts = "\n".join(f"- {line}" for line in self.found.findings) or "- nothing to worry about"
        return f"{facts}\n\n{super().text()}\nWhat to know before scoring:\n{verdicts}\n"

    def page(self) -> Page:
        """The same as a page."""
        from poolwise.report.audit_page import audit_page

        return audit_page(self.found, command_line())
