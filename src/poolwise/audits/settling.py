"""The shortest list of documents that settles which of two runs scores higher.

Whatever is not judged may have any label, so a difference is settled when no labels of the remaining holes can turn it.
Judging a hole takes its worst label out of that reckoning. With the leader of the model's draws in front, a hole that
lifts the difference by s, if relevant, is expected to win s q of the worst case, and one that lowers it s (1 - q), q
being its chance: holes are listed by what they are expected to win. How many of them it takes depends on the labels
that will be found, so it is tried on labels drawn from the model: the list holds as many as settled it in nine draws
of ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.audits.hole_scores import BATCH, HoleDraws, list_holes
from poolwise.basics import settings as checks
from poolwise.basics.results import Result
from poolwise.errors import ArgumentError
from poolwise.plans.plan import Plan
from poolwise.pool.judgments import Judgments, is_judged
from poolwise.scores.score_notes import Unjudged
from poolwise.scores.scoring import score_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.audits.hole_model import Offset
    from poolwise.audits.hole_scores import Listed
    from poolwise.basics.arrays import Floats
    from poolwise.measures.measure import Measure

    Whole = NDArray[np.int64]

__all__ = ["Settling", "settle"]

DRAWS = 100
DIGITS = 12  # to which what is expected to be won counts
SETTLED_IN = 0.9  # of the draws
JUDGED, TO_JUDGE = 1, 2  # strata of the plan
ROUND = 2


@dataclass(frozen=True, eq=False, repr=False)
class Settling(Result):
    """Documents that settle one run against another.

    `topic`, `document`, `moves` (by how much the difference moves if the document is found relevant) and `chance` (of
    that, by the model) list the documents, those that win most first. `holes` is how many there are in all, with which
    it is surely settled; `median` how many settled it in half of the draws. `lowest` and `highest` bound the difference
    as things stand.
    """

    run_a: str
    run_b: str
    measure: str
    depth: int
    difference: float
    lowest: float
    highest: float
    topic: list[str]
    document: list[str]
    moves: list[float]
    chance: list[float]
    holes: int
    median: int
    seed: int
    _listed: Listed

    def columns(self) -> dict[str, Any]:
        """One row per document."""
        return {name: getattr(self, name) for name in ("topic", "document", "moves", "chance")}

    def details(self) -> dict[str, Any]:
        """Everything but the pool."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_") and name != "plan"}

    def headline(self) -> str:
        """How many documents it takes."""
        who = f"{self.run_a} against {self.run_b} by {self.measure}"
        if not self.topic:
            return f"{who} is settled: no labels of the {self.holes} holes can turn it"
        return (
            f"{who}: {len(self.topic)} of {self.holes} unjudged documents settled it in "
            f"{100 * SETTLED_IN:.0f} % of draws from the model, {self.median} in half of them"
        )

    @cached_property
    def plan(self) -> Plan:
        """The plan to judge the list by: all that is judged is one stratum, the list another, judged in full.

        Holes that are not listed stay outside: `estimate` reaches as far as they could move the difference.
        """
        judgments = self._listed.judgments
        judged = np.flatnonzero(is_judged(judgments.labels))
        names = self._listed.named(judged)
        number = len(self.topic)
        from poolwise import __version__

        settings = {
            "design": "settle",
            "round": ROUND,
            "budget": number,
            "depth": self.depth,
            "contributing": None,
            "runs": [self.run_a, self.run_b],
            "measure": self.measure,
            "difference": [self.run_a, self.run_b],
            "seed": self.seed,
            "version": __version__,
        }
        # Topics one after the other, as people judge; within a topic the list's order says nothing of labels to come.
        order = sorted(range(number), key=lambda place: self._topic_place[self.topic[place]])
        return Plan(
            [self.topic[place] for place in order] + [topic for topic, _ in names],
            [self.document[place] for place in order] + [document for _, document in names],
            [TO_JUDGE] * number + [JUDGED] * len(names),
            [ROUND] * number + [1] * len(names),
            [None] * number + judgments.labels[judged].tolist(),
            settings,
            ranks={TO_JUDGE: (1, self.depth)},
        )

    @property
    def _topic_place(self) -> dict[str, int]:
        return {topic: index for index, topic in enumerate(self._listed.pool.topics)}


