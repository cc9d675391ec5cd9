"""Logistic regression with effects shared by all topics and effects of each topic, all with Gaussian priors.

The variances of the priors are found by EM. The Hessian is an arrow: topics are linked only through the shared effects,
so their blocks are eliminated one by one (Schur complement) and no matrix is larger than the shared columns.
Estimates find all variances so (docs/theory/assisted.md, section *The relevance model*); plans, which must do without
any label, know theirs beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise import _core

__all__ = ["Arrow", "Groups", "LogisticFit", "LogisticRows", "climb", "expit", "fit_logistic", "logit", "without_each"]

Array = NDArray[Any]  # float64
Whole = NDArray[Any]  # whole numbers

EM_STEPS = 6
NEWTON_STEPS = 30
REFIT_STEPS = 6
LEAST_VARIANCE, MOST_VARIANCE = 1e-4, 25.0
INTERCEPT_PRECISION = 1e-4


def expit(x: Array) -> Array:
    """1 / (1 + exp(-x)); SciPy has it too, but takes longer to load than a fit takes."""
    found = np.negative(x)
    with np.errstate(over="ignore"):  # infinity, of which 0 comes
        np.exp(found, out=found)
    found += 1.0
    return np.reciprocal(found, out=found)


def logit(p: Array) -> Array:
    """The way back: ln(p / (1 - p))."""
    return np.asarray(np.log(p) - np.log1p(-p))


@dataclass(frozen=True)
class Groups:
    """Which columns share a prior variance: (columns, starting variance), for shared and topic effects."""

    shared: tuple[tuple[slice, float], ...]
    topic: tuple[tuple[slice, float], ...]


@dataclass(frozen=True)
class Arrow:
    """The Hessian at some effects: the shared block after elimination, and what each topic's block is made of."""

    inverse: Array  # of the Schur complement, shared x shared
    topic_inverse: Array  # topics x k x k: inverse of each topic's own block
    carry: Array  # topics x k x shared: topic_inverse times the block that links topic and shared effects

    def solve(self, shared: Array, topic: Array) -> tuple[Array, Array]:
        """Solve for a right-hand side in the shared part (shared, or x m) and topics' parts (topics x k, or x m)."""
        if topic.ndim == 2:
            first, own = self.solve(shared[:, None], topic[:, :, None])
            return first[:, 0], own[:, :, 0]
        carried = self.carry.reshape(-1, len(shared)).T @ topic.reshape(-1, topic.shape[2])
        first = self.inverse @ (shared - carried)
        return first, self.topic_inverse @ topic - self.carry @ first

    def roots(self, own: list[int]) -> Array:
        """Topics x shared x shared: a root, a lower triangle, of the covariance of what columns add to the predictor.

        It is made of the block of the inverse Hessian of shared effects, each with a topic's of the same column; `own`
        are the places of a topic's columns among the shared ones.
        """
        link = -self.carry @ self.inverse
        covariance = np.repeat(self.inverse[None], len(link), axis=0)
        covariance[:, :, own] += link.swapaxes(1, 2)
        covariance[:, own] += link
        covariance[:, np.array(own)[:, None], own] += self.topic_inverse - link @ self.carry.swapaxes(1, 2)
        return np.linalg.cholesky(covariance)


@dataclass(frozen=True)
class LogisticFit:
    """Estimated effects, their prior precisions, and the Hessian they were found with."""

    shared: Array
    topic: Array  # topics x k
    shared_precision: Array
    topic_precision: Array
    arrow: Arrow


class LogisticRows:
    """The judged documents, sorted by topic: columns, y (0 or 1), where each topic begins, and what is known before.

    `offset` is the part of the linear predictor that is given: priors have mean 0, and one with another mean goes here.
    """

    def __init__(
        self, shared: Array, topic: Array, y: Array, bounds: Whole, offset: Array | float = 0.0, threads: int = 1
    ) -> None:
        self.shared, self.topic, self.y, self.offset, self.threads = shared, topic, y, offset, threads
        self.bounds = np.ascontiguousarray(bounds, dtype=np.int64)
        self.both = np.ascontiguousarray(np.hstack([topic, shared]))

    def predictor(self, shared: Array, topic: Array) -> Array:
        """What effects add to the offset."""
        effects = np.hstack([topic, np.broadcast_to(shared, (len(topic), len(shared)))])
        return np.asarray(_core.topic_products(self.both, effects, self.bounds, self.threads))


class Point:
    """Effects, and what follows from them whatever the priors are; each part is found when it is first asked for.

    When variances of priors change, the climb goes on from the same point.
    """

    def __init__(self, rows: LogisticRows, shared: Array, topic: Array, eta: Array) -> None:
        self.rows, self.shared, self.topic, self.eta = rows, shared, topic, eta

    @classmethod
    def at(cls, rows: LogisticRows, effects: tuple[Array, Array]) -> Point:
        """The point with these effects."""
        return cls(rows, *effects, rows.offset + rows.predictor(*effects))

    @cached_property
    def p(self) -> Array:
        """The probabilities of rows."""
        return np.asarray(expit(self.eta))

    @cached_property
    def likelihood(self) -> float:
        """Its logarithm."""
        return float(self.rows.y @ self.eta - np.logaddexp(0.0, self.eta).sum())

    @cached_property
    def blocks(self) -> Array:
        """Topics x (k + shared) x (k + shared): the Hessian of each topic's rows."""
        rows, weight = self.rows, self.p * (1.0 - self.p)
        return np.asarray(_core.weighted_squares(rows.both, weight, rows.bounds, rows.threads))

    @cached_property
    def slopes(self) -> tuple[Array, Array]:
        """Derivatives of the likelihood by shared effects, and by those of each topic."""
        rows, k = self.rows, self.topic.shape[1]
        sums = np.asarray(_core.topic_sums(rows.both, rows.y - self.p, rows.bounds, rows.threads))
        return sums[:, k:].sum(axis=0), sums[:, :k]

    def objective(self, precision: tuple[Array, Array]) -> float:
        """The penalised likelihood."""
        shared, topic = precision[0] @ self.shared**2, (self.topic**2 @ precision[1]).sum()
        return float(self.likelihood - 0.5 * shared - 0.5 * topic)


