"""`Scores`: runs x topics x measures, and how they were made."""

from __future__ import annotations

from poolwise import _core
from poolwise.errors import ArgumentError, InputError
from poolwise.extras import frame
from poolwise.score.registry import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.score.measure import Measure


class Scores:
    """Scores of runs on topics by measures; with many judgments there is an axis of samples in front.

    `runs`, `topics` and `measures` are lists of strings in the order of the arrays. `warnings` says what to know
    before trusting the numbers, `settings` how they were made.
    """

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
    ) -> None:
        self.runs = list(runs)
        self.topics = list(topics)
        self.measures = [str(measure) for measure in measures]
        self.samples = samples  # None: one set of judgments
        self.warnings = warnings
        self.settings = dict(settings or {})
        self.summed = [_is_summed(measure) for measure in measures]  # counts: `all` is a sum
        self._values = values  # a buffer of doubles: samples x measures x runs x topics
        self._counted = counted  # a buffer, runs x topics: 0 where a score is left out; None: all count

    @classmethod
    def from_arrays(cls, runs: Sequence[str], topics: Sequence[str], arrays: Mapping[str, Any]) -> Scores:
        """Make scores from one runs x topics array per measure; NaN marks a missing score."""
        import numpy

        values = numpy.ascontiguousarray([numpy.asarray(given, dtype=float) for given in arrays.values()])
        if values.shape != (len(arrays), len(runs), len(topics)):
            raise ArgumentError(
                f"arrays of shape {values.shape[1:]} do not fit {len(runs)} runs x {len(topics)} topics"
            )
        return cls(runs, topics, list(arrays), values[None])

    @classmethod
    def from_csv(cls, path: Any, measure: str = "score") -> Scores:
        """Read a table of topics (rows) x systems (columns); the measure is called `score`.

        The first column holds topic ids if its header is empty, topic, query or qid, or its cells are not numbers;
        otherwise topics are 1, 2, 3, ...
        """
        from poolwise.score.tables import read_table

        runs, topics, values = read_table(path)
        return cls.from_arrays(runs, topics, {measure: values})

    def array(self, measure: str | Measure) -> NDArray[Any]:
        """One measure's scores, float64, runs x topics (samples x runs x topics with many judgments)."""
        values = self._all()[:, self._position(measure)]
        return values if self.samples is not None else values[0]

    def means(self) -> NDArray[Any]:
        """Means over topics, runs x measures; measures that count are summed (samples in front, if many)."""
        import numpy

        rows = numpy.asarray(self.mean_rows()).reshape(-1, len(self.measures), len(self.runs)).swapaxes(1, 2)
        return rows if self.samples is not None else rows[0]

    def mean_rows(self) -> list[float]:
        """Means in the order samples, measures, runs, without loading numpy."""
        counts = self.counted_topics()
        sums = _core.sum_topics(self._values, self._counted, len(self.runs), len(self.topics)).tolist()
        means = []
        for row, total in enumerate(sums):
            measure, run = row // len(self.runs) % len(self.measures), row % len(self.runs)
            means.append(total if self.summed[measure] else total / counts[run] if counts[run] else 0.0)
        return means

    def counted_topics(self) -> list[int]:
        """How many topics each run's mean is over."""
        topics = len(self.topics)
        if self._counted is None:
            return [topics] * len(self.runs)
        counted = memoryview(self._counted).cast("B").cast("i")
        return [sum(map(bool, counted[run * topics : (run + 1) * topics])) for run in range(len(self.runs))]

    def rows(self, per_topic: bool = True) -> Iterator[tuple[str, str, str, float]]:
        """Rows of run, measure, topic, value: by run, measure, topic, then `all`, the mean."""
        if self.samples is not None:
            raise ArgumentError("rows are of one set of judgments; use array() or to_frame() for many")
        values = memoryview(self._values).cast("B").cast("d")
        counted = None if self._counted is None else memoryview(self._counted).cast("B").cast("i")
        means, runs, topics = self.mean_rows(), len(self.runs), len(self.topics)
        for r, run in enumerate(self.runs):
            for m, measure in enumerate(self.measures):
                if per_topic:
                    for t, topic in enumerate(self.topics):
                        if counted is None or counted[r * topics + t]:
                            yield run, measure, topic, values[(m * runs + r) * topics + t]
                yield run, measure, "all", means[m * runs + r]

    def to_frame(self, backend: str = "pandas") -> Any:
        """A long data frame of run, measure, topic, value (sample in front, if many); without the means."""
        import numpy

        shape = (self.samples or 1, len(self.runs), len(self.measures), len(self.topics))
        keep = numpy.ones(shape, dtype=bool)
        if self._counted is not None:
            keep &= (numpy.asarray(self._counted).reshape(shape[1], shape[3]) != 0)[None, :, None, :]
        grid = numpy.indices(shape)[:, keep]
        columns: dict[str, Any] = {"sample": grid[0]} if self.samples is not None else {}
        for name, names, index in (
            ("run", self.runs, grid[1]),
            ("measure", self.measures, grid[2]),
            ("topic", self.topics, grid[3]),
        ):
            columns[name] = numpy.asarray(names, dtype=object)[index]
        columns["value"] = self._all().swapaxes(1, 2)[keep]
        return frame(columns, backend)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Means by run and measure."""
        table: dict[str, dict[str, float]] = {run: {} for run in self.runs}
        for run, measure, _, value in self.rows(per_topic=False):
            table[run][measure] = value
        return table

    def to_csv(self, path: Any = None, *, per_topic: bool = False) -> str:
        """Write run,measure,topic,value; returns the text and, with a path, also writes the file."""
        from poolwise.score.tables import csv_text, write_text

        text = csv_text(("run", "measure", "topic", "value"), self.rows(per_topic))
        if path is not None:
            write_text(path, text)
        return text

    def _all(self) -> NDArray[Any]:
        import numpy

        return numpy.asarray(self._values).reshape(-1, len(self.measures), len(self.runs), len(self.topics))

    def _position(self, measure: str | Measure) -> int:
        if str(measure) in self.measures:
            return self.measures.index(str(measure))
        canonical = str(parse(measure))
        if canonical in self.measures:
            return self.measures.index(canonical)
        raise ArgumentError(f"{measure} was not scored; the measures are {', '.join(self.measures)}")

    def __repr__(self) -> str:
        samples = f"{self.samples} samples x " if self.samples is not None else ""
        return f"<Scores: {samples}{len(self.runs)} runs x {len(self.topics)} topics x {len(self.measures)} measures>"

    def _repr_html_(self) -> str:
        from poolwise.score.tables import html_table

        if self.samples is not None:
            return html_table(("scores",), [(repr(self),)])
        means = self.mean_rows()
        runs = len(self.runs)
        order = sorted(range(runs), key=lambda r: -means[r])
        rows = [(self.runs[r], *(f"{means[m * runs + r]:.4f}" for m in range(len(self.measures)))) for r in order]
        return html_table(("run", *self.measures), rows)


def _is_summed(measure: str | Measure) -> bool:
    try:
        return parse(measure).declaration.summed
    except ArgumentError:
        return False  # a column of a table that is no measure of ours


def as_scores(given: Any) -> Scores:
    """Pass scores through; say what to do with anything else."""
    if isinstance(given, Scores):
        return given
    raise InputError(f"{type(given).__name__} is not Scores; use pool.score(...) or Scores.from_csv(...)")
