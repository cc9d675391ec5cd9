"""Docstrings of public names say what each parameter means, in the sections of numpydoc."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString

import poolwise as pw

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    from choices import DECLARED, with_choices
    from reference import BOUND, public_methods
finally:
    sys.path.pop(0)


def functions() -> Iterator[tuple[str, Any]]:
    """Every public function, and every method and property of a public class."""
    for name in pw.__all__:
        thing = getattr(pw, name)
        if isinstance(thing, FunctionType):
            yield name, thing
        elif isinstance(thing, type):
            for method, found in public_methods(thing):
                yield f"{name}.{method}", getattr(found, "fget", None) or getattr(found, "__func__", found)
    for name in pw.study.__all__:
        yield f"study.{name}", getattr(pw.study, name)


FUNCTIONS = dict(functions())
CALLED = {name: function for name, function in FUNCTIONS.items() if isinstance(function, FunctionType)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_has_a_docstring(name):
    text = inspect.getdoc(FUNCTIONS[name])
    assert text
    assert text.split("\n")[0].endswith((".", ":")), "the first line is a sentence"
    if name in CALLED:
        assert_parameters_are_documented(inspect.signature(CALLED[name]), NumpyDocString(text))
        assert_choices_are_those_of_the_types(inspect.signature(CALLED[name]), choices(name))


def assert_parameters_are_documented(signature: inspect.Signature, document: NumpyDocString) -> None:
    wanted = [
        {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "") + each.name
        for number, each in enumerate(signature.parameters.values())
        if each.name not in ("self", "cls") and not (number == 0 and each.name in BOUND)
    ]
    assert [name for each in document["Parameters"] for name in each.name.split(", ")] == wanted
    assert all(each.desc for each in document["Parameters"])


def assert_choices_are_those_of_the_types(signature: inspect.Signature, listed: dict[str, list[str]]) -> None:
    for parameter in signature.parameters.values():
        typed = re.search(r"Literal\[(.+?)\]", str(parameter.annotation))
        if typed:
            assert listed[parameter.name] == re.findall(r"['\"]([^'\"]+)['\"]", typed[1])


@pytest.mark.parametrize("name", [name for name in CALLED if "." not in name or name.startswith("study.")])
def test_functions_say_what_they_return_and_show_it(name):
    document = NumpyDocString(inspect.getdoc(CALLED[name]) or "")
    if inspect.signature(CALLED[name]).return_annotation not in (None, "None"):
        assert document["Returns"]
    assert any(">>>" in line for line in document["Examples"])


@pytest.mark.parametrize("name", [name for name in pw.__all__ if isinstance(getattr(pw, name), type)])
def test_public_classes_have_a_docstring_of_their_own(name):
    thing = getattr(pw, name)
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}("), "that is what dataclass writes"


def choices(name: str) -> dict[str, list[str]]:
    """What a docstring says a parameter may be, where choices are few: {"one", "other"}."""
    document = NumpyDocString(inspect.getdoc(CALLED[name]) or "")
    return {
        each.name: re.findall(r'"([^"]+)"', each.type) for each in document["Parameters"] if each.type.startswith("{")
    }


@pytest.mark.parametrize(("name", "parameter"), DECLARED)
def test_choices_are_those_declared(name, parameter):
    assert sorted(choices(name)[parameter]) == sorted(DECLARED[name, parameter]), "run: python docs/generate.py"


def test_declared_choices_are_written_into_the_docstring_of_one_function():
    text = 'def a():\n    """    way : {"x", "y"}"""\n\n\ndef b():\n    """\n    way : {"y", "x"}, optional\n    """\n'
    assert with_choices(text, "b", "way", ("x", "y")) == text
    changed = text.replace('{"y", "x"}', '{"x", "z", "y"}')
    assert with_choices(text, "b", "way", ("x", "z", "y")) == changed
    with pytest.raises(ValueError, match="b has no line 'ties"):
        with_choices(text, "b", "ties", ("x",))
