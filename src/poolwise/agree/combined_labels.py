"""One label per document from those of several assessors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poolwise.checks import choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.agree.label_sheet import LabelSheet

__all__ = ["COMBINED", "combined_labels"]


def _majority(labels: list[float]) -> float:
    """The label given most often; of several, the lowest."""
    counts = {label: labels.count(label) for label in sorted(labels)}
    return max(counts, key=lambda label: counts[label])


def _rounded_mean(labels: list[float]) -> float:
    """The mean, to the nearest whole label, halves down."""
    return float(np.ceil(np.mean(labels) - 0.5))


def _first(labels: list[float]) -> float:
    return labels[0]


COMBINED: dict[str, Callable[[list[float]], float]] = {
    "majority": _majority, "mean": _rounded_mean, "first": _first, "adjudicated": _first,
}  # fmt: skip


def combined_labels(sheet: LabelSheet, how: str = "majority") -> list[tuple[str, str, int | None, int]]:
    """One label per document from those of all assessors, in the order that assessors were given.

    "adjudicated" is the label that was settled, where one was; elsewhere, and where all agree, the first.

    >>> from poolwise.agree.label_sheet import label_sheet
    >>> sheet = label_sheet({"a": [("1", "x", 2.0, 1)], "b": [("1", "x", 0.0, 1)], "c": [("1", "x", 0.0, 1)]})
    >>> [combined_labels(sheet, how)[0][2] for how in COMBINED]
    [0, 1, 2, 2]
    """
    rule = COMBINED[choice("how", how, COMBINED)]
    ended = sheet.settled if how == "adjudicated" else {}
    rows: list[tuple[str, str, int | None, int]] = []
    for place, (topic, document) in enumerate(zip(sheet.topics, sheet.documents, strict=True)):
        labels = [float(label) for label in sheet.labels[place] if label == label]
        if (topic, document) in ended:
            labels = [ended[topic, document]]
        stratum = sheet.cells[int(sheet.cell[place])][1]
        rows.append((topic, document, int(rule(labels)) if labels else None, stratum))
    return rows
