"""What a page is told of estimates: how precise they are, and values only where they were asked for.

Who sees a value change after a label is told which run had found the document. So estimates are made at the ends of
blocks of labels only, nobody is shown values who did not ask for them, which is an event, and then runs have neutral
names: X and Y in an order that depends on the plan, or numbers.
"""

from __future__ import annotations

from poolwise.plans.judging_order import Chance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

BLOCK = 25  # labels from one estimate to the next, and from the last but one to the end
PRECISION = ("measure", "level", "labels", "missing", "error", "width", "forecast", "enough")


def in_view(found: Mapping[str, Any] | None, values: bool, plan: str) -> dict[str, Any] | None:
    """Estimates as they may be seen: of a known list of facts, with the values of runs or without."""
    if found is None:
        return None
    seen = {name: found[name] for name in PRECISION if name in found}
    if values and found.get("rows"):
        seen |= {"rows": _neutral(found, Chance(plan)), "left_out": found["left_out"]}
    return seen


def is_due(given: int, before: int | None, left: int) -> bool:
    """Whether estimates are made at so many labels, after those `before`: a block after them, and one before the end.

    >>> is_due(30, None, 70), is_due(50, 30, 50), is_due(55, 30, 45), is_due(80, 55, 20), is_due(100, 55, 0)
    (True, False, True, False, True)
    """
    return (before is None or given - before >= BLOCK) and (left == 0 or left >= BLOCK)


def until_next(step: int, left: int) -> int:
    """How many labels it takes to the next estimates, if these need so many; 0 if none are to come.

    >>> until_next(25, 70), until_next(24, 45), until_next(5, 10), until_next(-3, 0)
    (25, 45, 10, 0)
    """
    return max(step, 0) if left - max(step, 0) >= BLOCK else left


def _neutral(found: Mapping[str, Any], chance: Chance) -> list[dict[str, Any]]:
    rows: Sequence[dict[str, Any]] = found["rows"]
    if found["pair"]:
        return [_turned(row) if chance.number("X and Y") % 2 else {**row, "name": "X \N{MINUS SIGN} Y"} for row in rows]
    order = sorted(found["names"], key=lambda name: chance.number("run in view", name))
    return [{**row, "name": f"run {order.index(row['name']) + 1}"} for row in rows]


def _turned(row: Mapping[str, Any]) -> dict[str, Any]:
    """The difference the other way round."""
    ends = {"value": "value", "low": "high", "high": "low", "band_low": "band_high", "band_high": "band_low"}
    turned = {name: None if row[end] is None else -row[end] for name, end in ends.items()}
    return {"name": "X \N{MINUS SIGN} Y", **turned}
