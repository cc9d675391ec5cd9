"""Predicted labels or probabilities: rows of topic, document and value, from a file or a table of any shape."""

from __future__ import annotations

from poolwise.errors import InputError
from poolwise.read.column_names import LABEL, SCORE
from poolwise.read.problems import short
from poolwise.read.records import Shape, is_empty, records, word
from poolwise.read.sources import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

PREDICTIONS = Shape(
    value="value",
    names=("value", "prediction", "predicted", "probability", *SCORE, *LABEL),
    words={3: ("topic", "document", "value")},
    lines="every line needs topic document value",
)


def prediction_rows(given: Any) -> Iterator[tuple[str, str, float]]:
    """Topic, document and value of every row; the value is NaN where there is none.

    Columns of a data frame are known by their names, or else its first three are taken.

    >>> list(prediction_rows({"401": {"a": 0.5}}))
    [('401', 'a', 0.5)]
    """
    for place, cells in records(_table(given), PREDICTIONS, name="predictions", columns=_first_columns(given)):
        yield (
            word(cells["topic"], "topic", place),
            word(cells["document"], "document", place),
            _number(cells["value"], place),
        )


def predicted_values(given: Any, documents: Sequence[tuple[str, str]]) -> list[list[float]]:
    """For each predictor the value of each document (topic, name); NaN where it has none.

    A list of files, mappings or data frames holds several predictors, all else is one.
    """
    several = isinstance(given, (list, tuple)) and bool(given) and all(_is_table(one) for one in given)
    return [_values(one, documents) for one in (given if several else [given])]


def _is_table(given: Any) -> bool:
    return is_path(given) or isinstance(given, dict) or hasattr(given, "columns")


def _values(given: Any, documents: Sequence[tuple[str, str]]) -> list[float]:
    table = {(topic, document): value for topic, document, value in prediction_rows(given)}
    nothing = float("nan")
    values = [table.get(pair, nothing) for pair in documents]
    if all(value != value for value in values):
        raise InputError(
            f"predictions: none of {len(table)} rows is about a pooled document; rows need topic, document and value"
        )
    return values


def _table(given: Any) -> Any:
    """What holds rows or documents, as the readers of tables know it."""
    if isinstance(given, dict):
        return {topic: dict(documents) for topic, documents in given.items()}
    if is_path(given) or hasattr(given, "columns") or not hasattr(given, "__iter__"):
        return given
    return [tuple(row) for row in given]


def _first_columns(given: Any) -> Mapping[str, str] | None:
    """The first three columns of a data frame that does not call all three by names we know."""
    there = [] if is_path(given) else list(getattr(given, "columns", ()))
    if len(there) < 3 or all(any(name in there for name in names) for names in PREDICTIONS.needed.values()):
        return None
    return dict(zip(PREDICTIONS.needed, there, strict=False))


def _number(value: Any, place: str) -> float:
    if is_empty(value):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        wrong = f"value {short(repr(value))} is not a number; leave the cell empty for none"
        raise InputError(f"{place}: {wrong}") from None
