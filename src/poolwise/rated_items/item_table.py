"""`ItemTable`: items with scores and predictions, read from a table of any format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.basics.words import short
from poolwise.errors import ArgumentError, InputError
from poolwise.reading.columns import check_columns, is_empty, places_of
from poolwise.reading.named_columns import named_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.reading.named_columns import NamedColumns

__all__ = ["KNOWN", "ItemTable", "item_table"]

KNOWN = {
    "item": ("item", "item_id", "id", "question_id", "question", "topic", "query_id", "qid", "query"),
    "system": ("system", "run", "run_id"),
    "score": ("score", "label", "rating", "grade", "human", "human_score", "value"),
    "stratum": ("stratum",),
    "round": ("round",),
    "rate": ("rate",),
}
PREDICTION = (
    "prediction", "predicted", "judge", "judge_score", "llm", "llm_score", "model", "model_score", "probability",
)  # fmt: skip
ALSO_SYSTEM = ("model", "variant", "version", "pipeline", "method", "arm")  # systems, if they hold names, not numbers
# Words that are taken for the numbers 1 and 0.
TRUTHS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}


@dataclass(frozen=True, eq=False)
class ItemTable:
    """One row per item, or per system and item.

    `score` is NaN where there is none. `predictions` has a column per predictor, and one more that marks what it lacks.
    `stratum` is what labels were drawn from, `rate` how likely an item was to be drawn where that is known, `round` in
    which round it was drawn (0: not), if a plan says so.
    """

    source: NamedColumns
    item: list[str]
    system: list[str]
    score: Floats
    predictions: Floats
    predictors: tuple[str, ...]
    group: list[str]
    stratum: list[str]
    rate: Floats
    round: NDArray[np.int64] | None
    has_scores: bool  # whether a column holds scores, be it empty

    def __len__(self) -> int:
        return len(self.item)

    @property
    def systems(self) -> list[str]:
        """Names of systems in the order they come up. One without a name if there is no such column."""
        return list(dict.fromkeys(self.system))


def item_table(
    source: Any,
    *,
    predictions: str | Sequence[str] | None = None,
    by: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> ItemTable:
    """Read items. A system may have an item only once.

    >>> rows = [{"item": "a", "score": 1, "prediction": 0.9}, {"item": "b", "score": None, "prediction": 0.2}]
    >>> table = item_table(rows)
    >>> table.score.tolist(), table.predictions.tolist()
    ([1.0, nan], [[0.9], [0.2]])
    """
    table = named_columns(source, "items")
    given_names = check_columns(columns, (*KNOWN, "prediction"))
    for name in given_names.values():
        _column(table, name)
    wanted = given_names.pop("prediction", None) if predictions is None else _names_of(predictions)
    names = {**KNOWN, **{name: (column,) for name, column in given_names.items() if name in KNOWN}}
    column_of = {name: list(table.columns)[at] for name, at in places_of(list(table.columns), names).items()}
    if "item" in column_of and "system" not in column_of:
        column_of |= _system_by_names(
            table, [*column_of.values(), *([wanted] if isinstance(wanted, str) else wanted or ())]
        )
    predictors = _predictors(table, wanted, (column_of.get("system"), column_of.get("score")))
    if "score" in column_of and column_of["score"] in predictors:
        raise ArgumentError(
            f"{table.where}: column {column_of['score']!r} holds the scores, which predict themselves; name another "
            "column of predictions, or of scores (--columns score=...)"
        )
    rows = range(len(table))
    system = _texts(table, column_of.get("system"), "system") or [""] * len(table)
    item = _texts(table, column_of.get("item"), "item")
    if not item and "system" in column_of:
        raise InputError(f"{table.where}: systems are named, items are not; a column item says which rows are of one")
    # Without names every row is an item of its own.
    item = item or [str(row + 1) for row in rows]
    _refuse_twice(table, item, system, column_of)
    return ItemTable(
        table, item, system, _numbers(table, column_of.get("score")), _predicted(table, predictors), predictors,
        _texts(table, _column(table, by), by) if by else [""] * len(table),
        _texts(table, column_of.get("stratum"), "stratum") or [""] * len(table),
        _rates(table, column_of.get("rate")), _rounds(table, column_of.get("round")), "score" in column_of,
    )  # fmt: skip


def _names_of(predictions: Any) -> str | list[str]:
    """The names of columns of predictions, whose values stand in the table."""
    names = [predictions] if isinstance(predictions, str) or not hasattr(predictions, "__iter__") else list(predictions)
    if not all(isinstance(name, str) for name in names):
        raise ArgumentError("predictions names columns of the table, such as 'prediction'; put values into the table")
    return predictions if isinstance(predictions, str) else names


def _system_by_names(table: NamedColumns, taken: Sequence[str]) -> dict[str, str]:
    """The column of systems: it has a usual name, holds names, and has no other role."""
    free = [name for name in table.columns if name not in taken]
    for index in places_of(free, {word: (word,) for word in ALSO_SYSTEM}).values():
        cells = [value for value in table.columns[free[index]] if not is_empty(value)]
        if len(cells) == len(table) and not any(_is_number(value) for value in cells):
            return {"system": free[index]}
    return {}


def _is_number(value: Any) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError):
        return str(value).strip().lower() in TRUTHS


def _predictors(
    table: NamedColumns, wanted: str | Sequence[str] | None, taken: Sequence[str | None]
) -> tuple[str, ...]:
    """Columns of predictions: the named ones, or the first with a usual name, numbers, and no other role."""
    if wanted is None:
        free = [name for name in table.columns if name not in taken and _holds_digits(table.columns[name])]
        return tuple(free[index] for index in places_of(free, {"prediction": PREDICTION}).values())
    return tuple(_column(table, name) for name in ([wanted] if isinstance(wanted, str) else wanted))


def _holds_digits(cells: Sequence[Any]) -> bool:
    """Whether any cell contains a digit."""
    return any(str(cell).strip().lower() in TRUTHS or any(map(str.isdigit, str(cell))) for cell in cells)


def _column(table: NamedColumns, name: str) -> str:
    if name not in table.columns:
        raise ArgumentError(f"{table.where}: no column is called {name!r}; found {short(', '.join(table.columns))}")
    return name


def _texts(table: NamedColumns, name: str | None, kind: str) -> list[str]:
    if name is None:
        return []
    for row, value in enumerate(table.columns[name]):
        if is_empty(value):
            raise InputError(f"{table.row_name(row)}: there is no {kind}; every row needs one")
    return [str(value) for value in table.columns[name]]


def _numbers(table: NamedColumns, name: str | None) -> Floats:
    if name is None:
        return np.full(len(table), np.nan)
    return np.array([_number(table, name, row) for row in range(len(table))], dtype=float)


def _number(table: NamedColumns, name: str, row: int) -> float:
    value = table.columns[name][row]
    if is_empty(value):
        return float("nan")
    try:
        number = TRUTHS.get(str(value).strip().lower())
        number = float(value) if number is None else number
    except (TypeError, ValueError):
        number = float("inf")
    if not np.isfinite(number):
        wrong = f"{name} {short(repr(value))} is not a number; leave the cell empty for none"
        raise InputError(f"{table.row_name(row)}: {wrong}")
    return number


def _predicted(table: NamedColumns, names: Sequence[str]) -> Floats:
    """Predictions with missing ones at the mean, and indicators of missing ones."""
    columns = []
    for name in names:
        values = _numbers(table, name)
        missing = np.isnan(values)
        if missing.all():
            raise InputError(f"{table.where}: column {name!r} holds no number; predictions are numbers")
        columns.append(np.where(missing, values[~missing].mean(), values))
        if missing.any():
            columns.append(missing.astype(float))
    return np.stack(columns, axis=1) if columns else np.zeros((len(table), 0))


def _rates(table: NamedColumns, name: str | None) -> Floats:
    rates = _numbers(table, name)
    for row in np.flatnonzero((rates <= 0) | (rates > 1)).tolist():
        raise InputError(f"{table.row_name(row)}: rate {rates[row]:g} is none; a rate is above 0 and at most 1")
    return rates


def _rounds(table: NamedColumns, name: str | None) -> NDArray[np.int64] | None:
    return None if name is None else np.nan_to_num(_numbers(table, name)).astype(np.int64)


def _refuse_twice(
    table: NamedColumns, item: Sequence[str], system: Sequence[str], column_of: Mapping[str, str]
) -> None:
    seen: dict[tuple[str, str], int] = {}
    for row, key in enumerate(zip(system, item, strict=True)):
        if key in seen:
            of = f" of system {short(key[0])!r}" if key[0] else ""
            raise InputError(
                f"{table.row_name(row)}: item {short(key[1])!r}{of} stands also at {table.row_name(seen[key])}; "
                "keep one row"
                f"{_taken_for(table, column_of)}"
            )
        seen[key] = row


def _taken_for(table: NamedColumns, column_of: Mapping[str, str]) -> str:
    """The columns used for items and systems, and how to choose others."""
    items = f"items are by column {short(column_of['item'])!r}"
    if "system" in column_of:
        return f", or say which columns tell rows apart: {items}, systems by {short(column_of['system'])!r}"
    others = ", ".join(name for name in table.columns if name not in column_of.values())
    found = f" (others are {short(others)})" if others else ""
    return (
        f" per item, or name the column of systems with --columns system=...: {items}, of systems there is none{found}"
    )
