"""Estimates as lines of text, for a terminal: what the page draws, in words."""

from __future__ import annotations

from poolwise.basics.words import counted, in_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST_ROWS = 3  # runs: the text is what a terminal is for


def in_words(shown: Mapping[str, Any]) -> list[str]:
    """What `LiveNumbers.shown` says.

    >>> found = {"measure": "AP", "level": 0.95, "labels": 40, "width": 0.3, "enough": False}
    >>> in_words({"found": found, "busy": False, "next": 25})
    ['AP: 95 % interval 0.300 wide from 40 labels, not yet enough; next update in 25 labels']
    >>> row = {"name": "X - Y", "value": 0.25, "low": 0.1, "high": 0.4, "band_low": -0.05, "band_high": 0.55}
    >>> in_words({"found": {**found, "rows": [row], "left_out": 0}, "busy": False, "next": 25})[1:]
    ['X - Y 0.250, 0.100 to 0.400; at every look -0.050 to 0.550']
    >>> in_words({"found": {"missing": 9}, "busy": True, "next": 9})
    ['no estimate yet: the first comes in 9 labels']
    """
    numbers = shown["found"] or {}
    if numbers.get("error") or "labels" not in numbers or "missing" in numbers:
        return [f"no estimate yet: {why_none(numbers, shown['next'])}"]
    wide = (
        "no interval yet"
        if numbers["width"] is None
        else f"{100 * numbers['level']:g} % interval {numbers['width']:.3f} wide"
    )
    after = f"; next update in {counted(shown['next'], 'label')}" if shown["next"] else ""
    enough = "enough" if numbers["enough"] else "not yet enough"
    lines = [f"{numbers['measure']}: {wide} from {counted(numbers['labels'], 'label')}, {enough}{after}"]
    rows = numbers.get("rows", [])
    lines += [f"{in_line(row['name'])} {_numbers(row)}" for row in rows[:MOST_ROWS]]
    if left := len(rows) + numbers.get("left_out", 0) - len(rows[:MOST_ROWS]):
        lines[-1] += f"; and {counted(left, 'more run')}"
    return lines


def why_none(numbers: Mapping[str, Any], to_come: int) -> str:
    """Why there is no estimate.

    >>> why_none({}, 0)
    'being computed'
    """
    if numbers.get("error"):
        return str(numbers["error"])
    return f"the first comes in {counted(to_come, 'label')}" if to_come else "being computed"


def _numbers(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return f"{row['value']:.3f}, no interval yet"
    band = "too wide to say yet" if row["band_low"] is None else _range(row["band_low"], row["band_high"])
    return f"{row['value']:.3f}, {_range(row['low'], row['high'])}; at every look {band}"


def _range(low: float, high: float) -> str:
    return f"{low:.3f} to {high:.3f}"
