"""`poolwise sample`."""

from __future__ import annotations

from poolwise.cli.arguments import contributing, listed, unjudged_label, whole_numbers
from poolwise.cli.options import add_input, read_input
from poolwise.cli.output import add_overwrite, chosen_format, show
from poolwise.errors import InputError
from poolwise.show.formats import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.pool.judgments import Judgments
    from poolwise.pool.label_files import LabelFile

# Those of `poolwise.sampling.designs`, which needs numpy; a test compares them.
DESIGNS = ("reduce", "uniform", "depth", "depth_plus_random", "stratified", "pair", "without")
EXAMPLE = "poolwise sample qrels.txt runs/ --design depth_plus_random --depth 10 --seed 1 -o sample.txt"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    add_input(parser)
    parser.add_argument("--design", choices=DESIGNS, required=True, help="how documents are drawn")
    parser.add_argument(
        "--fraction", metavar="F", help="share to judge, an exact decimal: 0.1 or 10% (reduce, uniform, pair)"
    )
    parser.add_argument(
        "--depth", type=int, metavar="K", dest="pool_depth",
        help="depth of the pool (depth, depth_plus_random, stratified; without: 100)",
    )  # fmt: skip
    parser.add_argument("--budget", type=int, metavar="N", help="judgments in all (stratified)")
    add_strata(parser)
    parser.add_argument("--rates", metavar="R,R,...", help="share to judge of each stratum (stratified)")
    parser.add_argument("--rounding", choices=("up", "down"), help="of reduce and pair (up)")
    parser.add_argument("-l", "--rel", type=int, metavar="LABEL", help="lowest relevant label of reduce and pair (1)")
    parser.add_argument(
        "--contributing", metavar="FILE", help="a file that names the runs of the pool, one per line (all)"
    )
    parser.add_argument("--pair", nargs=2, metavar="RUN", help="the two runs of pair (the two given, if two are)")
    parser.add_argument(
        "--without", action="append", metavar="RUN", help="a run (or group, with --groups) that did not contribute"
    )
    parser.add_argument("--groups", metavar="FILE", help="a file of lines `run group`, to leave out whole groups")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the draw (0)")
    parser.add_argument("--trial", type=int, default=0, metavar="N", help="which draw of that seed (0)")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the qrels (standard output)")
    add_overwrite(parser)


def add_strata(parser: Parser) -> None:
    """Options on strata by best rank."""
    parser.add_argument("--edges", metavar="K,K,...", help="last rank of each stratum but the last (stratified)")
    parser.add_argument("--bands", type=int, metavar="N", help="strata of equal size below --depth (stratified: 3)")
    parser.add_argument("--weights", metavar="W,W,...", help="how judgments split over strata (stratified: 3,1.5,1)")


def run(arguments: Namespace) -> int:
    """Draw and write."""
    chosen_format(arguments, ShownSample, "trec")  # an ending that is none of judgments is refused before the work
    campaign = read_input(arguments)
    drawn = campaign.judgments.sample(
        arguments.design, seed=arguments.seed, trial=arguments.trial, **_settings(arguments, campaign)
    )
    reserved = unjudged_label(arguments.unjudged)
    unjudged = reserved if isinstance(reserved, int) else -1
    show(ShownSample(drawn, unjudged), "trec", arguments.output, _file(arguments, campaign, drawn, unjudged).write)
    if arguments.output:
        print(_summary(drawn, arguments))
    return 0


def _file(arguments: Namespace, campaign: Campaign, drawn: Judgments, unjudged: int) -> LabelFile:
    """The file to write; labels of QRELS are not lost with those of another sample, unless it takes its place."""
    import os
    from dataclasses import replace

    from poolwise.pool.label_files import LabelFile, number_in
    from poolwise.pool.plan_header import held_by

    replaced = os.path.exists(arguments.qrels) and os.path.realpath(arguments.qrels) == os.path.realpath(
        arguments.output or ""
    )
    held = drawn if replaced else campaign.judgments
    plan = number_in(drawn.plan_lines())
    return LabelFile(arguments.output, lambda: replace(held_by(held), plan=plan), arguments.overwrite, unjudged)


class ShownSample(Shown):
    """The judgments that were drawn."""

    def __init__(self, drawn: Judgments, unjudged: int) -> None:
        self.drawn, self.unjudged = drawn, unjudged

    def lines(self) -> list[bytes]:
        """The file of judgments."""
        return [self.drawn.to_text(self.unjudged)]


def _settings(arguments: Namespace, campaign: Campaign) -> dict[str, Any]:
    return {
        "fraction": arguments.fraction,
        "depth": arguments.pool_depth,
        "budget": arguments.budget,
        "bands": arguments.bands,
        "edges": whole_numbers("--edges", arguments.edges),
        "rates": listed(arguments.rates),
        "weights": listed(arguments.weights),
        "rounding": arguments.rounding,
        "rel": arguments.rel,
        "contributing": contributing(arguments.contributing, campaign.runs),
        "pair": _pair(arguments, campaign),
        "without": arguments.without,
        "groups": _groups(arguments.groups),
    }


def _pair(arguments: Namespace, campaign: Campaign) -> list[str] | None:
    if arguments.design != "pair" or arguments.pair or len(campaign.runs) != 2:
        return arguments.pair or None
    return campaign.runs


def _groups(path: str | None) -> dict[str, str] | None:
    if path is None:
        return None
    from poolwise.reading.opening import numbered_lines

    groups = {}
    for number, line in numbered_lines(path):
        words = line.split()
        if len(words) != 2:
            raise InputError(f"{path}:{number}: {line!r} found; every line needs run and group")
        groups[words[0]] = words[1]
    return groups


def _summary(drawn: Judgments, arguments: Namespace) -> str:
    from poolwise.pool.judgments import OUTSIDE

    judged, pooled = drawn.count(), int((drawn.labels != OUTSIDE).sum())
    share = 100 * judged / pooled if pooled else 0.0
    return (
        f"{arguments.output}: {judged} judged of {pooled} pooled documents ({share:.1f} %), "
        f"{arguments.design}, seed {arguments.seed}"
    )
