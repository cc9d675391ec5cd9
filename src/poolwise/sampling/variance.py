"""The variance of an estimate from a stratified draw: the same for items, for agreement and for assisted estimates.

An estimate is a weighted sum over labelled units, or nearly so: to first order it moves by the sum of their *shares*,
and its variance is the sum of squared shares. Within cells units are drawn at random without replacement. A unit's
error is its value less the mean of the other labelled units of its cell, scaled so that squares are unbiased. Its share
is weight x sqrt(1 - rate) x error. Summed over a cell of n labels of N units that is N^2 (1 - n / N) s^2 / n
(Cochran 1977, section 5A.2).

**Cells with one label** say nothing of their spread. They are collapsed with others for the variance only (Cochran
1977, section 5A.12. Wolter 2007, section 2.5). Weights stay as drawn, so the estimate stays unbiased, and differences
between collapsed cells make the variance too large rather than too small.

**Degrees of freedom** of a sum of variances of cells are Satterthwaite's (1946). Where cells have two or three labels
each, his rule takes the scatter of their variances for a difference of cells, and intervals come out a third too wide
(10 cells of two labels). The sum of n - 1 supposes that all cells vary alike. Where one does not, intervals at 95 %
cover in 83 %. Between the two, variances are shrunken to the one of all cells before the rule is applied: with a prior
of two degrees of freedom 95 % intervals covered in 94 to 96 % for 3 to 20 cells of two to ten labels, and for one wild
cell of three labels beside one of forty (`benchmarks/sampled_means.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolwise import _core
from poolwise.basics.numbers import student_quantile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from poolwise.basics.arrays import Bools, Floats, Whole

    Values = NDArray[Any]

# Share of all units in cells with one label. Above it 95 % intervals cover in 92 % (.3) to 84 % (.8), and a note is due
# (benchmarks/sampled_means.py).
MUCH = 0.2
# Degrees of freedom that the spread of all cells is worth in each: 1 and 4 cover as well within a point, the sum of
# n - 1 and plain Satterthwaite do not (benchmarks/sampled_means.py).
COMMON_SPREAD = 2.0
HEAVIER = 1 + 1e-9  # weights that differ by less are equal but for rounding
ROUNDING = 1e-13  # of the numbers that errors are computed from: errors below that are the computer's
TINY = 1e-300  # in place of a divisor that is 0
INFINITE = 1e9  # degrees of freedom from which Student's t is the normal distribution to nine digits


@dataclass(frozen=True)
class Variance:
    """Variance and its degrees of freedom, one of each per row."""

    value: Values
    df: Values

    @property
    def standard_error(self) -> Values:
        """The square root of the variance."""
        return np.sqrt(self.value)

    def half_width(self, level: float) -> Values:
        """Half the width of the interval. 0 where the variance is."""
        return quantile(self.df, level) * self.standard_error


def quantile(df: Values, level: float) -> Values:
    """Quantile of Student's t for a two-sided interval."""
    return student_quantile(np.minimum(df, INFINITE), 0.5 + level / 2.0)


def variance_of(shares: Values) -> Variance:
    """The sum of squares of each row, df = 2 V^2 / sum of fourth powers (for few large shares that come by chance)."""
    return variance_from(*(np.asarray(part) for part in _core.power_sums(np.ascontiguousarray(shares))))


def variance_from(second: Values, fourth: Values) -> Variance:
    """Variance from sums of squares and of fourth powers."""
    return Variance(second, _satterthwaite(second, fourth / 2.0))


def added(*parts: Variance) -> Variance:
    """The variance of a sum of independent parts: two phases, two stages, two samples."""
    value = np.asarray(sum(part.value for part in parts))
    return Variance(value, _satterthwaite(value, np.asarray(sum(part.value**2 / part.df for part in parts))))


def two_stages(between: Variance, within: Variance, share: float) -> Variance:
    """The variance of a mean over units of which a share was drawn, each estimated with error (Cochran 1977, 10.4).

    `between` is the variance over draws of units, `within` that of the mean if there were no other units.
    """
    return added(between, Variance(share * within.value, within.df))


