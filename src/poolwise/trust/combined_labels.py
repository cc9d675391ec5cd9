"""One label per document from those of several assessors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poolwise.basics.settings import choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from poolwise.trust.label_sheet import LabelSheet

__all__ = ["COMBINED", "combined_labels"]


def _majority(labels: list[float]) -> float:
    """The label given most often; of several, the lowest."""
    counts = {label: labels.count(label) for label in sorted(labels)}
    return max(counts, key=lambda label: counts[label])


def _mean(labels: list[float]) -> float:
    """The mean: of whole labels to the nearest whole one, halves down; with a decimal point among them as it is."""
    mean = float(np.mean(labels))
    return float(np.ceil(mean - 0.5)) if all(map(float.is_integer, labels)) else mean


def _first(labels: list[float]) -> float:
    return labels[0]


COMBINED: dict[str, Callable[[list[float]], float]] = {
    "majority": _majority, "mean": _mean, "first": _first, "adjudicated": _first,
}  # fmt: skip


def combined_labels(sheet: LabelSheet, how: str = "majority") -> list[tuple[str, str, float | None, int]]:
    """One label per document from those of all assessors, in the order that assessors were given.

    "adjudicated" is the label that was settled, where one was; elsewhere, and where all agree, the first.

    >>> from poolwise.trust.label_sheet import label_sheet
    >>> sheet = label_sheet({"a": [("1", "x", 2.0, 1)], "b": [("1", "x", 0.0, 1)], "c": [("1", "x", 0.0, 1)]})
    >>> [combined_labels(sheet, how)[0][2] for how in COMBINED]
    [0, 1, 2, 2]
    """
    rule = COMBINED[choice("by", how, COMBINED)]
    ended = sheet.settled if how == "adjudicated" else {}
    rows: list[tuple[str, str, float | None, int]] = []
    for place, (topic, document) in enumerate(zip(sheet.topics, sheet.documents, strict=True)):
        labels = [float(label) for label in sheet.labels[place] if label == label]
        if (topic, document) in ended:
            labels = [ended[topic, document]]
        stratum = sheet.cells[int(sheet.cell[place])][1]
        rows.append((topic, document, _plain(rule(labels)) if labels else None, stratum))
    return rows


def _plain(label: float) -> float:
    return int(label) if label.is_integer() else label
