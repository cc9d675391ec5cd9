"""Correlation of two rankings of runs, from their mean scores.

Every function takes two arrays whose last axis runs over the runs. Leading axes are worked through at
once (resamples, trials). The first argument is the reference, the second what is held against it. Only
tau_AP depends on which is which. Means that differ by at most `TIE` tie. A ranking with no two different
means has no correlation: NaN.

Webber, Moffat and Zobel 2010, "A similarity measure for indefinite rankings". Ties as in Corsi and Urbano
2024, "The treatment of ties in rank-biased overlap": "w" lets tied runs stand at the same rank, "a" is
the mean over all orders of tied runs, and "b" makes up for what ties hide, so that a ranking overlaps
fully with itself.

Exact without ties: the number of swapped pairs of a random order has a known distribution. With ties and up to eight
runs all orders are gone through. With more scipy's normal approximation with its correction for ties, which may
give six runs p = 0.03 where it is 0.1.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np

from poolwise.basics import settings as checks
from poolwise.errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import ArrayLike, NDArray

    from poolwise.basics.arrays import Floats

if TYPE_CHECKING:
    Signs = NDArray[np.int8]
TIE = 1e-12  # means that differ by less are equal but for rounding


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
    """Return how many pairs of runs the two rankings order differently. Ties do not count.

    >>> int(swapped_pairs([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1]))
    1
    """
    opposite = signs(a) * signs(b) < 0
    return np.asarray(np.count_nonzero(opposite, axis=(-2, -1)) // 2)


def tau_ap(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return tau_AP of the ranking b against the reference a. A swap near the top of b costs more.

    Yilmaz, Aslam and Robertson 2008. Ties in b: the mean over all orders of tied runs, which
    is tau_AP,a of Urbano and Marrero 2017. Their reference has no ties. Here a pair tied in the
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
    """Return ranks from 1 for the best run. Tied runs share the mean of their ranks.

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
    """Numbers of better and of tied runs for each run, itself included among the ties."""
    above = np.count_nonzero(order < 0, axis=-1)
    tied = np.count_nonzero(order == 0, axis=-1)
    return np.asarray(above), np.asarray(tied)


def _below_the_top(reference: Signs, other: Signs) -> Floats:
    """One direction of tau_AP,b, over the runs below the top group."""
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
    """Quotient, NaN for a divisor of 0."""
    positive = np.asarray(denominator) > 0
    blank = np.full(np.broadcast_shapes(np.shape(numerator), positive.shape), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=blank, where=positive))


TIES = ("a", "b", "w")


class Overlap(NamedTuple):
    """Extrapolated rank-biased overlap, and its bounds for any continuation of the rankings."""

    extrapolated: Floats
    low: Floats
    high: Floats


def rank_biased_overlap(
    a: ArrayLike, b: ArrayLike, persistence: float = 0.9, ties: Literal["a", "b", "w"] = "a"
) -> Overlap:
    """Compute the rank-biased overlap of two rankings given by mean scores.

    Parameters
    ----------
    a, b : array
        Mean scores, runs along the last axis. NaN marks a run that a ranking leaves out; both must rank equally many.
    persistence : float
        The chance that a reader goes on to the next rank (p in the paper): 0.9 puts 86 % of the weight on the first
        ten.
    ties : {"a", "b", "w"}
        How ties count: "w" lets tied runs stand at the same rank, "a" is the mean over all their orders, "b" makes up
        for what ties hide.

    Returns
    -------
    Overlap
        Extrapolated overlap, and its lowest and highest value whatever follows the last rank.

    References
    ----------
    Webber, Moffat and Zobel, TOIS 28(4), 2010; Corsi and Urbano, SIGIR 2024.

    Examples
    --------
    >>> [float(value.round(4)) for value in rank_biased_overlap([0.3, 0.2, 0.1], [0.2, 0.3, 0.1])]
    [0.9, 0.4225, 0.9]
    """
    checks.share("persistence", persistence, 0.9)
    checks.choice("ties", ties, TIES)
    a, b = checks.numbers("a", a), checks.numbers("b", b)
    depth = _common_depth(a, b)
    first, second = (_present(means, depth, ties) for means in (a, b))
    shared = np.sum(first * second, axis=-1)
    weights = (1 - persistence) * persistence ** np.arange(depth)
    seen = np.sum(weights * (shared / _divisor(first, second, ties)), axis=-1)
    last = shared[..., -1]
    return Overlap(
        np.asarray(seen + persistence**depth * last / depth),
        np.asarray(seen + last * _tail(persistence, depth)),
        np.asarray(seen + _best_rest(last, persistence, depth)),
    )


