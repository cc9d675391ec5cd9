"""`poolwise agreement`."""

from __future__ import annotations

from poolwise.cli.merge import columns_given
from poolwise.cli.options import unjudged_label
from poolwise.cli.output import add_output, chosen_format, command_line, deliver, show
from poolwise.errors import ArgumentError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.agree.assessors import LabelAgreement
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.show.items import Table
    from poolwise.show.page import Page

EXAMPLE = "poolwise agreement judged.txt model-labels.csv --rel 2 -o agreement.html"
RULES = ("majority", "mean", "first")


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "labels", metavar="LABELS", nargs="*",
        help="labels of one assessor each (qrels, CSV, JSON lines, Parquet), or a file of poolwise judge",
    )  # fmt: skip
    parser.add_argument("--rel", type=float, default=1.0, metavar="LABEL", help="lowest relevant label (default 1)")
    parser.add_argument("--level", type=float, default=0.95, metavar="L", help="level of the intervals (default 0.95)")
    parser.add_argument(
        "--columns", metavar="NAME=COLUMN,...", help="what columns are called, as in topic=query,label=grade"
    )
    parser.add_argument("--unjudged", metavar="LABEL", default="-1", help="label that means listed, not judged (-1)")
    parser.add_argument("--disagreements", metavar="FILE", help="write the documents with different labels, as CSV")
    parser.add_argument("--combined", metavar="FILE", help="write one label per document, as qrels")
    parser.add_argument(
        "--by", choices=RULES, default=RULES[0],
        help="how labels are combined: the most frequent (lowest of several), the rounded mean, or the first given",
    )  # fmt: skip
    add_output(parser, ShownAgreement, "table")


def run(arguments: Namespace) -> int:
    """Compare and print."""
    if not arguments.labels:
        raise ArgumentError("no labels were given; name the files of two assessors or more")
    form = chosen_format(arguments, ShownAgreement, "table")
    unjudged = unjudged_label(arguments.unjudged)
    if isinstance(unjudged, str):
        raise ArgumentError(f"--unjudged {arguments.unjudged!r}: give a label or none")
    from poolwise.agree.assessors import label_agreement

    found = label_agreement(
        arguments.labels,
        rel=arguments.rel,
        level=arguments.level,
        unjudged=unjudged,
        columns=columns_given(arguments.columns),
    )
    show(ShownAgreement(found), form, arguments.output)
    if arguments.disagreements:
        deliver(_disagreements(found), arguments.disagreements)
    if arguments.combined:
        deliver(_combined(found, arguments.by), arguments.combined)
    return 0


def _disagreements(found: LabelAgreement) -> str:
    from poolwise.rows import csv_text

    rows = [(topic, document, *map(_cell, labels)) for topic, document, labels in found.disagreements]
    return csv_text(("topic", "document", *found.assessors), rows)


def _cell(label: float | None) -> float | int | None:
    return int(label) if label is not None and label.is_integer() else label


def _combined(found: LabelAgreement, how: str) -> str:
    """Qrels with strata, so that what was not judged stays known."""
    from poolwise.agree.assessors import combined_labels

    lines = [
        f"{topic} {int(label is not None)} {document} {stratum} {-1 if label is None else label}"
        for topic, document, label, stratum in combined_labels(found.sheet, how)
    ]
    return "\n".join(lines) + "\n"


class ShownAgreement(Shown):
    """Coefficients, confusions and where assessors disagree."""

    def __init__(self, found: LabelAgreement) -> None:
        self.found = found

    def rows(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """One row per coefficient and pair."""
        from poolwise.rows import rows_of

        return tuple(self.found.columns()), rows_of(self.found.columns())

    def tables(self) -> list[Table]:
        """All assessors together, then pair by pair."""
        from poolwise.report.agreement_page import coefficients

        return coefficients(self.found)

    def text(self) -> str:
        """The tables under the sentence."""
        return f"{self.found.headline()}.\n\n{super().text()}"

    def page(self) -> Page:
        """The same with confusions and topics."""
        from poolwise.report.agreement_page import agreement_page

        return agreement_page(self.found, command_line())
