"""The source in figures, which `tests/project/house.toml` keeps from getting worse.

python docs/house.py                     the figures of this source
python docs/house.py --write             today's figures into house.toml; reasons on its lines stay
python docs/house.py --list [FOLDER..]   forbidden names, constants without a comment, and docstrings that open with a
                                         noun clause, line by line; then both and the comments per 100 lines by folder
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "tests" / "project" / "house.toml"
LONG_MODULE = 400  # lines
# Names that hide their thing, with underscores around them and in the plural.
FORBIDDEN_NAME = re.compile(r"_*(said|told|given|own|place)s?_*")
NOUN_CLAUSE = re.compile(r"(What|That|Who|Whose|Whoever)\b")
COMMAND_PAGES = ("cli",)  # folders whose modules are found by name
# What a user does: the command that is counted, in a folder with a small campaign.
WALKS = {
    "score": "score campaign/qrels.txt campaign/runs -m AP",
    "plan": "plan campaign/runs --budget 60 --depth 20 -o plan.txt",
    "estimate": "estimate sample.txt campaign/runs -m AP -o estimate.html",
    "compare": "compare campaign/qrels.txt campaign/runs --test bootstrap -o comparison.html",
}


def package(root: Path) -> Path:
    """The folder of the Python source."""
    return root / "src" / "poolwise"


@cache
def modules(root: Path) -> dict[str, Path]:
    """Every module but those that only make a folder a package, by dotted name."""
    found = sorted(path for path in package(root).rglob("*.py") if path.name != "__init__.py")
    return {".".join(path.relative_to(root / "src").with_suffix("").parts): path for path in found}


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed module."""
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(root: Path) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Which module imports which, at load and in all; imports for types alone do not count."""
    load: dict[str, set[str]] = defaultdict(set)
    whole: dict[str, set[str]] = defaultdict(set)
    for name, path in modules(root).items():
        for node, at_load in _import_nodes(tree_of(path), True):
            for target in _targets(node):
                if target in modules(root) and target != name:
                    whole[name].add(target)
                    if at_load:
                        load[name].add(target)
    return load, whole


def _import_nodes(node: ast.AST, at_load: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child, at_load
        elif not (isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING"):
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
            yield from _import_nodes(child, at_load and not inside)


def _targets(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]


def knots(graph: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules that import one another in a circle (strongly connected components)."""
    reached = {name: _reach(graph, name) for name in graph}
    found: list[set[str]] = []
    for name in graph:
        knot = {other for other in reached[name] if name in reached.get(other, set())}
        if len(knot) > 1 and knot not in found:
            found.append(knot)
    return found


