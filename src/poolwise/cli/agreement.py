"""`poolwise agreement`."""

from __future__ import annotations

import sys

from poolwise.cli.arguments import thresholds_given, unjudged_label
from poolwise.cli.options import add_columns, add_level, columns_given
from poolwise.cli.output import add_output, chosen_format, command_line, deliver, show
from poolwise.errors import ArgumentError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.campaign.assessor_effect import AssessorEffect
    from poolwise.campaign.model_effect import ModelEffect
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.show.page import Page
    from poolwise.show.parts import Table
    from poolwise.trust.label_agreement import LabelAgreement

EXAMPLE = "poolwise agreement judged.txt model-labels.csv --rel 2 -o agreement.html"
RULES = ("majority", "mean", "first", "adjudicated")


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "labels", metavar="LABELS", nargs="*",
        help="labels of one assessor each (qrels, CSV, JSON lines, Parquet), or a file of poolwise judge",
    )  # fmt: skip
    parser.add_argument(
        "--rel", action="append", metavar="LABEL", default=[],
        help="lowest relevant label (default 1); NAME=LABEL for one assessor; may be repeated",
    )  # fmt: skip
    add_level(parser)
    add_columns(parser)
    parser.add_argument("--unjudged", metavar="LABEL", default="-1", help="label that means listed, not judged (-1)")
    parser.add_argument("--disagreements", metavar="FILE", help="write the documents with different labels, as CSV")
    parser.add_argument(
        "--combined", metavar="FILE",
        help="write one label per document: .qrels has those with a label, as plain qrels; all else has every document "
        "of the pool, with its stratum, for `estimate`",
    )  # fmt: skip
    parser.add_argument(
        "--by", choices=RULES,
        help="how labels are combined: the most frequent (lowest of several), the mean (rounded where a document's "
        "labels are all whole), the first given, or what judge --adjudicate settled, else the first",
    )  # fmt: skip
    parser.add_argument(
        "--runs", action="append", metavar="RUN", default=[],
        help="runs: say also what disagreement does to their ranking; may be repeated",
    )  # fmt: skip
    parser.add_argument("-m", "--measure", metavar="MEASURE", help="what runs are scored by (AP)")
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="with --runs: whose labels are a model's; say which runs they favour, and what they save",
    )
    parser.add_argument("--resamples", type=int, metavar="N", help="draws of an assessor per topic (200)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws (0)")
    add_output(parser, ShownAgreement, "table")


def run(arguments: Namespace) -> int:
    """Compare and print."""
    if not arguments.labels:
        raise ArgumentError("no labels were given; name the files of two assessors or more")
    _check_idle(arguments)
    form = chosen_format(arguments, ShownAgreement, "table")
    unjudged = unjudged_label(arguments.unjudged)
    if isinstance(unjudged, str):
        raise ArgumentError(f"--unjudged {arguments.unjudged!r}: give a label or none")
    from poolwise.trust.label_agreement import label_agreement

    columns = of_runs = columns_given(arguments.columns)
    if columns and arguments.runs:
        from poolwise.reading.named_columns import shared_out

        columns, of_runs = shared_out(columns, arguments.labels, arguments.runs)
    agreement = label_agreement(
        arguments.labels,
        rel=thresholds_given("--rel", arguments.rel),
        level=arguments.level,
        unjudged=unjudged,
        columns=columns,
    )
    show(ShownAgreement(agreement, *_effects(agreement, arguments, of_runs)), form, arguments.output)
    if arguments.disagreements:
        deliver(*_disagreements(agreement, arguments.disagreements))
    if arguments.combined:
        deliver(*_combined(agreement, arguments.by, arguments.combined))
    return 0


def _check_idle(arguments: Namespace) -> None:
    """Refuse options that would do nothing, and fill in the usual values of the others."""
    if not arguments.runs:
        if arguments.model is not None:
            raise ArgumentError("--model asks which runs its labels favour; name runs with --runs")
        for option, value in (("-m", arguments.measure), ("--resamples", arguments.resamples)):
            if value is not None:
                raise ArgumentError(f"{option} is of scores of runs; name runs with --runs")
        if arguments.by is not None and not arguments.combined:
            raise ArgumentError(
                "--by says how labels are combined; write them with --combined, or name runs with --runs"
            )
    arguments.measure = arguments.measure or "AP"
    arguments.resamples = 200 if arguments.resamples is None else arguments.resamples
    arguments.by = arguments.by or RULES[0]


