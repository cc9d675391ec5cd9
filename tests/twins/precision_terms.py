"""The terms of average precision under uncertain labels, by dense matrices: every document with every other.

Written from docs/theory/assisted.md, sections *The plug-in*, *First order* and *Second order*.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from tests.twins import assisted

Array = np.typing.NDArray[Any]


class Mean:
    """The mean of 1 / R with some known relevant documents more, and its differences for the three parts of S."""

    def __init__(self, known: int, loose: float) -> None:
        self.known, self.loose = known, loose

    def at(self, more: int) -> float:
        """With so many more."""
        return assisted.mean_reciprocal(max(self.known + more, 0), self.loose)

    def of(self, more: int) -> Array:
        """For the three parts of S."""
        return np.array([self.at(more + part) for part in range(3)])

    def steps(self, more: int) -> Array:
        """What one more changes."""
        return self.of(more + 1) - self.of(more)

    def curvature(self, more: int) -> Array:
        """How that changes."""
        return self.steps(more + 1) - self.steps(more)


class Ranking(NamedTuple):
    """One run: 1 / rank of each document, and 1 / the larger rank of each two, without itself; 0 if not retrieved."""

    share: Array
    both: Array

    @classmethod
    def of(cls, ranks: Array) -> Ranking:
        """From ranks, 0 where a document is not retrieved."""
        larger = np.maximum(ranks[:, None], ranks) * (ranks[:, None] * ranks > 0)
        np.fill_diagonal(larger, 0)
        return cls(*(np.divide(1.0, each, out=np.zeros(each.shape), where=each > 0) for each in (ranks, larger)))

    def parts(self, known: Array, loose: Array) -> Array:
        """Of S: known relevant documents alone, with one uncertain document, with two."""
        near, far = self.slopes(known, loose)
        return np.array([known @ self.share + known @ self.both @ known / 2, loose @ near, loose @ far / 2])

    def slopes(self, known: Array, loose: Array) -> tuple[Array, Array]:
        """How S grows with a document's label, by known relevant ones and by uncertain ones."""
        return self.share + self.both @ known, self.both @ loose


def value_of(known: Array, loose: Array, ranking: Ranking, squares: Array) -> float:
    """The plug-in, less half of the squares times second derivatives."""
    mean, parts = Mean(round(known.sum()), loose.sum()), ranking.parts(known, loose)
    return float(mean.of(0) @ parts - doubled(known, loose, ranking, squares))


def doubled(known: Array, loose: Array, ranking: Ranking, squares: Array) -> float:
    """Half the sum over documents of some squares times the second derivative of A by the document's probability."""
    mean, parts = Mean(round(known.sum()), loose.sum()), ranking.parts(known, loose)
    near, far = ranking.slopes(known, loose)
    slopes = squares @ near * mean.steps(1)[0] + squares @ far * mean.steps(2)[0]
    return float(slopes + squares.sum() / 2 * (mean.curvature(0) @ parts))


def bracket(known: Array, loose: Array, ranking: Ranking, document: int) -> float:
    """A(1) - A(0), the document being in neither of known and loose."""
    own = np.zeros(len(known))
    own[document] = 1.0
    ends = [value_of(known + label * own, loose, ranking, own * 0) for label in (0, 1)]
    return ends[1] - ends[0]


def first(state: Any, ranking: Ranking) -> Array:
    """n: u."""
    known, loose = known_and_loose(state)
    chosen, without = state.refits
    found = []
    for place, document in enumerate(state.counted.tolist()):
        rest, anew = known.copy(), loose
        rest[document] = 0.0
        if place in chosen:
            anew = np.where(state.classes < 0, without[0][:, chosen.tolist().index(place)], 0.0)
        found.append(state.own_residuals[place, 0] * bracket(rest, anew, ranking, document))
    return np.array(found)


def curvature(state: Any, ranking: Ranking) -> Array:
    """n: B, by four values of A for each pair."""
    known, loose = known_and_loose(state)
    found = np.zeros(len(state.counted))
    for i, one in enumerate(state.counted.tolist()):
        for j, other in enumerate(state.counted.tolist()):
            if i != j:
                rest, a, b = known.copy(), known * 0, known * 0
                rest[[one, other]], a[one], b[other] = 0.0, 1.0, 1.0
                ends = [value_of(rest + k * a + m * b, loose, ranking, a * 0) for k in (0, 1) for m in (0, 1)]
                found[i] += state.pair_weights[i, j] * (ends[3] - ends[2] - ends[1] + ends[0])
    return found


def expected_parts(state: Any, ranking: Ranking) -> Array:
    """N: what a document adds to a run, A(1) - A(0); an uncertain one is taken out of the others by derivatives."""
    known, loose = known_and_loose(state)
    mean, parts = Mean(round(known.sum()), loose.sum()), ranking.parts(known, loose)
    near, far = ranking.slopes(known, loose)
    found = np.zeros(len(known))
    for document, p in enumerate(state.tail_chance[:, 0]):
        less = loose[document]
        one = [mean.at(more) - less * (mean.at(more + 1) - mean.at(more)) for more in range(4)]
        if known[document]:
            one = [mean.at(more - 1) for more in range(4)]
        steps = np.diff(one)
        own = steps[1:] if less else steps[:2]
        found[document] = near[document] * (one[1] - p * own[0]) + far[document] * (one[2] - p * own[1]) + steps @ parts
    return found


def expected(state: Any, one: Ranking, other: Ranking | None = None) -> float:
    """What the model expects of the squares of u, of a run or of a difference."""
    weight = state.speaks_for * state.predicted[:, 0] * (1.0 - state.predicted[:, 0])
    moved = expected_parts(state, one) - (0.0 if other is None else expected_parts(state, other))
    return float(weight @ moved**2)


def expected_curvature(state: Any, ranking: Ranking, factor: Array) -> float:
    """Half the sum over pairs of covariances times second derivatives."""
    known, loose = known_and_loose(state)
    covariance = factor @ factor.T
    np.fill_diagonal(covariance, 0.0)
    mean = Mean(round(known.sum()), loose.sum())
    return mean.at(2) * float((covariance * ranking.both).sum()) / 2 + doubled(
        known, loose, ranking, covariance.sum(axis=1)
    )


def slopes(state: Any, ranking: Ranking) -> Array:
    """Shared effects: derivatives of the value by probabilities, and of these by effects."""
    known, loose = known_and_loose(state)
    mean, parts = Mean(round(known.sum()), loose.sum()), ranking.parts(known, loose)
    near, far = ranking.slopes(known, loose)
    by_near, by_far = (mean.at(s) - 2.0 * loose * (mean.at(s + 1) - mean.at(s)) for s in (1, 2))
    by_chance = near * by_near + far * by_far + mean.steps(0) @ parts - loose * (mean.curvature(0) @ parts)
    columns = state.model.features.shared[state.model.layout.part(state.topic)]
    return np.asarray((by_chance * loose * (1.0 - loose)) @ columns)


def known_and_loose(state: Any) -> tuple[Array, Array]:
    """Labels of judged documents, and probabilities of the others."""
    p, judged = state.tail_chance[:, 0], state.classes >= 0
    return np.where(judged, p, 0.0), np.where(judged, 0.0, p)
