"""Two builds of poolwise side by side: is the newer one as fast as the older?

    python benchmarks/versions.py OLDER/src NEWER/src [--repeat 15] [--runs 100]

Each folder holds the package with its compiled core. Each build has a process of its own, and they take turns; seconds
of the processor count, because these depend least on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from poolwise.lab.simulate.drawing import simulate

MEASURES = ("AP", "bpref", "infAP", "nDCG")
ALL_LABELS = ("AP", "nDCG", "nDCG@10", "bpref", "P@10", "Judged@10", "RR", "R@100", "Rprec", "Q", "ERR", "RBP")
WORK = {
    "read and score 1 run by 4 measures": "read(qrels, runs[0]).score(*few, threads=1)",
    "read and score all runs by 4 measures": "read(qrels, *runs).score(*few, threads=1)",
    "read all runs, every document": "pw.read(qrels, *runs, threads=1)",
    "score all runs by 4 measures": "pool.score(*few, threads=1)",
    "score all runs by 12 measures": "pool.score(*many, threads=1)",
    "20 samples of labels by 4 measures": "pool.score(*few, judgments=samples, threads=1)",
    "bounds of AP and nDCG, 10 runs": "some.score('AP', 'nDCG', judgments=sample, interval='bounds', threads=1)",
}
WORKER = """
import json, sys, time, warnings
from functools import partial
warnings.simplefilter("ignore")
import poolwise as pw
work, qrels, runs, few, many = json.loads(sys.stdin.readline())
pool = pw.read(qrels, *runs, threads=1)
samples = [pool.judgments.sample("uniform", fraction=0.1, seed=seed) for seed in range(20)]
some = pw.read(qrels, *runs[:10], threads=1)
sample = some.judgments.sample("uniform", fraction=0.1, seed=1)
read = partial(pw.read, documents="judged", threads=1)
work = {name: compile(text, name, "eval") for name, text in work.items()}
print("ready", flush=True)
for line in sys.stdin:
    code = work[json.loads(line)]
    seconds, processor = time.perf_counter(), time.process_time()
    eval(code)
    print(json.dumps([time.process_time() - processor, time.perf_counter() - seconds]), flush=True)
"""


def environment(source: str) -> dict[str, str]:
    """With a folder's package first, and compiled modules kept, as an installed package has them."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1"}


def start(source: str, given: list) -> subprocess.Popen:
    """A process that has the package of a folder and waits for work."""
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER],
        env=environment(source),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    worker.stdin.write(json.dumps(given) + "\n")
    worker.stdin.flush()
    assert worker.stdout.readline() == "ready\n"
    return worker


def timed(worker: subprocess.Popen, name: str) -> list[float]:
    """Processor and wall seconds of one piece of work."""
    worker.stdin.write(json.dumps(name) + "\n")
    worker.stdin.flush()
    return json.loads(worker.stdout.readline())


def from_the_shell(source: str, qrels: str, run: str) -> list[float]:
    """Processor and wall seconds of `poolwise score`, from its start."""
    before, seconds = os.times(), time.perf_counter()
    command = [sys.executable, "-m", "poolwise", "score", qrels, run]
    subprocess.run(command, env=environment(source), capture_output=True, check=True)
    after = os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return [processor, time.perf_counter() - seconds]


def show(name: str, turns_of_both: list[list[list[float]]]) -> None:
    """One row: processor milliseconds, fastest and median, and the ratios of both; wall clock last."""
    cells, (older, newer) = [name], zip(*turns_of_both, strict=True)
    for of in (min, statistics.median):
        a, b = (of(turn[0] for turn in turns) for turns in (older, newer))
        cells += [f"{1e3 * a:.1f}", f"{1e3 * b:.1f}", f"{b / a:.3f}"]
    a, b = (min(turn[1] for turn in turns) for turns in (older, newer))
    print("| " + " | ".join([*cells, f"{b / a:.3f}"]) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("older")
    parser.add_argument("newer")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--runs", type=int, default=100)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    sources = [str(Path(given).resolve()) for given in (arguments.older, arguments.newer)]
    with tempfile.TemporaryDirectory() as folder:
        simulate(runs=arguments.runs, topics=50, depth=1000, seed=1, negative=0.0).write(folder)
        qrels, runs = str(Path(folder) / "qrels.txt"), sorted(map(str, (Path(folder) / "runs").iterdir()))
        print(
            f"{arguments.runs} runs x 50 topics x 1,000 documents, one thread, {arguments.repeat} turns each, "
            f"load {os.getloadavg()[0]:.1f} when started\n"
        )
        print(
            "| processor ms | fastest: older | newer | ratio | median: older | newer | ratio | wall, fastest: ratio |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        workers = [start(source, [WORK, qrels, runs, MEASURES, ALL_LABELS]) for source in sources]
        for name in WORK:
            for worker in workers:
                timed(worker, name)  # what is loaded or reserved once
            turns = [[timed(worker, name) for worker in workers] for _ in range(arguments.repeat)]
            show(name, turns)
        turns = [[from_the_shell(source, qrels, runs[0]) for source in sources] for _ in range(2 * arguments.repeat)]
        show("`poolwise score` of 1 run, from its start", turns)
        for worker in workers:
            worker.stdin.close()
            worker.wait()


if __name__ == "__main__":
    main()
