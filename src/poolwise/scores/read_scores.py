"""Scores of a file or a data frame, long (a row per run, measure and topic) or wide (topics x runs).

Files are those that `poolwise score` writes (CSV, TSV, JSON, JSON lines, Parquet), packed or not, and any table with a
header.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, cast

from poolwise.basics import settings as checks
from poolwise.basics.words import counted, part_of, unescaped_cells
from poolwise.errors import ArgumentError, InputError
from poolwise.measures.registry import aggregate_of, bounds_of, parse
from poolwise.reading.columns import RUN, SCORE, TOPIC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from poolwise.basics.arrays import Floats


class ScoresLike(Protocol):
    """The part of scores that analyses need; `poolwise.Scores` has it."""

    runs: list[str]
    topics: list[str]
    measures: list[str]

    def array(self, measure: Any) -> Any:
        """Return one measure's scores, runs x topics."""


class ScoreMatrix(NamedTuple):
    """Scores of one measure: values are runs x topics."""

    measure: str
    values: NDArray[np.float64]
    runs: tuple[str, ...]
    topics: tuple[str, ...]


def score_matrix(scores: ScoresLike | ArrayLike, measure: Any = None, complete: bool = True) -> ScoreMatrix:
    """Return the runs x topics scores of one measure; runs and topics of an array are numbered from 1.

    Unless they need not be `complete`, scores that are missing or infinite are an error.

    >>> score_matrix([[0.1, 0.2], [0.3, 0.4]]).runs
    ('1', '2')
    """
    if hasattr(scores, "array") and hasattr(scores, "measures"):
        held = cast("ScoresLike", scores)
        measure = measure_of(held, measure)
        _check_mean(measure)
        array = _numbers(held.array(measure))
        runs, topics = tuple(held.runs), tuple(held.topics)
    else:
        array = _numbers(scores)
        runs, topics = (_numbered_names(size) for size in (*array.shape, 0, 0)[:2])
    matrix = ScoreMatrix("score" if measure is None else str(measure), array, runs, topics)
    _check(matrix, complete)
    return matrix


