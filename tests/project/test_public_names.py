"""What users may import: a name that comes or goes must be written here, knowingly."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import poolwise as pw

NAMES = sorted(
    [
        # functions
        "__version__",
        "agreement",
        "as_ir_measure",
        "audit",
        "compare",
        "decisions",
        "define",
        "discriminative_power",
        "error_rates",
        "knee",
        "load_measures",
        "measure",
        "optimal_both",
        "optimal_discount",
        "optimal_gain",
        "parse",
        "rank_biased_overlap",
        "read",
        "reliability",
        "save_measures",
        "score_log",
        "score_stream",
        "simulate",
        "study",
        "topics_needed",
        # classes, most of them of results
        "Agreement",
        "Audit",
        "Campaign",
        "Comparison",
        "Decisions",
        "DiscriminativePower",
        "ErrorRates",
        "Estimate",
        "Judgments",
        "Means",
        "Measure",
        "Optimum",
        "Overlap",
        "Plan",
        "Pool",
        "Reliability",
        "Scores",
        "Shape",
        "Simulated",
        "Streamed",
        "Study",
        "TopicsNeeded",
        # errors
        "ArgumentError",
        "InputError",
        "MissingDependency",
        "PoolwiseError",
        "PoolwiseWarning",
        # measures
        "AP",
        "ERR",
        "Judged",
        "NumQ",
        "NumRel",
        "NumRelRet",
        "NumRet",
        "P",
        "Q",
        "R",
        "RBP",
        "RBPres",
        "RR",
        "Rprec",
        "Success",
        "bpref",
        "bpref10",
        "bpref_N",
        "bpref_R",
        "bpref_old",
        "bpref_relative",
        "iP",
        "infAP",
        "infNDCG",
        "nDCG",
        "rpref_N",
        "rpref_relative",
        "rpref_relative2",
        "xinfAP",
    ]
)
STUDIES = [
    "decisions",
    "discrimination",
    "estimation",
    "gain_discount",
    "negative",
    "reliability",
    "reusability",
    "robustness",
]


def test_the_public_names_are_these():
    assert sorted(pw.__all__) == NAMES
    assert sorted(pw.study.__all__) == STUDIES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_can_be_imported_and_is_listed(name):
    assert getattr(pw, name) is not None
    assert name in dir(pw)


def test_editors_see_the_same_names():
    """Type checkers read the imports under TYPE_CHECKING; a name loaded on use must stand there too."""
    tree = ast.parse(Path(pw.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.asname or alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted([*imported, "__version__"]) == NAMES
    assert {name: home for name, home in imported.items() if name != "study"} == pw._HOME_OF


def test_what_functions_return_is_public():
    """A class that users are handed can be named in their annotations."""
    for name in NAMES:
        thing = getattr(pw, name)
        if inspect.isfunction(thing):
            returned = str(inspect.signature(thing).return_annotation).partition("[")[0].partition(" |")[0]
            known = {*NAMES, "None", "Any", "int", "float", "str", "Callable", "NDArray", "list", "dict", "tuple"}
            assert returned.rpartition(".")[2] in known, f"{name} -> {returned}"


def test_importing_the_package_loads_none_of_its_modules():
    script = "import poolwise, sys; print([name for name in sys.modules if name.startswith('poolwise.')])"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
