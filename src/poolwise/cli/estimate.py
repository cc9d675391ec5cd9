"""`poolwise estimate`."""

from __future__ import annotations

import os

from poolwise.basics.rows import is_missing
from poolwise.basics.words import counted, in_line
from poolwise.cli.options import (
    add_input,
    add_level,
    add_measures,
    add_predictions,
    add_topic_groups,
    asked_names,
    columns_of_runs,
    predictions_given,
    read_input,
    run_paths,
    wanted_measures,
)
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.errors import ArgumentError
from poolwise.show.formats import FORMATS, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.estimates.estimates import Estimate
    from poolwise.estimates.interim_looks import Looks
    from poolwise.estimates.width_forecast import WidthForecast
    from poolwise.show.page import Page
    from poolwise.show.parts import Table


def kept_looks(path: str | None, end: str | None) -> Looks | None:
    """The looks so far; `end` is needed at the first one, and later only to move it."""
    if path is None:
        if end is not None:
            raise ArgumentError("--end says where looks end; name a file that keeps them with --looks")
        return None
    from poolwise.estimates.interim_looks import Looks

    if not os.path.exists(path):
        if end is None:
            raise ArgumentError(f"--looks {path}: this is the first look; say where judging ends with --end")
        return Looks(_end(end))
    looks = _of_judging(path) if _is_judging(path) else Looks.read(path)
    return looks if end is None else looks.until(_end(end))


def keep_looks(path: str, looks: Looks) -> None:
    """Write the looks, or add the last of them to the events of a judging if it is new."""
    if not _is_judging(path):
        looks.write(path)
        return
    if looks.seen == _of_judging(path).seen:
        return
    import json

    from poolwise.judging.events import EventStore, new_id, now
    from poolwise.reading.judging_file import Event

    store = EventStore(path)
    note = json.dumps({**looks.seen[-1].to_dict(), "width": None})
    store.add([Event(new_id(), now(), "", "", "", "look", note=note)])
    store.close()


