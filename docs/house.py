"""The house in figures: what the source is made of, counted from it, beside what it was before its rooms had names.

python docs/house.py            the page
python docs/house.py count      the numbers of this source, as JSON (docs/house_before.json was made so)
"""

from __future__ import annotations

import ast
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
BEFORE = DOCS / "house_before.json"
SHARED = 6  # lines that two places have in common

# A list of choices is written in a module if at least three of its names stand there as texts of their own.
LISTS = {
    "significance tests": ("randomisation", "bootstrap", "wilcoxon", "tukey"),
    "corrections for many pairs": ("holm", "bh", "none"),
    "names of discounts": ("log2", "zipf", "linear", "uniform", "jk"),
    "kinds of intervals": ("judgments", "topics", "both", "bounds"),
    "designs of samples": ("reduce", "uniform", "depth", "stratified", "pair", "without"),
    "what negative gains count": ("zero", "keep", "minmax"),
    "formats of output": ("csv", "json", "markdown", "latex", "html", "parquet"),
}
# Other facts: the calls, or the lines, that tell one.
CALLS = {
    "ways a result becomes a data frame": ("def to_frame",),
    "loops that raise a result's notes as warnings": ("warn(note,", "warn(message,", "warn(text,"),
    "range checks of `level`": ("0 < level < 1", "0.0 < level < 1.0", "not 0 < level", "def level("),
    "types written as `Floats = NDArray`": ("Floats = NDArray",),
    "modules that call `json.dumps`": ("dumps(",),
}
# What a user does, from start to end: commands in a folder with a small campaign.
WALKS = {
    "a run's line to its printed mean": ["score campaign/qrels.txt campaign/runs -m AP"],
    "labels: plan, estimate, page": [
        "plan campaign/runs --budget 60 --depth 20 -o plan.txt",
        "estimate sample.txt campaign/runs -m AP -o estimate.html",
    ],
    "a resample to its page": ["compare campaign/qrels.txt campaign/runs --test bootstrap -o comparison.html"],
}


def modules(root: Path) -> list[Path]:
    """Every module of the package, without those that only make a folder a package."""
    return sorted(path for path in (root / "src" / "poolwise").rglob("*.py") if path.name != "__init__.py")


def doubled_names(root: Path) -> dict[str, int]:
    """Names that several modules have, and how many."""
    counts = Counter(path.stem for path in modules(root) if path.stem != "__main__")
    return {name: count for name, count in counts.items() if count > 1}


def stations(root: Path) -> dict[str, tuple[int, int]]:
    """Files and lines of each room."""
    package = root / "src" / "poolwise"
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path in package.rglob("*.py"):
        inside = path.relative_to(package).parts
        room = inside[0] if len(inside) > 1 else "(root)"
        found[room][0] += 1
        found[room][1] += _lines(path)
    for path in (root / "src" / "core").rglob("*.[hc]pp"):
        found["core (C++)"][0] += 1
        found["core (C++)"][1] += _lines(path)
    return {name: (files, lines) for name, (files, lines) in sorted(found.items())}


def sizes(root: Path) -> dict[str, float]:
    """How long functions and modules are; docstrings do not count."""
    lengths = [length for path in modules(root) for length in _function_lengths(ast.parse(path.read_text("utf-8")))]
    return {
        "modules": len(modules(root)),
        "functions": len(lengths),
        "lines of a function, median": median(lengths),
        "lines of the longest function": max(lengths),
        "functions over 40 lines": sum(length > 40 for length in lengths),
        "lines of the largest module": max(map(_lines, modules(root))),
    }


def facts(root: Path) -> dict[str, int]:
    """In how many modules each fact is written."""
    texts = {path: _texts(path) for path in modules(root)}
    found = {fact: sum(len(set(names) & held) >= 3 for held in texts.values()) for fact, names in LISTS.items()}
    sources = [path.read_text("utf-8") for path in modules(root)]
    return found | {fact: sum(any(sign in text for sign in signs) for text in sources) for fact, signs in CALLS.items()}