def _common_depth(a: ArrayLike, b: ArrayLike) -> int:
    ranked = {int(n) for means in (a, b) for n in np.ravel(np.sum(~np.isnan(means), axis=-1))}
    if len(ranked) != 1 or ranked == {0}:
        raise ArgumentError(f"both rankings must hold equally many runs, found {sorted(ranked)}")
    return ranked.pop()


def _present(means: ArrayLike, depth: int, ties: str) -> Floats:
    """Share of each run (last axis) that is present at each rank (previous axis). Tied runs enter in parts."""
    values = np.asarray(means, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # two left-out runs: -inf minus -inf is a tie like any other
        order = signs(np.where(np.isnan(values), -np.inf, values))
    above = np.count_nonzero(order < 0, axis=-1)[..., None, :]
    tied = np.count_nonzero(order == 0, axis=-1)[..., None, :]
    past = np.arange(1, depth + 1)[:, None] - above
    return np.asarray(np.clip(past if ties == "w" else past / tied, 0.0, 1.0))


def _divisor(first: Floats, second: Floats, ties: str) -> Floats:
    """The divisor of the shared part of two prefixes that gives their agreement."""
    if ties == "a":
        return np.arange(1.0, first.shape[-2] + 1)
    if ties == "w":
        return np.asarray(np.sum(first + second, axis=-1) / 2)
    return np.asarray(np.sqrt(np.sum(first**2, axis=-1) * np.sum(second**2, axis=-1)))


def _tail(persistence: float, depth: int) -> float:
    """Weight of one shared run over all ranks after the last: sum of (1 - p) p^(d-1) / d."""
    ranks = np.arange(1, depth + 1)
    rest = -np.log1p(-persistence) - np.sum(persistence**ranks / ranks)
    return float((1 - persistence) / persistence * rest)


def _best_rest(last: Floats, persistence: float, depth: int) -> Floats:
    """Largest contribution of later ranks: two more common runs at each rank until all are common."""
    more = np.arange(1, depth + 1)
    agreement = np.minimum((last[..., None] + 2 * more) / (depth + more), 1.0)
    weights = (1 - persistence) * persistence ** (depth + more - 1)
    return np.asarray(np.sum(weights * agreement, axis=-1) + persistence ** (2 * depth))


ENUMERATED_RUNS = 8  # runs up to which all 8! = 40,320 orders are enumerated


def tau_p(a: ArrayLike, b: ArrayLike) -> float:
    """Return the two-sided p value of Kendall's tau of two rankings. NaN where one of them has no order.

    >>> round(tau_p([0.5, 0.4, 0.3, 0.2, 0.1], [0.4, 0.5, 0.3, 0.2, 0.1]), 4)  # 10 of 120 orders are as far from even
    0.0833
    """
    first, second = mean_ranks(a), mean_ranks(b)
    runs = first.size
    if len(np.unique(first)) == runs == len(np.unique(second)):
        swapped = int(swapped_pairs(first, second))
        chances = swap_chances(runs)
        tail = min(swapped, len(chances) - 1 - swapped)
        return float(min(1.0, 2 * chances[: tail + 1].sum()))
    if runs <= ENUMERATED_RUNS and min(np.ptp(first), np.ptp(second)) > 0:
        orders = second[np.array(list(permutations(range(runs))))]
        return float(np.mean(np.abs(kendall_tau(first, orders)) >= abs(float(kendall_tau(first, second))) - 1e-9))
    from scipy.stats import kendalltau

    return float(kendalltau(first, second).pvalue)


def significant_tau(runs: int, alpha: float = 0.05) -> float:
    """Return the least tau of so many untied runs that differs from 0 at a level, two-sided. NaN if none does.

    >>> round(significant_tau(30, 0.01), 3)  # [S07] section 6 has .34
    0.333
    """
    checks.whole("runs", runs, 2)
    checks.alpha(alpha)
    reached = np.flatnonzero(2 * np.cumsum(swap_chances(runs)) <= alpha)
    return float(1 - 4 * reached[-1] / (runs * (runs - 1))) if reached.size else float("nan")


def swap_chances(runs: int) -> Floats:
    """Return the chance of 0, 1, 2, ... swapped pairs in a random order of so many runs.

    The run put in last, at any of n places, swaps 0 to n - 1 pairs, each as likely.

    >>> (6 * swap_chances(3)).tolist()
    [1.0, 2.0, 2.0, 1.0]
    """
    chances = np.ones(1)
    for number in range(2, runs + 1):
        chances = np.convolve(chances, np.full(number, 1 / number))
    return chances
