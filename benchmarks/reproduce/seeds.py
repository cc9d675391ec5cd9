"""Discriminative power over several bootstrap seeds: the third digit of one seed is chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.reproduce.plan import SEEDS, Workbench

import poolwise as pw

TOP = 30  # the best runs by AP, as [S07] and [K09] have them
# Of the page on discriminative power: [S07]'s measures with the usual nDCG, and two of the top of a ranking.
SHOWN = (
    "AP", "AP'", "Q", "Q'", "nDCG", "nDCG'", "bpref", "rpref_relative2", "P@10", "RR", "bpref_N", "rpref_N",
)  # fmt: skip


class Powers:
    """Power and difference required of measures, by seed."""

    def __init__(self, bench: Workbench, name: str, data: str, measures: Sequence[Any]) -> None:
        self.measures = [str(measure) for measure in measures]
        self.seeds = bench.most.get("seeds", SEEDS)
        resamples = bench.most.get("resamples", 1000)
        self.values = bench.kept(
            f"{name}-{data}", lambda: powers(bench.pool(data), measures, range(self.seeds), resamples)
        )

    def power(self, measure: Any) -> np.ndarray:
        """Of every seed."""
        return self.values[0, self.measures.index(str(measure))]

    def required(self, measure: Any) -> np.ndarray:
        """The difference required, of every seed."""
        return self.values[1, self.measures.index(str(measure))]


def powers(pool: Any, measures: Sequence[Any], seeds: Sequence[int], resamples: int) -> np.ndarray:
    """Power and difference required x measures x seeds, of the best runs."""
    best = np.sort(np.argsort(-pool.score("AP").means()[:, 0], kind="stable")[:TOP])
    found = []
    for measure in measures:
        scores = pool.score(measure).array(measure)[best]
        results = [pw.discriminative_power(scores, resamples=resamples, seed=seed) for seed in seeds]
        found.append([[each.power for each in results], [each.difference_required for each in results]])
    return np.swapaxes(np.array(found), 0, 1)
