"""Do the tests notice? Faults are put in one by one, and for each the tests that should fail are run.

    python tests/mutants/run.py pool/coverage                 every fault of one module
    python tests/mutants/run.py pool/coverage --sample 30     thirty of them, drawn by --seed
    python tests/mutants/run.py core                          the patches beside this file, each built and tested
    python tests/mutants/run.py core/ap_counts_late           one of them

A module is tested by all test modules that import it, wherever they stand, then by those of its folder, and by its
doctests; --tests names others. A fault lives in memory only: each is run in a process forked from one that has
everything loaded but the package, which takes half the time of tools that start Python anew for each. What lives
through these is put into a copy of the package, for the kept outputs of all commands and all quick tests, unless
--near asks for the module's tests alone. Exit code 1 if a fault was not noticed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from python_mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "poolwise"
PATCHES = Path(__file__).parent
QUICK = ("tests/cli", "tests/contract", "tests/report", "tests/unit")  # of these what is not slow
LONGEST = 3600  # seconds for all quick tests on a slow machine
NEVER = -9  # the return code of what took longer
PATIENCE = 5  # times as long as without a fault: then something no longer ends, and the fault counts as noticed


@cache
def modules_named() -> dict[Path, set[str]]:
    """Which modules of the package every test module imports, or names as text."""
    named: dict[Path, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        taken = re.findall(r"from (poolwise[.\w]*) import (\([^)]*\)|.*)", text)
        members = {f"{package}.{name}" for package, names in taken for name in re.findall(r"\w+", names)}
        named[path] = members | set(re.findall(r"poolwise(?:\.\w+)+", text))
    return named


def tests_of(module: str) -> list[str]:
    """Where a module of Python is tested: test modules that import it come first, as they notice most faults."""
    folder = module.rpartition("/")[0]
    mirrored = [place / folder for place in (ROOT / "tests" / "unit", ROOT / "tests") if (place / folder).exists()]
    beside = sorted(mirrored[0].rglob("test_*.py")) if folder and mirrored else []
    dotted = f"poolwise.{module.replace('/', '.')}"
    importing = [path for path, named in modules_named().items() if dotted in named]
    return [str(path) for path in dict.fromkeys([*importing, *beside, SOURCE / f"{module}.py"])]


def survivors_of(module: str, tests: list[str], sample: int | None, seed: int, near: bool) -> list[str]:
    """Faults of a module that no test noticed; `near`: none of its own tests."""
    made = list(mutants((SOURCE / f"{module}.py").read_text("utf-8")))
    if sample is not None and sample < len(made):
        made = sorted(random.Random(seed).sample(made, sample), key=lambda mutant: mutant.line)
    _load_ahead()
    started = time.monotonic()
    if not _passes(None, module, tests, 3600):
        raise SystemExit(f"tests fail without any fault: {' '.join(tests)}")
    seconds = PATIENCE * (time.monotonic() - started)
    lived = []
    for count, mutant in enumerate(made, 1):
        noticed = not _passes(mutant, module, tests, seconds)
        elsewhere = "" if noticed or near else _noticed_elsewhere(mutant, module)
        verdict = "noticed " if noticed or elsewhere else "SURVIVED"
        where = f", by {elsewhere}" if elsewhere else ""
        print(f"{count}/{len(made)} {verdict} {module}.py:{mutant.line}  {mutant.change}{where}", flush=True)
        if verdict == "SURVIVED":
            lived.append(f"{module}.py:{mutant.line}  {mutant.change}")
    print(f"{module}: {len(made) - len(lived)} of {len(made)} faults noticed")
    return lived


def _load_ahead() -> None:
    """Load what takes long and is not ours, once for all forks."""
    for name in ("pytest", "hypothesis", "numpy", "scipy.stats", "scipy.optimize", "scipy.special", "pandas"):
        if importlib.util.find_spec(name.partition(".")[0]):
            importlib.import_module(name)


def _passes(mutant: Mutant | None, module: str, tests: list[str], seconds: float) -> bool:
    """Whether the tests pass in a process of their own, with the fault put in."""
    child = os.fork()
    if child == 0:
        _run_tests(mutant, module, tests)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _run_tests(mutant: Mutant | None, module: str, tests: list[str]) -> None:
    import pytest

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.chdir(ROOT)
    loaded_ahead = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    alone = ["-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0"]
    plugins = [] if mutant is None else [_Mutated(module, mutant.tree)]
    code = pytest.main(["-x", "-q", *loaded_ahead, *alone, *tests], plugins)
    os._exit(int(code))


def _noticed_elsewhere(mutant: Mutant, module: str) -> str:
    """Which output or quick test of all differs by a fault, if one does; commands in processes of their own have it."""
    with tempfile.TemporaryDirectory() as folder:
        installed = Path(importlib.util.find_spec("poolwise").origin).parent
        shutil.copytree(installed, f"{folder}/poolwise", ignore=shutil.ignore_patterns("__pycache__"))
        Path(folder, "poolwise", f"{module}.py").write_text(ast.unparse(mutant.tree), "utf-8")
        outputs = _python(folder, "tests/golden/commands.py")
        if outputs.returncode or outputs.stdout.strip():
            return "tests/golden"
        pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile", "quick")
        chosen = ("-n", "2", "--maxfail", "3", "-m", "not slow and not browser")
        finished = _python(folder, *pytest, *chosen, *QUICK)
        if finished.returncode == NEVER:
            return f"{LONGEST} seconds"
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", finished.stdout, re.MULTILINE)
        # A test that fails without the fault too, or not always with it, did not notice it.
        codes = ((test, *(_python(path, *pytest, test).returncode for path in ("", folder))) for test in failed)
        return next((test for test, without, again in codes if without == 0 != again), "")


def _python(path: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python on what stands in a folder before all else."""
    settings = {"cwd": ROOT, "env": os.environ | {"PYTHONPATH": path}, "timeout": LONGEST}
    try:
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, **settings)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, NEVER, "")


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Gives the module with the fault, not the one in the file; a plugin of pytest, whose own finder would be first."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.name = "poolwise." + module.replace("/", ".").removesuffix(".__init__")
        self.path, self.tree = SOURCE / f"{module}.py", tree

    def pytest_sessionstart(self) -> None:
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name == self.name:
            return importlib.util.spec_from_file_location(name, self.path, loader=self)
        return None

    def get_source(self, fullname: str) -> str:
        return self.path.read_text("utf-8")

    def get_code(self, fullname: str) -> object:
        return compile(self.tree, str(self.path), "exec")

    def exec_module(self, module: object) -> None:
        exec(self.get_code(""), module.__dict__)


