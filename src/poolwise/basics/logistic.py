"""Logistic regression with effects shared by all topics and effects of each topic, all with Gaussian priors.

The Hessian has arrow form: topics are linked only through the shared effects. So their blocks are eliminated one by
one (Schur complement), and no matrix is larger than the shared columns. Estimates fit the prior variances by EM
(docs/theory/assisted.md, section *The relevance model*). Plans have no labels yet and use fixed variances.
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

# EM steps for the prior variances; chosen by hand. Later steps change them little, and each costs a fit.
EM_STEPS = 6
NEWTON_STEPS = 30  # bound for a fit; it ends before, when a step gains less than its tolerance
# Newton steps of a topic's fit without one document. Its start is close to the optimum, and convergence is quadratic.
REFIT_STEPS = 6
# Bounds of prior variances, in squared logits, chosen by hand. At 1e-4 an effect is practically 0. At 25 a standard
# deviation moves a probability of .5 to .993, so that the prior hardly matters, but separable columns stay finite.
LEAST_VARIANCE, MOST_VARIANCE = 1e-4, 25.0
INTERCEPT_PRECISION = 1e-4  # 1 / squared logits: a prior standard deviation of 100, practically flat


def expit(x: Array) -> Array:
    """Logistic function 1 / (1 + exp(-x)). Importing SciPy for it takes longer than a fit."""
    found = np.negative(x)
    with np.errstate(over="ignore"):  # exp overflows to infinity, whose reciprocal 0 is right
        np.exp(found, out=found)
    found += 1.0
    return np.reciprocal(found, out=found)


def logit(p: Array) -> Array:
    """Log-odds ln(p / (1 - p))."""
    return np.asarray(np.log(p) - np.log1p(-p))


@dataclass(frozen=True)
class Groups:
    """Columns with a common prior variance, each with its starting value, for shared and topic effects."""

    shared: tuple[tuple[slice, float], ...]
    topic: tuple[tuple[slice, float], ...]


@dataclass(frozen=True)
class Arrow:
    """Factors of the Hessian: the inverse of the shared block after elimination, and those of topics."""

    inverse: Array  # of the Schur complement, shared x shared
    topic_inverse: Array  # topics x k x k: inverse of each topic's diagonal block
    carry: Array  # topics x k x shared: topic_inverse times the block that links topic and shared effects

    def solve(self, shared: Array, topic: Array) -> tuple[Array, Array]:
        """Solve for a right-hand side in the shared part (shared, or x m) and topics' parts (topics x k, or x m)."""
        if topic.ndim == 2:
            first, of_topics = self.solve(shared[:, None], topic[:, :, None])
            return first[:, 0], of_topics[:, :, 0]
        carried = self.carry.reshape(-1, len(shared)).T @ topic.reshape(-1, topic.shape[2])
        first = self.inverse @ (shared - carried)
        return first, self.topic_inverse @ topic - self.carry @ first

    def roots(self, linked: list[int]) -> Array:
        """Cholesky factors (topics x shared x shared) of the covariance of the sums of shared and topic effects.

        Each shared effect is added to the topic's effect of the same column, if there is one. `linked` are the
        indices of these columns among the shared ones.
        """
        link = -self.carry @ self.inverse
        covariance = np.repeat(self.inverse[None], len(link), axis=0)
        covariance[:, :, linked] += link.swapaxes(1, 2)
        covariance[:, linked] += link
        covariance[:, np.array(linked)[:, None], linked] += self.topic_inverse - link @ self.carry.swapaxes(1, 2)
        return np.linalg.cholesky(covariance)


@dataclass(frozen=True)
class LogisticFit:
    """Estimated effects, their prior precisions, and the Hessian at the last Newton step."""

    shared: Array
    topic: Array  # topics x k
    shared_precision: Array
    topic_precision: Array
    arrow: Arrow


