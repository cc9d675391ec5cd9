"""How wide intervals will be when a plan is judged, for each run and for differences, and with other budgets.

A document that is drawn with probability pi leaves (1 - pi) / pi p (1 - p) z^2 to chance, p being how probable it is
that the document is relevant and z how much its label moves the score (docs/theory/assisted.md, *Labels saved*). Added
up over documents and topics this is the variance of first order, and what is beyond that is a factor that was
measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from poolwise.plan.influence import SUMS
from poolwise.results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from poolwise.arrays import Floats
    from poolwise.judge.inclusion import Cells
    from poolwise.plan.allocation import Whole
    from poolwise.plan.worth import LabelWorth

__all__ = ["PlannedWidths", "planned_widths"]

TYPICAL = "two runs (typical)"
SHARES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the budget
# After a pilot, what is beyond the first order: for ratios such as AP and nDCG widths came out so much larger (Deep
# Learning 2019; docs/howto/labels.md says how forecasts then did there and elsewhere). Sums of labels have no such.
BEYOND_FIRST_ORDER = 1.18


@dataclass(frozen=True, eq=False, repr=False)
class PlannedWidths(Result):
    """Widths of intervals to expect after a plan, and after smaller and larger ones.

    `names` are runs, then differences; `labels` the numbers of labels to give now, `widths` names x labels (NaN where a
    stratum would have none). `planned` is the number that the plan has.
    """

    measure: str
    level: float
    planned: int
    names: tuple[str, ...]
    labels: tuple[int, ...]
    widths: Floats
    warnings: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """One row per run or difference and number of labels."""
        pairs = [(row, column) for row in range(len(self.names)) for column in range(len(self.labels))]
        return {
            "run": [self.names[row] for row, _ in pairs],
            "labels": [self.labels[column] for _, column in pairs],
            "width": [float(self.widths[row, column]) for row, column in pairs],
        }

    def overview(self) -> dict[str, Any]:
        """One row per run or difference, one column per number of labels."""
        wide = {str(number): self.widths[:, place].tolist() for place, number in enumerate(self.labels)}
        return {"labels": list(self.names), **wide}

    def headline(self) -> str:
        """What the widths are of."""
        return f"widths of {100 * self.level:g} % intervals of {self.measure} to expect, by number of labels"

    def mean(self, difference: bool = False) -> float:
        """Give the mean width of runs after the plan, or of differences.

        Parameters
        ----------
        difference : bool
            Whether of differences.

        Returns
        -------
        float
            The width.
        """
        chosen = [place for place, name in enumerate(self.names) if (" - " in name or name == TYPICAL) == difference]
        return float(np.mean(self.widths[chosen, self.labels.index(self.planned)]))


def planned_widths(
    worth: LabelWorth, cells: Cells, added: Callable[[int], Whole], planned: int, groups: Sequence[Any], level: float
) -> PlannedWidths:
    """Forecast the widths of groups: a name with one run's number, or two of which the difference is meant.

    `added` says how many documents each cell gets with so many labels.
    """
    most = int(cells.left.sum())
    labels = sorted({min(max(round(share * planned), 1), most) for share in SHARES} | {planned})
    left = worth.left_to_chance([numbers for _, numbers in groups])
    rates = np.stack([_rates(cells, added(number)) for number in labels], axis=1)  # cells x labels
    topics = len(np.unique(cells.topic))
    quantile = NormalDist().inv_cdf(0.5 + level / 2)
    with np.errstate(invalid="ignore"):
        variance = left @ rates / topics**2
    widths = 2 * quantile * np.sqrt(variance) * _beyond_first_order(worth)
    names, widths = _gathered([name for name, _ in groups], widths)
    return PlannedWidths(str(worth.measure), level, planned, tuple(names), tuple(labels), widths)


def _beyond_first_order(worth: LabelWorth) -> float:
    """1 before any label: what other collections taught of chances allows for more than is left."""
    return BEYOND_FIRST_ORDER if worth.has_labels and worth.measure.name not in SUMS else 1.0


def _rates(cells: Cells, added: Whole) -> Floats:
    """(1 - pi) / pi of each cell, n of N being judged; NaN where a cell has none."""
    judged = (cells.judged + added).astype(float)
    rates = np.divide(cells.pooled, judged, out=np.full(len(judged), np.nan), where=judged > 0)
    return np.maximum(rates - 1.0, 0.0)


def _gathered(names: Sequence[str], widths: Floats) -> tuple[list[str], Floats]:
    """Typical pairs in one row, as the root of their mean square."""
    typical = np.array([name == TYPICAL for name in names])
    if not typical.any():
        return list(names), widths
    mean = np.sqrt((widths[typical] ** 2).mean(axis=0))
    return [name for name in names if name != TYPICAL] + [TYPICAL], np.vstack([widths[~typical], mean])
