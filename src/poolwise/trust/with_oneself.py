"""How far each assessor agrees with themselves: documents that `poolwise judge --repeat` showed twice.

These are drawn at random from an assessor's own work, and each counts alike. The share of equal labels has Clopper and
Pearson's interval, which holds for any number of documents; kappa's is linearised, as that of two assessors.
"""

from __future__ import annotations

import numpy as np

from poolwise.basics.distributions import beta_below
from poolwise.trust.agreed import Agreed, agreed_on
from poolwise.trust.chance_corrected import COEFFICIENTS
from poolwise.trust.label_sheet import LabelSheet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["exact_ends", "with_oneself"]

HALVINGS = 50  # of the range of a share


def with_oneself(sheet: LabelSheet, level: float) -> Iterator[Agreed]:
    """The share of equal labels, and kappa, of each assessor who saw documents twice."""
    for name, pairs in sheet.repeated.items():
        same = sum(first == second for first, second in pairs)
        low, high = exact_ends(same, len(pairs), level)
        yield Agreed("graded", "agreement", name, name, len(pairs), same / len(pairs), low, high)
        yield _kappa(name, pairs, level)


def _kappa(name: str, pairs: Sequence[tuple[float, float]], level: float) -> Agreed:
    labels, count = np.asarray(pairs, dtype=float), len(pairs)
    alone = LabelSheet(
        [name, name], [""] * count, list(map(str, range(count))), labels, np.zeros(count, dtype=np.int64), [("", 1)],
        np.array([count]), sampled=False,
    )  # fmt: skip
    every = np.ones(count, dtype=np.bool_)
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
