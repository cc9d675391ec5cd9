"""Discounts and gains at once, for the highest worst Phi over several objectives ([K09]'s minimax).

Weights w mix flat discounts, weights v mix step gains, and nDCG is a ratio of functions that are linear
in every product w_k v_j. Sequential quadratic programming (SciPy's SLSQP) maximises the worst Phi over a
small set of flat discounts, and the one that promises most joins until none does. What a flat discount
promises is the slope of the objectives that are worst, weighted by their multipliers.

Phi itself is the smaller of two smooth functions (see `stability`). Where they meet, each counts as an
objective of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog, minimize, nnls

from poolwise.lab.weights.ranks import ROUNDING, RankProblem, most_promising, scatter, stalled
from poolwise.lab.weights.stability import CONVERGED, Ratio, violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolwise.basics.arrays import Floats
    from poolwise.lab.weights.labels import RankedLabels


__all__ = ["JointClimb", "JointProblem", "climb_jointly", "climb_kink", "settle_kink"]

# Slopes of Phi below this count as 0: a tenth of the tolerance that users are promised (stability.CONVERGED).
PROMISE = 1e-8
MOST_ROUNDS = 30  # bound of rounds of the active set, each of which adds one member
# Starts with at most this many members enter as single members at once; larger ones as one mixture, for speed.
FEW = 30
# Objectives within this of the worst one count as worst in the search for multipliers: what SLSQP leaves of ties.
CLOSE = 1e-6
# Weights up to this are 0: SLSQP leaves so much on weights at their bound.
POSITIVE = 1e-9
# SLSQP's iterations and tolerance: Phi is below 1, so that 1e-15 is its rounding.
SETTINGS = {"maxiter": 300, "ftol": 1e-15}
# Makes the row that says that shares sum to 1 outweigh slopes in least squares, and slopes, which are small near a
# maximum, large against the tolerances of the linear programme.
SCALE = 1e3


class JointClimb(NamedTuple):
    """End of a search: discounts, weights of the step gains, Phi of each objective, violation."""

    discounts: Floats
    grades: Floats
    values: Floats
    violation: float

    @property
    def worst(self) -> float:
        """The lowest Phi."""
        return float(self.values.min())


@dataclass(frozen=True)
class JointProblem:
    """An objective: a rank problem for each step gain, mixed by the weights v of the gains."""

    steps: tuple[RankProblem, ...]

    @classmethod
    def from_labels(cls, labels: RankedLabels, steps: Floats, negative: str, cutoff: int) -> JointProblem:
        """Build one rank problem for each column of step gains. Ranks beyond the labels weigh nothing."""
        problems = (RankProblem.from_labels(labels, column, negative) for column in steps.T)
        return cls(tuple(_deepen(problem, cutoff) for problem in problems))

    def halves(self) -> tuple[JointProblem, JointProblem]:
        """Return the two smooth objectives of which Phi is the smaller."""
        first, second = (
            JointProblem(tuple(replace(step, topic=topic) for step in self.steps)) for topic in (True, False)
        )
        return first, second

    def mixed(self, grades: Floats) -> RankProblem:
        """Return the rank problem of mixed gains."""
        parts = list(zip(grades, self.steps, strict=True))
        gains = reduce(lambda left, right: left + right, (share * step.gains for share, step in parts))
        best = sum(share * step.best for share, step in parts)
        worst = sum(share * step.worst for share, step in parts)
        return replace(self.steps[0], gains=gains.tocsr(), best=best, worst=worst)

    def columns(self, discounts: Floats) -> Ratio:
        """Return the ratio whose weights are the products w_k v_j, j running fastest."""
        ratios = [step.columns(discounts) for step in self.steps]
        numerators = np.stack([ratio.numerators for ratio in ratios], axis=3)
        denominators = np.stack([ratio.denominators for ratio in ratios], axis=2)
        size = discounts.shape[1] * len(ratios)
        return Ratio(numerators.reshape(*numerators.shape[:2], size), denominators.reshape(-1, size), ratios[0].topic)


def _deepen(problem: RankProblem, cutoff: int) -> RankProblem:
    """Add empty ranks, so that objectives with different cut-offs share their discounts."""
    extra = cutoff - problem.cutoff
    if extra == 0:
        return problem
    gains = problem.gains.copy()
    # `resize` of a sparse matrix adds empty columns in place, so a copy is made first.
    gains.resize((gains.shape[0], cutoff))
    best, worst = (np.pad(part, ((0, 0), (0, extra))) for part in (problem.best, problem.worst))
    return replace(problem, gains=gains, best=best, worst=worst)


def climb_jointly(problems: Sequence[JointProblem], start: Floats, grades: Floats) -> JointClimb:
    """Climb from a discount and weights of the step gains to a local maximum of the worst Phi."""
    reached = _climb(problems, start, grades)
    if reached.violation < CONVERGED:
        return reached
    again = climb_kink(problems, reached.discounts, reached.grades)
    return again if again.values.min() >= reached.values.min() - 10 * ROUNDING else reached


def climb_kink(problems: Sequence[JointProblem], start: Floats, grades: Floats) -> JointClimb:
    """Climb with both smooth sides of every Phi as separate objectives."""
    reached = _climb([half for problem in problems for half in problem.halves()], start, grades)
    return reached._replace(values=reached.values.reshape(-1, 2).min(axis=1))


def settle_kink(ratio: Ratio, weights: Floats) -> tuple[Floats, float, float]:
    """Maximise Phi over a few weights where it has a kink. Return weights, Phi and violation."""
    halves = [replace(ratio, topic=topic) for topic in (True, False)]
    weights, _ = _settle(halves, weights, np.ones(1))
    values, slopes, _ = _slopes(halves, weights, np.ones(1))
    return weights, float(values.min()), violation(_multipliers(values, slopes, weights) @ slopes, weights)


def _climb(problems: Sequence[JointProblem], start: Floats, grades: Floats) -> JointClimb:
    """Active set of members. The start itself is in the mixture, unless it is a mixture of few of them."""
    shape = problems[0].steps[0]
    start = start / start.sum()
    weights, members = np.ones(1), np.zeros(0, dtype=np.intp)
    shares = shape.weights(start)
    # The start stays as a member of weight 0: its direction remains available.
    if np.count_nonzero(shares) <= FEW:
        members = np.flatnonzero(shares)
        weights = np.append(0.0, shares[members])
    reached: list[float] = []
    for _ in range(MOST_ROUNDS):
        added = np.array([shape.mixture(scatter(np.ones(1), member, len(start))) for member in members[:, None]])
        mixed = np.column_stack([start, added.reshape(-1, len(start)).T])
        weights, grades = _settle([problem.columns(mixed) for problem in problems], weights, grades)
        discounts = mixed @ weights
        kept = weights[1:] > 0
        weights, members = np.append(weights[0], weights[1:][kept]), members[kept]
        promised = _promises(problems, (start, scatter(weights[1:], members, len(start))), discounts, grades)
        promised[members] = 0.0
        new = most_promising(promised, PROMISE)
        reached.append(min(problem.mixed(grades).value(discounts) for problem in problems))
        # At a kink slopes promise more than they yield, and rounds would add members without end.
        if len(new) == 0 or stalled(reached, 3):
            break
        weights, members = np.append(weights, np.zeros(len(new))), np.append(members, new)
    values = np.array([problem.mixed(grades).value(discounts) for problem in problems])
    return JointClimb(discounts, grades, values, _violation(problems, discounts, grades))


def _violation(problems: Sequence[JointProblem], discounts: Floats, grades: Floats) -> float:
    """Return the violation of the conditions of a maximum of the worst Phi."""
    values, by_rank, by_grade = _all_slopes(problems, discounts / discounts.sum(), grades)
    weights = np.concatenate([problems[0].steps[0].weights(discounts), grades])
    weights[weights <= POSITIVE] = 0.0
    slopes = np.hstack([problems[0].steps[0].promises(by_rank), by_grade])
    return violation(_multipliers(values, slopes, weights) @ slopes, weights)


def _promises(
    problems: Sequence[JointProblem], mixture: tuple[Floats, Floats], discounts: Floats, grades: Floats
) -> Floats:
    """Return the slope of the worst objectives towards each member, weighted by multipliers.

    The slope of a weight is what Phi gains by moving weight there from the whole mixture. A member whose slope is above
    0 would raise all of the worst objectives at once, to first order.
    """
    start, members = mixture
    values, by_rank, by_grade = _all_slopes(problems, discounts, grades)
    by_member = problems[0].steps[0].promises(by_rank)
    slopes = np.hstack([by_rank @ start[:, None], by_member, by_grade])
    # The start counts as positive when the members do not make up the whole mixture.
    weights = np.concatenate([[1.0 - members.sum() > POSITIVE], members, grades])
    promised: Floats = _multipliers(values, slopes, weights) @ by_member
    return promised


def _all_slopes(problems: Sequence[JointProblem], discounts: Floats, grades: Floats) -> tuple[Floats, Floats, Floats]:
    """Return Phi of each objective and its slopes in every rank's discount and every step gain."""
    by_problem = [problem.mixed(grades).slope(discounts) for problem in problems]
    ratios = [problem.columns(discounts[:, None]) for problem in problems]
    by_grade = _slopes(ratios, np.ones(1), grades)[2]
    return np.array([value for value, _ in by_problem]), np.array([slope for _, slope in by_problem]), by_grade


