"""`poolwise check`."""

from __future__ import annotations

from poolwise.audits.run_faults import Fault, unknown_topics, unreadable
from poolwise.basics.results import unwarned
from poolwise.basics.words import counted, short
from poolwise.cli.options import add_input, columns_given, read_runs_with, run_paths
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.errors import InputError
from poolwise.pool.joining import NO_RUN_LEFT
from poolwise.reading.run_text import blank_id, first_ids
from poolwise.reading.sources import sources_of
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.audits.audit import Audit
    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.reading.sources import Source
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

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
    add_input(parser, alone=True, lenient=True)
    parser.add_argument(
        "--runs-only", action="store_true",
        help="there is no QRELS: all that is named are runs; a directory, or a TREC run, in its place says so itself",
    )  # fmt: skip
    parser.add_argument(
        "--faults", action="store_true",
        help="show what is wrong with runs alone, one row per fault, with its place and what to do: a list to send out",
    )  # fmt: skip
    add_output(parser, ShownAudit, "table")


def run(arguments: Namespace) -> int:
    """Audit and print; the exit status is 3 if a file could not be read, which the others do not wait for."""
    from poolwise.audits.audit import audit

    form = chosen_format(arguments, ShownAudit, "table")
    alone = arguments.runs_only or _holds_runs(arguments.qrels)
    if alone:
        arguments.runs = [arguments.qrels, *arguments.runs]
    sources, clashes = _named_apart(arguments)
    pool = _read(arguments, None if alone else arguments.qrels)
    found = audit(pool, _against_ranks(sources), [*clashes, *_in_files(sources, pool)])
    show(ShownFaults(found) if arguments.faults else ShownAudit(found), form, arguments.output)
    return 0


def _named_apart(arguments: Namespace) -> tuple[list[Source], list[Fault]]:
    """Files of runs by name, or by path if names repeat."""
    columns = columns_given(arguments.columns)
    sources = [source for path in run_paths(arguments) for source in sources_of(path, False, columns)]
    first: dict[str, Source] = {}
    clashes = []
    for source in sources:
        source.columns = columns
        if (other := first.setdefault(source.name, source)) is not source:
            same = f"is called {source.name!r} as {other.where} is"
            clashes.append(Fault(source.where, same, source.where, "rename one of the two files"))
            source.name = source.where
    if clashes and arguments.bad_runs != "error":
        arguments.runs = [{source.name: source.path if source.path else source.table for source in sources}]
    return sources, clashes


def _read(arguments: Namespace, qrels: str | None) -> Campaign:
    """Read all readable files. Runs and judgments that cannot be read are recorded in the pool."""
    try:
        return read_runs_with(arguments, qrels, documents="all")
    except InputError as error:
        if qrels is None or arguments.bad_runs == "error" or str(error).startswith(NO_RUN_LEFT):
            raise
        pool = read_runs_with(arguments, None, documents="all")
        pool.left_out = arguments.left_out = {qrels: str(error), **pool.left_out}
        return pool


def _in_files(sources: list[Source], pool: Campaign) -> Iterator[Fault]:
    """Faults with their lines, from the files of runs that have some."""
    counts = pool.run_counts()
    for source in sources:
        if source.name not in pool.runs or source.once:
            continue
        number = pool.runs.index(source.name)
        if counts["longer"][number] and (found := blank_id(source)) is not None:
            line, words = found
            sentence = f"a field too many, {short(words)!r}: a blank in the id makes rank and score of what follows it"
            yield Fault(source.name, sentence, f"{source.where}:{line}", "write ids without blanks")
        if counts["duplicates"][number]:
            yield _first_repeated(source, counts["duplicates"][number])
        if counts["ignored_topics"][number]:
            topics = dict.fromkeys(topic for topic, _ in first_ids(source) if topic not in pool.topics)
            yield unknown_topics(source.name, counts["ignored_topics"][number], list(topics))


