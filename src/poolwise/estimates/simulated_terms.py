"""Any measure: the labels of unjudged documents are drawn from the relevance model, many times, and scored.

The mean over draws takes the place of the plug-in, and means with one document's label set to each class that of its
derivatives. Documents get their labels together: effects are uncertain, and what they get wrong they get wrong for all
documents of a topic, which is the model's second order. docs/theory/assisted.md, section *Any other measure*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poolwise.estimates.drawn_labels import (
    BLOCKS,
    EFFECTS,
    FEW,
    FEW_OWN,
    MANY,
    MANY_OWN,
    Drawing,
    DrawnChances,
    DrawnScores,
    Formula,
    expected_scores,
    formula_of,
    order_of,
    scores_of,
)
from poolwise.estimates.layout import Array, Whole, products, total
from poolwise.estimates.model import TopicState
from poolwise.estimates.targets import NO_PAIRS, Target, Terms, of_pairs
from poolwise.estimates.terms import precision_terms

__all__ = ["simulated_terms"]

ROUNDING = 1e-13  # scores that differ by less are equal: sums of shares have rounding errors of 1e-15 or so
DOUBT = 0.3  # relative error of what labels that go together add (see SPREAD of draws); fitted: benchmarks/calibrate.py
THROUGH_DIVISOR = 0.5  # of the second order of average precision, in the variance; fitted: benchmarks/calibrate.py
BETWEEN_NODES = (
    1.6  # ratio of ranks at which differences of unjudged documents are computed; fitted: benchmarks/calibrate.py
)


def simulated_terms(
    state: TopicState, target: Target, runs: Sequence[int], with_slope: bool, pairs: Whole = NO_PAIRS
) -> Terms:
    """The mean over draws, and u, for every run on one topic."""
    nodes = _Nodes.of(state, target, runs)
    formula = formula_of(target, state.model.layout.top)
    values, apart, by_block = (
        _drawn(state, target, runs, nodes) if formula is None else _by_formula(state, target, formula, runs, nodes)
    )
    found = total(by_block) / BLOCKS
    everywhere = nodes.everywhere(found)
    curvature, expected_curvature, unseen_curvature = _through_divisor(
        state, target, runs, nodes.lacking(state, everywhere)
    )
    value = values.mean(axis=1)
    return Terms(
        value,
        _gradient(state, found),
        curvature,
        *_by_class(everywhere, state.speaks_for, state.predicted, pairs),
        expected_curvature,
        unseen_curvature,
        _effects(state, np.diff(everywhere, axis=2)) if with_slope else (),
        np.zeros((len(runs), 0)),
        DOUBT * _rounded(value - apart),
        _noise(state, values, by_block),
        _joint_variance(state, _scores_apart(state, target, runs), everywhere, pairs),
    )


class _LabelMeans(NamedTuple):
    """Terms of a measure, in the mean over labels."""

    values: Array  # r x blocks
    apart: Array  # r: if labels were independent
    by_block: list[Array]  # of each block r x nodes x classes: when a document has each class


def _drawn(state: TopicState, target: Target, runs: Sequence[int], nodes: _Nodes) -> _LabelMeans:
    """From drawn labels."""
    labels = Drawing.of(state, _draws(target, MANY, MANY_OWN)).present(True)
    each = Drawing.of(state, _draws(target, FEW, FEW_OWN)).without_each
    return _LabelMeans(
        in_blocks(scores_of(state, target, runs, labels).values),
        _scores_apart(state, target, runs).mean(axis=1),
        [scores_of(state, target, runs, block, *nodes.tried(state)).means for block in np.split(each, BLOCKS, axis=1)],
    )


def _by_formula(state: TopicState, target: Target, formula: Formula, runs: Sequence[int], nodes: _Nodes) -> _LabelMeans:
    """From drawn errors of effects, labels being independent with these given.

    What a fit without a document changes is computed at the model's effects alone: errors of these change that little.
    """
    documents, sets, wanted = nodes.tried(state)
    every = np.zeros_like(sets)

    def scores(chances: Array, sets: Whole) -> DrawnScores:
        return expected_scores(state, target, formula, runs, chances, documents, sets, wanted)

    (plain,) = DrawnChances.of(state, 0).blocks(formula.worth, True)
    as_it_is, without = scores(plain, every), scores(plain, sets).means
    blocks = [scores(block, every) for block in DrawnChances.of(state, EFFECTS).blocks(formula.worth, False)]
    return _LabelMeans(
        np.stack([block.values.mean(axis=1) for block in blocks], axis=1),
        as_it_is.values[:, 0],
        [block.means + (without - as_it_is.means) for block in blocks],
    )


def _scores_apart(state: TopicState, target: Target, runs: Sequence[int]) -> Array:
    """r x draws: under independent labels."""
    labels = Drawing.of(state, _draws(target, MANY, MANY_OWN)).present(False)
    return scores_of(state, target, runs, labels).values


def _draws(target: Target, usual: int, of_own: int) -> int:
    return usual if target.measure.declaration.function is None else of_own


def in_blocks(values: Array) -> Array:
    """r x blocks: the means of blocks of draws."""
    return np.asarray(values.reshape(len(values), BLOCKS, -1).mean(axis=2))


def _gradient(state: TopicState, found: Array) -> Array:
    """r x n: u, from mean scores when a judged document has each class."""
    steps = np.diff(found[:, : len(state.counted)], axis=2)
    return total(np.moveaxis(steps * state.own_residuals, 2, 0))


def _noise(state: TopicState, values: Array, by_block: list[Array]) -> Array:
    """r x blocks: what the estimates by single blocks of draws are off their mean, so that squares are its variance."""
    weight = state.weight[state.counted]
    corrections = [products(_gradient(state, found), weight) for found in by_block]
    estimates = values + np.stack(corrections, axis=1)
    return _rounded(estimates - estimates.mean(axis=1, keepdims=True)) / np.sqrt(BLOCKS * (BLOCKS - 1.0))


@dataclass(frozen=True)
class _Nodes:
    """Documents of which every label is tried: n judged ones that speak for others, and some at ranks in between."""

    documents: Whole  # places within the topic, the judged ones first
    wanted: Whole  # runs x documents: whether a run needs it
    ranks: Array  # runs x N, 0 where a run does not have a document

    @classmethod
    def of(cls, state: TopicState, target: Target, runs: Sequence[int]) -> _Nodes:
        layout = state.model.layout
        table = np.arange(1.0, min(target.depth, len(target.discounts)) + 1.0)
        ranks = layout.rank_weights(state.topic, list(runs), table)
        between = [_spread_out(row) for row in ranks]
        order = order_of(state)
        absent = [order[row[order] == 0.0][:1] for row in ranks]
        more = np.setdiff1d(np.concatenate([*between, *absent]), state.counted)
        documents = np.concatenate([state.counted, more])
        wanted = np.zeros((len(runs), len(state.classes)), dtype=np.int32)
        wanted[:, state.counted] = 1
        for row, some, none in zip(wanted, between, absent, strict=True):
            row[some] = row[none] = 1
        return cls(documents, np.ascontiguousarray(wanted[:, documents]), ranks)

    def tried(self, state: TopicState) -> tuple[Whole, Whole, Whole]:
        """The documents, in which set of draws each is tried, and for which runs."""
        chosen = state.refits[0]
        sets = np.zeros(len(self.documents), dtype=np.int32)
        sets[chosen] = 1 + np.arange(len(chosen))
        return self.documents, sets, self.wanted

    def lacking(self, state: TopicState, everywhere: Array) -> Array:
        """r: the mean difference that relevant documents make which are not judged and which a run lacks; 0 without."""
        chance = np.where(state.classes < 0, state.tail_chance[:, 0], 0.0)
        grades = np.divide(
            state.tail_chance, chance[:, None], out=np.zeros(state.tail_chance.shape), where=chance[:, None] > 0.0
        )
        weight = (self.ranks == 0.0) * chance
        steps = total(np.moveaxis(np.diff(everywhere, axis=2) * grades, 2, 0))
        size = weight.sum(axis=1)
        return np.divide((steps * weight).sum(axis=1), size, out=np.zeros(len(size)), where=size > 0.0)

    def everywhere(self, found: Array) -> Array:
        """r x N x classes: the difference that each class makes, of all documents.

        Between two ranks at which it was computed, it is taken to change evenly with the logarithm of the rank;
        documents that a run lacks are all alike.
        """
        found = found - found[:, :, :1]
        log_ranks = np.log(np.maximum(self.ranks, 1.0))
        table = np.empty((*self.ranks.shape, found.shape[2]))
        for run, ranks_of_run in enumerate(self.ranks):
            known = self.wanted[run] > 0
            there = ranks_of_run[self.documents] > 0.0
            for grade in range(found.shape[2]):
                table[run, :, grade] = found[run, known & ~there, grade].mean() if (known & ~there).any() else 0.0
                near = np.flatnonzero(known & there)
                near = near[np.argsort(ranks_of_run[self.documents[near]])]
                if len(near):
                    at = np.interp(log_ranks[run], log_ranks[run][self.documents[near]], found[run, near, grade])
                    table[run, ranks_of_run > 0.0, grade] = at[ranks_of_run > 0.0]
        return table


def _through_divisor(
    state: TopicState, target: Target, runs: Sequence[int], lacking: Array
) -> tuple[Array, Array | None, Array | None]:
    """B of a measure that is divided by the number of relevant documents, and what is expected of half its sum.

    It is that of average precision, times by how much more such a document moves the measure that a run lacks: of
    AP = S / R it makes S / (R + 1). Measures that do not know of other documents than a run's have none.
    """
    precision = precision_terms(state, target, runs, False)
    relevant = float(state.tail_chance[:, 0].sum())
    factor = np.divide(
        -THROUGH_DIVISOR * (relevant + 1.0) * lacking,
        precision.value,
        out=np.zeros(len(lacking)),
        where=precision.value > ROUNDING,
    )
    expected, unseen = (
        None if part is None else factor * part for part in (precision.expected_curvature, precision.unseen_curvature)
    )
    return factor[:, None] * precision.curvature, expected, unseen


def _spread_out(ranks: Array) -> Whole:
    """Places of documents at ranks that grow evenly on the scale of logarithms."""
    retrieved = np.flatnonzero(ranks > 0.0)
    retrieved = retrieved[np.argsort(ranks[retrieved])]
    if not len(retrieved):
        return retrieved
    found = ranks[retrieved]
    wanted = BETWEEN_NODES ** np.arange(1.0 + np.log(found[-1]) / np.log(BETWEEN_NODES))
    return np.asarray(
        retrieved[np.unique(np.append(np.searchsorted(found, wanted[wanted <= found[-1]]), len(found) - 1))]
    )


def _class_chances(tail_chance: Array) -> Array:
    """Probabilities of classes 0, 1, ... from those of class g or more."""
    edge = np.ones((len(tail_chance), 1))
    return np.hstack([edge, tail_chance]) - np.hstack([tail_chance, 0.0 * edge])


def _by_class(moved: Array, weight: Array, tail_chance: Array, pairs: Whole, least: float = 0.0) -> tuple[Array, Array]:
    """Sum over documents of a weight (N) times the variance of scores by the class of the document: r, and pairs."""
    chances = _class_chances(tail_chance)
    apart = moved - total(np.moveaxis(moved * chances, 2, 0))[:, :, None]
    weighted = apart * (weight[:, None] * chances)
    found, position = np.unique(pairs, return_inverse=True)
    rows, columns = (part.reshape(len(moved), moved.shape[1] * moved.shape[2]) for part in (weighted, apart))
    together = products(rows[found], columns[found].T)
    return (rows * columns).sum(axis=1), of_pairs(together, position.reshape(-1, 2), least)


def _joint_variance(state: TopicState, values: Array, moved: Array, pairs: Whole) -> tuple[Array, Array]:
    """Variance over drawn labels, less what documents cause one by one; what is left no correction speaks of."""
    one_by_one = _by_class(moved, (state.classes < 0).astype(float), state.tail_chance, pairs, -np.inf)
    whole = values.var(axis=1, ddof=1), (values[pairs[:, 0]] - values[pairs[:, 1]]).var(axis=1, ddof=1)
    return _rounded(whole[0] - one_by_one[0]), _rounded(whole[1] - one_by_one[1])


def _rounded(values: Array) -> Array:
    """Nothing where draws differ by no more than sums of the same numbers do."""
    return np.where(np.abs(values) < ROUNDING, 0.0, values)


def _effects(state: TopicState, steps: Array) -> tuple[Array, ...]:
    """Derivatives of the score by the effects of each stage, from the difference that each class makes."""
    by_stage = []
    for number, (stage, pulls) in enumerate(zip(state.model.stages, state.pulls, strict=True)):
        moved = total(products(steps[:, :, number + more], pull) for more, pull in enumerate(pulls))
        by_stage.append(state.with_topic(moved, stage))
    return tuple(by_stage)
