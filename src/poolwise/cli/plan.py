"""`poolwise plan`."""

from __future__ import annotations

from poolwise.cli.arguments import contributing, unjudged_label, whole_numbers
from poolwise.cli.options import (
    add_level,
    add_predictions,
    add_runs,
    costs_given,
    measures_of,
    predictions_given,
    read_runs_with,
)
from poolwise.cli.output import add_output, add_overwrite, chosen_format, command_line, show
from poolwise.errors import ArgumentError
from poolwise.plans.plan_request import PLAN_DESIGNS
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.measures.measure import Measure
    from poolwise.plans.plan import Plan
    from poolwise.plans.planned_widths import PlannedWidths
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

EXAMPLE = "poolwise plan runs/ --budget 500 -o round1.txt"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_runs(parser)
    parser.add_argument(
        "--budget", type=int, metavar="N",
        help="how many documents to judge now (without, --design depth takes the whole pool of --depth)",
    )  # fmt: skip
    parser.add_argument(
        "--design",
        choices=PLAN_DESIGNS,
        default="stratified",
        help="how documents are drawn (stratified; model: at rates by how much each label is expected to matter)",
    )
    parser.add_argument(
        "--depth",
        type=int,
        metavar="K",
        dest="pool_depth",
        help="depth of the pool (the measure's cut-off; three times that for two runs and measures relative to what is "
        "relevant, as nDCG, twice for three to nine; 20 for RR and ERR; 100 if it has none)",
    )
    parser.add_argument(
        "--edges",
        metavar="K,K,...",
        help="last rank of each stratum but the last (5,20,50 where the depth is 100, or fewer)",
    )
    parser.add_argument(
        "--contributing", metavar="FILE", help="a file that names the runs of the pool, one per line (all)"
    )
    parser.add_argument("--pilot", metavar="QRELS", help="what is judged already, such as an earlier plan filled in")
    parser.add_argument(
        "--unjudged", metavar="LABEL", default="-1", help="label that means not judged, in the pilot (-1)"
    )
    parser.add_argument(
        "-m", "--measure", action="append", metavar="MEASURE", help="what to estimate best (AP); may be repeated"
    )
    parser.add_argument(
        "--difference", nargs=2, action="append", metavar=("A", "B"), alone="all",
        help="two runs whose difference to estimate best; may be repeated; A all: A and every other; all: every pair",
    )  # fmt: skip
    parser.add_argument(
        "--target-width", type=float, metavar="W", help="say how many judgments this interval width needs"
    )
    add_level(parser, "that interval")
    add_predictions(parser)
    parser.add_argument(
        "--cost", metavar="FILE",
        help="what a document costs to judge: lines of topic document cost, or a table; the budget is in these units",
    )  # fmt: skip
    parser.add_argument(
        "--topic-shares", choices=("equal", "worth"), default="equal",
        help="shares of the budget that topics get: equal, or more where labels are worth more",
    )  # fmt: skip
    parser.add_argument(
        "--forecast", metavar="FILE",
        help="also write how wide intervals will be, of runs and differences, with this budget and others (.html, "
        ".csv, .json, .md, .tex; - prints a table)",
    )  # fmt: skip
    parser.add_argument(
        "--to-judge", metavar="FILE",
        help="also write what to judge as rows of topic, document, the plan's number and an empty label, in an order "
        "that may be stopped anywhere (CSV; .tsv, .json, .jsonl, .parquet); filled in, merge takes it",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draw (0)")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="write no comments or columns of the design, for readers that know none; refused where estimates "
        "need these: of design depth, and where topics are drawn",
    )
    add_output(parser, ShownPlan, "trec, the lines to fill in")
    add_overwrite(parser)


def run(arguments: Namespace) -> int:
    """Plan and write."""
    import sys

    from poolwise.pool.label_files import LabelFile

    form = chosen_format(arguments, ShownPlan, "trec")
    ahead = _forecast_format(arguments.forecast)  # before anything is written
    list_form = _list_format(arguments.to_judge)
    _check_places(arguments)
    measures = [measure for text in arguments.measure or ["AP"] for _, measure in measures_of(text)]
    campaign = read_runs_with(arguments, arguments.pilot, documents="all")
    made = campaign.plan(
        budget=arguments.budget,
        design=arguments.design,
        depth=arguments.pool_depth,
        edges=whole_numbers("--edges", arguments.edges),
        contributing=contributing(arguments.contributing, campaign.runs),
        measure=measures,
        difference=_compared(arguments.difference, campaign.runs),
        target_width=arguments.target_width,
        level=arguments.level,
        predictions=predictions_given(arguments),
        costs=costs_given(arguments),
        topic_shares=arguments.topic_shares,
        forecast=arguments.forecast is not None,
        seed=arguments.seed,
    )
    reserved = unjudged_label(arguments.unjudged)
    unjudged = reserved if isinstance(reserved, int) else -1
    plan, to_judge = (
        LabelFile(path, made.held, arguments.overwrite, unjudged) for path in (arguments.output, arguments.to_judge)
    )
    if arguments.to_judge:  # before the plan is written
        to_judge.check()
    show(ShownPlan(made, unjudged, arguments.plain), form, arguments.output, plan.write)
    print(
        _summary(made, arguments.output, measures if arguments.measure else []),
        file=sys.stdout if arguments.output else sys.stderr,
    )
    if arguments.to_judge:
        show(ShownList(made), list_form, arguments.to_judge, to_judge.write)
    if made.forecast is not None:
        _show_forecast(made.forecast, ahead, arguments)
    return 0


