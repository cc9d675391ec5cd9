"""The relevance model: probabilities of label classes for pooled documents, and leave-one-out residuals.

Classes 0, 1, ..., G order the labels by what they are worth. Stage g is a logistic regression of "class at least g"
among the judged documents of class g - 1 or more; the probability of class g or more is the product of stages 1 to g.
docs/theory/assisted.md, section *The relevance model*; for leaving out one document and two, *First order* and *Second
order*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from poolwise import _core
from poolwise.basics.logistic import Groups, LogisticFit, expit, fit_logistic, without_each
from poolwise.estimates import model_errors
from poolwise.estimates.layout import RECIPROCAL, Array, Features, Layout, Whole

__all__ = ["LabelModel", "Stage", "TopicState", "fit_model"]

# Documents with a larger leave-one-out residual have the topic's effects fitted without them; lower is slower, by hand.
REFIT_FROM = 0.1
MOST_LEVERAGE = 0.9  # residuals are divided by 1 - leverage, by a tenth at least; chosen by hand
KEPT = 0.99  # of the variance that effects cause: the rest of their directions is left out


@dataclass(frozen=True)
class Stage:
    """One logistic regression, its data, and its residuals with one document left out."""

    fit: LogisticFit
    rows: Whole  # places of the documents it was fitted to
    bounds: Whole  # where each topic begins in `rows`
    y: Array
    p: Array  # of every pooled document
    residual: Array  # y - p
    leverage: Array
    left_out: Array  # probability with the document itself left out
    roots: Array  # topics x shared x shared: of the covariance of what columns add to the linear predictor


@dataclass(frozen=True)
class LabelModel:
    """The fitted stages for some classes of labels."""

    layout: Layout
    features: Features
    classes: Whole  # class of every pooled document; -1 where it is not judged
    grades: int  # the highest class
    stages: tuple[Stage, ...]

    @cached_property
    def error_scales(self) -> Array:
        """Squared errors of relevance of pooled documents, relative to p (1 - p)."""
        stage = self.stages[0]
        counts = self.layout.weight[stage.rows] > 0.0
        left_out = stage.left_out[counts]
        closeness = self.features.shared[:, RECIPROCAL]
        return model_errors.error_scales(closeness, stage.rows[counts], stage.y[counts] - left_out, left_out)

    @cached_property
    def together(self) -> float:
        """Ratio of the observed covariance of documents' errors to that from the uncertainty of effects."""
        return model_errors.errors_together(self)

    def state(self, topic: int) -> TopicState:
        """The state of one topic, from which terms of measures are computed."""
        part = self.layout.part(topic)
        classes = self.classes[part]
        chances = np.stack([stage.p[part] for stage in self.stages], axis=1)
        tail_chance = np.cumprod(chances, axis=1)
        known = classes[:, None] >= np.arange(1, self.grades + 1)
        tail_chance = np.where(classes[:, None] >= 0, known, tail_chance)
        weight = self.layout.weight[part]
        counted = np.flatnonzero(weight > 0)
        return TopicState(self, topic, tail_chance, chances, classes, weight, counted)


