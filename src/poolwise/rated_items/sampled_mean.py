"""The mean of a number over all items, known for those that were drawn and predicted for all.

The difference estimator of survey sampling, known with predictions from machine learning as prediction-powered
inference (Angelopoulos et al. 2023): the mean of predictions over all items, plus the mean error of the predictions
over the drawn ones. Predictions count by slopes that make the error smallest (Angelopoulos, Duchi and Zrnic 2023,
PPI++; Cochran 1977, chapter 7), and by a weight between 0 and 1 that says whether slopes learned without an item help
with that item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poolwise.sampling.variance_groups import collapsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

__all__ = [
    "MOST_LEVERAGE", "Drawn", "SampledMean", "WeighedLabels", "draw_weights", "freedom_of", "from_mean", "rounded",
    "sampled_mean", "skewness_of", "unmixed",
]  # fmt: skip

MOST_LEVERAGE = 0.9
TINY = 1e-300
ROUNDING = 1e-13  # of the numbers that errors are computed from: errors below that are of the computer


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a mean is estimated from, one row per item.

    `value` is NaN where an item was not labelled. Labelled items are a random draw of each cell, at `rate` where rates
    differ within cells (else NaN: so many of so many). `predictions` has a column per predictor.
    """

    value: Floats
    cell: NDArray[np.int64]
    rate: Floats
    predictions: Floats

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which items have a value."""
        return ~np.isnan(self.value)

    def unpredicted(self) -> Drawn:
        """The same without predictions."""
        return replace(self, predictions=self.predictions[:, :0])


@dataclass(frozen=True, eq=False)
class SampledMean:
    """An estimate, its variance over draws, and what each labelled item has to do with both.

    `shares` are the parts whose squares sum to `variance`; `freedom` is the degrees of freedom of that sum; `skewness`
    is that of the estimate; `spread` is the variance of the value over items; `weight` says how far predictions count.
    `unmixed` is what so many labels (`alike`) of one value that each weigh more than any of another value would add to
    the variance, per unit of spread: among them nothing varies, and that may be chance.
    """

    value: float
    variance: float
    shares: Floats
    freedom: float
    skewness: float
    spread: float
    items: int
    labelled: int
    weight: float
    slopes: Floats
    unmixed: float = 0.0
    alike: int = 0


class WeighedLabels:
    """Labels and predictions of the labelled items: how they are weighed, and what is left of them in their cells.

    `emphasis` says how much each counts against the others, beyond what their rates say. Weights are those of cells as
    drawn. `groups` are cells for the variance, those with one label collapsed with others; `own` is an item's share of
    the weights of its group; `plain` is its error against the mean of the others.
    """

    def __init__(self, drawn: Drawn, emphasis: Floats | float = 1.0) -> None:
        self.drawn, self.chosen = drawn, drawn.labelled
        self.cells = labelled_cells(drawn.cell, self.chosen)
        self.groups = groups_of(self.cells, self.chosen)
        self.labelled_groups = groups = self.groups[self.chosen]
        self.counts = np.bincount(groups)[groups]
        self.rates = labelled_rates(drawn.rate, self.cells, self.chosen)
        self.weights = draw_weights(self.rates / emphasis, self.cells, self.chosen)
        self.own = self.weights / np.bincount(groups, self.weights)[groups]
        self.scores, self.known = drawn.value[self.chosen], drawn.predictions[self.chosen]
        self.centred = from_mean(self.scores, self.own, groups)
        self.inner = from_mean(self.known, self.own, groups)
        self.plain = self.centred / np.maximum(1 - self.own, TINY)

    def left(self, leverage: Floats) -> Floats:
        """What a label's leverage in slopes, beside its share of its group, leaves of its error."""
        return np.maximum(1 - self.own - leverage, np.minimum(1 - MOST_LEVERAGE, np.maximum(1 - self.own, TINY) / 2))

    def size(self, slopes: Floats) -> float:
        """How large the numbers are that errors by these slopes are computed from."""
        largest = np.abs(self.known).max(axis=0, initial=0.0)
        return float(np.abs(self.scores).max(initial=0.0) + largest @ np.abs(slopes))


