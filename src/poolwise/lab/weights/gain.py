"""The most stable gains of nDCG for given discounts ([K09] section 3.2)."""

from __future__ import annotations

import numpy as np

from poolwise.basics.results import warn_of
from poolwise.basics.settings import seed_or_generator, whole
from poolwise.lab.weights.grades import TRACE, GradeProblem, highest, peaks
from poolwise.lab.weights.held_out import both_facets
from poolwise.lab.weights.inputs import check_labels, doubts
from poolwise.lab.weights.labels import (
    GAINS,
    RankedLabels,
    check_negative,
    discounts_of,
    gains_of,
    named_gains,
)
from poolwise.lab.weights.optimum import Optimum, Start, reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from poolwise.basics.arrays import Floats
    from poolwise.lab.weights.labels import LabelledPool


__all__ = ["optimal_gain"]


def optimal_gain(
    pool: LabelledPool,
    cutoff: int,
    discount: str | Sequence[float] | Floats = "log2",
    *,
    monotone: bool = True,
    negative: Literal["zero", "keep", "minmax"] = "zero",
    splits: int = 3,
    seed: int | np.random.Generator = 0,
) -> Optimum:
    """Find the gains of the labels that make nDCG most stable on the runs of a pool.

    Maximises Phi of one topic over gains that are not negative, sum to 1 and do not fall from label to label; label 0
    has gain 0. The search covers all gains by a lattice, for there are several local maxima.

    Parameters
    ----------
    pool : Campaign
        The pool.
    cutoff : int
        Of nDCG.
    discount : str or sequence of float
        Of nDCG.
    monotone : bool
        Whether gains may not fall from label to label.
    negative : {"zero", "keep", "minmax"}
        How negative gains count, as in nDCG. With "keep" or "minmax" labels below 0 have gains as well, not above 0,
        and the sizes sum to 1.
    splits : int
        Random halves of topics, and as many of runs, that say what is left of the improvement on data not fitted.
    seed : int or Generator
        Of the splits.

    Returns
    -------
    Optimum
        Gains, Phi, Phi of common gains, and how sure that is.

    References
    ----------
    [K09].

    Examples
    --------
    >>> class Pool:  # 12 runs; only documents of label 2 come with their quality
    ...     def label_matrix(self, cutoff):
    ...         chance = np.random.default_rng(3).random((2, 12, 20, 6))
    ...         good = chance[0] < np.linspace(0.1, 0.9, 12)[:, None, None]
    ...         return np.where(good, 2, chance[1] < 0.5)[:, :, :cutoff].astype(np.int32)
    ...     def label_counts(self):
    ...         return np.array([0, 1, 2]), np.tile([50, 6, 6], (20, 1))
    >>> result = optimal_gain(Pool(), cutoff=6, splits=0)
    >>> {label: round(gain, 3) for label, gain in result.gains.items()}
    {1: 0.171, 2: 0.829}
    """
    whole("splits", splits)
    labels = RankedLabels.from_pool(pool, cutoff)
    discounts = discounts_of(discount, labels.cutoff)
    check_labels(labels, gains_of(labels.labels, "linear", check_negative(negative)))
    problem = GradeProblem.from_labels(labels, discounts, negative)
    others = {name: gains_of(problem.labels, name, negative) for name in GAINS}
    maxima = peaks(problem, others, monotone)
    best = maxima[0]
    generator = np.random.default_rng(seed_or_generator(seed))
    kept = both_facets(problem, lambda part: highest(part, others, monotone), others, splits, generator)
    notes = doubts(best.value, best.violation, [], kept, "linear", np.abs(problem.scores(best.gains)).max(axis=0))
    notes += _doubts(best.gains)
    return Optimum(
        kind="gain",
        cutoff=labels.cutoff,
        discounts=tuple(discounts.tolist()),
        gains=named_gains(problem.labels, best.gains),
        phi=reported(best.value),
        phis=(reported(best.value),),
        others={name: reported(problem.value(gains)) for name, gains in others.items()},
        other_discounts={},
        other_gains={name: named_gains(problem.labels, gains) for name, gains in others.items()},
        starts=tuple(Start(peak.start, peak.start_value, peak.value, peak.violation) for peak in maxima),
        violation=best.violation,
        perturbed=_perturbed(problem, best.gains, monotone, generator) - best.value,
        held_out=kept,
        monotone=monotone,
        negative=negative,
        seed=seed,
        method="lattice over step gains, Newton",
        warnings=warn_of(notes),
    )


def _doubts(gains: Floats) -> list[str]:
    """Say when there was nothing to choose, or when the best is only approached."""
    notes = []
    if len(gains) == 1:
        notes.append("there is only one label other than 0, so there are no gains to choose")
    if np.any((gains != 0) & (np.abs(gains) <= TRACE)):
        notes.append(
            "Phi is highest as a gain approaches 0 without reaching it: topics with no other label "
            "would score 0, so a trace of that gain is kept"
        )
    return notes


def _perturbed(
    problem: GradeProblem, gains: Floats, monotone: bool, generator: np.random.Generator, tries: int = 30
) -> float:
    """Return the highest Phi among random small and large changes of the gains."""
    values = []
    for size in np.geomspace(1e-4, 0.5, tries):
        changed = gains * np.exp(size * generator.normal(size=len(gains)))
        if monotone:
            changed = np.concatenate([np.sort(changed[gains < 0]), np.sort(changed[gains >= 0])])
        values.append(problem.value(changed))
    return max(values)
