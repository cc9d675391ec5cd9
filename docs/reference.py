"""The reference pages, made from the source when the site is built: every public name, every command and option.

Docstrings have the sections of numpydoc, which is what reads them; options come from what the commands declare.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from html import escape
from types import FunctionType
from typing import Any

from numpydoc.docscrape import NumpyDocString, Parameter

import poolwise as pw
from poolwise.basics.settings import Lazy
from poolwise.cli.arguments import Option, Parser
from poolwise.cli.main import COMMANDS, parser_of
from poolwise.measures.measure import Measure

# Every public name but the measures, which have a page of their own, in the order a reader meets them.
SECTIONS = {
    "Read, score, estimate, plan": (
        "read",
        "Campaign",
        "Pool",
        "Judgments",
        "Scores",
        "Estimate",
        "Looks",
        "Plan",
        "merge",
        "judge",
        "JudgingServer",
        "audit",
        "Audit",
        "Holes",
        "HolePairs",
        "Settling",
        "report",
    ),
    "A number per item": ("estimate_items", "ItemEstimate", "ItemDifferences", "plan_items", "ItemPlan"),
    "Compare and agree": (
        "compare",
        "Comparison",
        "topic_groups",
        "TopicGroups",
        "discriminative_power",
        "DiscriminativePower",
        "decisions",
        "Decisions",
        "agreement",
        "Agreement",
        "rank_biased_overlap",
        "Overlap",
        "knee",
        "label_agreement",
        "LabelAgreement",
        "assessor_effect",
        "AssessorEffect",
        "model_effect",
        "ModelEffect",
    ),
    "How many topics": (
        "reliability",
        "Reliability",
        "topics_needed",
        "TopicsNeeded",
        "error_rates",
        "ErrorRates",
    ),
    "Measures": ("Measure", "parse", "measure", "define", "load_measures", "save_measures", "as_ir_measure"),
    "Gains and discounts of nDCG": ("optimal_discount", "optimal_gain", "optimal_both", "Optimum"),
    "More than memory holds": ("score_stream", "score_log", "Means", "Streamed"),
    "Simulated campaigns": ("simulate", "Simulated", "Shape"),
    "Errors and warnings": ("PoolwiseError", "InputError", "ArgumentError", "MissingDependency", "PoolwiseWarning"),
}
BOUND = ("judgments", "campaign")  # first parameters of functions that are methods, in place of `self`
INTRODUCTION = """# Python

The API: what users may import is what `poolwise` and `poolwise.study` export, and stands on this page;
`import poolwise as pw` gives all of it. Every other module is private: its path and its names may change in any
release.

