"""`poolwise compare`."""

from __future__ import annotations

import sys

from poolwise.basics.words import counted
from poolwise.cli.options import (
    add_dask,
    add_input,
    add_measures,
    add_predictions,
    add_topic_groups,
    asked_names,
    given_scores,
    predictions_given,
    read_input,
    wanted_measures,
)
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.comparisons.significance_tests import CORRECTIONS, DEFAULT_CORRECTION, DEFAULT_TEST, TESTS
from poolwise.errors import ArgumentError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.comparisons.comparison import Comparison
    from poolwise.comparisons.significance_tests import Correction, Test
    from poolwise.measures.measure import Measure
    from poolwise.scores.scores import Scores
    from poolwise.show.page import Page
    from poolwise.show.parts import Table

EXAMPLE = "poolwise compare qrels.txt runs/ -m nDCG@10 --baseline bm25 -o comparison.html"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser, scores=True)
    add_measures(parser, "AP, or all of a file of scores")
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
    parser.add_argument(
        "--letters", action="store_true",
        help="letters of groups in tables also where there are so many that tiers of runs are shown",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same p values")
    add_predictions(parser, "for a test of estimates, predicted labels:")
    add_dask(parser)
    add_topic_groups(parser)
    add_output(parser, ShownComparisons, "table; csv has one row per pair")


def _summaries(rows: Mapping[str, Test] | Mapping[str, Correction]) -> str:
    return "; ".join(f"{name}: {row.summary.replace('; ', ', ')}" for name, row in rows.items())


def run(arguments: Namespace) -> int:
    """Score, test and print."""
    if arguments.groups:
        from poolwise.cli.grouped import show_groups

        return show_groups(arguments, lambda: given_scores(arguments) or _scored(arguments), pairs=True)
    from poolwise.comparisons.compare_runs import compare

    form = chosen_format(arguments, ShownComparisons, "table")
    scores, names = given_scores(arguments) or _scored(arguments)
    comparisons = [
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
        for measure in names
    ]
    colour = arguments.output is None and sys.stdout.isatty()
    show(ShownComparisons(comparisons, names, colour, arguments.letters), form, arguments.output)
    return 0


def _scored(arguments: Namespace) -> tuple[Scores, dict[str, str]]:
    """Scores of runs, and their measures by name."""
    wanted = wanted_measures(arguments, ("AP",))
    # Only with all documents is it known which unjudged ones two runs share.
    pool = read_input(arguments, documents="all", dask=arguments.dask)
    return _scores(pool, [measure for _, measure in wanted], arguments), asked_names(wanted)


def _scores(campaign: Campaign, measures: list[Measure], arguments: Namespace) -> Scores:
    """Scores, or for sampled judgments estimates with the differences to test."""
    from poolwise.pool.judgments import POOLED

    predictions = predictions_given(arguments)
    if predictions is not None and not TESTS[arguments.test].of_estimates:
        usable = " or ".join(f"--test {name}" for name, each in TESTS.items() if each.of_estimates)
        raise ArgumentError(f"--test {arguments.test} takes no predictions; use {usable}")
    unjudged = int((campaign.judgments.classes == POOLED).sum())
    if unjudged and not TESTS[arguments.test].of_estimates:
        are, count = ("is", "counts") if unjudged == 1 else ("are", "count")
        print(
            f"poolwise: note: {counted(unjudged, 'pooled document')} {are} not judged and {count} as the measure says, "
            "mostly as non-relevant; --test judgments estimates differences from the sample",
            file=sys.stderr,
        )
    return campaign.comparable(
        *measures,
        test=arguments.test,
        baseline=arguments.baseline,
        predictions=predictions,
        seed=arguments.seed,
        threads=arguments.threads,
    )


class ShownComparisons(Shown):
    """Comparisons by one or several measures; `names` are those that measures were asked by."""

    def __init__(
        self, comparisons: Sequence[Comparison], names: Mapping[str, str], colour: bool = False, letters: bool = False
    ) -> None:
        self.comparisons, self.names, self.colour, self.letters = comparisons, names, colour, letters

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per measure and pair."""
        from poolwise.basics.rows import rows_of

        return tuple(self.comparisons[0].columns()), [
            row for each in self.comparisons for row in rows_of(each.columns())
        ]

    def tables(self) -> list[Table]:
        """Per measure the runs from best to worst, with their groups or what they differ from the baseline by."""
        from poolwise.comparisons.comparison_shown import comparison_table

        return [comparison_table(each, self.letters) for each in self._named()]

    def text(self) -> str:
        """Each table with its conclusion."""
        from poolwise.basics.rows import aligned_text
        from poolwise.cli.output import bold

        parts = []
        for each, table in zip(self._named(), self.tables(), strict=True):
            head, *body = aligned_text(list(table.columns), table.cells()).splitlines()
            lines = [bold(head) if self.colour else head, *body, "", *self._note(each), each.conclusion]
            parts.append("\n".join(lines) + "\n")
        return "\n".join(parts)

    def _named(self) -> list[Comparison]:
        """The comparisons under the names that people asked for, as tables of `score` have them."""
        from dataclasses import replace

        from poolwise.comparisons.conclusion import conclude

        named = [replace(each, measure=self.names.get(each.measure, each.measure)) for each in self.comparisons]
        # The conclusion names the measure.
        return [replace(each, conclusion=conclude(each)) for each in named]

    def _note(self, comparison: Comparison) -> list[str]:
        """How to read letters or tiers, if there are any, or p values where these are shown."""
        from poolwise.comparisons.conclusion import TIERS_NOTE, floor_words

        if comparison.baselines:
            floor = floor_words(comparison)
            return [floor] if floor else []
        in_tiers = comparison.in_tiers and not self.letters
        return [TIERS_NOTE if in_tiers else "Runs that share a letter cannot be told apart."]

    def page(self) -> Page:
        """One page with a section per measure, and with letters at its end if these were requested."""
        from dataclasses import replace

        from poolwise.comparisons.comparison_shown import comparisons_page

        page = comparisons_page(self.comparisons, command_line())
        if not self.letters:
            return page
        note = "Runs that share a letter cannot be told apart."
        named = zip(self._named(), self.tables(), strict=True)
        lettered = [replace(table, title=f"Letters, by {each.measure}", note=note) for each, table in named]
        return replace(page, parts=[*page.parts, *lettered])
