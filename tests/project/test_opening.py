"""Only `reading` opens what users give, so that every file may be compressed, piped or a table, and errors name it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "poolwise"
CALLS = {"open", "fdopen", "read_text", "read_bytes", "load", "loadtxt", "genfromtxt", "read_csv", "read_parquet"}
OF_FILES = {"numpy", "np", "os", "io", "gzip", "pandas", "polars"}  # whose functions of such names open files
# What is no file of users, or is asked for at any place of it.
ALLOWED = {
    "judging": "the judging server keeps a store of its own, and looks up single documents inside large files",
    "cli/main.py": "standard output that was closed is opened on the null device",
    "basics/workers.py": "workers read what their own parent wrote",
    "basics/writing.py": "files are written here, whole or not at all",
    "show/page.py": "a page's style and script are files of the package",
    "lab/study/conduct.py": "studies go on from units that they wrote",
}


def opening_calls(source: str) -> list[str]:
    """Calls that open files: `open(...)`, methods of paths, and what libraries offer."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    found = [call.func.id for call in calls if isinstance(call.func, ast.Name) and call.func.id == "open"]
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in CALLS:
            of = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
            if call.func.attr.startswith("read_") or call.func.attr == "open" or of in OF_FILES:
                found.append(ast.unparse(call.func))
    return found


def modules_that_open() -> dict[str, list[str]]:
    """The calls of each module outside `reading`."""
    modules = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    calls = {name: opening_calls(path.read_text("utf-8")) for name, path in modules.items()}
    return {name: found for name, found in calls.items() if found and not name.startswith("reading/")}


def exception(name: str) -> str | None:
    """The exception that covers a module, if one does."""
    return next((place for place in ALLOWED if name == place or name.startswith(f"{place}/")), None)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("open('a')", ["open"]),
        ("path.open('rb')", ["path.open"]),
        ("Path(x).read_text()", ["Path(x).read_text"]),
        ("np.load(x)", ["np.load"]),
        ("json.load(file)", []),
        ("open_file(x)", []),
    ],
)
def test_what_opens_is_seen(source: str, found: list[str]) -> None:
    assert opening_calls(source) == found


def test_only_read_opens_files_and_every_exception_is_needed() -> None:
    opening = modules_that_open()
    assert {name: calls for name, calls in opening.items() if exception(name) is None} == {}
    assert {exception(name) for name in opening} - {None} == set(ALLOWED)
