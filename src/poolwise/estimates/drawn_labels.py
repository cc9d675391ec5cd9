"""Labels of unjudged documents, drawn from the relevance model, and means over them by formula.

Formulas are for measures that are products down the ranking, and for precision at R. What effects of the model get
wrong is drawn; with that given, labels of documents are independent, and the core gives the mean score over them
(`expected_scores.hpp`). docs/theory/assisted.md, section *Any other measure*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from poolwise.basics.logistic import expit, logit
from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import TopicState
from poolwise.estimates.targets import Target
from poolwise.measures.measure import Measure
from poolwise.measures.own_measures import call_own
from poolwise.pool.judgments import OUTSIDE
from poolwise.scores.scoring import to_spec

STILL = 1e-9  # axes that move documents less, against the first one, are left out


def order_of(state: TopicState) -> Whole:
    """Order of a topic's documents by their ranks in the runs. Equal documents are equal for all runs and the model."""
    layout = state.model.layout
    key = layout.keys[0][layout.part(state.topic)]
    return np.lexsort((state.tail_chance[:, 0], state.classes >= 0, key))


def error_axes(state: TopicState) -> list[Array]:
    """For each stage N x axes: what effects get wrong in linear predictors, first along the axis that moves unjudged
    documents most.

    Rows of `TopicState.errors` have the same products, but depend on names up to a rotation. Each axis points to where
    documents lie farthest out.
    """
    axes = []
    for errors, chance in zip(state.errors, state.chances.T, strict=True):
        steep = np.where(state.classes < 0, chance * (1.0 - chance), 0.0)
        values, vectors = np.linalg.eigh((errors * steep[:, None] ** 2).T @ errors)
        moving = values > STILL * max(float(values[-1]), 0.0)
        along = errors @ vectors[:, moving][:, ::-1]
        axes.append(np.where((steep[:, None] * along**3).sum(axis=0) < 0.0, -along, along))
    return axes


# Draws come in blocks that know nothing of each other: how far these are apart shows the error that is left.
BLOCKS = 4
MANY = 127  # draws of a block, for values; a prime
FEW = 31  # for differences by one document, which are steps for measures like Rprec; a prime
EFFECTS = 61  # of what effects get wrong alone, where means over labels are formulas
MANY_OWN, FEW_OWN = 31, 7  # the same for functions of one's own, which take long; primes
ONCE = 13  # for how far documents outside the pool reach, in one block; a prime
# Effects vary (in variance) this many times as much as pairs of labels say: terms of third order are missing in pairs,
# and measures that look at all relevant documents come out low by what is missing. Fitted: benchmarks/calibrate.py
SPREAD = 1.4
ALIKE = 4  # draws of a block for each axis along which effects vary exactly as much as they should
NEWTON_STEPS = 6  # each of 1 logit at most; from the chance itself the error is squared at each step
SUREST = 1e-12  # probabilities nearer to 0 or 1 have no logit


