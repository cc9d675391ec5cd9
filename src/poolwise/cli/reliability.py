"""`poolwise reliability`."""

from __future__ import annotations

import sys

from poolwise.cli.output import PAGE_FORMATS, chosen_page_format, deliver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.reliability.generalizability import Reliability

EXAMPLE = "poolwise reliability scores.csv -o reliability.html"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("scores", metavar="SCORES", help="a CSV table of topics (rows) x systems (columns)")
    parser.add_argument("--top", type=int, metavar="N", help="use the N best systems only")
    parser.add_argument(
        "--missing", choices=("error", "drop-topics", "drop-runs"), default="error", help="what to do with empty cells"
    )
    parser.add_argument("--level", type=float, default=0.95, metavar="L", help="level of the intervals (default 0.95)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the topic bootstrap")
    parser.add_argument("--format", choices=PAGE_FORMATS, help="output format (default table)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file; its ending implies the format")


def run(arguments: Namespace) -> int:
    """Read, analyse and print."""
    from poolwise.reliability.generalizability import reliability
    from poolwise.score.scores import Scores

    form = chosen_page_format(arguments)
    found = reliability(
        Scores.from_csv(arguments.scores),
        top=arguments.top,
        missing=arguments.missing,
        level=arguments.level,
        seed=arguments.seed,
    )
    deliver(_text(found, form), arguments.output)
    return 0


def _text(found: Reliability, form: str) -> str:
    from poolwise.show.table_text import table_text

    if form == "html":
        from poolwise.report.reliability_page import reliability_page

        return reliability_page(found, "poolwise " + " ".join(sys.argv[1:])).html()
    if form == "table":
        return _table(found)
    return table_text(found.columns(), form)


def _table(found: Reliability) -> str:
    from poolwise.cli.terminal import table_text

    curve = found.curve()
    rows = [
        [f"{n:g}{' (today)' if today else ''}", f"{phi:.3f}", f"{phi_low:.3f} to {phi_high:.3f}", f"{rho2:.3f}",
         f"{rho2_low:.3f} to {rho2_high:.3f}"]
        for n, today, phi, phi_low, phi_high, rho2, rho2_low, rho2_high in zip(*curve.to_dict().values(), strict=True)
    ]  # fmt: skip
    interval = f"{100 * found.level:g} % interval"
    parts = found.components
    whole = sum(parts) or 1.0
    shares = ", ".join(f"{name} {value:.6g} ({100 * value / whole:.0f} %)" for name, value in parts._asdict().items())
    return (
        f"{found.runs} systems, {found.topics} topics. Variance: {shares}\n\n"
        + table_text(["topics", "Phi", interval, "E rho^2", interval], rows)
        + f"\n\n{found.in_words()}\n"
    )
