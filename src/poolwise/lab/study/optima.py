"""Optimal discounts and gains of a study, stored as arrays and restored as named numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.basics.settings import campaign
from poolwise.lab.weights.both import optimal_both
from poolwise.lab.weights.discount_gain import OTHER_DISCOUNTS, optimal_discount, optimal_gain
from poolwise.lab.weights.labels import discounts_of, gains_of
from poolwise.lab.weights.optimum import sum_to_one
from poolwise.measures.registry import parse
from poolwise.scores.scoring import notes_on_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays
    from poolwise.lab.weights.optimum import Optimum
    from poolwise.measures.measure import Measure

# What is chosen: discounts for linear gains; gains for log2, that do not fall with the label, or are free; both.
PROBLEMS = ("discount", "constrained", "unconstrained", "joint")
HELD = ("phi", "difference", "spread", "ahead", "fits")  # stored numbers of a variant on held-out halves
FREE = "free"  # discounts that may rise with rank ([K09] figure 3), where asked for


@dataclass(frozen=True)
class SelectedRuns:
    """View of a pool for the optimisation, with some of its runs."""

    pool: Campaign
    run_indices: tuple[int, ...]

    def label_matrix(self, cutoff: int, /) -> NDArray[np.int32]:
        """The label at each rank, runs x topics x cutoff."""
        labels: NDArray[np.int32] = self.pool.label_matrix(cutoff)[list(self.run_indices)]
        return labels

    def label_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Labels, and numbers of documents by topic and label."""
        return self.pool.label_counts()


@dataclass(frozen=True)
class HeldOutRow:
    """Phi of a variant on held-out topics or runs."""

    facet: str
    variant: str
    phi: float
    difference: float
    spread: float
    ahead: float
    fits: float


@dataclass(frozen=True)
class Best:
    """An optimum: weights, Phi of one topic, Phi of usual choices, and results on held-out halves."""

    cutoff: int
    discounts: tuple[float, ...]
    gains: dict[int, float]
    phi: float
    others: dict[str, float]
    held_out: tuple[HeldOutRow, ...]
    warnings: tuple[str, ...]

    def measure(self) -> Measure:
        """nDCG with these weights."""
        return weighted(self.cutoff, self.discounts, self.gains)

    def on_held_out(self, facet: str, variant: str) -> HeldOutRow | None:
        """Results of a variant on held-out halves."""
        rows = [row for row in self.held_out if (row.facet, row.variant) == (facet, variant)]
        return rows[0] if rows else None


def weighted(cutoff: int, discount: str | Sequence[float], gain: str | Mapping[int, float]) -> Measure:
    """nDCG at a cut-off with a discount and gains.

    >>> weighted(10, "zipf", {1: 1, 2: 3})
    nDCG(gain={1: 1, 2: 3}, discount='zipf')@10
    """
    return parse("nDCG")(discount=discount, gain=gain) @ cutoff


def solve(problem: str, pool: SelectedRuns, cutoff: int, splits: int, seed: int) -> Arrays:
    """Find the optimum of a problem, as arrays."""
    if problem in ("discount", FREE):
        optimum = optimal_discount(pool, cutoff, monotone=problem == "discount", splits=splits, seed=seed)
    elif problem == "joint":
        optimum = optimal_both(pool, cutoff, seed=seed)
    else:
        optimum = optimal_gain(pool, cutoff, monotone=problem == "constrained", splits=splits, seed=seed)
    return _arrays(optimum)


def _arrays(optimum: Optimum) -> Arrays:
    held = optimum.table("held_out")
    return {
        "cutoff": np.array(optimum.cutoff),
        "discounts": np.array(optimum.discounts),
        "grades": np.array(list(optimum.gains), dtype=np.int64),
        "gains": np.array(list(optimum.gains.values()), dtype=np.float64),
        "phi": np.array(optimum.phi),
        "others": np.array(list(optimum.others), dtype=np.str_),
        "other_phi": np.array(list(optimum.others.values()), dtype=np.float64),
        "held_facet": np.array(held["facet"], dtype=np.str_),
        "held_variant": np.array(held["variant"], dtype=np.str_),
        "held_values": np.array([held[name] for name in HELD], dtype=np.float64),
        "warnings": np.array(optimum.warnings, dtype=np.str_),
    }


def best_of(arrays: Arrays) -> Best:
    """The optimum from stored arrays."""
    named = zip(arrays["held_facet"].tolist(), arrays["held_variant"].tolist(), strict=True)
    rows = zip(named, arrays["held_values"].T.tolist(), strict=True)  # facet, variant; HELD
    return Best(
        cutoff=int(arrays["cutoff"]),
        discounts=tuple(arrays["discounts"].tolist()),
        gains=dict(zip(arrays["grades"].tolist(), arrays["gains"].tolist(), strict=True)),
        phi=float(arrays["phi"]),
        others=dict(zip(arrays["others"].tolist(), arrays["other_phi"].tolist(), strict=True)),
        held_out=tuple(HeldOutRow(*names, *values) for names, values in rows),
        warnings=tuple(arrays["warnings"].tolist()),
    )


FLAT = "uniform"  # shown with its weights and Phi; scores are those of the falling ones
DISCOUNTS = tuple(name for name in OTHER_DISCOUNTS if name != FLAT)
GAINS = ("linear", "exp")


@dataclass(frozen=True)
class Variants:
    """The optima of a pool and the usual weights, by cut-off and name."""

    pool: Campaign
    run_indices: tuple[int, ...]
    cutoffs: tuple[int, ...]
    best: dict[tuple[int, str], Best]

    @cached_property
    def grades(self) -> list[int]:
        """Labels above 0."""
        return grades_of(self.pool)

    @property
    def graded(self) -> bool:
        """Whether labels are graded, so that gains can be optimised."""
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
        """Warnings about the scores of the runs in the study."""
        measures = list(dict.fromkeys(self.measures.values()))
        return tuple(notes_on_runs(self.pool, measures, self.pool.judgments, self.run_indices))

    def values(self, cutoff: int, variant: str) -> Floats:
        """Scores of a variant, runs x topics."""
        values: Floats = self._scores.array(str(self.measures[cutoff, variant]))[list(self.run_indices)]
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
    """Name of a variant in tables and legends.

    >>> called("zipf"), called("constrained")
    ('zipf discount', 'optimal gain')
    """
    names = {"optimal": "optimal discount", "constrained": "optimal gain", "exp": "exp gain", "joint": "joint"}
    return names.get(variant, f"{variant} discount")


def grades_of(pool: Campaign) -> list[int]:
    """Labels above 0, ascending."""
    campaign(pool)
    return [int(label) for label in pool.judgments.distinct_labels() if label > 0]