def sampled_mean(drawn: Drawn) -> SampledMean:
    """Estimate the mean over all items; with no predictions it is the plain mean of the labelled ones, cell by cell.

    >>> value = np.array([1.0, 0.0, 1.0, np.nan, np.nan, np.nan])
    >>> known = np.array([[1.0], [0.0], [1.0], [0.0], [0.0], [0.0]])
    >>> zeros = np.zeros(6, dtype=np.int64)
    >>> nothing = np.full(6, np.nan)
    >>> mean = sampled_mean(Drawn(value, zeros, nothing, known[:, :0]))
    >>> round(mean.value, 4), round(mean.variance * 3, 4)  # half of the sample's variance: half of all was drawn
    (0.6667, 0.1667)
    >>> round(sampled_mean(Drawn(value, zeros, nothing, known)).value, 4)
    0.3333
    """
    labels = WeighedLabels(drawn)
    weights, plain, counts, y = labels.weights, labels.plain, labels.counts, labels.scores
    noise = weights**2 * (1 - labels.rates)  # what the square of an item's error adds to the variance
    slopes, assisted = _regressed(labels, noise)
    weight = _helps(plain, plain - assisted, noise)
    errors = plain - weight * (plain - assisted)
    shares = np.sqrt(noise * (counts - 1) / counts) * errors
    off = from_mean(y, weights, np.zeros(len(y), dtype=np.int64))
    value = weights @ y + weight * (drawn.predictions.mean(axis=0) - weights @ labels.known) @ slopes
    return SampledMean(
        float(value), float(shares @ shares), shares,
        max(freedom_of(shares, labels.labelled_groups) - weight * len(slopes), 1.0), skewness_of(shares),
        float(weights @ off**2 * len(y) / max(len(y) - 1, 1)),
        len(drawn.value), len(y), weight, weight * slopes, *unmixed(labels, y, weight * labels.known @ slopes),
    )  # fmt: skip


