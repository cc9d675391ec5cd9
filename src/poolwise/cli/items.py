"""`poolwise items plan` and `poolwise items estimate`."""

from __future__ import annotations

from poolwise.cli.options import add_level, columns_given
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.errors import ArgumentError, PoolwiseError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.pool.label_files import Held
    from poolwise.rated_items.item_results import ItemEstimate
    from poolwise.rated_items.plan_items import ItemPlan
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

EXAMPLE = "poolwise items estimate answers.csv --share-from 4 --difference old new"
VERBS = ("estimate", "plan")
ONLY_ESTIMATE = ("share_from", "by", "scale")
ONLY_PLAN = ("budget",)


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "verb", choices=VERBS, metavar="estimate|plan", help="estimate means, or draw the items to label next"
    )
    parser.add_argument(
        "items", metavar="FILE",
        help="a row per item, or per system and item: CSV, TSV, JSON, JSON lines or Parquet; columns item, system, "
        "score (empty: none), prediction",
    )  # fmt: skip
    parser.add_argument(
        "--predictions", action="append", metavar="COLUMN", help="a column of predictions; may be repeated (prediction)"
    )
    parser.add_argument(
        "--share-from", type=float, metavar="SCORE", help="the share of items with at least this score, not the mean"
    )
    parser.add_argument("--by", metavar="COLUMN", help="also per group: a column that names groups of items")
    parser.add_argument(
        "--difference", nargs=2, action="append", metavar=("A", "B"), alone="all",
        help="also the difference of two systems on the same items, in a plan what the width is of; may be repeated; "
        "all: every pair",
    )  # fmt: skip
    parser.add_argument(
        "--interval", choices=("labels", "both"), default="labels",
        help="about labels that are missing of these items, or also about items like these (labels)",
    )  # fmt: skip
    parser.add_argument("--width", type=float, metavar="W", help="labels needed for intervals of this width")
    parser.add_argument(
        "--scale", nargs=2, type=float, metavar=("LOW", "HIGH"),
        help="lowest and highest score there can be, to which intervals are cut (of whole numbers: those given)",
    )  # fmt: skip
    parser.add_argument("--budget", type=int, metavar="N", help="how many labels to give now (plan)")
    add_level(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draw (plan)")
    parser.add_argument(
        "--columns", metavar="NAME=COLUMN,...", help="what columns are called, as in score=human,prediction=gpt"
    )
    add_output(parser, ShownItems, "table; a plan: csv")


def run(arguments: Namespace) -> int:
    """Estimate or plan, and print."""
    for name in ONLY_ESTIMATE if arguments.verb == "plan" else ONLY_PLAN:
        if getattr(arguments, name) is not None:
            raise ArgumentError(f"--{name.replace('_', '-')} is not for items {arguments.verb}")
    return _plan(arguments) if arguments.verb == "plan" else _estimate(arguments)


def _estimate(arguments: Namespace) -> int:
    from poolwise.rated_items.estimate_items import estimate_items

    form = chosen_format(arguments, ShownItems, "table")
    estimate = estimate_items(
        arguments.items,
        predictions=arguments.predictions,
        share_from=arguments.share_from,
        by=arguments.by,
        difference=_pairs(arguments),
        scale=arguments.scale,
        interval=arguments.interval,
        width=arguments.width,
        level=arguments.level,
        columns=columns_given(arguments.columns),
    )
    show(ShownItems(estimate), form, arguments.output)
    return 0


def _pairs(arguments: Namespace) -> Any:
    pairs = arguments.difference
    return "all" if pairs and ["all", "all"] in pairs else pairs


def _held(table: Any, arguments: Namespace) -> Held:
    """The labels of a table of items; none if it is no such table."""
    from poolwise.pool.label_files import Held
    from poolwise.rated_items.item_table import item_table

    try:
        found = item_table(table, predictions=arguments.predictions, columns=columns_given(arguments.columns))
    except PoolwiseError:
        return Held()
    scores = [None if score != score else score for score in found.score.tolist()]
    rows = zip(found.system, found.item, scores, strict=True)
    return Held(kinds=("system", "item")).add((system, item, 0, score) for system, item, score in rows)


def _plan(arguments: Namespace) -> int:
    from poolwise.pool.label_files import OTHER_FILE, LabelFile
    from poolwise.rated_items.plan_items import plan_items

    form = chosen_format(arguments, ShownItemPlan, "csv") if arguments.output or arguments.format else "csv"
    made = plan_items(
        arguments.items,
        budget=arguments.budget,
        width=arguments.width,
        difference=_pairs(arguments),
        predictions=arguments.predictions,
        level=arguments.level,
        seed=arguments.seed,
        columns=columns_given(arguments.columns),
    )
    file = LabelFile(
        arguments.output,
        lambda: _held(made.columns(), arguments),
        way=OTHER_FILE,
        read=lambda path: _held(path, arguments),
    )
    show(ShownItemPlan(made), form, arguments.output, file.write)
    if arguments.output:
        from poolwise.basics.rows import aligned_text, rows_of

        overview = made.overview()
        rows = [[str(cell) for cell in row] for row in rows_of(overview)]
        print(aligned_text(list(overview), rows, f"{arguments.output}: {made.headline()}"))
    return 0


class ShownItemPlan(Shown):
    """The table to fill in."""

    def __init__(self, made: ItemPlan) -> None:
        self.made = made

    def rows(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """The rows to label first, then all others."""
        from poolwise.basics.rows import rows_of

        return tuple(self.made.columns()), rows_of(self.made.columns())


class ShownItems(Shown):
    """Means with intervals, and differences."""

    def __init__(self, estimate: ItemEstimate) -> None:
        self.estimate = estimate

    def rows(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """One row per system and group, or, if differences were asked for, per pair."""
        from poolwise.basics.rows import rows_of

        columns = (self.estimate.differences or self.estimate).columns()
        return tuple(columns), rows_of(columns)

    def record(self) -> Any:
        """Everything."""
        return self.estimate.to_dict()

    def tables(self) -> list[Table]:
        """Means, then differences."""
        from poolwise.rated_items.items_shown import item_tables

        return item_tables(self.estimate)

    def text(self) -> str:
        """The tables under a sentence."""
        from poolwise.rated_items.items_shown import words_below

        words = self.estimate.headline()
        return f"{words[0].upper()}{words[1:]}.\n\n{super().text()}{words_below(self.estimate)}"

    def page(self) -> Page:
        """A page with a figure."""
        from poolwise.rated_items.items_shown import items_page

        return items_page(self.estimate, command_line())
