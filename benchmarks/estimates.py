"""How long `estimate` takes: AP and nDCG@10 of all runs from a uniform sample of a tenth of the labels.

    python benchmarks/estimates.py [QRELS RUNS...] [--turns 10]

Without files a campaign of 129 runs x 50 topics x 1,000 documents is simulated. Prints the first call of the process
(it loads what scipy needs) and the fastest and the median of the turns, on one and on two threads.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import warnings
from pathlib import Path

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="QRELS RUNS")
    parser.add_argument("--turns", type=int, default=10)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    with tempfile.TemporaryDirectory() as folder:
        files = arguments.files
        if not files:
            simulate(runs=129, topics=50, depth=1000, seed=1, negative=0.0).write(Path(folder))
            files = [f"{folder}/qrels.txt", f"{folder}/runs"]
        pool = pw.read(*files, documents="all")
        sample = pool.judgments.sample("uniform", fraction=0.1, seed=1)
        print(
            f"{len(pool.runs)} runs x {len(pool.topics)} topics, {sample.count()} of {pool.judgments.count()} labels, "
            f"AP and nDCG@10; first call {timed(pool, sample, 2):.2f} s"
        )
        for threads in (1, 2):
            seconds = [timed(pool, sample, threads) for _ in range(arguments.turns)]
            print(f"threads {threads}: fastest {min(seconds):.2f} s, median {statistics.median(seconds):.2f} s")


def timed(pool: pw.Campaign, sample: pw.Judgments, threads: int) -> float:
    start = time.perf_counter()
    pool.estimate("AP", "nDCG@10", judgments=sample, threads=threads)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
