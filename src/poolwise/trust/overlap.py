"""Rank-biased overlap of two rankings of runs, with its bounds.

Webber, Moffat and Zobel 2010, "A similarity measure for indefinite rankings". Ties as in Corsi and Urbano
2024, "The treatment of ties in rank-biased overlap": "w" lets tied runs stand at the same rank, "a" is
the mean over all orders of tied runs, and "b" makes up for what ties hide, so that a ranking overlaps
fully with itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poolwise.basics import settings as checks
from poolwise.errors import ArgumentError
from poolwise.trust.correlation import signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import ArrayLike

    from poolwise.basics.arrays import Floats


__all__ = ["TIES", "Overlap", "rank_biased_overlap"]

TIES = ("a", "b", "w")


class Overlap(NamedTuple):
    """Rank-biased overlap if agreement goes on as at the last rank, and its bounds if anything may follow."""

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
    """How far each run (last axis) has come in by each rank (axis before it), between 0 and 1."""
    values = np.asarray(means, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # two left-out runs: -inf minus -inf is a tie like any other
        order = signs(np.where(np.isnan(values), -np.inf, values))
    above = np.count_nonzero(order < 0, axis=-1)[..., None, :]
    tied = np.count_nonzero(order == 0, axis=-1)[..., None, :]
    past = np.arange(1, depth + 1)[:, None] - above
    return np.asarray(np.clip(past if ties == "w" else past / tied, 0.0, 1.0))


def _divisor(first: Floats, second: Floats, ties: str) -> Floats:
    """What the shared part of two prefixes is divided by to give their agreement."""
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
    """The most that later ranks can add: two more runs shared at every rank until all are."""
    more = np.arange(1, depth + 1)
    agreement = np.minimum((last[..., None] + 2 * more) / (depth + more), 1.0)
    weights = (1 - persistence) * persistence ** (depth + more - 1)
    return np.asarray(np.sum(weights * agreement, axis=-1) + persistence ** (2 * depth))