def _satterthwaite(value: Values, squares: Values) -> Values:
    return np.divide(value**2, squares, out=np.full(np.shape(value), np.inf), where=squares > 0)


def by_cluster(shares: Floats, cluster: Whole) -> Variance:
    """The variance of the sum of shares where clusters were drawn independently. None for a single cluster."""
    sums = np.bincount(cluster, shares)
    if (count := len(sums)) < 2:
        return Variance(np.asarray(np.nan), np.asarray(1.0))
    square = count / (count - 1) * ((sums - sums.mean()) ** 2).sum()
    return Variance(np.asarray(square), np.asarray(count - 1.0))


def by_cells(shares: Floats, cell: Whole, scale: Floats | None = None, common: float = 0.0) -> Variance:
    """The variance of the sum of shares, with Satterthwaite's degrees of freedom of a sum over cells.

    For these the spread of all cells counts as `common` degrees of freedom in each. `scale` is the size of a share per
    unit of spread.
    """
    squares, labels = np.bincount(cell, shares**2), np.bincount(cell)
    value, df = np.asarray(shares @ shares), np.maximum(labels - 1.0, 1.0)
    if common > 0 and scale is not None:
        expected = np.bincount(cell, scale**2)  # variance of each cell with a spread of 1
        seen = (labels > 1) & (expected > 0)
        squares, df, expected = squares[seen], df[seen], expected[seen]
        spread = df @ (squares / expected) / max(df.sum(), 1.0)
        squares = (df * squares + common * spread * expected) / (df + common)
    return Variance(value, _satterthwaite(np.asarray(squares.sum()), np.asarray(np.sum(squares**2 / df))))


@dataclass(frozen=True, eq=False)
class Sample:
    """Labelled units of a stratified draw.

    `weight` is how many units of the population each stands for, `open` the share of a unit's variance that the draw
    leaves (1 - rate), `group` its cell for the variance, where cells with one label are collapsed.
    """

    weight: Floats
    open: Floats
    group: Whole

    @classmethod
    def of_cells(
        cls, cell: Whole, labelled: Bools, rate: Floats | None = None, emphasis: Floats | float = 1.0
    ) -> Sample:
        """The labelled units of cells. `cell` is that of every unit, numbered from 0, and each has a label.

        `rate` is the chance of each unit to be labelled, NaN where so many of so many of its cell were drawn.
        `emphasis` says how much each labelled unit counts against others of its cell, beyond what its rate says.
        """
        size, labels = np.bincount(cell), np.bincount(cell[labelled], minlength=cell.max(initial=-1) + 1)
        rates = (labels / size)[cell[labelled]]
        if rate is not None:
            rates = np.where(np.isnan(rate[labelled]), rates, rate[labelled])
        group = collapsed(labels, np.zeros(len(labels), dtype=np.int64), labels == size)
        weight = _weights(rates / emphasis, size, cell[labelled])
        return cls(weight, 1 - rates, group[cell[labelled]])

    @cached_property
    def count(self) -> Whole:
        """The labelled units of each one's group."""
        return np.bincount(self.group)[self.group]

    @cached_property
    def part(self) -> Floats:
        """The share of each unit in the weight of its group."""
        return self.weight / np.bincount(self.group, self.weight)[self.group]

    @cached_property
    def scale(self) -> Floats:
        """Factor from an error of a unit to its share, without the correction for their number."""
        return self.weight * np.sqrt(self.open)

    @cached_property
    def factor(self) -> Floats:
        """The factor that makes squares of errors against the mean of the others unbiased."""
        return np.sqrt((self.count - 1) / self.count)

    def centred(self, values: Floats) -> Floats:
        """The distance of each value from the weighted mean of its group."""
        return from_mean(values, self.part, self.group)

    def errors(self, values: Floats) -> Floats:
        """The distance of each value from the mean of the others of its group."""
        return self.centred(values) / np.maximum(1 - self.part, TINY)

    def shares(self, errors: Floats) -> Floats:
        """The share of each unit in the error of a weighted sum. Their squares sum to its variance."""
        return self.scale * self.factor * errors

    def variance(self, shares: Floats, common: float = 0.0) -> Variance:
        """The variance of the sum of shares, with degrees of freedom by cells."""
        return by_cells(shares, self.group, self.scale, common)

    def heavier(self, others: Bools) -> Bools:
        """Whether each unit has a larger weight than all of some other units."""
        return self.weight > self.weight[others].max(initial=0.0) * HEAVIER