class LogisticRows:
    """Judged documents sorted by topic: columns, y (0 or 1), first row of each topic, and offset.

    `offset` is the fixed part of the linear predictor. Priors have mean 0. A prior with another mean is put there.
    """

    def __init__(
        self, shared: Array, topic: Array, y: Array, bounds: Whole, offset: Array | float = 0.0, threads: int = 1
    ) -> None:
        self.shared, self.topic, self.y, self.offset, self.threads = shared, topic, y, offset, threads
        self.bounds = np.ascontiguousarray(bounds, dtype=np.int64)
        self.both = np.ascontiguousarray(np.hstack([topic, shared]))

    def predictor(self, shared: Array, topic: Array) -> Array:
        """Linear predictor without the offset."""
        effects = np.hstack([topic, np.broadcast_to(shared, (len(topic), len(shared)))])
        return np.asarray(_core.topic_products(self.both, effects, self.bounds, self.threads))


class Point:
    """Effects with their likelihood and its derivatives, computed on first use.

    None of them depends on the priors. When prior variances change, Newton's method continues from the same point.
    """

    def __init__(self, rows: LogisticRows, shared: Array, topic: Array, eta: Array) -> None:
        self.rows, self.shared, self.topic, self.eta = rows, shared, topic, eta

    @classmethod
    def at(cls, rows: LogisticRows, effects: tuple[Array, Array]) -> Point:
        """Point at these effects."""
        return cls(rows, *effects, rows.offset + rows.predictor(*effects))

    @cached_property
    def p(self) -> Array:
        """Probabilities of the rows."""
        return np.asarray(expit(self.eta))

    @cached_property
    def likelihood(self) -> float:
        """Log-likelihood."""
        return float(self.rows.y @ self.eta - np.logaddexp(0.0, self.eta).sum())

    @cached_property
    def blocks(self) -> Array:
        """Hessian of each topic's rows: topics x (k + shared) x (k + shared)."""
        rows, weight = self.rows, self.p * (1.0 - self.p)
        return np.asarray(_core.weighted_squares(rows.both, weight, rows.bounds, rows.threads))

    @cached_property
    def slopes(self) -> tuple[Array, Array]:
        """Gradient of the log-likelihood: by shared effects, and by the effects of each topic."""
        rows, k = self.rows, self.topic.shape[1]
        sums = np.asarray(_core.topic_sums(rows.both, rows.y - self.p, rows.bounds, rows.threads))
        return sums[:, k:].sum(axis=0), sums[:, :k]

    def objective(self, precision: tuple[Array, Array]) -> float:
        """Penalised log-likelihood."""
        shared, topic = precision[0] @ self.shared**2, (self.topic**2 @ precision[1]).sum()
        return float(self.likelihood - 0.5 * shared - 0.5 * topic)


def fit_logistic(shared: Array, topic: Array, y: Array, bounds: Whole, groups: Groups, threads: int = 1) -> LogisticFit:
    """Fit y (0 or 1) on shared and topic columns. Rows are sorted by topic, `bounds` has the first row of each."""
    rows = LogisticRows(shared, topic, y, bounds, threads=threads)
    point = Point.at(rows, (np.zeros(shared.shape[1]), np.zeros((len(bounds) - 1, topic.shape[1]))))
    variances = [start for _, start in (*groups.shared, *groups.topic)]
    # A loose tolerance within EM: the variances still move, and the last climb is exact.
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
    """M step of EM: the mean of estimate^2 + posterior variance within each group."""
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

    A step is halved until the likelihood does not fall. Returns shared effects, effects of topics, and the Hessian.
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
            # A fall by rounding is accepted; a step that stays too long even at 1e-6 means that the optimum is reached.
            if new >= value - 1e-12 * abs(value) or size < 1e-6:
                break
            size /= 2.0
        point, value = there, new
    return point, arrow


def _arrow(blocks: Array, k: int, precision: tuple[Array, Array]) -> Arrow:
    topic_inverse = np.linalg.inv(blocks[:, :k, :k] + np.diag(precision[1]))
    # Rounding makes inverses slightly asymmetric, and sums over many topics would keep that.
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
    """Effects (m x k) of a topic, each fitted without one of its n documents (-1: with all).

    Newton's method from the common start. The shared part of the predictor (`fixed`) stays.
    """
    columns, y, fixed, start, precision = (
        np.ascontiguousarray(part, dtype=float) for part in (columns, y, fixed, start, precision)
    )
    return np.asarray(_core.fit_without_each(columns, y, fixed, start, precision, list(left_out), REFIT_STEPS))
