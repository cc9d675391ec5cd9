"""Choices of parameters in docstrings, such as {"zero", "skip"}, which follow from what the source declares."""

from __future__ import annotations

import inspect
import re
from functools import reduce
from pathlib import Path

import poolwise as pw
from poolwise.comparisons.significance_tests import CORRECTIONS, TESTS
from poolwise.estimates.unpooled import MODES
from poolwise.measures.parameters import NEGATIVE
from poolwise.plans.plan_request import PLAN_DESIGNS
from poolwise.sampling.designs import DESIGNS
from poolwise.scores.score_rows import INTERVAL_KINDS
from poolwise.scores.scoring import MISSING
from poolwise.trust.generalizability import MISSING as OF_HOLES
from poolwise.trust.rank_correlation import TIES

SOURCE = Path(__file__).parent.parent / "src"
# Public function and parameter -> the declared choices.
DECLARED = {
    ("compare", "test"): tuple(TESTS),
    ("compare", "correction"): tuple(CORRECTIONS),
    ("Campaign.score", "missing"): tuple(MISSING),
    ("Campaign.score", "interval"): tuple(INTERVAL_KINDS),
    ("Campaign.plan", "design"): tuple(PLAN_DESIGNS),
    ("Campaign.estimate", "outside"): tuple(MODES),
    ("Judgments.sample", "design"): tuple(DESIGNS),
    ("Judgments.samples", "design"): tuple(DESIGNS),
    ("agreement", "ties"): tuple(TIES),
    ("rank_biased_overlap", "ties"): tuple(TIES),
    ("reliability", "missing"): tuple(OF_HOLES),
    ("optimal_both", "negative"): tuple(NEGATIVE),
    ("optimal_discount", "negative"): tuple(NEGATIVE),
    ("optimal_gain", "negative"): tuple(NEGATIVE),
}


def with_choices(text: str, function: str, parameter: str, declared: tuple[str, ...]) -> str:
    """Source text in which a function's docstring lists the declared choices; the same ones may stand in any order."""
    head, definition, body = text.partition(f"def {function}(")
    line = re.compile(rf"^( *{parameter} : ){{([^}}\n]*)}}", re.MULTILINE)
    listed = line.search(body)
    if listed is None:
        raise ValueError(f"{function} has no line '{parameter} : {{...}}' in its docstring; write one")
    if sorted(re.findall(r'"([^"]+)"', listed[2])) == sorted(declared):
        return text
    quoted = ", ".join(f'"{choice}"' for choice in declared)
    return head + definition + line.sub(lambda found: f"{found[1]}{{{quoted}}}", body, count=1)


def write_choices() -> None:
    """Write the declared choices into the docstrings of the source, which may not be the installed package."""
    for (name, parameter), declared in DECLARED.items():
        function = reduce(getattr, name.split("."), pw)
        path = SOURCE / f"{inspect.unwrap(function).__module__.replace('.', '/')}.py"
        path.write_text(with_choices(path.read_text("utf-8"), function.__name__, parameter, declared), "utf-8")
