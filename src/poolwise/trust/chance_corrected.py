"""Coefficients of agreement between assessors, each a smooth function of sums over documents.

Every coefficient is written as g(S) with S = sum of w_i x_i over the documents that were judged more than once: w_i is
how many documents of the pool a document speaks for, x_i a few numbers of it. That gives its value for samples drawn
at known rates, and its standard error by linearisation: the error of g(S) is that of the sum of w_i z_i, with z_i the
slope of g times x_i.

These are drawn at random from an assessor's own work, and each counts alike. The share of equal labels has Clopper and
Pearson's interval, which holds for any number of documents. Kappa's is linearised, as that of two assessors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolwise.basics.numbers import beta_below
from poolwise.sampling.cells import cells_of
from poolwise.trust.coefficients import Agreed, agreed_on
from poolwise.trust.label_sheet import LabelSheet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

STEP = 1e-6  # of numerical derivatives, relative to the sum of weights


@dataclass(frozen=True)
class Coefficient:
    """A coefficient, declared once.

    `items` turns labels (documents x assessors, as indices into `values`, -1 for none) into one row of numbers per
    document. `value` turns their weighted sum into the coefficient. `pairs` says whether it is of two assessors.
    One that is `of_values` takes labels as they are, NaN for none, and their number does not matter to it. To one
    that is `of_relevant` only documents matter that some assessor gave the highest label.
    """

    name: str
    words: str
    pairs: bool
    items: Callable[[NDArray[Any], int], Floats]
    value: Callable[[Floats, Floats], float]
    source: str
    lowest: float = -1.0  # that it can be
    of_values: bool = False
    of_relevant: bool = False

    def slopes(self, total: Floats, values: Floats) -> Floats:
        """The derivative of the value by each of the sums."""
        step = STEP * max(float(np.abs(total).max(initial=0.0)), 1e-12)
        slopes = np.empty(len(total))
        for index in range(len(total)):
            up, down = total.copy(), total.copy()
            up[index] += step
            down[index] -= step
            slopes[index] = (self.value(up, values) - self.value(down, values)) / (2 * step)
        return slopes


def confusion_items(classes: NDArray[np.int64], size: int) -> Floats:
    """One number per cell of the confusion matrix of two assessors: 1 where the document stands."""
    items = np.zeros((len(classes), size * size))
    items[np.arange(len(classes)), classes[:, 0] * size + classes[:, 1]] = 1.0
    return items


def fleiss_items(classes: NDArray[np.int64], size: int) -> Floats:
    """1, the share of agreeing pairs of labels, the number of labels of each class."""
    counts = class_counts(classes, size)
    labels = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (labels * (labels - 1))
    return np.column_stack([np.ones(len(classes)), agreeing, counts])


def coincidences(classes: NDArray[np.int64], size: int) -> Floats:
    """Krippendorff's coincidences: ordered pairs of labels of a document, over its number of labels less one."""
    counts = class_counts(classes, size)
    labels = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(size), np.arange(size)] -= counts
    return (pairs / (labels - 1)[:, None, None]).reshape(len(classes), -1)


def class_counts(classes: NDArray[np.int64], size: int) -> Floats:
    """How many labels of each class every document has."""
    return np.stack([(classes == index).sum(axis=1) for index in range(size)], axis=1).astype(float)


def _square(total: Floats, values: Floats) -> Floats:
    size = len(values)
    return np.asarray(total).reshape(size, size)


def _observed(total: Floats, values: Floats) -> float:
    shares = _square(total, values)
    return float(np.trace(shares) / shares.sum())


def _overlap(total: Floats, values: Floats) -> float:
    """Overlap on a binary scale: documents relevant by both, divided by those relevant by either."""
    shares = _square(total, values)
    either = shares.sum() - shares[0, 0]
    return float(shares[-1, -1] / either) if either > 0 else np.nan


def _kappa(total: Floats, values: Floats) -> float:
    """Cohen's kappa: 1 - disagreement seen / disagreement by chance."""
    return _weighted_kappa(total, 1.0 - np.eye(len(values)), values)


def _quadratic(total: Floats, values: Floats) -> float:
    return _weighted_kappa(total, (values[:, None] - values) ** 2, values)


def _weighted_kappa(total: Floats, weights: Floats, values: Floats) -> float:
    shares = _square(total, values) / np.sum(total)
    chance = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    return _one_minus((weights * shares).sum(), (weights * chance).sum())


def _one_minus(seen: float, chance: float) -> float:
    """1 - observed / chance disagreement. NaN without chance disagreement."""
    return float(1.0 - seen / chance) if chance > 0 else np.nan


def _agreeing(total: Floats, values: Floats) -> float:
    return float(total[1] / total[0])


def _fleiss(total: Floats, values: Floats) -> float:
    shares = total[2:] / total[2:].sum()
    return _one_minus(1.0 - total[1] / total[0], 1.0 - (shares**2).sum())


def paired_moments(labels: Floats, size: int) -> Floats:
    """1, both labels of a document, their squares, and the square of their difference."""
    first, second = labels.T
    return np.column_stack([np.ones(len(labels)), first, second, first**2, second**2, (first - second) ** 2])


def _concordance(total: Floats, values: Floats) -> float:
    """Quadratic kappa from moments: with squared differences for weights chance is var + var + (difference of means)^2.

    It is Lin's coefficient of concordance.
    """
    first, second, squares, others, seen = total[1:] / total[0]
    return _one_minus(seen, squares + others - 2 * first * second)


