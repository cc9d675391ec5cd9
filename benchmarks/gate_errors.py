"""How often the gate errs when the truth lies at the margin, and its power with as many topics as it asks for.

    python benchmarks/gate_errors.py FOLDER [--trials 4000] [--seed 1]

FOLDER holds the set dl19. Differences over topics are normal, or drawn with replacement from those of pairs of its runs
(which are skewed, with ties), shifted so that the true difference is -margin (where each wrong verdict should come
alpha of the time) or 0 (where "no worse" should come as often as the power that the number of topics was chosen for).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from reproduce.data import campaign

import poolwise as pw
from poolwise.comparisons.non_inferiority import NO_WORSE, WORSE, gate, topics_for_gate

MARGIN, DEVIATION = 0.02, 0.05
PAIRS = 40
Draw = Callable[[np.random.Generator, int], np.ndarray]


def normal(random: np.random.Generator, topics: int) -> np.ndarray:
    return DEVIATION * random.standard_normal(topics)


def real(folder: Path, measure: str) -> Draw:
    """Differences of random pairs of runs, each centred and scaled to the same spread over topics."""
    values = campaign(folder / "dl19").score(measure).array(measure)
    chosen = np.random.default_rng(0)
    pairs = [chosen.choice(len(values), 2, replace=False) for _ in range(PAIRS)]
    gaps = [values[a] - values[b] for a, b in pairs]
    scaled = [DEVIATION * (gap - gap.mean()) / gap.std() for gap in gaps]

    def draw(random: np.random.Generator, topics: int) -> np.ndarray:
        return random.choice(scaled[random.integers(len(scaled))], topics)

    return draw


def verdicts(draw: Draw, shift: float, topics: int, trials: int, seed: int) -> tuple[float, float]:
    """Shares of "no worse" and "worse", in per cent."""
    found = []
    for trial in range(trials):
        gaps = draw(np.random.default_rng([seed, trial]), topics)
        found.append(gate(np.zeros(topics), gaps + shift, margin=MARGIN).verdict)
    return 100 * found.count(NO_WORSE) / trials, 100 * found.count(WORSE) / trials


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    warnings.simplefilter("ignore", pw.PoolwiseWarning)
    draws = {"normal": normal, **{f"DL 2019, {m}": real(asked.folder, m) for m in ("nDCG@10", "AP(rel=2)")}}
    print("| differences | topics | at the margin: no worse | worse | equal: no worse | asked for |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, draw in draws.items():
        for power in (0.5, 0.8, 0.9):
            topics = topics_for_gate(MARGIN, DEVIATION, power)
            assert topics is not None
            at_margin = verdicts(draw, -MARGIN, topics, asked.trials, asked.seed)
            equal = verdicts(draw, 0.0, topics, asked.trials, asked.seed)
            numbers = f"{at_margin[0]:.1f} % | {at_margin[1]:.1f} % | {equal[0]:.1f} % | {100 * power:.0f} %"
            print(f"| {name} | {topics} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
