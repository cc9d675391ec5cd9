"""Side by side in one run: files to mean scores, a single run from the shell, many label samples, big input.

    python benchmarks/read_and_score.py [--runs 100] [--repeat 3]

Peers come from PyPI. Every figure is a ratio to a peer measured in the same minutes on the same machine.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate
from poolwise.pool.judgments import POOLED

NAMES = ("map", "bpref", "infAP", "ndcg")


def best(function, repeat: int) -> float:
    return by_turns({"": function}, repeat)[""]


def by_turns(functions: dict, repeat: int) -> dict:
    """Fastest seconds of each function; they take turns, so that a busy moment of the machine meets all."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeat):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    return {name: min(values) for name, values in times.items()}


def with_pytrec_eval(qrels: Path, runs: list[Path]) -> list[list[float]]:
    import pytrec_eval

    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, set(NAMES))
    means = []
    for path in runs:
        with open(path) as file:
            results = evaluator.evaluate(pytrec_eval.parse_run(file))
        means.append([sum(values[name] for values in results.values()) / len(judged) for name in NAMES])
    return means


def with_ir_measures(qrels: Path, runs: list[Path]) -> list[list[float]]:
    import ir_measures

    asked = [ir_measures.parse_measure(name) for name in ("AP", "Bpref", "infAP", "nDCG")]
    judged = list(ir_measures.read_trec_qrels(str(qrels)))
    evaluator = ir_measures.evaluator(asked, judged)
    found = (evaluator.calc_aggregate(ir_measures.read_trec_run(str(path))) for path in runs)
    return [[means[measure] for measure in asked] for means in found]


def with_ranx(qrels: Path, runs: list[Path]) -> list[list[float]]:
    import ranx

    judged = ranx.Qrels.from_file(str(qrels), kind="trec")
    found = (
        ranx.evaluate(
            judged, ranx.Run.from_file(str(path), kind="trec"), ["map", "bpref", "ndcg"], make_comparable=True
        )
        for path in runs
    )
    return [[means["map"], means["bpref"], float("nan"), means["ndcg"]] for means in found]


def with_trectools(qrels: Path, runs: list[Path]) -> list[list[float]]:
    import trectools

    judged = trectools.TrecQrel(str(qrels))
    means = []
    for path in runs:
        evaluation = trectools.TrecEval(trectools.TrecRun(str(path)), judged)
        means.append([evaluation.get_map(), evaluation.get_bpref(), float("nan"), evaluation.get_ndcg()])
    return means


def with_poolwise(qrels: Path, runs: list[Path], threads: int) -> np.ndarray:
    pool = pw.read(qrels, *runs, threads=threads)
    return pool.score(*NAMES, threads=threads).means()


