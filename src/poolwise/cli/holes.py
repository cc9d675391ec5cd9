"""`poolwise holes`."""

from __future__ import annotations

import sys

from poolwise.cli.options import add_input, read_input, read_pairs, unjudged_label
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.errors import ArgumentError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.holes.find_holes import Holes
    from poolwise.holes.settling import Settling
    from poolwise.score.measure import Measure
    from poolwise.show.items import Table
    from poolwise.show.page import Page

EXAMPLE = "poolwise holes qrels.txt mine.txt bm25.txt -m nDCG@10 --settle mine bm25 --plan judge-these.txt"
SHOWN_PAIRS = 10


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    parser.add_argument("-m", "--measure", default="nDCG@10", metavar="MEASURE", help="what to score by (nDCG@10)")
    parser.add_argument(
        "--settle", nargs=2, metavar="RUN", help="list the fewest documents whose labels settle which run scores higher"
    )
    parser.add_argument("--budget", type=int, metavar="N", help="draw so many holes at random, for poolwise estimate")
    parser.add_argument("--plan", metavar="FILE", help="write what --settle lists or --budget draws as a plan to judge")
    parser.add_argument(
        "--groups", metavar="FILE", help="lines of run and group: runs of a group are left out together, to learn from"
    )
    parser.add_argument("--level", type=float, default=0.95, metavar="P", help="level of the model's intervals (0.95)")
    parser.add_argument("--draws", type=int, default=500, metavar="N", help="draws of labels from the model (500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draws (0)")
    add_output(parser, ShownHoles, "table")


def run(arguments: Namespace) -> int:
    """Look for holes, print what they leave open, and write a plan if one is asked for."""
    _check_plan(arguments)
    form = chosen_format(arguments, ShownHoles, "table")
    campaign = read_input(arguments, documents="all")
    holes = campaign.holes(
        _measure(arguments.measure),
        groups=read_pairs(arguments.groups),
        level=arguments.level,
        draws=arguments.draws,
        seed=arguments.seed,
        threads=arguments.threads,
    )
    settled = holes.settle(*arguments.settle) if arguments.settle else None
    show(ShownHoles(holes, settled), form, arguments.output)
    if arguments.plan:
        _write_plan(arguments, campaign, holes, settled)
    return 0


def _measure(text: str) -> Measure:
    """The one measure that was asked for, by any of its names."""
    from poolwise.score.registry import expand

    wanted = expand(text)
    if len(wanted) > 1:
        raise ArgumentError(f"-m {text}: holes are looked for by one measure; call once for each")
    return wanted[0][1]


def _check_plan(arguments: Namespace) -> None:
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
    print(
        f"poolwise: {arguments.plan}: {len(plan.to_judge())} documents to judge; then: poolwise estimate "
        f"{arguments.plan} RUN ... -m {holes.measure}",
        file=sys.stdout if arguments.output else sys.stderr,
    )


class ShownHoles(Shown):
    """Runs and their holes."""

    def __init__(self, holes: Holes, settled: Settling | None = None) -> None:
        self.holes, self.settled = holes, settled

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per run."""
        from poolwise.rows import rows_of

        columns = self.holes.columns()
        return tuple(columns), list(rows_of(columns))

    def record(self) -> Any:
        """Runs, pairs, and the documents that settle two of them."""
        settled = {} if self.settled is None else {"settle": self.settled.to_dict()}
        return {**self.holes.to_dict(), **settled}

    def tables(self) -> list[Table]:
        """Runs, comparisons that could turn, documents to judge."""
        from poolwise.show.column_words import pairs_for_people
        from poolwise.show.items import Table

        columns = {name: values for name, values in self.holes.columns().items() if name != "measure"}
        tables = [Table(f"Runs by {self.holes.measure}", columns)]
        pairs = self.holes.pairs
        turning = [place for place, turns in enumerate(pairs.could_turn.tolist()) if turns][:SHOWN_PAIRS]
        if turning:
            names = ("run_a", "run_b", "difference", "model", "ahead", "lowest", "highest")
            every = pairs.columns()
            shown = {name: [every[name][place] for place in turning] for name in names}
            tables.append(Table("Comparisons that holes could turn", pairs_for_people(shown)))
        if self.settled is not None and self.settled.topic:
            tables.append(Table("Documents that settle it", self.settled.columns()))
        return tables

    def text(self) -> str:
        """The headline, the tables, and whose word the model's is."""
        from poolwise.rows import aligned_text, stacked_head

        said = [f"{self.holes.headline()}."] + ([f"{self.settled.headline()}."] if self.settled is not None else [])
        runs, *others = self.tables()
        tables = [aligned_text([stacked_head(name) for name in runs.columns], runs.cells())]
        tables += [aligned_text(list(table.columns), table.cells()) for table in others]
        return "\n\n".join(["\n".join(said), *tables, *(["\n".join(model)] if (model := self._model()) else [])]) + "\n"

    def _model(self) -> list[str]:
        """Whose word the model's is, if it has anything to say."""
        from poolwise.report.holes_page import depth_words, source_words

        if not any(self.holes.holes):
            return []
        offset = f"holes are taken for worse by {self.holes.offset.mean:.2f} on the logit scale"
        word = f"model: a model's word, guaranteed by no draw; {offset} ({source_words(self.holes)})."
        return [word, *depth_words(self.holes)]

    def page(self) -> Page:
        """The same as a page with figures."""
        from poolwise.report.holes_page import holes_page

        return holes_page(self.holes, self.settled, command_line())