Measures (`pw.nDCG(gain="exp") @ 10`) have [a page of their own](../measures.md), as have [errors](../errors.md).
Wherever a measure is asked for, its text (`"nDCG@10"`) serves as well.
"""


def python_page() -> str:
    """All public names."""
    parts = [INTRODUCTION]
    for title, names in SECTIONS.items():
        parts += [f"## {title}", *(entry(f"poolwise.{name}", getattr(pw, name)) for name in names)]
    parts += ["## Studies", _prose(pw.study.__doc__ or ""), entry("poolwise.Study", pw.Study)]
    parts += [entry(f"poolwise.study.{name}", getattr(pw.study, name)) for name in pw.study.__all__]
    return "\n\n".join(parts) + "\n"


def commands_page() -> str:
    """All commands with all options."""
    rows = [f"| [`poolwise {name}`](#poolwise-{name}) | {summary} |" for name, summary in COMMANDS.items()]
    head = [
        "# Commands",
        "`poolwise COMMAND --help` says the same on a terminal.",
        "\n".join(["| | |", "|---|---|", *rows]),
    ]
    return "\n\n".join([*head, *(_command(parser_of(name)) for name in COMMANDS)]) + "\n"


def entry(path: str, thing: Any) -> str:
    """One public name: its signature and all that its docstring says."""
    if isinstance(thing, type):
        return "\n\n".join(_class(path, thing))
    return "\n\n".join([f"### {path}", _signature(path, thing), *_sections(_docstring(thing))])


def public_methods(thing: type) -> Iterator[tuple[str, Any]]:
    """Methods and properties of a class that users may call, those of our own base classes included."""
    for name in dir(thing):
        if isinstance(inspect.getattr_static(thing, name), Lazy):
            getattr(thing, name)  # puts the function in its place
        found = inspect.getattr_static(thing, name)
        home = getattr(getattr(found, "fget", None) or getattr(found, "__func__", found), "__module__", "") or ""
        if not name.startswith("_") and home.startswith("poolwise") and not isinstance(found, type):
            yield name, found


def _class(path: str, thing: type) -> Iterator[str]:
    yield f"### {path}"
    if not issubclass(thing, (Exception, Measure)) and "Parameters" in (thing.__doc__ or ""):
        yield _signature(path, thing)
    yield from _sections(_docstring(thing))
    name = path.rpartition(".")[2]
    for method, found in public_methods(thing):
        yield f"#### {name}.{method}"
        function = getattr(found, "fget", None) or getattr(found, "__func__", found)
        if isinstance(function, FunctionType) and not isinstance(found, property):
            yield _signature(f"{name}.{method}", function)
        yield from _sections(_docstring(function))


class _Written(str):
    """A type as the source has it; of a plain text a signature would show the quotes."""

    def __repr__(self) -> str:
        return str(self)


def _signature(path: str, thing: Any) -> str:
    """A call as one writes it; a line per parameter if they are many."""
    signature = inspect.signature(thing)
    parameters = [
        each.replace(annotation=_Written(each.annotation)) if isinstance(each.annotation, str) else each
        for number, each in enumerate(signature.parameters.values())
        if each.name not in ("self", "cls") and not (number == 0 and each.name in BOUND)
    ]
    returns = (
        ""
        if signature.return_annotation in (inspect.Signature.empty, "None", None)
        else f" -> {signature.return_annotation}"
    )
    call = str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    if len(path) + len(call) + len(returns) > 88 and parameters:
        lines = _spread(parameters)
        call = "(\n" + "".join(f"    {line},\n" for line in lines) + ")"
    return f"```python\n{path}{call}{returns}\n```".replace("'", '"')


def _spread(parameters: list[inspect.Parameter]) -> Iterator[str]:
    """Parameters one by one, with the star before those that have names only."""
    starred = False
    for each in parameters:
        starred = starred or each.kind is inspect.Parameter.VAR_POSITIONAL
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield str(each)


def _docstring(thing: Any) -> NumpyDocString:
    return NumpyDocString(inspect.getdoc(thing) or "")


def _sections(document: NumpyDocString) -> Iterator[str]:
    """What a docstring says, section by section."""
    for lines in (document["Summary"], document["Extended Summary"]):
        if lines:
            yield _prose("\n".join(lines))
    for title in ("Parameters", "Attributes"):
        if document[title]:
            yield f"**{title}**\n\n" + "\n".join(_item(each) for each in document[title])
    for title in ("Returns", "Yields", "Raises", "Warns"):
        if document[title]:
            yield f"**{title}**\n\n" + "\n".join(_item(each) for each in document[title])
    for title in ("Notes", "References", "Examples"):
        if document[title]:
            yield f"**{title}**\n\n" + _prose("\n".join(document[title]))


def _item(parameter: Parameter) -> str:
    name = f"`{parameter.name}`" if parameter.name else ""
    kind = f"*{parameter.type}*" if parameter.type else ""
    head = ": ".join(part for part in (name, kind) if part)
    text = " ".join(line.strip() for line in parameter.desc)
    return f"- {head}. {text}" if text else f"- {head}"


def _prose(text: str) -> str:
    """Prose with its examples as blocks of code, and links where it names pages of the documentation."""
    return re.sub(
        r"(?ms)^>>> .*?(?=\n\n(?!>>>)|\Z)",
        lambda match: f"\n```pycon\n{match[0].rstrip()}\n```\n",
        re.sub(r"\bdocs/(\S+\.md)\b", r"[docs/\1](../\1)", inspect.cleandoc(text)),
    )


def _command(parser: Parser) -> str:
    parts = [f"## poolwise {parser.name}", parser.description, f"```sh\n{parser.usage()}\n```"]
    for title, options in (("argument", parser.positional()), ("option", parser.optional())):
        if options:
            parts.append("\n".join([f"| {title} | meaning |", "|---|---|", *map(_option_row, options)]))
    return "\n\n".join([*parts, f"For example: `{parser.example}`"])


def _option_row(option: Option) -> str:
    usage = escape(option.usage()).replace("|", "&#124;").replace(",", ",<wbr>")  # phones are narrow
    return f"| <code>{usage}</code> | {option.help.replace('|', chr(92) + '|')} |"
