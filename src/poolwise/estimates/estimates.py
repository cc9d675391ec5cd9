"""`Estimate`: scores estimated from a sample of judgments, with intervals, and how they were made.

What is estimated, and what the intervals speak of, is said at the head of docs/theory/assisted.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from poolwise.basics.extras import frame
from poolwise.basics.numbers import best_first
from poolwise.estimates.differences import Differences
from poolwise.estimates.layout import Array
from poolwise.pool.coverage import topics_in_words
from poolwise.scores.intervals import ScoreIntervals
from poolwise.scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.estimates.one_look import Looked

__all__ = ["Estimate"]

MOST_SPELLED = 3  # differences that a headline spells out
SEEN = 5e-5  # a difference of numbers with four digits that can be seen


class Estimate(Scores):
    """Estimated scores of runs. Intervals of means cover the sampling of judgments.

    These are scores like others: `means()`, `mean_low()` and `mean_high()` are runs x measures, the ends NaN where no
    interval can be given; `array(measure)` has the estimates of single topics, which are noisy, may be below 0 or above
    1 and have no interval. Means are cut to what the measure can be. The ends reach as far as documents outside the
    pool could move a score; `plain_low` and `plain_high` speak of sampling alone, and `outside` is the share of a run's
    documents down to the measure's depth that is outside (all runs x measures). `steadied`, `steadied_low` and
    `steadied_high` (runs x measures, None for fewer than ten runs) use all runs to steady each: best for ranking runs,
    while `mean_low` and `mean_high` are best for one run. `differences` holds those that were asked for. With looks
    (see `Looks`) `band_low` and `band_high` (runs x measures) hold at every look, `forecast` says how wide intervals
    will be, and `looks` has this look added; else all are None.
    """

    method = "assisted"
    estimated = True

    def __init__(
        self,
        runs: Sequence[str],
        topics: Sequence[str],
        measures: Sequence[str],
        per_topic: Array,  # measures x runs x topics
        ends: tuple[Array, Array, Array],  # value, low, high, each runs x measures
        *,
        plain: tuple[Array, Array],
        outside: Array,
        standard_error: Array,
        df: Array,
        steadied: tuple[Array, Array, Array] | None,
        differences: Differences | None,
        looked: Looked | None = None,
        warnings: tuple[str, ...],
        settings: dict[str, Any],
    ) -> None:
        values = np.ascontiguousarray(per_topic)[None]
        none = np.full(values.shape, np.nan)
        low, high = (np.ascontiguousarray(end.T)[None] for end in ends[1:])
        interval = ScoreIntervals("judgments", none, none, low, high, level=settings["level"])
        super().__init__(runs, topics, measures, values, warnings=warnings, settings=settings, interval=interval)
        self._means = ends[0]
        self.plain_low, self.plain_high = plain
        self.outside = outside
        self.standard_error = standard_error
        self.df = df
        three: tuple[Array | None, ...] = steadied or (None, None, None)
        self.steadied, self.steadied_low, self.steadied_high = three
        self.differences = differences
        bands: tuple[Array | None, Array | None] = (None, None) if looked is None else looked.runs
        self.band_low, self.band_high = bands
        self.forecast = None if looked is None else looked.forecast
        self.looks = None if looked is None else looked.looks

    def mean_rows(self) -> list[float]:
        """Means in the order measures, runs."""
        rows: list[float] = self._means.T.ravel().tolist()
        return rows

    def headline(self) -> str:
        """Numbers of runs, measures and topics, and of differences if wanted."""
        pairs = self.differences
        if pairs is None or not pairs.run_a:
            return super().headline()
        if len(pairs.run_a) > MOST_SPELLED:
            return f"{super().headline()}, {len(pairs.run_a)} differences"
        rows = zip(pairs.run_a, pairs.run_b, pairs.measure, *(
            column.tolist() for column in (pairs.difference, pairs.low, pairs.high)
        ), strict=True)  # fmt: skip
        sentences = [
            f"{a} - {b} by {measure}: {value:+.4f} "
            + ("(no interval)" if low != low else f"({low:+.4f} to {high:+.4f})")
            for a, b, measure, value, low, high in rows
        ]
        return f"{super().headline()}; {'; '.join(sentences)}"

    def relative_to(self) -> str:
        """Note on scores that are relative to relevant documents of the pool."""
        measures, documents = self.settings.get("relative"), self.settings.get("documents")
        if not measures:
            return ""
        verb = "is" if len(measures) == 1 else "are"
        return (
            f"{', '.join(measures)} {verb} relative to what is relevant among the {documents} pooled documents; a "
            "larger pool makes scores and their differences smaller."
        )

    def topics_in_words(self) -> str:
        """Number of topics, and of the topics from which they were drawn, in words."""
        return topics_in_words(len(self.topics), self.settings.get("topics_drawn_of"))

    def apart_from_values(self) -> str:
        """Note on measures whose shown values were clipped, so that differences do not match them, else empty."""
        if self.differences is None:
            return ""
        shown, row_of = self.means(), {run: number for number, run in enumerate(self.runs)}
        pairs = self.differences
        rows = zip(pairs.run_a, pairs.run_b, pairs.measure, pairs.difference.tolist(), strict=True)
        apart = dict.fromkeys(
            measure
            for a, b, measure, difference in rows
            if abs(shown[row_of[a], column := self.measures.index(measure)] - shown[row_of[b], column] - difference)
            >= SEEN
        )
        if not apart:
            return ""
        return (
            f"{', '.join(apart)}: values are cut to what scores can be, differences are not, so A - B need not be the "
            "difference of the two values; where runs are compared, it is the one to go by, and its interval too."
        )

    def order(self, measure: Any = None) -> list[str]:
        """Rank the runs by a measure, by the steadied values if there are any.

        Parameters
        ----------
        measure : str or Measure, optional
            Which; the first unless given.

        Returns
        -------
        list of str
            Runs from best to worst.
        """
        column = 0 if measure is None else self._position(measure)
        values = self.means() if self.steadied is None else self.steadied
        return [self.runs[number] for number in best_first(values[:, column])]

    def table_rows(self, per_topic: bool = False, steadied: bool = True) -> Iterator[tuple[Any, ...]]:
        """Go through the estimates row by row.

        Parameters
        ----------
        per_topic : bool
            Whether topics have rows, not the means alone.
        steadied : bool
            Whether rows hold the steadied values, if there are any.

        Returns
        -------
        iterator of tuple
            What `table_names` names; NaN for what there is not.
        """
        three = (self.steadied, self.steadied_low, self.steadied_high) if steadied else ()
        tables = [table for table in three if table is not None]
        if self.band_low is not None and self.band_high is not None:
            tables += [self.band_low, self.band_high]
        tables += [self.plain_low, self.plain_high, self.outside]
        more = iter(np.stack(tables, axis=2).reshape(-1, len(tables)).tolist() if tables else [])
        nothing = [float("nan")] * len(tables)
        size = len(self.topics) * per_topic + 1  # of the block of a run and measure, which ends with the mean
        for number, (*names, value, low, high) in enumerate(self.interval_rows(per_topic), 1):
            ends = (float("nan") if end is None else end for end in (low, high))
            yield *names, value, *ends, *(next(more, nothing) if number % size == 0 else nothing)

    def table_names(self, steadied: bool = True) -> tuple[str, ...]:
        """Name what `table_rows` gives.

        Parameters
        ----------
        steadied : bool
            Whether rows hold the steadied values, if there are any.

        Returns
        -------
        tuple of str
            Names of columns.
        """
        more = ("steadied", "steadied_low", "steadied_high") if steadied and self.steadied is not None else ()
        bands = () if self.band_low is None else ("band_low", "band_high")
        return (*self.column_names, *more, *bands, "plain_low", "plain_high", "outside")

    def columns(self, *, per_topic: bool = False, steadied: bool = True) -> dict[str, Any]:
        """Give long columns of run, measure, topic ("all"), value, low, high, plain_low, plain_high, outside.

        Parameters
        ----------
        per_topic : bool
            Whether topics have rows, not the means alone.
        steadied : bool
            Whether there are steadied, steadied_low and steadied_high too, from ten runs on.

        Returns
        -------
        dict
            Lists by name of column.
        """
        rows = zip(*self.table_rows(per_topic, steadied), strict=True)
        return dict(zip(self.table_names(steadied), map(list, rows), strict=True))

    def to_frame(
        self,
        backend: Literal["pandas", "polars", "pyarrow"] = "pandas",
        *,
        per_topic: bool = False,
        steadied: bool = True,
    ) -> Any:
        """Give the columns as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Whose data frame.
        per_topic : bool
            Whether topics have rows, not the means alone.
        steadied : bool
            Whether there are steadied values too, from ten runs on.

        Returns
        -------
        data frame
            The table.
        """
        return frame(self.columns(per_topic=per_topic, steadied=steadied), backend)
