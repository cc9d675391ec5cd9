"""Every error that poolwise can raise is provoked, and docs/errors.md has its exact message, cause and cure."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from poolwise.errors import PoolwiseError

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    import errors as cases
finally:
    sys.path.pop(0)

SOURCE = Path(cases.pw.__file__).parent
CLASSES = {"InputError", "ArgumentError", "MissingDependency", "NotGrouped"}
# Errors that no input can lead to here, and why.
UNREACHED = {
    "basics/dask_workers.py": "Dask workers that lack poolwise, or have another version; a scheduler that is gone",
    "pool/joined_parts.py": "a fault the core does not know of in parts",
    "reading/opening.py": "standard input is closed",
    "reading/sources.py": "a folder may not be listed; tests may run as a user who may do all",
    "reading/tables.py": "a fault the core does not know of in tables; a frame that its own library cannot read",
    "cli/arguments.py": "no command has an argument of one or more words",
    "scores/scoring.py": "judgments whose labels changed behind our back",
    "show/page.py": "no browser is installed",
    "lab/weights/labels.py": "arrays that are not of one pool",
    "comparisons/pairs.py": "one run only, which is an error before",
}


def places_of_errors() -> set[tuple[str, int]]:
    """File and line of every place in the source where an error is made."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CLASSES:
                found.add((path.relative_to(SOURCE).as_posix(), node.lineno))
    return found


@pytest.fixture(scope="module")
def provoked():
    """The page, and the places where errors were made while it was written."""
    places: set[tuple[str, int]] = set()

    class Watched(PoolwiseError):
        def __init__(self, *arguments):
            frame = sys._getframe(1)
            if Path(frame.f_code.co_filename).is_relative_to(SOURCE):
                places.add((Path(frame.f_code.co_filename).relative_to(SOURCE).as_posix(), frame.f_lineno))
            super(PoolwiseError, self).__init__(*arguments)

    before = PoolwiseError.__init__
    PoolwiseError.__init__ = Watched.__init__
    try:
        return cases.errors_page(), places
    finally:
        PoolwiseError.__init__ = before


@pytest.mark.filterwarnings("ignore")
def test_the_page_has_every_message(provoked):
    page, _ = provoked
    assert (ROOT / "docs" / "errors.md").read_text("utf-8") == page, "run: python docs/generate.py"


@pytest.mark.filterwarnings("ignore")
def test_every_error_is_provoked(provoked):
    missing = places_of_errors() - provoked[1]
    assert {place for place in missing if place[0] not in UNREACHED} == set()
    assert len([place for place in missing if place[0] in UNREACHED]) <= 18


def test_every_case_has_words():
    assert all(case.words.endswith(".") for section in cases.SECTIONS.values() for case in section)
