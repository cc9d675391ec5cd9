"""Optimal discounts and gains as units of a study keep them: as arrays, and as named numbers again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.lab.weights.both import optimal_both
from poolwise.lab.weights.discount import optimal_discount
from poolwise.lab.weights.gain import optimal_gain
from poolwise.measures.registry import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from poolwise.campaign.campaign import Campaign
    from poolwise.lab.study.conduct import Arrays
    from poolwise.lab.weights.optimum import Optimum
    from poolwise.measures.measure import Measure

# What is chosen: discounts for linear gains; gains for log2, that do not fall with the label, or are free; both.
PROBLEMS = ("discount", "constrained", "unconstrained", "joint")
HELD = ("phi", "difference", "spread", "ahead", "fits")  # what is kept of a variant on held-out halves
FREE = "free"  # discounts that may rise with rank ([K09] figure 3), where asked for


@dataclass(frozen=True)
class KeptRuns:
    """What the optimisation needs of a pool, of some of its runs."""

    pool: Campaign
    kept: tuple[int, ...]

    def label_matrix(self, cutoff: int, /) -> NDArray[np.int32]:
        """The label at each rank, runs x topics x cutoff."""
        labels: NDArray[np.int32] = self.pool.label_matrix(cutoff)[list(self.kept)]
        return labels

    def label_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Labels, and how many documents of each every topic has."""
        return self.pool.label_counts()


@dataclass(frozen=True)
class HeldOutRow:
    """Phi of a variant on topics or runs that the optimum was not fitted to."""

    facet: str
    variant: str
    phi: float
    difference: float
    spread: float
    ahead: float
    fits: float


@dataclass(frozen=True)
class Best:
    """An optimum: its weights, its Phi of one topic, that of common choices, and how it holds up."""

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
        """How a variant fares where the optimum was not fitted."""
        rows = [row for row in self.held_out if (row.facet, row.variant) == (facet, variant)]
        return rows[0] if rows else None


def weighted(cutoff: int, discount: str | Sequence[float], gain: str | Mapping[int, float]) -> Measure:
    """nDCG at a cut-off with a discount and gains.

    >>> weighted(10, "zipf", {1: 1, 2: 3})
    nDCG(gain={1: 1, 2: 3}, discount='zipf')@10
    """
    return parse("nDCG")(discount=discount, gain=gain) @ cutoff


def solve(problem: str, pool: KeptRuns, cutoff: int, splits: int, seed: int) -> Arrays:
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
    """The optimum that arrays hold."""
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
