"""Optimal weights of nDCG beside those in use: measures, scores, weights and Phi by cut-off and variant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.basics.settings import campaign
from poolwise.lab.study.optima import FREE, Best, weighted
from poolwise.lab.weights.discount import OTHER_DISCOUNTS
from poolwise.lab.weights.labels import discounts_of, gains_of
from poolwise.lab.weights.optimum import sum_to_one
from poolwise.scores.scoring import notes_on_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.measures.measure import Measure


FLAT = "uniform"  # shown with its weights and Phi; scores are those of the falling ones
DISCOUNTS = tuple(name for name in OTHER_DISCOUNTS if name != FLAT)
GAINS = ("linear", "exp")


@dataclass(frozen=True)
class Variants:
    """The optima of a pool beside the weights in use, by cut-off and name."""

    pool: Campaign
    kept: tuple[int, ...]
    cutoffs: tuple[int, ...]
    best: dict[tuple[int, str], Best]

    @cached_property
    def grades(self) -> list[int]:
        """Labels above 0."""
        return grades_of(self.pool)

    @property
    def graded(self) -> bool:
        """Whether there are gains to choose."""
        return len(self.grades) > 1

    @cached_property
    def measures(self) -> dict[tuple[int, str], Measure]:
        """nDCG by cut-off and variant: discounts with linear gains, then gains with log2, then both."""
        measures: dict[tuple[int, str], Measure] = {}
        for cutoff in self.cutoffs:
            measures[cutoff, "optimal"] = self.best[cutoff, "discount"].measure()
            measures |= {(cutoff, name): weighted(cutoff, name, "linear") for name in DISCOUNTS}
            if self.graded:
                measures[cutoff, "constrained"] = self.best[cutoff, "constrained"].measure()
                measures[cutoff, "exp"] = weighted(cutoff, "log2", "exp")
                measures[cutoff, "joint"] = self.best[cutoff, "joint"].measure()
        return measures

    @cached_property
    def _scores(self) -> Any:
        return self.pool.score(*dict.fromkeys(self.measures.values()))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Of the scores of the runs in the study."""
        measures = list(dict.fromkeys(self.measures.values()))
        return tuple(notes_on_runs(self.pool, measures, self.pool.judgments, self.kept))

    def values(self, cutoff: int, variant: str) -> Floats:
        """Scores of a variant, runs x topics."""
        values: Floats = self._scores.array(str(self.measures[cutoff, variant]))[list(self.kept)]
        return values

    def discounts(self, cutoff: int) -> dict[str, list[float]]:
        """Discounts by variant, summing to 1."""
        weights = {"optimal": sum_to_one(self.best[cutoff, "discount"].discounts)}
        weights |= {name: sum_to_one(discounts_of(name, cutoff).tolist()) for name in OTHER_DISCOUNTS}
        if self.graded:
            weights["joint"] = sum_to_one(self.best[cutoff, "joint"].discounts)
        if (cutoff, FREE) in self.best:
            weights[FREE] = sum_to_one(self.best[cutoff, FREE].discounts)
        return weights

    def gains(self, cutoff: int) -> dict[str, list[float]]:
        """Gains of the positive labels by variant, summing to 1."""
        optimal = {name: self.best[cutoff, name].gains for name in ("constrained", "unconstrained", "joint")}
        labels = np.array(self.grades)
        usual = {name: gains_of(labels, name, "zero").tolist() for name in GAINS}
        return {
            **{name: sum_to_one([gains.get(grade, 0.0) for grade in self.grades]) for name, gains in optimal.items()},
            **{name: sum_to_one(values) for name, values in usual.items()},
        }

    def phi(self, cutoff: int) -> dict[str, tuple[str, str, float]]:
        """Discount, gain and Phi of one topic, by variant."""
        best = self.best[cutoff, "discount"]
        coefficients = {"optimal": ("optimal", "linear", best.phi)}
        coefficients |= {name: (name, "linear", best.others[name]) for name in OTHER_DISCOUNTS}
        if (cutoff, FREE) in self.best:
            coefficients["free discount"] = (FREE, "linear", self.best[cutoff, FREE].phi)
        if self.graded:
            gain = self.best[cutoff, "constrained"]
            coefficients["optimal gain"] = ("log2", "constrained", gain.phi)
            coefficients["free gain"] = ("log2", "unconstrained", self.best[cutoff, "unconstrained"].phi)
            coefficients |= {f"{name} gain": ("log2", name, gain.others[name]) for name in ("exp", "binary")}
            coefficients["joint"] = ("joint", "joint", self.best[cutoff, "joint"].phi)
        return coefficients


def called(variant: str) -> str:
    """A variant in tables and legends.

    >>> called("zipf"), called("constrained")
    ('zipf discount', 'optimal gain')
    """
    names = {"optimal": "optimal discount", "constrained": "optimal gain", "exp": "exp gain", "joint": "joint"}
    return names.get(variant, f"{variant} discount")


def grades_of(pool: Campaign) -> list[int]:
    """Labels above 0, ascending."""
    campaign(pool)
    return [int(label) for label in pool.judgments.distinct_labels() if label > 0]
