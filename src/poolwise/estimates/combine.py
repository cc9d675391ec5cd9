"""Estimates of means over topics, from the terms of each topic.

A + C1 + C2 of docs/theory/assisted.md, sections *First order* and *Second order*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from poolwise.basics.workers import Threads
from poolwise.estimates.layout import Array, Features, Layout, Whole, products, squares, total
from poolwise.estimates.model import LabelModel, Stage, TopicState, fit_model
from poolwise.estimates.model_errors import TOGETHER, mixture_of, within_reason
from poolwise.estimates.simulated_terms import simulated_terms
from poolwise.estimates.standard_errors import (
    few_at_once,
    share_scale,
    shares,
    squares_of,
    tempered,
    with_other_topics,
    without_common,
)
from poolwise.estimates.targets import NO_PAIRS, Target, Terms
from poolwise.estimates.terms import precision_terms, ratio_terms
from poolwise.estimates.unpooled import ScoreRange, UnpooledDocuments
from poolwise.sampling.variance import Variance, variance_of

__all__ = ["Combined", "combine"]

TERMS = {"precision": precision_terms, "ratio": ratio_terms, "simulated": simulated_terms}
NOTHING = np.zeros((0, 0))


class TopicPart(NamedTuple):
    """Terms of a measure on a topic for all runs. Terms of documents are in the buffers of all topics."""

    terms: Terms  # without u and B
    corrections: tuple[Array, Array]  # r: of first and second order
    reach: ScoreRange  # r, then pairs of runs


class ShareBuffers(NamedTuple):
    """Buffers for the shares of judged documents with a sampling weight. Each topic fills its columns."""

    columns: list[slice]  # of each topic
    shares: Array  # r x n
    curvature_shares: Array  # r x n

    @classmethod
    def of(cls, layout: Layout, runs: int) -> ShareBuffers:
        """Buffers for a measure."""
        ends = np.searchsorted(np.flatnonzero(layout.weight > 0), layout.bounds)
        columns = [slice(int(begin), int(end)) for begin, end in pairwise(ends)]
        return cls(columns, np.zeros((runs, int(ends[-1]))), np.zeros((runs, int(ends[-1]))))


@dataclass(frozen=True)
class Combined:
    """One measure, all runs: r runs, T topics, n judged documents that speak for others.

    Where topics were drawn, T are those.
    """

    target: Target
    model: LabelModel
    runs: tuple[int, ...]  # their numbers in the pool
    counted: Whole  # n: places of those documents in the layout
    plug_in: Array  # r x T
    per_topic: Array  # r x T: plug-in with both corrections
    shares: Array  # r x n: each document's part in the error of the mean
    curvature_shares: Array  # r x n: the second-order part of it
    expected: Array  # r: the variance that the model expects, first order only
    between: Array  # of pairs of runs: the same of their differences
    slopes: tuple[tuple[Array, ...], ...]  # of topics, of stages: derivatives of values by effects; only for pooling
    common: Array  # r x any: squares of these are what documents of a stratum have in common, too much in V
    doubt: Array  # r: how far the model may be wrong about the second order of the mean
    single_label_error: Array  # r: the part of it that strata with one label have
    noise: Array  # r x any: squares of these are the error of too few draws of labels, where measures are simulated
    joint_variance: Array  # r: variance of measures that are simulated which no single label speaks of
    pair_joint_variance: Array  # and of differences
    reach: ScoreRange  # r: how far documents outside the pool could move the mean
    pair_reach: ScoreRange  # and the difference of two

    def of_runs(self, indices: Whole) -> Combined:
        """The terms of some runs, in this order. Terms of pairs stay."""
        each = (
            "plug_in",
            "per_topic",
            "shares",
            "curvature_shares",
            "expected",
            "common",
            "doubt",
            "single_label_error",
            "noise",
            "joint_variance",
        )
        rows: dict[str, Any] = {name: getattr(self, name)[indices] for name in each}
        slopes = tuple(tuple(stage[indices] for stage in topic) for topic in self.slopes)
        reach = ScoreRange(self.reach.fall[indices], self.reach.rise[indices])
        return replace(self, runs=tuple(self.runs[index] for index in indices), slopes=slopes, reach=reach, **rows)

    @property
    def values(self) -> Array:
        """Mean over topics, not cut."""
        return np.asarray(self.per_topic.mean(axis=1))

    @property
    def gradient(self) -> Array:
        """r x n: u."""
        layout = self.model.layout
        return (self.shares - self.curvature_shares) / share_scale(layout.inclusion[self.counted], len(layout.in_mean))

    @cached_property
    def seen(self) -> Variance:
        """Variance of the mean with degrees of freedom, estimated from the sample."""
        return variance_of(self.shares)

    @cached_property
    def variance(self) -> Variance:
        """Variance of the mean, shrunken towards the expectation of the model."""
        known = tempered(self.seen, squares_of(self.shares, self.curvature_shares), self.expected)
        apart = without_common(known, self.common)
        within = Variance(apart.value + self.doubt**2 + squares(self.noise) + self.joint_variance, apart.df)
        return with_other_topics(self.model.layout, self.per_topic, within, share=self.target.bounds == (0.0, 1.0))


def combine(
    layout: Layout,
    features: Features,
    targets: Sequence[Target],
    runs: Sequence[int],
    pooling: bool,
    threads: int,
    outside: UnpooledDocuments | None = None,
) -> list[Combined]:
    """Fit the relevance models and gather every topic's terms; no sum depends on the number of threads.

    Without `outside`, documents outside the pool move nothing.
    """
    models = _models(layout, features, targets, threads)
    buffers = [ShareBuffers.of(layout, len(runs)) for _ in targets]

    def work(topic: int) -> list[TopicPart]:
        states = {id(model): model.state(topic) for model in models}
        return [
            _part(states[id(model)], target, list(runs), pooling, outside, buffer)
            for target, model, buffer in zip(targets, models, buffers, strict=True)
        ]

    with Threads(threads) as executor:
        done = list(executor.map(work, layout.in_mean.tolist()))
        parts = ([topic[number] for topic in done] for number in range(len(targets)))
        gathered = zip(targets, models, parts, buffers, strict=True)
        return list(executor.map(lambda each: _gathered(layout, tuple(runs), *each), gathered))


def _models(layout: Layout, features: Features, targets: Sequence[Target], threads: int) -> list[LabelModel]:
    """The model of each target; targets with the same classes share one, and models share stages."""
    stages: dict[bytes, Stage] = {}
    models: dict[bytes, LabelModel] = {}
    of_targets = []
    for target in targets:
        classes = target.classes(layout)
        key = classes.tobytes()
        if key not in models:
            models[key] = fit_model(layout, features, classes, target.grades, stages, threads)
        of_targets.append(models[key])
    return of_targets


def _part(
    state: TopicState,
    target: Target,
    runs: list[int],
    pooling: bool,
    outside: UnpooledDocuments | None,
    buffers: ShareBuffers,
) -> TopicPart:
    pairs = NO_PAIRS if outside is None else outside.pair_places
    terms: Terms = TERMS[target.kind](state, target, runs, pooling, pairs)
    layout = state.model.layout
    inclusion = layout.inclusion[layout.part(state.topic)][state.counted]
    corrections = products(terms.gradient, state.weight[state.counted]), 0.5 * terms.curvature.sum(axis=1)
    columns = buffers.columns[state.topic]
    shares(
        terms.gradient,
        terms.curvature,
        inclusion,
        len(layout.in_mean),
        (buffers.shares[:, columns], buffers.curvature_shares[:, columns]),
    )
    reach = ScoreRange.none(len(runs)) if outside is None else outside.reach(state, target)
    return TopicPart(replace(terms, gradient=NOTHING, curvature=NOTHING), corrections, reach)


def _gathered(
    layout: Layout,
    runs: tuple[int, ...],
    target: Target,
    model: LabelModel,
    parts: list[TopicPart],
    buffers: ShareBuffers,
) -> Combined:
    fall, rise = (total(part.reach[end] for part in parts) / len(parts) for end in range(2))
    plug_in = np.stack([part.terms.value for part in parts], axis=1)
    _, shares, curvature_shares = buffers
    first, second = (np.stack([part.corrections[order] for part in parts], axis=1) for order in range(2))
    parts_seen, doubt, single_label_error = _expected_curvatures(parts), _doubt(parts), np.zeros(len(runs))
    if parts_seen is not None:
        (seen, unseen), mixture = parts_seen, mixture_of(parts_seen[0], curvature_shares)
        pair_share = mixture.share[:, None]
        if target.kind in TOGETHER:
            together = TOGETHER[target.kind]
            unseen = within_reason(together * unseen, np.maximum(plug_in, 0.0))
            second = pair_share * second + (1.0 - pair_share) * together * seen + unseen
            single_label_error = np.abs(unseen).mean(axis=1) / together
            doubt = doubt + mixture.doubt + single_label_error
        else:  # values that are simulated hold their second order; its shares are in the variance alone
            second = np.zeros_like(second)
        for rows in few_at_once(len(runs)):
            shares[rows] -= (1.0 - pair_share[rows]) * curvature_shares[rows]
            curvature_shares[rows] *= pair_share[rows]
    return Combined(
        target,
        model,
        runs,
        np.flatnonzero(layout.weight > 0),
        plug_in,
        plug_in + (first + second),
        shares,
        curvature_shares,
        total(part.terms.expected for part in parts) / len(layout.in_mean) ** 2,
        total(part.terms.between for part in parts) / len(layout.in_mean) ** 2,
        tuple(part.terms.slopes for part in parts),
        np.hstack([part.terms.common for part in parts]) / len(layout.in_mean),
        doubt,
        single_label_error,
        _noise(parts) / len(layout.in_mean),
        *_joint_variance(parts, len(layout.in_mean)),
        ScoreRange(fall[: len(runs)], rise[: len(runs)]),
        ScoreRange(fall[len(runs) :], rise[len(runs) :]),
    )


def _expected_curvatures(parts: list[TopicPart]) -> tuple[Array, Array] | None:
    """r x T: what the model expects of the second order, of pairs that labels speak for and of others."""
    every = [part.terms.expected_curvature for part in parts if part.terms.expected_curvature is not None]
    if not every:
        return None
    unseen_parts = [part.terms.unseen_curvature for part in parts]
    unseen = np.stack([np.zeros(len(every[0])) if one is None else one for one in unseen_parts], axis=1)
    return np.stack(every, axis=1) - unseen, unseen


def _doubt(parts: list[TopicPart]) -> Array:
    """Possible bias of the means (r) by parts that the model alone estimates."""
    doubts = [part.terms.doubt for part in parts if part.terms.doubt is not None]
    return total(doubts) / len(doubts) if doubts else np.zeros(len(parts[0].terms.value))


def _noise(parts: list[TopicPart]) -> Array:
    """Simulation noise (r x any), empty without simulation."""
    noises = [part.terms.noise for part in parts if part.terms.noise is not None]
    return np.hstack(noises) if noises else np.zeros((len(parts[0].terms.value), 0))


def _joint_variance(parts: list[TopicPart], topics: int) -> tuple[Array, Array]:
    """r, and pairs: variance of means and differences that labels cause together; single topics may be below 0."""
    variances = [part.terms.joint_variance for part in parts if part.terms.joint_variance is not None]
    if not variances:
        return np.zeros(len(parts[0].terms.value)), np.zeros(len(parts[0].terms.between))
    of_runs, of_pairs = (total(column) / topics**2 for column in zip(*variances, strict=True))
    return np.maximum(of_runs, 0.0), np.maximum(of_pairs, 0.0)
