"""What a run loses that did not help to make the pool, from what others lost when they were left out.

A hole is worth nothing in the score, and would be worth what the run's other documents are worth, times a factor that
holes of one collection share. So a run loses about

    loss = factor x (its share of unjudged documents) x (its score),

and the factor is the sum of all losses over the sum of those products, over runs that were left out. Runs of one kind
(manual, automatic) make their own factor if they are of enough groups, since their holes are worth more or less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolwise.basics.arrays import Floats

__all__ = ["Expected", "LeftOutRuns"]

LEVEL = 0.95
FEWEST_GROUPS = 3  # of a kind, before it counts alone
LEAST_SPREAD = 0.1  # of the mean product: losses of runs with hardly a hole vary as if they had so much of it


class Expected(NamedTuple):
    """A loss that is expected, and how far it may lie from that to either side; NaN if nothing tells."""

    loss: float
    half: float


@dataclass(frozen=True)
class LeftOutRuns:
    """Runs that were left out: what each lost, its product of unjudged share and score, its group and kind."""

    loss: Floats
    product: Floats
    group: NDArray[np.int64]
    kind: NDArray[np.str_]

    def others(self, group: int | None, kind: str) -> NDArray[np.bool_]:
        """Runs of other groups, of the same kind if there are enough of these."""
        kept = np.ones(len(self.loss), dtype=bool) if group is None else self.group != group
        alike = kept & (self.kind == kind)
        return alike if len(set(self.group[alike].tolist())) >= FEWEST_GROUPS else kept

    def mean_loss(self, group: int | None, kind: str) -> float:
        """The mean loss of the others: one number for all runs."""
        return float(self.loss[self.others(group, kind)].mean())

    def expected(self, product: float, group: int | None, kind: str) -> Expected:
        """The loss of a run, from its product; the interval is Student's over groups, and as wide as the product."""
        from poolwise.basics.distributions import student_quantile

        chosen = self.others(group, kind)
        loss, x, groups = self.loss[chosen], self.product[chosen], self.group[chosen]
        if not x.sum() > 0:
            return Expected(0.0, 0.0)
        factor = loss.sum() / x.sum()
        least = LEAST_SPREAD * x.mean()
        ratio = (loss - factor * x) / np.maximum(x, least)
        names = np.unique(groups)
        if len(names) == 1:  # one group shows no spread
            return Expected(float(factor * product), float("nan"))
        spread = float(np.sqrt(np.mean([np.mean(ratio[groups == name] ** 2) for name in names])))
        number = len(names)
        wide = spread * np.sqrt(1 + 1 / number) * max(product, least)
        half = student_quantile(max(number - 1, 1), 0.5 + LEVEL / 2) * wide
        return Expected(float(factor * product), float(half))

    def expected_of_all(self) -> list[Expected]:
        """What is expected of each of them, from the others."""
        rows = zip(self.product.tolist(), self.group.tolist(), self.kind.tolist(), strict=True)
        return [self.expected(product, group, kind) for product, group, kind in rows]
