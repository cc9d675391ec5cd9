"""The gains of nDCG as unknowns: stability over all grades, and its highest maximum.

Gains that do not fall from grade to grade are a mixture of step gains: weight w_j on the gain that is the
same for grade j and every higher one, all w_j >= 0. The ideal list then keeps its order and the scores
are ratios of linear functions of the weights. Several local maxima exist already with two grades, so the
search starts from a lattice over all mixtures. Free gains are tried in every order of the grades.

A topic without a document of positive gain scores 0. So Phi jumps where the gain of a topic's only grades
becomes exactly 0: such faces are searched by themselves, and off them these gains keep a trace.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import comb
from typing import NamedTuple

import numpy as np

from poolwise.lab.weights.minimax import settle_kink
from poolwise.lab.weights.ranks import ROUNDING
from poolwise.lab.weights.stability import CONVERGED, Ratio, ascend, stability, violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats, Places
    from poolwise.lab.weights.labels import RankedLabels

    Integers = NDArray[np.int64]

__all__ = [
    "TRACE",
    "Face",
    "GradeProblem",
    "Peak",
    "face_of",
    "highest",
    "natural_face",
    "peaks",
    "step_gains",
    "step_weights",
    "trace_of",
]

# Weight that keeps the gains of a topic's only grades above 0, where Phi would jump. Below PROMISE it changes nothing.
TRACE = 1e-8
# Free gains are tried in all orders of up to this many grades (24), beyond it by exchanging tied neighbours.
ALL_ORDERS = 4
LATTICE = 300  # points of the lattice of starts, at most; chosen by hand, a balance of time and coverage
CLIMBS = 5  # best points of the lattice from which the search climbs; chosen by hand


class Face(NamedTuple):
    """Grades with a gain other than 0, as indices of labels in ascending order of absolute gain."""

    positive: tuple[int, ...]
    negative: tuple[int, ...]


class Peak(NamedTuple):
    """A local maximum: gain of each label, Phi, violation of the conditions, name of its start."""

    gains: Floats
    value: float
    violation: float
    start: str
    start_value: float


@dataclass(frozen=True)
class GradeProblem:
    """Discounted counts of retrieved documents by label, and counts of judged documents by topic.

    `discounted` is runs x topics x labels, `counts` is topics x labels. `summed` are cumulative sums of the discounts.
    With `scaled` the score of the worst list is subtracted from numerator and denominator.
    """

    discounted: Floats
    counts: Integers
    summed: Floats
    labels: Integers
    scaled: bool

    @classmethod
    def from_labels(cls, ranked: RankedLabels, discounts: Floats, negative: str) -> GradeProblem:
        """Build the problem for fixed discounts. negative="zero" leaves negative labels out."""
        size = len(ranked.labels)
        cells = ranked.cells * size + ranked.grades
        shape = (ranked.runs, ranked.topics, size)
        weights = (discounts / discounts.sum())[ranked.ranks]
        discounted: Floats = np.bincount(cells, weights, int(np.prod(shape))).reshape(shape).astype(np.float64)
        used = ranked.labels > 0 if negative == "zero" else ranked.labels != 0
        summed = np.append(0.0, np.cumsum(discounts / discounts.sum()))
        return cls(discounted[:, :, used], ranked.counts[:, used], summed, ranked.labels[used], negative == "minmax")

    def restrict(self, runs: Places | None = None, topics: Places | None = None) -> GradeProblem:
        """Return the problem of some runs and topics."""
        discounted = self.discounted if runs is None else self.discounted[runs]
        if topics is None:
            return replace(self, discounted=discounted)
        return replace(self, discounted=discounted[:, topics], counts=self.counts[topics])

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.discounted)

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.counts)

    def ratio(self, face: Face) -> Ratio:
        """Return the ratio whose weights mix the step gains of a face."""
        steps = step_gains(len(self.labels), face)
        listed = self.summed[np.minimum(self.counts @ (steps != 0), len(self.summed) - 1)]
        ideal: Floats = listed * np.abs(steps).max(axis=0)
        best, worst = ideal.copy(), np.zeros_like(ideal)
        best[:, len(face.positive) :] = 0.0
        if self.scaled:
            # Worst list: the negative gains in the order of the ideal list, which the step gains below 0
            # make.
            worst[:, len(face.positive) :] = -ideal[:, len(face.positive) :]
        return Ratio(self.discounted @ steps - worst, best - worst)

    def scores(self, gains: Floats) -> Floats:
        """Return nDCG, runs x topics."""
        face = face_of(gains)
        return self.ratio(face).scores(step_weights(gains, face))

    def value(self, gains: Floats) -> float:
        """Return Phi of one topic, not cut off at 0."""
        return stability(self.scores(gains)).value


def natural_face(labels: Integers) -> Face:
    """Return the face on which every label has a gain and labels further from 0 have a larger one.

    >>> natural_face(np.array([-2, -1, 1, 2]))
    Face(positive=(2, 3), negative=(1, 0))
    """
    indices = np.arange(len(labels))
    return Face(tuple(indices[labels > 0].tolist()), tuple(indices[labels < 0][::-1].tolist()))


def face_of(gains: Floats) -> Face:
    """Return the face to which gains belong: their nonzero grades, ordered by size.

    >>> face_of(np.array([3.0, 1.0, 0.0, -1.0]))
    Face(positive=(1, 0), negative=(3,))
    """
    # Stable: grades with equal gains keep the order of labels.
    order = np.argsort(np.abs(gains), kind="stable")
    chains = (tuple(order[sign * gains[order] > 0].tolist()) for sign in (1, -1))
    return Face(*chains)


def step_gains(size: int, face: Face) -> Floats:
    """Return the step gains of a face, labels x m: positive ones, then negative ones.

    >>> step_gains(3, Face((0, 1), (2,))).tolist()
    [[0.5, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, -1.0]]
    """
    columns = []
    for sign, chain in ((1.0, face.positive), (-1.0, face.negative)):
        for index in range(len(chain)):
            column = np.zeros(size)
            column[list(chain[index:])] = sign / (len(chain) - index)
            columns.append(column)
    return np.array(columns).T


def step_weights(gains: Floats, face: Face) -> Floats:
    """Return the weights of the step gains in gains of that order, summing to 1.

    >>> step_weights(np.array([1.0, 2.0]), Face((0, 1), ())).round(3).tolist()
    [0.667, 0.333]
    """
    parts = [np.diff(np.abs(gains[list(chain)]), prepend=0.0) * np.arange(len(chain), 0, -1) for chain in face]
    weights: Floats = np.concatenate(parts) / sum(part.sum() for part in parts)
    return weights


def peaks(problem: GradeProblem, starts: Mapping[str, Floats], monotone: bool = True) -> list[Peak]:
    """Return the local maxima found from named starts and a lattice, highest first."""
    maxima = [peak for face in _faces(problem, monotone) for peak in _search(problem, face, starts)]
    # With more than ALL_ORDERS grades not all orders were searched.
    if not monotone and len(natural_face(problem.labels).positive) > ALL_ORDERS:
        maxima += _exchange(problem, max(maxima, key=lambda peak: peak.value))
    return sorted(maxima, key=lambda peak: -peak.value)


def highest(problem: GradeProblem, starts: Mapping[str, Floats], monotone: bool = True) -> Floats:
    """Return the gains of the highest maximum."""
    return peaks(problem, starts, monotone)[0].gains


def _faces(problem: GradeProblem, monotone: bool) -> Iterator[Face]:
    """Yield all orders of the grades, and the faces on which the scores of a topic jump to 0."""
    natural = natural_face(problem.labels)
    every = not monotone and max(len(natural.positive), len(natural.negative)) <= ALL_ORDERS
    for positive in _chains(natural.positive, every):
        for negative in _chains(natural.negative, every) or [()]:
            face = Face(positive, negative)
            # Smaller faces matter only where Phi jumps; elsewhere they are limits of the whole face.
            if face.positive and (_whole(face, natural) or _jumps(problem, face)):
                yield face


def _chains(grades: tuple[int, ...], every: bool) -> list[tuple[int, ...]]:
    """Return the chains at the end of the natural order, or all ordered choices of grades."""
    sizes = range(len(grades), -1, -1)
    if every:
        return [chain for size in sizes for chain in permutations(grades, size)]
    return [grades[len(grades) - size :] for size in sizes]


def _whole(face: Face, natural: Face) -> bool:
    return len(face.positive) == len(natural.positive) and len(face.negative) == len(natural.negative)


def _jumps(problem: GradeProblem, face: Face) -> bool:
    """Whether a topic with relevant documents scores 0 on this face."""
    whole = problem.ratio(natural_face(problem.labels)).denominators.any(axis=1)
    return bool(np.any(whole & ~problem.ratio(face).denominators.any(axis=1)))


def _search(problem: GradeProblem, face: Face, starts: Mapping[str, Floats]) -> list[Peak]:
    """Climb from the named starts that have this face's order and from the best points of a lattice."""
    exact, steps = problem.ratio(face), step_gains(len(problem.labels), face)
    trace = trace_of(exact, face)
    ratio = Ratio(exact.numerators @ trace, exact.denominators @ trace)
    points = {
        name: step_weights(gains, face)
        for name, gains in starts.items()
        # A start must lie on this face: other orders of gains have negative step weights.
        if set(face_of(gains).positive) == set(face.positive) and _ordered(gains, face)
    }
    lattice = _lattice(len(trace))
    values = ratio.values(lattice.T)
    points |= {f"lattice {index}": lattice[index] for index in _summits(lattice, values)}
    maxima = []
    for name, start in points.items():
        weights, value, miss = _climb(ratio, start)
        begin = float(ratio.values(start[:, None])[0])
        maxima.append(Peak(steps @ (trace @ weights), value, miss, name, begin))
    return maxima


