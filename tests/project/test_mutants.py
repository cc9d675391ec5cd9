"""The faults that `make mutants` puts in can be put in, and are faults."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATCHES = sorted((ROOT / "tests" / "mutants").glob("*.patch"))
sys.path.insert(0, str(ROOT / "tests" / "mutants"))
try:
    import run as tool
    from python_mutants import mutants
finally:
    sys.path.pop(0)

SOURCE = '''
"""A module."""
import math
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
LEVEL = 1

def larger(a: "int | None", b: int = 2) -> bool:
    """Whether a is larger."""
    if not a:
        raise ValueError(f"{a + 1} is nothing")
    print(a)
    return a > b and max(a, b) == a
'''


def test_every_fault_differs_from_the_source_and_from_the_others():
    source = ast.unparse(ast.parse(SOURCE))
    made = [ast.unparse(mutant.tree) for mutant in mutants(SOURCE)]
    assert source not in made
    assert len(set(made)) == len(made)
    for text in made:
        compile(text, "mutant", "exec")


def test_faults_are_where_code_runs_and_nowhere_else():
    changes = {mutant.change for mutant in mutants(SOURCE)}
    assert changes == {
        "1  ->  2",
        "if not a: raise ValueError(f'{a + 1} is nothing')  ->  if not not a: raise ValueError(f'{a + 1} is nothing')",
        "not a  ->  a",
        "print(a)  ->  pass",
        "return a > b and max(a, b) == a  ->  return None",
        "a > b and max(a, b) == a  ->  a > b or max(a, b) == a",
        "a > b  ->  a >= b",
        "max(a, b) == a  ->  max(a, b) != a",
        "max(a, b)  ->  min(a, b)",
    }
    assert [mutant.line for mutant in mutants(SOURCE)] == sorted(mutant.line for mutant in mutants(SOURCE))


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
@pytest.mark.skipif(shutil.which("patch") is None, reason="no patch")
def test_patches_of_the_core_apply_and_name_their_tests(patch):
    tried = subprocess.run(
        ["patch", "-p1", "--dry-run", "-d", str(ROOT), "-i", str(patch)], capture_output=True, text=True
    )
    assert tried.returncode == 0, tried.stdout + tried.stderr
    named = re.search(r"^Tests: (.+)$", patch.read_text("utf-8"), re.MULTILINE)
    assert all((ROOT / path).exists() for path in named[1].split())


def test_there_are_patches():
    assert len(PATCHES) >= 14


@pytest.mark.parametrize(
    ("module", "tests"),
    [
        ("pool/coverage", ["unit/estimates/test_outside.py", "unit/pool/test_narrowing.py"]),
        ("plans/plan_strata", ["unit/plans/test_worth.py"]),
        ("cli/score", ["cli/test_score.py"]),
        ("errors", ["unit/comparisons/test_sampled.py"]),
        ("basics/workers", ["unit/test_executors.py"]),
    ],
)
def test_tests_of_a_module_are_found_wherever_they_stand(module, tests):
    found = tool.tests_of(module)
    assert {str(ROOT / "tests" / path) for path in tests} <= set(found)
    assert found[-1] == str(tool.SOURCE / f"{module}.py")
    assert len(set(found)) == len(found)


def test_every_module_has_tests():
    modules = [str(path.relative_to(tool.SOURCE).with_suffix("")) for path in tool.SOURCE.rglob("[a-z]*.py")]
    assert len(modules) > 200
    assert [module for module in modules if len(tool.tests_of(module)) < 2] == []


@pytest.mark.parametrize(
    ("outputs", "without_fault", "found"),
    [("score.csv:1", 0, "tests/golden"), ("", 0, "tests/unit/test_a.py::test_b[c d]"), ("", 1, "")],
)
def test_what_a_modules_own_tests_miss_is_tried_on_a_copy_of_the_package(monkeypatch, outputs, without_fault, found):
    mutant = next(iter(mutants((tool.SOURCE / "basics" / "words.py").read_text("utf-8"))))

    def python(path, *words):
        if not path:
            assert words[-1] == "tests/unit/test_a.py::test_b[c d]"
            return subprocess.CompletedProcess(words, without_fault, "")
        assert Path(path, "poolwise", "basics", "words.py").read_text("utf-8") == ast.unparse(mutant.tree)
        assert Path(path, "poolwise", "__init__.py").exists()
        failures = "FAILED tests/unit/test_a.py::test_b[c d] - assert 1 == 2\n"
        return (
            subprocess.CompletedProcess(words, 0, outputs)
            if len(words) == 1
            else subprocess.CompletedProcess(words, 1, failures)
        )

    monkeypatch.setattr(tool, "_python", python)
    assert tool._noticed_elsewhere(mutant, "basics/words") == found
