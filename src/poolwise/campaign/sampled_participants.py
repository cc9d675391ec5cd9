"""Facts for participants while a sample of the pool is judged: estimates with intervals instead of plain scores.

What only complete labels tell, such as how many relevant documents a run alone found, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from poolwise.basics.words import counted
from poolwise.campaign.participants import Participants
from poolwise.comparisons.compare_runs import compare
from poolwise.estimates.estimates_shown import estimate_columns, first_words, level_of, method_words
from poolwise.measures.registry import bounds_of
from poolwise.pool.coverage import sample_words
from poolwise.show.figures import run_intervals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from poolwise.basics.arrays import Floats
    from poolwise.campaign.campaign import Campaign
    from poolwise.campaign.participants import Whole
    from poolwise.comparisons.comparison import Comparison
    from poolwise.estimates.estimates import Estimate
    from poolwise.measures.measure import Measure
    from poolwise.show.parts import Figure

__all__ = ["SampledParticipants", "estimated"]

OF_TOPICS = (
    "Estimates of single topics rest on few labels each. They are noisy, have no intervals, are cut to what scores can "
    "be, and rank no runs."
)


def estimated(
    pool: Campaign, measures: Sequence[str | Measure], depth: int, threads: int | None = None
) -> SampledParticipants:
    """Estimate what the pages show, differences of all pairs by the first measure included."""
    first = pool.estimate(measures[0], difference="all", threads=threads)
    every = pool.estimate(*measures, threads=threads)
    return SampledParticipants(pool, every, depth, threads, first)


@dataclass(frozen=True)
class SampledParticipants(Participants):
    """The same campaign by estimates; `pairs` are those of the first measure, with differences."""

    scores: Estimate
    pairs: Estimate | None = None
    noisy: ClassVar[bool] = True

    @cached_property
    def values(self) -> Floats:
        """Runs x topics, cut to what the measure can be."""
        return self._cut(self.measure)

    def _cut(self, measure: str) -> Floats:
        return np.clip(np.asarray(self.scores.array(measure)), *bounds_of(measure))

    @cached_property
    def means(self) -> Floats:
        """Estimates by the first measure."""
        return np.asarray(self.scores.means())[:, 0]

    @cached_property
    def order(self) -> list[int]:
        """Runs from best to worst, as the page of estimates has them."""
        return [self.pool.runs.index(run) for run in self.scores.order(self.measure)]

    @cached_property
    def ranks(self) -> Whole:
        """Places in that order."""
        return 1 + np.argsort(self.order)

    @cached_property
    def comparison(self) -> Comparison | None:
        """Every pair, tested by what the sample says of these topics; None if there is one run alone."""
        if self.pairs is None or len(self.pool.runs) < 2:
            return None
        return compare(self.pairs, self.measure, test="judgments", threads=self.threads)

    def doubts_of(self, run: int) -> list[str]:
        """Nothing: unjudged documents are part of the interval."""
        return []

    def topic_doubts(self, topic: int) -> list[str]:
        """The same."""
        return []

    def run_columns(self) -> dict[str, list[Any]]:
        """One row per run, best first, with the interval of the first measure."""
        _, columns = estimate_columns(self.scores, self.measure)
        means = np.asarray(self.scores.means())[self.order]
        others = {name: means[:, index].tolist() for index, name in enumerate(self.scores.measures) if index}
        ties = {"ties": [self.ties[run] for run in self.order]}
        return {"rank": self.ranks[self.order].tolist(), **columns, **others, **self.verdicts(), **ties}

    def topic_columns(self) -> dict[str, list[Any]]:
        """One row per topic."""
        return {"topic": list(self.pool.topics), "median": np.median(self.values, axis=0).tolist()}

    def topics_of(self, run: int) -> dict[str, list[Any]]:
        """One row per topic of a run."""
        return {
            "topic": list(self.pool.topics),
            self.measure: self.values[run].tolist(),
            "median": np.median(self.values, axis=0).tolist(),
            **{measure: self._cut(measure)[run].tolist() for measure in self.others},
        }

    def runs_of(self, topic: int) -> dict[str, list[Any]]:
        """One row per run of a topic, in the order of all topics."""
        return {
            "run": [self.pool.runs[run] for run in self.order],
            **{measure: self._cut(measure)[self.order, topic].tolist() for measure in self.scores.measures},
        }

    def of_run_note(self) -> str:
        """Explain the columns of a run's topics."""
        return f"{OF_TOPICS} Median: of all runs on the topic."

    def of_topic_note(self) -> str:
        """Explain the order of a topic's runs."""
        return f"{OF_TOPICS} Runs are in their order over all topics."

    def index_words(self) -> list[str]:
        """How large the sample is, what it says of the best, and which runs differ."""
        words = sample_words(self.pool.judgments)
        return [
            f"{counted(len(self.pool.runs), 'run')} on {counted(len(self.pool.topics), 'topic')}. "
            f"{words[:1].upper()}{words[1:]}: all scores "
            "are estimates of what the whole pool would give. Every run and every topic has a page of its own.",
            first_words(self.measure, estimate_columns(self.scores, self.measure)[1], hint=False),
            *([] if self.comparison is None else [self.comparison.conclusion]),
        ]

    def index_note(self) -> str:
        """Explain the columns of the index."""
        return (
            f"Low and high: the {level_of(self.scores)} interval of {self.measure}. Better and worse than: how many "
            f"runs it differs from by {self.measure}."
        )

    def topics_note(self) -> str:
        """The sentence of the index about its topics."""
        return f"{super().topics_note()} {OF_TOPICS}"

    def methods(self) -> list[str]:
        """Estimates, then the comparison."""
        return [method_words(self.scores), *super().methods()]

    def run_words(self, run: int) -> list[str]:
        """Where a run stands, with its interval."""
        low, high = (float(np.asarray(end)[run, 0]) for end in (self.scores.mean_low(), self.scores.mean_high()))
        interval = "no interval" if low != low else f"{level_of(self.scores)} interval {low:.4f} to {high:.4f}"
        return [
            self._rank_words(run, f"estimated as {self.means[run]:.4f}, {interval}"),
            f"{OF_TOPICS} Lines with tied scores: {self.ties[run]}.",
            *self._against_words(run),
        ]

    def _on_topics(self, run: int) -> str:
        """Nothing: topics are too noisy."""
        return ""

    def topic_words(self, topic: int) -> list[str]:
        """Estimated scores of the runs."""
        median = float(np.median(self.values[:, topic]))
        return [f"{self.measure} is estimated as {median:.4f} for the median run. {OF_TOPICS}"]

    def means_figure(self) -> Figure:
        """Estimates with their intervals."""
        runs, columns = estimate_columns(self.scores, self.measure)
        values = (columns[self.measure], columns["low"], columns["high"])
        note = f"Bars are {level_of(self.scores)} intervals."
        return run_intervals(f"Mean {self.measure}", runs, values, f"mean {self.measure}", note=note)