def _climb(ratio: Ratio, start: Floats) -> tuple[Floats, float, float]:
    """Climb to a local maximum, possibly at a kink of Phi. Return weights, Phi and violation."""
    weights = ascend(ratio, start)
    value, slope = ratio.slope(weights)
    miss = violation(slope, weights)
    if miss < CONVERGED:
        return weights, value, miss
    settled = settle_kink(ratio, weights)
    return settled if settled[1] >= value - 10 * ROUNDING else (weights, value, miss)


def _ordered(gains: Floats, face: Face) -> bool:
    return all(np.all(np.diff(np.abs(gains[list(chain)])) >= 0) for chain in face if chain)


def trace_of(ratio: Ratio, face: Face) -> Floats:
    """Return the mixing matrix that keeps a trace of the widest columns if a topic needs them."""
    size = ratio.denominators.shape[1]
    widest = [0] + ([len(face.positive)] if face.negative else [])
    ideal = ratio.denominators > 0
    mixing = np.eye(size)
    if np.any(ideal.any(axis=1) & ~ideal.all(axis=1)):
        mixing *= 1.0 - TRACE
        mixing[widest] += TRACE / len(widest)
    return mixing


def _lattice(size: int) -> Floats:
    """Return points spread evenly over the mixtures of columns."""
    if size == 1:
        return np.ones((1, 1))
    parts = 1
    # 256: the finest lattice of two grades; more columns reach LATTICE first.
    while parts < 256 and comb(parts + size, size - 1) <= LATTICE:
        parts += 1
    bars = np.array(list(combinations(range(parts + size - 1), size - 1)))
    points: Floats = (np.diff(bars, axis=1, prepend=-1, append=parts + size - 1) - 1) / parts
    return points


