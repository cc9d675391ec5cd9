"""`poolwise estimate`."""

from __future__ import annotations

from poolwise.cli.options import add_input, add_measures, read_input, wanted_measures
from poolwise.cli.output import FORMATS, chosen_format, deliver
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.estimate.estimates import Estimate

NOT_IN_TREC = ("plain_low", "plain_high", "outside")
EXAMPLE = "poolwise estimate sampled.txt runs/ -m AP -m nDCG@10 --difference bm25 mine"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    add_measures(parser, "none, it must be given")
    parser.add_argument("--pooled", action="store_true", help="also give values steadied by all runs (ten or more)")
    parser.add_argument(
        "--difference", nargs=2, action="append", metavar=("A", "B"),
        help="difference of two runs instead of runs alone; may be repeated; B or both may be: all",
    )  # fmt: skip
    parser.add_argument(
        "--outside", choices=("range", "nonrelevant", "error"), default="range",
        help="documents neither judged nor pooled: intervals hold whatever labels they have (range), "
        "they count as non-relevant, or there must be none",
    )  # fmt: skip
    parser.add_argument("--predictions", metavar="FILE", help="predicted labels: lines of topic document value")
    parser.add_argument("--level", type=float, default=0.95, metavar="P", help="level of the intervals (0.95)")
    parser.add_argument("-q", "--per-topic", action="store_true", help="also print every topic, without intervals")
    parser.add_argument("--format", choices=FORMATS, help="output format (table on a terminal, else trec)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file; its ending implies the format")


def run(arguments: Namespace) -> int:
    """Estimate and print."""
    if not arguments.measures:
        raise ArgumentError("no measure was given; name at least one, such as -m AP")
    form = chosen_format(arguments)
    wanted = wanted_measures(arguments)
    # Only with all documents is it known which ones outside the pool two runs share.
    campaign = read_input(arguments, documents="all" if arguments.difference else "judged")
    from poolwise.estimate.estimator import estimate

    result = estimate(
        campaign,
        [measure for _, measure in wanted],
        campaign.judgments,
        level=arguments.level,
        pooled=None if arguments.pooled or form == "table" else False,
        predictions=arguments.predictions,
        difference=_pairs(arguments.difference, campaign.runs),
        outside=arguments.outside,
        threads=arguments.threads,
    )
    names = {str(measure): name for name, measure in reversed(wanted)}
    deliver(_text(result, form, arguments, names), arguments.output)
    return 0


def _pairs(given: list[list[str]] | None, runs: Sequence[str]) -> list[tuple[str, str]] | None:
    """Spell out `A all` and `all all`."""
    if given is None:
        return None
    pairs: list[tuple[str, str]] = []
    for a, b in given:
        first = runs if a == "all" else [a]
        second = runs if b == "all" else [b]
        order = {run: number for number, run in enumerate(runs)}
        pairs += [(x, y) for x in first for y in second if x != y and (a != "all" or b != "all" or order[x] < order[y])]
    return list(dict.fromkeys(pairs))


def _text(result: Estimate, form: str, arguments: Namespace, names: dict[str, str]) -> str | bytes:
    if form == "table":
        return _tables(result, arguments, names)
    if result.differences is not None:
        columns: Sequence[str] = tuple(result.differences.columns())
        rows = list(result.differences.rows())
    else:
        columns = result.column_names(arguments.pooled)
        rows = list(result.table_rows(arguments.per_topic, arguments.pooled))
    if form == "csv":
        from poolwise.score.score_tables import csv_text

        return csv_text(columns, (["" if _missing(cell) else cell for cell in row] for row in rows))
    if form == "trec":
        return _trec(columns, rows, names, len(result.runs) > 1)
    plain = [[None if _missing(cell) else cell for cell in row] for row in rows]
    if form == "json":
        from json import dumps

        return dumps([dict(zip(columns, row, strict=True)) for row in plain], indent=1) + "\n"
    from poolwise.cli.output import parquet_pieces

    return b"".join(parquet_pieces(columns, plain))


def _missing(cell: Any) -> bool:
    return bool(cell != cell)  # NaN alone differs from itself


def _trec(columns: Sequence[str], rows: Iterable[Sequence[Any]], names: dict[str, str], many: bool) -> str:
    """Columns as trec_eval prints them, with the ends of the interval behind the value."""
    lines = []
    for row in rows:
        cells = dict(zip(columns, row, strict=True))
        measure = f"{names.get(cells['measure'], cells['measure']):<22}"
        shown = (cell for name, cell in cells.items() if name not in NOT_IN_TREC)
        numbers = [f"{cell:6.4f}" for cell in shown if isinstance(cell, float) and not _missing(cell)]
        if "run_a" in cells:
            head = [cells["run_a"], cells["run_b"], measure]
        else:
            head = [*([cells["run"]] if many else []), measure, cells["topic"]]
        lines.append("\t".join([*head, *numbers]) + "\n")
    return "".join(lines)


def _tables(result: Estimate, arguments: Namespace, names: dict[str, str]) -> str:
    from poolwise.cli.terminal import table_text

    title = f"{len(result.runs)} runs, {len(result.topics)} topics, {100 * arguments.level:g} % intervals"
    parts = [title]
    for measure in result.measures:
        header, rows = _runs_table(result, measure, names, arguments.per_topic)
        parts.append(table_text(header, rows))
    if result.differences is not None:
        parts.append(table_text(("run", "less run", "measure", "difference", "interval"), _pair_rows(result, names)))
    return "\n\n".join(parts) + "\n"


def _runs_table(
    result: Estimate, measure: str, names: dict[str, str], per_topic: bool
) -> tuple[list[str], list[list[str]]]:
    """One measure, runs from best to worst, by the pooled values if there are any."""
    pooled, outside = result.pooled is not None, bool(result.outside.any())
    place = {run: number for number, run in enumerate(result.order(measure))}
    columns = result.column_names(pooled)
    rows = [dict(zip(columns, row, strict=True)) for row in result.table_rows(per_topic, pooled) if row[1] == measure]
    rows.sort(key=lambda row: place[row["run"]])
    header = ["run", *(["topic"] * per_topic), names.get(measure, measure), "interval"]
    return [*header, *(["outside"] * outside), *(["pooled"] * pooled)], [
        [row["run"], *([row["topic"]] * per_topic), f"{row['value']:.4f}", _range(row["low"], row["high"]),
         *([_share(row["outside"])] * outside), *([_number(row["pooled"])] if pooled else [])]
        for row in rows
    ]  # fmt: skip


def _pair_rows(result: Estimate, names: dict[str, str]) -> list[list[str]]:
    pairs = result.differences
    if pairs is None:
        return []
    return [
        [a, b, names.get(measure, measure), f"{value:+.4f}", note or _range(low, high)]
        for a, b, measure, value, low, high, note in zip(
            pairs.run_a, pairs.run_b, pairs.measure, pairs.difference, pairs.low, pairs.high, pairs.note, strict=True
        )
    ]


def _range(low: float, high: float) -> str:
    return "none" if _missing(low) else f"{low:.4f} to {high:.4f}"


def _share(value: float) -> str:
    return "" if _missing(value) else f"{100 * value:.0f} %"


def _number(value: float) -> str:
    return "" if _missing(value) else f"{value:.4f}"
