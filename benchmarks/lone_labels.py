"""Strata with one label each: how good estimates are where hardly a pair of labels shares a stratum.

    python benchmarks/lone_labels.py QRELS RUNS [--runs 5] [--labels 2.3] [--trials 40] [--measures nDCG@10 AP]

Ten sets of runs drawn at random take turns. In every topic half of the labels are of documents that a run ranks within
10, half of the rest (`models_labels.py`), so that with 2.3 labels per topic most strata have one.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from models_labels import SETS, Work

from poolwise.errors import PoolwiseWarning


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--labels", type=float, default=2.3)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "nDCG", "AP", "R@100"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    work, measures = Work(arguments.qrels, arguments.folder, {}, {"all", "noise"}), tuple(arguments.measures)
    trials = []
    for seed in range(arguments.trials):
        known, features = work.known(arguments.runs, seed % SETS), work.features(arguments.runs, seed % SETS)
        drawn = known.sample(int(arguments.labels * len(known.campaign.topics)), seed)
        found = known.errors(known.estimated(drawn, features["none"], measures), measures)
        trials.append([[part.mean(axis=0) for part in (e, e**2, width, held)] for e, width, held in found])
    print("| measure | bias | RMSE | width | % | A - B: RMSE | width | % |")
    of_runs, of_pairs = np.mean(trials, axis=0)
    for place, measure in enumerate(measures):
        bias, square, width, held = of_runs[:, place]
        _, other_square, other_width, other_held = of_pairs[:, place]
        print(
            f"| {measure} | {bias:+.3f} | {np.sqrt(square):.3f} | {width:.3f} | {100 * held:.1f} | "
            f"{np.sqrt(other_square):.3f} | {other_width:.3f} | {100 * other_held:.1f} |"
        )


if __name__ == "__main__":
    main()
