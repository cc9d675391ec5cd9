"""How CPU time grows with the input: exponents, start-up included, stay below limits. `make hostile` alone asks."""

from __future__ import annotations

import math
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif("POOLWISE_SEED" not in os.environ, reason="times are measured by `make hostile` alone")

TIMES = 4  # how many times as large the larger input is


def items(folder: Path, size: int) -> list[str]:
    chance = random.Random(1)
    rows = [
        f"i{n},{s},{chance.randint(0, 4) if chance.random() < 0.01 else ''},{chance.random():.4f}\n"
        for n in range(size)
        for s in "xy"
    ]
    (folder / "items.csv").write_text("item,system,score,prediction\n" + "".join(rows))
    return ["items", "plan", "items.csv", "--budget", str(size // 20)]


def estimated_items(folder: Path, size: int) -> list[str]:
    return ["items", "estimate", items(folder, size)[2]]


def runs(folder: Path, size: int) -> None:
    """Some runs of so many topics, and judgments of half of what they retrieve."""
    chance = random.Random(2)
    listed = [(t, d) for t in range(size) for d in range(40)]
    (folder / "qrels").write_text("".join(f"{t} 0 d{d} {chance.randint(0, 1)}\n" for t, d in listed if d % 2))
    for run in "abcd":
        lines = [f"{t} Q0 d{d} 0 {chance.random():.6f} {run}\n" for t, d in listed]
        (folder / f"{run}.txt").write_text("".join(lines))


def scored(folder: Path, size: int) -> list[str]:
    runs(folder, size)
    return ["score", "qrels", "a.txt", "b.txt", "c.txt", "d.txt", "-m", "AP"]


def estimated(folder: Path, size: int) -> list[str]:
    return ["estimate", *scored(folder, size)[1:]]


def planned(folder: Path, size: int) -> list[str]:
    runs(folder, size)
    return ["plan", "a.txt", "b.txt", "c.txt", "d.txt", "--budget", str(5 * size), "-o", f"plan{size}.txt"]


def compared(folder: Path, size: int) -> list[str]:
    return ["compare", *scored(folder, size)[1:], "--test", "t"]


def holes(folder: Path, size: int) -> list[str]:
    return ["holes", *scored(folder, size)[1:-1], "P@10"]


@pytest.mark.parametrize(
    ("call", "size", "most"),
    [
        (items, 40_000, 1.1), (estimated_items, 40_000, 1.1), (scored, 2_000, 1.1), (estimated, 500, 1.1),
        (planned, 1_000, 1.1), (compared, 1_000, 1.1), (holes, 500, 1.1),
    ],
)  # fmt: skip
def test_time_grows_no_faster_than_the_input(
    call: Callable[[Path, int], list[str]], size: int, most: float, tmp_path: Path
) -> None:
    one, other = (min(seconds(call(tmp_path, some), tmp_path) for _ in range(2)) for some in (size, TIMES * size))
    exponent = math.log(other / one) / math.log(TIMES)
    print(f"{call.__name__}: {size} {one:.2f} s, {TIMES * size} {other:.2f} s, exponent {exponent:.2f}")
    assert exponent <= most


def seconds(words: list[str], folder: Path) -> float:
    """CPU time of a command, on one thread."""
    for made in folder.glob("plan*.txt"):
        made.unlink()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "POOLWISE_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run(
        [sys.executable, "-m", "poolwise", *words], cwd=folder, env=environment, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
