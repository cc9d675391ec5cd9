"""Discounts and gains at once, for the highest worst Phi over several pools ([K09] section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from poolwise.basics.results import warn_of
from poolwise.basics.settings import seed_or_generator
from poolwise.errors import ArgumentError
from poolwise.lab.weights.discount_gain import OTHER_DISCOUNTS
from poolwise.lab.weights.grades import GradeProblem, natural_face, step_gains, step_weights, trace_of
from poolwise.lab.weights.labels import (
    RankedLabels,
    check_labels,
    check_negative,
    discounts_of,
    doubts,
    gains_of,
    named_gains,
)
from poolwise.lab.weights.minimax import JointClimb, JointProblem, climb_jointly
from poolwise.lab.weights.optimum import Optimum, Start, reported
from poolwise.lab.weights.ranks import RankProblem
from poolwise.measures.parameters import GAINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.lab.weights.labels import LabelledPool

    Integers = NDArray[np.int64]

__all__ = ["optimal_both"]


class Pair(NamedTuple):
    """A discount of every rank and a gain of every label."""

    discounts: Floats
    gains: Floats


class Objectives(NamedTuple):
    """Several pools with their labels, and the labels that may have a gain."""

    pools: tuple[RankedLabels, ...]
    labels: Integers
    used: NDArray[np.bool_]
    negative: str

    @property
    def cutoff(self) -> int:
        """The deepest cut-off."""
        return max(labels.cutoff for labels in self.pools)

    def values(self, pair: Pair) -> Floats:
        """Return Phi of one topic on each pool."""
        problems = (RankProblem.from_labels(labels, pair.gains, self.negative) for labels in self.pools)
        return np.array([problem.value(pair.discounts[: problem.cutoff]) for problem in problems])

    def best_scores(self, pair: Pair) -> Floats:
        """Return the largest absolute score of any run on each topic, pool after pool."""
        problems = (RankProblem.from_labels(labels, pair.gains, self.negative) for labels in self.pools)
        scores = (problem.scores(pair.discounts[: problem.cutoff]) for problem in problems)
        return np.concatenate([np.abs(table).max(axis=0) for table in scores])

    def named_gains(self, name: str) -> dict[int, float]:
        """Return common gains by label."""
        return named_gains(self.labels, gains_of(self.labels, name, self.negative))

    def steps(self) -> Floats:
        """Return the step gains (labels x m), with a trace of the widest if a topic needs it."""
        labels = self.labels[self.used]
        face = natural_face(labels)
        steps = np.zeros((len(self.labels), len(labels)))
        steps[self.used] = step_gains(len(labels), face)
        for pool in self.pools:
            ratio = GradeProblem.from_labels(pool, np.ones(pool.cutoff), self.negative).ratio(face)
            mixing = trace_of(ratio, face)
            # One trace serves all pools: where no topic needs it, it changes Phi by about TRACE.
            if not np.array_equal(mixing, np.eye(len(labels))):
                return steps @ mixing
        return steps

    def step_weights(self, gains: Floats) -> Floats:
        """Return gains as weights of the step gains."""
        return step_weights(gains[self.used], natural_face(self.labels[self.used]))


def optimal_both(
    pools: LabelledPool | Sequence[LabelledPool],
    cutoff: int | Sequence[int],
    *,
    negative: Literal["zero", "keep", "minmax"] = "zero",
    seed: int | np.random.Generator = 0,
) -> Optimum:
    """Find the discounts and gains that make nDCG most stable on the pool where it is least stable.

    Maximises the lowest Phi of one topic over the pools; discounts do not increase with rank, gains do not fall from
    label to label.

    Parameters
    ----------
    pools : Campaign or sequence of them
        One or more pools.
    cutoff : int or sequence of int
        One number, or one per pool. Pools that differ in cut-off alone are not worth combining: with all weight on
        the first ranks the deeper one scores like the shallower, and the result is the optimum of the smallest
        cut-off.
    negative : {"zero", "keep", "minmax"}
        How negative gains count, as in nDCG.
    seed : int or Generator
        Of the random starts.

    Returns
    -------
    Optimum
        Discounts, gains, Phi, and how sure that is.

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
    >>> result = optimal_both([Pool(), Pool()], cutoff=[6, 4])
    >>> result.converged, {label: round(gain, 3) for label, gain in result.gains.items()}
    (True, {1: 0.151, 2: 0.849})
    """
    objectives = _objectives(pools, cutoff, check_negative(negative))
    others = _others(objectives)
    climbs = _climbs(objectives, others)
    # Equal maxima: the one that satisfies the conditions best. Phi beyond ten decimals is rounding of SLSQP.
    chosen = max(climbs, key=lambda name: (round(climbs[name].worst, 10), -climbs[name].violation))
    reached = climbs[chosen]
    best = Pair(reached.discounts, objectives.steps() @ reached.grades)
    begins = {name: reported(float(objectives.values(pair).min())) for name, pair in others.items()}
    records = [Start(name, begins[name], climb.worst, climb.violation) for name, climb in climbs.items()]
    notes = doubts(reached.worst, reached.violation, records, (), None, objectives.best_scores(best))
    perturbed = _perturbed(objectives, best, np.random.default_rng(seed_or_generator(seed)))
    return Optimum(
        kind="both",
        cutoff=objectives.cutoff,
        discounts=tuple(best.discounts.tolist()),
        gains=named_gains(objectives.labels, best.gains),
        phi=reported(reached.worst),
        phis=tuple(reported(value) for value in reached.values.tolist()),
        others=begins,
        other_discounts={name: tuple(discounts_of(name, objectives.cutoff).tolist()) for name in OTHER_DISCOUNTS},
        other_gains={name: objectives.named_gains(name) for name in GAINS},
        starts=tuple(records),
        violation=reached.violation,
        perturbed=perturbed - reached.worst,
        held_out=(),
        monotone=True,
        negative=negative,
        seed=seed,
        method="minimax: active set of flat discounts, SLSQP",
        warnings=warn_of(notes),
    )


def _climbs(objectives: Objectives, starts: dict[str, Pair]) -> dict[str, JointClimb]:
    """Climb from every start."""
    steps = objectives.steps()
    problems = [
        JointProblem.from_labels(pool, steps, objectives.negative, objectives.cutoff) for pool in objectives.pools
    ]
    return {
        name: climb_jointly(problems, pair.discounts, objectives.step_weights(pair.gains))
        for name, pair in starts.items()
    }


def _objectives(pools: LabelledPool | Sequence[LabelledPool], cutoff: int | Sequence[int], negative: str) -> Objectives:
    """Read each pool down to its cut-off, and extend its labels by those of the other pools."""
    listed = list(pools) if isinstance(pools, Iterable) else [pools]
    cutoffs = list(cutoff) if isinstance(cutoff, Sequence) else [cutoff] * len(listed)
    if not listed or len(cutoffs) != len(listed):
        raise ArgumentError(f"found {len(listed)} pools and {len(cutoffs)} cut-offs; give one cut-off, or one a pool")
    read = [RankedLabels.from_pool(pool, depth) for pool, depth in zip(listed, cutoffs, strict=True)]
    for labels in read:
        check_labels(labels, gains_of(labels.labels, "linear", negative))
    # Discounts and gains are common, so every pool must know all labels.
    union: Integers = reduce(np.union1d, (labels.labels for labels in read))
    used = union > 0 if negative == "zero" else union != 0
    return Objectives(tuple(labels.with_labels(union) for labels in read), union, used, negative)


def _others(objectives: Objectives) -> dict[str, Pair]:
    """Starts of the search: each discount with linear gains, and log2 with each gain."""
    names = [(discount, "linear") for discount in OTHER_DISCOUNTS] + [("log2", gain) for gain in GAINS[1:]]
    return {
        f"{discount} discount, {gain} gain": Pair(
            discounts_of(discount, objectives.cutoff), gains_of(objectives.labels, gain, objectives.negative)
        )
        for discount, gain in names
    }


def _perturbed(objectives: Objectives, best: Pair, generator: np.random.Generator, tries: int = 20) -> float:
    """Return the highest worst Phi among random small and large changes of discounts and gains."""
    values = []
    # From changes that only a wrong gradient would miss, to changes that leave the basin of the maximum.
    for size in np.geomspace(1e-4, 0.3, tries):
        flat = discounts_of("uniform", objectives.cutoff)
        flat[generator.integers(1, objectives.cutoff + 1) :] = 0.0
        discounts = (1.0 - size) * best.discounts / best.discounts.sum() + size * flat / flat.sum()
        gains = np.sort(best.gains * np.exp(size * generator.normal(size=len(best.gains))))
        values.append(float(objectives.values(Pair(discounts, gains)).min()))
    return max(values)
