"""Predicted labels or probabilities: rows of topic, document and value, from a file or a table of any shape.

Lines of TREC are topic document value, those of a qrels file, or of a run, whose scores are the values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from poolwise.errors import InputError
from poolwise.read.column_names import ALL, HINT, LABEL, PREDICTED, SCORE, check_columns
from poolwise.read.given_columns import check_somewhere
from poolwise.read.problems import short
from poolwise.read.records import Shape, is_empty, records, word
from poolwise.read.sources import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

PREDICTIONS = Shape(
    value="value",
    names=(*PREDICTED, *(name for name in (*SCORE, *LABEL) if name not in PREDICTED)),
    words={
        3: ("topic", "document", "value"),
        4: ("topic", "round", "document", "value"),
        6: ("topic", "Q0", "document", "rank", "value", "run"),
    },
    lines="every line needs topic document value, or is one of a qrels file or a run",
    hint=f"{HINT}; of several value=A,B",
    one_of_several=True,
)
KNOWN = (*ALL, "run", PREDICTIONS.value)  # columns that a map for all tables of a command may name
COSTS = replace(
    PREDICTIONS,
    names=("cost", *PREDICTIONS.names),
    words={3: ("topic", "document", "value")},
    lines="every line needs topic document cost",
    hint=HINT,
)


@dataclass(frozen=True)
class Renamed:
    """Predictions whose columns are called otherwise: by our names (topic, document, value) theirs.

    Several columns of values, with commas between their names, are several predictors.
    """

    given: Any
    columns: Mapping[str, str]

    @property
    def values(self) -> list[str]:
        """What columns of values are called; one that has its usual name is not named here."""
        named = self.columns.get(PREDICTIONS.value)
        return [] if named is None else [name.strip() for name in named.split(",")]


def renamed(given: Any, columns: Mapping[str, str] | None) -> Any:
    """Predictions with what their columns are called; as they are without.

    Topics and documents may have their usual names, as these are named for runs too; the value is called so in one
    table at least.
    """
    if given is None or not columns:
        return given
    own = {name: said for name, said in check_columns(columns, KNOWN).items() if name in PREDICTIONS.needed}
    found = Renamed(given, own)
    for value in found.values:
        check_somewhere({PREDICTIONS.value: value}, _each(given), [PREDICTIONS.value])
    return found


def prediction_rows(given: Any, shape: Shape = PREDICTIONS) -> Iterator[tuple[str, str, float]]:
    """Topic, document and value of every row; the value is NaN where there is none.

    Columns are known by their names, or by those of a `Renamed`.

    >>> list(prediction_rows({"401": {"a": 0.5}}))
    [('401', 'a', 0.5)]
    """
    for topic, document, values in _rows(given if isinstance(given, Renamed) else Renamed(given, {}), shape):
        yield topic, document, values[shape.value]


def _rows(given: Renamed, shape: Shape) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Topic, document and the values of every row by column; a table is read once, as a pipe can be."""
    others, columns = given.values[1:], dict(given.columns)
    if others:
        columns[PREDICTIONS.value] = given.values[0]
        shape = replace(shape, optional={name: (name,) for name in others})
    for place, cells in records(_table(given.given), shape, name="predictions", columns=columns):
        yield (
            word(cells["topic"], "topic", place),
            word(cells["document"], "document", place),
            {name: _number(cells[name], place) for name in (shape.value, *others) if name in cells},
        )


def predicted_values(given: Any, documents: Sequence[tuple[str, str]]) -> list[list[float]]:
    """For each predictor the value of each document (topic, name); NaN where it has none.

    A list of files, mappings or data frames holds several predictors, and so may the columns of one; all else is one.
    """
    named = given if isinstance(given, Renamed) else Renamed(given, {})
    return [values for one in _each(named.given) for values in _values(Renamed(one, named.columns), documents)]


def _each(given: Any) -> list[Any]:
    """Predictors, one after the other."""
    several = isinstance(given, (list, tuple)) and bool(given) and all(_is_table(one) for one in given)
    return list(given) if several else [given]


def _is_table(given: Any) -> bool:
    return is_path(given) or isinstance(given, dict) or hasattr(given, "columns")


def _values(given: Renamed, documents: Sequence[tuple[str, str]]) -> list[list[float]]:
    """One list for every column of values that the table has; of several tables some may lack one."""
    table = {(topic, document): values for topic, document, values in _rows(given, PREDICTIONS)}
    there = dict.fromkeys(name for values in table.values() for name in values) or [PREDICTIONS.value]
    nothing = float("nan")
    predictors = [[table.get(pair, {}).get(name, nothing) for pair in documents] for name in there]
    for values in predictors:
        if all(value != value for value in values):
            raise InputError(f"predictions: {_nothing(table, documents)}; rows need topic, document and value")
    return predictors


def _nothing(table: Mapping[tuple[str, str], dict[str, float]], documents: Sequence[tuple[str, str]]) -> str:
    """Why there is no value for any document."""
    about = sum(pair in table for pair in documents)
    return (
        f"{about} of {len(table)} rows are about pooled documents, and all of these are empty"
        if about
        else f"none of {len(table)} rows is about a pooled document"
    )


def _table(given: Any) -> Any:
    """What holds rows or documents, as the readers of tables know it."""
    if isinstance(given, dict):
        return {topic: dict(documents) for topic, documents in given.items()}
    if is_path(given) or hasattr(given, "columns") or not hasattr(given, "__iter__"):
        return given
    return [tuple(row) for row in given]


def _number(value: Any, place: str) -> float:
    if is_empty(value):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        wrong = f"value {short(repr(value))} is not a number; leave the cell empty for none"
        raise InputError(f"{place}: {wrong}") from None
