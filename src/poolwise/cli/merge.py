"""`poolwise merge`."""

from __future__ import annotations

from poolwise.basics.words import part_of
from poolwise.cli.arguments import unjudged_label
from poolwise.cli.options import add_columns, columns_given
from poolwise.cli.output import add_output, add_overwrite, chosen_format, show
from poolwise.cli.plan import ShownPlan
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.plans.plan import Plan
    from poolwise.pool.label_files import Held

PLAIN_WORDS = "plain judgments do not say which documents were drawn: nothing can be estimated from them"
EXAMPLE = "poolwise merge round1.txt labels.csv -o judged1.txt"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("plan", metavar="PLAN", help="the file that poolwise plan wrote")
    parser.add_argument(
        "labels", metavar="LABELS", nargs="*",
        help="labels in any order: TREC lines, CSV, TSV, JSON, JSON lines, Parquet, a file of poolwise judge, or -",
    )  # fmt: skip
    add_columns(parser)
    parser.add_argument(
        "--extra", action="store_true",
        help="take labels of documents that were not drawn, as a stratum of their own that is judged in full",
    )  # fmt: skip
    parser.add_argument(
        "--drawn-only", action="store_true",
        help="leave out labels of documents that were not drawn: of complete labels, what this plan would have seen",
    )  # fmt: skip
    parser.add_argument(
        "--conflicts", choices=("error", "first", "last"), default="error",
        help="different labels for one document: refuse them, or take the first or last",
    )  # fmt: skip
    parser.add_argument("--unjudged", metavar="LABEL", default="-1", help="label that means not judged (-1)")
    parser.add_argument(
        "--plain", action="store_true",
        help="write the labels alone (topic 0 document label), for other programs; nothing can be estimated from these",
    )  # fmt: skip
    add_output(parser, ShownPlan, "trec, lines of judgments")
    add_overwrite(parser)


def run(arguments: Namespace) -> int:
    """Merge and write."""
    import sys

    if not arguments.labels:
        raise ArgumentError("no labels were given; name the files that came back from the assessors")
    unjudged = unjudged_label(arguments.unjudged)
    if not isinstance(unjudged, int):
        raise ArgumentError(f"--unjudged {arguments.unjudged!r}: a plan needs one label that means not judged")
    form = chosen_format(arguments, ShownPlan, "trec")
    from poolwise.plans.merge import merge
    from poolwise.pool.label_files import LabelFile

    merged = merge(
        arguments.plan,
        *arguments.labels,
        extra=arguments.extra,
        drawn_only=arguments.drawn_only,
        conflicts=arguments.conflicts,
        columns=columns_given(arguments.columns),
        unjudged=unjudged,
    )
    file = LabelFile(arguments.output, lambda: _held(merged, arguments), arguments.overwrite, unjudged)
    shown = ShownLabels(merged, unjudged) if arguments.plain else ShownPlan(merged, unjudged)
    show(shown, form, arguments.output, file.write)
    if arguments.plain:
        print(f"poolwise: note: {PLAIN_WORDS}", file=sys.stderr)
    judged = sum(label is not None for label in merged.label)
    where = f"{arguments.output}: " if arguments.output else ""
    sentence = f"{where}{part_of(judged, len(merged.topic), 'pooled document')} a label"
    print(sentence, file=sys.stdout if arguments.output else sys.stderr)
    return 0


def _held(merged: Plan, arguments: Namespace) -> Held:
    """Contents of the new file: of several labels of a document one was chosen; plain judgments are no plan."""
    from dataclasses import replace

    held = replace(merged.held(), any_label=arguments.conflicts != "error")
    return replace(held, plan="", asked=set()) if arguments.plain else held


class ShownLabels(ShownPlan):
    """The labels of a plan and nothing of how documents were drawn."""

    def lines(self) -> list[bytes]:
        """Plain judgments."""
        return [
            f"{topic} 0 {document} {label}\n".encode("utf-8", "surrogateescape")
            for topic, document, label in self._rows()
        ]

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per label."""
        return ("topic", "document", "label"), list(self._rows())

    def _rows(self) -> Iterator[tuple[str, str, int]]:
        made = self.plan
        for topic, document, label in zip(made.topic, made.document, made.label, strict=True):
            if label is not None:
                yield topic, document, label
