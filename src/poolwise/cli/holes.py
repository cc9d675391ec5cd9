"""`poolwise holes`."""

from __future__ import annotations

import sys

from poolwise.basics.words import counted
from poolwise.cli.arguments import read_pairs, unjudged_label
from poolwise.cli.options import add_input, add_level, add_measures, read_input, wanted_measures
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.errors import ArgumentError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.audits.holes import Holes
    from poolwise.audits.settling import Settling
    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

EXAMPLE = "poolwise holes qrels.txt mine.txt bm25.txt -m nDCG@10 --settle mine bm25 --plan judge-these.txt"
USUAL = "nDCG@10"
SHOWN_PAIRS = 10  # comparisons that a terminal shows; files hold all


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    add_measures(parser, USUAL, any_measure=False)
    parser.add_argument(
        "--settle", nargs=2, metavar="RUN", help="list the fewest documents whose labels settle which run scores higher"
    )
    parser.add_argument("--budget", type=int, metavar="N", help="draw so many holes at random, for poolwise estimate")
    parser.add_argument("--plan", metavar="FILE", help="write what --settle lists or --budget draws as a plan to judge")
    parser.add_argument(
        "--groups", metavar="FILE", help="lines of run and group: runs of a group are left out together, to learn from"
    )
    add_level(parser, "the model's intervals")
    parser.add_argument("--draws", type=int, default=2000, metavar="N", help="draws of labels from the model (2000)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draws (0)")
    add_output(parser, ShownHoles, "table")


def run(arguments: Namespace) -> int:
    """Look for holes, print what they leave open, and write a plan if one is asked for."""
    _check_plan(arguments)
    form = chosen_format(arguments, ShownHoles, "table")
    measures = dict.fromkeys(measure for _, measure in wanted_measures(arguments, (USUAL,)))
    if len(measures) > 1 and (arguments.settle or arguments.plan):
        raise ArgumentError("--settle and --plan go by one measure: what settles two runs by one may not by another")
    campaign = read_input(arguments, documents="all")
    found = [
        campaign.holes(
            measure,
            groups=read_pairs(arguments.groups),
            level=arguments.level,
            draws=arguments.draws,
            seed=arguments.seed,
            threads=arguments.threads,
        )
        for measure in measures
    ]
    settled = found[0].settle(*arguments.settle) if arguments.settle else None
    show(ShownHoles(found, settled), form, arguments.output)
    if arguments.plan:
        _write_plan(arguments, campaign, found[0], settled)
    return 0


def _check_plan(arguments: Namespace) -> None:
    if arguments.budget is not None and arguments.budget < 1:
        raise ArgumentError(f"--budget {arguments.budget} draws nothing; give a number from 1 on")
    if arguments.plan and not arguments.settle and not arguments.budget:
        raise ArgumentError("--plan needs --settle RUN RUN or --budget N, which say what to judge")
    if arguments.budget and not arguments.plan:
        raise ArgumentError("--budget needs --plan FILE, where what is drawn is written")


def _write_plan(arguments: Namespace, campaign: Campaign, holes: Holes, settled: Settling | None) -> None:
    """Write the list that settles, or draw from the holes; with both, draw what tells the two runs apart."""
    plan = settled.plan if settled is not None and not arguments.budget else None
    if plan is None:
        plan = campaign.plan(
            budget=arguments.budget,
            depth=holes.depth,
            measure=holes.measure,
            difference=arguments.settle,
            seed=arguments.seed,
        )
    reserved = unjudged_label(arguments.unjudged)
    plan.write(arguments.plan, reserved if isinstance(reserved, int) else -1)
    wanted = len(plan.to_judge())
    then = (
        f"{counted(wanted, 'document')} to judge; then: poolwise estimate {arguments.plan} RUN ... -m {holes.measure}"
    )
    sentence = f"{arguments.plan}: {then if wanted else 'nothing is left to judge'}"
    print(f"poolwise: {sentence}", file=sys.stdout if arguments.output else sys.stderr)


class ShownHoles(Shown):
    """Runs and their holes, by one or several measures; `settled` is by the only one."""

    def __init__(self, found: Sequence[Holes], settled: Settling | None = None) -> None:
        self.found, self.settled = found, settled

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per measure and run."""
        from poolwise.basics.rows import rows_of

        columns = [holes.columns() for holes in self.found]
        return tuple(columns[0]), [row for table in columns for row in rows_of(table)]

    def record(self) -> Any:
        """Runs, pairs, and the documents that settle two of them; a list of such of several measures."""
        settled = {} if self.settled is None else {"settle": self.settled.to_dict()}
        records = [{**holes.to_dict(), **settled} for holes in self.found]
        return records[0] if len(records) == 1 else records

    def tables(self) -> list[Table]:
        """Runs, comparisons that could turn, documents to judge."""
        from poolwise.show.parts import Table

        tables = [table for holes in self.found for table in _tables(holes, several=len(self.found) > 1)]
        if self.settled is not None and self.settled.topic:
            tables.append(Table("Documents that settle it", self.settled.columns()))
        return tables

    def text(self) -> str:
        """The headline, the tables, and whose word the model's is; measure by measure."""
        return "\n".join(self._text(holes) for holes in self.found)

    def _text(self, holes: Holes) -> str:
        from poolwise.basics.rows import aligned_text, stacked_head

        named = f"{holes.measure}: " if len(self.found) > 1 else ""
        sentences = [f"{named}{holes.headline()}."] + (
            [f"{self.settled.headline()}."] if self.settled is not None else []
        )
        runs, *others = self.tables() if len(self.found) == 1 else _tables(holes)
        tables = [aligned_text([stacked_head(name) for name in runs.columns], runs.cells())]
        tables += [aligned_text(list(table.columns), table.cells()) for table in others]
        return (
            "\n\n".join(["\n".join(sentences), *tables, *(["\n".join(model)] if (model := _model(holes)) else [])])
            + "\n"
        )

    def page(self) -> Page:
        """The same as a page with figures, a section per measure."""
        from poolwise.audits.holes_shown import holes_page
        from poolwise.show.page import together

        pages = {holes.measure: holes_page(holes, self.settled, command_line()) for holes in self.found}
        return together("Holes", pages)


def _tables(holes: Holes, several: bool = False) -> list[Table]:
    """Runs, and comparisons that could turn."""
    from poolwise.show.column_words import pairs_for_people
    from poolwise.show.parts import Table

    columns = {name: values for name, values in holes.columns().items() if name != "measure"}
    tables = [Table(f"Runs by {holes.measure}", columns)]
    pairs = holes.pairs
    turning = [index for index, turns in enumerate(pairs.could_turn.tolist()) if turns][:SHOWN_PAIRS]
    if turning:
        names = ("run_a", "run_b", "difference", "model", "ahead", "lowest", "highest")
        every = pairs.columns()
        shown = {name: [every[name][index] for index in turning] for name in names}
        title = "Comparisons that holes could turn"
        tables.append(Table(f"{title} by {holes.measure}" if several else title, pairs_for_people(shown)))
    return tables


def _model(holes: Holes) -> list[str]:
    """The source of the model's offset in words, if the model says anything."""
    from poolwise.audits.holes_shown import depth_words, source_words

    if not any(holes.holes):
        return depth_words(holes) if holes.has_more_below else []
    offset = f"holes are taken for worse by {holes.offset.mean:.2f} on the logit scale"
    word = f"model: a model's word, guaranteed by no draw; {offset} ({source_words(holes)})."
    return [word, *depth_words(holes)]
