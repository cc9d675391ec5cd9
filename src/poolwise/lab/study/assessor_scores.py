"""Scores of runs by several label sets and by mixtures of assessors, and the decisions they lead to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise.basics.closeness import TIE
from poolwise.campaign.dealt_topics import deal
from poolwise.comparisons.pairs import Problem, all_pairs
from poolwise.comparisons.significance_tests import CORRECTIONS
from poolwise.comparisons.t import student
from poolwise.trust.correlation import kendall_tau, swapped_pairs, tau_ap
from poolwise.trust.overlap import rank_biased_overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.lab.study.assessors_study import AssessorsStudy

    Signs = NDArray[np.int8]

__all__ = ["PERSISTENCE", "AssessorScores", "Decided"]

PERSISTENCE = 0.9  # of rank-biased overlap


@dataclass(frozen=True)
class Decided:
    """Decisions on all pairs of runs by two label sets: 1 or -1 for a significant difference, 0 for none."""

    first: Signs
    second: Signs
    gap: Floats  # differences of means, by the second set

    @property
    def kept(self) -> int:
        """Differences that both find, in the same direction."""
        return int(((self.first != 0) & (self.first == self.second)).sum())

    @property
    def lost(self) -> int:
        """Differences that only the first finds."""
        return int(((self.first != 0) & (self.second == 0)).sum())

    @property
    def turned(self) -> int:
        """Differences that both find, in opposite directions."""
        return int((self.first * self.second < 0).sum())

    @property
    def new(self) -> int:
        """Differences that only the second finds."""
        return int(((self.first == 0) & (self.second != 0)).sum())

    @property
    def swapped(self) -> int:
        """Of the differences that the first finds, those whose runs the second orders the other way round."""
        return int((self.first * self.gap < 0).sum())

    @property
    def share(self) -> float:
        """The share of the first's differences that is kept; NaN if there are none."""
        decided = int((self.first != 0).sum())
        return self.kept / decided if decided else float("nan")


@dataclass(frozen=True)
class AssessorScores:
    """Scores by every set (sets x measures x runs x topics), and what follows from them."""

    asked: AssessorsStudy
    runs: list[str]
    scores: Floats

    @cached_property
    def means(self) -> Floats:
        """Sets x measures x runs."""
        return np.asarray(self.scores.mean(axis=-1))

    @cached_property
    def single(self) -> int:
        """How many sets are of single assessors, the judgments among them; combinations follow."""
        return len(self.asked.labels.assessors)

    @cached_property
    def names(self) -> list[str]:
        """Measures in words."""
        return [str(measure) for measure in self.asked.measures]

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """All pairs of runs."""
        return all_pairs(len(self.runs))

    def decisions(self, values: Floats) -> Signs:
        """Which pairs differ significantly by scores (runs x topics), and in which direction."""
        problem = Problem(values, *self.pairs)
        p = CORRECTIONS[self.asked.correction].run(student(problem).p)
        return np.where(p < self.asked.alpha - TIE, np.sign(problem.differences), 0).astype(np.int8)

    @cached_property
    def decided(self) -> NDArray[np.int8]:
        """Decisions by every set: sets x measures x pairs."""
        return np.array([[self.decisions(values) for values in by_measure] for by_measure in self.scores])

    def gap(self, means: Floats) -> Floats:
        """Differences of all pairs."""
        return means[..., self.pairs[0]] - means[..., self.pairs[1]]

    # Mixed sets: a topic's score depends on that topic's labels alone, so scores are dealt out, not computed again.

    @cached_property
    def dealt(self) -> NDArray[np.int64]:
        """Mixtures x topics: whose labels count."""
        return deal(self.asked.labels.able, self.asked.mixtures, np.random.default_rng(self.asked.seed))

    def mixed_scores(self, measure: int) -> Iterator[Floats]:
        """Runs x topics of every mixture."""
        topics = np.arange(self.scores.shape[-1])
        by_topic = np.moveaxis(self.scores[:, measure], 1, 2)  # sets x topics x runs
        for chosen in self.dealt:
            yield by_topic[chosen, topics].T

    @cached_property
    def mixed(self) -> list[dict[str, Floats]]:
        """For each measure what mixtures give: means (mixtures x runs) and how they agree with the judgments."""
        return [self._mixed(measure) for measure in range(len(self.names))]

    def _mixed(self, measure: int) -> dict[str, Floats]:
        means, decided = [], []
        for values in self.mixed_scores(measure):
            means.append(values.mean(axis=1))
            decided.append(Decided(self.decided[0, measure], self.decisions(values), self.gap(means[-1])))
        base, mixed = self.means[0, measure], np.array(means)
        return {
            "means": mixed,
            "tau": kendall_tau(base, mixed),
            "tau_ap": tau_ap(base, mixed),
            "rbo": rank_biased_overlap(base, mixed, PERSISTENCE, "a").extrapolated,
            "swapped_pairs": swapped_pairs(base, mixed).astype(float),
            "decisions_kept": np.array([each.share for each in decided]),
            "differences_turned": np.array([float(each.turned) for each in decided]),
            "differences_swapped": np.array([float(each.swapped) for each in decided]),
            "same_winner": (mixed.argmax(axis=1) == base.argmax()).astype(float),
        }
