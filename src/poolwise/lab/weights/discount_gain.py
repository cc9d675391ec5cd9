"""The most stable gains of nDCG for given discounts ([K09] section 3.2)."""

from __future__ import annotations

import numpy as np

from poolwise.basics.results import warn_of
from poolwise.basics.settings import seed_or_generator, whole
from poolwise.lab.weights.grades import TRACE, GradeProblem, highest, peaks
from poolwise.lab.weights.labels import (
    RankedLabels,
    check_labels,
    check_negative,
    discounts_of,
    doubts,
    gains_of,
    named_gains,
)
from poolwise.lab.weights.minimax import JointProblem, climb_kink
from poolwise.lab.weights.optimum import Optimum, Start, both_facets, reported
from poolwise.lab.weights.ranks import ROUNDING, Climb, RankProblem, climb, mixture
from poolwise.lab.weights.stability import CONVERGED, stabilities
from poolwise.measures.parameters import DISCOUNTS, GAINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from poolwise.basics.arrays import Floats
    from poolwise.lab.weights.labels import LabelledPool


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
        perturbed=_perturbed_gains(problem, best.gains, monotone, generator) - best.value,
        held_out=kept,
        monotone=monotone,
        negative=negative,
        seed=seed,
        method="lattice over step gains, Newton",
        warnings=warn_of(notes),
    )


def _doubts(gains: Floats) -> list[str]:
    """Notes if nothing could be chosen, or if the maximum is only approached."""
    notes = []
    if len(gains) == 1:
        notes.append("there is only one label other than 0, so there are no gains to choose")
    if np.any((gains != 0) & (np.abs(gains) <= TRACE)):
        notes.append(
            "Phi is highest as a gain approaches 0 without reaching it: topics with no other label "
            "would score 0, so a trace of that gain is kept"
        )
    return notes


def _perturbed_gains(
    problem: GradeProblem, gains: Floats, monotone: bool, generator: np.random.Generator, tries: int = 30
) -> float:
    """Return the highest Phi among random small and large changes of the gains."""
    values = []
    for size in np.geomspace(1e-4, 0.5, tries):
        changed = gains * np.exp(size * generator.normal(size=len(gains)))
        if monotone:
            # Sorting restores the order that the noise may break.
            changed = np.concatenate([np.sort(changed[gains < 0]), np.sort(changed[gains >= 0])])
        values.append(problem.value(changed))
    return max(values)


# Random discounts drawn for each start, in large and in small pools: small pools have more local maxima, and drawing
# is fast there. Chosen by hand.
DRAWS = (50, 300)
SMALL = 100_000  # runs x topics x ranks, up to which a pool is small
# jk has a base to choose, and none of these is given a choice.
OTHER_DISCOUNTS = tuple(name for name in DISCOUNTS if name != "jk")


