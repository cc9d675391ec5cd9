"""Plans and estimates of a few campaigns, printed, so that they can be compared under kernels of several processors."""

from __future__ import annotations

import json
import warnings
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.kit.small_campaigns import campaign_tables

import poolwise as pw

PLANS: list[dict[str, Any]] = [
    {"design": "stratified", "budget": 150},
    {"design": "uniform", "budget": 120, "seed": 3},
    {"design": "depth_plus_random", "budget": 150, "depth": 15},
    {"design": "stratified", "budget": 6},  # fewer than topics, which are drawn
]
LATER: list[dict[str, Any]] = [
    {"design": "stratified", "budget": 90},
    {"design": "model", "budget": 90, "difference": "all"},
    {"design": "stratified", "budget": 90, "topic_shares": "worth", "measure": "nDCG@10"},
]
MEASURES = ("AP", "nDCG@10", "P@5", "R@20", "RR", "bpref")


def labelled(plan: Any, truth: dict[str, dict[str, int]]) -> bytes:
    """The plan with the labels that its campaign has."""
    lines = []
    drawn = {(topic, document) for topic, document in plan.to_judge()}
    for line in plan.to_text().decode().splitlines(keepends=True):
        words = line.split()
        if not line.startswith("#") and (words[0], words[2]) in drawn:
            line = f"{' '.join(words[:-1])} {truth[words[0]].get(words[2], 0)}\n"
        lines.append(line)
    return "".join(lines).encode()


def told() -> dict[str, Any]:
    """Digests of plans, and numbers of estimates."""
    plans: list[str] = []
    numbers: list[float] = []
    for seed in range(2):
        truth, runs = campaign_tables(5, 8, 90, 30, 0.2, 2, 1.0, seed)
        made = [pw.read(None, runs).plan(**options) for options in PLANS]
        with TemporaryDirectory() as folder:
            path = Path(folder, "judged.txt")
            path.write_bytes(labelled(made[0], truth))
            pilot = pw.read(path, runs)
        made += [pilot.plan(**options) for options in LATER]
        plans += [sha256(plan.to_text()).hexdigest() for plan in made]
        found = pilot.estimate(*MEASURES, difference="all")
        parts = (found.means(), found.mean_low(), found.mean_high(), found.differences.low, found.differences.high)
        numbers += [float(number) for part in parts for number in part.ravel()]
    return {"plans": plans, "numbers": numbers}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(told()))
