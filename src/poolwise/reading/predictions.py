"""Predicted labels or probabilities: rows of topic, document and value, from a file or a table of any shape.

Lines of TREC are topic document value, those of a qrels file, or of a run, whose scores are the values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from poolwise.basics.words import counted, part_of, short
from poolwise.errors import ArgumentError, InputError
from poolwise.reading.columns import ALL, HINT, LABEL, PREDICTED, SCORE, check_columns, is_empty
from poolwise.reading.named_columns import check_somewhere
from poolwise.reading.records import RowShape, records, word
from poolwise.reading.sources import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Table = dict[str, dict[tuple[str, str], float]]  # by column the value of a topic and a document

PREDICTIONS = RowShape(
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
COSTS = replace(
    PREDICTIONS,
    value="cost",
    names=("cost", *PREDICTIONS.names),
    words={3: ("topic", "document", "cost")},
    lines="every line needs topic document cost",
    hint=HINT,
)
KNOWN = (*ALL, "run", PREDICTIONS.value, COSTS.value)  # columns that a map for all tables of a command may name


@dataclass(frozen=True)
class Renamed:
    """Predictions, what their columns are called (by our names topic, document, value), and how faults are met.

    Several columns of values, with commas between their names, are several predictors; a name that holds a comma stands
    in double quotes. `duplicates` ("error", "first") and `nan` ("error", "last") are those of `read`.
    """

    data: Any
    columns: Mapping[str, str]
    duplicates: str = "error"
    nan: str = "error"

    @property
    def values(self) -> list[str]:
        """Names of columns of values; one that has its usual name is not among them."""
        named = self.columns.get(PREDICTIONS.value)
        if named is None:
            return []
        import csv

        return [name.strip() for name in next(csv.reader([named], skipinitialspace=True)) or [named]]

    @cached_property
    def tables(self) -> list[Table]:
        """The contents of each table; read once, as it may be a pipe."""
        return [_read(replace(self, data=one)) for one in _each(self.data)]


def renamed(data: Any, columns: Mapping[str, str] | None, duplicates: str = "error", nan: str = "error") -> Any:
    """Predictions with what their columns are called and how faults are met; None without any.

    Topics and documents may have their usual names, as these are named for runs too; the value is called so in one
    table at least.
    """
    if data is None or (isinstance(data, Renamed) and not columns):
        return data
    named = {name: called for name, called in check_columns(columns, KNOWN).items() if name in PREDICTIONS.needed}
    found = Renamed(data, named, duplicates, nan)
    for value in found.values:
        check_somewhere({PREDICTIONS.value: value}, _each(data), [PREDICTIONS.value])
    return found


def renamed_costs(data: Any, columns: Mapping[str, str] | None) -> Any:
    """Costs with what their columns are called; None without any."""
    if data is None or not columns:
        return data
    named = {name: called for name, called in check_columns(columns, KNOWN).items() if name in COSTS.needed}
    if COSTS.value in named:
        check_somewhere({COSTS.value: named[COSTS.value]}, [data], [COSTS.value])
    return Renamed(data, named, nan="never")


def prediction_rows(data: Any, shape: RowShape = PREDICTIONS) -> Iterator[tuple[str, str, float]]:
    """Topic, document and value of every row; the value is NaN where there is none.

    Columns are known by their names, or by those of a `Renamed`.

    >>> list(prediction_rows({"401": {"a": 0.5}}))
    [('401', 'a', 0.5)]
    """
    nan = "error" if shape is PREDICTIONS else "never"  # ranking last is for what ranks
    for _, topic, document, values in _rows(data if isinstance(data, Renamed) else Renamed(data, {}, nan=nan), shape):
        yield topic, document, values[shape.value]


def _rows(data: Renamed, shape: RowShape) -> Iterator[tuple[str, str, str, dict[str, float]]]:
    """The place of every row, its topic, document, and values by column."""
    columns, what = dict(data.columns), "costs" if shape is COSTS else "predictions"
    others = data.values[1:]
    if data.values:
        columns[PREDICTIONS.value] = data.values[0]
    if others:
        shape = replace(shape, optional={name: (name,) for name in others})
    for row_name, cells in records(_table(data.data), shape, name=what, columns=columns):
        yield (
            row_name,
            word(cells["topic"], "topic", row_name),
            word(cells["document"], "document", row_name),
            {name: _number(cells[name], row_name, data.nan) for name in (shape.value, *others) if name in cells},
        )


def _read(data: Renamed) -> Table:
    """All values of one table; different ones of one document are refused, or the first is kept."""
    tables: Table = {}
    for row_name, topic, document, values in _rows(data, PREDICTIONS):
        for name, value in values.items():
            table = tables.setdefault(name, {})
            before = table.setdefault((topic, document), value)
            if before != before:
                table[topic, document] = value
            elif value == value != before and data.duplicates == "error":
                raise InputError(
                    f"{row_name}: document {short(document)!r} of topic {short(topic)!r} is predicted twice, as "
                    f"{before!r} and {value!r}; remove one of the two, or keep the first with --duplicates first "
                    "(duplicates='first' of read in Python)"
                )
    return {name: _ranked(table) for name, table in tables.items()}


def _ranked(table: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """The same with the lowest or highest number there is for what is infinite, as NaN is where it ranks last."""
    endless = float("inf")
    if not any(abs(value) == endless for value in table.values()):
        return table
    known = [value for value in table.values() if abs(value) < endless]
    ends = {-endless: min(known, default=0.0), endless: max(known, default=0.0)}
    return {pair: ends.get(value, value) for pair, value in table.items()}


def predicted_values(data: Any, documents: Sequence[tuple[str, str]]) -> list[list[float]]:
    """For each predictor the value of each document (topic, name); NaN where it has none.

    A list of files, mappings or data frames holds several predictors, and so may the columns of one; all else is one.
    """
    named = data if isinstance(data, Renamed) else Renamed(data, {})
    return [values for table in named.tables for values in _values(table, documents)]


def lacking(predictors: Sequence[Sequence[float]]) -> list[str]:
    """Number of pooled documents without a prediction, for each incomplete predictor.

    >>> lacking([[0.5, float("nan")]])
    ['1 of 2 pooled documents has no prediction; the model does without for these']
    """
    counts = [sum(value != value for value in values) for values in predictors]
    which = [""] if len(predictors) == 1 else [f" {number}" for number in range(1, len(predictors) + 1)]
    return [
        f"{part_of(count, len(values), 'pooled document')} no prediction{number}; the model does without for these"
        for values, count, number in zip(predictors, counts, which, strict=True)
        if count
    ]


def _each(data: Any) -> list[Any]:
    """Predictors, one after the other."""
    several = isinstance(data, (list, tuple)) and bool(data) and all(_is_table(one) for one in data)
    return list(data) if several else [data]


def _is_table(data: Any) -> bool:
    by_topic = isinstance(data, dict) and all(hasattr(value, "items") for value in data.values())  # else it is a row
    return is_path(data) or by_topic or hasattr(data, "columns")


def _values(table: Table, documents: Sequence[tuple[str, str]]) -> list[list[float]]:
    """One list for every column of values that the table has; of several tables some may lack one."""
    nothing = float("nan")
    predictors = [[values.get(pair, nothing) for pair in documents] for values in table.values() or [{}]]
    for values in predictors:
        if all(value != value for value in values):
            raise InputError(f"predictions: {_nothing(table, documents)}; rows need topic, document and value")
    return predictors


def _nothing(table: Table, documents: Sequence[tuple[str, str]]) -> str:
    """Why there is no value for any document."""
    rows = {pair for values in table.values() for pair in values}
    about = sum(pair in rows for pair in documents)
    return (
        f"{part_of(about, len(rows), 'row', 'is', 'are')} about pooled documents, and without a value"
        if about
        else f"none of {counted(len(rows), 'row')} is about a pooled document"
    )


def _table(data: Any) -> Any:
    """The data in a shape that the readers of tables know."""
    if isinstance(data, dict):
        for topic, documents in data.items():
            if not hasattr(documents, "items"):
                raise ArgumentError(
                    f"predictions: {short(repr(topic))} holds {short(repr(documents))}; give values by document by "
                    "topic, as in {'401': {'a': 0.5}}, rows as in [('401', 'a', 0.5)], a data frame, or a file"
                )
        return {topic: dict(documents) for topic, documents in data.items()}
    if is_path(data) or hasattr(data, "columns") or not hasattr(data, "__iter__"):
        return data
    return [tuple(row) if hasattr(row, "__iter__") and not isinstance(row, (str, dict)) else row for row in data]


def _number(value: Any, row_name: str, nan: str) -> float:
    """The number of a cell: NaN for an empty one; with `nan` "last", -inf for text that says NaN."""
    if is_empty(value):
        return float("nan")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        wrong = f"value {short(repr(value))} is not a number; leave the cell empty for none"
        raise InputError(f"{row_name}: {wrong}") from None
    if number - number == 0:
        return number
    if nan == "last":
        return number if number == number else -float("inf")
    other = ", or rank NaN last with --nan last (nan='last' of read in Python)" if nan == "error" else ""
    raise InputError(f"{row_name}: value {short(repr(value))} is not finite; leave the cell empty for none{other}")