def settle(
    judgments: Judgments, measure: Measure, depth: int, pair: tuple[str, str], offset: Offset, seed: int
) -> Settling:
    """Find the list for two runs."""
    if len({judgments.pool.run_number(run) for run in pair}) != 2:
        raise ArgumentError(f"{pair[0]!r} cannot be settled against itself; name two runs")
    checks.whole("seed", seed)
    listed = list_holes(judgments, depth, pair)
    return _SettlingSearch(listed, measure, HoleDraws(listed, offset, DRAWS, seed), pair).found()


@dataclass(frozen=True)
class _SettlingSearch:
    listed: Listed
    measure: Measure
    drawn: HoleDraws
    pair: tuple[str, str]

    def found(self) -> Settling:
        """Order the holes, and find how many it takes."""
        holes = self.listed.holes
        lowest, highest = self.ends(self.listed.judgments)
        order, numbers = np.arange(0), [0]
        if len(holes) and lowest <= 0 <= highest:
            order = self._order()
            numbers = sorted(self._needed(order, labels) for labels in self._labels())
        shown = order[: numbers[int(np.ceil(SETTLED_IN * len(numbers))) - 1]]
        names = self.listed.named(holes[shown])
        return Settling(
            *self.pair,
            str(self.measure),
            self.listed.depth,
            float(self._difference([self.listed.judgments])[0]),
            lowest,
            highest,
            [topic for topic, _ in names],
            [document for _, document in names],
            self.moves[shown].tolist() if len(shown) else [],
            self.chances[shown].tolist() if len(shown) else [],
            len(holes),
            numbers[len(numbers) // 2],
            self.drawn.seed,
            self.listed,
        )

    def ends(self, judgments: Judgments) -> tuple[float, float]:
        """The lowest and highest difference that labels of holes reach."""
        return Unjudged(judgments).reach(self.measure, [0], [1])[0]

    @cached_property
    def moves(self) -> Floats:
        """By how much the difference moves when a hole alone has the best label."""
        holes, top = self.listed.holes, self.listed.judgments.top
        start = float(self._difference([self.listed.judgments])[0])
        parts = []
        for begin in range(0, len(holes), BATCH):
            some = holes[begin : begin + BATCH]
            parts.append(self._difference([self.listed.with_labels(some[i : i + 1], top) for i in range(len(some))]))
        return np.concatenate(parts) - start

    @cached_property
    def chances(self) -> Floats:
        """The chance of each hole to be relevant; even, where the model has nothing to go by."""
        return self.drawn.expected() if self.drawn.is_possible else np.full(len(self.listed.holes), 0.5)

    def _labels(self) -> list[NDArray[np.int32]]:
        if self.drawn.is_possible:
            return list(self.drawn.labels())
        best = self.listed.judgments.top
        random = np.random.default_rng(self.drawn.seed)
        return [best * (self.drawn.uniform(random) < 0.5).astype(np.int32) for _ in range(DRAWS)]

    def _order(self) -> Whole:
        """Places of holes, those first that win most of the worst case for the run that leads in the draws."""
        holes = self.listed.holes
        labelled = [self.listed.with_labels(holes, labels) for labels in self._labels()]
        lead = 1.0 if float(self._difference(labelled).mean()) >= 0 else -1.0
        moves = lead * self.moves
        wins = np.where(moves > 0, moves * self.chances, -moves * (1.0 - self.chances))
        order = self.drawn.order
        return order[np.argsort(-np.round(wins[order], DIGITS), kind="stable")]

    def _needed(self, order: Whole, labels: NDArray[np.int32]) -> int:
        """How many holes of the order must be judged until these labels settle it; all, if they leave a tie."""
        low, high = 0, len(order)
        while high - low > 1:
            middle = (low + high) // 2
            ends = self.ends(self.listed.with_labels(self.listed.holes[order[:middle]], labels[order[:middle]]))
            low, high = (middle, high) if ends[0] <= 0 <= ends[1] else (low, middle)
        return high

    def _difference(self, sets: list[Judgments]) -> Floats:
        values = np.asarray(score_values(self.listed.pool, [self.measure], sets, 1))[:, 0].mean(axis=-1)
        result: Floats = values[:, 0] - values[:, 1]
        return result
