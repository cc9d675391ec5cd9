"""How work grows with its size: processor time at doubling sizes, and the exponent of the last doubling.

    python benchmarks/growth.py [NAME ...]

An exponent of 1 is linear. Times of a busy machine are too high, their ratios less so.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import poolwise as pw
from poolwise.lab.simulate.drawing import simulate


def long_scores(runs: int, topics: int) -> pandas.DataFrame:
    """A frame of scores, one row per run and topic."""
    names, places = np.repeat(np.arange(runs), topics), np.tile(np.arange(topics), runs)
    values = np.random.default_rng(0).random(runs * topics)
    return pandas.DataFrame({"run": names.astype(str), "topic": places.astype(str), "value": values})


def run_frame(runs: int, rows: int) -> pandas.DataFrame:
    """A frame of runs with a column that names them."""
    names, ranks = np.repeat(np.arange(runs), rows), np.tile(np.arange(rows), runs)
    columns = {"run": names, "topic": ranks % 10, "document": ranks}
    return pandas.DataFrame({name: values.astype(str) for name, values in columns.items()} | {"score": -1.0 * ranks})


def campaign(topics: int, runs: int = 2, depth: int = 10) -> pw.Campaign:
    """A campaign of many topics."""
    labels = {str(topic): {f"d{rank}": rank % 2 for rank in range(depth)} for topic in range(topics)}
    one = {topic: {f"d{rank}": -float(rank) for rank in range(depth)} for topic in labels}
    return pw.read(labels, {str(run): one for run in range(runs)})


def of_every_topic(pool: pw.Campaign) -> None:
    """Labels and a ranking, topic by topic."""
    for topic in pool.topics:
        pool.judgments.of(topic)
        pool.ranking("0", topic)


def planned(pool: pw.Campaign) -> Any:
    """A plan of two labels per topic."""
    return pool.plan(budget=2 * len(pool.topics))


def sampled(runs: int, topics: int, depth: int = 100) -> tuple[pw.Campaign, pw.Judgments]:
    """A simulated campaign, and a tenth of its labels."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(runs=runs, topics=topics, depth=depth, seed=1, negative=0.0).write(Path(folder))
        pool = pw.read(f"{folder}/qrels.txt", f"{folder}/runs", documents="all")  # the folder goes
    return pool, pool.judgments.sample("uniform", fraction=0.1, seed=1)


def estimated(given: tuple[pw.Campaign, pw.Judgments]) -> Any:
    """AP and nDCG@10 of all runs."""
    pool, sample = given
    return pool.estimate("AP", "nDCG@10", judgments=sample, threads=1)


def log_file(runs: int, rows: int = 400_000) -> str:
    """A log of always as many rows, shared by so many runs."""
    place, topics = np.arange(rows), 20
    columns = {"run": place % runs, "topic": place // runs % topics, "document": place // (runs * topics)}
    frame = pandas.DataFrame({name: values.astype(str) for name, values in columns.items()})
    path = f"{tempfile.mkdtemp()}/log.parquet"
    frame.assign(score=-1.0 * place, label=place // (runs * topics) % 2).to_parquet(path)
    return path


def unlike_runs(runs: int) -> Any:
    """Scores of runs that differ, as a third of all pairs of a campaign do."""
    return 0.5 * np.random.default_rng(0).random((runs, 50)) + np.linspace(0, 0.2, runs)[:, None]


def compared_page(scores: Any) -> None:
    """The page of a comparison of all pairs; its size goes to the table of sizes."""
    from poolwise.comparisons.comparison_shown import comparison_page

    SIZES[len(scores)] = len(comparison_page(pw.compare(scores, test="t")).html().encode()) / 1e6


SIZES: dict[int, float] = {}  # megabytes of pages, by runs
WORK: dict[str, tuple[tuple[int, ...], Callable[[int], Any], Callable[[Any], Any]]] = {
    "letters of compare, runs": (
        (500, 1000, 2000), lambda size: np.random.default_rng(0).random((size, 50)), lambda x: pw.compare(x, test="t"),
    ),
    "Scores.from_frame, topics": ((10_000, 20_000, 40_000), lambda size: long_scores(2, size), pw.Scores.from_frame),
    "Scores.from_frame, runs": ((1000, 2000, 4000), lambda size: long_scores(size, 50), pw.Scores.from_frame),
    "reading a frame with a run column, runs": (
        (500, 1000, 2000), lambda size: run_frame(size, 200), lambda x: pw.read({"1": {"1": 1}}, x),
    ),
    "judgments.of and ranking, topics": ((2000, 4000, 8000), campaign, of_every_topic),
    "score_log of 400,000 rows, runs": (
        (250, 500, 1000), log_file, lambda path: pw.score_log(path, measures=["AP", "nDCG@10"], threads=1),
    ),
    "page of a comparison, runs": (
        (250, 500, 1000), unlike_runs, compared_page,
    ),
    "plan, topics": ((2500, 5000, 10_000), campaign, planned),
    "estimate, runs": ((32, 64, 129, 250, 500), lambda size: sampled(size, 10), estimated),
    "estimate, topics": ((50, 200, 1000), lambda size: sampled(20, size), estimated),
}  # fmt: skip


def main(names: list[str]) -> None:
    """Print a row per work: sizes, seconds, exponent."""
    warnings.simplefilter("ignore")
    for name, (sizes, make, work) in WORK.items():
        if names and not any(wanted in name for wanted in names):
            continue
        taken = [seconds(make(size), work) for size in sizes]
        exponent = math.log2(taken[-1] / taken[-2]) / math.log2(sizes[-1] / sizes[-2])
        listed = ", ".join(f"{size:,}: {each:.2f} s" for size, each in zip(sizes, taken, strict=True))
        print(f"| {name} | {listed} | {exponent:.1f} |", flush=True)
    if SIZES:
        print("pages:", ", ".join(f"{runs:,} runs {size:.1f} MB" for runs, size in SIZES.items()))


def seconds(given: Any, work: Callable[[Any], Any]) -> float:
    """Processor time of the work."""
    start = time.process_time()
    work(given)
    return time.process_time() - start


if __name__ == "__main__":
    main(sys.argv[1:])
