"""`poolwise score`."""

from __future__ import annotations

from poolwise.cli.options import add_dask, add_input, add_measures, read_input, wanted_measures
from poolwise.cli.output import FORMATS, chosen_format, deliver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.score.measure import Measure
    from poolwise.score.scores import Scores

EXAMPLE = "poolwise score qrels.txt runs/ -m AP -m nDCG@10 --format csv -o scores.csv"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    add_measures(parser)
    parser.add_argument("-q", "--per-topic", action="store_true", help="also print every topic")
    parser.add_argument("-c", "--complete", action="store_true", help="count topics a run lacks as 0 (the default)")
    parser.add_argument("--missing", choices=("zero", "skip"), default="zero", help="topics that a run lacks")
    parser.add_argument(
        "--interval", choices=("judgments", "topics", "both", "bounds"),
        help="add low and high: from sampled judgments ([Y08]'s, infAP only), from the choice of topics (bootstrap), "
        "from both, or the range that unjudged documents leave open",
    )  # fmt: skip
    parser.add_argument("--level", type=float, default=0.95, metavar="SHARE", help="of intervals (0.95)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the bootstrap over topics (0)")
    add_dask(parser)
    parser.add_argument(
        "--stream", action="store_true",
        help="score some topics at a time, with little memory, also files that would fit; topics must ascend in all",
    )  # fmt: skip
    parser.add_argument(
        "--log", action="store_true",
        help="RUN are Parquet partitions by topic of one log: topic, document, score or rank, run (and label, without "
        "QRELS; such files are known as partitions without this option)",
    )  # fmt: skip
    parser.add_argument("--format", choices=FORMATS, help="output format (table on a terminal, else trec)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file; its ending implies the format")


def run(arguments: Namespace) -> int:
    """Score and print."""
    chosen_format(arguments)  # an error in it comes before the work
    wanted = wanted_measures(arguments)
    scores = _scores(arguments, [measure for _, measure in wanted])
    names = {str(measure): name for name, measure in reversed(wanted)}
    deliver(_text(scores, chosen_format(arguments), arguments.per_topic, names), arguments.output)
    return 0


def _scores(arguments: Namespace, measures: list[Measure]) -> Any:
    """Scores in memory, or of large files some topics at a time."""
    from poolwise.cli.score_large import is_large, is_partitioned

    if is_partitioned(arguments):
        from poolwise.cli.score_large import score_partitioned

        return score_partitioned(arguments, measures)
    if is_large(arguments):
        from poolwise.cli.score_large import score_streamed

        scores = score_streamed(arguments, measures)
        if scores is not None:
            return scores
    return _in_memory(arguments, measures)


def _in_memory(arguments: Namespace, measures: list[Measure]) -> Scores:
    if arguments.dask:
        from poolwise.executors import connect

        with connect(arguments.dask, arguments.threads) as executor:
            pool = read_input(arguments, executor=executor)
    else:
        pool = read_input(arguments)
    return pool.score(
        *measures,
        missing=arguments.missing,
        threads=arguments.threads,
        interval=arguments.interval,
        level=arguments.level,
        seed=arguments.seed,
    )


def _text(scores: Any, form: str, per_topic: bool, names: dict[str, str]) -> str | Iterator[str] | Iterator[bytes]:
    """The output, in pieces where it may be long."""
    if form == "trec":
        return _trec(scores, per_topic, names)
    if form == "table":
        return _table(scores, per_topic, names)
    rows = _rows(scores, per_topic)
    if form == "csv":
        from poolwise.score.score_tables import csv_lines

        return csv_lines(scores.columns, (["" if cell is None else cell for cell in row] for row in rows))
    if form == "json":
        return _json(scores.columns, rows)
    from poolwise.cli.output import parquet_pieces

    return parquet_pieces(scores.columns, rows)


def _json(columns: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> Iterator[str]:
    """A list of objects, as json.dumps(rows, indent=1) writes it."""
    from json import dumps

    before = "[\n "
    for row in rows:
        yield before + dumps(dict(zip(columns, row, strict=True)), indent=1).replace("\n", "\n ")
        before = ",\n "
    yield "\n]\n"


def _rows(scores: Any, per_topic: bool) -> Iterator[tuple[Any, ...]]:
    return scores.rows(per_topic) if scores.interval is None else scores.interval_rows(per_topic)


def _trec(scores: Any, per_topic: bool, names: dict[str, str]) -> Iterator[str]:
    counts = {name for name, summed in zip(scores.measures, scores.summed, strict=True) if summed}
    many = len(scores.runs) > 1
    for run, measure, topic, *values in _rows(scores, per_topic):
        numbers = "\t".join(_number(value, measure in counts and not place, 6) for place, value in enumerate(values))
        yield f"{run + chr(9) if many else ''}{names.get(measure, measure):<22}\t{topic}\t{numbers}\n"


def _table(scores: Any, per_topic: bool, names: dict[str, str]) -> str:
    from poolwise.cli.terminal import table_text

    counts = dict(zip(scores.measures, scores.summed, strict=True))
    cells: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for run, measure, topic, *values in _rows(scores, per_topic):
        cells.setdefault((run, topic), {})[measure] = values
    first = scores.measures[0]
    keys = sorted(cells, key=lambda key: -cells[key][first][0]) if not per_topic else list(cells)
    header = ["run", *(["topic"] if per_topic else []), *(names.get(m, m) for m in scores.measures)]
    rows = [
        [run, *([topic] if per_topic else []), *(_cell(cells[run, topic][m], counts[m]) for m in scores.measures)]
        for run, topic in keys
    ]
    title = f"{len(scores.runs)} runs, {scores.number_of_topics} topics, sorted by {names.get(first, first)}"
    return table_text(header, rows, "" if per_topic else title) + "\n"


def _cell(values: list[Any], whole: bool) -> str:
    value, *ends = values
    shown = _number(value, whole)
    return f"{shown} [{', '.join(_number(end) for end in ends)}]" if any(end is not None for end in ends) else shown


def _number(value: float | None, whole: bool = False, width: int = 0) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if whole else f"{value:{width}.4f}"
