"""Means over labels by formula, for measures that are products down the ranking, and for precision at R.

What effects of the model get wrong is drawn; with that given, labels of documents are independent, and the core gives
the mean score over them (`expected_scores.hpp`). docs/theory/assisted.md, section *Any other measure*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolwise.basics.logistic import expit, logit
from poolwise.estimates.drawn_labels import BLOCKS, NONE, SUREST, DrawnScores, drawn_errors, number_source
from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import TopicState
from poolwise.estimates.targets import Target
from poolwise.scores.scoring import to_spec

__all__ = ["DrawnChances", "Formula", "formula_of"]

NO_TABLE = np.zeros(0)


@dataclass(frozen=True)
class Formula:
    """What the core needs of a measure.

    Each class is `worth` a chance to stop there, and a stop at a rank what the table has for it; or a class is relevant
    (1) or not, and precision is at `times` their number.
    """

    worth: Array  # by class
    table: Array  # by rank; empty for precision at R
    times: float = 0.0


def formula_of(target: Target, top: float) -> Formula | None:
    """The formula of a measure; None where there is none, and labels must be drawn."""
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
    sets: Whole = NONE,
    wanted: Whole = NONE,
) -> DrawnScores:
    """The same as `scores_of` gives for labels, for chances (sets x draws x listed documents)."""
    layout = state.model.layout
    place = layout.listed[layout.part(state.topic)]
    own = np.full(layout.size(state.topic), -1, dtype=np.int32)
    own[place] = state.classes
    values, means = layout.pool.core.expected_scores(
        state.topic, list(runs), np.ascontiguousarray(chances), own, formula.worth.tolist(), formula.table,
        formula.times, target.measure.is_condensed, place[documents].tolist(), sets.tolist(), wanted,
    )  # fmt: skip
    return DrawnScores(np.asarray(values), np.asarray(means))