def fit_logistic(shared: Array, topic: Array, y: Array, bounds: Whole, groups: Groups, threads: int = 1) -> LogisticFit:
    """Fit y (0 or 1) on shared and topic columns; rows stand topic by topic, `bounds` says where each begins."""
    rows = LogisticRows(shared, topic, y, bounds, threads=threads)
    point = Point.at(rows, (np.zeros(shared.shape[1]), np.zeros((len(bounds) - 1, topic.shape[1]))))
    variances = [start for _, start in (*groups.shared, *groups.topic)]
    for _ in range(EM_STEPS):
        precision = _precisions(groups, variances, shared.shape[1], topic.shape[1])
        point, arrow = _climb(point, precision, 1e-2)
        variances = _variances(groups, (point.shared, point.topic), arrow)
    precision = _precisions(groups, variances, shared.shape[1], topic.shape[1])
    point, arrow = _climb(point, precision, 1e-9)
    return LogisticFit(point.shared, point.topic, precision[0], precision[1], arrow)


def _precisions(groups: Groups, variances: list[float], shared: int, topic: int) -> tuple[Array, Array]:
    precision = np.full(shared, INTERCEPT_PRECISION), np.empty(topic)
    for number, (columns, _) in enumerate((*groups.shared, *groups.topic)):
        precision[int(number >= len(groups.shared))][columns] = 1.0 / variances[number]
    return precision


def _variances(groups: Groups, effects: tuple[Array, Array], arrow: Arrow) -> list[float]:
    """The M step: mean of estimate^2 + posterior variance within each group."""
    posterior = np.diag(arrow.inverse), _topic_variances(arrow)
    variances = []
    for number, (columns, start) in enumerate((*groups.shared, *groups.topic)):
        part = int(number >= len(groups.shared))
        second = (effects[part] ** 2 + posterior[part])[..., columns]
        new = float(second.mean()) if second.size else start
        variances.append(min(max(new, LEAST_VARIANCE), MOST_VARIANCE))
    return variances


def _topic_variances(arrow: Arrow) -> Array:
    within = np.einsum("tkk->tk", arrow.topic_inverse)
    return within + ((arrow.carry @ arrow.inverse) * arrow.carry).sum(axis=2)


def climb(
    rows: LogisticRows, effects: tuple[Array, Array], precision: tuple[Array, Array], tolerance: float
) -> tuple[tuple[Array, Array], Arrow]:
    """Maximise the penalised likelihood by Newton's method, until a step would raise it by no more than `tolerance`.

    Steps are halved until it does not fall. Returns shared effects, effects of topics, and the Hessian.
    """
    point, arrow = _climb(Point.at(rows, effects), precision, tolerance)
    return (point.shared, point.topic), arrow


def _climb(point: Point, precision: tuple[Array, Array], tolerance: float) -> tuple[Point, Arrow]:
    rows, value = point.rows, point.objective(precision)
    for _ in range(NEWTON_STEPS):
        arrow = _arrow(point.blocks, rows.topic.shape[1], precision)
        slope_shared = point.slopes[0] - precision[0] * point.shared
        slope_topic = point.slopes[1] - precision[1] * point.topic
        step_shared, step_topic = arrow.solve(slope_shared, slope_topic)
        gain = float(slope_shared @ step_shared + (slope_topic * step_topic).sum())
        if gain < tolerance:
            break
        move, size = rows.predictor(step_shared, step_topic), 1.0
        while True:
            after = point.shared + size * step_shared, point.topic + size * step_topic
            there = Point(rows, *after, point.eta + size * move)
            new = there.objective(precision)
            if new >= value - 1e-12 * abs(value) or size < 1e-6:
                break
            size /= 2.0
        point, value = there, new
    return point, arrow


def _arrow(blocks: Array, k: int, precision: tuple[Array, Array]) -> Arrow:
    topic_inverse = np.linalg.inv(blocks[:, :k, :k] + np.diag(precision[1]))
    topic_inverse = 0.5 * (topic_inverse + topic_inverse.swapaxes(1, 2))
    link = blocks[:, :k, k:]
    carry = topic_inverse @ link
    schur = blocks[:, k:, k:].sum(axis=0) + np.diag(precision[0])
    schur -= link.reshape(-1, len(schur)).T @ carry.reshape(-1, len(schur))
    inverse = np.linalg.inv(schur)
    return Arrow(0.5 * (inverse + inverse.T), topic_inverse, carry)


def without_each(
    columns: Array, y: Array, fixed: Array, start: Array, precision: Array, left_out: Sequence[int]
) -> Array:
    """Effects (m x k) of a topic, each fitted without one of the n documents (-1: without none).

    Newton's method from the common start, at most six steps; what the shared effects say (`fixed`) stays.
    """
    columns, y, fixed, start, precision = (
        np.ascontiguousarray(part, dtype=float) for part in (columns, y, fixed, start, precision)
    )
    return np.asarray(_core.fit_without_each(columns, y, fixed, start, precision, list(left_out), REFIT_STEPS))
