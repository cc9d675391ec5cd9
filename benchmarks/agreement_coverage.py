"""Whether intervals of agreement from a small sample of people's labels hold the agreement of all of them.

    python benchmarks/agreement_coverage.py QRELS MODEL [--rel 2] [--model-rel 1] [--share 0.05] [--trials 300]

Each trial keeps the labels of a share of every topic's documents, at random, and lists the others as not judged; the
model's labels are complete. Prints kappa of all labels, the mean estimate, the share of 95 % intervals that hold it,
and their mean width, graded and binary.
"""

from __future__ import annotations

import argparse
import random
import warnings

import numpy as np

from poolwise.agree.assessors import agreement_of
from poolwise.agree.label_sheet import label_sheet
from poolwise.errors import PoolwiseWarning
from poolwise.read.label_rows import label_rows


def rows_of(path: str) -> list[tuple[str, str, float, int]]:
    rows = label_rows(path)
    listed = zip(rows.topic, rows.document, rows.label, strict=True)
    return [(topic, document, float(label), 1) for topic, document, label in listed if label is not None]


def drawn(rows: list, share: float, chance: random.Random) -> list:
    """The same with labels of a share of every topic only, two at least."""
    topics: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        topics.setdefault(row[0], []).append(place)
    kept = {place for own in topics.values() for place in chance.sample(own, max(2, round(share * len(own))))}
    return [row if place in kept else (*row[:2], None, 1) for place, row in enumerate(rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("model")
    parser.add_argument("--rel", type=float, default=2)
    parser.add_argument("--model-rel", type=float)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--trials", type=int, default=300)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", PoolwiseWarning)
    people, model = rows_of(arguments.qrels), rows_of(arguments.model)
    known = {row[:2] for row in model}
    people = [row for row in people if row[:2] in known]
    rel = {"": arguments.rel, "model": arguments.model_rel or arguments.rel}

    def kappas(listed: list) -> list:
        found = agreement_of(label_sheet({"people": listed, "model": model}), rel=rel)
        return [found.of("kappa", "people", "model", scale) for scale in ("graded", "binary")]

    truth = [found.value for found in kappas(people)]
    seen: list[list[tuple[float, bool, float]]] = [[], []]
    for trial in range(arguments.trials):
        for place, found in enumerate(kappas(drawn(people, arguments.share, random.Random(trial)))):
            seen[place].append((found.value, found.low <= truth[place] <= found.high, found.high - found.low))
    print("| scale | kappa of all | mean of samples | held | width |\n|---|---|---|---|---|")
    for scale, own, each in zip(("graded", "binary"), truth, seen, strict=True):
        value, held, width = np.mean(each, axis=0)
        print(f"| {scale} | {own:.3f} | {value:.3f} | {100 * held:.1f} % | {width:.3f} |")


if __name__ == "__main__":
    main()