def _slopes(ratios: Sequence[Ratio], weights: Floats, grades: Floats) -> tuple[Floats, Floats, Floats]:
    """Return Phi of each objective, its slopes in the weights, and its slopes in the grades."""
    by_ratio = [ratio.slope(np.outer(weights, grades).reshape(-1)) for ratio in ratios]
    values = np.array([value for value, _ in by_ratio])
    slopes = np.array([slope.reshape(len(weights), len(grades)) for _, slope in by_ratio])
    return values, slopes @ grades, weights @ slopes


def _multipliers(values: Floats, slopes: Floats, weights: Floats) -> Floats:
    """Return multipliers of the worst objectives that approximately satisfy the conditions.

    At a maximum of the smallest of several functions some mixture of the slopes of those that are smallest
    (Lagrange multipliers: shares that sum to 1) is 0 in every positive weight and not above 0 in the others. The
    better ones of the objectives have share 0. Least squares on the positive weights finds it in most cases.
    Where that leaves the shares open (more objectives than positive weights), or wrong about weights of 0, the
    linear programme that makes the violation smallest does.
    """
    worst = values <= values.min() + CLOSE
    shares = np.zeros((2, len(values)))
    shares[0, worst] = _least_squares(slopes[worst][:, weights > 0])
    # A single worst objective has multiplier 1. Otherwise least squares is tried first, since it is exact and
    # fast in most cases.
    if worst.sum() == 1 or violation(shares[0] @ slopes, weights) <= PROMISE:
        return shares[0]
    shares[1, worst] = _smallest_violation(slopes[worst], weights)
    best = min(shares, key=lambda share: violation(share @ slopes, weights))
    return np.asarray(best, dtype=np.float64)