def optimal_discount(
    pool: LabelledPool,
    cutoff: int,
    gain: str | Mapping[int, float] = "linear",
    *,
    monotone: bool = True,
    negative: Literal["zero", "keep", "minmax"] = "zero",
    starts: int = 2,
    splits: int = 3,
    seed: int | np.random.Generator = 0,
) -> Optimum:
    """Find the discounts of ranks 1 to cutoff that make nDCG most stable on the runs of a pool.

    Maximises Phi of one topic over discounts that are not negative, sum to 1 and do not increase with rank. The
    search starts from log2, zipf, linear, uniform and the best of many random discounts, so it is never worse than
    these.

    Parameters
    ----------
    pool : Campaign
        The pool.
    cutoff : int
        Of nDCG.
    gain : str or mapping
        Of nDCG.
    monotone : bool
        Whether discounts may not increase with rank. Free ones keep the ideal list in grade order, so scores may pass
        1.
    negative : {"zero", "keep", "minmax"}
        How negative gains count, as in nDCG.
    starts : int
        Random discounts to search from.
    splits : int
        Random halves of topics, and as many of runs, that say what is left of the improvement on data not fitted.
    seed : int or Generator
        Of starts and splits.

    Returns
    -------
    Optimum
        Discounts, Phi, Phi of common discounts, and how sure that is.

    References
    ----------
    [K09].

    Examples
    --------
    >>> class Pool:  # 12 runs that find more and more of 6 documents on 20 topics
    ...     def label_matrix(self, cutoff):
    ...         order = np.random.default_rng(3).random((12, 20, 6)) + np.arange(6) / 12
    ...         relevant = order < np.linspace(0.4, 1.2, 12)[:, None, None]
    ...         return relevant[:, :, :cutoff].astype(np.int32)
    ...     def label_counts(self):
    ...         return np.array([0, 1]), np.tile([50, 6], (20, 1))
    >>> result = optimal_discount(Pool(), cutoff=6, splits=0)
    >>> result.converged, result.phi > max(result.others.values())
    (True, True)
    >>> [round(value, 3) for value in result.discounts]
    [0.226, 0.226, 0.196, 0.196, 0.078, 0.078]
    """
    for name, count in (("starts", starts), ("splits", splits)):
        whole(name, count)
    labels = RankedLabels.from_pool(pool, cutoff)
    gains = gains_of(labels.labels, gain, negative)
    check_labels(labels, gains)
    problem = RankProblem.from_labels(labels, gains, negative, monotone)
    generator = np.random.default_rng(seed_or_generator(seed))
    others = {name: discounts_of(name, labels.cutoff) for name in OTHER_DISCOUNTS}
    begins = others | _random_starts(problem, starts, generator)
    climbs = {name: _climb(problem, begin) for name, begin in begins.items()}
    # Equal maxima: the one that satisfies the conditions best. Phi beyond twelve decimals is rounding.
    best = max(climbs.values(), key=lambda reached: (round(reached.value, 12), -reached.violation))
    records = [Start(name, problem.value(begins[name]), *reached[1:3]) for name, reached in climbs.items()]
    kept = both_facets(problem, _fit, others, splits, generator)
    scores = problem.scores(best.discounts)
    notes = doubts(best.value, best.violation, records, kept, "log2", np.abs(scores).max(axis=0))
    if scores.max() > 1.0 + 1e-12:
        notes.append("some scores pass 1: free discounts keep the ideal list in grade order")
    return Optimum(
        kind="discount",
        cutoff=labels.cutoff,
        discounts=tuple(best.discounts.tolist()),
        gains=named_gains(labels.labels, gains),
        phi=reported(best.value),
        phis=(reported(best.value),),
        others={name: reported(problem.value(values)) for name, values in others.items()},
        other_discounts={name: tuple(values.tolist()) for name, values in others.items()},
        other_gains={},
        starts=tuple(records),
        violation=best.violation,
        perturbed=_perturbed(problem, best, generator),
        held_out=kept,
        monotone=monotone,
        negative=negative,
        seed=seed,
        method="active set of flat discounts, Newton" if monotone else "L-BFGS-B with pinned sum, Newton",
        warnings=warn_of(notes),
    )


def _climb(problem: RankProblem, start: Floats) -> Climb:
    """Climb to a maximum. At a kink of Phi, finish with its two sides as objectives."""
    reached = climb(problem, start)
    if reached.violation < CONVERGED:
        return reached
    joint = climb_kink([JointProblem((problem,))], reached.discounts, np.ones(1))
    value = float(joint.values.min())
    # Splitting a kink may end slightly lower by rounding; a lower optimum is never returned.
    return Climb(joint.discounts, value, joint.violation) if value >= reached.value - 10 * ROUNDING else reached


def _fit(problem: RankProblem) -> Floats:
    return climb(problem, discounts_of("log2", problem.cutoff)).discounts


def _random_starts(problem: RankProblem, number: int, generator: np.random.Generator) -> dict[str, Floats]:
    """Return the best of many random discounts, because small pools can have several maxima."""
    if number == 0:
        return {}
    draws = DRAWS[problem.runs * problem.topics * problem.cutoff <= SMALL]
    drawn = np.array([_random(problem, generator) for _ in range(draws * number)])
    best = np.argsort(-_values(problem, drawn), kind="stable")[:number]
    return {f"random {index}": drawn[row] for index, row in enumerate(best, start=1)}


def _random(problem: RankProblem, generator: np.random.Generator) -> Floats:
    """Return a random discount of a few steps, or of free ranks."""
    size = problem.cutoff
    if not problem.monotone:
        # Free discounts: a Dirichlet with 0.3 concentrates on few ranks, with 1 it is uniform over the
        # simplex.
        return generator.dirichlet(np.full(size, generator.choice([0.3, 1.0])))
    weights = np.zeros(size)
    # One to five steps: optima of real pools have few (active sets stay small).
    ranks = generator.integers(0, size, size=generator.integers(1, 6))
    np.add.at(weights, ranks, generator.dirichlet(np.ones(len(ranks))))
    return mixture(weights)


def _values(problem: RankProblem, discounts: Floats) -> Floats:
    """Return Phi of one topic of many discounts, one per row."""
    return stabilities(problem.columns(discounts.T).scores_of_each())


def _perturbed(problem: RankProblem, best: Climb, generator: np.random.Generator, tries: int = 12) -> float:
    """Return the largest gain in Phi by small and large random changes of the optimum."""
    changes = np.array([_random(problem, generator) for _ in range(tries)])
    noise = best.discounts * np.exp(0.1 * generator.normal(size=(tries, problem.cutoff)))
    if problem.monotone:
        noise = -np.sort(-noise, axis=1)
    mixed = [best.discounts + size * (changes - best.discounts) for size in (0.1, 0.01, 0.001)]
    return float(_values(problem, np.vstack([*mixed, noise])).max()) - best.value
