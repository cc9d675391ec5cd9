"""Compare with published scores of real campaigns, which are not ours and not in this repository.

    python benchmarks/validate.py DATA

DATA holds trec8 (qrels.txt, runs.tsv.xz, expected.trec_eval10.tsv.gz) and trec-covid5 (qrels.txt, runs.tsv.xz,
official.csv). A packed run line is run, topic and documents in rank order.
"""

from __future__ import annotations

import csv
import gzip
import lzma
import sys
import warnings
from pathlib import Path

import numpy as np

import poolwise as pw

TREC8 = ("map", "bpref", "infAP", "Rprec", "recip_rank", "P_10", "P_30", "ndcg", "ndcg_cut_10", "ndcg_cut_20",
         "num_rel_ret", "num_ret", "rbp")  # fmt: skip
COVID = {"ndcg@20": ("nDCG@20", 1e-4), "P@20": ("P@20", 5.1e-5), "bpref": ("bpref", 5.1e-5), "map": ("AP", 5.1e-5)}


def unpacked(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Runs by name; scores count down from the depth, so the order is kept."""
    runs: dict[str, dict[str, dict[str, float]]] = {}
    with lzma.open(next(folder.glob("*runs.tsv.xz")), "rt") as lines:
        for line in lines:
            run, topic, documents = line.rstrip("\n").split("\t")
            names = documents.split(" ")
            runs.setdefault(run, {})[topic] = {name: float(len(names) - i) for i, name in enumerate(names)}
    return runs


def check_trec8(folder: Path) -> None:
    pool = pw.read(folder / "qrels.txt", unpacked(folder))
    scores = pool.score(*TREC8)
    values = {name: scores.array(name) for name in TREC8}
    compared, apart = 0, dict.fromkeys(TREC8, 0)
    with gzip.open(folder / "expected.trec_eval10.tsv.gz", "rt") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["topic"] == "all":
                continue
            r, t = pool.runs.index(row["run"]), pool.topics.index(row["topic"])
            for name in TREC8:
                compared += 1
                apart[name] += int(abs(values[name][r, t] - float(row[name])) > 5.001e-5)
    print(f"TREC-8, {len(pool.runs)} runs x {len(pool.topics)} topics: {compared} values of trec_eval 10 compared")
    print(f"  values that differ in the fourth decimal: {sum(apart.values())} {apart}")


def check_covid(folder: Path) -> None:
    pool = pw.read(folder / "qrels.txt", unpacked(folder))
    means = pool.score(*(ours for ours, _ in COVID.values())).to_dict()
    with open(folder / "official.csv") as file:
        official = {row["tag"]: row for row in csv.DictReader(file)}
    print(f"TREC-COVID round 5, {len(pool.runs)} runs x {len(pool.topics)} topics: official means compared")
    for theirs, (ours, tolerance) in COVID.items():
        gaps = {run: abs(means[run][ours] - float(official[run][theirs])) for run in pool.runs}
        beyond = {run: round(gap, 6) for run, gap in gaps.items() if gap > tolerance}
        largest, over = np.max(list(gaps.values())), beyond or "none"
        print(f"  {theirs}: largest difference {largest:.6f}; beyond {tolerance:g}: {over}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    check_trec8(Path(sys.argv[1]) / "trec8")
    check_covid(Path(sys.argv[1]) / "trec-covid5")
