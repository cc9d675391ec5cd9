"""Labels in whatever shape they come back from assessors: rows of topic, document, label, and where each stood.

Lines of TREC are topic document label, those of a qrels file, or of a plan that was filled in; all other shapes are
told by `records`. An empty cell is no label.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from poolwise.basics.words import short
from poolwise.errors import InputError
from poolwise.reading.column_names import HINT, LABEL, ROUND, STRATUM
from poolwise.reading.design_columns import DESIGN, DesignCells, number_of
from poolwise.reading.records import Shape, is_empty, records, word
from poolwise.reading.sources import file_or_table
from poolwise.reading.tables import HIGHEST, LOWEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LABELS = Shape(
    value="label",
    names=LABEL,
    words={
        3: ("topic", "document", "label"),
        4: ("topic", "round", "document", "label"),
        5: ("topic", "round", "document", "stratum", "label"),
    },
    lines="every line needs topic document label, or is one of a qrels file",
    optional={"stratum": STRATUM, "round": ROUND},
    ours={**DESIGN, "cost": ("cost",)},
    hint=HINT,
    one_of_several=True,
)


@dataclass
class LabelRows:
    """Rows one after the other; `label` is None where there is none, `place` says where a row stood.

    `stratum` and `round` are 0 where a row has none, `cost` is None. `header` holds the comments of poolwise, or what
    columns say in their place; `plans` has the numbers of plans that rows name, each with the first row that does.
    """

    name: str
    topic: list[str] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    label: list[Any] = field(default_factory=list)  # whole numbers, or any where decimals are asked for
    stratum: list[int] = field(default_factory=list)
    round: list[int] = field(default_factory=list)
    place: list[str] = field(default_factory=list)
    cost: list[float | None] = field(default_factory=list)
    header: list[bytes] = field(default_factory=list)
    plans: dict[str, str] = field(default_factory=dict)
    has_strata: bool = False

    def __len__(self) -> int:
        return len(self.topic)


def label_rows(
    given: Any, *, unjudged: int | None = -1, columns: Mapping[str, str] | None = None, decimals: bool = False
) -> LabelRows:
    """Read labels of any shape; `unjudged` stands for none, `columns` says what our columns are called.

    With `decimals`, labels may be any numbers.

    >>> rows = label_rows([("401", "a", 2), ("401", "b", None)])
    >>> rows.topic, rows.document, rows.label
    (['401', '401'], ['a', 'b'], [2, None])
    """
    rows, design = LabelRows(file_or_table(given, "qrels").where), DesignCells()
    for place, cells in records(given, LABELS, name="qrels", columns=columns, header=rows.header):
        rows.topic.append(word(cells["topic"], "topic", place))
        rows.document.append(word(cells["document"], "document", place))
        label = number(cells["label"], place) if decimals else whole_number(cells["label"], "label", place)
        rows.label.append(None if label == unjudged else label)
        rows.has_strata = rows.has_strata or "stratum" in cells
        rows.stratum.append(whole_number(cells.get("stratum"), "stratum", place) or 0)
        rows.round.append(_round(cells.get("round")))
        cost = _float(cells.get("cost"))
        rows.cost.append(cost if cost > 0 else None)
        rows.place.append(place)
        design.see(cells)
        if own := number_of(cells):
            rows.plans.setdefault(own, place)
    rows.header += design.lines()
    return rows


def number(value: Any, place: str) -> float | None:
    """A label that may have a decimal point, also as text; None for an empty cell.

    >>> number("0.5", "labels:1"), number("", "labels:2")
    (0.5, None)
    """
    if is_empty(value):
        return None
    label = _float(value)
    if LOWEST <= label <= HIGHEST:
        return label
    raise InputError(f"{place}: label {short(repr(value))} is not a number; leave the cell empty for none")


def whole_number(value: Any, what: str, place: str) -> int | None:
    """A whole number, also as text; None for an empty cell."""
    if is_empty(value):
        return None
    number = _float(value)
    if number.is_integer() and (LOWEST if what == "label" else 0) <= number <= HIGHEST:
        return int(number)
    raise InputError(f"{place}: {what} {short(repr(value))} is not a whole number; leave the cell empty for none")


def _float(value: Any) -> float:
    """What a cell says, NaN where it says no number; True is none."""
    try:
        return float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _round(value: Any) -> int:
    """A round; as in a qrels file, other words stand for none.

    >>> [_round(word) for word in ("2", "Q0", "\u00b2", "9" * 5000, None)]
    [2, 0, 0, 0, 0]
    """
    text = "" if is_empty(value) else str(value).strip()
    return int(text) if text.isdecimal() and len(text) < 19 and int(text) <= HIGHEST else 0
