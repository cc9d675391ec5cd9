"""Labels of unjudged documents, drawn from the relevance model.

docs/theory/assisted.md, section *Any other measure*.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from poolwise.basics.logistic import expit, logit
from poolwise.estimates.draw_order import error_axes, order_of
from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import TopicState
from poolwise.pool.judgments import OUTSIDE

__all__ = [
    "BLOCKS",
    "EFFECTS",
    "FEW",
    "FEW_OWN",
    "MANY",
    "MANY_OWN",
    "ONCE",
    "SPREAD",
    "SUREST",
    "Drawing",
    "drawn_errors",
    "number_source",
]

# Draws come in blocks that know nothing of each other: how far these are apart shows the error that is left.
BLOCKS = 4
MANY = 127  # draws of a block, for values; a prime
FEW = 31  # for differences by one document, which are steps for measures like Rprec; a prime
EFFECTS = 61  # of what effects get wrong alone, where means over labels are formulas
MANY_OWN, FEW_OWN = 31, 7  # the same for functions of one's own, which take long; primes
ONCE = 13  # for how far documents outside the pool reach, in one block; a prime
# Effects vary (in variance) this many times as much as pairs of labels say: terms of third order are missing in pairs,
# and measures that look at all relevant documents come out low by what is missing.
SPREAD = 1.4
ALIKE = 4  # draws of a block for each axis along which effects vary exactly as much as they should
NEWTON_STEPS = 6
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
            self._present[together] = self.labels(self.state.exceed.T[:, :, None], together)
        return self._present[together]

    @cached_property
    def without_each(self) -> Whole:
        """The same, and for each document whose absence is worth a new fit with that."""
        return self.labels(np.concatenate([self.state.exceed.T[:, :, None], self.state.refits[1]], axis=2))

    def labels(self, exceed: Array, together: bool = True) -> Whole:
        """K x draws x listed documents: classes, where `exceed` (G x N x K) are probabilities of class g or more.

        With `together` errors of the linear predictors go together as the model expects.
        """
        layout, judged = self.state.model.layout, self.state.classes >= 0
        below = np.ones(exceed.shape[1:])
        passed = np.ones((exceed.shape[2], self.draws, exceed.shape[1]), dtype=bool)
        classes = np.zeros(passed.shape, dtype=np.int32)
        for stage, chances in enumerate(exceed):
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
    """Random numbers of a topic that follow from what runs make of it, and the seed."""
    layout = state.model.layout
    return np.random.default_rng([int(layout.keys[1][state.topic]), layout.seed, size])


def drawn_errors(state: TopicState, random: np.random.Generator, size: int, blocks: int) -> list[Array]:
    """For each stage draws x N: errors of linear predictors, and what keeps the mean chance of each document."""
    found = []
    for axes, chance in zip(error_axes(state), state.chances.T, strict=True):
        effects = np.concatenate([_effects(random, size, axes.shape[1]) for _ in range(blocks)])
        errors = np.sqrt(SPREAD * state.model.together) * (effects @ axes.T)
        found.append(errors + _level(chance, errors))
    return found


def _level(chance: Array, errors: Array) -> Array:
    """N: what to add to linear predictors so that the mean chance over errors (draws x N) is what it was; by Newton."""
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
    """draws x documents: of each document a number in each of `draws` equal parts of (0, 1), in an order of its own.

    So each stage is passed in nearly the share of draws that is its chance (a Latin hypercube).
    """
    factor, start = random.integers(1, draws, documents), random.integers(0, draws, documents)
    order = (factor * np.arange(draws)[:, None] + start) % draws
    return np.asarray((order + random.uniform(0.001, 0.999, documents)) / draws)