def _compared(pairs_asked: list[list[str]] | None, runs: Sequence[str]) -> Any:
    """All pairs in one word, as they need not be gone through one by one; others spelled out."""
    from poolwise.cli.options import spelled_pairs

    # Plans average over all pairs at once, however many there are.
    return "all" if pairs_asked is not None and ["all", "all"] in pairs_asked else spelled_pairs(pairs_asked, runs)


def _check_places(arguments: Namespace) -> None:
    """Refuse files that cannot be written, or that would take each other's place."""
    from os.path import realpath

    from poolwise.basics.writing import check_place

    if arguments.to_judge == "-":
        raise ArgumentError("--to-judge - names no file; name one, such as todo.csv")
    wanted = {"-o": arguments.output, "--to-judge": arguments.to_judge, "--forecast": arguments.forecast}
    options: dict[str, str] = {}
    for option, path in wanted.items():
        if not path or path == "-":
            continue
        check_place(path)
        other = options.setdefault(realpath(path), option)
        if other != option:
            raise ArgumentError(f"{path}: {other} and {option} both write this file; name two")


def _forecast_format(path: str | None) -> str:
    """The format of the forecast's file, by its ending."""
    from poolwise.show.formats import format_of_ending, formats_of

    return (path and format_of_ending(path, formats_of(ShownForecast))) or "table"


def _list_format(path: str | None) -> str:
    """The format of the list to judge, by its ending; CSV where that says nothing."""
    from poolwise.show.formats import format_of_ending, formats_of

    return (path and format_of_ending(path, formats_of(ShownList))) or "csv"


def _show_forecast(forecast: PlannedWidths, form: str, arguments: Namespace) -> None:
    """Write the forecast, or print it after the plan's summary."""
    import sys

    if arguments.forecast == "-":
        # Without -o the plan itself is on standard output.
        print(f"\n{ShownForecast(forecast).text()}", end="", file=sys.stdout if arguments.output else sys.stderr)
        return
    show(ShownForecast(forecast), form, arguments.forecast)


class ShownForecast(Shown):
    """Widths to expect."""

    def __init__(self, forecast: PlannedWidths) -> None:
        self.forecast = forecast

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per run or difference and number of labels."""
        from poolwise.basics.rows import rows_of

        return tuple(self.forecast.columns()), list(rows_of(self.forecast.columns()))

    def tables(self) -> list[Table]:
        """One row per run, a column per number of labels."""
        from poolwise.plans.widths_shown import forecast_table

        return [forecast_table(self.forecast)]

    def text(self) -> str:
        """The table under what it is of."""
        words, empty = self.forecast.headline(), self.forecast.empty_cells()
        lines = f"{words[0].upper()}{words[1:]}:\n\n{super().text()}"
        return f"{lines}{empty}\n" if empty else lines

    def page(self) -> Page:
        """The table with a figure."""
        from poolwise.plans.widths_shown import forecast_page

        return forecast_page(self.forecast, command_line())


class ShownPlan(Shown):
    """The documents to judge."""

    def __init__(self, plan: Plan, unjudged: int, plain: bool = False) -> None:
        self.plan, self.unjudged, self.plain = plan, unjudged, plain

    def lines(self) -> list[bytes]:
        """The file to fill in."""
        return [self.plan.to_text(self.unjudged, plain=self.plain)]

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per pooled document, those to judge first."""
        from poolwise.basics.rows import rows_of

        columns = self.plan.columns(self.unjudged, plain=self.plain)
        return tuple(columns), list(rows_of(columns))


class ShownList(Shown):
    """The documents to judge now, to be filled in."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per document, in the order to judge them, with the number of their plan."""
        from poolwise.reading.design_columns import number_text

        header = self.plan.header
        number = None if header is None else number_text(header.number)
        return ("topic", "document", "plan", "label"), [(*pair, number, None) for pair in self.plan.to_judge()]


def _shallow(made: Plan, measures: Sequence[Measure]) -> str:
    """A note that scores are relative to a pool as shallow as a cut-off."""
    depth = made.settings["depth"]
    relative = [str(each) for each in measures if each.cutoff == depth and each.declaration.relative]
    if not relative:
        return ""
    below = made.settings.get("listed_below", 0)
    more = f" and what else the judgments list, {len(made.topic)} documents together" if below else ""
    return (
        f"the pool is the top {depth} of the runs{more}, and {', '.join(relative)} will be relative to what is "
        "relevant there; a deeper one (--depth) makes scores and their differences smaller"
    )


def _summary(made: Plan, output: str | None, measures: Sequence[Measure]) -> str:
    from poolwise.basics.rows import aligned_text

    where = f"{output}: " if output else ""
    title = (
        f"{where}round {made.number}, {made.round.count(made.number)} of {len(made.topic)} pooled documents to judge; "
        "fill in the last column"
    )
    rows = made.allocation()
    names = ("stratum", "ranks", "pooled", "judged", "now")
    lines = [aligned_text(names, [[str(row[name]) for name in names] for row in rows], title)]
    if shallow := _shallow(made, measures):
        lines.append(shallow)
    if made.pool_sizes:
        lines.append("documents of the pool, by depth: " + ", ".join(f"{k}: {n}" for k, n in made.pool_sizes.items()))
    if "topics" in made.settings:
        lines.append("topics drawn: {} of {}; estimates allow for the others".format(*made.settings["topics"]))
    if "cost" in made.settings:
        lines.append(f"cost of what is drawn: {made.settings['cost']:g}")
    if made.needed is not None:
        lines.append(str(made.needed))
        now, after = made.needed.width_now, made.needed.width_with
        today = "none" if now == float("inf") else f"{now:.3g}"
        lines.append(f"width to expect: {today} with what is judged, {after:.3g} after this round")
    return "\n".join(lines)
