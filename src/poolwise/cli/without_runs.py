"""`--without`: runs to leave out of what is read, by name, by pattern, or because they reach outside the pool."""

from __future__ import annotations

from poolwise.cli.column_options import columns_of_runs
from poolwise.cli.options import read_input, run_paths
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.campaign.campaign import Campaign
    from poolwise.cli.arguments import Namespace, Parser

__all__ = ["add_without", "read_without"]

OUTSIDE = "outside"


def add_without(parser: Parser) -> None:
    """Declare the option."""
    parser.add_argument(
        "--without", action="append", metavar="RUN", default=[],
        help="a run to leave out, by its name or a quoted pattern; may be repeated; outside: all that have documents "
        "outside the pool, which widen the intervals of the others",
    )  # fmt: skip


def read_without(arguments: Namespace, measures: list[Any]) -> Campaign:
    """Read QRELS and RUN with all documents, but not the runs that are to be left out."""
    from fnmatch import fnmatchcase

    patterns = [word for word in arguments.without if word != OUTSIDE]
    if patterns:
        names = [source.name for source in _sources(arguments)]
        unknown = [word for word in patterns if not any(fnmatchcase(name, word) for name in names)]
        if unknown:
            raise ArgumentError(
                f"--without {unknown[0]}: no run is called so; they are called {', '.join(names[:3])} ..."
            )
        _keep(arguments, [name for name in names if not any(fnmatchcase(name, word) for word in patterns)])
    # Only with all documents is it known which ones outside the pool runs share.
    campaign = read_input(arguments, documents="all")
    if OUTSIDE in arguments.without and (left_out := set(_reaching_outside(campaign, measures))):
        _keep(arguments, [run for run in campaign.runs if run not in left_out])
        campaign = read_input(arguments, documents="all")
    return campaign


def _sources(arguments: Namespace) -> list[Any]:
    from poolwise.reading.sources import run_sources

    return run_sources(run_paths(arguments), columns=columns_of_runs(arguments))


def _keep(arguments: Namespace, names: list[str]) -> None:
    """From now on these runs are the ones that were named."""
    if not names:
        raise ArgumentError("--without leaves no run; name fewer, or more runs")
    kept = {source.name: source.path or source.table for source in _sources(arguments) if source.name in names}
    if "-" in (*kept.values(), arguments.qrels):
        raise ArgumentError("--without reads runs and judgments twice, and standard input can be read once; give files")
    arguments.runs = [kept]


def _reaching_outside(campaign: Campaign, measures: list[Any]) -> list[str]:
    from poolwise.estimates.layout import Layout
    from poolwise.estimates.notes import runs_outside
    from poolwise.estimates.outside import Outside
    from poolwise.estimates.targets import target_of

    layout = Layout.of(campaign, campaign.judgments)
    targets = [target_of(measure, layout) for measure in measures]
    return runs_outside(Outside(campaign.judgments, range(len(campaign.runs)), [], targets))
