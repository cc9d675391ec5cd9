"""`poolwise reliability`."""

from __future__ import annotations

import re

from poolwise.cli.arguments import read_pairs
from poolwise.cli.options import (
    add_input,
    add_level,
    add_measures,
    add_topic_groups,
    asked_names,
    given_scores,
    read_input,
    wanted_measures,
)
from poolwise.cli.output import add_output, chosen_format, command_line, show
from poolwise.errors import InputError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.scores.scores import Scores
    from poolwise.show.page import Page
    from poolwise.show.parts import Table
    from poolwise.trust.reliability import Reliability

EXAMPLE = "poolwise reliability qrels.txt runs/ -m AP -m nDCG@10 -o reliability.html"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser, scores=True)
    add_measures(parser, "AP, or all of a file of scores")
    parser.add_argument("--top", type=int, metavar="N", help="use the N best systems only")
    parser.add_argument(
        "--missing",
        choices=("error", "unbalanced", "drop-topics", "drop-runs"),
        default="error",
        help="empty cells: refuse, estimate from the others, or leave topics or runs out",
    )
    add_level(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the topic bootstrap")
    add_topic_groups(parser)
    add_output(parser, ShownReliability, "table")


def run(arguments: Namespace) -> int:
    """Read, analyse and print."""
    from poolwise.trust.generalizability import reliability

    form = chosen_format(arguments, ShownReliability, "table")
    scores, names = given_scores(arguments) or _scored(arguments)
    parts: dict[str, Any] = {"": scores}
    if arguments.groups:
        from poolwise.comparisons.topic_groups import split_topics

        parts = dict(split_topics(scores, read_pairs(arguments.groups) or {}))
    settings = {"top": arguments.top, "missing": arguments.missing, "level": arguments.level, "seed": arguments.seed}
    try:
        named = [(group, reliability(part, measure, **settings)) for group, part in parts.items() for measure in names]
    except InputError as error:  # which names what to do as Python has it
        raise InputError(re.sub(r'missing="([a-z-]+)"', r"--missing \1", str(error))) from error
    groups = [group for group, _ in named] if arguments.groups else []
    show(ShownReliability([each for _, each in named], groups, names), form, arguments.output)
    return 0


def _scored(arguments: Namespace) -> tuple[Scores, dict[str, str]]:
    """Scores of runs, and their measures by name."""
    wanted = wanted_measures(arguments, ("AP",))
    measures = [measure for _, measure in wanted]
    return read_input(arguments).score(*measures, threads=arguments.threads), asked_names(wanted)


class ShownReliability(Shown):
    """The reliability of one or several measures; `names` are those that they were asked by."""

    def __init__(self, reliabilities: Sequence[Reliability], groups: Sequence[str], names: Mapping[str, str]) -> None:
        self.groups, self.alone, self.names = groups, reliabilities, names

    def _renamed(self, names: Mapping[str, str]) -> list[Reliability]:
        """Measures by name, and group of topics if there are such."""
        from dataclasses import replace

        groups = [f" ({group})" for group in self.groups] or [""] * len(self.alone)
        named = zip(self.alone, groups, strict=True)
        return [replace(each, measure=names.get(each.measure, each.measure) + group) for each, group in named]

    def rows(self) -> tuple[Sequence[str], list[Sequence[Any]]]:
        """One row per measure, and group of topics if there are such."""
        from poolwise.basics.rows import rows_of

        heads, rows = tuple(self.alone[0].columns()), [rows_of(each.columns()) for each in self.alone]
        if not self.groups:
            return heads, [row for each in rows for row in each]
        named = zip(self.groups, rows, strict=True)
        return ("group", *heads), [(group, *row) for group, each in named for row in each]

    def tables(self) -> list[Table]:
        """One row per measure: where its variance comes from, coefficients, topics needed."""
        from poolwise.show.parts import Table

        rows = [_row(each) for each in self._renamed(self.names)]
        return [Table("Reliability", {name: [row[name] for row in rows] for name in rows[0]}, digits=3)]

    def text(self) -> str:
        """Each measure with its curve."""
        return "\n".join(_curve(each, len(self.alone) > 1) for each in self._renamed(self.names))

    def page(self) -> Page:
        """One page with a section per measure."""
        from poolwise.trust.reliability_shown import reliabilities_page

        return reliabilities_page(self._renamed({}), command_line())


def _row(result: Reliability) -> dict[str, Any]:
    from math import ceil, isinf

    whole = sum(result.components) or 1.0
    needed = result.topics_for(phi=0.95)
    return {
        "measure": result.measure,
        **{f"{name} %": f"{100 * value / whole:.0f}" for name, value in result.components._asdict().items()},
        "topics": result.topics,
        "Phi": result.phi(),
        "E rho^2": result.rho2(),
        "topics for Phi 0.95": "no number" if isinf(needed) else "" if needed != needed else ceil(needed),
    }


def _known(*ends: float) -> str:
    """A number, or the two ends of an interval; a dash where there is none, as of E rho^2 of copies of a run.

    >>> _known(0.5), _known(0.25, 0.75), _known(float("nan"))
    ('0.500', '0.250 to 0.750', '-')
    """
    return "-" if any(end != end for end in ends) else " to ".join(f"{end:.3f}" for end in ends)


def _curve(result: Reliability, several: bool) -> str:
    from poolwise.basics.rows import aligned_text

    rows = [
        [f"{n:g}{' (today)' if today else ''}", _known(phi), _known(phi_low, phi_high), _known(rho2),
         _known(rho2_low, rho2_high)]
        for n, today, phi, phi_low, phi_high, rho2, rho2_low, rho2_high
        in zip(*result.curve().columns().values(), strict=True)
    ]  # fmt: skip
    interval = f"{100 * result.level:g} % interval"
    parts = result.components
    whole = sum(parts) or 1.0
    shares = ", ".join(f"{name} {value:.6g} ({100 * value / whole:.0f} %)" for name, value in parts._asdict().items())
    name = f"{result.measure}: " if several else ""
    return (
        f"{name}{result.runs} systems, {result.topics} topics. Variance: {shares}\n\n"
        + (aligned_text(["topics", "Phi", interval, "E rho^2", interval], rows) + "\n\n" if any(parts) else "")
        + f"{result.in_words()}\n"
    )