def _end(text: str) -> int | float | str:
    """A number of labels, a share, or a file.

    >>> _end("300"), _end("0.2"), _end("plan.txt")
    (300, 0.2, 'plan.txt')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _is_judging(path: str) -> bool:
    from poolwise.reading.judging_file import is_sqlite

    return os.path.isfile(path) and is_sqlite(path)


def _of_judging(path: str) -> Looks:
    import json

    from poolwise.estimates.interim_looks import Look, Looks
    from poolwise.judging.work import still_to_come
    from poolwise.reading.judging_file import opened

    file = opened(path)
    seen = [json.loads(event.note or "{}") for event in file.events() if event.action == "look"]
    file.connection.close()
    return Looks(path, tuple(map(Look.from_dict, seen)), to_come=still_to_come(path))


OUTSIDE = "outside"


def add_without(parser: Parser) -> None:
    """Declare the option."""
    parser.add_argument(
        "--without", action="append", metavar="RUN", default=[],
        help="a run to leave out, by its name or a quoted pattern; may be repeated; outside: all that have documents "
        "outside the pool, which widen the intervals of the others",
    )  # fmt: skip


def read_without(arguments: Namespace, measures: list[Any]) -> Campaign:
    """Read QRELS and RUN with all documents, but not the runs that are to be left out."""
    from fnmatch import fnmatchcase

    patterns = [word for word in arguments.without if word != OUTSIDE]
    if patterns:
        names = [source.name for source in _sources(arguments)]
        unknown = [word for word in patterns if not any(fnmatchcase(name, word) for name in names)]
        if unknown:
            raise ArgumentError(
                f"--without {unknown[0]}: no run is called so; they are called {', '.join(names[:3])} ..."
            )
        _keep(arguments, [name for name in names if not any(fnmatchcase(name, word) for word in patterns)])
    # Only with all documents is it known which ones outside the pool runs share.
    campaign = read_input(arguments, documents="all")
    if OUTSIDE in arguments.without and (left_out := set(_reaching_outside(campaign, measures))):
        _keep(arguments, [run for run in campaign.runs if run not in left_out])
        campaign = read_input(arguments, documents="all")
    return campaign


def _sources(arguments: Namespace) -> list[Any]:
    from poolwise.reading.sources import run_sources

    return run_sources(run_paths(arguments), columns=columns_of_runs(arguments))


def _keep(arguments: Namespace, names: list[str]) -> None:
    """From now on these runs are the ones that were named."""
    if not names:
        raise ArgumentError("--without leaves no run; name fewer, or more runs")
    chosen = {source.name: source.path or source.table for source in _sources(arguments) if source.name in names}
    if "-" in (*chosen.values(), arguments.qrels):
        raise ArgumentError("--without reads runs and judgments twice, and standard input can be read once; give files")
    arguments.runs = [chosen]


def _reaching_outside(campaign: Campaign, measures: list[Any]) -> list[str]:
    from poolwise.estimates.layout import Layout
    from poolwise.estimates.notes import runs_outside
    from poolwise.estimates.targets import target_of
    from poolwise.estimates.unpooled import UnpooledDocuments

    layout = Layout.of(campaign, campaign.judgments)
    targets = [target_of(measure, layout) for measure in measures]
    return runs_outside(UnpooledDocuments(campaign.judgments, range(len(campaign.runs)), [], targets))


NOT_IN_TREC = ("plain_low", "plain_high", "outside")
EXAMPLE = "poolwise estimate sampled.txt runs/ -m AP -m nDCG@10 --difference bm25 mine"
BAND = "holds at every look"
NOISY = (
    "Estimates of single topics are noisy: they have no interval, are cut to what scores can be, and should rank no "
    "runs. CSV and JSON hold them uncut, so that their mean is the run's value."
)


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    add_measures(parser, "none, it must be given", any_measure=False)
    parser.add_argument(
        "--steadied",
        "--pooled",
        action="store_true",
        help="also print values steadied by all runs (ten or more), as tables do",
    )
    parser.add_argument(
        "--difference", nargs=2, action="append", metavar=("A", "B"), alone="all",
        help="difference of two runs instead of runs alone; may be repeated; A all: of A and every other; all: of "
        "every pair",
    )  # fmt: skip
    parser.add_argument(
        "--outside", choices=("range", "nonrelevant", "error"), default="range",
        help="documents neither judged nor pooled: intervals hold whatever labels a run's own have (range), "
        "they count as non-relevant, or there must be none",
    )  # fmt: skip
    add_predictions(parser)
    add_without(parser)
    add_level(parser)
    parser.add_argument(
        "--looks", metavar="FILE",
        help="add a band that holds at every look, and widths to expect; FILE keeps the looks (made at the first one, "
        "or a file of poolwise judge)",
    )  # fmt: skip
    parser.add_argument(
        "--end",
        metavar="PLAN",
        help="where judging ends, for --looks: a plan's file, a number of labels, a share as 0.2",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N",
        help="of what is drawn from the model for measures without a formula, such as RR and bpref (0)",
    )  # fmt: skip
    parser.add_argument("-q", "--per-topic", action="store_true", help="also print every topic, without intervals")
    add_topic_groups(parser)
    add_output(parser, ShownEstimate, "table on a terminal, else trec")


def run(arguments: Namespace) -> int:
    """Estimate and print."""
    if not arguments.measures:
        raise ArgumentError("no measure was given; name at least one, such as -m AP")
    if arguments.groups:
        from poolwise.cli.grouped import show_groups

        return show_groups(arguments, lambda: _estimated(arguments))
    form = chosen_format(arguments, ShownEstimate, "trec")
    if arguments.per_topic and arguments.difference and FORMATS[form].holds in ("lines", "rows"):
        raise ArgumentError(
            "-q prints every topic of runs, --difference prints differences in their place; leave out one of the two, "
            "or take a table (--format table), which has both"
        )
    looks = kept_looks(arguments.looks, arguments.end)
    steadied = arguments.steadied or form != "trec"  # tables rank runs by these values
    result, names = _estimated(arguments, None if steadied else False, looks)
    if result.looks is not None:
        keep_looks(arguments.looks, result.looks)
    show(ShownEstimate(result, arguments.per_topic, steadied, names), form, arguments.output)
    return 0


def _estimated(
    arguments: Namespace, steadied: bool | None = False, looks: Looks | None = None
) -> tuple[Estimate, dict[str, str]]:
    """Estimates by the options, and the names that measures were asked by."""
    from poolwise.cli.options import spelled_pairs

    wanted = wanted_measures(arguments)
    measures = [measure for _, measure in wanted]
    campaign = read_without(arguments, measures)
    estimates = campaign.estimate(
        *measures,
        level=arguments.level,
        steadied=steadied,
        predictions=predictions_given(arguments),
        difference=spelled_pairs(arguments.difference, campaign.runs),
        outside=arguments.outside,
        looks=looks,
        seed=arguments.seed,
        threads=arguments.threads,
    )
    return estimates, asked_names(wanted)


class ShownEstimate(Shown):
    """Estimates of runs, or of differences if these were asked for; `names` are those that measures were asked by."""

    def __init__(self, estimates: Estimate, per_topic: bool, steadied: bool, names: dict[str, str]) -> None:
        self.estimates, self.per_topic, self.steadied, self.names = estimates, per_topic, steadied, names

    def rows(self) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
        """Rows of runs, or of pairs if differences were asked for."""
        if self.estimates.differences is not None:
            return tuple(self.estimates.differences.columns()), self.estimates.differences.rows()
        return self.estimates.table_names(self.steadied), self.estimates.table_rows(self.per_topic, self.steadied)

    def lines(self) -> Iterator[str]:
        """Columns as trec_eval prints them, with the ends of the interval behind the value."""
        columns, rows = self.rows()
        many = len(self.estimates.runs) > 1
        for row in rows:
            cells = dict(zip(columns, row, strict=True))
            measure = f"{self._name(cells['measure']):<22}"
            shown = [cell for name, cell in cells.items() if name not in NOT_IN_TREC and isinstance(cell, float)]
            while is_missing(shown[-1]):  # what is missing before others keeps its column
                shown.pop()
            numbers = [f"{cell:6.4f}" for cell in shown]
            if "run_a" in cells:
                head = [in_line(cells["run_a"]), in_line(cells["run_b"]), measure]
            else:
                head = [*([in_line(cells["run"])] if many else []), measure, cells["topic"]]
            yield "\t".join([*head, *numbers]) + "\n"

    def tables(self) -> list[Table]:
        """Per measure the runs from best to worst, then the differences."""
        from poolwise.show.column_words import pairs_for_people
        from poolwise.show.parts import Table

        tables = [self._runs(measure) for measure in self.estimates.measures]
        if (pairs := self.estimates.differences) is not None:
            ends = zip(pairs.note, pairs.low.tolist(), pairs.high.tolist(), strict=True)
            columns: dict[str, Any] = {
                "run_a": pairs.run_a,
                "run_b": pairs.run_b,
                "measure": [self._name(measure) for measure in pairs.measure],
                "difference": [f"{value:+.4f}" for value in pairs.difference.tolist()],
                "interval": [note or _range(low, high) for note, low, high in ends],
            }
            if pairs.band_low is not None and pairs.band_high is not None:
                columns[BAND] = list(map(_range, pairs.band_low.tolist(), pairs.band_high.tolist()))
            tables.append(Table("Differences", pairs_for_people(columns)))
        if self.estimates.forecast is not None and self.estimates.forecast.labels:
            tables.append(_widths(self.estimates.forecast, bool(self.estimates.differences), self._name))
        return tables

    def text(self) -> str:
        """The tables under a title."""
        level = 100 * float(self.estimates.settings["level"])
        after = "".join(
            f"\n{words}\n"
            for words in (
                NOISY if self.per_topic else "",
                self.estimates.apart_from_values(),
                self.estimates.relative_to(),
            )
            if words
        )
        title = f"{counted(len(self.estimates.runs), 'run')}, {self.estimates.topics_in_words()}, {level:g} % intervals"
        return f"{title}\n\n{super().text()}{after}"

    def page(self) -> Page:
        """The estimates with their intervals as a page."""
        from poolwise.estimates.estimates_shown import estimates_page

        return estimates_page(self.estimates, command=command_line())

    def _name(self, measure: str) -> str:
        return self.names.get(measure, measure)

    def _runs(self, measure: str) -> Table:
        """One measure, runs from best to worst, by the steadied values if there are any."""
        from poolwise.measures.registry import bounds_of
        from poolwise.show.parts import Table

        rank_of = {run: number for number, run in enumerate(self.estimates.order(measure))}
        names = self.estimates.table_names()
        rows = [
            dict(zip(names, row, strict=True)) for row in self.estimates.table_rows(self.per_topic) if row[1] == measure
        ]
        rows.sort(key=lambda row: rank_of[row["run"]])
        columns: dict[str, Any] = {"run": [row["run"] for row in rows]}
        if self.per_topic:
            columns["topic (noisy, cut)"] = [row["topic"] for row in rows]
        low, high = bounds_of(measure)
        columns[self._name(measure)] = [min(max(row["value"], low), high) for row in rows]
        columns["interval"] = [_range(row["low"], row["high"]) for row in rows]
        if self.estimates.band_low is not None:
            columns[BAND] = [_range(row["band_low"], row["band_high"]) for row in rows]
        if self.estimates.outside.any():
            columns["outside"] = [_percent(row["outside"]) for row in rows]
        if self.estimates.steadied is not None:
            columns["steadied"] = [row["steadied"] for row in rows]
        best = () if self.per_topic else (self._name(measure), "steadied")
        return Table(f"Runs by {self._name(measure)}", columns, best=best)


def _widths(ahead: WidthForecast, pairs: bool, name: Callable[[str], str]) -> Table:
    """Widths to expect: a row per run, or per pair if differences were asked for, a column per moment."""
    from poolwise.show.parts import Table

    widths: dict[tuple[str, str], dict[str, Any]] = {}
    for a, b, measure, labels, end, width in zip(*ahead.columns().values(), strict=True):
        if bool(b) == pairs:
            when = f"at the end (+{labels})" if end else f"+{labels}" if labels else "now"
            row = widths.setdefault((f"{a} - {b}" if b else a, measure), {})
            row[when] = "" if is_missing(width) else f"{width:.4f}"
    moments = list(dict.fromkeys(when for row in widths.values() for when in row))
    columns: dict[str, Any] = {
        "difference" if pairs else "run": [run for run, _ in widths],
        "measure": [name(measure) for _, measure in widths],
    }
    return Table("Width to expect", columns | {when: [row[when] for row in widths.values()] for when in moments})


def _range(low: float, high: float) -> str:
    return "none" if is_missing(low) else f"{low:.4f} to {high:.4f}"


def _percent(value: float) -> str:
    return "" if is_missing(value) else f"{100 * value:.0f} %"
