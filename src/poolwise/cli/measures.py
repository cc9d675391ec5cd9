"""`poolwise measures`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace, Parser
    from poolwise.score.measure import Declaration

EXAMPLE = "poolwise measures nDCG"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="MEASURE", nargs="?", help="a measure to show in full")
    parser.add_argument("--plugin", action="append", metavar="MODULE:NAME", default=[], help="a measure of your own")


def run(arguments: Namespace) -> int:
    """Print all measures by how they treat unjudged documents, or one in full."""
    from poolwise.cli.options import load_plugin
    from poolwise.score.registry import parse

    for plugin in arguments.plugin:
        load_plugin(plugin)
    print(describe(parse(arguments.name).declaration) if arguments.name else overview())
    return 0


def overview() -> str:
    """All measures in groups."""
    from poolwise.score.measure import UNJUDGED
    from poolwise.score.registry import measures

    parts = []
    for rule in UNJUDGED:
        group = [declaration for declaration in measures() if declaration.unjudged == rule]
        if group:
            parts.append(f"Unjudged documents {rule}:")
            parts += [f"  {pattern(declaration):<24}{declaration.summary}" for declaration in group]
            parts.append("")
    parts.append(
        "A prime condenses the list: AP', nDCG'@10 (in a shell also cond:nDCG@10) leave unjudged documents out."
    )
    parts.append("`poolwise measures NAME` shows one in full.")
    return "\n".join(parts)


def pattern(declaration: Declaration) -> str:
    """The name with what may follow it."""
    prime = "[']" if declaration.condensable else ""
    return declaration.name + prime + {"none": "", "optional": "[@k]", "required": "@k"}[declaration.cutoff]


def describe(declaration: Declaration) -> str:
    """One measure in full."""
    from poolwise.score.registry import aliases_of

    lines = [f"{pattern(declaration)}: {declaration.summary}", "", declaration.description, ""]
    lines.append(f"Unjudged documents {declaration.unjudged}.")
    for parameter in declaration.parameters:
        default = "" if parameter.default is None else f" (default {parameter.show(parameter.default)})"
        lines.append(f"  {parameter.name}: {parameter.help}; {parameter.allowed()}{default}")
    if declaration.aliases:
        lines.append(f"Also called: {', '.join(aliases_of(declaration))}")
    lines.append(f"Source: {declaration.citation}")
    return "\n".join(lines)