class Drawing:
    """Draws labels of one topic's pooled documents; the same for every run and measure.

    A document is of class g or more if it passes stages 1 to g. It passes a stage in the draws in which logit(q) less
    the error of its linear predictor is below the logit of its chance, q being a number in (0, 1). Numbers follow from
    what runs make of documents and topics (`Layout.keys`), so that neither names nor orders move them.
    """

    def __init__(self, state: TopicState, size: int, blocks: int = BLOCKS) -> None:
        self.state, self.draws = state, blocks * size
        self._present: dict[bool, Whole] = {}
        random, order = number_source(state, size), order_of(state)
        self.apart, self.together = [], []
        for errors in drawn_errors(state, random, size, blocks):
            threshold = np.empty(errors.shape)
            threshold[:, order] = logit(np.concatenate([_quantiles(random, size, len(order)) for _ in range(blocks)]))
            self.apart.append(threshold)
            self.together.append(threshold - errors)

    @classmethod
    def of(cls, state: TopicState, size: int, blocks: int = BLOCKS) -> Drawing:
        """The topic's drawing, which measures share."""
        if (size, blocks) not in state.drawn:
            state.drawn[size, blocks] = cls(state, size, blocks)
        drawing: Drawing = state.drawn[size, blocks]
        return drawing

    def present(self, together: bool) -> Whole:
        """1 x draws x listed documents: with the model as it is."""
        if together not in self._present:
            self._present[together] = self.labels(self.state.tail_chance.T[:, :, None], together)
        return self._present[together]

    @cached_property
    def without_each(self) -> Whole:
        """Labels with leave-one-out fits, for the documents that need them."""
        return self.labels(np.concatenate([self.state.tail_chance.T[:, :, None], self.state.refits[1]], axis=2))

    def labels(self, tail_chance: Array, together: bool = True) -> Whole:
        """K x draws x listed documents: classes, where `tail_chance` (G x N x K) are probabilities of class g or more.

        With `together` errors of the linear predictors go together as the model expects.
        """
        layout, judged = self.state.model.layout, self.state.classes >= 0
        below = np.ones(tail_chance.shape[1:])
        passed = np.ones((tail_chance.shape[2], self.draws, tail_chance.shape[1]), dtype=bool)
        classes = np.zeros(passed.shape, dtype=np.int32)
        for stage, chances in enumerate(tail_chance):
            chance = np.divide(chances, below, out=np.zeros_like(below), where=below > 0.0)
            centre = logit(np.clip(chance, SUREST, 1.0 - SUREST)).T[:, None, :]
            passed &= (self.together if together else self.apart)[stage] < centre
            classes += passed
            below = chances
        classes[:, :, judged] = self.state.classes[judged]
        table = np.full((*passed.shape[:2], layout.size(self.state.topic)), OUTSIDE, dtype=np.int32)
        table[:, :, layout.listed[layout.part(self.state.topic)]] = classes
        return table


def number_source(state: TopicState, size: int) -> np.random.Generator:
    """Random generator of a topic, seeded by its rankings and the seed, not by names."""
    layout = state.model.layout
    return np.random.default_rng([int(layout.keys[1][state.topic]), layout.seed, size])


def drawn_errors(state: TopicState, random: np.random.Generator, size: int, blocks: int) -> list[Array]:
    """Errors of linear predictors for each stage (draws x N), shifted to keep mean probabilities."""
    found = []
    for axes, chance in zip(error_axes(state), state.chances.T, strict=True):
        effects = np.concatenate([_effects(random, size, axes.shape[1]) for _ in range(blocks)])
        errors = np.sqrt(SPREAD * state.model.together) * (effects @ axes.T)
        found.append(errors + _level(chance, errors))
    return found


def _level(chance: Array, errors: Array) -> Array:
    """Shifts of linear predictors (N) that keep the mean probability under errors (draws x N), by Newton's method."""
    chance = np.clip(chance, SUREST, 1.0 - SUREST)
    centre, level = logit(chance), np.zeros(len(chance))
    for _ in range(NEWTON_STEPS):
        moved = expit(centre + level + errors)
        slope = (moved * (1.0 - moved)).mean(axis=0)
        level -= np.clip((moved.mean(axis=0) - chance) / np.maximum(slope, SUREST), -1.0, 1.0)
    return level


