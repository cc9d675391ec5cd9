"""Small faults put into a module, one at a time, as syntax trees."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

# What each operator is exchanged for: near enough to be a slip, far enough to matter.
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And, ast.USub: ast.UAdd, ast.Break: ast.Continue,
}  # fmt: skip
CALLS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "sum": "len",
    "maximum": "minimum",
    "minimum": "maximum",
}


class Mutant(NamedTuple):
    """A module with one fault."""

    line: int
    change: str
    tree: ast.Module


def mutants(source: str) -> Iterator[Mutant]:
    """Every fault that can be put into a module; what only type checkers, readers or users' eyes see is left alone."""
    tree = ast.parse(source)
    for number, node in enumerate(_nodes(tree)):
        for variant in _faults(node):
            changed = copy.deepcopy(tree)
            place = next(each for index, each in enumerate(_nodes(changed)) if index == number)
            before = ast.unparse(node)
            _replace(changed, place, variant)
            yield Mutant(
                node.lineno, f"{_short(before)}  ->  {_short(ast.unparse(variant))}", ast.fix_missing_locations(changed)
            )


def _nodes(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Nodes that run, in a fixed order: no annotations, docstrings, messages, imports or __all__."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, (ast.Import, ast.ImportFrom, ast.Raise, ast.JoinedStr, ast.arguments)):
            continue
        if isinstance(child, ast.keyword) and child.arg == "strict":  # of zip: both are equally long
            continue
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        if (
            isinstance(child, ast.Assign)
            and isinstance(child.targets[0], ast.Name)
            and child.targets[0].id in ("__all__", "TYPE_CHECKING")
        ):
            continue
        if isinstance(child, (ast.expr, ast.stmt)):
            yield child
        if isinstance(child, ast.AnnAssign):
            if child.value is not None:
                yield from _nodes(ast.Expression(child.value))
            continue
        if isinstance(child, ast.FunctionDef):
            for statement in child.body:
                yield from _nodes(ast.Module([statement], []))
            continue
        yield from _nodes(child)


def _faults(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.BoolOp) and type(node.op) in OPERATORS:
        yield _with(node, op=OPERATORS[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
        yield _with(node, ops=[OPERATORS[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        yield _with(node, op=OPERATORS[type(node.op)]())
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Break | ast.Continue):
        yield (ast.Continue if isinstance(node, ast.Break) else ast.Break)()
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node, ast.Call):
        name = (
            node.func.id
            if isinstance(node.func, ast.Name)
            else node.func.attr
            if isinstance(node.func, ast.Attribute)
            else ""
        )
        if name in CALLS:
            exchanged = _with(node.func, **{"id" if isinstance(node.func, ast.Name) else "attr": CALLS[name]})
            yield _with(node, func=exchanged)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _replace(tree: ast.AST, place: ast.AST, variant: ast.AST) -> None:
    class Exchange(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return variant if node is place else self.generic_visit(node)

    Exchange().visit(tree)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."