def labelled_cells(cell: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Cells in their order, numbered; one without any label joins the one before it, or the first that has some.

    >>> labelled_cells(np.array([4, 4, 6, 7, 7, 8]), np.array([1, 0, 0, 1, 0, 0], dtype=bool)).tolist()
    [0, 0, 0, 1, 1, 1]
    >>> labelled_cells(np.array([4, 4, 6, 7, 7, 8]), np.array([0, 0, 0, 1, 0, 0], dtype=bool)).tolist()
    [0, 0, 0, 0, 0, 0]
    """
    numbers, cells = np.unique(cell, return_inverse=True)
    labelled = np.bincount(cells[chosen], minlength=len(numbers)) > 0
    return np.asarray(np.maximum(np.cumsum(labelled) - 1, 0)[cells])


def groups_of(cells: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The group of each item, for the variance."""
    labels, size = np.bincount(cells[chosen], minlength=cells.max(initial=-1) + 1), np.bincount(cells)
    return np.asarray(collapsed(labels, np.zeros(len(labels), dtype=np.int64), labels == size)[cells])


def labelled_rates(given: Floats, cells: NDArray[np.int64], chosen: NDArray[np.bool_]) -> Floats:
    """How likely each labelled item was to be drawn."""
    items = np.bincount(cells)
    shares = np.bincount(cells[chosen], minlength=len(items)) / items
    rates = given[chosen]
    return np.asarray(np.where(np.isnan(rates), shares[cells[chosen]], rates))


def draw_weights(rates: Floats, cells: NDArray[np.int64], chosen: NDArray[np.bool_]) -> Floats:
    """Which share of all items each labelled one stands for; those of a cell stand for all of the cell."""
    items = np.bincount(cells)
    whole = np.bincount(cells[chosen], 1 / rates, minlength=len(items))
    return np.asarray((items / np.maximum(whole, TINY))[cells[chosen]] / rates / len(cells))


def cell_means(values: Floats, own: Floats, cells: NDArray[np.int64]) -> Floats:
    """For each labelled item the weighted mean of its cell."""
    if values.ndim == 1:
        return np.asarray(np.bincount(cells, own * values)[cells])
    return np.stack([cell_means(column, own, cells) for column in values.T], axis=1) if values.size else values


def from_mean(values: Floats, own: Floats, cells: NDArray[np.int64]) -> Floats:
    """How far values are from the mean of their cell; 0, not nearly 0, where all of a cell are the same.

    >>> from_mean(np.full(3, 0.1), np.full(3, 1 / 3), np.zeros(3, dtype=np.int64)).tolist()
    [0.0, 0.0, 0.0]
    """
    once = values - cell_means(values, own, cells)
    return rounded(once - cell_means(once, own, cells), np.abs(values).max(axis=0, initial=0.0))


def rounded(errors: Floats, size: Floats | float) -> Floats:
    """Errors without those that are of the computer only, as they are computed from numbers of this size."""
    return np.asarray(np.where(np.abs(errors) <= ROUNDING * size, 0.0, errors))


def _regressed(labels: WeighedLabels, noise: Floats) -> tuple[Floats, Floats]:
    """Slopes that make the variance least, and each item's error by slopes and means learned without it."""
    centred, inner = labels.centred, labels.inner
    weighted = inner * noise[:, None]
    inverse = np.linalg.pinv(weighted.T @ inner, rcond=1e-10, hermitian=True)
    slopes = inverse @ (weighted.T @ centred)
    leverage = np.einsum("ij,jk,ik->i", weighted, inverse, inner)
    left = rounded(centred - inner @ slopes, labels.size(slopes))
    return slopes, left / labels.left(leverage)


def _helps(plain: Floats, explained: Floats, noise: Floats) -> float:
    """How far predictions count: the weight that makes the variance of items left out least."""
    size = float(noise @ explained**2)
    return float(np.clip(noise @ (plain * explained) / size, 0, 1)) if size > 0 else 0.0


def unmixed(labels: WeighedLabels, values: Floats, predicted: Floats) -> tuple[float, int]:
    """Sum of w^2 (1 - rate) of the labels that weigh more than any of another value, and their number.

    The sum counts by the share of the spread over all labels that predictions leave open.

    >>> value = np.array([1.0, 0.0, 0.0, 0.0, np.nan, np.nan, np.nan, np.nan])
    >>> cell, nothing = np.array([0, 0, 1, 1, 1, 1, 1, 1]), np.full(8, np.nan)
    >>> labels = WeighedLabels(Drawn(value, cell, nothing, np.zeros((8, 0))))
    >>> found, alike = unmixed(labels, labels.scores, np.zeros(4))  # two labels stand for three items of eight each
    >>> round(found, 4), alike
    (0.1875, 2)
    """
    weights = draw_weights(labels.rates, labels.cells, labels.chosen)
    heavy = weights > weights[values != values[np.argmax(weights)]].max(initial=0.0) * (1 + 1e-9)
    every = np.zeros(len(values), dtype=np.int64)
    spread, left = (float(weights @ from_mean(each, weights, every) ** 2) for each in (values, values - predicted))
    known = min(left / spread, 1.0) if spread > 0 else 1.0
    return known * float(np.sum(weights[heavy] ** 2 * (1 - labels.rates[heavy]))), int(heavy.sum())


def skewness_of(shares: Floats) -> float:
    """The skewness of a sum of independent parts, each told by one draw of it."""
    variance = float(shares @ shares)
    return float(np.sum(shares**3)) / variance**1.5 if variance > 0 else 0.0


def freedom_of(shares: Floats, cells: NDArray[np.int64]) -> float:
    """Satterthwaite's degrees of freedom of a sum of variances of cells."""
    squares = np.bincount(cells, shares**2)
    labelled = np.bincount(cells)
    if not squares.any():
        return float(max(len(cells) - 1, 1))
    return float(squares.sum() ** 2 / np.sum(squares**2 / np.maximum(labelled - 1, 1)))
