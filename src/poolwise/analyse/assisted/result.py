"""`Estimate`: means with intervals, and how they were made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from poolwise.analyse.assisted.differences import Differences
from poolwise.analyse.assisted.layout import Array
from poolwise.analyse.table import html_table
from poolwise.errors import ArgumentError
from poolwise.extras import frame
from poolwise.score.intervals import Interval
from poolwise.score.registry import parse
from poolwise.score.scores import Scores

__all__ = ["Estimate"]


@dataclass(frozen=True)
class Estimate:
    """Estimated mean scores of runs, with intervals that speak of the sampling of judgments.

    Arrays are runs x measures. `low` and `high` are NaN where no interval can be given. The pooled values use all runs
    to steady each (from ten runs on, else None): best for ranking runs, while `low` and `high` are best for one run.
    """

    runs: list[str]
    topics: list[str]
    measures: list[str]
    values: Array
    low: Array
    high: Array
    standard_error: Array
    df: Array
    pooled: Array | None
    pooled_low: Array | None
    pooled_high: Array | None
    per_topic: Array  # runs x topics x measures; single topics may leave [0, 1]
    differences: Differences | None
    warnings: tuple[str, ...]
    settings: dict[str, Any]
    method: str = "assisted"

    def means(self) -> Array:
        """Estimated means, runs x measures."""
        return self.values

    def array(self, measure: Any) -> Array:
        """Estimates of one measure, runs x topics."""
        return self.per_topic[:, :, self._position(measure)]

    def order(self, measure: Any = None) -> list[str]:
        """Runs from best to worst by a measure (the first): by the pooled values if there are any."""
        column = 0 if measure is None else self._position(measure)
        values = self.values if self.pooled is None else self.pooled
        return [self.runs[number] for number in numpy.argsort(-values[:, column], kind="stable")]

    def rows(self, per_topic: bool = False, pooled: bool = False) -> Iterator[tuple[Any, ...]]:
        """Rows of run, measure, topic, value, low, high: by run, measure, topic, then `all`, the mean.

        Pooled value, low and high follow if asked for. Single topics have a value only.
        """
        more = (self.pooled, self.pooled_low, self.pooled_high) if pooled and self.pooled is not None else ()
        tables = (self.values, self.low, self.high, *(table for table in more if table is not None))
        nothing = (float("nan"),) * (len(tables) - 1)
        for r, run in enumerate(self.runs):
            for m, measure in enumerate(self.measures):
                if per_topic:
                    for t, topic in enumerate(self.topics):
                        yield run, measure, topic, float(self.per_topic[r, t, m]), *nothing
                yield run, measure, "all", *(float(table[r, m]) for table in tables)

    def column_names(self, pooled: bool = False) -> tuple[str, ...]:
        """Names of what `rows` gives."""
        more = ("pooled", "pooled_low", "pooled_high") if pooled and self.pooled is not None else ()
        return ("run", "measure", "topic", "value", "low", "high", *more)

    def to_frame(self, backend: str = "pandas", *, per_topic: bool = False, pooled: bool = False) -> Any:
        """A long data frame of run, measure, topic ("all"), value, low, high, and pooled ones if asked for."""
        columns = zip(*self.rows(per_topic, pooled), strict=True)
        return frame(dict(zip(self.column_names(pooled), map(list, columns), strict=True)), backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        rows = [dict(zip(self.column_names(True), row, strict=True)) for row in self.rows(pooled=True)]
        return {
            "method": self.method,
            "settings": self.settings,
            "warnings": list(self.warnings),
            "estimates": rows,
            "differences": None if self.differences is None else self.differences.to_dict(),
        }

    def mean_low(self) -> Array:
        """Lower ends, runs x measures, as scores with an interval have them."""
        return self.low

    def mean_high(self) -> Array:
        """Upper ends, runs x measures, as scores with an interval have them."""
        return self.high

    def to_scores(self) -> Scores:
        """Estimates per topic as scores, with the means' intervals, for the analyses that take scores."""
        values = numpy.ascontiguousarray(numpy.moveaxis(self.per_topic, 2, 0))[None]
        none = numpy.full(values.shape, numpy.nan)
        low, high = (numpy.ascontiguousarray(ends.T)[None] for ends in (self.low, self.high))
        interval = Interval("judgments", none, none, low, high, level=self.settings["level"])
        return Scores(
            self.runs, self.topics, self.measures, values,
            warnings=self.warnings, settings=self.settings, interval=interval,
        )  # fmt: skip

    def _position(self, measure: Any) -> int:
        name = str(measure) if str(measure) in self.measures else str(parse(measure))
        if name not in self.measures:
            raise ArgumentError(f"{measure} was not estimated; the measures are {', '.join(self.measures)}")
        return self.measures.index(name)

    def __repr__(self) -> str:
        return f"<Estimate: {len(self.runs)} runs x {len(self.measures)} measures, {len(self.topics)} topics>"

    def _repr_html_(self) -> str:
        columns = zip(*self.rows(pooled=True), strict=True)
        return html_table(dict(zip(self.column_names(True), map(list, columns), strict=True)))
