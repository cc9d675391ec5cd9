"""The checked-in types of the core name what the core has: constants, functions, methods and their parameters."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import poolwise
from poolwise import _core

STUB = ast.parse((Path(poolwise.__file__).parent / "_core.pyi").read_text("utf-8"))
PICKLING = ("__getstate__", "__setstate__")
SHAPED = ("_Table", "_Cube")  # names that the stub alone has, for views that have more than one dimension


def stubbed(body: list[ast.stmt]) -> dict[str, list[str] | None]:
    """Names of a module or class; functions with their parameters."""
    found: dict[str, list[str] | None] = {}
    for one in body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            found[one.target.id] = None
        elif isinstance(one, ast.ClassDef) and one.name not in SHAPED:
            found[one.name] = None
        elif isinstance(one, ast.FunctionDef):
            own = any(isinstance(mark, ast.Name) and mark.id == "property" for mark in one.decorator_list)
            found[one.name] = None if own else [parameter.arg for parameter in one.args.args]
    return found


def bound(holder: Any) -> dict[str, list[str] | None]:
    """The same of what is bound."""
    found: dict[str, list[str] | None] = {}
    for name, value in vars(holder).items():
        if hasattr(value, "__nb_signature__"):
            found[name] = parameters(value.__nb_signature__[0][0])
        elif not name.startswith("__"):
            found[name] = None
    return found


def parameters(signature: str) -> list[str]:
    """Names in `def f(self, a: list[int], b: object = 1)`, whatever the types look like."""
    inside, depth, parts = signature[signature.index("(") + 1 : signature.rindex(") ->")], 0, [""]
    for letter in inside:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [re.split(r"[:=]", part)[0].strip() for part in parts if part.strip() not in ("", "/", "*")]


def test_module() -> None:
    assert stubbed(STUB.body) == bound(_core)
    assert parameters("def f(self, a: dict[str, int], b: tuple[int, ...] = (1, 2)) -> None") == ["self", "a", "b"]


def test_classes() -> None:
    classes = {one.name: one for one in STUB.body if isinstance(one, ast.ClassDef) and one.name not in SHAPED}
    assert set(classes) == {"KernelSpec", "Builder", "Pool"}
    for name, one in classes.items():
        found = {member: what for member, what in bound(getattr(_core, name)).items() if member not in PICKLING}
        assert {member: what for member, what in stubbed(one.body).items() if member not in PICKLING} == found


def views(holder: Any) -> dict[str, list[str]]:
    """The views that functions return, in the stub's words."""
    found = {}
    for name, value in vars(holder).items():
        if hasattr(value, "__nb_signature__"):
            returned = value.__nb_signature__[0][0].rpartition(" -> ")[2]
            parts = re.findall(r"memoryview\[dtype=(\w+?)\d+, shape=\(([^)]*)\)", returned)
            assert len(parts) == returned.count("memoryview")  # each has a format and a number of dimensions
            found[name] = [
                f"{['', 'memoryview', '_Table', '_Cube'][min(shape.count('*'), 3)]}[{kind.removeprefix('u')}]"
                for kind, shape in parts
            ]
    return found


def test_views_are_typed() -> None:
    classes = {one.name: one.body for one in STUB.body if isinstance(one, ast.ClassDef)}
    for holder, body in ((_core, STUB.body), (_core.Pool, classes["Pool"]), (_core.Builder, classes["Builder"])):
        functions = {one.name: ast.unparse(one.returns or one) for one in body if isinstance(one, ast.FunctionDef)}
        for name, kinds in views(holder).items():
            written = re.findall(r"(?:memoryview|_Table|_Cube)(?:\[\w+\])?", functions[name])
            assert [kind if "[" in kind else f"{kind}[int]" for kind in written] == kinds, name
