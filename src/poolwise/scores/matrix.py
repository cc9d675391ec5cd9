"""Scores as one runs x topics array, from `Scores` or from a plain array, checked once."""

from __future__ import annotations

from typing import NamedTuple, Protocol, cast

import numpy as np

from poolwise.basics.words import part_of
from poolwise.errors import ArgumentError, InputError
from poolwise.measures.registry import aggregate_of, bounds_of, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

__all__ = ["ScoreMatrix", "ScoresLike", "means_of", "measure_of", "score_matrix"]


class ScoresLike(Protocol):
    """What the analyses need of scores; `poolwise.Scores` has it."""

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
        runs, topics = (_numbered(size) for size in (*array.shape, 0, 0)[:2])
    matrix = ScoreMatrix("score" if measure is None else str(measure), array, runs, topics)
    _check(matrix, complete)
    return matrix


def means_of(scores: ScoresLike | ArrayLike, matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Means of runs; of estimates, whose topics may lie beyond what the measure can be, cut to that."""
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
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        kind = type(values).__name__
        raise ArgumentError(f"scores must be numbers in runs x topics, found {kind}") from error


def _numbered(size: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, size + 1))


def _check(matrix: ScoreMatrix, complete: bool) -> None:
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
