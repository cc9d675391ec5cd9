"""Correlation of two rankings of runs, from their mean scores.

Every function takes two arrays whose last axis runs over the runs; leading axes are worked through at
once (resamples, trials). The first argument is the reference, the second what is held against it; only
tau_AP depends on which is which. Means that differ by at most `TIE` tie. A ranking with no two different
means has no correlation: NaN.
"""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from poolwise.basics.arrays import Floats

    Signs = NDArray[np.int8]

__all__ = [
    "TIE",
    "kendall_tau",
    "kendall_tau_b",
    "mean_ranks",
    "pearson_r",
    "root_mean_square_error",
    "signs",
    "spearman_rho",
    "swapped_pairs",
    "tau_ap",
    "tau_ap_b",
]

TIE = 1e-12


def signs(means: ArrayLike) -> Signs:
    """Return for all ordered pairs whether the first run is better (1), worse (-1) or tied (0).

    >>> signs([0.3, 0.1, 0.1]).tolist()
    [[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]
    """
    values = np.asarray(means, dtype=np.float64)
    difference = values[..., :, None] - values[..., None, :]
    return (difference > TIE).astype(np.int8) - (difference < -TIE).astype(np.int8)


def kendall_tau(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return Kendall's tau a: (concordant - discordant pairs) / all pairs.

    >>> float(kendall_tau([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1]).round(4))
    0.6667
    """
    first, second = signs(a), signs(b)
    runs = first.shape[-1]
    return np.asarray(_balance(first, second) / (runs * (runs - 1) / 2))


def kendall_tau_b(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return Kendall's tau b: a pair tied in one ranking shrinks the divisor.

    >>> float(kendall_tau_b([0.4, 0.3, 0.3], [0.4, 0.3, 0.2]).round(4))
    0.8165
    """
    first, second = signs(a), signs(b)
    untied = [np.count_nonzero(s, axis=(-2, -1)) / 2 for s in (first, second)]
    return _ratio(_balance(first, second), np.sqrt(untied[0] * untied[1]))


def swapped_pairs(a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
    """Return how many pairs of runs the two rankings order differently; ties do not count.

    >>> int(swapped_pairs([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1]))
    1
    """
    opposite = signs(a) * signs(b) < 0
    return np.asarray(np.count_nonzero(opposite, axis=(-2, -1)) // 2)


def tau_ap(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return tau_AP of the ranking b against the reference a; a swap near the top of b costs more.

    Yilmaz, Aslam and Robertson 2008. Ties in b: the mean over all orders of tied runs, which
    is tau_AP,a of Urbano and Marrero 2017. Their reference has no ties; here a pair tied in the
    reference counts half, as a random order of it would.

    >>> float(tau_ap([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1]).round(4))
    0.6667
    >>> float(tau_ap([0.4, 0.3, 0.2, 0.1], [0.3, 0.4, 0.2, 0.1]).round(4))
    0.3333
    """
    first, second = signs(a), signs(b)
    above, tied = _above_and_tied(second)
    agreeing = np.sum((second < 0) * (1.0 + first * second), axis=-1) / 2
    harmonic = _harmonic(second.shape[-1])
    # A run of a tied group of size t below A others stands at ranks A + 1 ... A + t equally often.
    reach = harmonic[above + tied - 1]
    from_above = agreeing * np.where(above > 0, (reach - harmonic[np.maximum(above - 1, 0)]) / tied, 0.0)
    within = (tied - 1 - above * (reach - harmonic[above])) / (2 * tied)
    return _share_to_correlation(np.sum(from_above + within, axis=-1), second.shape[-1] - 1)


def tau_ap_b(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return tau_AP,b of Urbano and Marrero 2017: symmetric, both rankings may tie.

    >>> float(tau_ap_b([0.4, 0.3, 0.2, 0.1], [0.3, 0.4, 0.2, 0.1]).round(4))
    0.3333
    >>> float(tau_ap_b([0.4, 0.3, 0.3], [0.5, 0.2, 0.2]))
    1.0
    """
    first, second = signs(a), signs(b)
    return (_below_the_top(first, second) + _below_the_top(second, first)) / 2


def spearman_rho(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return Spearman's rho: Pearson's r of the ranks, tied runs sharing their mean rank.

    >>> float(spearman_rho([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1]).round(4))
    0.8
    """
    return pearson_r(mean_ranks(a), mean_ranks(b))


def mean_ranks(means: ArrayLike) -> Floats:
    """Return ranks from 1 for the best run; tied runs share the mean of their ranks.

    >>> mean_ranks([0.1, 0.3, 0.1]).tolist()
    [2.5, 1.0, 2.5]
    """
    above, tied = _above_and_tied(signs(means))
    return np.asarray(above + (tied + 1) / 2)


def pearson_r(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return Pearson's correlation of the values themselves ([Y08] calls it rho).

    >>> float(pearson_r([0.1, 0.2, 0.3], [0.2, 0.3, 0.7]).round(4))
    0.9449
    """
    first, second = _centred(a), _centred(b)
    covariance = np.sum(first * second, axis=-1)
    return _ratio(covariance, np.sqrt(np.sum(first**2, axis=-1) * np.sum(second**2, axis=-1)))


def root_mean_square_error(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the root of the mean squared difference of the values.

    >>> float(root_mean_square_error([0.1, 0.2], [0.4, 0.6]).round(4))
    0.3536
    """
    difference = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    return np.asarray(np.sqrt(np.mean(difference**2, axis=-1)))


def _balance(first: Signs, second: Signs) -> Floats:
    """Concordant minus discordant pairs."""
    return np.asarray(np.sum(first * second, axis=(-2, -1), dtype=np.int64) / 2)


def _above_and_tied(order: Signs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For every run, how many are better, and how many (itself included) tie with it."""
    above = np.count_nonzero(order < 0, axis=-1)
    tied = np.count_nonzero(order == 0, axis=-1)
    return np.asarray(above), np.asarray(tied)


def _below_the_top(reference: Signs, other: Signs) -> Floats:
    """One direction of tau_AP,b: only runs below the top group have someone above them."""
    above, _ = _above_and_tied(other)
    agreeing = np.count_nonzero((other < 0) & (reference == other), axis=-1)
    shares = np.where(above > 0, agreeing / np.maximum(above, 1), 0.0)
    return _share_to_correlation(np.sum(shares, axis=-1), np.count_nonzero(above, axis=-1))


def _share_to_correlation(total: Floats, runs: int | NDArray[np.int64]) -> Floats:
    """Mean share of agreeing pairs, from [0, 1] to [-1, 1]."""
    return np.asarray(2 * _ratio(total, np.asarray(runs, dtype=np.float64)) - 1)


def _harmonic(number: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, number + 1))])


def _centred(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    centred = np.asarray(array - array.mean(axis=-1, keepdims=True))
    # What is left of equal values is rounding, not variance.
    return np.asarray(np.where(np.ptp(array, axis=-1, keepdims=True) <= TIE, 0.0, centred))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient, NaN where there is nothing to divide by."""
    positive = np.asarray(denominator) > 0
    blank = np.full(np.broadcast_shapes(np.shape(numerator), positive.shape), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=blank, where=positive))