def code_lines(path: Path) -> list[tuple[int, str]]:
    """Lines of a module that do something: no docstrings, imports, comments, or brackets alone; with their numbers."""
    text = path.read_text("utf-8")
    hidden: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        words = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if words or isinstance(node, (ast.Import, ast.ImportFrom)):
            hidden.update(range(node.lineno, node.end_lineno + 1))
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if number not in hidden)
    return [(number, line) for number, line in lines if re.search(r"\w", line) and not line.startswith("#")]


def copies(root: Path) -> list[tuple[str, str]]:
    """Pairs of places that share `SHARED` or more lines of code to the letter, each named by its first line."""
    package = root / "src" / "poolwise"
    places: dict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    numbers: dict[Path, list[int]] = {}
    for path in modules(root):
        lines = code_lines(path)
        numbers[path] = [number for number, _ in lines]
        for at in range(len(lines) - SHARED + 1):
            places[tuple(line for _, line in lines[at : at + SHARED])].append((path, at))
    shared = {pair for found in places.values() for pair in itertools.combinations(found, 2)}
    # Of a longer run only its beginning is named: the pair one line before is shared as well.
    first = [((a, i), (b, j)) for (a, i), (b, j) in shared if ((a, i - 1), (b, j - 1)) not in shared]
    said = [[f"{path.relative_to(package).as_posix()}:{numbers[path][at]}" for path, at in pair] for pair in first]
    return sorted((one, other) for one, other in map(sorted, said))


def files_of_a_measure(root: Path) -> float:
    """In how many files of the source and of fuzzing the name of a measure stands, generated ones aside; the median."""
    from poolwise.measures.registry import declared_names

    folders = [root / "src", root / "fuzz"]
    paths = [path for folder in folders for path in folder.rglob("*.[hcp]*") if _is_written(path)]
    words = [set(re.findall(r"\w+", path.read_text("utf-8"))) for path in paths]
    counts = [sum(name in held for held in words) for name in declared_names()]
    return median(count for count in counts if count)


def _is_written(path: Path) -> bool:
    return path.suffix in (".py", ".hpp", ".cpp")


def contracts() -> list[tuple[str, str]]:
    """What import-linter is asked to see to."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return [(each["name"], _clause(each)) for each in settings]


def _clause(contract: dict[str, Any]) -> str:
    if contract["type"] == "layers":
        return "each may import those after it: " + " → ".join(
            layer.replace(" | ", ", ") for layer in contract["layers"]
        )
    if contract["type"] == "independence":
        return "none imports another: " + ", ".join(name.partition(".")[2] for name in contract["modules"])
    return "none imports a room: " + ", ".join(name.partition(".")[2] for name in contract["source_modules"])


def walks(root: Path) -> dict[str, list[int]]:
    """Modules that ran code, and that were loaded, on each walk."""
    with tempfile.TemporaryDirectory() as folder:
        _poolwise(root, folder, "simulate -o campaign --runs 12 --topics 10 --depth 50 --seed 1")
        _poolwise(root, folder, "sample campaign/qrels.txt campaign/runs --design uniform --fraction 0.3 -o sample.txt")
        return {
            name: [count for command in commands for count in _walk(root, folder, command)]
            for name, commands in WALKS.items()
        }


def counted(root: Path) -> dict[str, Any]:
    """All numbers of a source."""
    doubled = doubled_names(root)
    return {
        "stations": stations(root),
        "sizes": sizes(root)
        | {"names that several modules have": len(doubled), "modules with such a name": sum(doubled.values())},
        "facts": facts(root) | {"a measure (median of all, with fuzzing)": files_of_a_measure(root)},
        "copies": len(copies(root)),
        "walks": walks(root),
    }


PAGE = """# The house in figures

Counted from the source when this page is built (`docs/house.py`), beside the same counts of the source as it was when
one folder, `analyse`, held most of what now has rooms of its own.

{sizes}

## Rooms

{stations}

## In how many modules a fact is written

