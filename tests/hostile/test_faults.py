"""The n-th write, sync or rename fails: the exit code says so, and what was there before is whole."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from errno import EIO, ENOSPC
from pathlib import Path

import pytest
from tests.hostile.cli_calls import write_files
from tests.hostile.forked import fresh_copy

SEED = os.environ.get("POOLWISE_SEED", "1")
CASES = int(os.environ.get("POOLWISE_CASES", "240")) // 10
WRITING = {  # calls that write, and the files that they make
    "plan a.txt c.jsonl --budget 20 -o plan.new.txt --to-judge list.new.csv": ("plan.new.txt", "list.new.csv"),
    "merge plan2.txt labels.csv -o merged.txt": ("merged.txt",),
    "score qrels.txt a.txt -m AP -o scores.new.csv": ("scores.new.csv",),
    "sample qrels.txt a.txt --design uniform --fraction 0.5 --seed 1 -o sample.txt": ("sample.txt",),
    "estimate plan.txt a.txt b.csv -m P@5 -o estimates.jsonl": ("estimates.jsonl",),
    "judge plan2.txt --export -o judged.new.txt": ("judged.new.txt",),
    "items plan items.csv --budget 10 -o items.new.csv": ("items.new.csv",),
    "report qrels.txt a.txt b.csv -m P@5 -o pages": ("pages/index.html",),
    "study robustness qrels.txt a.txt b.csv -o out --trials 1 --fractions 0.5 -m AP": ("out/index.html",),
    "compare qrels.txt a.txt b.csv -m AP --test t -o compared.html": ("compared.html",),
}
KINDS = ("write", "write", "sync", "rename")


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a C compiler and Linux are needed")
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).parent / "shim.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "files"
    folder.mkdir()
    write_files(folder)
    return folder


@pytest.mark.parametrize("number", range(CASES))
def test_what_cannot_be_written_is_told(number: int, shim: Path, files: Path, tmp_path: Path) -> None:
    chance = random.Random(f"{SEED} {number} faults")
    call = list(WRITING)[number % len(WRITING)]
    folder = fresh_copy(files, tmp_path / "files")
    kind, at = chance.choice(KINDS), chance.choice((1, 1, 2, 3, 5, 8))
    fault = {"FAIL_CALLS": kind, "FAIL_AT": str(at), "FAIL_ERROR": str(chance.choice((ENOSPC, EIO)))}
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = subprocess.run(
        [sys.executable, "-m", "poolwise", *call.split()],
        cwd=folder, env={**os.environ, "LD_PRELOAD": str(shim), "PYTHONDONTWRITEBYTECODE": "1", **fault},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    case = f"POOLWISE_SEED={SEED}, case {number}: {call}: {kind} {at}"
    assert "Traceback" not in done.stderr, (case, done.stderr[-2000:])
    assert done.returncode in (0, 1), (case, done.returncode, done.stderr[-500:])
    assert done.returncode == 1 or (kind, at) != ("write", 1), case
    made = [(folder / name).exists() for name in WRITING[call]]
    assert all(made) or done.returncode == 1, (case, made)
    assert not list(folder.rglob("*.part")), case
    for path, data in before.items():
        assert path.read_bytes() == data or path.suffix == ".sqlite", (case, path.name)
