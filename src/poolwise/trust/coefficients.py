"""One label per document from those of several assessors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolwise.basics.numbers import student_quantile
from poolwise.basics.settings import choice
from poolwise.sampling.variance import drawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats
    from poolwise.sampling.variance import DrawnDocuments
    from poolwise.trust.chance_corrected import Coefficient
    from poolwise.trust.label_sheet import LabelSheet


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
    for index, (topic, document) in enumerate(zip(sheet.topics, sheet.documents, strict=True)):
        labels = [float(label) for label in sheet.labels[index] if label == label]
        if (topic, document) in ended:
            labels = [ended[topic, document]]
        stratum = sheet.cells[int(sheet.cell[index])][1]
        rows.append((topic, document, _plain(rule(labels)) if labels else None, stratum))
    return rows


def _plain(label: float) -> float:
    return int(label) if label.is_integer() else label


if TYPE_CHECKING:
    Pair = tuple[tuple[str, str], tuple[int, int], NDArray[np.bool_]]  # names, columns, documents in common
NOTHING = 1e-8  # what numerical derivatives leave of an error that is none
LEAST_PAIRED = 20  # documents of a pair from which the interval of the mean over pairs holds


@dataclass(frozen=True)
class Agreed:
    """One coefficient of some assessors, with its interval."""

    scale: str  # "graded" or "binary"
    coefficient: str
    first: str  # of a pair; all assessors together: "all"
    second: str
    documents: int
    value: float
    low: float
    high: float


def agreed_on(
    sheet: LabelSheet,
    labels: Floats,
    chosen: NDArray[np.bool_],
    values: Floats,
    coefficient: Coefficient,
    about: tuple[str, str, str],
    level: float,
    of: NDArray[np.bool_] | None = None,
) -> Agreed:
    """A coefficient of the chosen documents, as they speak for the pool, or for some cells of it."""
    sample = drawn(sheet, chosen, of)
    own = labels[sample.chosen]
    items = coefficient.items(own if coefficient.of_values else places_among(own, values), len(values))
    total = sample.weights @ items
    with np.errstate(invalid="ignore", divide="ignore"):
        value = coefficient.value(total, values)
        kinds = None if coefficient.of_values else own
        error, freedom = sample.error(items @ coefficient.slopes(total, values), kinds)
    scale, first, second = about
    low, high = _ends(value, _half(error, freedom, level), coefficient.lowest)
    if error < NOTHING:
        counted = (own == values[-1]).any(axis=1) if coefficient.of_relevant else np.ones(len(own), dtype=np.bool_)
        low, high = _without_spread(value, own, _worth(sample.weights[counted]), coefficient.lowest, level)
    elif coefficient.lowest < 0 and (label := _never_agreed(own)) is not None:
        low, high = _with_one_more(sample, items, own, label, values, coefficient, level, (low, high))
    return Agreed(scale, coefficient.name, first, second, len(sample.chosen), value, low, high)


def _never_agreed(labels: Floats) -> float | None:
    """The most used label that no two gave to the same document, where all agreements are of one other label."""
    used, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
    agreed = [bool(((labels == value).sum(axis=1) > 1).any()) for value in used.tolist()]
    if sum(agreed) != 1:
        return None
    left = np.where(agreed, 0, counts)
    return float(used[int(np.argmax(left))]) if left.any() else None


def _with_one_more(
    sample: DrawnDocuments,
    items: Floats,
    labels: Floats,
    label: float,
    values: Floats,
    coefficient: Coefficient,
    level: float,
    ends: tuple[float, float],
) -> tuple[float, float]:
    """Ends that also hold what one more document would do, to which all give the label that none was agreed to have.

    A few documents that are relevant by one of two are no proof that none is by both, though they are all alike.
    """
    own = np.full((1, labels.shape[1]), label)
    more = coefficient.items(own if coefficient.of_values else places_among(own, values), len(values))
    weight = float(sample.weights.mean())
    total = sample.weights @ items + weight * more[0]
    slopes = coefficient.slopes(total, values)
    error, freedom = sample.error(items @ slopes, None if coefficient.of_values else labels)
    error = math.hypot(error, weight * float(more[0] @ slopes))
    low, high = _ends(coefficient.value(total, values), _half(error, freedom, level), coefficient.lowest)
    return (min(ends[0], low), max(ends[1], high)) if low == low else ends


def agreed_on_average(
    sheet: LabelSheet,
    labels: Floats,
    pairs: Sequence[Pair],
    rows: Sequence[Agreed],
    values: Floats,
    coefficient: Coefficient,
    level: float,
) -> Agreed:
    """The mean of a coefficient over the pairs that have one, with the error of all documents in common together.

    Pairs with few documents make that error too small, and there is no interval then.
    """
    sample = drawn(sheet, sheet.shared())
    slopes, known = np.zeros(len(sample.chosen)), [row.value for row in rows if row.value == row.value]
    for (_, at, chosen), row in zip(pairs, rows, strict=True):
        own = chosen[sample.chosen]
        items = coefficient.items(places_among(labels[sample.chosen[own]][:, at], values), len(values))
        if row.value == row.value:
            slopes[own] += items @ coefficient.slopes(sample.weights[own] @ items, values) / len(known)
    value = float(np.mean(known)) if known else np.nan
    low, high = _ends(value, _half(*sample.error(slopes, labels[sample.chosen]), level), coefficient.lowest)
    if min(row.documents for row in rows) < LEAST_PAIRED:
        low, high = np.nan, np.nan
    return Agreed(rows[0].scale, coefficient.name, "mean", "of pairs", len(sample.chosen), value, low, high)


def _half(error: float, freedom: float, level: float) -> float:
    return error * float(student_quantile(freedom, 0.5 + level / 2))


def _ends(value: float, half: float, lowest: float) -> tuple[float, float]:
    """Ends that lie as unlike far as few documents let them, and never outside of what can be.

    Symmetric in the logarithm of the odds for a share, in Fisher's z for a coefficient that is corrected for chance.

    >>> [round(end, 3) for end in _ends(0.8, 0.1, 0.0)], [round(end, 3) for end in _ends(0.8, 0.1, -1.0)]
    ([0.682, 0.882], [0.676, 0.88])
    """
    span = 1.0 - lowest
    share = (value - lowest) / span  # Fisher's z is half of the logarithm of these odds
    if not 0.0 < share < 1.0:
        return np.nan, np.nan
    odds, aside = share / (1.0 - share), half / span / (share * (1.0 - share))
    ends = (odds * math.exp(min(side * aside, 700.0)) for side in (-1.0, 1.0))  # more would not be a number
    low, high = (lowest + span * end / (1.0 + end) for end in ends)
    return low, high


def _worth(weights: Floats) -> float:
    """As many documents of equal weight as tell as much as these (Kish 1965).

    >>> _worth(np.ones(3)), _worth(np.array([3.0, 1.0]))
    (3.0, 1.6)
    """
    return float(weights.sum() ** 2 / np.sum(weights**2)) if len(weights) else 1.0


def _without_spread(value: float, labels: Floats, number: float, lowest: float, level: float) -> tuple[float, float]:
    """The interval where all documents are alike, which does not make it certain.

    Of n documents none disagrees: by Clopper and Pearson as many as 1 - (alpha / 2)^(1 / n) of the pool may. A
    coefficient corrected for chance falls by that over the disagreement that chance would give. Where they are alike
    otherwise, nothing can be said.
    """
    if value > 1.0 - NOTHING:
        most = 1.0 - ((1.0 - level) / 2) ** (1.0 / number)
        _, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
        chance = 1.0 if lowest == 0.0 else 1.0 - float(((counts / counts.sum()) ** 2).sum())
        return max(lowest, 1.0 - most / chance) if chance > 0 else lowest, 1.0
    if value < NOTHING and lowest == 0.0:
        return 0.0, 1.0 - ((1.0 - level) / 2) ** (1.0 / number)
    return np.nan, np.nan


def places_among(labels: Floats, values: Floats) -> NDArray[np.int64]:
    """Labels as places among the values, -1 for none."""
    return np.where(np.isnan(labels), -1, np.searchsorted(values, np.nan_to_num(labels, nan=values[0])))
