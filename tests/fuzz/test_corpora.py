"""What fuzzing starts from, and what it once found, goes through every target again."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FUZZ = ROOT / "fuzz"
TARGETS = ("names", "numbers", "read_labels", "read_run", "score")
# clang builds with all checks in the time that gcc needs for one of them.
COMPILERS = (("clang++", "-fsanitize=address,undefined"), ("g++", "-fsanitize=address"), ("c++", ""), ("g++", ""))
FLAGS = ("-std=c++17", "-O0", "-ffp-contract=off", "-DPOOLWISE_LONGEST_LINE=500", "-DPOOLWISE_HASH_SEED=1", "-pthread")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, kept for as long as nothing it is made of changes."""
    sources = sorted([*FUZZ.glob("*.[hc]pp"), *(ROOT / "src" / "core").glob("*.hpp")])
    key = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    program = ROOT / "build" / "replay" / key
    if program.exists():
        return program
    made = tmp_path_factory.mktemp("replay") / "replay"
    folders = ("-I", str(FUZZ), "-I", str(ROOT / "src" / "core"))
    for compiler, checks in COMPILERS:
        if shutil.which(compiler):
            command = [compiler, *FLAGS, *checks.split(), *folders, str(FUZZ / "replay.cpp"), "-o", str(made)]
            built = subprocess.run(command, capture_output=True, text=True)
            # A compiler may know of checks whose library is not installed; then the next one is tried.
            if built.returncode == 0 and subprocess.run([str(made)], capture_output=True).returncode == 0:
                program.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(made, program)
                return program
            assert checks, built.stderr
    pytest.skip("no compiler of C++")


def test_every_input_goes_through_its_target(replay: Path) -> None:
    inputs = sorted(path for target in TARGETS for path in (FUZZ / "corpus" / target).iterdir())
    assert {path.parent.name for path in inputs} == set(TARGETS)
    ran = subprocess.run([str(replay), *map(str, inputs)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stdout == f"{len(inputs)} inputs\n"


def test_a_target_is_known_by_its_folder(replay: Path, tmp_path: Path) -> None:
    (tmp_path / "nowhere").mkdir()
    (tmp_path / "nowhere" / "input").write_bytes(b"1")
    assert subprocess.run([str(replay), str(tmp_path / "nowhere" / "input")], capture_output=True).returncode == 2