@dataclass(frozen=True)
class TopicState:
    """One topic under a model: N documents, G grades, n judged documents that speak for others."""

    model: LabelModel
    topic: int
    tail_chance: Array  # N x G: the probability of class g or more, or whether it is so
    chances: Array  # N x G: the stages' probabilities
    classes: Whole  # N
    weight: Array  # N
    counted: Whole  # n places within the topic
    drawn: dict[Any, Any] = field(default_factory=dict, compare=False)  # what simulated measures share

    def listed(self, values: Array) -> Array:
        """Of an array over pooled documents (first axis) one over all listed ones, as the core wants them."""
        return self.model.layout.spread(self.topic, values)

    def listed_grades(self, values: Array) -> Array:
        """The same of an array over grades and pooled documents."""
        parts = [self.listed(grade) for grade in values]
        return parts[0][None] if len(parts) == 1 else np.stack(parts)

    def numbers(self, chosen: Whole) -> list[int]:
        """Numbers among the listed documents of some of `counted`."""
        found: list[int] = self.model.layout.listed[self.model.layout.part(self.topic)][self.counted[chosen]].tolist()
        return found

    @cached_property
    def counted_index(self) -> Whole:
        """Of each listed document: its number among `counted`, or -1."""
        layout = self.model.layout
        index = np.full(layout.size(self.topic), -1, dtype=np.int32)
        index[layout.listed[layout.part(self.topic)][self.counted]] = np.arange(len(self.counted))
        return index

    def columns(self, with_slope: bool) -> tuple[Array, int]:
        """Columns of all listed documents, and how many of them are shared ones: these, if wanted, come first."""
        if not with_slope:
            return self.common_columns, 0
        shared = self.listed(self.model.features.shared[self.model.layout.part(self.topic)])
        return np.hstack([shared, self.common_columns]), shared.shape[1]

    @cached_property
    def steep(self) -> Array:
        """p (1 - p) of relevance (N), 0 for judged documents."""
        chance = self.chances[:, 0]
        return np.where(self.classes < 0, chance * (1.0 - chance), 0.0)

    @cached_property
    def main_errors(self) -> Array:
        """N x m, m few: what effects get wrong in linear predictors of being relevant, along the directions that hold
        nearly all of what that does to unjudged documents, the largest first.
        """
        columns = self.model.features.shared[self.model.layout.part(self.topic)]
        root, every = self.model.stages[0].roots[self.topic], np.array([0, len(columns)])
        squares = _core.weighted_squares(columns, self.steep**2, every, 1)
        values, vectors = np.linalg.eigh(root.T @ np.asarray(squares)[0] @ root)
        largest = vectors[:, ::-1][:, : 1 + int((np.cumsum(values[::-1]) < KEPT * values.sum()).sum())]
        return np.asarray(columns @ (root @ largest))

    @cached_property
    def common_columns(self) -> Array:
        """Columns of common errors within strata, for all listed documents."""
        return self.listed(model_errors.common_columns(self))

    @cached_property
    def counts(self) -> tuple[Array, Array, Array]:
        """Of documents of class g or more (G): how many are known, how many others expected, and these squared."""
        known, others = self.tail_chance[self.classes >= 0], self.tail_chance[self.classes < 0]
        return known.sum(axis=0), others.sum(axis=0), (others**2).sum(axis=0)

    @cached_property
    def speaks_for(self) -> Array:
        """N: (1 - pi) / pi of every document, judged or not, times how much larger its squared error is to be expected
        than its probability says; 0 in strata of which nothing is judged.
        """
        part = self.model.layout.part(self.topic)
        inclusion = self.model.layout.inclusion[part]
        weight = np.divide(1.0 - inclusion, inclusion, out=np.zeros(len(inclusion)), where=inclusion > 0.0)
        return np.asarray(weight * self.model.error_scales[part])

    @cached_property
    def predicted(self) -> Array:
        """N x G: the probability of class g or more, for judged documents too."""
        return np.cumprod(self.chances, axis=1)

    @cached_property
    def errors(self) -> list[Array]:
        """For each stage N x shared: rows whose products are covariances of errors of linear predictors, x' H^-1 x."""
        columns = self.model.features.shared[self.model.layout.part(self.topic)]
        return [columns @ stage.roots[self.topic] for stage in self.model.stages]

    def _products(self, stage: Stage) -> Array:
        """n x n: q_ij = x_i' H^-1 x_j of judged documents that speak for others."""
        columns = self.model.features.shared[self.model.layout.part(self.topic)]
        errors = columns[self.counted] @ stage.roots[self.topic]
        return errors @ errors.T

    @cached_property
    def own_residuals(self) -> Array:
        """n x G: whether the class is g or more, less its probability with the document left out."""
        left_out = np.stack([self._left_out(stage) for stage in self.model.stages], axis=1)
        return self.tail_chance[self.counted] - np.cumprod(left_out, axis=1)

    def _left_out(self, stage: Stage) -> Array:
        part = self.model.layout.part(self.topic)
        chance = stage.p[part].copy()
        rows = slice(stage.bounds[self.topic], stage.bounds[self.topic + 1])
        chance[stage.rows[rows] - part.start] = stage.left_out[rows]
        return chance[self.counted]

    @cached_property
    def steepness(self) -> Array:
        """n x G: how the probability of class g or more grows with that of class 1 or more."""
        return np.cumprod(np.hstack([np.ones((len(self.counted), 1)), self.chances[self.counted, 1:]]), axis=1)

    @cached_property
    def pair_residuals(self) -> tuple[Array, Array, Array]:
        """n x n: stage 1's residual of i with i and j left out, how much of it is due to j, and w_i w_j times both.

        Two rows are taken out of the fit exactly to first order: the 2 x 2 system of their residuals and leverages.
        """
        both, change, pairs = _core.leave_pairs_out(*self._fitted, self.weight[self.counted])
        return np.asarray(both), np.asarray(change), np.asarray(pairs)

    @property
    def _fitted(self) -> tuple[Array, Array, Array, Array]:
        """Numbers of stage 1 for judged documents that speak for others: q, residuals, leverages and p (1 - p)."""
        stage = self.model.stages[0]
        rows = slice(stage.bounds[self.topic], stage.bounds[self.topic + 1])
        keep = self.weight[stage.rows[rows] - self.model.layout.part(self.topic).start] > 0
        at = np.arange(rows.start, rows.stop)[keep]
        p = stage.p[stage.rows[at]]
        return self._products(stage), stage.residual[at], stage.leverage[at], p * (1.0 - p)

    @cached_property
    def pair_weights(self) -> Array:
        """n x n, symmetric: P_ij = w_ij times both residuals with i and j left out; 0 on the diagonal."""
        return np.asarray(_core.pair_weights(*self._fitted, self.weight[self.counted], *self._cells))

    @property
    def _cells(self) -> tuple[Whole, Array]:
        """n: by these w_i w_j becomes w_ij, what a judged pair stands for; they differ within a stratum."""
        layout, part = self.model.layout, self.model.layout.part(self.topic)
        return layout.cell[part][self.counted].astype(np.int64), layout.together[part][self.counted]

    @cached_property
    def pair_tail_chance(self) -> list[Array]:
        """For each grade n x n: the residual of class g or more of i with i and j left out; 0 on the diagonal.

        The probability of class g or more is a product of stages, and j is left out of all of them.
        """
        both, change, _ = self.pair_residuals
        if self.model.grades == 1:
            return [both]
        changes = [change, *(self._changes(number) for number in range(1, len(self.model.stages)))]
        parts = [self.own_residuals[:, [g]] + self._of_product(changes, g) for g in range(self.model.grades)]
        for part in parts:
            np.fill_diagonal(part, 0.0)
        return parts

    def _of_product(self, changes: list[Array], grade: int) -> Array:
        """By how much the residual of class g or more changes when those of stages do, to first order."""
        left_out = np.stack([self._left_out(stage) for stage in self.model.stages[: grade + 1]], axis=1)
        total = changes[0] * self.steepness[:, [grade]]
        for number in range(1, grade + 1):
            total += changes[number] * np.delete(left_out, number, axis=1).prod(axis=1)[:, None]
        return total

    def _changes(self, number: int) -> Array:
        """n x n: by how much a later stage's residual of i, i left out, changes when j is left out too.

        The stage was fitted only to documents of the class below or more. Others have no label to leave out, but their
        probability moves with j's all the same.
        """
        stage = self.model.stages[number]
        rows = slice(stage.bounds[self.topic], stage.bounds[self.topic + 1])
        start = self.model.layout.part(self.topic).start
        fitted = np.isin(self.counted, stage.rows[rows] - start, assume_unique=True)
        at = rows.start + np.searchsorted(stage.rows[rows], self.counted[fitted] + start)
        products, p = self._products(stage), stage.p[self.counted + start]
        weight, pulled = p * (1.0 - p), stage.residual[at] / (1.0 - stage.leverage[at])
        changes = np.zeros(products.shape)
        changes[:, fitted] = weight[:, None] * products[:, fitted] * pulled
        changes[np.ix_(fitted, fitted)] = _core.leave_pairs_out(
            np.ascontiguousarray(products[np.ix_(fitted, fitted)]),
            stage.residual[at],
            stage.leverage[at],
            weight[fitted],
            np.ones(len(at)),
        )[1]
        return changes

    @cached_property
    def pair_products(self) -> Array:
        """G x G x n x n: w_ij times the residual of class g or more of i and h or more of j."""
        if self.model.grades == 1:
            return self.pair_weights[None, None]
        parts = [np.ascontiguousarray(each) for each in self.pair_tail_chance]
        products = _core.pair_products(parts, self.weight[self.counted], *self._cells)
        return np.asarray(products)

    @cached_property
    def pulls(self) -> list[list[Array]]:
        """For each stage l and grade g >= l, N x shared: how the probability of class g or more of an unjudged
        document moves with the stage's shared effects; those of topics have columns of the same (`with_topic`).

        That probability is a product of stages, so its derivative by a stage's linear predictor is itself times
        (1 - the stage's probability).
        """
        columns, by_stage = self.model.features.shared[self.model.layout.part(self.topic)], []
        for number in range(len(self.model.stages)):
            moved = self.tail_chance[:, number:] * (1.0 - self.chances[:, [number]]) * (self.classes < 0)[:, None]
            by_stage.append([columns * moved[:, [g]] for g in range(moved.shape[1])])
        return by_stage

    def with_topic(self, by_shared: Array, stage: Stage) -> Array:
        """... x (shared + k): derivatives by shared effects, followed by those by the topic's."""
        columns = self.model.features.topic_in_shared[: stage.fit.topic.shape[1]]
        return np.concatenate([by_shared, by_shared[..., columns]], axis=-1)

    @cached_property
    def refits(self) -> tuple[Whole, Array]:
        """Documents (places among `counted`) whose absence is worth a new fit, and G x N x m: chances without each."""
        surprise = np.zeros(len(self.classes))
        for stage in self.model.stages:
            rows = slice(stage.bounds[self.topic], stage.bounds[self.topic + 1])
            at = stage.rows[rows] - self.model.layout.part(self.topic).start
            surprise[at] = np.maximum(surprise[at], np.abs(stage.y[rows] - stage.left_out[rows]))
        chosen = np.flatnonzero(surprise[self.counted] > REFIT_FROM)
        parts = [self._refit(stage, self.counted[chosen]) for stage in self.model.stages]
        for below, above in pairwise(parts):
            above *= below
        tail_chance = parts[0][None] if len(parts) == 1 else np.stack(parts)
        # Judged documents keep their labels; the one left out counts for nothing.
        judged = np.flatnonzero(self.classes >= 0)
        tail_chance[:, judged] = self.tail_chance[judged].T[:, :, None]
        tail_chance[:, self.counted[chosen], np.arange(len(chosen))] = 0.0
        return chosen, tail_chance

    def _refit(self, stage: Stage, documents: Whole) -> Array:
        """N x m: a stage's probabilities of all documents, the topic's effects fitted without each of m documents."""
        part = self.model.layout.part(self.topic)
        rows = slice(stage.bounds[self.topic], stage.bounds[self.topic + 1])
        documents_fitted = stage.rows[rows] - part.start
        features, fitted_rows = self.model.features, stage.rows[rows]
        number = np.full(part.stop - part.start, -1)  # of each document among those the stage was fitted to
        number[documents_fitted] = np.arange(len(documents_fitted))
        effects = without_each(
            features.topic_columns(fitted_rows, stage.fit.topic.shape[1]),
            stage.y[rows],
            features.shared[fitted_rows] @ stage.fit.shared,
            stage.fit.topic[self.topic],
            stage.fit.topic_precision,
            number[documents].tolist(),
        )
        together = np.repeat(stage.fit.shared[:, None], len(documents), axis=1)
        together[list(features.topic_in_shared[: effects.shape[1]])] += effects.T
        return np.asarray(expit(features.shared[part] @ together))


