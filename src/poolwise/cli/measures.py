"""`poolwise measures`."""

from __future__ import annotations

from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.cli.arguments import Namespace, Parser

EXAMPLE = "poolwise measures nDCG"


def add_arguments(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("name", metavar="MEASURE", nargs="?", help="a measure to show in full")
    parser.add_argument("--plugin", action="append", metavar="MODULE:NAME", default=[], help="a measure of your own")


def run(arguments: Namespace) -> int:
    """Print all measures by how they treat unjudged documents, or one in full."""
    from poolwise.measures.measure_text import measure_text
    from poolwise.measures.registry import parse

    for plugin in arguments.plugin:
        load_plugin(plugin)
    print(measure_text(parse(arguments.name).declaration) if arguments.name else overview())
    return 0


def overview() -> str:
    """All measures in groups."""
    from poolwise.measures.measure import UNJUDGED
    from poolwise.measures.measure_text import label_kind, pattern
    from poolwise.measures.registry import measures

    parts = []
    for rule in UNJUDGED:
        group = [declaration for declaration in measures() if declaration.unjudged == rule]
        if group:
            parts.append(f"Unjudged documents {rule}:")
            parts += [f"  {pattern(each):<18}{label_kind(each):<18}{each.summary}" for each in group]
            parts.append("")
    parts.append(
        "A prime condenses the list: AP', nDCG'@10 (in a shell also cond:nDCG@10) leave unjudged documents out."
    )
    parts.append(
        "Labels are relevant or not (binary), from `rel` on, or the more the better (graded); negative: those below 0 "
        "may lower a score, if asked for."
    )
    parts.append("`poolwise measures NAME` shows one in full.")
    return "\n".join(parts)


def load_plugin(text: str) -> None:
    """Import `module:name`, which declares a measure."""
    import os
    import sys
    from importlib import import_module

    from poolwise.measures.measure import Measure

    module_name, _, name = text.partition(":")
    if not name:
        raise ArgumentError(f"--plugin {text}: name the measure as well as its module, as in {text}:Mine")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        plugin = getattr(import_module(module_name), name, None)
    except ImportError as error:
        raise ArgumentError(
            f"--plugin {text}: {error}; name a module that can be imported, as in mine:measure"
        ) from error
    if not isinstance(plugin, Measure):
        raise ArgumentError(f"--plugin {text}: {name!r} is not a measure; decorate a function with @poolwise.measure()")
