"""Means of what does not fit in memory: sums per run and measure, without the scores of topics."""

from __future__ import annotations

from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import finish_rows
from poolwise.scores.score_rows import ScoreRows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from poolwise.measures.measure import Measure


class Means(ScoreRows):
    """Means of runs by measures, as rows."""

    def __init__(
        self, runs: list[str], measures: list[Measure], sums: Sequence[float], counts: list[int], topics: int
    ) -> None:
        self.runs = runs
        self.measures = [str(measure) for measure in measures]
        self.aggregates = [measure.declaration.aggregate for measure in measures]
        self.warnings: tuple[str, ...] = ()
        self.left_out: dict[str, str] = {}
        self._sums, self._counts = sums, counts  # by measure and run, and by run
        self._topics = topics

    @property
    def number_of_topics(self) -> int:
        """How many topics there are."""
        return self._topics

    def mean_rows(self) -> list[float]:
        """Means, or what a measure has instead, by measure, then run."""
        return finish_rows(self.aggregates, self._sums, self._counts)

    def rows(self, per_topic: bool = False) -> Iterator[tuple[str, str, str, float]]:
        """Go through the scores row by row: by run, measure, topic, then `all`, the mean.

        Parameters
        ----------
        per_topic : bool
            Whether topics have rows, not the means alone.

        Returns
        -------
        iterator of tuple
            Run, measure, topic, value.
        """
        means = self.mean_rows()
        for r, run in enumerate(self.runs):
            for m, measure in enumerate(self.measures):
                if per_topic:
                    yield from ((run, measure, topic, value) for topic, value in self.topic_rows(m, r))
                yield run, measure, "all", means[m * len(self.runs) + r]

    def columns(self) -> dict[str, Any]:
        """One row per run and measure: run, measure, topic (`all`), value."""
        return dict(zip(self.column_names, map(list, zip(*self.rows(per_topic=False), strict=True)), strict=True))

    def headline(self) -> str:
        """How many of everything there are."""
        return (
            f"means of {counted(len(self.runs), 'run')} over {counted(self.number_of_topics, 'topic')} by "
            f"{counted(len(self.measures), 'measure')}"
        )

    def topic_rows(self, measure: int, run: int) -> Iterator[tuple[str, float]]:
        """Go through the scores of topics.

        Parameters
        ----------
        measure, run : int
            Their places.

        Returns
        -------
        iterator of tuple
            Topic and score.
        """
        raise ArgumentError("scores of single topics were not kept; score with per_topic=True")