def core_survivors(name: str, tests: list[str]) -> list[str]:
    """Patches of the core that no test noticed. Each says in its head what tests it: `Tests: tests/...`."""
    lived = []
    for patch in sorted(PATCHES.glob(f"{name or '*'}.patch")):
        named = re.search(r"^Tests: (.+)$", patch.read_text("utf-8"), re.MULTILINE)
        noticed = _patch_is_noticed(patch, tests or named[1].split())
        print(f"{'noticed ' if noticed else 'SURVIVED'} {patch.stem}", flush=True)
        lived += [] if noticed else [patch.stem]
    return lived


def _patch_is_noticed(patch: Path, tests: list[str]) -> bool:
    """Build a copy of the source with the patch, and run its tests there."""
    tree, build = ROOT / "build" / "mutants" / "tree", ROOT / "build" / "mutants" / "core"
    tree.mkdir(parents=True, exist_ok=True)
    # Files that did not change keep their times, so that only what the patch touches is built again.
    _run("cp", "-ru", *(str(ROOT / name) for name in ("src", "tests", "CMakeLists.txt", "pyproject.toml")), str(tree))
    _run("patch", "-p1", "-s", "-d", str(tree), "-i", str(patch))
    try:
        _build(tree, build)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        environment = os.environ | {"PYTHONPATH": str(tree / "src")}
        return subprocess.run(command, cwd=tree, env=environment, capture_output=True).returncode == 1
    finally:
        _run("patch", "-R", "-p1", "-s", "-d", str(tree), "-i", str(patch))


def _build(tree: Path, build: Path) -> None:
    tools = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    configure = ["cmake", "-G", "Ninja", "-S", str(tree), "-B", str(build), f"-DPython_EXECUTABLE={sys.executable}"]
    for command in (configure, ["cmake", "--build", str(build)]):
        subprocess.run(command, env=tools, check=True, capture_output=True)
    for core in build.glob("_core*.so"):
        _run("cp", str(core), str(tree / "src" / "poolwise"))


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", help="a module of src/poolwise, as pool/coverage, or core, or core/PATCH")
    parser.add_argument("--tests", nargs="+", default=[], help="tests to run in place of the module's own")
    parser.add_argument("--sample", type=int, help="how many faults to draw")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--near", action="store_true", help="leave out all tests but the module's own")
    given = parser.parse_args()
    module = given.module.removesuffix(".py")
    if module.partition("/")[0] == "core":
        lived = core_survivors(module.partition("/")[2], given.tests)
    else:
        lived = survivors_of(module, given.tests or tests_of(module), given.sample, given.seed, given.near)
    return 1 if lived else 0


if __name__ == "__main__":
    sys.exit(main())
