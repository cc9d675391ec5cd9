"""The shortest list of documents that settles which of two runs scores higher.

A difference is settled when no labels of the remaining holes can change its sign. Judging a hole removes its worst
case. Let the run lead that leads in the model's draws, and let q be the probability of a hole to be relevant. If
relevance raises the difference by s, judging it improves the worst case by s q on average. If relevance lowers the
difference by s, the improvement is s (1 - q). Holes are listed by this expected gain. The number that is needed depends
on their labels, so it is tried on labels drawn from the model. The list is as long as nine draws of ten needed.
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

DRAWS = 100  # of labels; the 90 % quantile of the number of documents has a standard error of 3 percentage points
DIGITS = 12  # decimals of expected gains: rounding must not decide the order of equal ones
SETTLED_IN = 0.9  # share of draws that the list settles; chosen by hand: the last tenth may need far more documents
JUDGED, TO_JUDGE = 1, 2  # strata of the plan
ROUND = 2  # of the plan; the old judgments are round 1


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
        """Plan to judge the list: judged documents are one stratum, the list is another, judged in full.

        Other holes stay outside the pool, and the ranges of `estimate` include all their labels.
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
        # By topic, as people judge. Within a topic the order of the list does not reveal labels.
        topic_index = {topic: index for index, topic in enumerate(self._listed.pool.topics)}
        order = sorted(range(number), key=lambda row: topic_index[self.topic[row]])
        return Plan(
            [self.topic[row] for row in order] + [topic for topic, _ in names],
            [self.document[row] for row in order] + [document for _, document in names],
            [TO_JUDGE] * number + [JUDGED] * len(names),
            [ROUND] * number + [1] * len(names),
            [None] * number + judgments.labels[judged].tolist(),
            settings,
            ranks={TO_JUDGE: (1, self.depth)},
        )


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
        """The list: holes in order, as many as are needed."""
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
        """Lowest and highest difference over all labels of the holes."""
        return Unjudged(judgments).reach(self.measure, [0], [1])[0]

    @cached_property
    def moves(self) -> Floats:
        """Change of the difference when a single hole gets the highest label."""
        holes, highest = self.listed.holes, self.listed.judgments.top
        start = float(self._difference([self.listed.judgments])[0])
        parts = []
        for begin in range(0, len(holes), BATCH):
            some = holes[begin : begin + BATCH]
            alone = [self.listed.with_labels(some[i : i + 1], highest) for i in range(len(some))]
            parts.append(self._difference(alone))
        return np.concatenate(parts) - start

    @cached_property
    def chances(self) -> Floats:
        """Probability of each hole to be relevant. 1/2 if the model has no data."""
        return self.drawn.expected() if self.drawn.is_possible else np.full(len(self.listed.holes), 0.5)

    def _labels(self) -> list[NDArray[np.int32]]:
        if self.drawn.is_possible:
            return list(self.drawn.labels())
        best = self.listed.judgments.top
        random = np.random.default_rng(self.drawn.seed)
        return [best * (self.drawn.uniform(random) < 0.5).astype(np.int32) for _ in range(DRAWS)]

    def _order(self) -> Whole:
        """Indices of holes in descending order of expected gain for the run that leads in the draws."""
        holes = self.listed.holes
        labelled = [self.listed.with_labels(holes, labels) for labels in self._labels()]
        lead = 1.0 if float(self._difference(labelled).mean()) >= 0 else -1.0
        moves = lead * self.moves
        gains = np.where(moves > 0, moves * self.chances, -moves * (1.0 - self.chances))
        order = self.drawn.order
        return order[np.argsort(-np.round(gains[order], DIGITS), kind="stable")]

    def _needed(self, order: Whole, labels: NDArray[np.int32]) -> int:
        """Number of holes to judge, in order, until these labels settle the difference. All if it ends as a tie."""
        # Each judged hole narrows the bounds, so the smallest number is found by bisection.
        low, high = 0, len(order)
        while high - low > 1:
            middle = (low + high) // 2
            ends = self.ends(self.listed.with_labels(self.listed.holes[order[:middle]], labels[order[:middle]]))
            low, high = (middle, high) if ends[0] <= 0 <= ends[1] else (low, middle)
        return high

    def _difference(self, judgment_sets: list[Judgments]) -> Floats:
        values = np.asarray(score_values(self.listed.pool, [self.measure], judgment_sets, 1))[:, 0].mean(axis=-1)
        result: Floats = values[:, 0] - values[:, 1]
        return result