def _weights(rates: Floats, size: Whole, cell: Whole) -> Floats:
    """The number of units that each labelled one stands for. Those of a cell stand for all of it."""
    whole = np.bincount(cell, 1 / rates, minlength=len(size))
    return np.asarray((size / np.maximum(whole, TINY))[cell] / rates)


def collapsed(labels: Whole, parent: Whole, certain: Bools) -> Whole:
    """The collapsed group of each cell with `labels` labelled units. Cells that are `certain` are fully labelled.

    Cells of one label are one group within their parent. If that group still has one label, it joins the nearest cell
    that has any, of its own parent if there is one.

    >>> none = np.zeros(4, dtype=bool)
    >>> collapsed(np.array([1, 6, 1, 3]), np.zeros(4, dtype=np.int64), none).tolist()
    [0, 1, 0, 3]
    >>> collapsed(np.array([6, 1, 3, 2]), np.array([0, 0, 1, 1]), none).tolist()
    [0, 0, 2, 3]
    """
    group = np.arange(len(labels))
    single = (labels == 1) & ~certain
    for number in np.unique(parent[single]).tolist():
        chosen = np.flatnonzero(single & (parent == number))
        group[chosen] = chosen[0]
    alone = single & (np.bincount(group, labels, minlength=len(labels))[group] == 1)
    for cell in np.flatnonzero(alone).tolist():  # one of each parent at most
        members = group == group[cell]
        others = np.flatnonzero((labels > 0) & ~members)
        if labels[members].sum() > 1 or not len(others):
            continue
        siblings = others[parent[others] == parent[cell]]
        near = siblings if len(siblings) else others
        group[members] = group[near[np.argmin(np.abs(near - cell))]]
    return group


def single_share(size: Floats | Whole, labels: Whole) -> float:
    """The share of all units that lie in cells of which one unit is labelled, and others are not.

    >>> single_share(np.array([30.0, 60.0, 10.0]), np.array([1, 6, 3]))
    0.3
    """
    whole = float(size.sum())
    return float(size[(labels == 1) & (size > 1)].sum()) / whole if whole > 0 else 0.0


def from_mean(values: Floats, part: Floats, group: Whole | None = None) -> Floats:
    """Deviations of values from the mean of their group, exactly 0 if all are equal.

    `part` is the part of the weight of its group that each value has. Without groups all values are one.

    >>> from_mean(np.full(3, 0.1), np.full(3, 1 / 3)).tolist()
    [0.0, 0.0, 0.0]
    """
    if values.ndim > 1:
        columns = [from_mean(column, part, group) for column in values.T]
        return np.stack(columns, axis=1) if columns else values
    group = np.zeros(len(values), dtype=np.int64) if group is None else group
    once = values - np.bincount(group, part * values)[group]
    # Once more, as the mean of equal values is not exactly one of them.
    return rounded(once - np.bincount(group, part * once)[group], np.abs(values).max(initial=0.0))


def rounded(errors: Floats, size: Floats | float) -> Floats:
    """Errors, with 0 for those within rounding of numbers of this size."""
    return np.asarray(np.where(np.abs(errors) <= ROUNDING * size, 0.0, errors))


def skewness_of(shares: Floats) -> float:
    """The skewness of a sum of independent parts, each known by one draw of it."""
    variance = float(shares @ shares)
    return float(np.sum(shares**3)) / variance**1.5 if variance > 0 else 0.0
