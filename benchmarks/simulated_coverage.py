"""How often intervals hold of measures that are estimated by simulation, from samples in strata and by a model.

    python benchmarks/simulated_coverage.py QRELS RUNS --keep FILE [--runs 8] [--designs stratified model uniform]
                                            [--shares 0.1 0.2] [--trials 25] [--measures RR Q ...]
    python benchmarks/simulated_coverage.py --table FILE [FILE]

The pool is what QRELS lists. Plans are made for AP before anything is judged; one sample serves all measures. Every
sample is a line of the file that `--keep` names, so that work goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from models_labels import kept
from plan_savings import Planned, Way

from poolwise.errors import PoolwiseWarning

MEASURES = ("RR", "RBP(p=0.8)", "ERR@20", "Q", "Rprec", "Success@5", "bpref", "AP'", "F1@20")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", nargs="?")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--designs", nargs="+", default=["stratified", "model"])
    parser.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.2])
    parser.add_argument("--measures", nargs="+", default=list(MEASURES))
    parser.add_argument("--trials", type=int, default=25)
    parser.add_argument("--keep")
    parser.add_argument("--table", nargs="+")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    if arguments.table:
        print("\n".join(table([one for file in arguments.table for one in kept(file)])))
        return
    files = sorted(Path(arguments.folder).glob("*.txt"))
    known = Planned(arguments.qrels, [str(files[n * len(files) // arguments.runs]) for n in range(arguments.runs)])
    measures, name = tuple(arguments.measures), Path(arguments.qrels).parent.name
    done = {(one["design"], one["share"], one["seed"]) for one in kept(arguments.keep)}
    for seed in range(arguments.trials):
        for design in arguments.designs:
            for share in arguments.shares:
                if (design, share, seed) not in done:
                    line = {"set": name, "design": design, "share": share, "seed": seed}
                    found = sampled(known, design, share, measures, seed)
                    with open(arguments.keep, "a", encoding="utf-8") as file:
                        file.write(json.dumps({**line, **found}) + "\n")


def sampled(known: Planned, design: str, share: float, measures: tuple[str, ...], seed: int) -> dict[str, Any]:
    """Of each measure: mean error, mean squared error, width, held; of runs and of differences."""
    sample = known.sample_of(int(share * len(known.full.labels)), Way(design), "AP", seed)
    found = known.errors(known.estimated(sample, known.plain, measures), measures)
    parts = [
        np.array([error.mean(axis=0), (error**2).mean(axis=0), width.mean(axis=0), held.mean(axis=0)]).T.tolist()
        for error, width, held in found
    ]
    return {"measures": list(measures), "runs_of": parts[0], "pairs_of": parts[1]}


def table(rows: list[dict[str, Any]]) -> list[str]:
    """One row per collection, design, share and measure."""
    found: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        for place, measure in enumerate(row["measures"]):
            found[row["set"], row["design"], row["share"], measure].append(
                (*row["runs_of"][place], *row["pairs_of"][place])
            )
    lines = ["| collection | design | judged | measure | samples | bias | RMSE | width | held | A - B: RMSE | held |"]
    for (name, design, share, measure), own in sorted(found.items()):
        values = np.array(own)
        mean, error = values.mean(axis=0), values.std(axis=0) / np.sqrt(max(len(own) - 1, 1))
        lines.append(
            f"| {name} | {design} | {100 * share:g} % | {measure} | {len(own)} | {mean[0]:+.4f} | "
            f"{np.sqrt(mean[1]):.4f} | {mean[2]:.3f} | {100 * mean[3]:.1f} ({100 * error[3]:.1f}) | "
            f"{np.sqrt(mean[5]):.4f} | {100 * mean[7]:.1f} ({100 * error[7]:.1f}) |"
        )
    return lines


if __name__ == "__main__":
    main()
