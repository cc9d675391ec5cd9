"""`poolwise compare`."""

from __future__ import annotations

import sys

from poolwise.cli.options import add_dask, add_input, add_measures, read_input, wanted_measures
from poolwise.cli.output import PAGE_FORMATS, chosen_page_format, deliver
from poolwise.compare.significance_tests import CORRECTIONS, DEFAULT_CORRECTION, DEFAULT_TEST, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolwise.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.compare import Comparison
    from poolwise.compare.significance_tests import Correction, Test
    from poolwise.score.measure import Measure
    from poolwise.score.scores import Scores

EXAMPLE = "poolwise compare qrels.txt runs/ -m nDCG@10 --baseline bm25 -o comparison.html"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    add_measures(parser, "AP")
    parser.add_argument(
        "--test", choices=tuple(TESTS), default=DEFAULT_TEST,
        help=f"two-sided, paired over topics (default {DEFAULT_TEST}); {_summaries(TESTS)}",
    )  # fmt: skip
    parser.add_argument(
        "--correction", choices=tuple(CORRECTIONS), default=DEFAULT_CORRECTION,
        help=f"for testing many pairs (default {DEFAULT_CORRECTION}); {_summaries(CORRECTIONS)}",
    )  # fmt: skip
    parser.add_argument(
        "--baseline", action="append", metavar="RUN", default=[], help="compare with this run only; may be repeated"
    )
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help="level of significance (default 0.05)")
    parser.add_argument(
        "--resamples", type=int, metavar="N", help="sign flips or bootstrap samples (default 10000 or more)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same p values")
    add_dask(parser)
    parser.add_argument("--format", choices=PAGE_FORMATS, help="output format (default table; csv has one row a pair)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file; its ending implies the format")


def _summaries(rows: Mapping[str, Test] | Mapping[str, Correction]) -> str:
    return "; ".join(f"{name}: {row.summary.replace('; ', ', ')}" for name, row in rows.items())


def run(arguments: Namespace) -> int:
    """Score, test and print."""
    from poolwise.compare import compare
    from poolwise.executors import connect

    if not arguments.measures:
        arguments.measures = ["AP"]
    form = chosen_page_format(arguments)
    wanted = wanted_measures(arguments)
    with connect(arguments.dask, arguments.threads) as executor:
        pool = read_input(arguments, executor=executor)
    scores = _scores(pool, [measure for _, measure in wanted], arguments)
    found = [
        compare(
            scores,
            measure,
            test=arguments.test,
            correction=arguments.correction,
            baseline=arguments.baseline or None,
            alpha=arguments.alpha,
            resamples=arguments.resamples,
            seed=arguments.seed,
            threads=arguments.threads,
        )
        for _, measure in wanted
    ]
    deliver("\n".join(_text(each, form, arguments) for each in found), arguments.output)
    return 0


def _scores(campaign: Campaign, measures: list[Measure], arguments: Namespace) -> Scores:
    """Scores, or for sampled judgments estimates with the differences to test."""
    if TESTS[arguments.test].of_estimates:
        return campaign.estimate(*measures, difference=_pairs(campaign.runs, arguments.baseline), pooled=False)
    from poolwise.judge.judgments import POOLED

    unjudged = int((campaign.judgments.labels == POOLED).sum())
    if unjudged:
        print(
            f"note: {unjudged} pooled documents are not judged and count as the measure says, mostly as non-relevant; "
            "--test judgments estimates differences from the sample",
            file=sys.stderr,
        )
    return campaign.score(*measures, threads=arguments.threads)


def _pairs(runs: list[str], baselines: list[str]) -> list[tuple[str, str]] | str:
    pairs = [(run, baseline) for baseline in baselines for run in runs if run != baseline]
    return pairs or "all"


def _text(found: Comparison, form: str, arguments: Namespace) -> str:
    from poolwise.show.table_text import table_text

    if form == "html":
        from poolwise.report.comparison_page import comparison_page

        return comparison_page(found, "poolwise " + " ".join(sys.argv[1:])).html()
    if form in ("csv", "json"):
        return table_text(found.pair_columns(), form)
    if form in ("markdown", "latex"):
        return table_text(found.ranking_columns(), form)
    return _table(found, arguments.output is None and sys.stdout.isatty())


def _table(found: Comparison, colour: bool) -> str:
    """Runs from best to worst with their letters, and the conclusion."""
    from poolwise.cli.terminal import bold, table_text

    ranking = found.ranking_columns()
    rows = [
        [run, f"{mean:.4f}", group, str(better), str(worse)]
        for run, mean, group, better, worse in zip(*ranking.values(), strict=True)
    ]
    head = ["run", found.measure, "group" if not found.baselines else "", "better than", "worse than"]
    text = table_text(head, rows).splitlines()
    if colour:
        text[0] = bold(text[0])
    note = "" if found.baselines else "Runs that share a letter cannot be told apart.\n"
    return "\n".join(text) + f"\n\n{note}{found.conclusion}\n"