A list of choices counts where at least three of its names stand as texts; a change to it means touching so many.

{facts}

## Walks

Modules of ours that ran code / that were loaded, from a command's first line to its last.

{walks}

## What lint enforces of imports

{contracts}

## Written twice

Pairs of places that share {shared} or more lines of code to the letter, docstrings and imports aside:
{copies_before} before, {copies_now} now. What is left are arguments that a method and the function behind it, or
several studies, have in common.

{copies}
"""


def house_page() -> str:
    """The page: before and after, side by side."""
    before, after = json.loads(BEFORE.read_text("utf-8")), counted(ROOT)
    rooms = dict.fromkeys([*before["stations"], *after["stations"]])
    missing, twice = ("", ""), copies(ROOT)
    return PAGE.format(
        sizes=_table(("", "before", "now"), _beside(before["sizes"], after["sizes"])),
        stations=_table(
            ("room", "files before", "lines before", "files now", "lines now"),
            [(room, *before["stations"].get(room, missing), *after["stations"].get(room, missing)) for room in rooms],
        ),
        facts=_table(("fact", "before", "now"), _beside(before["facts"], after["facts"])),
        walks=_table(
            ("walk", "before", "now"),
            [(name, _pairs(before["walks"][name]), _pairs(counts)) for name, counts in after["walks"].items()],
        ),
        contracts=_table(("contract", "what it says"), contracts()),
        shared=SHARED,
        copies_before=before["copies"],
        copies_now=len(twice),
        copies=_table(("place", "and place"), twice) if twice else "None.",
    )


def _beside(before: dict[str, float], after: dict[str, float]) -> list[tuple[str, float, float]]:
    return [(name, before[name], value) for name, value in after.items()]


def _pairs(counts: list[int]) -> str:
    return ", then ".join(f"{ran} / {loaded}" for ran, loaded in zip(counts[::2], counts[1::2], strict=True))


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    lines += [f"| {' | '.join(cell if isinstance(cell, str) else f'{cell:,}' for cell in row)} |" for row in rows]
    return "\n".join(lines)


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def _function_lengths(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0]
            has_docstring = (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            )
            yield node.end_lineno - node.lineno + 1 - (first.end_lineno - first.lineno + 1 if has_docstring else 0)


def _texts(path: Path) -> set[str]:
    """Texts that stand in a module as values, annotations aside."""
    tree = ast.parse(path.read_text("utf-8"))
    hidden = {id(inner) for node in ast.walk(tree) for part in _annotations(node) for inner in ast.walk(part)}
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden
    }


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    for name in ("annotation", "returns"):
        if getattr(node, name, None) is not None:
            yield getattr(node, name)


PROFILE = """
import sys
ran = set()
def seen(frame, event, argument):
    name = frame.f_globals.get("__name__", "")
    if event == "call" and name.startswith("poolwise") and frame.f_code.co_name != "<module>":
        ran.add(name)
sys.setprofile(seen)
from poolwise.cli.main import main
main(sys.argv[1:])
sys.setprofile(None)
print(len(ran), sum(name.startswith("poolwise") for name in sys.modules), file=sys.stderr)
"""


def _walk(root: Path, folder: str, command: str) -> list[int]:
    finished = _run(root, folder, [sys.executable, "-c", PROFILE, *command.split()])
    return [int(word) for word in finished.stderr.splitlines()[-1].split()]


def _poolwise(root: Path, folder: str, command: str) -> None:
    _run(root, folder, [sys.executable, "-m", "poolwise", *command.split()])


def _run(root: Path, folder: str, command: list[str]) -> subprocess.CompletedProcess[str]:
    built_here = any((root / "src" / "poolwise").glob("_core*.so"))  # else what is installed is the same source
    environment = os.environ | ({"PYTHONPATH": str(root / "src")} if built_here else {})
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)


if __name__ == "__main__":
    root = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT
    print(json.dumps(counted(root), indent=1) if "count" in sys.argv[1:2] else house_page())