def _effects(random: np.random.Generator, draws: int, axes: int) -> Array:
    """draws x axes: normal numbers with mean 0 and, along the first axes, exactly the covariances they should have."""
    effects = random.standard_normal((draws, axes))
    effects -= effects.mean(axis=0)
    effects *= np.sqrt(draws / (draws - 1.0))
    first = effects[:, : draws // ALIKE]
    root = np.linalg.cholesky(first.T @ first / draws)
    first[:] = np.linalg.solve(root, first.T).T
    return effects


def _quantiles(random: np.random.Generator, draws: int, documents: int) -> Array:
    """Stratified uniform numbers (draws x documents), in a random order for each document.

    So each stage is passed in nearly the share of draws that is its chance (a Latin hypercube).
    """
    factor, start = random.integers(1, draws, documents), random.integers(0, draws, documents)
    order = (factor * np.arange(draws)[:, None] + start) % draws
    return np.asarray((order + random.uniform(0.001, 0.999, documents)) / draws)


NONE: Whole = np.zeros(0, dtype=np.int32)


class DrawnScores(NamedTuple):
    """Scores of r runs on one topic."""

    values: Array  # r x draws, of the first set
    means: Array  # r x n x classes: the mean over draws when each of n documents has each class


def scores_of(
    state: TopicState,
    target: Target,
    runs: Sequence[int],
    labels: Whole,
    documents: Whole = NONE,
    sets: Whole = NONE,
    wanted: Whole = NONE,
) -> DrawnScores:
    """Score drawn labels: sets x draws x listed documents, classes or below 0 where a document is not pooled.

    `documents` are places within the topic, `sets` in which set of draws each is tried, `wanted` (runs x documents) for
    which runs.
    """
    layout = state.model.layout
    listed = layout.listed[layout.part(state.topic)][documents]
    asked = (list(runs), labels, listed.tolist(), sets.tolist(), wanted)
    if target.measure.declaration.function is not None:
        return _own_scores(state, target, *asked)
    worth = to_spec(target.measure, target.worths, layout.top)
    runs, labels, *rest = asked
    values, means = layout.pool.core.simulated(state.topic, runs, worth, np.ascontiguousarray(labels), *rest)
    return DrawnScores(np.asarray(values), np.asarray(means))


def reach_of(state: TopicState, target: Target, depth: int, first: list[int], second: list[int]) -> tuple[Array, Array]:
    """Lowest and highest change of scores (second run negative) and differences by labels outside the pool."""
    layout = state.model.layout
    worth = to_spec(target.measure, target.worths, layout.top)
    labels = np.ascontiguousarray(Drawing.of(state, ONCE, 1).present(True)[0])
    ends = layout.pool.whole.drawn_score_range(state.topic, worth, labels, depth, first, second)
    fall, rise = (np.asarray(end) for end in ends)
    return fall, rise


def _own_scores(
    state: TopicState, target: Target, runs: list[int], labels: Whole, listed: list[int], sets: list[int], wanted: Any
) -> DrawnScores:
    """Scores by a user's function, called for each ranking and draw."""
    layout, worths = state.model.layout, np.array(target.worths, dtype=float)
    values = np.empty((len(runs), labels.shape[1]))
    means = np.zeros((len(runs), len(listed), len(worths)))
    for row, run in enumerate(runs):
        ranking = _Ranking(layout.pool, run, state.topic, target.measure, worths)
        for draw in range(labels.shape[1]):
            values[row, draw] = ranking.score(labels[0, draw])
            alike: dict[tuple[int, int], Array] = {}
            for number, (document, part) in enumerate(zip(listed, sets, strict=True)):
                if wanted[row, number]:
                    means[row, number] += ranking.with_each(labels[part, draw], document, part, alike)
    return DrawnScores(values, means / labels.shape[1])


class _Ranking:
    """One run's list of a topic, scored by a function."""

    def __init__(self, pool: Any, run: int, topic: int, measure: Measure, worths: Array) -> None:
        self.where, self.measure, self.worths = (pool, run, topic), measure, worths
        ranks, self.documents = (np.asarray(part, dtype=np.int64) for part in pool.known(run, topic))
        self.indices = ranks - 1
        self.length = int(np.asarray(pool.retrieved())[run, topic])
        self.has = set(self.documents.tolist())

    def score(self, classes: Whole) -> float:
        labels = np.where(classes < 0, np.nan, self.worths[np.maximum(classes, 0)])
        along = np.full(self.length, np.nan)
        along[self.indices] = labels[self.documents]
        return call_own(self.measure, along, np.sort(labels[~np.isnan(labels)])[::-1], *self.where)

    def with_each(self, classes: Whole, document: int, part: int, alike: dict[tuple[int, int], Array]) -> Array:
        """Scores for each class of a document. Missing documents of a class are equal."""
        key = part, int(classes[document])
        if document not in self.has and key in alike:
            return alike[key]
        classes, found = classes.copy(), np.empty(len(self.worths))
        for grade in range(len(found)):
            classes[document] = grade
            found[grade] = self.score(classes)
        if document not in self.has:
            alike[key] = found
        return found


NO_TABLE = np.zeros(0)


@dataclass(frozen=True)
class Formula:
    """The numbers by which the core computes a measure.

    Each class is `worth` a chance to stop there, and a stop at a rank what the table has for it; or a class is relevant
    (1) or not, and precision is at `times` their number.
    """

    worth: Array  # by class
    table: Array  # by rank; empty for precision at R
    times: float = 0.0


def formula_of(target: Target, top: float) -> Formula | None:
    """The formula of a measure's mean over labels. None if labels must be simulated."""
    measure = target.measure
    if measure.declaration.function is not None:
        return None
    asked, ranks = to_spec(measure, target.worths, top), np.arange(1.0, min(target.depth, len(target.discounts)) + 1.0)
    if asked.cutoff:
        ranks = ranks[: asked.cutoff]
    relevant = np.array(asked.relevant, dtype=float)
    formulas = {
        "RR": lambda: Formula(relevant, 1.0 / ranks),
        "ERR": lambda: Formula(np.array(asked.gains), 1.0 / ranks),
        "Success": lambda: Formula(relevant, np.ones(len(ranks))),
        "Rprec": lambda: Formula(relevant, NO_TABLE, asked.numbers[0]),
    }
    made = formulas.get(asked.kernel)
    return None if made is None else made()


class DrawnChances:
    """Chances of one topic's documents for drawn errors of effects, in blocks; those of the model as it is without."""

    def __init__(self, state: TopicState, size: int) -> None:
        self.state = state
        random = number_source(state, size)
        self.errors = drawn_errors(state, random, size, BLOCKS) if size else [np.zeros((1, 1))] * len(state.errors)

    @classmethod
    def of(cls, state: TopicState, size: int) -> DrawnChances:
        """The topic's, which measures share."""
        if (size, "chances") not in state.drawn:
            state.drawn[size, "chances"] = cls(state, size)
        chances: DrawnChances = state.drawn[size, "chances"]
        return chances

    def blocks(self, worth: Array, each: bool) -> list[Array]:
        """Of each block sets x draws x listed documents: mean worths of classes; below 0 where one is not pooled.

        With `each` there is a set for each document whose absence is worth a new fit, after that of all.
        """
        state = self.state
        tail_chance = state.tail_chance.T[:, :, None]
        if each:
            tail_chance = np.concatenate([tail_chance, state.refits[1]], axis=2)
        whole = self._worths(tail_chance, worth)
        return np.split(whole, BLOCKS, axis=1) if whole.shape[1] > 1 else [whole]

    def _worths(self, tail_chance: Array, worth: Array) -> Array:
        layout, judged = self.state.model.layout, self.state.classes >= 0
        below, passed = np.ones(tail_chance.shape[1:]), np.ones((1, 1, 1))
        found = np.full((tail_chance.shape[2], len(self.errors[0]), tail_chance.shape[1]), worth[0])
        for chances, errors, step in zip(tail_chance, self.errors, np.diff(worth), strict=True):
            chance = np.divide(chances, below, out=np.zeros_like(below), where=below > 0.0)
            centre = logit(np.clip(chance, SUREST, 1.0 - SUREST)).T[:, None, :]
            passed = passed * expit(centre + errors)
            found += step * passed
            below = chances
        found[:, :, judged] = worth[self.state.classes[judged]]
        table = np.full((*found.shape[:2], layout.size(self.state.topic)), -1.0)
        table[:, :, layout.listed[layout.part(self.state.topic)]] = found
        return table


def expected_scores(
    state: TopicState,
    target: Target,
    formula: Formula,
    runs: Sequence[int],
    chances: Array,
    documents: Whole = NONE,
    draw_sets: Whole = NONE,
    wanted: Whole = NONE,
) -> DrawnScores:
    """The same as `scores_of` gives for labels, for chances (sets x draws x listed documents)."""
    layout = state.model.layout
    listed = layout.listed[layout.part(state.topic)]
    classes = np.full(layout.size(state.topic), -1, dtype=np.int32)
    classes[listed] = state.classes
    values, means = layout.pool.core.expected_scores(
        state.topic, list(runs), np.ascontiguousarray(chances), classes, formula.worth.tolist(), formula.table,
        formula.times, target.measure.is_condensed, listed[documents].tolist(), draw_sets.tolist(), wanted,
    )  # fmt: skip
    return DrawnScores(np.asarray(values), np.asarray(means))