def _summits(lattice: Floats, values: Floats) -> Places:
    """Return starts of climbs: all local maxima of two columns, else the best few points."""
    if lattice.shape[1] == 2:
        padded = np.concatenate([[-np.inf], values, [-np.inf]])
        return np.flatnonzero((padded[1:-1] >= padded[:-2]) & (padded[1:-1] >= padded[2:]))[:CLIMBS]
    return np.argsort(-values, kind="stable")[:CLIMBS]


def _exchange(problem: GradeProblem, peak: Peak) -> list[Peak]:
    """Exchange neighbouring grades that ended with equal gains, as long as Phi rises."""
    exchanged: list[Peak] = []
    while True:
        face = face_of(peak.gains)
        tried = [other for swapped in _swaps(face, peak.gains) for other in _search(problem, swapped, {})]
        best = max(tried, key=lambda other: other.value, default=peak)
        # Gains below rounding would exchange the same grades forever.
        if best.value <= peak.value + 1e-12:
            return exchanged
        peak = best
        exchanged.append(best)


def _swaps(face: Face, gains: Floats) -> Iterator[Face]:
    chain = list(face.positive)
    for index in range(len(chain) - 1):
        if np.isclose(gains[chain[index]], gains[chain[index + 1]], rtol=1e-6):
            swapped = [*chain]
            swapped[index], swapped[index + 1] = chain[index + 1], chain[index]
            yield Face(tuple(swapped), face.negative)