def fit_model(
    layout: Layout,
    features: Features,
    classes: Whole,
    grades: int,
    known: dict[bytes, Stage] | None = None,
    threads: int = 1,
) -> LabelModel:
    """Fit all stages; `known` keeps stages, which measures with different gains share."""
    fitted: dict[bytes, Stage] = {} if known is None else known
    stages = []
    for grade in range(1, grades + 1):
        rows = np.flatnonzero(classes >= grade - 1)
        y = (classes[rows] >= grade).astype(float)
        key = rows.tobytes() + y.tobytes() + bytes([grade > 1])
        if key not in fitted:
            fitted[key] = _fit_stage(layout, features, rows, y, grade, threads)
        stages.append(fitted[key])
    return LabelModel(layout, features, classes, grades, tuple(stages))


def _fit_stage(layout: Layout, features: Features, rows: Whole, y: Array, grade: int, threads: int) -> Stage:
    # Later stages see fewer documents: their topics have the constant and the first slopes alone.
    of_topic = list(features.topic_in_shared if grade == 1 else features.topic_in_shared[: 1 + features.slopes])
    bounds, topic_columns = np.searchsorted(rows, layout.bounds), features.topic_columns(rows, len(of_topic))
    fit = fit_logistic(features.shared[rows], topic_columns, y, bounds, _groups(features, grade), threads)
    effects = np.repeat(fit.shared[None], layout.topics, axis=0)
    effects[:, of_topic] += fit.topic
    logit = np.asarray(_core.topic_products(features.shared, effects, layout.bounds, threads))
    p = expit(logit)
    roots = fit.arrow.roots(of_topic)
    own_products = np.asarray(_core.topic_lengths(features.shared[rows], roots, bounds, threads))
    residual, weight = y - p[rows], p[rows] * (1.0 - p[rows])
    leverage = np.minimum(weight * own_products, MOST_LEVERAGE)
    left_out = expit(logit[rows] - own_products * residual / (1.0 - leverage))
    return Stage(fit, rows, bounds, y, p, residual, leverage, left_out, roots)


def _groups(features: Features, grade: int) -> Groups:
    first, slopes = 1 + features.handmade, 1 + features.slopes
    # Predictions have a variance of their own: good ones are worth far more than any column made of ranks.
    of_predictions = ((slice(first - features.predicted, first), 1.0),) if features.predicted else ()
    shared = ((slice(1, first - features.predicted), 0.2), *of_predictions, (slice(first, None), 1.0))
    topic: Sequence[tuple[slice, float]] = ((slice(0, 1), 1.5), (slice(1, slopes), 0.1), (slice(slopes, None), 1.0))
    return Groups(shared, tuple(topic) if grade == 1 else tuple(topic[:2]))
