"""`poolwise score`."""

from __future__ import annotations

from poolwise.cli.options import add_input, add_measures, read_input, wanted_measures
from poolwise.cli.output import FORMATS, chosen_format, deliver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
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
    parser.add_argument("--format", choices=FORMATS, help="output format (table on a terminal, else trec)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file; its ending implies the format")


def run(arguments: Namespace) -> int:
    """Score and print."""
    form = chosen_format(arguments)
    wanted = wanted_measures(arguments)
    scores = read_input(arguments).score(
        *(measure for _, measure in wanted),
        missing=arguments.missing,
        threads=arguments.threads,
        interval=arguments.interval,
        level=arguments.level,
        seed=arguments.seed,
    )
    names = {str(measure): name for name, measure in reversed(wanted)}
    deliver(_text(scores, form, arguments.per_topic, names), arguments.output)
    return 0


def _text(scores: Scores, form: str, per_topic: bool, names: dict[str, str]) -> str | bytes:
    if form == "csv":
        return scores.to_csv(per_topic=per_topic)
    if form == "trec":
        return _trec(scores, per_topic, names)
    if form == "table":
        return _table(scores, per_topic, names)
    return scores.to_json(per_topic=per_topic) if form == "json" else scores.to_parquet(per_topic=per_topic)


def _trec(scores: Scores, per_topic: bool, names: dict[str, str]) -> str:
    counts = {name for name, summed in zip(scores.measures, scores.summed, strict=True) if summed}
    many = len(scores.runs) > 1
    lines = []
    for run, measure, topic, *values in scores.all_rows(per_topic):
        numbers = "\t".join(_number(value, measure in counts and not place, 6) for place, value in enumerate(values))
        lines.append(f"{run + chr(9) if many else ''}{names.get(measure, measure):<22}\t{topic}\t{numbers}\n")
    return "".join(lines)


def _table(scores: Scores, per_topic: bool, names: dict[str, str]) -> str:
    from poolwise.cli.terminal import table_text

    counts = dict(zip(scores.measures, scores.summed, strict=True))
    cells: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for run, measure, topic, *values in scores.all_rows(per_topic):
        cells.setdefault((run, topic), {})[measure] = values
    first = scores.measures[0]
    keys = sorted(cells, key=lambda key: -cells[key][first][0]) if not per_topic else list(cells)
    header = ["run", *(["topic"] if per_topic else []), *(names.get(m, m) for m in scores.measures)]
    rows = [
        [run, *([topic] if per_topic else []), *(_cell(cells[run, topic][m], counts[m]) for m in scores.measures)]
        for run, topic in keys
    ]
    title = f"{len(scores.runs)} runs, {len(scores.topics)} topics, sorted by {names.get(first, first)}"
    return table_text(header, rows, "" if per_topic else title) + "\n"


def _cell(values: list[Any], whole: bool) -> str:
    value, *ends = values
    shown = _number(value, whole)
    return f"{shown} [{', '.join(_number(end) for end in ends)}]" if any(end is not None for end in ends) else shown


def _number(value: float | None, whole: bool = False, width: int = 0) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if whole else f"{value:{width}.4f}"