def _least_squares(slopes: Floats) -> Floats:
    """Return nonnegative shares whose mixture of slopes has the smallest sum of squares."""
    matrix = np.vstack([slopes.T, np.full(len(slopes), SCALE)])
    shares = nnls(matrix, np.append(np.zeros(slopes.shape[1]), SCALE))[0]
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def _smallest_violation(slopes: Floats, weights: Floats) -> Floats:
    """Return shares with the smallest violation t: no slope above t, none of a positive weight below -t."""
    # Two rows per positive weight: its slope must be within t of 0 on both sides.
    limits = np.vstack([slopes.T, -slopes.T[weights > 0]]) * SCALE
    number = len(slopes)
    solution = linprog(
        np.append(np.zeros(number), 1.0),
        A_ub=np.hstack([limits, np.full((len(limits), 1), -1.0)]),
        b_ub=np.zeros(len(limits)),
        A_eq=np.append(np.ones(number), 0.0)[None],
        b_eq=np.ones(1),
        bounds=[(0.0, None)] * (number + 1),
    )
    shares = np.full(number, 1.0 / number) if solution.x is None else np.maximum(solution.x[:-1], 0.0)
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def _settle(ratios: Sequence[Ratio], weights: Floats, grades: Floats) -> tuple[Floats, Floats]:
    """Maximise the worst Phi over weights, grades and the bound t on it, by SLSQP."""
    first, last = len(weights), len(weights) + len(grades)
    sums = np.zeros((2, last + 1))
    sums[0, :first], sums[1, first:last] = 1.0, 1.0
    bound = np.zeros(last + 1)
    bound[-1] = 1.0

    @lru_cache(maxsize=1)  # value and slope are asked for one after the other
    def at(packed: bytes) -> tuple[Floats, Floats, Floats]:
        point = np.frombuffer(packed)
        return _slopes(ratios, point[:first], point[first:last])

    def above(point: Floats) -> Floats:
        return at(point.tobytes())[0] - point[-1]

    def above_slope(point: Floats) -> Floats:
        values, *slopes = at(point.tobytes())
        return np.hstack([*slopes, np.full((len(values), 1), -1.0)])

    point = np.concatenate([weights, grades, [_slopes(ratios, weights, grades)[0].min()]])
    solution = minimize(
        lambda point: -point[-1],
        point,
        jac=lambda point: -bound,
        method="SLSQP",
        bounds=[(0.0, None)] * last + [(None, None)],
        constraints=[
            {"type": "ineq", "fun": above, "jac": above_slope},
            {"type": "eq", "fun": lambda point: sums @ point - 1.0, "jac": lambda point: sums},
        ],
        options=SETTINGS,
    ).x
    settled = _cleared(solution[:first]), _cleared(solution[first:last])
    better = _slopes(ratios, *settled)[0].min() >= point[-1] - 10 * ROUNDING
    return settled if better else (weights, grades)


def _cleared(weights: Floats) -> Floats:
    kept = np.where(weights > POSITIVE, weights, 0.0)
    scaled: Floats = kept / kept.sum()
    return scaled