def row(*cells) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def files_to_means(folder: Path, repeat: int) -> None:
    qrels, runs = folder / "qrels.txt", sorted((folder / "runs").iterdir())
    print(f"\n## Files to means of AP, bpref, infAP, nDCG ({len(runs)} runs)\n")
    row("tool", "runs timed", "seconds per run", "poolwise by turns with it, 1 thread", "2 threads")
    row(*["---"] * 5)
    few = runs[:: max(1, len(runs) // 5)][:5]
    expected = {len(subset): with_poolwise(qrels, subset, 1) for subset in (runs, few, few[:1])}
    mine = {threads: partial(with_poolwise, qrels, runs, threads) for threads in (1, 2)}
    for name, function, subset in (
        ("pytrec-eval-terrier", with_pytrec_eval, runs),
        ("ir-measures", with_ir_measures, few),
        ("ranx", with_ranx, few),
        ("trectools", with_trectools, few[:1]),
    ):
        try:
            means = np.asarray(function(qrels, subset))  # also compiles what compiles on first use
        except ImportError:
            row(name, "not installed", "", "", "")
            continue
        found = by_turns({**mine, 0: partial(function, qrels, subset)}, 1 if subset == few[:1] else repeat)
        theirs, one, two = found[0] / len(subset), found[1] / len(runs), found[2] / len(runs)
        row(
            f"{name} {version(name)}",
            len(subset),
            f"{theirs:.4f}",
            f"{one:.5f} ({theirs / one:.0f}x faster)",
            f"{two:.5f} ({theirs / two:.0f}x faster)",
        )
        apart = np.nanmax(np.abs(means - expected[len(subset)]), axis=0)
        print(f"    largest difference of means AP, bpref, infAP, nDCG: {np.array2string(apart, precision=1)}")


def other_inputs(folder: Path, repeat: int) -> None:
    qrels, runs = folder / "qrels.txt", sorted((folder / "runs").iterdir())[:10]
    usual = best(lambda: with_poolwise(qrels, runs, 1), repeat)
    print("\n## Other forms of the same ten runs, one thread, against the usual form\n")
    row("form", "time against the usual")
    row("---", "---")
    draw = random.Random(0)

    def shuffled(text: str) -> bytes:
        lines = text.splitlines(keepends=True)
        draw.shuffle(lines)
        return "".join(lines).encode()

    def by_topic(text: str) -> bytes:
        lines = text.splitlines(keepends=True)
        draw.shuffle(lines)
        return "".join(sorted(lines, key=lambda line: line.split()[0])).encode()

    forms = {
        "tab-separated": lambda text: text.replace(" ", "\t").encode(),
        "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
        "scores not sorted": by_topic,
        "lines in random order": shuffled,
        "gzip": lambda text: gzip.compress(text.encode(), 6),
    }
    for name, change in forms.items():
        with tempfile.TemporaryDirectory() as other:
            for path in runs:
                (Path(other) / path.name).write_bytes(change(path.read_text()))
            paths = sorted(Path(other).iterdir())
            assert (with_poolwise(qrels, paths, 1) == with_poolwise(qrels, runs, 1)).all()
            row(name, f"{best(lambda paths=paths: with_poolwise(qrels, paths, 1), repeat) / usual:.1f}x")


def from_the_shell(folder: Path) -> None:
    run = sorted((folder / "runs").iterdir())[0]
    lines = run.read_bytes().count(b"\n")
    poolwise = str(Path(sys.executable).parent / "poolwise")
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "poolwise score": [poolwise, "score", str(folder / "qrels.txt"), str(run)],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(30):  # by turns, so that a busy moment meets both
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            times[name].append(time.perf_counter() - start)
    print(f"\n## One run of {lines} lines from the shell, process start included, 30 times by turns\n")
    row("command", "fastest, ms", "median, ms")
    row("---", "---", "---")
    for name, values in times.items():
        row(name, f"{1e3 * min(values):.1f}", f"{1e3 * sorted(values)[15]:.1f}")
    extra = [1e3 * (f(times["poolwise score"]) - f(times["python -c pass"])) for f in (min, lambda v: sorted(v)[15])]
    print(f"\nDifference: {extra[0]:.1f} ms (fastest), {extra[1]:.1f} ms (median)")


def many_samples(folder: Path, repeat: int) -> None:
    import pytrec_eval

    qrels, runs = folder / "qrels.txt", sorted((folder / "runs").iterdir())
    pool = pw.read(qrels, *runs)
    rng = np.random.default_rng(0)
    fractions = [0.01, 0.02, 0.03, 0.04, 0.05, *np.arange(0.1, 0.31, 0.05), *np.arange(0.4, 1.01, 0.1)]
    labels = pool.judgments.labels
    samples = [
        pw.Judgments(pool, np.where(rng.random(len(labels)) < fraction, labels, POOLED).astype(np.int32))
        for _ in range(10)
        for fraction in fractions
    ]
    measures = ("AP", "bpref", "nDCG", "AP'", "nDCG'", "Q'")
    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    with open(runs[0]) as file:
        run = pytrec_eval.parse_run(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map", "bpref", "ndcg"})
    ours = {threads: partial(pool.score, *measures, judgments=samples, threads=threads) for threads in (1, 2)}
    found = by_turns({**ours, 0: partial(evaluator.evaluate, run)}, max(repeat, 5))
    theirs = found[0] * len(samples) * len(runs)
    print(f"\n## {len(samples)} label samples x {len(runs)} runs x {len(pool.topics)} topics\n")
    row("tool", "measures", "seconds", "ratio")
    row(*["---"] * 4)
    row(
        "pytrec-eval-terrier " + version("pytrec-eval-terrier"),
        "map, bpref, ndcg",
        f"{theirs:.0f} (one evaluation x {len(samples) * len(runs)})",
        "1",
    )
    for threads in ours:
        seconds = found[threads]
        row(f"poolwise, {threads} threads", ", ".join(measures), f"{seconds:.3f}", f"{theirs / seconds:.0f}x")


def big_run(folder: Path) -> None:
    """7,000 topics x 1,000 documents in one run, in a process of its own for its peak memory."""
    topics, depth = 7000, 1000
    rng = np.random.default_rng(1)
    ids = [f"doc{number}" for number in range(200_000)]
    with open(folder / "big.qrels", "w") as qrels, open(folder / "big.txt", "w") as run:
        for topic in range(topics):
            chosen = rng.integers(0, len(ids) - depth * 3) + np.sort(rng.choice(depth * 3, depth, replace=False))
            qrels.writelines(f"{topic} 0 {ids[d]} {int(rng.random() < 0.3)}\n" for d in chosen[:: depth // 20])
            run.writelines(f"{topic} Q0 {ids[d]} {i + 1} {depth - i} big\n" for i, d in enumerate(chosen))
    code = (
        "import json,time,poolwise as pw\n"
        "start=time.perf_counter()\n"
        f"pool=pw.read({str(folder / 'big.qrels')!r},{str(folder / 'big.txt')!r},threads=1)\n"
        "scores=pool.score('AP','nDCG@10')\n"
        "peak=next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(json.dumps([time.perf_counter()-start,peak]))"
    )
    seconds, peak = json.loads(
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    )
    size = os.path.getsize(folder / "big.txt") / 1e6
    print(f"\n## One run of {topics} topics x {depth} documents ({size:.0f} MB)\n")
    print(f"{seconds:.2f} s, {1e9 * seconds / topics / depth:.0f} ns a line, peak memory {peak / 1024:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # notes on topics that runs lack, and those of the peers' libraries
    print(
        f"poolwise {pw.__version__}, core built -O3; Python {platform.python_version()}; "
        f"{platform.machine()}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} when started"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        simulate(runs=arguments.runs, topics=50, depth=1000, seed=1, negative=0.0).write(folder)
        files_to_means(folder, arguments.repeat)
        from_the_shell(folder)
        many_samples(folder, arguments.repeat)
        other_inputs(folder, arguments.repeat)
        big_run(folder)


if __name__ == "__main__":
    main()