def label_moments(labels: Floats, size: int) -> Floats:
    """How many labels a document has, their sum, the sum of squares, and squared differences over their number - 1."""
    there = ~np.isnan(labels)
    count, known = there.sum(axis=1), np.where(there, labels, 0.0)
    sums, squares = known.sum(axis=1), (known**2).sum(axis=1)
    return np.column_stack([count, sums, squares, 2 * (count * squares - sums**2) / (count - 1)])


def _alpha_of_moments(total: Floats, values: Floats) -> float:
    """Krippendorff's alpha of squared differences, from moments."""
    count, sums, squares, seen = total
    return _one_minus(seen, 2 * (count * squares - sums**2) / (count - 1)) if count > 1 else np.nan


def _alpha(metric: Callable[[Floats, Floats], Floats]) -> Callable[[Floats, Floats], float]:
    def value(total: Floats, values: Floats) -> float:
        pairs = _square(total, values)
        sums = pairs.sum(axis=1)
        whole = sums.sum()
        distance = metric(values, sums)
        chance = (np.outer(sums, sums) - np.diag(sums)) / (whole - 1) if whole > 1 else np.zeros_like(pairs)
        return _one_minus((distance * pairs).sum(), (distance * chance).sum())

    return value


def _nominal(values: Floats, sums: Floats) -> Floats:
    return np.asarray(1.0 - np.eye(len(values)))


def _interval(values: Floats, sums: Floats) -> Floats:
    return np.asarray((values[:, None] - values) ** 2)


def _ordinal(values: Floats, sums: Floats) -> Floats:
    """Squared ordinal distance: the number of labels between two classes, with half of both ends."""
    middle = np.cumsum(sums) - sums / 2
    return np.asarray((middle[:, None] - middle) ** 2)


COHEN = "Cohen 1960, Educational and Psychological Measurement 20(1)"
KRIPPENDORFF = "Krippendorff 2004, Content Analysis, 2nd edition, chapter 11"
COEFFICIENTS = {
    coefficient.name: coefficient
    for coefficient in (
        Coefficient("agreement", "share of documents with the same label", True, confusion_items, _observed, "", 0.0),
        Coefficient("overlap", "relevant by both / relevant by either", True, confusion_items, _overlap,
                    "Voorhees 2000, Information Processing and Management 36(5)", 0.0, of_relevant=True),
        Coefficient("kappa", "Cohen's kappa", True, confusion_items, _kappa, COHEN),
        Coefficient("quadratic_kappa", "Cohen's kappa, squared differences", True, confusion_items, _quadratic,
                    "Cohen 1968, Psychological Bulletin 70(4)"),
        Coefficient("fleiss_kappa", "Fleiss' kappa", False, fleiss_items, _fleiss,
                    "Fleiss 1971, Psychological Bulletin 76(5)"),
        Coefficient("alpha_nominal", "Krippendorff's alpha, nominal", False, coincidences, _alpha(_nominal),
                    KRIPPENDORFF),
        Coefficient("alpha_ordinal", "Krippendorff's alpha, ordinal", False, coincidences, _alpha(_ordinal),
                    KRIPPENDORFF),
        Coefficient("alpha_interval", "Krippendorff's alpha, interval", False, coincidences, _alpha(_interval),
                    KRIPPENDORFF),
    )
}  # fmt: skip
# For groups of documents, beside Fleiss' kappa; with two assessors it is the share of agreement.
AGREEING = Coefficient("agreeing", "share of agreeing pairs of labels", False, fleiss_items, _agreeing, "", 0.0)
# Where labels are numbers of a scale rather than classes, these are what the graded scale has.
OF_VALUES = {
    coefficient.name: coefficient
    for coefficient in (
        Coefficient("quadratic_kappa", "Cohen's kappa, squared differences", True, paired_moments, _concordance,
                    "Lin 1989, Biometrics 45(1)", of_values=True),
        Coefficient("alpha_interval", "Krippendorff's alpha, interval", False, label_moments, _alpha_of_moments,
                    KRIPPENDORFF, of_values=True),
    )
}  # fmt: skip
HALVINGS = 50  # of the range of a share


def with_oneself(sheet: LabelSheet, level: float) -> Iterator[Agreed]:
    """The share of equal labels, and kappa, of each assessor who saw documents twice."""
    for name, pairs in sheet.repeated.items():
        same = sum(first == second for first, second in pairs)
        low, high = exact_ends(same, len(pairs), level)
        yield Agreed("graded", "agreement", name, name, len(pairs), same / len(pairs), low, high)
        yield _kappa_with_oneself(name, pairs, level)


def _kappa_with_oneself(name: str, pairs: Sequence[tuple[float, float]], level: float) -> Agreed:
    labels, count = np.asarray(pairs, dtype=float), len(pairs)
    every = np.ones(count, dtype=np.bool_)
    cells = cells_of(np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int64), every, every)
    alone = LabelSheet([name, name], [""] * count, list(map(str, range(count))), labels, cells, sampled=False)
    return agreed_on(alone, labels, every, alone.values(), COEFFICIENTS["kappa"], ("graded", name, name), level)


def exact_ends(successes: int, trials: int, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share (Biometrika 26, 1934).

    >>> [round(end, 4) for end in exact_ends(9, 10, 0.95)], exact_ends(4, 4, 0.95)[1]
    ([0.555, 0.9975], 1.0)
    """
    alpha = (1.0 - level) / 2

    def solved(p: int, q: int, chance: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = float(beta_below(p, q, middle))
            low, high = (middle, high) if below < chance else (low, middle)
        return (low + high) / 2

    low = solved(successes, trials - successes + 1, alpha) if successes else 0.0
    high = solved(successes + 1, trials - successes, 1 - alpha) if successes < trials else 1.0
    return low, high
