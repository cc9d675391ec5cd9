"""What users may import: a name that comes or goes must be written here, knowingly."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import poolwise as pw
from poolwise.measures.registry import declared_names

NAMES = sorted(
    [
        # functions
        "__version__",
        "agreement",
        "as_ir_measure",
        "assessor_effect",
        "audit",
        "compare",
        "decisions",
        "define",
        "discriminative_power",
        "error_rates",
        "estimate_items",
        "judge",
        "knee",
        "label_agreement",
        "load_measures",
        "measure",
        "merge",
        "model_effect",
        "optimal_both",
        "optimal_discount",
        "optimal_gain",
        "parse",
        "plan_items",
        "rank_biased_overlap",
        "read",
        "reliability",
        "report",
        "save_measures",
        "score_log",
        "score_stream",
        "simulate",
        "study",
        "topic_groups",
        "topics_needed",
        # classes, most of them of results
        "Agreement",
        "AssessorEffect",
        "Audit",
        "Campaign",
        "Comparison",
        "Decisions",
        "DiscriminativePower",
        "ErrorRates",
        "Estimate",
        "Looks",
        "ItemDifferences",
        "ItemEstimate",
        "ItemPlan",
        "HolePairs",
        "Holes",
        "JudgingServer",
        "Judgments",
        "LabelAgreement",
        "Means",
        "Measure",
        "ModelEffect",
        "Optimum",
        "Overlap",
        "Plan",
        "Pool",
        "Reliability",
        "Scores",
        "Settling",
        "Shape",
        "Simulated",
        "Streamed",
        "Study",
        "TopicGroups",
        "TopicsNeeded",
        # errors
        "ArgumentError",
        "InputError",
        "MissingDependency",
        "PoolwiseError",
        "PoolwiseWarning",
        # measures come and go with their declarations
        *declared_names(),
    ]
)
STUDIES = [
    "assessors",
    "decisions",
    "discrimination",
    "estimation",
    "gain_discount",
    "negative",
    "on_topics",
    "reliability",
    "reusability",
    "robustness",
    "settings_as",
]


def test_the_public_names_are_these():
    assert sorted(pw.__all__) == NAMES
    assert sorted(pw.study.__all__) == STUDIES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_can_be_imported_and_is_listed(name):
    assert getattr(pw, name) is not None
    assert name in dir(pw)


def test_editors_see_the_same_names():
    """Type checkers read the stub; a name loaded on use must stand there too."""
    tree = ast.parse(Path(pw.__file__).with_suffix(".pyi").read_text("utf-8"))
    imported = {
        alias.asname: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    declared = {node.target.id: ast.unparse(node.annotation) for node in tree.body if isinstance(node, ast.AnnAssign)}
    assert {name for name, kind in declared.items() if kind == "Measure"} == set(declared_names())
    assert sorted([*imported, *declared]) == sorted([*NAMES, "__all__"])
    assert {name: home for name, home in imported.items() if name != "study"} == pw._HOME_OF


def test_measures_are_loaded_by_name_and_others_are_refused():
    for name in declared_names():
        assert getattr(pw, name) == pw.parse(name)
        assert getattr(pw, name) is getattr(pw, name)
    for name in ("frobnicate", "map", "__wrapped__"):
        assert not hasattr(pw, name)

    @pw.measure("NotExported")
    def not_exported(labels):
        """Nothing of use."""
        return 0.0

    assert "NotExported" not in pw.__all__
    assert not hasattr(pw, "NotExported")


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


def test_dir_shows_nothing_but_what_is_public():
    assert {name for name in dir(pw) if not name.startswith("__")} == {*pw.__all__} - {"__version__"}
    assert {name for name in dir(pw.study) if not name.startswith("__")} == {*pw.study.__all__}


@pytest.mark.parametrize("verb", ["score", "estimate", "holes", "plan"])
def test_verbs_of_what_is_read_say_where_they_are(verb):
    """`pw.score(...)` is the first call that users try."""
    with pytest.raises(AttributeError, match=rf"no attribute '{verb}'; it is a verb of what is read: pw.read\("):
        getattr(pw, verb)
    assert hasattr(pw.Campaign, verb)


def test_nicknames_of_measures_are_told_how_to_be_written():
    with pytest.raises(AttributeError, match=r"the measure RR is written 'mrr' in quotes, or poolwise.parse\('mrr'\)$"):
        pw.mrr  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_of_ours'$"):
        pw.nothing_of_ours  # noqa: B018
