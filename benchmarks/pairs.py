"""All pairs of 100 runs on 50 topics: poolwise beside scipy, ranx and loops as experiment tools have them.

    python benchmarks/pairs.py [--threads 2] [--repeat 7]

Prints one table. Times of the others are measured on some pairs and extrapolated to all of them, and say so. Wall clock
and processor time (of all threads together) are each the best of the repetitions. On a busy machine only processor time
means something, so its load is printed too.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import stats

from poolwise import _core
from poolwise.comparisons.compare_runs import compare
from poolwise.comparisons.pairs import Problem, all_pairs
from poolwise.comparisons.resampling_tests import bootstrap, randomisation

RUNS, TOPICS = 100, 50
PAIRS = RUNS * (RUNS - 1) // 2


class Row(NamedTuple):
    task: str
    tool: str
    wall: float  # seconds for all pairs
    processor: float
    timed: int  # pairs that were really timed


def best(call: Callable[[], object], repeat: int) -> tuple[float, float]:
    """Wall clock and processor time in seconds, each the smallest of the repetitions."""
    walls, processors = [], []
    for _ in range(repeat):
        wall, processor = time.perf_counter(), time.process_time()
        call()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def all_of(task: str, tool: str, call: Callable[[], object], repeat: int) -> Row:
    return Row(task, tool, *best(call, repeat), PAIRS)


def some(task: str, tool: str, pairs: int, call: Callable[[], object], repeat: int = 2) -> Row:
    """Time a call that works on some pairs, and extrapolate to all."""
    wall, processor = best(call, repeat)
    return Row(task, tool, wall * PAIRS / pairs, processor * PAIRS / pairs, pairs)


def t_of(w: np.ndarray, axis: int = -1) -> np.ndarray:
    return w.mean(axis=axis) / (w.std(axis=axis, ddof=1) / np.sqrt(w.shape[axis]))


def bootstrap_rows(values: np.ndarray, z: np.ndarray, threads: int, repeat: int) -> list[Row]:
    task = "bootstrap, 1,000 resamples"
    sides = all_pairs(RUNS)
    w = z - z.mean(axis=1, keepdims=True)

    # scipy's speed depends much on its batch: the default makes all resamples at once, 1 keeps them in the cache.
    def scipys(pairs: int, batch: int | None) -> object:
        return stats.bootstrap(
            (w[:pairs],), t_of, n_resamples=1000, vectorized=True, axis=-1, method="percentile", batch=batch
        )

    def looped() -> None:
        generator = np.random.default_rng(0)
        for row in w[:20]:
            np.abs(t_of(row[generator.integers(0, TOPICS, size=(1000, TOPICS))]))

    def ours() -> object:
        return bootstrap(Problem(values, *sides, resamples=1000, threads=threads))

    return [
        all_of(task, f"poolwise, {threads} threads", ours, repeat),
        some(task, "scipy.stats.bootstrap, vectorised", 500, partial(scipys, 500, None)),
        all_of(task, "scipy.stats.bootstrap, vectorised, batch=1", partial(scipys, PAIRS, 1), 2),
        some(task, "numpy loop over pairs", 20, looped),
    ]


def flip_rows(values: np.ndarray, z: np.ndarray, threads: int, repeat: int) -> list[Row]:
    task = "randomisation, 10,000 sign flips"
    sides = all_pairs(RUNS)

    def scipys() -> None:
        for row in z[:5]:
            stats.permutation_test(
                (row,), np.mean, permutation_type="samples", n_resamples=10_000, vectorized=True, rng=0
            )

    def ours() -> object:
        return randomisation(Problem(values, *sides, resamples=10_000, threads=threads))

    rows = [
        all_of(task, f"poolwise, {threads} threads", ours, repeat),
        some(task, "scipy.stats.permutation_test, vectorised", 5, scipys),
    ]
    return rows + ranx_rows(task, values)


def ranx_rows(task: str, values: np.ndarray) -> list[Row]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from ranx.statistical_tests import fisher_randomization_test
    except ImportError:
        return []
    fisher_randomization_test(values[0], values[1], 10)  # compiles on first use; not timed

    def looped() -> None:
        for other in values[1:4]:
            fisher_randomization_test(values[0], other, 10_000)

    return [some(task, "ranx loop, after its compilation", 3, looped)]


def plain_rows(values: np.ndarray, sides: tuple[np.ndarray, np.ndarray], repeat: int) -> list[Row]:
    def loop(test: Callable[..., object]) -> Callable[[], None]:
        def looped() -> None:
            for a, b in zip(sides[0][:200], sides[1][:200], strict=True):
                test(values[a], values[b])

        return looped

    rows = []
    for name, test in (("t", stats.ttest_rel), ("wilcoxon", stats.wilcoxon)):
        task = f"{name}, with correction and letters"
        rows += [
            all_of(task, "poolwise.compare", partial(compare, values, test=name), repeat),
            some(task, "scipy loop over pairs (PyTerrier style), p only", 200, loop(test)),
        ]
    return rows


def show(rows: list[Row]) -> None:
    width = max(len(row.tool) for row in rows)
    first = rows[0]
    for row in rows:
        if row is rows[0] or row.task != first.task:
            first = row
            print(f"\n{row.task}, {PAIRS:,} pairs x {TOPICS} topics")
            print(f"  {'':<{width}}  {'wall ms':>13}  {'ratio':>10}  {'processor ms':>13}  {'ratio':>10}")
        note = "measured" if row.timed == PAIRS else f"extrapolated from {row.timed} pairs"
        times = [(row.wall, first.wall), (row.processor, first.processor)]
        cells = "  ".join(f"{value * 1000:>13,.1f}  {value / base:>10,.1f}" for value, base in times)
        print(f"  {row.tool:<{width}}  {cells}  {note}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # those of the peers' libraries
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy")]
    versions += [f"ranx {importlib.metadata.version('ranx')}"] if importlib.util.find_spec("ranx") else []
    loops = "compiled" if hasattr(_core, "bootstrap_pairs") else "numpy"
    print(f"Python {platform.python_version()}, {', '.join(versions)}; loops over pairs: {loops}")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} when started")
    values = np.random.default_rng(0).beta(1, 3, size=(RUNS, TOPICS))
    first, second = all_pairs(RUNS)
    z = values[first] - values[second]
    rows = bootstrap_rows(values, z, options.threads, options.repeat)
    rows += flip_rows(values, z, options.threads, options.repeat)
    rows += plain_rows(values, (first, second), options.repeat)
    show(rows)
    print(f"\nload {os.getloadavg()[0]:.1f} when done")


if __name__ == "__main__":
    main()
