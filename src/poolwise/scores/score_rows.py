"""Scores as rows of run, measure, topic and value, wherever they were made: in memory, streamed, from partitions."""

from __future__ import annotations

from abc import abstractmethod

from poolwise.basics.numbers import best_first
from poolwise.basics.results import Result
from poolwise.basics.words import counted
from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import finish_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Literal

    from poolwise.measures.aggregate import Aggregate
    from poolwise.measures.measure import Measure
    from poolwise.scores.intervals import ScoreIntervals
    from poolwise.show.parts import Table

INTERVAL_KINDS = {
    "judgments": "{level} intervals over the sampling of judgments",
    "topics": "{level} intervals over topics",
    "both": "{level} intervals over topics and the sampling of judgments",
    "bounds": "the range that unjudged documents leave open",
}
# Also what no interval is asked by: the range over orders of ties.
INTERVAL_WORDS = {**INTERVAL_KINDS, "ties": "the range over orders of tied documents"}
TIES = ("id", "expected", "range")


class ScoreRows(Result):
    """Scores as rows; one inherits from it and gives `mean_rows`, `rows` and the number of topics."""

    runs: list[str]
    measures: list[str]
    aggregates: list[Aggregate]  # how each measure puts topics together
    interval: ScoreIntervals | None = None
    samples: int | None = None  # None: one set of judgments

    @property
    @abstractmethod
    def number_of_topics(self) -> int:
        """How many topics there are."""

    @abstractmethod
    def mean_rows(self) -> list[float]:
        """Means, or what a measure has instead, by measure, then run."""

    @abstractmethod
    def rows(self, per_topic: bool = True) -> Iterator[tuple[str, str, str, float]]:
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

    def interval_rows(
        self, per_topic: bool = True
    ) -> Iterator[tuple[str, str, str, float, float | None, float | None]]:
        """Go through the scores and their intervals row by row, as `rows` does.

        Parameters
        ----------
        per_topic : bool
            Whether topics have rows, not the means alone.

        Returns
        -------
        iterator of tuple
            Run, measure, topic, value, low, high; None where a value has no interval.
        """
        for row in self.rows(per_topic):
            yield *row, None, None

    def all_rows(self, per_topic: bool = True) -> Iterator[tuple[Any, ...]]:
        """Go through the rows of `column_names`, with the ends of intervals if there are any.

        Parameters
        ----------
        per_topic : bool
            Whether topics have rows, not the means alone.

        Returns
        -------
        iterator of tuple
            One per row.
        """
        return self.rows(per_topic) if self.interval is None else self.interval_rows(per_topic)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of what `all_rows` gives."""
        return ("run", "measure", "topic", "value", *(("low", "high") if self.interval is not None else ()))

    def means_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Give the means as a wide table, the best run by the first measure on top.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Whose data frame.

        Returns
        -------
        data frame
            One row per run: run, then a column per measure; ends of intervals, if any, beside it.
        """
        from poolwise.basics.extras import frame

        return frame(self.mean_columns(), backend)

    def mean_columns(self) -> dict[str, Any]:
        """The columns of `means_frame`; many samples cannot stand in one table."""
        if self.samples is not None:
            raise ArgumentError(f"these are scores by {self.samples} samples; means() has them all")
        rows, runs = self.mean_rows(), len(self.runs)
        order = best_first(rows[:runs])
        columns: dict[str, Any] = {"run": [self.runs[run] for run in order]}
        for m, measure in enumerate(self.measures):
            columns[measure] = [rows[m * runs + run] for run in order]
            if self.interval is not None:
                columns[f"{measure} low"] = self.interval.mean_low[0, m, order].tolist()
                columns[f"{measure} high"] = self.interval.mean_high[0, m, order].tolist()
        return columns

    def plot(self, measure: str | Measure | None = None) -> Any:
        """Draw the runs from best to worst by a measure, with intervals if there are.

        Parameters
        ----------
        measure : str or Measure, optional
            The first one unless given.

        Returns
        -------
        plotly.graph_objects.Figure
            A figure that a notebook shows; `write_html` and `write_image` make files of it.
        """
        from poolwise.scores.scores_shown import scores_figure
        from poolwise.show.figures import plotly_figure

        return plotly_figure(scores_figure(self, self.measures[0 if measure is None else self._position(measure)]))

    def _position(self, measure: str | Measure) -> int:
        if str(measure) in self.measures:
            return self.measures.index(str(measure))
        from poolwise.measures.registry import parse

        canonical = str(parse(measure))
        if canonical in self.measures:
            return self.measures.index(canonical)
        raise ArgumentError(f"{measure} was not scored; the measures are {', '.join(self.measures)}")

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Means by run and measure."""
        table: dict[str, dict[str, float]] = {run: {} for run in self.runs}
        for run, measure, _, value in self.rows(per_topic=False):
            table[run][measure] = value
        return table

    def to_markdown(self, digits: int = 4) -> str:
        """Give the means from best to worst, as `poolwise score` does.

        Parameters
        ----------
        digits : int
            Decimals of numbers.

        Returns
        -------
        str
            The table in Markdown; the highest mean of each measure is bold.
        """
        return super().to_markdown(digits) if self.samples is not None else self._table(digits).to_markdown()

    def to_latex(self, digits: int = 4) -> str:
        """Give the same table as a LaTeX tabular.

        Parameters
        ----------
        digits : int
            Decimals of numbers.

        Returns
        -------
        str
            The table; the highest mean of each measure is bold.
        """
        return super().to_latex(digits) if self.samples is not None else self._table(digits).to_latex()

    def _table(self, digits: int) -> Table:
        from poolwise.basics.settings import whole
        from poolwise.scores.scores_shown import scores_table

        return scores_table(self, digits=whole("digits", digits))

    def to_csv(self, path: Any = None, *, per_topic: bool = False) -> str:
        """Write the scores as CSV: run, measure, topic, value (and low, high).

        Parameters
        ----------
        path : path, optional
            A file to write, too.
        per_topic : bool
            Whether topics have rows, not the means alone.

        Returns
        -------
        str
            The text.
        """
        from poolwise.basics.rows import csv_lines

        return self._written("".join(csv_lines(self.column_names, self.all_rows(per_topic))), path)

    def to_json(self, path: Any = None, *, per_topic: bool = False) -> str:
        """Write the scores as JSON: one object per row, with the columns of `to_csv`.

        Parameters
        ----------
        path : path, optional
            A file to write, too.
        per_topic : bool
            Whether topics have rows, not the means alone.

        Returns
        -------
        str
            The text.
        """
        from poolwise.basics.rows import json_lines

        return self._written("".join(json_lines(self.column_names, self.all_rows(per_topic))), path)

    def to_parquet(self, path: Any = None, *, per_topic: bool = False) -> bytes:
        """Write the columns of `to_csv` as Parquet.

        Parameters
        ----------
        path : path, optional
            A file to write, too.
        per_topic : bool
            Whether topics have rows, not the means alone.

        Returns
        -------
        bytes
            The file's content.
        """
        from poolwise.basics.rows import parquet_pieces

        return self._written(b"".join(parquet_pieces(self.column_names, self.all_rows(per_topic))), path)

    @staticmethod
    def _written(data: Any, path: Any) -> Any:
        if path is not None:
            from poolwise.basics.writing import write_bytes

            write_bytes(path, data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))
        return data


def number_text(value: float | None, whole: bool = False, digits: int = 4, width: int = 0) -> str:
    """A score as people are shown it; counts are whole numbers.

    >>> number_text(0.25), number_text(12.0, whole=True), number_text(None)
    ('0.2500', '12', '-')
    """
    if value is None:
        return "-"
    return f"{value:.0f}" if whole else f"{value:{width}.{digits}f}"


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
        """Numbers of runs, measures and topics."""
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