def _reach(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    left = [start]
    while left:
        for other in graph.get(left.pop(), set()) - seen:
            seen.add(other)
            left.append(other)
    return seen


def floors(root: Path) -> dict[str, int]:
    """The floor of each folder, counted from the lowest, as the import contract lists them."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    return {name.strip(): number for number, layer in enumerate(reversed(layers)) for name in layer.split("|")}


def upward_imports(root: Path) -> list[tuple[str, str]]:
    """Imports of a higher floor."""
    floor, (_, whole) = floors(root), imports(root)
    folder = {name: name.split(".")[1] for name in modules(root) if name.count(".") > 1}
    return sorted(
        (name, other)
        for name, others in whole.items()
        for other in others
        if floor.get(folder.get(name, ""), 99) < floor.get(folder.get(other, ""), -1)
    )


def imported_by_one(root: Path) -> list[str]:
    """Modules that one other module imports; commands and modules found by name do not count."""
    users = Counter(other for others in imports(root)[1].values() for other in others)
    return sorted(name for name, count in users.items() if count == 1 and name.split(".")[1] not in COMMAND_PAGES)


def class_names_twice(root: Path) -> list[str]:
    """Names that several classes have, leading underscores aside."""
    counts = Counter(
        node.name.lstrip("_")
        for path in modules(root).values()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef)
    )
    return sorted(name for name, count in counts.items() if count > 1)


def core_touched_from(root: Path) -> list[str]:
    """Modules that reach into the compiled core's view of a pool."""
    return sorted(
        name
        for name, path in modules(root).items()
        if any(isinstance(node, ast.Attribute) and node.attr == "core" for node in ast.walk(tree_of(path)))
    )


def written_twice(root: Path) -> int:
    """Lines of descriptions of parameters (with their indented lines) that another docstring has, too."""
    seen: set[str] = set()
    lines = 0
    for path in modules(root).values():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                for block in _blocks(ast.get_docstring(node) or ""):
                    lines += block.count("\n") + 1 if block in seen else 0
                    seen.add(block)
    return lines


def _blocks(docstring: str) -> list[str]:
    """Lines with the indented ones below them."""
    parts = re.split(r"\n(?=\S)", docstring)
    return [part.strip() for part in parts if part.strip().count("\n") and not part.startswith(">>>")]


def comments_per_100(root: Path, folder: str = "") -> float:
    """Comment lines (with nothing else on them) for every 100 lines of code, of the package or one of its folders."""
    code = comments = 0
    for path in _paths(root, folder):
        hidden = {line for node in _docstring_nodes(tree_of(path)) for line in range(node.lineno, node.end_lineno + 1)}
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if number in hidden or not line.strip():
                continue
            comments += line.lstrip().startswith("# ")
            code += not line.lstrip().startswith("#")
    return round(100 * comments / max(code, 1), 1)


def _paths(root: Path, folder: str = "") -> list[Path]:
    """Modules of the package, the pages of folders among them, or of one folder; "." is the package's root."""
    paths = sorted(package(root).rglob("*.py"))
    of_root = lambda path: "." if path.parent == package(root) else path.relative_to(package(root)).parts[0]  # noqa: E731
    return [path for path in paths if folder in ("", of_root(path))]


Fault = tuple[Path, int, str]  # module, line, words


def forbidden_names(root: Path, folder: str = "") -> list[Fault]:
    """Where a name that hides its thing is bound: variable, attribute, parameter, function, class or import."""
    return [
        (path, line, name)
        for path in _paths(root, folder)
        for node in ast.walk(tree_of(path))
        for line, name in _bound(node)
        if FORBIDDEN_NAME.fullmatch(name)
    ]


def _bound(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a node binds itself, with their line."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield node.lineno, name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield node.lineno, name
        case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield node.lineno, name
        case ast.alias(name=name, asname=other):
            yield node.lineno, other or name.rpartition(".")[2]


def unexplained_constants(root: Path, folder: str = "") -> list[Fault]:
    """Constants of modules made of numbers, with no comment on their lines or directly above."""
    faults: list[Fault] = []
    for path in _paths(root, folder):
        with tokenize.open(path) as file:
            comments = [token for token in tokenize.generate_tokens(file.readline) if token.type == tokenize.COMMENT]
        # A comment at the end of the line above belongs to that line; one alone there, to the constant.
        on_line = {comment.start[0] for comment in comments}
        on_line |= {comment.start[0] + 1 for comment in comments if comment.line.lstrip().startswith("#")}
        faults += [
            (path, node.lineno, ast.unparse(node))
            for node in tree_of(path).body
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and _numeric(node.value)
            if on_line.isdisjoint(range(node.lineno, node.end_lineno + 1))
        ]
    return faults


def _numeric(node: ast.expr) -> bool:
    """Whether an expression is made of numbers: arithmetic, collections, arrays and records that open with one."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case ast.UnaryOp(operand=part):
            return _numeric(part)
        case ast.BinOp(left=left, right=right):
            return _numeric(left) or _numeric(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Dict(values=parts):
            return bool(parts) and all(map(_numeric, parts))
        case ast.Call(func=ast.Attribute(attr="array" | "arange") | ast.Name(), args=[first, *_]):
            return _numeric(first)
    return False


def noun_clauses(root: Path, folder: str = "") -> list[Fault]:
    """Docstrings of modules, classes and functions that open with a noun clause."""
    return [
        (path, node.body[0].lineno, first)
        for path in _paths(root, folder)
        for node in ast.walk(tree_of(path))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        for first in (ast.get_docstring(node) or "").split("\n")[:1]
        if NOUN_CLAUSE.match(first)
    ]


WORDS = {
    "forbidden_names": forbidden_names,
    "unexplained_constants": unexplained_constants,
    "noun_clauses": noun_clauses,
}


def listed(root: Path, folders: list[str]) -> str:
    """Faults of names, constants and docstrings line by line, and their numbers by folder."""
    chosen = folders or [".", *sorted(path.name for path in package(root).iterdir() if (path / "__init__.py").exists())]
    lines: list[str] = []
    rows = [f"{'folder':12} {' '.join(WORDS)} comments_per_100"]
    for folder in chosen:
        faults = {rule: find(root, folder) for rule, find in WORDS.items()}
        for rule, found in faults.items():
            lines += [f"{path.relative_to(root)}:{line}  {rule}  {words}" for path, line, words in found]
        rows.append(" ".join([f"{folder:12}", *(f"{len(found):{len(rule)}}" for rule, found in faults.items())]))
        rows[-1] += f"{comments_per_100(root, folder):{1 + len('comments_per_100')}}"
    return "\n".join([*lines, *rows])


def _docstring_nodes(tree: ast.Module) -> Iterator[ast.Expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node


def options() -> int:
    """Options that commands declare; those of `trec_eval` are trec_eval's own."""
    from poolwise.cli.main import COMMANDS, parser_of

    return sum(len(parser_of(name).optional()) for name in COMMANDS if name != "trec_eval")


def walks(root: Path) -> dict[str, list[int]]:
    """Modules in which a function ran, and modules that were loaded, on each walk; folder pages do not count."""
    with tempfile.TemporaryDirectory() as folder:
        _poolwise(root, folder, "simulate -o campaign --runs 12 --topics 10 --depth 50 --seed 1")
        _poolwise(root, folder, "sample campaign/qrels.txt campaign/runs --design uniform --fraction 0.3 -o sample.txt")
        return {name: _walk(root, folder, command) for name, command in WALKS.items()}


PROFILE = """
import sys
ran = set()
def seen(frame, event, argument):
    name = frame.f_globals.get("__name__", "")
    if event == "call" and name.startswith("poolwise.") and frame.f_code.co_flags & 2:
        ran.add(name)
sys.setprofile(seen)
from poolwise.cli.main import main
main(sys.argv[1:])
sys.setprofile(None)
pages = {name for name, module in list(sys.modules.items()) if hasattr(module, "__path__")}
loaded = {name for name in sys.modules if name.startswith("poolwise.") and not name.endswith("._core")}
print(len(ran - pages), len(loaded - pages), file=sys.stderr)
"""


def _walk(root: Path, folder: str, command: str) -> list[int]:
    finished = _run(root, folder, [sys.executable, "-c", PROFILE, *command.split()])
    return [int(word) for word in finished.stderr.splitlines()[-1].split()]


def _poolwise(root: Path, folder: str, command: str) -> None:
    _run(root, folder, [sys.executable, "-m", "poolwise", *command.split()])


def _run(root: Path, folder: str, command: list[str]) -> subprocess.CompletedProcess[str]:
    built_here = any(package(root).glob("_core*.so"))  # else the installed source is the same
    environment = os.environ | ({"PYTHONPATH": str(root / "src")} if built_here else {})
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)


def figures(root: Path = ROOT) -> dict[str, dict[str, float | list[int]]]:
    """All figures, as house.toml has them."""
    paths = [*package(root).rglob("*.py")]
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in paths}
    load, whole = imports(root)
    size = {
        "python_lines": sum(lengths.values()),
        "modules": len(modules(root)),
        "imported_by_one": len(imported_by_one(root)),
        "past_400_lines": sum(length > LONG_MODULE for length in lengths.values()),
        "upward_imports": len(upward_imports(root)),
        "cycles_at_load": len(knots(load)),
        "largest_knot": max(map(len, knots(whole)), default=0),
        "core_touched_from": len(core_touched_from(root)),
        "class_names_twice": len(class_names_twice(root)),
        "options": options(),
        "written_twice": written_twice(root),
    }
    words = {rule: len(find(root)) for rule, find in WORDS.items()}
    return {"size": size, "walks": dict(walks(root)), "words": words | {"comments_per_100": comments_per_100(root)}}


def text(found: dict[str, dict[str, float | list[int]]], reasons: dict[str, str]) -> str:
    """House.toml: one figure a line, with the reason for its last rise."""
    lines = ["# Today's best figures of the source (docs/house.py). A rise fails a test; a fall is written down."]
    for section, rows in found.items():
        lines += ["", f"[{section}]"]
        lines += [f"{name} = {value}{reasons.get(name, '')}" for name, value in rows.items()]
    return "\n".join([*lines, ""])


def reasons_kept() -> dict[str, str]:
    """Comments on the lines of house.toml, by figure."""
    held = KEPT.read_text("utf-8") if KEPT.exists() else ""
    return dict(re.findall(r"^(\w+) = [^#\n]*?(  #.*)$", held, re.MULTILINE))


if __name__ == "__main__":
    if "--list" in sys.argv[1:]:
        print(listed(ROOT, sys.argv[2:]))
        sys.exit()
    written = text(figures(), reasons_kept())
    if "--write" in sys.argv[1:]:
        KEPT.write_text(written, "utf-8")
    print(written)
