"""`Scores`: runs x topics x measures, and how they were made."""

from __future__ import annotations

from poolwise.basics import settings as checks
from poolwise.errors import ArgumentError
from poolwise.measures.aggregate import finish_rows, sum_terms
from poolwise.measures.registry import aggregate_of, within_bounds
from poolwise.scores.score_rows import ScoreRows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.measures.measure import Measure
    from poolwise.scores.intervals import ScoreIntervals
    from poolwise.scores.score_notes import Unjudged


class Scores(ScoreRows):
    """Scores of runs on topics by measures; with many judgments there is an axis of samples in front.

    Attributes
    ----------
    runs, topics, measures : list of str
        Names, in the order of the arrays.
    warnings : tuple of str
        What to know before trusting the numbers.
    settings : dict
        How they were made.
    interval : Interval or None
        Lower and upper ends, if asked for.
    estimated : bool
        Whether single topics are estimates, which may lie beyond what the measure can be; means are cut to that.
    """

    estimated = False

    def __init__(
        self,
        runs: Sequence[str],
        topics: Sequence[str],
        measures: Sequence[str | Measure],
        values: Any,
        *,
        samples: int | None = None,
        counted: Any = None,
        warnings: tuple[str, ...] = (),
        settings: Mapping[str, Any] | None = None,
        interval: ScoreIntervals | None = None,
        unjudged: Unjudged | None = None,
    ) -> None:
        self.runs = list(runs)
        self.topics = list(topics)
        self.measures = [str(measure) for measure in measures]
        self.samples = samples  # None: one set of judgments
        self.warnings = warnings
        self.settings = dict(settings or {})
        self.interval = interval
        self.unjudged = unjudged  # what unjudged documents leave open; None where the pool is not known
        self.aggregates = [aggregate_of(measure) for measure in measures]  # what `all` is
        self._values = values  # a view or array of doubles: samples x measures x runs x topics
        self._counted = counted  # a view or array, runs x topics: 0 where a score is left out; None: all count

    def __getstate__(self) -> dict[str, Any]:
        """Views of the core's memory cannot be pickled or copied; arrays of the same numbers and shape can."""
        import numpy as np

        views = {name: value for name, value in self.__dict__.items() if isinstance(value, memoryview)}
        return self.__dict__ | {name: np.array(view) for name, view in views.items()}

    @classmethod
    def from_arrays(cls, runs: Sequence[str], topics: Sequence[str], arrays: Mapping[str, Any]) -> Scores:
        """Make scores from arrays.

        Parameters
        ----------
        runs, topics : sequence of str
            Names.
        arrays : mapping
            By measure an array of runs x topics; NaN marks a missing score.

        Returns
        -------
        Scores
            The scores.
        """
        import numpy as np

        if not hasattr(arrays, "items") or not arrays:
            raise ArgumentError("arrays are given by measure, as in {'AP': values}, at least one")
        runs, topics = ([str(name) for name in names] for names in (runs, topics))
        for what, names in (("run", runs), ("topic", topics)):
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise ArgumentError(f"two {what}s are called {twice!r}; every one needs a name of its own")
        values = [checks.numbers(f"scores by {measure}", values) for measure, values in arrays.items()]
        for matrix in values:
            if matrix.shape != (len(runs), len(topics)):
                raise ArgumentError(
                    f"arrays of shape {matrix.shape} do not fit runs x topics, {len(runs)} x {len(topics)}; rows are "
                    "runs"
                )
        return cls(runs, topics, list(arrays), np.ascontiguousarray(values)[None])

    @classmethod
    def from_csv(cls, path: Any, measure: str = "score") -> Scores:
        """Read a table of scores, such as `poolwise score -q` writes: CSV, TSV, JSON (lines) or Parquet, packed or not.

        It is long (columns run, measure, topic, value; topics called `all` are means and left out) or wide: topics
        are rows and runs columns. The first column of a wide one holds topic ids if its header is empty, topic, query
        or qid, or its cells are not numbers; otherwise topics are 1, 2, 3, ...

        Parameters
        ----------
        path : path
            The file.
        measure : str
            What a wide table does not say: its measure.

        Returns
        -------
        Scores
            The scores.
        """
        from poolwise.scores.read_scores import read_scores

        return cls._with_notes(*read_scores(path, measure))

    @classmethod
    def from_frame(cls, table: Any) -> Scores:
        """Make scores from a long data frame of run, topic, measure and value, as `to_frame` writes it.

        Column names of other tools are known too, such as those of `pt.Experiment(..., perquery=True)`: name, qid,
        measure, value. Without a column of measures the measure is called `score`, without one of runs the run `run`.
        Topics called `all` are means and left out.

        Parameters
        ----------
        table : data frame
            Of pandas, polars or pyarrow.

        Returns
        -------
        Scores
            The scores.

        Examples
        --------
        >>> import polars
        >>> frame = polars.DataFrame({"name": ["bm25", "bm25"], "qid": ["1", "2"], "value": [0.5, 0.25]})
        >>> Scores.from_frame(frame).means().tolist()
        [[0.375]]
        """
        from poolwise.scores.read_scores import read_frame

        return cls._with_notes(*read_frame(table))

    @classmethod
    def _with_notes(cls, read: tuple[Any, Any, Any], estimated: bool) -> Scores:
        scores = cls.from_arrays(*read)
        scores.estimated = estimated
        return scores

    def array(self, measure: str | Measure) -> NDArray[Any]:
        """Give one measure's scores.

        Parameters
        ----------
        measure : str or Measure
            Which.

        Returns
        -------
        array
            float64, runs x topics (samples x runs x topics with many judgments), yours to change; NaN where a topic is
            left out (`missing="skip"`).
        """
        import numpy as np

        values = self._all()[:, self._position(measure)].copy()
        if self._counted is not None:
            values[:, np.asarray(self._counted).reshape(values.shape[1:]) == 0] = np.nan
        return values if self.samples is not None else values[0]

    def means(self) -> NDArray[Any]:
        """Means over topics, runs x measures (samples in front, if many); counts are summed."""
        import numpy as np

        rows = np.asarray(self.mean_rows()).reshape(-1, len(self.measures), len(self.runs)).swapaxes(1, 2)
        return rows if self.samples is not None else rows[0]

    def low(self, measure: str | Measure) -> NDArray[Any]:
        """Give the lower ends of one measure's scores.

        Parameters
        ----------
        measure : str or Measure
            Which.

        Returns
        -------
        array
            Shaped as `array`; NaN where single topics have no interval.
        """
        return self._ends(self._interval().low[:, self._position(measure)])

    def high(self, measure: str | Measure) -> NDArray[Any]:
        """Give the upper ends of one measure's scores.

        Parameters
        ----------
        measure : str or Measure
            Which.

        Returns
        -------
        array
            Shaped as `array`; NaN where single topics have no interval.
        """
        return self._ends(self._interval().high[:, self._position(measure)])

    def mean_low(self) -> NDArray[Any]:
        """Lower ends of the means, runs x measures (samples in front, if many)."""
        return self._ends(self._interval().mean_low.swapaxes(1, 2))

    def mean_high(self) -> NDArray[Any]:
        """Upper ends of the means, runs x measures (samples in front, if many)."""
        return self._ends(self._interval().mean_high.swapaxes(1, 2))

    def mean_rows(self) -> list[float]:
        """Means in the order samples, measures, runs, without loading numpy."""
        sums = sum_terms(self.aggregates, self._values, self._counted, len(self.runs), len(self.topics))
        rows = finish_rows(self.aggregates, sums.tolist(), self.counted_topics())
        return within_bounds(self.measures, rows, len(self.runs)) if self.estimated else rows

    def counted_topics(self) -> list[int]:
        """How many topics each run's mean is over."""
        topics = len(self.topics)
        if self._counted is None:
            return [topics] * len(self.runs)
        return [sum(map(bool, lengths)) for lengths in self._counted.tolist()]

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
        for m, r, t, value in self._cells(per_topic):
            yield self.runs[r], self.measures[m], "all" if t is None else self.topics[t], value

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
        interval = self._interval()
        for m, r, t, value in self._cells(per_topic):
            ends = (interval.mean_low, interval.mean_high) if t is None else (interval.low, interval.high)
            low, high = (_end(end[(0, m, r) if t is None else (0, m, r, t)]) for end in ends)
            yield self.runs[r], self.measures[m], "all" if t is None else self.topics[t], value, low, high

    def _cells(self, per_topic: bool) -> Iterator[tuple[int, int, int | None, float]]:
        """Measure, run, topic (None: the mean) and value of every row."""
        if self.samples is not None:
            raise ArgumentError("rows are of one set of judgments; use array() or to_frame() for many")
        # A view gives plain numbers, one at a time; a list of all would take four times the memory.
        values = memoryview(self._values)
        counted = None if self._counted is None else memoryview(self._counted)
        means, runs, topics = self.mean_rows(), len(self.runs), len(self.topics)
        for r in range(runs):
            for m in range(len(self.measures)):
                if per_topic:
                    for t in range(topics):
                        if counted is None or counted[r, t]:
                            yield m, r, t, values[0, m, r, t]
                yield m, r, None, means[m * runs + r]

    def columns(self) -> dict[str, Any]:
        """Long columns of run, measure, topic, value (sample in front, if many); without the means.

        With an interval there are low and high too.
        """
        import numpy as np

        shape = (self.samples or 1, len(self.runs), len(self.measures), len(self.topics))
        keep = np.ones(shape, dtype=bool)
        if self._counted is not None:
            keep &= (np.asarray(self._counted).reshape(shape[1], shape[3]) != 0)[None, :, None, :]
        grid = np.indices(shape)[:, keep]
        columns: dict[str, Any] = {"sample": grid[0]} if self.samples is not None else {}
        for name, names, index in (
            ("run", self.runs, grid[1]),
            ("measure", self.measures, grid[2]),
            ("topic", self.topics, grid[3]),
        ):
            columns[name] = np.asarray(names, dtype=object)[index]
        parts = {"value": self._all()}
        if self.interval is not None:
            parts |= {"low": self.interval.low, "high": self.interval.high}
        for name, values in parts.items():
            columns[name] = values.swapaxes(1, 2)[keep]
        return columns

    @property
    def number_of_topics(self) -> int:
        """How many topics there are."""
        return len(self.topics)

    def _interval(self) -> ScoreIntervals:
        if self.interval is None:
            raise ArgumentError("these scores have no interval; score with interval='topics', or estimate")
        return self.interval

    def _ends(self, ends: NDArray[Any]) -> NDArray[Any]:
        return ends.copy() if self.samples is not None else ends[0].copy()

    def _all(self) -> NDArray[Any]:
        import numpy as np

        return np.asarray(self._values).reshape(-1, len(self.measures), len(self.runs), len(self.topics))

    def headline(self) -> str:
        """How many of everything there are."""
        from poolwise.basics.words import counted

        samples = [] if self.samples is None else [counted(self.samples, "sample")]
        of = {"run": self.runs, "topic": self.topics, "measure": self.measures}
        return " x ".join(samples + [counted(len(those), what) for what, those in of.items()])

    def overview(self) -> dict[str, Any]:
        """Means of runs by measures, the best by the first measure on top; of many samples the mean of them all."""
        size, samples = len(self.runs) * len(self.measures), self.samples or 1
        rows = self.mean_rows()
        means = [sum(rows[index::size]) / samples for index in range(size)]
        order = sorted(range(len(self.runs)), key=lambda run: (means[run] != means[run], -means[run]))  # NaN last
        columns: dict[str, Any] = {"run": [self.runs[run] for run in order]}
        for m, measure in enumerate(self.measures):
            columns[measure] = [self._shown(means[m * len(self.runs) + run], m, run) for run in order]
        return columns

    def _shown(self, mean: float, m: int, r: int) -> str:
        if self.interval is None or self.samples is not None:
            return f"{mean:.4f}"
        return f"{mean:.4f} [{self.interval.mean_low[0, m, r]:.4f}, {self.interval.mean_high[0, m, r]:.4f}]"


def _end(value: float) -> float | None:
    return float(value) if value == value else None
