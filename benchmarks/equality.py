"""Per topic equality with trec_eval on real campaigns, by every measure, as a table.

    python -m benchmarks.equality DATA [--runs N]

DATA is the folder of `make reproduce`: a set per folder, robust03, trec8 and dl19. Every run's scores by all measures
of trec_eval's `all_trec` are compared with pytrec_eval's, which is trec_eval's code, at full precision; then with what
trec_eval 10 printed (`trec8/expected.trec_eval10.tsv.gz`).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import warnings
from collections import Counter
from pathlib import Path

import pytrec_eval
from benchmarks.reproduce.data import qrels_of, runs_of

import poolwise as pw
from poolwise.compat import pytrec_eval as ours

SETS = ("robust03", "trec8", "dl19")
NEAR = 1e-9
PUBLISHED = {"map": 0.2249, "gm_map": 0.1041, "bpref": 0.2175, "Rprec": 0.2503}  # InexpC2 at TREC 2003, by NIST


def base(name: str) -> str:
    """A measure without its cut-off."""
    head, _, tail = name.rpartition("_")
    return head if head and tail.replace(".", "").isdigit() else name


def compared(folder: Path, most: int | None) -> tuple[int, int, Counter[str], Counter[str]]:
    """Runs and lists, and by measure how many values there are and how many differ."""
    qrels, runs = qrels_of(folder / "qrels.txt"), runs_of(folder)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"})
    mine = ours.RelevanceEvaluator(qrels, {"all_trec"})
    values: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    lists = 0
    for run in list(runs)[:most]:
        expected, found = theirs.evaluate(runs[run]), mine.evaluate(runs[run])
        lists += len(expected)
        for topic, row in expected.items():
            for name, value in row.items():
                values[base(name)] += 1
                differing[base(name)] += not abs(found[topic][name] - value) <= NEAR * max(1.0, abs(value))
    return min(len(runs), most or len(runs)), lists, values, differing


def printed(folder: Path) -> tuple[int, int]:
    """Values that trec_eval 10 printed, and how many of ours are equal to their decimals."""
    with gzip.open(folder / "expected.trec_eval10.tsv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["topic"] != "all"]
    names = [name for name in rows[0] if name not in ("run", "topic", "rbp_resid")]
    scores = pw.read(qrels_of(folder / "qrels.txt"), runs_of(folder)).score(*names)
    at = (
        {run: place for place, run in enumerate(scores.runs)},
        {topic: place for place, topic in enumerate(scores.topics)},
    )
    equal = total = 0
    for name in names:
        array = scores.array(name)
        for row in rows:
            total += 1
            equal += abs(float(row[name]) - array[at[0][row["run"]], at[1][row["topic"]]]) <= 0.5001e-4
    return total, equal


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=int, help="of each set; all unless given")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    print("| set | runs | rankings | measures | values | differing |\n|---|---:|---:|---:|---:|---|")
    for name in SETS:
        runs, lists, values, differing = compared(arguments.data / name, arguments.runs)
        shown = ", ".join(f"{measure} {count}" for measure, count in (+differing).items()) or "none"
        print(f"| {name} | {runs} | {lists:,} | {len(values)} | {sum(values.values()):,} | {shown} |", flush=True)
    total, equal = printed(arguments.data / "trec8")
    print(f"\ntrec_eval 10's printed values on trec8: {equal:,} of {total:,} equal to their four decimals")
    folder = arguments.data / "robust03"
    scores = pw.read(qrels_of(folder / "qrels.txt"), {"InexpC2": runs_of(folder)["InexpC2"]}).score(*PUBLISHED)
    for (name, value), found in zip(PUBLISHED.items(), scores.means()[0], strict=True):
        print(f"robust03 InexpC2 {name}: {found:.4f}, published {value:.4f}")


if __name__ == "__main__":
    main()