def means_of(scores: ScoresLike | ArrayLike, matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Means of runs; of estimates, whose topics may lie beyond what the measure can be, cut to that."""
    import numpy as np

    means: NDArray[np.float64] = matrix.values.mean(axis=1)
    return np.clip(means, *bounds_of(matrix.measure)) if getattr(scores, "estimated", False) else means


def measure_of(scores: ScoresLike, measure: Any = None) -> str:
    """Return the name under which the measure asked for is held, or the only one there is."""
    held = list(scores.measures)
    if measure is None:
        if len(held) != 1:
            raise ArgumentError(f"the scores hold {len(held)} measures ({', '.join(held)}); name one of them")
        return held[0]
    if str(measure) in held:
        return str(measure)
    canonical = str(parse(measure))
    column = canonical if canonical in held else next((name for name in held if _canonical(name) == canonical), None)
    if column is None:
        raise ArgumentError(f"{measure} was not scored; the measures are {', '.join(held)}")
    return column


def _canonical(name: str) -> str:
    """Our own name of a measure, as of `map`; files may hold names that are none."""
    try:
        return str(parse(name))
    except ArgumentError:
        return name


def _check_mean(measure: str) -> None:
    """Analyses take the mean of scores for what a run is worth."""
    aggregate = aggregate_of(measure)
    if not aggregate.plain:
        raise ArgumentError(
            f"{measure} is a {aggregate.name} over topics, but what is asked for rests on arithmetic means; use the "
            "measure whose scores it puts together, such as AP for GMAP"
        )


def _numbers(values: Any) -> NDArray[np.float64]:
    import numpy as np

    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        kind = type(values).__name__
        raise ArgumentError(f"scores must be numbers in runs x topics, found {kind}") from error


def _numbered_names(size: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, size + 1))


def _check(matrix: ScoreMatrix, complete: bool) -> None:
    import numpy as np

    array = matrix.values
    if array.ndim != 2:
        raise ArgumentError(f"scores must be runs x topics, found an array of {array.ndim} dimensions")
    wrong = ~np.isfinite(array)
    if complete and wrong.any():
        run, topic = (int(index) for index in np.argwhere(wrong)[0])
        raise InputError(
            f"{matrix.measure}: {part_of(wrong.sum(), wrong.size, 'score', 'is', 'are')} missing or infinite, the "
            f"first is run {matrix.runs[run]} on topic {matrix.topics[topic]}; every run needs a score on every topic"
        )


if TYPE_CHECKING:
    Read = tuple[list[str], list[str], dict[str, Floats]]  # runs, topics, and per measure runs x topics
if TYPE_CHECKING:
    Told = tuple[Read, bool]  # and whether they are estimates
MEASURE = ("measure",)
LONG = {"run": RUN, "measure": MEASURE, "topic": TOPIC, "value": SCORE}  # columns of the long form, by any name
OF_ESTIMATES = ("plain_low", "plain_high")  # columns that estimates have beside their values
DEFAULTS = {"run": "run", "measure": "score"}  # of columns that a long table lacks
TOPIC_HEADERS = ("", "topic", "query", "qid")
MISSING = ("", "NA", "NaN", "nan")


def read_frame(table: Any) -> Told:
    """Read a long data frame of scores; NaN stands where a run has none."""
    from poolwise.reading.tables import columns_of

    if isinstance(table, (dict, list, tuple)) or not hasattr(table, "columns"):
        kind = type(table).__name__
        raise ArgumentError(f"{kind} is no data frame; Scores.from_csv reads files, Scores.from_arrays takes arrays")
    columns = columns_of(
        table, {key: LONG[key] for key in ("topic", "value")}, {"run": RUN, "measure": MEASURE}, "scores"
    )
    header = table.column_names if hasattr(table, "column_names") else table.columns
    return _from_long(columns, "scores"), _of_estimates(header)


def read_scores(path: Any, measure: str = "score") -> Told:
    """Read a file of scores; the measure of a wide table, which does not say it, gets this name."""
    header, rows, where = _table(path)
    indices = {key: index for key, names in LONG.items() if (index := _index(header, names)) is not None}
    if "topic" in indices and "value" in indices and len(indices) > 2:
        columns: dict[str, list[Any]] = {key: [row[index] for row in rows] for key, index in indices.items()}
        columns["value"] = [_score(cell, where, number) for number, cell in enumerate(columns["value"], 2)]
        return _from_long(columns, where), _of_estimates(header)
    return _from_wide(header, rows, measure, where), False


def _table(path: Any) -> tuple[list[str], list[Sequence[Any]], str]:
    """Header and rows of a file of any kind, and how to call it."""
    from poolwise.reading.opening import opened, pieces
    from poolwise.reading.sources import qrels_source

    source = qrels_source(checks.path(path))
    with opened(source, "stream") as (file, kind):
        if kind == "parquet":
            from poolwise.reading.tables import read_parquet

            columns = read_parquet(file, source.where).to_pydict()
            return list(columns), list(zip(*columns.values(), strict=True)), source.where
        data = b"".join(piece for piece, _ in pieces(file))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source.where}: cannot be read as text ({error}); save the table as UTF-8") from error
    header, rows = _objects(text, source.where) if text.lstrip()[:1] in ("[", "{") else _cells(text, source.where)
    return header, rows, source.where


def _cells(text: str, where: str) -> tuple[list[str], list[Sequence[Any]]]:
    """A table of lines, its cells between commas or tabs."""
    import csv
    import io

    first = text.partition("\n")[0]
    try:
        table = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in first else ",")
        lines = [unescaped_cells(row) for row in table if row]
    except csv.Error as error:
        raise InputError(f"{where}: cannot be read as CSV ({error}); topics are rows, runs are columns") from error
    if len(lines) < 2:
        raise InputError(f"{where}: a header of run names and at least one line of scores are needed")
    header, *body = lines
    if len(header) == 1 and len(header[0].split()) > 2:
        raise InputError(
            f"{where}: no table of scores: its columns stand between commas or tabs; judgments need runs beside them"
        )
    for number, row in enumerate(body, 2):
        if len(row) != len(header):
            raise InputError(f"{where}:{number}: {counted(len(row), 'cell')} found; the header has {len(header)}")
    return [name.strip() for name in header], list(body)


def _objects(text: str, where: str) -> tuple[list[str], list[Sequence[Any]]]:
    """A list of objects with the same names in each, or one object a line."""
    from poolwise.reading.columns import json_value

    try:
        whole = text.lstrip().startswith("[")
        objects = json_value(text) if whole else [json_value(line) for line in text.split("\n") if line.strip()]
        if not isinstance(objects[0], dict) or not objects[0]:
            raise TypeError("the first value is no object with names")
        header = list(objects[0])
        return header, [[each[name] for name in header] for each in objects]
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise InputError(
            f"{where}: cannot be read as JSON ({error}); a list of objects with run, measure, topic and value is needed"
        ) from error


def _from_long(columns: Mapping[str, Sequence[Any]], where: str) -> Read:
    """One row per run, measure and topic; topics called `all` are means and left out."""
    import numpy as np

    names = {key: list(map(str, columns.get(key) or [DEFAULTS[key]] * len(columns["topic"]))) for key in DEFAULTS}
    topics = list(map(str, columns["topic"]))
    rows = {
        (measure, run, topic): (number, value)
        for number, (measure, run, topic, value) in enumerate(
            zip(names["measure"], names["run"], topics, columns["value"], strict=True), 2
        )
        if topic != "all"
    }
    if not rows:
        raise InputError(f"{where}: only means were found (topic all); write single topics too: poolwise score -q")
    if len(rows) < len(topics) - topics.count("all"):
        raise InputError(f"{where}: a run has two scores on one topic by one measure; remove one of them")
    measures, runs, listed = (_numbered(key[index] for key in rows) for index in range(3))
    arrays = {measure: np.full((len(runs), len(listed)), np.nan) for measure in measures}
    for (measure, run, topic), (number, value) in rows.items():
        try:
            arrays[measure][runs[run], listed[topic]] = value
        except (ValueError, TypeError):
            arrays[measure][runs[run], listed[topic]] = _score(value, where, number)
    return list(runs), list(listed), arrays


def _from_wide(header: Sequence[str], rows: Sequence[Sequence[Any]], measure: str, where: str) -> Read:
    """Topics are rows and runs columns; the first column holds topics if its header or cells say so."""
    import numpy as np

    has_topics = header[0].lower() in TOPIC_HEADERS or not all(_is_score(row[0]) for row in rows)
    first = 1 if has_topics else 0
    topics = [str(row[0]) for row in rows] if has_topics else [str(number) for number in range(1, len(rows) + 1)]
    runs = list(header[first:])
    if not runs:
        raise InputError(f"{where}: one column found, of topics; columns of scores are needed, one for each run")
    values = [[_score(cell, where, number) for cell in row[first:]] for number, row in enumerate(rows, 2)]
    for names, what in ((runs, "columns"), (topics, "topics")):
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{where}: two {what} are called {twice!r}; rename one of them")
    return runs, topics, {measure: np.array(values, dtype=float).reshape(len(topics), len(runs)).T}


def _of_estimates(header: Iterable[str]) -> bool:
    names = set(header)
    return all(name in names for name in OF_ESTIMATES)


def _index(header: Sequence[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _is_score(cell: Any) -> bool:
    try:
        float(cell)
    except (ValueError, TypeError):
        return cell is None or str(cell).strip() in MISSING
    return True


def _score(cell: Any, where: str, number: int) -> float:
    if cell is None or str(cell).strip() in MISSING:
        return float("nan")
    try:
        return float(cell)
    except (ValueError, TypeError):
        raise InputError(f"{where}:{number}: score {cell!r} is not a number; leave a missing one empty") from None