def _effects(
    agreement: LabelAgreement, arguments: Namespace, columns: dict[str, str] | None
) -> tuple[AssessorEffect | None, ModelEffect | None]:
    """Effects of assessors or a model on scores of runs, if runs were named."""
    if not arguments.runs:
        return None, None
    if arguments.model is None:
        from poolwise.campaign.assessor_effect import effect_of_assessors

        settings = {"resamples": arguments.resamples, "seed": arguments.seed, "columns": columns}
        return effect_of_assessors(
            agreement, arguments.runs, measure=arguments.measure, by=arguments.by, **settings
        ), None
    from poolwise.campaign.model_effect import effect_of_model

    return None, effect_of_model(
        agreement, arguments.runs, model=arguments.model, measure=arguments.measure, by=arguments.by,
        level=arguments.level, seed=arguments.seed, columns=columns,
    )  # fmt: skip


def _disagreements(agreement: LabelAgreement, path: str) -> tuple[str, str, Any]:
    from poolwise.basics.rows import csv_text
    from poolwise.pool.label_files import OTHER_FILE, Held, LabelFile, held_list

    rows = [(topic, document, *map(_cell, labels)) for topic, document, labels in agreement.disagreements]
    names = ("topic", "document", *agreement.assessors)
    file = LabelFile(path, Held, way=OTHER_FILE, read=lambda path: held_list(path, names))
    return csv_text(names, rows), path, file.write


def _cell(label: float | None) -> float | int | None:
    return int(label) if label is not None and label.is_integer() else label


def _combined(agreement: LabelAgreement, how: str, path: str) -> tuple[str, str, Any]:
    """Plain qrels of what has a label, or with strata, so that what was not judged stays known; and where to."""
    from poolwise.pool.label_files import OTHER_FILE, Held, LabelFile
    from poolwise.trust.label_sheet import combined_labels

    rows = combined_labels(agreement.sheet, how)
    held = Held(any_label=True).add((topic, document, 1, label) for topic, document, label, _ in rows)
    write = LabelFile(path, lambda: held, way=OTHER_FILE).write
    judged = [row for row in rows if row[2] is not None]
    if path.endswith(".qrels") or (not agreement.sampled and len({stratum for *_, stratum in rows}) < 2):
        return "".join(f"{topic} 0 {document} {label}\n" for topic, document, label, _ in judged), path, write
    lines = [
        f"{topic} {int(label is not None)} {document} {stratum} {-1 if label is None else label}\n"
        for topic, document, label, stratum in rows
    ]
    if len(judged) < len(rows):
        print(
            f"poolwise: note: {path}: all {len(rows)} documents of the pool with their strata, as `poolwise estimate` "
            f"takes them; {len(judged)} have a label, -1 means not judged. A name that ends in .qrels has the "
            f"{len(judged)} alone, as plain qrels",
            file=sys.stderr,
        )
    return "".join(lines), path, write


class ShownAgreement(Shown):
    """Coefficients, confusions and where assessors disagree; what that does to runs, if it was asked for."""

    def __init__(
        self, agreement: LabelAgreement, assessors: AssessorEffect | None = None, model: ModelEffect | None = None
    ) -> None:
        self.agreement, self.assessors, self.model = agreement, assessors, model

    def rows(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """One row per coefficient and pair; if runs were given, one per run."""
        from poolwise.basics.rows import rows_of

        columns = (self.assessors or self.model or self.agreement).columns()
        return tuple(columns), rows_of(columns)

    def tables(self) -> list[Table]:
        """All assessors together, then pair by pair, then runs."""
        from poolwise.trust.agreement_shown import coefficients, effects

        return [*coefficients(self.agreement), *effects(self.assessors, self.model)]

    def text(self) -> str:
        """The tables under the sentences."""
        headlines = [each.headline() for each in (self.agreement, self.assessors, self.model) if each is not None]
        sentences = "\n".join(f"{words[0].upper()}{words[1:]}." for words in headlines)
        return f"{sentences}\n\n{super().text()}"

    def page(self) -> Page:
        """The same with confusions and topics."""
        from poolwise.trust.agreement_shown import agreement_page

        return agreement_page(self.agreement, command_line(), self.assessors, self.model)
