"""Every option that a command declares is read by it: by code that its `run` can reach within `poolwise.cli`."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from types import ModuleType

import pytest

from poolwise.cli.arguments import Option
from poolwise.cli.main import COMMANDS, parser_of

HELD = ("arguments", "self.arguments")  # what parsed options are called
READ_OVER = "read over"  # begins the help of an option that is there for another tool's sake and does nothing


@cache
def definitions(module: ModuleType) -> dict[str, ast.AST]:
    """What a module defines at its top level, by name."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
    return found


@cache
def imported(module: ModuleType) -> dict[str, tuple[ModuleType, str]]:
    """Names that a module takes from others of the command line, wherever it does, and where they are defined."""
    return {
        alias.asname or alias.name: (import_module(node.module), alias.name)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("poolwise.cli.")
        for alias in node.names
    }


def names_used(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def texts(node: ast.AST) -> set[str]:
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def read_here(node: ast.AST, own: dict[str, ast.AST]) -> set[str]:
    """Options that some code reads: `arguments.name`, or `getattr(arguments, name)` by texts it holds or refers to.

    Texts that an `if` goes through only to refuse them are no reading.
    """
    tested = {id(part) for each in ast.walk(node) if isinstance(each, ast.If) for part in ast.walk(each.test)}
    found: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Load) and ast.unparse(each.value) in HELD:
            found.add(each.attr)
        if not (isinstance(each, ast.Call) and ast.unparse(each).startswith("getattr(arguments, ")):
            continue
        if isinstance(each.args[1], ast.Constant):
            found.add(each.args[1].value)
        elif id(each) not in tested:
            found |= texts(node)
            for name in names_used(node) & own.keys():
                found |= texts(own[name]) if isinstance(own[name], ast.Assign) else set()
    return found


def names_read(module: ModuleType, start: str = "run") -> set[str]:
    """Options that a function of a module reads, itself or by what it calls."""
    left, seen, found = [(module, start)], set(), set()
    while left:
        home, name = left.pop()
        own = definitions(home)
        if (home, name) in seen or name not in own:
            continue
        seen.add((home, name))
        found |= read_here(own[name], own)
        used, others = names_used(own[name]), imported(home)
        left += [(home, other) for other in used & own.keys()] + [others[other] for other in used & others.keys()]
    return found


def unread(command: str, options: list[Option]) -> list[str]:
    read = names_read(import_module(f"poolwise.cli.{command}"))
    return [option.name for option in options if option.name not in read and not option.help.startswith(READ_OVER)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_read_by_it(command):
    options = parser_of(command).options
    assert options
    assert unread(command, options) == []


@pytest.mark.parametrize("flag", ["--of-nobody", "--budget", "--text"])
def test_an_option_that_is_read_nowhere_or_by_other_commands_only_is_found(flag):
    options = [*parser_of("score").options, Option(flag)]
    assert unread("score", options) == [options[-1].name]
