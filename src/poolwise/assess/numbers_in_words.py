"""Estimates as lines of text, for a terminal: what the page draws, in words."""

from __future__ import annotations

from poolwise.read.problems import counted
from poolwise.signs import in_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST_ROWS = 3  # runs: the text is what a terminal is for


def in_words(shown: Mapping[str, Any]) -> list[str]:
    """What `LiveNumbers.shown` says.

    >>> row = {"name": "a - b", "value": 0.25, "low": 0.1, "high": 0.4, "band_low": -0.05, "band_high": 0.55}
    >>> in_words({"found": {"rows": [row], "measure": "AP", "level": 0.95, "labels": 40, "left_out": 0}, "busy": False})
    ['AP a - b 0.250, 0.100 to 0.400; at every look -0.050 to 0.550 (95 % from 40 labels)']
    >>> in_words({"found": {"rows": [], "labels": 3, "missing": 9}, "busy": True})
    ['no estimate yet: the first comes 9 labels from now, when every topic has one']
    """
    numbers = shown["found"] or {}
    if numbers.get("error") or not numbers.get("rows"):
        return [f"no estimate yet: {why_none(numbers, shown['busy'])}"]
    rows, measure = numbers["rows"], numbers["measure"]
    lines = [f"{measure} {in_line(row['name'])} {_numbers(row)}" for row in rows[:MOST_ROWS]]
    left = len(rows) + numbers["left_out"] - len(lines)
    more = f", and {counted(left, 'more run')}" if left else ""
    lines[-1] += f" ({100 * numbers['level']:g} % from {numbers['labels']} labels{more})"
    return lines


def why_none(numbers: Mapping[str, Any], busy: bool) -> str:
    """Why there is no estimate.

    >>> why_none({}, False)
    'after the first labels'
    """
    if numbers.get("error"):
        return str(numbers["error"])
    if missing := numbers.get("missing"):
        plural = "s" * (missing != 1)
        return f"the first comes {missing} label{plural} from now, when every topic has one"
    return "being computed" if busy else "after the first labels"


def _numbers(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return f"{row['value']:.3f}, no interval yet"
    band = "too wide to say yet" if row["band_low"] is None else _range(row["band_low"], row["band_high"])
    return f"{row['value']:.3f}, {_range(row['low'], row['high'])}; at every look {band}"


def _range(low: float, high: float) -> str:
    return f"{low:.3f} to {high:.3f}"