def _first_repeated(source: Source, number: int) -> Fault:
    """The line at which a run repeats a document, from the error of reading it alone."""
    from poolwise.campaign.campaign import read

    runs = {source.name: source.path if source.path else source.table}
    with unwarned():
        try:
            # Scores that are NaN are another fault, and must not hide this one.
            read(None, runs, nan="last", columns=source.columns)
        except InputError as error:
            (fault,) = unreadable({source.name: str(error)})
            sentence = f"{fault.fault} ({counted(number, 'such line')})"
            return fault._replace(fault=sentence, what_to_do="list each document once")
    return Fault(source.name, f"documents listed twice in a topic: {number}", "", "list each document once per topic")


def _holds_runs(path: str) -> bool:
    """Whether runs stand in the place of QRELS: a directory, or a file that begins as TREC runs do."""
    import os

    from poolwise.reading.run_text import is_trec_run
    from poolwise.reading.sources import Source

    return os.path.isdir(path) or (os.path.isfile(path) and is_trec_run(Source("run", path)))


def _against_ranks(sources: list[Source]) -> list[str]:
    """The runs whose scores rise with the ranks of their files."""
    from poolwise.reading.run_text import scores_rise_with_ranks

    return [source.name for source in sources if scores_rise_with_ranks(source)]


class ShownAudit(Shown):
    """The findings of an audit."""

    def __init__(self, report: Audit) -> None:
        self.audit = report

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per run; those that cannot be read come last, with why."""
        from poolwise.basics.rows import rows_of

        columns, left_out = self.audit.columns(), self.audit.left_out
        if not left_out:
            return tuple(columns), list(rows_of(columns))
        empty = [None] * (len(columns) - 1)
        rows = [(*row, None) for row in rows_of(columns)]
        return (*columns, "unreadable"), [*rows, *((name, *empty, why) for name, why in left_out.items())]

    def record(self) -> Any:
        """Everything that was found."""
        return self.audit.to_dict()

    def tables(self) -> list[Table]:
        """One row per run, then one per fault."""
        from poolwise.show.parts import Table

        faults = [Table("Faults", self.audit.fault_columns())] if self.audit.faults else []
        return [Table("Runs", self.audit.columns(), digits=3), *faults]

    def text(self) -> str:
        """Facts of the collection, the runs, and what to know."""
        facts = "\n".join(f"{name + ':':<36}{value}" for name, value in self.audit.facts().items())
        verdicts = "\n".join(f"- {line}" for line in self.audit.findings) or "- nothing to worry about"
        number = len(self.audit.faults)
        listed = f"\n{counted(number, 'fault')}: --faults lists each with its place and what to do.\n" if number else ""
        return f"{facts}\n\n{self._narrow()}\nWhat to know before scoring:\n{verdicts}\n{listed}"

    def _narrow(self) -> str:
        """The table of runs, for a terminal: heads in two lines, and nothing that is 0 for every run."""
        from poolwise.basics.rows import aligned_text, stacked_head

        table, *_ = self.tables()
        empty = [name for name in MAYBE if name in table.columns and not any(table.columns[name])]
        left_out = {*IN_WORDS, *empty, *(["ties_move_AP"] if "ties" in empty else [])}
        shown = [index for index, name in enumerate(table.columns) if name not in left_out]
        heads = [stacked_head(name) for name in table.columns]
        cells = [[row[index] for index in shown] for row in table.cells()]
        none = f"\nNone in any run: {', '.join(MAYBE[name] for name in empty)}.\n" if empty else ""
        return aligned_text([heads[index] for index in shown], cells) + "\n" + none

    def page(self) -> Page:
        """The same as a page."""
        from poolwise.audits.audit_shown import audit_page

        return audit_page(self.audit, command_line())


class ShownFaults(Shown):
    """Faults of runs, one row per fault."""

    def __init__(self, report: Audit) -> None:
        self.audit = report

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per fault."""
        return Fault._fields, list(self.audit.faults)

    def tables(self) -> list[Table]:
        """The same."""
        from poolwise.show.parts import Table

        return [Table("Faults", self.audit.fault_columns())]

    def text(self) -> str:
        """The table, or that there is nothing in it."""
        return super().text() if self.audit.faults else "no faults found\n"

    def page(self) -> Page:
        """The same as a page."""
        from poolwise.audits.audit_shown import faults_page

        return faults_page(self.audit, command_line())
