"""Documents outside the pool that only other runs retrieve: relevant ones among them lower a score.

Had all given runs been pooled, those documents would count in the number of relevant documents and in the ideal list of
every run, also of runs that do not retrieve them, and in rankings that have them below the depth. Labels at their worst
would make every low end of AP useless, so how often they are relevant is taken from the pool: a pooled document that
as many runs have within the depth shows it, topic by topic. Runs differ in how many relevant documents they alone find,
so three times that rate is allowed for (measured, docs/theory/assisted.md, section *Documents outside the pool*).

For any labels z of a run's outside documents, the estimate with z in place has an interval that holds the truth as
often as it says, if z are the true labels. So the range from the lowest of these intervals' low ends to the highest of
their high ends holds it at least as often, whatever the true labels are. To first order z moves an interval without
widening it: by A(z) - A(0), A being the score by labels where known and by the model elsewhere. The range therefore
reaches from the plain interval's low end less the greatest fall to its high end plus the greatest rise over all z, mean
over topics. The documents count in both parts of a measure: in the ranking, and in the number of relevant documents or
the ideal list. That is why the lowest score need not be the one with all of them worthless: a relevant document
far down the list costs average precision more than it brings.

In a difference the outside documents of either run are open, and one that both retrieve moves both. Documents that only
other runs have are looked at in `elsewhere`; what they could do is added, also for runs that are pooled in full. See
docs/theory/assisted.md, "Documents outside the pool".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from poolwise.estimates.drawn_labels import reach_of
from poolwise.estimates.layout import Array, Whole
from poolwise.estimates.model import TopicState
from poolwise.estimates.targets import Target
from poolwise.estimates.terms import Counts, divisor_of, worths_along, worths_with_more
from poolwise.measures.measure import label_gains
from poolwise.pool.coverage import NO_LIMIT, open_shares, pool_depth
from poolwise.pool.judgments import OUTSIDE, Judgments, open_counts
from poolwise.pool.pool import NO_RANK

# Documents outside are taken for this many times as often relevant as pooled ones that as many runs retrieve; fitted:
# benchmarks/calibrate.py
CAUTION = 3.0
MANY = 6  # runs that retrieve a document; more are counted as so many
# Weight of all documents of a topic, where few are retrieved by as many runs; fitted: benchmarks/calibrate.py
PRIOR = 3.0
POINTS = 33  # of a table of ideal lists


class OtherRunsDocuments:
    """Unpooled documents of a topic within the pool's depth in any run, with cautious rates of relevance.

    Down to the rank `measure_depth` documents are a run's own, of which other labels are tried. The depth is at least
    that of the pool, however early a measure cuts lists off: documents below it are missing in the ideal list, too.
    """

    def __init__(
        self, judgments: Judgments, state: TopicState, target: Target, ideal: Array, measure_depth: int, depth: int
    ) -> None:
        self.judgments, self.state, self.target, self.ideal = judgments, state, target, ideal
        self.measure_depth, self.depth = measure_depth, depth

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        core, topic = self.judgments.pool.whole, self.state.topic
        runs = core.retrieving_runs(topic, self.depth)
        tail_chance = np.ascontiguousarray(self.state.tail_chance)
        found = core.rates_of_others(topic, self.judgments.buffer, runs, tail_chance, MANY, PRIOR, CAUTION)
        of_documents, by_runs = (np.asarray(part) for part in found)
        return of_documents, by_runs

    @property
    def rates(self) -> Array:
        """Grades x documents: how often each open document is of each class or more, with caution; 0 for the others.

        Open are those outside the pool that some run has within the depth.
        """
        return self._rates[0]

    def reach(self, first: list[int], second: list[int], known: dict[str, Any], number: int) -> tuple[Array, Array]:
        """By how much these documents could lower and raise scores and differences.

        `known` has the core's arguments on documents of the pool, `number` is an upper bound to the number of these.
        """
        core = self.judgments.pool.whole
        asked = self.state.topic, self.judgments.buffer, first, second, self.measure_depth
        if self.target.kind == "precision":
            look = partial(core.precision_range_of_others, *asked)
        else:
            look = partial(core.gain_range_of_others, *asked, **self._ideals(number))
        fall, rise = (np.asarray(end) for end in look(**known, rates=self.rates))
        return fall, rise

    def _ideals(self, number: int) -> dict[str, Any]:
        """Tables of what ideal lists are worth with more and more of these documents."""
        # The tables end where each of these documents would count anew in every run, at the rate of one run alone.
        most = self.rates.sum(axis=1) + number * self._rates[1][1]
        worth, some = worths_along(self.ideal, Counts.of(self.state), most, POINTS)
        return {"height": np.diff(self.target.gains), "worth": worth, "some": some, "most": most}


MODES = ("range", "nonrelevant", "error")
ALONE = -1  # stands for the second run of a score


class ScoreRange(NamedTuple):
    """Largest fall and rise of scores and differences by unpooled documents, 0 or more."""

    fall: Array
    rise: Array

    @classmethod
    def none(cls, number: int) -> ScoreRange:
        """A range of 0."""
        return cls(np.zeros(number), np.zeros(number))

    def plus(self, fall: Array, rise: Array) -> ScoreRange:
        """The range extended by another."""
        return ScoreRange(self.fall + fall, self.rise + rise)


@dataclass(frozen=True)
class UnpooledDocuments:
    """The outside documents of some runs, and of pairs of them, down to the depth of each measure.

    `first` and `second` are numbers of runs in the pool: each run alone, then the pairs.
    """

    judgments: Judgments
    runs: Sequence[int]
    pairs: Sequence[tuple[int, int]]  # places among the runs
    targets: Sequence[Target]
    mode: str = "range"
    _counts: dict[int, Whole] = field(default_factory=dict)
    _depths: list[int] = field(default_factory=list)

    @cached_property
    def first(self) -> list[int]:
        """The run of each score, and the first of each difference."""
        return [*self.runs, *(self.runs[a] for a, _ in self.pairs)]

    @cached_property
    def second(self) -> list[int]:
        """ALONE for each score, and the second run of each difference."""
        return [*(ALONE for _ in self.runs), *(self.runs[b] for _, b in self.pairs)]

    @cached_property
    def pair_places(self) -> Whole:
        """Pairs x 2: places among the runs."""
        return np.array(self.pairs, dtype=int).reshape(-1, 2)

    @cached_property
    def _sides(self) -> tuple[Whole, Whole]:
        """Both as arrays."""
        return np.array(self.first, dtype=int), np.array(self.second, dtype=int)

    def depth(self, target: Target) -> int:
        """The rank down to which the documents of a measure matter: its cut-off, or the pool's depth."""
        if target.measure.cutoff:
            return int(target.measure.cutoff)
        if not self._depths:
            self._depths.append(pool_depth(self.judgments))
        return self._depths[0]

    def shares(self) -> Array:
        """Runs x measures: the share of the documents down to the depth that is outside."""
        columns = [open_shares(self.judgments, self.depth(target)) for target in self.targets]
        return np.array(columns)[:, list(self.runs)].T

    @cached_property
    def pooled_down_to(self) -> int:
        """The pool's depth; where it cannot be told, the deepest rank that a pooled document is brought by."""
        depth = pool_depth(self.judgments)
        if depth < NO_LIMIT:
            return depth
        ranks = np.asarray(self.judgments.pool.best_ranks())
        brought = ranks[(self.judgments.labels != OUTSIDE) & (ranks != NO_RANK)]
        return int(brought.max(initial=1))

    def counts(self, depth: int) -> Whole:
        """All runs x topics: how many documents down to a depth are outside."""
        if depth not in self._counts:
            self._counts[depth] = np.array(open_counts(self.judgments, depth), dtype=int)
        return self._counts[depth]

    def reach(self, state: TopicState, target: Target) -> ScoreRange:
        """How far outside documents could move every score and difference of one topic."""
        if self.mode != "range":
            return ScoreRange.none(len(self.first))
        if target.kind == "simulated":
            return self._simulated_reach(state, target)
        counts = self.counts(self.depth(target))[:, state.topic]
        deep = max(int(target.measure.cutoff or 0), self.pooled_down_to)
        number = int(self.counts(deep)[:, state.topic].sum())
        if not number and not counts.any():
            return ScoreRange.none(len(self.first))
        known = _precision_known(state, target) if target.kind == "precision" else _gain_known(state, target)
        of_own = self._own_reach(state, target, known, counts)
        if target.ideal is None or not number:  # what a run does not retrieve does not matter, or there is nothing
            return of_own
        elsewhere = OtherRunsDocuments(self.judgments, state, target, target.ideal, self.depth(target), deep)
        return of_own.plus(*elsewhere.reach(self.first, self.second, known, number))

    def _simulated_reach(self, state: TopicState, target: Target) -> ScoreRange:
        """Effects of labels tried on a run's own outside documents, averaged over some drawn labels of the others."""
        if target.measure.is_condensed or not self.counts(self.depth(target))[list(self.runs), state.topic].any():
            return ScoreRange.none(len(self.first))
        return ScoreRange(*reach_of(state, target, self.depth(target), self.first, self.second))

    def _own_reach(self, state: TopicState, target: Target, known: dict[str, Any], counts: Whole) -> ScoreRange:
        """Range over all labels of the unpooled documents of the runs themselves."""
        number = counts[self._sides[0]] + np.append(counts, 0)[self._sides[1]]  # ALONE finds the 0
        moved = np.flatnonzero(number)
        fall, rise = found = ScoreRange.none(len(number))
        if len(moved):
            asked = [side[moved].tolist() for side in self._sides]
            core = state.model.layout.pool.whole
            look: Callable[..., Any] = core.precision_range
            if target.kind != "precision":
                look = partial(core.gain_range, **self._ideals(state, target, int(number.max())))
            ends = look(state.topic, self.judgments.buffer, *asked, depth=self.depth(target), **known)
            start, low, high = (np.asarray(end) for end in ends)
            fall[moved], rise[moved] = start - low, high - start
        return found

    def _ideals(self, state: TopicState, target: Target, most: int) -> dict[str, Any]:
        """Values of the ideal list with more and more documents; every one with a gain may enter it."""
        steps, counts = np.diff(target.gains), Counts.of(state)
        beyond = self.best_gain(target) - float(target.gains[-1])
        if beyond > 0.0:  # the best label of the collection is not among those drawn: one more step, taken by none
            steps, counts = np.append(steps, beyond), Counts(*(np.append(each, 0.0) for each in counts))
        worth = None if target.ideal is None else worths_with_more(target.ideal, counts, most)
        return {"height": steps, "worth": worth}

    def best_gain(self, target: Target) -> float:
        """The gain of the best label of the collection, sampled or not."""
        highest_label = self.judgments.top
        return max(float(target.gains[-1]), *label_gains(target.measure, [highest_label], highest_label))


def _precision_known(state: TopicState, target: Target) -> dict[str, Any]:
    """The known part of S / R: how likely each listed document is relevant, and how many are."""
    p = state.tail_chance[:, 0]
    return {"cutoff": target.depth, "p": state.model.layout.spread(state.topic, p), "relevant": float(p.sum())}


def _gain_known(state: TopicState, target: Target) -> dict[str, Any]:
    """The known part of DCG / I: discounts, expected gains of listed documents, and the divisor as it stands."""
    return {
        "table": np.ascontiguousarray(target.discounts[: target.depth]),
        "gain": state.model.layout.spread(state.topic, state.tail_chance @ np.diff(target.gains)),
        "divisor": divisor_of(target, Counts.of(state)),
    }
